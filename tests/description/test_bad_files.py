"""Every fault of a machine file is told in one sentence: key, value with its unit, what was expected."""

import re

import pytest

from gough.description.build import from_document
from gough.errors import MachineFileError

LIMIT_KEYS = (
    "joint_min, joint_max, travel_min, travel_max, joint_speed, joint_acceleration, actuator_force, base_cone, "
    "platform_cone, leg_radius, base_plate_angle, platform_plate_angle, box, radius, tilt, rotation, singular_value"
)
PUS = '\n[legs]\nkind = "PUS"\n'
RUS = '\n[legs]\nkind = "RUS"\naxis = [1, 0, 0]\narm = ' + f"{[[0, 9, 0]] * 6}\n"
WITHOUT_ENDS = (("joint_min = 250", ""), ("joint_max = 400", ""))


def test_a_missing_leg(problems_of):
    assert problems_of((", [-57, 198, 0]]", "]")) == [
        "base.points: 5 points, expected 6 (leg 6 has none); legs that share a joint are named with `of_leg`"
    ]


REGION = '\n[[regions]]\nname = "bed"\n'


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("box = [1, 2, 3]\nball = 4", "region 1: box and ball are given; a region has one shape of positions"),
        ("turn = 4\ntilt = 4", "region 1: tilt and turn are given; a region has one set of orientations"),
        (
            "about = [1, 2, 3]",
            "region 1: has no extent; give one of box, ball, cylinder, ellipsoid, or of tilt, turn, euler",
        ),
        ("ball = 4\nroll = 3", "region 1: has a roll without a tilt; roll is the torsion of a cone of orientations"),
        ("euler = [1, 2, 3]", "region 1: has one of euler and sequence; a box of angles needs both"),
        ("turn = 181", "region 1: turn 181 deg is above half a turn, 180 deg"),
        (
            "cylinder = { radius = 1, half_height = 2, axis = [0, 0, 0] }",
            "region 1: the cylinder's axis has length zero, expected its components",
        ),
    ],
)
def test_a_region_that_is_none(problems_of, keys, what):
    assert problems_of(("[limits]", f"{REGION}{keys}\n[limits]")) == [f"regions, {what}"]


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("box = [1, -2, 3]", "box, region 1, y: -2 mm is below 0 mm, the smallest value allowed"),
        (
            'euler = [1, 2, -3]\nsequence = "XYZ"',
            "euler, region 1, angle 3: -3 deg is below 0 deg, the smallest value allowed",
        ),
        ("ball = 1\nabout = [1, 2]", "about, region 1: 2 values, expected 3 (x, y and z)"),
    ],
)
def test_a_number_of_a_region(problems_of, keys, what):
    assert problems_of(("[limits]", f"{REGION}{keys}\n[limits]")) == [f"regions.{what}"]


def test_no_legs_at_all(problems_of):
    changes = [("[80, 90, 0], [80, -90, 0], [38, -114, 0], [-118, -24, 0], [-118, 24, 0], [38, 114, 0]", "")]
    assert problems_of(*changes) == [
        "platform.points: 0 points, expected 6 (leg 1 has none); legs that share a joint are named with `of_leg`"
    ]


def test_a_seventh_leg(problems_of):
    assert problems_of((", [38, 114, 0]]", ", [38, 114, 0], [9, 9, 9]]")) == [
        "platform.points: 7 points, expected 6 (there is no leg 7); legs that share a joint are named with `of_leg`"
    ]


def test_a_point_given_twice(problems_of):
    assert problems_of(("[200, -50, 0]", "[200, 50, 0]")) == [
        "base.points: points 1 and 2 are the same, (200, 50, 0) mm; "
        "give a shared joint once and say with `of_leg` which legs end on it"
    ]


