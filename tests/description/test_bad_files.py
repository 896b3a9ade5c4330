"""Every fault of a machine file is told in one sentence: key, value with its unit, what was expected."""

import re

import pytest

from gough.description.build import from_document
from gough.errors import MachineFileError

PUS = '\n[legs]\nkind = "PUS"\n'
RUS = '\n[legs]\nkind = "RUS"\naxis = [1, 0, 0]\narm = ' + f"{[[0, 9, 0]] * 6}\n"
WITHOUT_ENDS = (("joint_min = 250", ""), ("joint_max = 400", ""))


REGION = '\n[[regions]]\nname = "bed"\n'


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("box = [1, 2, 3]\nball = 4", "region 1: box and ball are given; a region has one shape of positions"),
        ("turn = 4\ntilt = 4", "region 1: tilt and turn are given; a region has one set of orientations"),
        (
            "about = [1, 2, 3]",
            "region 1: has no extent; specify one of box, ball, cylinder, ellipsoid, or of tilt, turn, euler",
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


def test_a_point_given_twice(problems_of):
    assert problems_of(("[200, -50, 0]", "[200, 50, 0]")) == [
        "base.points: points 1 and 2 are the same, (200, 50, 0) mm; "
        "list a shared joint once and assign its legs with `of_leg`"
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
        "platform: specify either `points` or a `pitch_circle`"
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
        "limits: specify either `joint_min` and `joint_max`, or `travel_min` and `travel_max` from home"
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


def test_a_leg_part_that_is_uneven_about_its_axis(problems_of):
    assert problems_of(add="\n[legs.bodies.piston]\nmass = 1\nmass_centre = [0.1, 0, 0]\n") == [
        "legs.bodies.piston: is not axisymmetric about its z axis, so its rotation about it is needed; "
        "specify the first axes of the universal joints, `legs.joint_axis`"
    ]


def test_parts_that_differ_from_leg_to_leg_are_refused_leg_by_leg(problems_of):
    centres = ", ".join(["[0, 0, 1]"] * 4 + ["[0.1, 0, 0]", "[0, 0, 1]"])
    inertia = "{ xx = [1, 1, 9, 1, 1, 1], yy = 1, zz = 1 }"
    assert problems_of(add=f"\n[legs.bodies.piston]\nmass = 1\nmass_centre = [{centres}]\ninertia = {inertia}\n") == [
        "legs.bodies.piston.inertia: leg 3: no rigid body has it: about the mass centre, the largest principal moment "
        "9 kg mm2 exceeds the sum of the others, 2 kg mm2",
        "legs.bodies.piston: leg 3: is not axisymmetric about its z axis, so its rotation about it is needed; "
        "specify the first axes of the universal joints, `legs.joint_axis`",
        "legs.bodies.piston: leg 5: is not axisymmetric about its z axis, so its rotation about it is needed; "
        "specify the first axes of the universal joints, `legs.joint_axis`",
    ]


def test_drives_that_contradict_themselves(problems_of):
    assert problems_of(add="\n[actuators]\nmodulus = 3\nstiffness = 2\ngear_ratio = 2\n") == [
        "actuators: `modulus` and `area` go together",
        "actuators: specify either `stiffness`, or `modulus` and `area`",
        "actuators.gear_ratio: only cranks have a gear; specify `screw_lead`",
    ]


def test_a_rotor_whose_turns_drive_nobody_knows_how_far(problems_of):
    assert problems_of(add="\n[actuators]\nrotor_inertia = 2\n") == [
        "actuators.rotor_inertia: requires `screw_lead`, the travel of the joint per turn of the rotor"
    ]
    assert problems_of(add="\n[actuators]\nscrew_lead = 1e-320\n") == [
        "actuators.screw_lead: 9.99989e-321 mm is not a valid lead"
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
