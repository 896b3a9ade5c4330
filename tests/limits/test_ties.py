"""Ties: sets of limits that bind together, and how they read."""

import numpy as np
import pytest
from tests.relabelled import relabelled
from tests.skew import SKEW

import gough
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import tied, tied_legs


def test_values_tie_within_a_machine_files_digits_and_no_further():
    np.testing.assert_array_equal(tied([0.3, 0.3 + 1e-6, 0.3 + 1e-4, np.nan]), [True, True, False, False])
    np.testing.assert_array_equal(tied([[np.inf, np.inf], [np.nan, np.nan]]), False)
    np.testing.assert_array_equal(tied([0.0, 0.9e-5, 1.1e-5]), [True, True, False])
    np.testing.assert_array_equal(tied([20.0, 20.0 + 1.8e-4, 20.0 + 2.2e-4]), [True, True, False])
    assert tied_legs([5.0, 5.0 * (1 + 0.9e-5), 7.0, np.inf, np.nan, 5.0 * (1 + 1.1e-5)]) == (1, 2)
    assert tied_legs([np.inf] * 6) == ()


@pytest.mark.parametrize("name", ["hexaglide", "rotopod", *SKEW])
def test_the_order_of_the_legs_does_not_change_what_binds(name):
    """The first of equal legs depends on the order of legs, and on rounding; the set depends on neither."""
    m = gough.load(name)
    order = np.array([3, 5, 0, 4, 2, 1])
    there = relabelled(m, order, joint_axis=None)
    old = {str(k + 1): str(order[k] + 1) for k in range(6)}

    def named(names):
        found = set()
        for text in names:
            head, _, rest = text.partition(" ")
            if head == "leg":
                text = f"leg {old[rest[0]]}{rest[1:]}"
            elif head == "legs":
                text = f"legs {'-'.join(sorted(old[i] for i in rest[:3].split('-')))}{rest[3:]}"
            found.add(text)
        return found

    assert named(gough.margins(there, m.home).binding_set) == set(gough.margins(m, m.home).binding_set)
    for row, same in zip(gough.travel_table(there), gough.travel_table(m), strict=True):
        assert named(row.minus_set) == set(same.minus_set)
        assert named(row.plus_set) == set(same.plus_set)


MIRROR = str.maketrans("123456", "654321")
"""Legs of `servo`, whose joints are given to 10 nm, in the mirror x = 0."""


def mirrored(names):
    return {str(name).translate(MIRROR) for name in names}


@pytest.mark.thorough
def test_places_that_are_alike_name_limits_and_legs_alike():
    """Whatever names them: a machine that is symmetric but for the digits of its file is so in all of its datasheet."""
    sheet = Datasheet(gough.load("servo"))
    found = {
        name: make(sheet).numbers
        for name, make in SECTIONS
        if name in ("travel", "range of motion", "speeds", "load capacity")
    }
    rows = found["travel"]
    for axis, row in rows.items():
        changes_sign = axis in ("x", "ry", "rz")
        for side, other in (("minus", "plus"), ("plus", "minus")):
            assert set(rows[axis][f"{side}_binding_set"]) == mirrored(
                row[f"{other if changes_sign else side}_binding_set"]
            )
    for kind, axis in {"translation": "z", "rotation": "rz"}.items():
        sets = found["range of motion"][kind]["binding_set"]
        assert set(sets[0]) == set(rows[axis]["minus_binding_set"])
        assert set(sets[7]) == set(rows[axis]["plus_binding_set"])
    points, sets = (
        np.array(found["range of motion"]["translation"]["points"]),
        found["range of motion"]["translation"]["binding_set"],
    )
    for point, names in zip(points, sets, strict=True):
        image = np.linalg.norm(points - point * [-1, 1, 1], axis=1).argmin()
        assert mirrored(names) == set(sets[image])
    for row in found["speeds"].values():
        if "legs" in row:
            assert mirrored(row["legs"]) == {str(leg) for leg in row["legs"]}
    assert set(gough.margins(sheet.machine, sheet.machine.home).binding_set) == {f"leg {i} reach" for i in range(1, 7)}


def test_a_symmetric_machine_binds_with_all_its_legs():
    m = gough.load("dumitriu2017")
    up, down = (gough.travel(m, [0, 0, sign, 0, 0, 0]) for sign in (1, -1))
    assert (up.binding_words, down.binding_words) == ("all six legs longest", "all six legs shortest")
    assert "all six legs need 0.78 m, allowed 0.42 to 0.78 m" in up.sentence()
    assert up.binding in up.binding_set


def test_where_a_rod_is_stretched_it_is_at_its_reach():
    m = gough.load("hexaglide")
    t = gough.travel(m, [0, 0, 1, 0, 0, 0])
    assert t.sentence().endswith(", then legs 3 and 4 are at their reach")
    assert gough.margins(m, t.matrix).sentence() == "legs 3 and 4 are at their reach"
    one = gough.travel(m, [0, 1, 0, 0, 0, 0])
    assert one.sentence().endswith(", then leg 2 is at its reach")