def test_a_point_that_no_leg_uses_and_one_that_is_not_there(problems_of):
    assert problems_of(("[-57, 198, 0]]", "[-57, 198, 0]]\nof_leg = [1, 2, 3, 4, 5, 7]")) == [
        "base.of_leg: leg 6 ends on point 7, but there are only 6",
        "base.of_leg: no leg ends on point 6",
    ]


def test_two_legs_with_the_same_joints(problems_of):
    shared = ("points = [[200, 50, 0], [200, -50, 0], ", "of_leg = [1, 1, 2, 3, 4, 5]\npoints = [[200, 50, 0], ")
    same = ("points = [[80, 90, 0], [80, -90, 0], ", "of_leg = [1, 1, 2, 3, 4, 5]\npoints = [[80, 90, 0], ")
    assert problems_of(shared, same) == ["legs: legs 1 and 2 are the same: both their joints coincide"]


def test_neither_points_nor_a_pitch_circle(problems_of):
    assert problems_of(("[platform]\npoints", "[platform]\npoint")) == [
        "platform.point: unknown key. Did you mean 'points' or 'inertia'? "
        "Known here: points, of_leg, pitch_circle, mass, mass_centre, inertia, inertia_about"
    ]
    assert problems_of(("mass = 3", "pitch_circle = { radius = 9, pair_angle = 9 }")) == [
        "platform: give either `points` or a `pitch_circle`, one of the two"
    ]


def test_a_plate_of_a_size_that_no_machine_has(problems_of):
    assert problems_of(("[200, 50, 0]", "[2e13, 50, 0]")) == [
        "base: with 'mm' a joint lies 2e+10 m from the origin, expected at most 1e+09 m"
    ]
    tiny = {
        "name": "tiny",
        "units": {"length": "mm"},
        "base": {"pitch_circle": {"radius": 1e-8, "pair_angle": 0}},
        "platform": {"pitch_circle": {"radius": 1e-9, "pair_angle": 2}},
    }
    with pytest.raises(MachineFileError) as caught:
        from_document(tiny, "m.toml")
    assert caught.value.problems == [
        "units.length: with 'mm' the larger plate spans 1.73e-11 m, expected at least 1e-09 m"
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("millimeter", "'mm'"), ("mmm", "'mm' or 'm'"), ("inches", "'in'"), ("Micron", "'um'")],
)
def test_a_misspelt_unit(problems_of, written, meant):
    assert problems_of(('length = "mm"', f'length = "{written}"')) == [
        f"units.length: '{written}' is not known, expected 'm', 'cm', 'mm', 'um', 'nm', 'in' or 'ft'. "
        f"Did you mean {meant}?"
    ]


def test_a_misspelt_key(problems_of):
    assert problems_of(("joint_max", "joint_maxx")) == [
        "limits.joint_maxx: unknown key. Did you mean 'joint_max' or 'joint_min' or 'joint_speed'? "
        f"Known here: {LIMIT_KEYS}"
    ]


def test_a_misspelt_key_in_a_part_of_the_legs(problems_of):
    assert problems_of(add="\n[legs.bodies.piston]\nmass = 1\nmass_center = [0, 0, 1]\n") == [
        "legs.bodies.piston.mass_center: unknown key. Did you mean 'mass_centre' or 'mass'? "
        "Known here: mass, mass_centre, inertia, inertia_about"
    ]


def test_a_misspelt_leg_kind(problems_of):
    assert problems_of(add='\n[legs]\nkind = "RSU"\n') == [
        "legs.kind: 'RSU' is not known, expected 'UPS', 'UCU', 'SPS', 'UPU', 'PUS', 'PSS', 'RUS' or 'RSS'. Did you "
        "mean 'RUS' or 'RSS'?"
    ]


@pytest.mark.parametrize(
    ("word", "kind"), [("Stewart", "UPS"), ("hexaglide", "PUS"), ("servo", "RUS"), ("crank", "RUS")]
)
def test_words_of_others_for_a_leg_kind(problems_of, word, kind):
    (problem,) = problems_of(add=f'\n[legs]\nkind = "{word}"\n')
    assert problem.endswith(f"Did you mean '{kind}'?")


