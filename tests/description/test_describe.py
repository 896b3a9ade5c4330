"""What `gough check` says of a machine."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.description.build import build
from gough.description.check import checked
from gough.description.describe import describe_file
from gough.description.describe_machine import describe, unchecked_pairs
from gough.description.parse import parse
from gough.limits.table import limit_table

MACHINES = [*(machine.name for machine in gough.machines(stages=1)), *SKEW]


def section(description, title):
    (found,) = [part for part in description.sections if part.title.startswith(title)]
    return found


def rows(description, title):
    return {row[0]: row[1:] for row in section(description, title).rows}


@pytest.mark.parametrize("name", MACHINES)
def test_every_built_in_machine_in_its_own_units(name):
    machine, description = gough.load(name), describe_file(name)
    legs = section(description, "Legs")
    assert f"[{machine.joint_unit}]" in legs.columns[1]
    q = gough.inverse_kinematics(machine, machine.home) / machine.joint_scale
    np.testing.assert_allclose([row[1] for row in legs.rows], q, rtol=1e-12, atol=1e-12)
    for part in description.sections:
        assert {len(row) for row in part.rows} == {len(part.columns)}


@pytest.mark.parametrize("name", MACHINES)
def test_it_can_be_written_as_json(name):
    written = json.loads(json.dumps(describe_file(name).as_dict(), allow_nan=False))
    assert written["name"] == Path(name).stem
    assert [part["title"] for part in written["sections"]][:2] == ["Machine", "Legs: the joint coordinate"]


@pytest.mark.parametrize("name", MACHINES)
def test_pairs_without_clearance_are_those_that_margins_leave_out(name):
    machine = gough.load(name)
    assert unchecked_pairs(machine) == list(limit_table(machine).unchecked_pairs)


def test_limits_are_told_as_the_file_gives_them():
    limits = rows(describe_file("pitch-circle"), "Limits")
    assert limits["limits.joint_max"][:2] == (226, "mm")
    assert limits["limits.joint_speed"][:2] == (10, "mm/s")
    assert limits["limits.base_cone.half_angle"][:2] == (15, "deg")
    assert limits["limits.box.z_max"][:2] == (240, "mm")
    assert limits["limits.singular_value"][:2] == (0.1, "")


def test_numbers_that_differ_from_leg_to_leg_are_told_one_by_one():
    assert rows(describe_file("linapod"), "Limits")["limits.joint_min"][:2] == ((0.9, 0.9, 0.9, 1.6, 1.6, 1.6), "m")


def test_bodies_and_frames():
    description = describe_file("pitch-circle")
    assert rows(description, "Bodies")["piston, each leg"][:4] == (0.22, 0, 0, pytest.approx(-48))
    assert rows(description, "Frames")["tool in the platform"][:3] == (0, 0, 220)


def test_cranks_count_in_angles_and_torques():
    servo = describe_file("servo")
    assert rows(servo, "Machine")["joint coordinate"] == ("angle in deg",)
    assert rows(servo, "Limits")["limits.actuator_force"][:2] == (0.2, "N m")
    assert section(servo, "Legs").columns[-1] == "rod length [mm]"


def notes_of(text):
    file = checked(parse(text, "m.toml"), "m.toml")
    machine, problems = build(file)
    assert not problems
    return describe(machine, file).notes


def test_a_file_without_surprises_has_no_notes(good_text):
    assert notes_of(good_text) == ()


def test_home_outside_the_travel(good_text):
    # Leg 3 at home: (38 + 57, -114 + 198, 300) mm.
    length = np.sqrt(95**2 + 84**2 + 300**2)
    assert notes_of(good_text.replace("joint_max = 400", "joint_max = [400, 400, 320, 400, 400, 400]")) == (
        f"home is outside leg 3's travel: {length:.6g} mm, allowed 250 to 320 mm",
    )


def test_a_home_that_the_file_does_not_give(good_text):
    (note,) = notes_of(good_text.replace("[home]\ntranslation = [0, 0, 300]", ""))
    assert note.startswith("the file gives no home; taken to be at (0, 0, ")


def test_a_missing_end_of_the_travel(good_text):
    assert notes_of(good_text.replace("joint_min = 250", "")) == (
        "the file gives no lowest joint coordinate, so the joint travel is not limited on that side",
    )


def test_legs_too_thick_to_be_kept_apart(good_text):
    # Neighbouring base joints are 99 mm apart or more, those of three pairs on the platform 48 mm.
    assert notes_of(good_text + "leg_radius = 25\n") == (
        "the clearance of the legs 1-6, 2-3, 4-5 cannot be checked: their joints are closer than their radii allow",
    )


def test_parts_without_a_mass(good_text):
    parts = "\n[legs.bodies.piston]\nmass = 1\n"
    assert notes_of(good_text + parts) == ("no mass is given for cylinder",)
    assert notes_of(good_text.replace("mass = 3", "") + parts) == (
        "the legs have masses, the platform has none",
        "no mass is given for cylinder",
    )


def test_stages_are_told_one_after_the_other():
    told = describe_file("double-hexapod")
    for k, stage in enumerate(gough.load("double-hexapod").stages, 1):
        titles = [section.title for section in told.sections if section.title.startswith(f"Stage {k}: ")]
        assert len(titles) >= 4
        assert stage.leg_kind in str(next(s for s in told.sections if s.title == f"Stage {k}: machine").rows)
