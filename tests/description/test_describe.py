"""What `gough check` says of a machine."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.description.test_units import DEFINED
from tests.recorded import Recorder, has
from tests.rendered import unit_of, written
from tests.rescaled import pair, scale, si
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description.build import build
from gough.description.check import checked
from gough.description.describe_machine import describe, unchecked_pairs
from gough.description.parse import parse
from gough.limits.table import limit_table
from gough.loading.describe import describe_file

OTHERWISE = ("modulus", "area", "screw_lead", "gear_ratio")
"""Keys of drives that a machine keeps as stiffness and inertia along its legs."""
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
    columns = dict(zip(legs.columns, np.array(legs.rows, float).T, strict=True))
    q, low, high = gough.inverse_kinematics(machine, machine.home), machine.limits.joint_min, machine.limits.joint_max
    told = {"at home": q, "lowest": low, "highest": high, "down from home": low - q, "up from home": high - q}
    for title, expected in told.items():
        finite = np.where(np.isfinite(expected), expected, np.nan) / machine.displayed_joint_size
        np.testing.assert_allclose(columns[f"{title} [{machine.displayed_joint_unit}]"], finite, rtol=1e-12, atol=1e-12)
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


def size(name):
    """Of a file's unit in SI, by definition; None if it is none."""
    known = {unit: value for table in DEFINED.values() for unit, value in table.items()} | {"N s": 1.0, "N m s": 1.0}
    over, _, below = name.partition("/")
    if name in known or not below:
        return known.get(name, 1.0 if name in ("", "s") else None)
    return known[over] / size(below.rstrip("2")) ** (1 + below.endswith("2"))


def numbers_of(part):
    """Row, column, whether it is text, numbers and unit of all cells of a section that hold numbers."""
    for row in part.rows:
        for title, cell in zip(part.columns, row, strict=True):
            bracket, is_text = title.rpartition(" [")[2].removesuffix("]"), isinstance(cell, str)
            unit = bracket if " [" in title else row[part.columns.index("unit")] if "unit" in part.columns else ""
            if title in ("unit", "meaning", "key", "sequence") or cell is None:
                continue
            found = [(one.value, one.unit or unit) for one in written(cell)] if is_text else None
            for value, name in found or [(value, unit) for value in np.atleast_1d(cell) if not is_text]:
                yield row[0], title, is_text, value, name


@pytest.fixture(scope="module")
def known():
    """Numbers in SI that a machine has, and where its legs are at home."""

    def find(machine):
        recorder = Recorder()
        for stage in getattr(machine, "stages", (machine,)):
            q = gough.inverse_kinematics(stage, stage.home)
            ends = stage.limits.joint_min, stage.limits.joint_max
            bodies = {**stage.platform_parts, **stage.leg_parts}
            recorder.keep([stage, q, *(end - q for end in ends), stage.legs.driven_points(q), bodies])
        recorder.keep([machine, gough.euler_angles(machine.X_home, "XYZ")])
        return recorder.all()

    return find


@pytest.mark.parametrize("name", [*SKEW, SKEW_STACK])
def test_every_number_is_in_the_unit_beside_it(name, known):
    """In SI it is one of the machine's, but for angles of poses and what the machine keeps otherwise."""
    exact, seen = known(gough.load(name)), 0
    for part in describe_file(name).sections:
        for row, title, is_text, value, unit in numbers_of(part):
            is_kept = not (is_text or title == "leg" or title.startswith("angle ") or str(row).endswith(OTHERWISE))
            if is_kept:
                assert has(exact, value * size(unit)), (part.title, row, title, value, unit)
                seen += 1
    assert seen > 100


@pytest.mark.parametrize("name", SKEW)
def test_every_number_has_the_dimension_of_its_unit(name, tmp_path):
    """In words too: a machine whose lengths, masses and times are scaled, in other units, tells the same quantities."""
    one, two = (describe_file(path) for path in pair(name, tmp_path))
    for part, other in zip(one.sections, two.sections, strict=True):
        for here, there in zip(numbers_of(part), numbers_of(other), strict=True):
            *place, is_text, value, unit = here
            *_, scaled, named = there
            expected = value * size(unit) * scale(unit_of(si(unit)).dimension)
            assert scaled * size(named) == pytest.approx(expected, rel=1e-5 if is_text else 1e-9, abs=1e-9), place