def test_roll_pitch_and_yaw_lead_to_angles(problems_of):
    (problem,) = problems_of(add="\n[tool]\nroll = 4\n")
    assert "`angles`, with their `sequence`: roll, pitch, yaw, R = Rz(yaw) Ry(pitch) Rx(roll), are 'xyz'" in problem
    (problem,) = problems_of(add='\n[tool]\nangles = [1, 2, 3]\nsequence = "ypr"\n')
    assert problem.endswith("Yaw, pitch, roll, R = Rz(yaw) Ry(pitch) Rx(roll), are 'ZYX'.")


def test_a_minimum_above_the_maximum(problems_of):
    assert problems_of(("joint_min = 250", "joint_min = 450")) == [
        "limits.joint_min: the minimum 450 mm is not below the maximum 400 mm"
    ]
    assert problems_of(("joint_min = 250", "joint_min = [250, 250, 450, 250, 250, 500]")) == [
        "limits.joint_min: leg 3: the minimum 450 mm is not below the maximum 400 mm",
        "limits.joint_min: leg 6: the minimum 500 mm is not below the maximum 400 mm",
    ]
    assert problems_of(add="box = { z_min = 3, z_max = 2 }\n") == [
        "limits.box.z_min: the minimum 3 mm is not below the maximum 2 mm"
    ]


def test_ends_that_a_joint_of_this_kind_cannot_reach(problems_of):
    assert problems_of(("joint_min = 250", "joint_min = -250")) == [
        "limits.joint_min: -250 mm is below 0 mm, where the range of UPS legs begins"
    ]
    assert problems_of(("joint_min = 250", ""), ("joint_max = 400", "joint_max = -1")) == [
        "limits.joint_max: -1 mm is below 0 mm, where the range of UPS legs begins"
    ]
    assert problems_of(*WITHOUT_ENDS, add=f"joint_max = 200\n{RUS}") == [
        "limits.joint_max: 200 deg is above 180 deg, where the range of RUS legs ends"
    ]


def test_travel_from_home_that_makes_a_leg_vanish(problems_of):
    found = problems_of(("joint_min = 250", "travel_min = -400"), ("joint_max = 400", "travel_max = 10"))
    assert len(found) == 6
    assert found[0] == "limits.travel_min: leg 1: -74.4236 mm is below 0 mm, where the range of UPS legs begins"


def test_travel_from_home_mixed_with_plain_ends(problems_of):
    assert problems_of(("joint_max = 400", "travel_max = 30")) == [
        "limits: give `joint_min` and `joint_max`, or `travel_min` and `travel_max` from home, not both"
    ]


@pytest.mark.parametrize("word", ["nan", "inf"])
def test_numbers_that_are_not_finite(problems_of, word):
    assert problems_of(("[200, 50, 0]", f"[200, {word}, 0]")) == [
        f"base.points, point 1, y: {word} mm is not a finite number"
    ]
    assert problems_of(("joint_max = 400", f"joint_max = [400, 400, {word}, 400, 400, 400]")) == [
        f"limits.joint_max, leg 3: {word} mm is not a finite number"
    ]


def test_a_number_too_large_to_compute_with(problems_of):
    assert problems_of(("[0, 0, 300]", "[0, 0, 1e300]")) == [
        "home.translation, z: 1e+300 mm is above 1e+18 mm, the largest value allowed"
    ]


def test_a_negative_mass(problems_of):
    assert problems_of(("mass = 3", "mass = -3")) == ["platform.mass: -3 kg is below 0 kg, the smallest value allowed"]


def test_a_radius_of_zero(problems_of):
    assert problems_of(add="leg_radius = 0\n") == ["limits.leg_radius: 0 mm is not above 0 mm"]


