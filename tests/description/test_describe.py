"""What `gough check` says of a machine."""

import numpy as np
import pytest
from tests.description.test_units import DEFINED
from tests.recorded import Recorder, has
from tests.rendered import unit_of, written
from tests.rescaled import pair, scale, si
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description.describe_machine import unchecked_pairs
from gough.limits.table import limit_table
from gough.loading import describe_file

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
def test_pairs_without_clearance_are_those_that_margins_leave_out(name):
    machine = gough.load(name)
    assert unchecked_pairs(machine) == list(limit_table(machine).unchecked_pairs)


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
