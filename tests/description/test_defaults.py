"""What a machine file means: units, defaults, joints that legs share, inertias moved to the mass centre."""

import numpy as np
import pytest

import gough
from gough.description.build import from_document
from gough.description.geometry import pitch_circle_points

ROUND_OFF = 1e-15
"""A few roundings of numbers near one [m, rad]."""
MILLIMETRE = 1e-3

BASE = [[200, 50, 0], [200, -50, 0], [-57, -198, 0], [-143, -148, 0], [-143, 148, 0], [-57, 198, 0]]
PLATFORM = [[80, 90, 0], [80, -90, 0], [38, -114, 0], [-118, -24, 0], [-118, 24, 0], [38, 114, 0]]


def document(**changes):
    return {
        "name": "m",
        "units": {"length": "mm", "angle": "deg"},
        "base": {"points": BASE},
        "platform": {"points": PLATFORM},
        "home": {"translation": [0, 0, 300]},
        **changes,
    }


def machine(**changes):
    return from_document(document(**changes), "m.toml")


def test_one_machine_in_other_units_is_the_same_machine():
    in_inches = (np.array(PLATFORM) / 25.4).tolist()
    metric = machine(
        limits={"joint_min": 254, "joint_speed": 25.4, "tilt": 18, "actuator_force": 4.4482216152605},
        platform={"points": PLATFORM, "mass": 0.45359237, "inertia": {"xx": 2.0, "yy": 2.0, "zz": 3.0}},
        actuators={"screw_lead": 2.54, "modulus": [210e9, 70e9, 210e9, 210e9, 210e9, 210e9], "area": 1e-4},
    )
    inches = machine(
        units={"length": "in", "angle": "rad", "mass": "lb", "force": "lbf", "inertia": "kg mm2", "time": "min",
               "pressure": "GPa", "area": "cm2"},
        base={"points": (np.array(BASE) / 25.4).tolist()},
        platform={"points": in_inches, "mass": 1, "inertia": {"xx": 2e6, "yy": 2e6, "zz": 3e6}},
        home={"translation": [0, 0, 300 / 25.4]},
        limits={"joint_min": 10, "joint_speed": 60, "tilt": np.pi / 10, "actuator_force": 1},
        actuators={"screw_lead": 0.1, "modulus": [210, 70, 210, 210, 210, 210], "area": 1},
    )  # fmt: skip
    for get in (
        lambda m: m.legs.table(),
        lambda m: m.X_home,
        lambda m: m.limits.joint_min,
        lambda m: m.limits.joint_speed,
        lambda m: m.limits.tilt,
        lambda m: m.limits.actuator_force,
        lambda m: m.platform.mass,
        lambda m: m.platform.inertia,
        lambda m: m.actuators.transmission,
        lambda m: m.actuators.axial_rigidity,
    ):
        np.testing.assert_allclose(get(inches), get(metric), rtol=1e-14, atol=ROUND_OFF)


def test_without_units_numbers_are_si():
    m = machine(units={}, home={"translation": [0, 0, 300], "angles": [0, 0, 0.1]})
    np.testing.assert_array_equal(m.legs.rest(), np.array(BASE, dtype=float))
    np.testing.assert_allclose(gough.euler_angles(m.X_home, "XYZ"), [0, 0, 0.1], atol=ROUND_OFF)


def test_pitch_circle_hinges_stand_where_the_page_puts_them():
    alpha = np.deg2rad(20)
    theta = np.deg2rad([260, 280, 20, 40, 140, 160])
    points = pitch_circle_points(0.15, alpha, 0.02)
    expected = np.stack([0.15 * np.cos(theta), 0.15 * np.sin(theta), np.full(6, 0.02)], axis=1)
    np.testing.assert_allclose(points, expected, atol=ROUND_OFF)


def test_a_pitch_circle_turns_about_z():
    m = machine(base={"pitch_circle": {"radius": 200, "pair_angle": 20, "rotation": 10}})
    first = np.deg2rad(260 + 10)
    np.testing.assert_allclose(m.legs.rest()[0], [0.2 * np.cos(first), 0.2 * np.sin(first), 0], atol=ROUND_OFF)


def test_legs_end_on_the_joints_they_share():
    m = machine(platform={"points": [[0, 100, 0], [-87, -50, 0], [87, -50, 0]], "of_leg": [1, 3, 3, 2, 2, 1]})
    np.testing.assert_array_equal(m.b_P[[1, 2]], np.array([[87, -50, 0]] * 2) * MILLIMETRE)


def test_home_defaults_to_where_struts_are_in_mid_stroke():
    m = machine(home=None, limits={"joint_min": 250, "joint_max": 350})
    q = gough.inverse_kinematics(m, m.home)
    assert np.sqrt(np.mean(q**2)) == pytest.approx(0.3, rel=1e-14)
    np.testing.assert_array_equal(m.X_home[:3, :3], np.eye(3))