def test_a_guide_of_length_zero(problems_of):
    assert problems_of(add=f"{PUS}guide = [0, 0, 0]\n") == [
        "legs.guide: a direction of length zero, expected its components"
    ]
    guides = "[[0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]"
    assert problems_of(add=f"{PUS}guide = {guides}\n") == [
        "legs.guide: leg 3: a direction of length zero, expected its components"
    ]


def test_a_crank_arm_along_its_axis(problems_of):
    found = problems_of(*WITHOUT_ENDS, add=RUS.replace("axis = [1, 0, 0]", "axis = [0, 1, 0]"))
    assert found == [f"legs.arm: the arm of leg {i} lies along its axis: the crank moves nothing" for i in range(1, 7)]


def test_a_rod_too_short_for_home(problems_of):
    found = problems_of(add=f"{PUS}guide = [0, 0, 1]\nrod_length = [200, 200, 200, 200, 20, 200]\n")
    assert len(found) == 1
    assert re.fullmatch(
        r"legs: leg 5 cannot close at the home pose: its platform joint is [0-9.]+ m out of reach of its rod of 0.02 m",
        found[0],
    )


def test_what_a_leg_kind_needs_and_what_it_has_not(problems_of):
    assert problems_of(add=PUS) == ["legs.guide: is missing; PUS legs need it"]
    assert problems_of(add="\n[legs]\nrod_length = 9\n") == ["legs.rod_length: UPS legs have no rod_length"]
    assert problems_of(add="\n[legs.bodies.crank]\nmass = 1\n") == [
        "legs.bodies.crank: UPS legs have no such part, only cylinder, piston."
    ]


def test_points_of_the_wrong_length(problems_of):
    assert problems_of(("[200, 50, 0]", "[200, 50]")) == ["base.points, point 1: 2 values, expected 3 (x, y and z)"]
    assert problems_of(("[0, 0, 300]", "[0, 0, 300, 0]")) == ["home.translation: 4 values, expected 3 (x, y and z)"]


def test_lists_that_are_not_one_value_for_each_leg(problems_of):
    assert problems_of(add="joint_speed = [1, 2, 3, 4, 5]\n") == [
        "limits.joint_speed: 5 values, expected 6 (one for each leg)"
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("joint_max = 400", 'joint_max = "400"'), "limits.joint_max: '400', expected a number"),
        (("joint_max = 400", "joint_max = true"), "limits.joint_max: true, expected a number"),
        (("mass = 3", "mass = 2026-01-01"), "platform.mass: the date 2026-01-01, expected a number"),
        (("[200, 50, 0]", '[200, "5O", 0]'), "base.points, point 1, y: '5O', expected a number"),
        (("[0, 0, 300]", "300"), "home.translation: 300, expected [x, y, z]"),
        (("[0, 0, 300]", "{ x = 1 }"), "home.translation: a table, expected [x, y, z]"),
        (("[home]", "[[home]]"), "home: a list, expected a table of keys"),
        (('name = "good"', "name = 3"), "name: 3, expected text"),
        (
            ('name = "good"', 'name = "Good one"'),
            "name: 'Good one' does not fit, expected lower case letters, digits, - _ .",
        ),
        (
            ("joint_max = 400", f"joint_max = 1{'0' * 400}"),
            "limits.joint_max: a whole number of more than 18 digits, expected a number",
        ),
        (
            ('name = "good"', f"name = 9{'0' * 18}"),
            "name: a whole number of more than 18 digits, expected text",
        ),
        (('name = "good"', f"name = {'9' * 18}"), f"name: {'9' * 18}, expected text"),
    ],
)
def test_text_where_a_number_belongs_and_the_like(problems_of, change, sentence):
    assert problems_of(change) == [sentence]


