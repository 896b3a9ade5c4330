"""Where machines come from: built-in names, files, two arrays of points."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.errors import MachineFileError, UnknownMachineError

BASE = np.array(
    [[0.2, 0.05, 0], [0.2, -0.05, 0], [-0.05, -0.2, 0], [-0.15, -0.15, 0], [-0.15, 0.15, 0], [-0.05, 0.2, 0]]
)
PLATFORM = np.array(
    [[0.08, 0.09, 0], [0.08, -0.09, 0], [0.04, -0.11, 0], [-0.12, -0.02, 0], [-0.12, 0.02, 0], [0.04, 0.11, 0]]
)
ROUND_OFF = 1e-15
"""A few roundings of numbers near one."""


def names():
    return ", ".join(machine.name for machine in gough.machines())


def test_an_unknown_name_is_answered_with_the_nearest_ones():
    with pytest.raises(UnknownMachineError) as caught:
        gough.load("hexl")
    assert str(caught.value) == (
        f"no machine 'hexl': expected a path to a .toml file or one of {names()}. "
        "Did you mean 'hexel' or 'hexaglide' or 'hexel-head'?"
    )
    assert caught.value.exit_code == 2


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(MachineFileError) as caught:
        gough.load(path)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.toml"


def test_broken_toml_names_the_line(path, good_text):
    broken = good_text.replace('length = "mm"', "length mm")
    line = broken.splitlines().index("length mm") + 1
    assert refused(path, broken.encode()) == (
        f"{path}: is not valid TOML: Expected '=' after a key in a key/value pair (at line {line}, column 8)"
    )


def test_a_byte_order_mark_and_windows_line_ends(path, good_text):
    path.write_bytes(b"\xef\xbb\xbf" + good_text.replace("\n", "\r\n").encode())
    assert gough.load(path).name == "good"


def test_points_give_a_machine_of_struts():
    m = gough.from_points(BASE, PLATFORM, home=gough.pose([0, 0, 0.3]), joint_min=0.2, joint_max=0.5)
    np.testing.assert_array_equal(m.legs.rest(), BASE)
    np.testing.assert_array_equal(m.b_P, PLATFORM)
    np.testing.assert_array_equal(m.limits.joint_max, np.full(6, 0.5))


def test_points_that_legs_share_are_found():
    base = BASE.copy()
    base[4] = base[1]
    np.testing.assert_array_equal(gough.from_points(base, PLATFORM).legs.rest(), base)


@pytest.mark.parametrize("angles", [(0.1, 0.2, 0.3), (0.1, np.pi / 2, 0.3), (0.1, -np.pi / 2, 0.3)])
def test_any_home_pose_is_taken_also_in_gimbal_lock(angles):
    home = gough.pose([0.01, 0.02, 0.3], angles, "XYZ")
    np.testing.assert_allclose(gough.from_points(BASE, PLATFORM, home=home).X_home, home.as_matrix(), atol=ROUND_OFF)


def test_points_take_other_keys_as_arrays():
    m = gough.from_points(
        BASE,
        PLATFORM,
        limits={"joint_speed": np.full(6, 0.1), "tilt": np.float64(0.5)},
        platform_body={"mass": np.int64(3), "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.2}},
        bodies={"piston": {"mass": 1.0}},
        gravity=np.array([0, 0, 9.81]),
    )
    assert m.platform.mass == 3
    assert (m.leg_bodies["piston"].mass == 1).all()
    assert m.limits.tilt == 0.5
    np.testing.assert_array_equal(m.limits.joint_speed, np.full(6, 0.1))
    np.testing.assert_array_equal(m.gravity, [0, 0, 9.81])


@pytest.mark.parametrize("name", SKEW)
def test_bodies_of_unequal_legs_are_named_by_their_leg(name):
    m = gough.load(name)
    named = {f"{part}, leg {i + 1}": bodies[i] for part, bodies in m.leg_bodies.items() for i in range(6)}
    assert {key: body.mass for key, body in m.leg_parts.items()} == {key: body.mass for key, body in named.items()}


def test_a_binary_file(path):
    assert refused(path, bytes(range(256))) == f"{path}: is not a text file in UTF-8"


def test_a_key_given_twice_names_the_line(path, good_text):
    assert refused(path, good_text.encode() + b"joint_min = 3\n").startswith(f"{path}: is not valid TOML: ")