def test_home_defaults_to_where_rods_fit():
    legs = {"kind": "PUS", "guide": [0, 0, 1], "rod_length": 350}
    m = machine(home=None, legs=legs, limits={"joint_min": 100, "joint_max": 900})
    q = gough.inverse_kinematics(m, m.home)
    assert abs(np.mean(q)) < MILLIMETRE  # the sliders are at zero in the mean; the rods differ a little


@pytest.mark.parametrize("kind", ["UPS", "PUS"])
@pytest.mark.parametrize("drawn", [(0, -10), (12.5, -10), (40, 0), (-30, 25)])
def test_home_does_not_depend_on_the_frames_in_which_plates_are_drawn(drawn, kind):
    """Struts in mid-stroke and rods of their length have the same joints wherever a drawing has its zero."""
    more = {"limits": {"joint_min": 250, "joint_max": 350}}
    if kind == "PUS":
        more = {
            "legs": {"kind": "PUS", "guide": [0, 0, 1], "rod_length": 350},
            "limits": {"joint_min": -50, "joint_max": 50},
        }
    base, platform = (
        (np.array(points) + [0, 0, z]).tolist() for points, z in zip((BASE, PLATFORM), drawn, strict=True)
    )
    flat, shifted = (
        machine(home=None, **more),
        machine(home=None, base={"points": base}, platform={"points": platform}, **more),
    )
    assert shifted.X_home[2, 3] == pytest.approx(flat.X_home[2, 3] + (drawn[0] - drawn[1]) * MILLIMETRE, abs=1e-9)
    q = gough.inverse_kinematics(flat, flat.home)
    np.testing.assert_allclose(gough.inverse_kinematics(shifted, shifted.home), q, rtol=0, atol=1e-9)
    assert gough.margins(shifted, shifted.home).is_allowed


def test_struts_to_an_uneven_platform_are_in_mid_stroke_in_the_mean_square():
    uneven = (np.array(PLATFORM) + np.outer([0, 30, -20, 10, 0, -25], [0, 0, 1])).tolist()
    m = machine(home=None, platform={"points": uneven}, limits={"joint_min": 150, "joint_max": 450})
    q = gough.inverse_kinematics(m, m.home)
    assert np.ptp(q) > 10 * MILLIMETRE
    assert np.sqrt(np.mean(q**2)) == pytest.approx(0.3, rel=1e-12)


def test_home_is_where_every_strut_is_within_its_stroke():
    """A stroke that only one leg has narrower: mid-stroke in the mean would leave it outside."""
    low, high = [150.0] * 6, [500.0] * 6
    low[2], high[2] = 240.0, 260.0
    m = machine(home=None, limits={"joint_min": low, "joint_max": high})
    q = gough.inverse_kinematics(m, m.home) / MILLIMETRE
    assert (q > low).all()
    assert (q < high).all()
    assert 240 < q[2] < 260


@pytest.mark.parametrize(
    ("drawn", "limits", "words"),
    [
        (-20, {}, r"home: is missing, and the height is ambiguous: the platform points are 20 mm below"),
        (20, {"joint_max": 400}, r"are 20 mm above .* write \[home\] with translation = \[0, 0, 0\] in the first case"),
        (
            0,
            {"joint_min": 20, "joint_max": 40},
            r"no height has all legs within their strokes: .* allowed 20 to 40; write",
        ),
        (0, {"joint_min": [400, 100, 400, 100, 400, 100], "joint_max": [410, 110, 410, 110, 410, 110]}, "no height"),
    ],
)
def test_a_home_that_is_left_open_is_refused_with_the_line_to_write(drawn, limits, words):
    platform = {"points": (np.array(PLATFORM) + [0, 0, drawn]).tolist()}
    with pytest.raises(gough.errors.MachineFileError, match=words):
        machine(home=None, platform=platform, limits=limits)
    machine(platform=platform, limits=limits)  # with a home it is a machine


def test_rods_and_branches_default_to_home_with_joints_at_zero():
    guides = [[0, 0, 1], [0, 0, 1], [0, 0, -1], [0, 0, -1], [0, 0, 1], [0, 0, 1]]
    m = machine(legs={"kind": "PUS", "guide": guides})
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), np.zeros(6), atol=ROUND_OFF)
    np.testing.assert_array_equal(m.legs.branch, [-1, -1, 1, 1, -1, -1])


@pytest.mark.parametrize("name", ["rubin-camera", "dehaeze"])
def test_travel_counts_from_home(name):
    m = gough.load(name)
    q = gough.inverse_kinematics(m, m.home)
    stroke = {"rubin-camera": 14.1e-3, "dehaeze": 50e-6}[name]
    np.testing.assert_allclose(m.limits.joint_max - q, stroke, atol=ROUND_OFF)
    np.testing.assert_allclose(q - m.limits.joint_min, stroke, atol=ROUND_OFF)