def test_components_of_one_direction_for_all_legs(problems_of):
    assert problems_of(add=f'{PUS}guide = [0, 0, "up"]\n') == ["legs.guide, z: 'up', expected a number"]
    guides = '[[0, 0, 1], [0, 0, "up"], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]]'
    assert problems_of(add=f"{PUS}guide = {guides}\n") == ["legs.guide, leg 2, z: 'up', expected a number"]


def test_an_inertia_that_no_rigid_body_has(problems_of):
    begin = "platform.inertia: no rigid body has it: about the mass centre, "
    assert problems_of(("mass = 3", "mass = 3\ninertia = { xx = 1, yy = 1, zz = 3 }")) == [
        f"{begin}the largest principal moment 3 kg mm2 exceeds the sum of the others, 2 kg mm2"
    ]
    assert problems_of(("mass = 3", "mass = 3\ninertia = { xx = 1, yy = 1, zz = 1, xy = 2 }")) == [
        f"{begin}a principal moment is -1 kg mm2, below 0"
    ]
    moved = 'mass = 3\nmass_centre = [0, 0, 10]\ninertia_about = "origin"\ninertia = { xx = 200, yy = 400, zz = 300 }'
    assert problems_of(("mass = 3", moved)) == [f"{begin}a principal moment is -100 kg mm2, below 0"]


def test_an_inertia_without_a_mass(problems_of):
    assert problems_of(("mass = 3", "inertia = { xx = 1, yy = 1, zz = 1 }")) == [
        "platform.inertia: needs `mass` beside it"
    ]


def test_a_leg_part_that_is_uneven_about_its_axis(problems_of):
    assert problems_of(add="\n[legs.bodies.piston]\nmass = 1\nmass_centre = [0.1, 0, 0]\n") == [
        "legs.bodies.piston: is not axisymmetric about its z axis, so its rotation about it must be known; "
        "give the first axes of the universal joints, `legs.joint_axis`"
    ]


def test_parts_that_differ_from_leg_to_leg_are_refused_leg_by_leg(problems_of):
    centres = ", ".join(["[0, 0, 1]"] * 4 + ["[0.1, 0, 0]", "[0, 0, 1]"])
    inertia = "{ xx = [1, 1, 9, 1, 1, 1], yy = 1, zz = 1 }"
    assert problems_of(add=f"\n[legs.bodies.piston]\nmass = 1\nmass_centre = [{centres}]\ninertia = {inertia}\n") == [
        "legs.bodies.piston.inertia: leg 3: no rigid body has it: about the mass centre, the largest principal moment "
        "9 kg mm2 exceeds the sum of the others, 2 kg mm2",
        "legs.bodies.piston: leg 3: is not axisymmetric about its z axis, so its rotation about it must be known; "
        "give the first axes of the universal joints, `legs.joint_axis`",
        "legs.bodies.piston: leg 5: is not axisymmetric about its z axis, so its rotation about it must be known; "
        "give the first axes of the universal joints, `legs.joint_axis`",
    ]


def test_wrong_values_of_a_leg_part_name_leg_and_component(problems_of):
    centres = ", ".join(["[0, 0, 1]"] * 4 + ['[0, "up", 0]', "[0, 0, 1]"])
    assert problems_of(add=f"\n[legs.bodies.piston]\nmass = [1, 1]\nmass_centre = [{centres}]\n") == [
        "legs.bodies.piston.mass: 2 values, expected 6 (one for each leg)",
        "legs.bodies.piston.mass_centre, leg 5, y: 'up', expected a number",
    ]
    assert problems_of(add='\n[legs.bodies.piston]\nmass = 1\nmass_centre = [0, "up", 0]\n') == [
        "legs.bodies.piston.mass_centre, y: 'up', expected a number"
    ]
    assert problems_of(add="\n[legs.bodies.piston]\nmass = [1, 1, -1, 1, 1, 1]\n") == [
        "legs.bodies.piston.mass, leg 3: -1 kg is below 0 kg, the smallest value allowed"
    ]
    assert problems_of(("mass = 3", 'mass = 3\nmass_centre = [0, "up", 0]'))[0] == (
        "platform.mass_centre, y: 'up', expected a number"
    )


