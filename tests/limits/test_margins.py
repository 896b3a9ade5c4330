"""Margins against the limits written out once more in plain NumPy, leg by leg."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description.build import from_document
from gough.description.home import rod_directions
from gough.limits.table import limit_table
from gough.machine import PlateAngle
from gough.stages.frames import stacked_poses

ROUND_OFF = 1e-13  # metres or radians, on machines of a metre

HEXAGON = np.deg2rad([250, 290, 10, 50, 130, 170])
INNER = np.deg2rad([220, 320, 340, 80, 100, 200])


def strut_machine(**limits):
    """A small machine with every kind of limit."""
    base = np.stack([0.2 * np.cos(HEXAGON), 0.2 * np.sin(HEXAGON), 0 * HEXAGON], axis=1)
    platform = np.stack([0.12 * np.cos(INNER), 0.12 * np.sin(INNER), 0 * INNER], axis=1)
    return gough.from_points(
        base,
        platform,
        home=gough.pose([0, 0, 0.3]),
        joint_min=0.25,
        joint_max=0.4,
        limits={
            "base_cone": {"half_angle": 0.5},
            "platform_cone": {"half_angle": 0.6},
            "leg_radius": 0.01,
            "base_plate_angle": 0.7,
            "platform_plate_angle": 0.6,
            "box": {"x_min": -0.1, "x_max": 0.1, "z_max": 0.35},
            "radius": 0.08,
            "tilt": 0.4,
            "rotation": 0.3,
            "singular_value": 0.05,
            **limits,
        },
        tool={"translation": [0, 0, 0.05], "angles": [0, 0, 0], "sequence": "XYZ"},
    )


def random_poses(machine, rng, count, shift, turn):
    return gough.pose_matrix(
        machine.X_home[:3, 3] + rng.uniform(-shift, shift, (count, 3)),
        rng.uniform(-turn, turn, (count, 3)),
        "XYZ",
    ) @ np.block([[machine.X_home[:3, :3], np.zeros((3, 1))], [np.zeros((1, 3)), 1.0]])


def named(g, name):
    return g.values[..., g.names.index(name)]


def angle(a, b):
    cosine = np.sum(a * b, axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    return np.arccos(np.clip(cosine, -1, 1))


def test_joint_travel_is_the_distance_of_the_joint_coordinate_from_its_ends(machine, rng):
    X = random_poses(machine, rng, 20, 0.02 * machine.size, 0.1)
    g, q = gough.margins(machine, X), gough.inverse_kinematics(machine, X)
    low, high = ("shortest", "longest") if machine.legs.rod() is None else ("lowest", "highest")
    for i in range(6):
        if np.isfinite(machine.limits.joint_max[i]):
            np.testing.assert_allclose(
                named(g, f"leg {i + 1} {high}"), machine.limits.joint_max[i] - q[:, i], atol=ROUND_OFF
            )
        if np.isfinite(machine.limits.joint_min[i]):
            np.testing.assert_allclose(
                named(g, f"leg {i + 1} {low}"), q[:, i] - machine.limits.joint_min[i], atol=ROUND_OFF
            )


def test_cones_and_plates_measure_the_angle_of_the_leg(rng):
    m = strut_machine()
    X = random_poses(m, rng, 20, 0.05, 0.3)
    g = gough.margins(m, X)
    for k in range(len(X)):
        u = rod_directions(m.legs, X[k], gough.inverse_kinematics(m, X[k]))
        R = X[k, :3, :3]
        for i in range(6):
            base = 0.5 - angle(u[i], m.limits.base_cone.axis[i])
            platform = 0.6 - angle(R.T @ u[i], m.limits.platform_cone.axis[i])
            # arccos loses half the digits near zero angle: the comparison is only as good as that
            assert named(g, f"leg {i + 1} base cone")[k] == pytest.approx(base, abs=1e-7)
            assert named(g, f"leg {i + 1} platform cone")[k] == pytest.approx(platform, abs=1e-7)
            to_base = np.pi / 2 - angle(u[i], np.array([0, 0, 1.0])) - 0.7
            to_platform = np.pi / 2 - angle(u[i], R[:, 2]) - 0.6
            assert named(g, f"leg {i + 1} base plate angle")[k] == pytest.approx(to_base, abs=1e-7)
            assert named(g, f"leg {i + 1} platform plate angle")[k] == pytest.approx(to_platform, abs=1e-7)


def test_cone_of_a_crank_turns_with_the_crank():
    m = gough.load("servo")
    turned = from_document(
        {
            "name": "servo-cone",
            "base": {"points": m.legs.c_B.tolist()},
            "platform": {"points": m.b_P.tolist()},
            "legs": {
                "kind": "RUS",
                "axis": m.legs.n_B.tolist(),
                "arm": m.legs.r_B.tolist(),
                "rod_length": m.legs.rod_length.tolist(),
            },
            "home": {"translation": m.X_home[:3, 3].tolist()},
            "limits": {"base_cone": {"half_angle": 1.0, "axis": [0, 0, 1]}},
        },
        "test",
    )
    X = gough.pose_matrix(m.X_home[:3, 3] + [0, 0, 0.005])
    q = gough.inverse_kinematics(turned, X)
    u = rod_directions(turned.legs, X, gough.inverse_kinematics(turned, X))
    g = gough.margins(turned, X)
    from scipy.spatial.transform import Rotation

    for i in range(6):
        axis = Rotation.from_rotvec(q[i] * m.legs.n_B[i]).apply([0, 0, 1.0])
        assert named(g, f"leg {i + 1} base cone") == pytest.approx(1.0 - angle(u[i], axis), abs=1e-7)
        assert abs(q[i]) > 0.05  # the crank has turned, so that the test can fail


def test_clearance_is_the_distance_of_the_segments_less_the_radii(rng):
    m = strut_machine()
    X = random_poses(m, rng, 5, 0.05, 0.3)
    g = gough.margins(m, X)
    t = np.linspace(0, 1, 401)
    for k in range(len(X)):
        b = m.b_P @ X[k, :3, :3].T + X[k, :3, 3]
        along = m.legs.a_B[:, None] + t[:, None] * (b - m.legs.a_B)[:, None]
        for name, legs in zip(g.names, g.legs, strict=True):
            if "clearance" in name:
                i, j = legs[0] - 1, legs[1] - 1
                sampled = np.linalg.norm(along[i][:, None] - along[j][None], axis=-1).min()
                exact = named(g, name)[k] + 0.02
                assert exact <= sampled + ROUND_OFF
                assert exact == pytest.approx(sampled, abs=2e-3)  # the samples lie 1 mm apart


@pytest.mark.parametrize("name", SKEW)
def test_the_clearance_of_two_legs_is_less_by_the_radius_of_each(name):
    m = gough.load(name)
    radius = 1e-3 * m.size * np.arange(1.0, 7.0)
    thin, thick = (
        gough.margins(replace(m, limits=replace(m.limits, leg_radius=r)), m.home) for r in (0 * radius, radius)
    )
    pairs = [name for name in thick.names if "clearance" in name]
    assert pairs
    for pair in pairs:
        legs = [int(digit) - 1 for digit in pair if digit.isdigit()]
        assert named(thin, pair) - named(thick, pair) == pytest.approx(radius[legs].sum(), abs=ROUND_OFF * m.size)


def test_legs_that_share_a_joint_have_no_clearance_limit():
    m = gough.load("hexel")
    document = {
        "name": "thick",
        "base": {"points": m.legs.a_B.tolist()},
        "platform": {"points": m.b_P[::2].tolist(), "of_leg": [1, 1, 2, 2, 3, 3]},
        "home": {"translation": [0, 0, 0.8]},
        "limits": {"leg_radius": 0.02},
    }
    thick = from_document(document, "test")
    assert limit_table(thick).unchecked_pairs == ((1, 2), (3, 4), (5, 6))
    assert sum("clearance" in name for name in gough.margins(thick, thick.home).names) == 12


def test_tool_limits_hold_at_the_tool_not_at_the_platform():
    m = strut_machine()
    X = gough.pose_matrix([0.01, 0.02, 0.31], [0.1, 0.2, 0.15], "XYZ")
    g = gough.margins(m, X)
    tool = X[:3, :3] @ [0, 0, 0.05] + X[:3, 3]
    assert named(g, "tool x min") == pytest.approx(tool[0] + 0.1, abs=ROUND_OFF)
    assert named(g, "tool x max") == pytest.approx(0.1 - tool[0], abs=ROUND_OFF)
    assert named(g, "tool z max") == pytest.approx(0.35 - tool[2], abs=ROUND_OFF)
    assert named(g, "tool radius") == pytest.approx(0.08 - np.hypot(tool[0], tool[1]), abs=ROUND_OFF)
    assert named(g, "tool tilt") == pytest.approx(0.4 - np.arccos(X[2, 2]), abs=1e-9)


@pytest.mark.parametrize("name", SKEW)
def test_the_radius_is_that_of_the_tool_from_where_it_is_at_home(name, rng):
    m = gough.load(name)
    m = replace(m, limits=replace(m.limits, radius=0.1 * m.size))
    X = m.X_home @ gough.pose_matrix(0.01 * m.size * rng.normal(size=3), [0.02, -0.01, 0.03], "XYZ")
    away = ((X - m.X_home) @ m.X_PT)[:2, 3]
    assert named(gough.margins(m, X), "tool radius") == pytest.approx(
        0.1 * m.size - np.hypot(*away), abs=ROUND_OFF * m.size
    )


def test_tool_rotation_is_the_twist_of_swing_and_twist():
    m = strut_machine()
    for tilt, twist in ((0.0, 0.2), (0.3, 0.2), (0.3, -0.25)):
        from scipy.spatial.transform import Rotation

        R = Rotation.from_rotvec([tilt, 0, 0]) * Rotation.from_rotvec([0, 0, twist])
        X = gough.pose_matrix([0, 0, 0.3])
        X[:3, :3] = R.as_matrix()
        assert named(gough.margins(m, X), "tool rotation") == pytest.approx(0.3 - abs(twist), abs=1e-12)


def test_singularity_margin_is_the_smallest_singular_value_and_changes_sign_through_a_singularity(machine, rng):
    X = random_poses(machine, rng, 30, 0.05 * machine.size, 0.3)
    g = named(gough.margins(machine, X), "singularity") + machine.limits.singular_value
    for k in range(len(X)):
        if np.isnan(g[k]):
            continue
        u = rod_directions(machine.legs, X[k], gough.inverse_kinematics(machine, X[k]))
        rho = (machine.b_P - machine.platform_centre) @ X[k, :3, :3].T / machine.characteristic_length
        J = np.concatenate([u, np.cross(rho, u)], axis=1)
        assert abs(g[k]) == pytest.approx(np.linalg.svd(J, compute_uv=False)[-1], abs=1e-14)
    turned = gough.pose_matrix(np.zeros(3), [0, 0, np.pi], "XYZ")
    turned[:3, 3] = machine.X_home[:3, 3]
    hexel = gough.load("hexel")
    half_turn = hexel.X_home @ gough.pose_matrix(np.zeros(3), [0, 0, np.deg2rad(100)], "XYZ")
    assert (
        named(gough.margins(hexel, half_turn), "singularity")
        < 0
        < named(gough.margins(hexel, hexel.home), "singularity")
    )


def test_singularity_margin_does_not_depend_on_the_platform_frame():
    hexel = gough.load("hexel")
    moved = gough.from_points(
        hexel.legs.a_B, hexel.b_P + [0.1, -0.2, 0.3], home=gough.pose(hexel.X_home[:3, 3] - [0.1, -0.2, 0.3])
    )
    a = named(gough.margins(hexel, hexel.home), "singularity")
    b = named(gough.margins(moved, moved.home), "singularity")
    assert a == pytest.approx(b, abs=1e-14)


def test_leg_that_cannot_close_has_a_negative_reach_and_no_travel():
    m = gough.load("sinatra2009")
    X = gough.pose_matrix(m.X_home[:3, 3] + [0.9, 0, 0])
    g = gough.margins(m, X)
    q = gough.inverse_kinematics(m, X)
    open_legs = np.isnan(q)
    assert open_legs.any()
    for i in range(6):
        assert (named(g, f"leg {i + 1} reach") < 0) == open_legs[i]
    assert not g.is_allowed
    assert "cannot close" in g.sentence()
    assert "reach" in g.binding


def test_a_pose_that_is_not_a_number_is_not_allowed():
    m = gough.load("hexel")
    g = gough.margins(m, np.full((2, 4, 4), np.nan))
    assert not g.is_allowed.any()
    assert np.isnan(g.worst).all()


def test_a_pose_is_tight_beside_and_beyond_its_limit_but_not_far_inside():
    m = gough.load("hexel")
    end = float(gough.travel(m, [0, 0, 1, 0, 0, 0]).distance)
    z = m.X_home[2, 3] + end + np.array([-0.9 * end, -1e-4, 1e-4])
    np.testing.assert_array_equal(gough.margins(m, gough.pose(np.outer(z, [0, 0, 1]))).is_tight, [False, True, True])


@pytest.mark.parametrize("name", SKEW)
def test_plates_and_tilt_of_any_direction_are_angles(name, rng):
    """Files have plates across z only; from Python they may have any normal in their body."""
    m = gough.load(name)
    base, platform = (n / np.linalg.norm(n) for n in rng.normal(size=(2, 3)))
    least = {"base": 0.2 + 0.01 * np.arange(6), "platform": 0.3 - 0.01 * np.arange(6)}
    plates = [PlateAngle(normal=n, minimum=least[side]) for n, side in ((base, "base"), (platform, "platform"))]
    limits = replace(m.limits, base_plate=plates[0], platform_plate=plates[1], tilt=2.0)
    m = replace(m, limits=limits)
    X = m.X_home @ gough.pose_matrix(0.02 * m.size * rng.normal(size=(5, 3)), 0.1 * rng.normal(size=(5, 3)), "XYZ")
    g = gough.margins(m, X)
    u = np.stack([rod_directions(m.legs, pose, gough.inverse_kinematics(m, pose)) for pose in X])
    for i in range(6):
        for side, normal in (("base", base), ("platform", X[:, :3, :3] @ platform)):
            rise = np.arcsin(np.sum(u[:, i] * normal, axis=-1)) - least[side][i]
            np.testing.assert_allclose(named(g, f"leg {i + 1} {side} plate angle"), rise, rtol=0, atol=1e-9)
    axis, at_home = (X @ m.X_PT)[:, :3, 2], (m.X_home @ m.X_PT)[:3, 2]
    np.testing.assert_allclose(named(g, "tool tilt"), 2.0 - np.arccos(axis @ at_home), rtol=0, atol=1e-7)


@pytest.fixture
def _decides(monkeypatch):
    """Few poses too go to the kernel that only decides."""
    monkeypatch.setattr(sys.modules["gough.limits.margins"], "DECIDED_FROM", 0)


@pytest.mark.usefixtures("_decides")
@pytest.mark.parametrize("name", [*SKEW, "hexel", "sinatra2009", "servo", "dehaeze", "jugglebot", "pitch-circle", ""])
def test_is_allowed_is_what_the_margins_say(name, rng):
    """Far off limits, on one to rounding, and at NaN; "" has every kind of limit."""
    m = gough.load(name) if name else strut_machine()
    count = 600
    size = np.repeat([0.01, 0.1, 1.0], count // 3)[:, None, None]
    poses = random_poses(m, rng, count, m.size, 0.6)
    X = m.X_home + size * (poses - m.X_home)
    X[:, :3, :3] = Rotation.from_matrix(X[:, :3, :3]).as_matrix()
    directions = rng.normal(size=(12, 6)) / [*[1] * 3, *[m.size] * 3]
    ends = gough.travel(m, directions, gough.nearest_pose(m, m.X_home).matrix).matrix
    X = np.concatenate([X, ends, np.full((1, 4, 4), np.nan)])
    allowed = gough.limits.is_allowed(m, X)
    np.testing.assert_array_equal(allowed, gough.margins(m, X).is_allowed)
    assert allowed.any()
    assert not allowed.all()
    assert gough.limits.is_allowed(m, X.reshape(-1, 1, 4, 4)).shape == (len(X), 1)
    assert bool(gough.limits.is_allowed(m, X[-1])) is False


@pytest.mark.usefixtures("_decides")
@pytest.mark.parametrize(
    "only",
    [
        {"joint_min": 0.25},
        {"joint_max": 0.31},
        {"base_cone": {"half_angle": 0.3}},
        {"platform_cone": {"half_angle": 0.4}},
        {"leg_radius": 0.01},
        {"base_plate_angle": 0.9},
        {"platform_plate_angle": 0.6},
        {"box": {"x_min": -0.05}},
        {"box": {"z_max": 0.35}},
        {"radius": 0.08},
        {"tilt": 0.4},
        {"rotation": 0.3},
        {"singular_value": 0.2},
        {},
    ],
    ids=lambda only: "".join(only) or "singularity",
)
def test_is_allowed_sees_each_limit_alone(only, rng):
    """A machine that has one limit besides the singularity: poses that break nothing else are refused."""
    given = {key: only.get(key) for key in ("joint_min", "joint_max")}
    limits = {key: value for key, value in only.items() if key not in given}
    m = strut_machine()
    m = gough.from_points(m.legs.a_B, m.b_P, home=m.home, limits=limits, **given)
    X = random_poses(m, rng, 600, 0.15, 0.8 if only else 2.0)
    g = gough.margins(m, X)
    np.testing.assert_array_equal(gough.limits.is_allowed(m, X), g.is_allowed)
    alone = ~g.is_allowed & ((g.values[:, -1] > 0) | (not only or "singular_value" in only))
    assert alone.any()
    assert g.is_allowed.any()


def test_is_allowed_of_both_stages(rng):
    m = gough.load(SKEW_STACK)
    X = np.stack([random_poses(stage, rng, 500, 0.2 * stage.size, 0.2) for stage in (m.lower, m.upper)], axis=1)
    X = stacked_poses(m, X[:, 0], X[:, 1])
    allowed = gough.limits.is_allowed(m, X)
    np.testing.assert_array_equal(allowed, gough.margins(m, X).is_allowed)
    assert allowed.any()
    assert not allowed.all()