@pytest.mark.parametrize("name", ["pitch-circle", "hexaglide", "linapod", "rotopod", "servo"])
def test_cones_without_an_axis_follow_the_legs_at_home(name):
    """Also where the joints are not at zero there: every cone is straight at home."""
    m = gough.load(name)
    margins = gough.margins(m, m.home)
    cones = [k for k, what in enumerate(margins.names) if what.endswith("cone")]
    half = [getattr(m.limits, f"{what.split()[2]}_cone").half_angle[int(what.split()[1]) - 1]
            for what in margins.names if what.endswith("cone")]  # fmt: skip
    assert cones
    np.testing.assert_allclose(margins.values[cones], half, atol=1e-7)  # an angle near zero has half the digits


def test_inertia_about_the_frames_origin_is_moved_to_the_mass_centre():
    """A bar of 0.4 m and 3 kg whose frame stands on its end: m l^2 / 3 there, m l^2 / 12 in the middle."""
    inertia = {"xx": 3 * 0.4**2 / 3, "yy": 3 * 0.4**2 / 3, "zz": 0}
    body = {"mass": 3, "mass_centre": [0, 0, 200], "inertia": inertia, "inertia_about": "origin"}
    piston = machine(legs={"bodies": {"piston": body}}).leg_bodies["piston"][0]
    np.testing.assert_allclose(piston.inertia, np.diag([0.04, 0.04, 0]), atol=ROUND_OFF)


def test_a_point_mass_given_about_another_point_is_one():
    """Rounding must not make a negative moment of a vanishing one."""
    centre = [0, 0, 123.456]
    moment = 0.7 * 0.123456**2
    body = {
        "mass": 0.7,
        "mass_centre": centre,
        "inertia": {"xx": moment, "yy": moment, "zz": 0},
        "inertia_about": "origin",
    }
    piston = machine(legs={"bodies": {"piston": body}}).leg_bodies["piston"][0]
    np.testing.assert_allclose(piston.inertia, np.zeros((3, 3)), atol=ROUND_OFF)


@pytest.mark.parametrize("uneven", [{"yy": 0.03}, {"xy": 1e-3}, {"xz": 1e-3}, {"yz": 1e-3}, {"zz": 0.01}, {}])
def test_a_part_that_is_not_the_same_all_round_needs_the_joints_axes(uneven):
    body = {"mass": 3, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.02, **uneven}}
    if set(uneven) <= {"zz"}:
        assert machine(legs={"bodies": {"piston": body}}).leg_bodies["piston"][0].mass == 3
    else:
        with pytest.raises(gough.errors.MachineFileError, match="is not axisymmetric about its z axis"):
            machine(legs={"bodies": {"piston": body}})


def test_tool_and_point_of_interest():
    tool = {"translation": [0, 0, 40], "angles": [90, 0, 0]}
    m = machine(tool=tool)
    np.testing.assert_allclose(m.X_PT[:3, :3] @ [0, 1, 0], [0, 0, 1], atol=ROUND_OFF)
    np.testing.assert_array_equal(m.point_of_interest, [0, 0, 0.04])
    other = machine(tool=tool, point_of_interest=[1, 2, 3])
    np.testing.assert_array_equal(other.point_of_interest, np.array([1, 2, 3]) * MILLIMETRE)


def test_euler_angles_follow_their_sequence():
    home = {"translation": [0, 0, 300], "angles": [10, 20, 30], "sequence": "zyx"}
    expected = gough.pose_matrix([0, 0, 0.3], [10, 20, 30], "zyx", degrees=True)
    np.testing.assert_allclose(machine(home=home).X_home, expected, atol=ROUND_OFF)


def test_gravity_defaults_to_standard_and_down():
    np.testing.assert_array_equal(machine().gravity, [0, 0, -9.80665])
    np.testing.assert_array_equal(machine(gravity=[0, 0, 9.81]).gravity, [0, 0, 9.81])


def test_a_ucu_strut_moves_as_a_ups_strut():
    ucu, ups = (machine(legs={"kind": kind}) for kind in ("UCU", "UPS"))
    np.testing.assert_array_equal(ucu.legs.table(), ups.legs.table())


def test_plates_face_the_legs():
    m = gough.load("pitch-circle")
    np.testing.assert_array_equal(m.limits.base_plate.normal, [0, 0, 1])
    hanging = machine(home={"translation": [0, 0, -300]}, limits={"base_plate_angle": 20})
    np.testing.assert_array_equal(hanging.limits.base_plate.normal, [0, 0, -1])