def test_cones_and_plate_angles_beyond_sense(problems_of):
    cones = "base_cone = { half_angle = 200 }\nplatform_cone = { half_angle = 20, axis = [0, 0, 0] }\n"
    assert problems_of(add=f"{cones}base_plate_angle = 95\n") == [
        "limits.base_cone.half_angle: 200 deg is no cone, expected less than 180 deg",
        "limits.platform_cone.axis: a direction of length zero, expected its components",
        "limits.base_plate_angle: 95 deg leaves a leg no direction, expected less than 90 deg",
    ]


def test_drives_that_contradict_themselves(problems_of):
    assert problems_of(add="\n[actuators]\nmodulus = 3\nstiffness = 2\ngear_ratio = 2\n") == [
        "actuators: `modulus` and `area` go together",
        "actuators: give either `stiffness` or `modulus` and `area`, one of the two",
        "actuators.gear_ratio: only cranks have a gear; give `screw_lead`",
    ]


def test_a_rotor_whose_turns_drive_nobody_knows_how_far(problems_of):
    assert problems_of(add="\n[actuators]\nrotor_inertia = 2\n") == [
        "actuators.rotor_inertia: needs `screw_lead` beside it: how far the rotor's turns drive the joint"
    ]
    assert problems_of(add="\n[actuators]\nscrew_lead = 1e-320\n") == [
        "actuators.screw_lead: 9.99989e-321 mm is no length to drive by"
    ]
    assert problems_of(add="\n[actuators]\nrotor_inertia = 2\nscrew_lead = 1\ncoulomb_friction = -2\n") == [
        "actuators.coulomb_friction: -2 N is below 0 N, the smallest value allowed"
    ]


def test_a_universal_joint_whose_first_axis_lies_along_the_leg(problems_of):
    """Leg 1 goes from (200, 50, 0) to (80, 90, 300) mm."""
    axes = "[[-120, 40, 300], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]"
    assert problems_of(add=f"\n[legs]\njoint_axis = {axes}\n") == [
        "legs.joint_axis: leg 1: the leg points along it at home, 0.00 deg off; the first axis of a universal joint "
        "is perpendicular to the leg, and fixed to the base, the slider or the crank"
    ]


def test_an_unknown_euler_sequence(problems_of):
    (sentence,) = problems_of(("[0, 0, 300]", '[0, 0, 300]\nsequence = "XXY"'))
    assert sentence.startswith("home.sequence: 'XXY' is not known, expected 'XYZ', 'XZY', ")


def test_all_faults_of_single_values_are_told_at_once(problems_of):
    spoilt = [('length = "mm"', 'length = "mmm"'), ("mass = 3", "mass = -3"), ("joint_max = 400", "joint_max = nan")]
    assert [problem.split(":")[0] for problem in problems_of(*spoilt)] == [
        "units.length",
        "platform.mass",
        "limits.joint_max",
    ]


def test_all_faults_that_need_several_values_are_told_at_once(problems_of):
    spoilt = [
        (", [-57, 198, 0]]", "]"),
        ("[80, -90, 0]", "[80, 90, 0]"),
        ("mass = 3", "mass = 3\ninertia = { xx = 1, yy = 1, zz = 3 }"),
        ("joint_min = 250", "joint_min = 500"),
    ]
    add = "base_cone = { half_angle = 200 }\n\n[legs]\nrod_length = 3\n\n[actuators]\narea = 2\n"
    assert [problem.split(":")[0] for problem in problems_of(*spoilt, add=add)] == [
        "legs.rod_length",
        "limits.joint_min",
        "limits.base_cone.half_angle",
        "platform.inertia",
        "actuators",
        "base.points",
        "platform.points",
    ]
