"""Data that no such machine gives are named, bad rows are left out, and nothing wrong is found with confidence."""

import re
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.built import KINDS, KNOWN, MICRON, Built, measured

import gough
from gough.errors import InputError

NOISE = 20 * MICRON


@cache
def built(kind="UPS"):
    made = Built(gough.load(KINDS[kind]), np.random.default_rng(2), n=40, reach=0.1, turn=0.25, off=0.05)
    rng = np.random.default_rng(3)
    return made, made.q + NOISE * rng.normal(size=made.q.shape)


def refused(q, X, **how):
    with pytest.raises(InputError) as error:
        gough.calibrate(built()[0].drawn, q, X, **how)
    return str(error.value)


def test_swapped_legs_are_named():
    made, q = built()
    assert "legs 2 and 5 look swapped" in refused(q[:, [0, 4, 2, 3, 1, 5]], made.X)


def test_millimetres_for_metres_are_named():
    made, q = built()
    X = made.X.copy()
    X[:, :3, 3] *= 1e3
    assert "positions look like millimetres taken for metres" in refused(q, X)


@pytest.mark.parametrize(
    ("words", "factor"),
    [
        ("inches taken for millimetres", 1 / 25.4),
        ("millimetres taken for inches", 25.4),
        ("metres taken for inches", 0.0254),
        ("centimetres taken for metres", 100.0),
    ],
)
def test_units_that_files_of_machines_have_are_named(words, factor):
    made, q = built()
    X = made.X.copy()
    X[:, :3, 3] *= factor
    assert f"positions look like {words}" in refused(q, X)


def test_readings_in_millimetres_are_named():
    made, q = built()
    assert "readings look like millimetres" in refused(1e3 * q, made.X)


def test_degrees_for_radians_of_cranks_are_named():
    made, q = built("RUS")
    with pytest.raises(InputError, match="readings look like degrees taken for radians"):
        gough.calibrate(made.drawn, np.degrees(q), made.X)


def test_quaternions_in_the_other_order_are_named():
    made, q = built()
    X = made.X.copy()
    X[:, :3, :3] = Rotation.from_quat(np.roll(Rotation.from_matrix(X[:, :3, :3]).as_quat(), 1, axis=1)).as_matrix()
    assert "quaternions look given with w" in refused(q, X)


def test_a_stuck_reading_and_a_constant_coordinate_are_named():
    made, q = built()
    stuck = q.copy()
    stuck[:, 3] = stuck[0, 3]
    assert "q4 is" in refused(stuck, made.X)
    places = made.X[:, :3, 3].copy()
    places[:, 1] = 0.3
    with pytest.raises(InputError, match="y of target 1 is the same"):
        gough.calibrate(made.drawn, q, positions=places)


def test_nothing_measured_is_refused():
    made, q = built()
    assert "nothing is measured" in refused(q, np.full_like(made.X, np.nan))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_rows_count_as_not_there(kind):
    made, q = built(kind)
    X = made.X.copy()
    X[::5] = np.nan
    holes = q.copy()
    holes[1::5, 2] = np.nan
    kept = np.setdiff1d(np.arange(len(q)), [*range(0, len(q), 5), *range(1, len(q), 5)])
    noise = {"joints": NOISE}
    found, plain = (gough.calibrate(made.drawn, a, b, noise=noise) for a, b in ((holes, X), (q[kept], made.X[kept])))
    np.testing.assert_allclose(found.errors, plain.errors, atol=1e-9)
    np.testing.assert_array_equal(found.rows_used, kept)


def test_fewer_numbers_than_errors_leave_the_rest_as_drawn_and_say_so():
    made, q = built()
    found = gough.calibrate(made.drawn, q[:4], made.X[:4], device=np.eye(4), target=np.eye(4), noise={"joints": NOISE})
    count = sum(int(words.rsplit(": ", 1)[1].split()[0]) for words in found.undetermined)
    assert count >= 42 - 24
    assert not found.information.is_determined[24:].any()
    assert sum(not row.is_found for row in found.parameters) > 18


@pytest.mark.parametrize("kind", KINDS)
def test_rows_off_by_20_millimetres_are_found_and_cost_little(kind):
    """One row in twenty: named, all of them and no other, and what is left is as good as without them."""
    made, q = built(kind)
    X, rng = made.X.copy(), np.random.default_rng(4)
    bad = rng.choice(len(X), size=max(2, len(X) // 20), replace=False)
    X[bad, :3, 3] += 0.02 * np.eye(3)[rng.integers(0, 3, len(bad))]
    noise = {"joints": NOISE, "positions": NOISE, "rotations": NOISE}
    clean, found = (gough.calibrate(made.drawn, q, poses, noise=noise) for poses in (made.X, X))
    assert sorted(one.row for one in found.outliers) == sorted(bad)
    assert all(0.015 < one.off < 0.03 for one in found.outliers)

    def off(one):
        return np.sqrt(
            np.mean(
                (gough.inverse_kinematics(one.machine, made.X) - gough.inverse_kinematics(made.machine, made.X)) ** 2
            )
        )

    assert off(found) < 1.1 * off(clean) + 0.1 * NOISE


SAME = 1e-3
"""Of the standard deviations: errors from the same rows."""
FARTHER = {"length": 0.02, "angle": 1.0}
"""What a wrong reading is off [m, rad]: a slipped drive, 57 degrees."""


@pytest.mark.parametrize("row", [0, 12, 23])
@pytest.mark.parametrize("kind", KINDS)
def test_one_wildly_wrong_reading_of_24_rows_is_named_with_its_leg(kind, row):
    """The middle row too, from which nothing may be counted."""
    made, q = built(kind)
    m, wrong = made.drawn, q[:24].copy()
    off = FARTHER[m.legs.joint]
    wrong[row, 4] += off
    found = gough.calibrate(m, wrong, made.X[:24])
    (one,) = found.outliers
    assert one.row == row
    said = re.fullmatch(r"row (\d+) is off by .*: q5 alone reads (\S+) (\S+) too much", str(one))
    assert said.group(1, 3) == (str(row + 1), m.joint_unit)
    assert float(said[2]) == pytest.approx(off / m.joint_scale, rel=0.01)
    rest = np.delete(np.arange(24), row)
    plain = gough.calibrate(m, q[rest], made.X[rest])
    assert found.rms_before == pytest.approx(plain.rms_before, rel=1e-3)
    assert np.abs((found.errors - plain.errors) / plain.deviations).max() < SAME


NOT_A_ROW = ("device", "points", "wire_points", "fixed_points")


@pytest.mark.parametrize("what", KNOWN)
@pytest.mark.parametrize("kind", KINDS)
def test_bad_rows_and_holes_in_every_kind_of_measurement_leave_the_result_of_the_others(kind, what):
    """Two of 40 rows 20 mm off, readings and measurements missing, single numbers missing: named, or not there."""
    rng = np.random.default_rng(22)
    made = Built(gough.load(KINDS[kind]), rng, n=40, off=0.05)
    how = measured(made, what, rng)
    q = made.q + NOISE * rng.normal(size=made.q.shape)
    bad, holes = rng.choice(np.arange(1, 36, 2), 2, replace=False), [6, 20]
    q[holes[0], 2] = np.nan
    clean = {}
    for key, values in how.items():
        clean[key] = values
        if key in NOT_A_ROW:
            continue
        clean[key] = values.copy()
        clean[key][holes[1]] = np.nan
        if key in ("positions", "distances"):
            clean[key][30, ..., 0] = np.nan
        how[key] = clean[key].copy()
        if key == "relative":
            how[key][bad, :3, 3] += 0.02
        elif key != "angles":
            how[key][bad] += 0.02
    rest = q.copy()
    rest[bad] = np.nan
    noise = {"joints": NOISE}
    found, plain = (gough.calibrate(made.drawn, a, noise=noise, **b) for a, b in ((q, how), (rest, clean)))
    assert sorted(one.row for one in found.outliers) == sorted(bad)
    assert not plain.outliers
    assert np.abs((found.errors - plain.errors) / plain.deviations).max() < SAME


def test_sentences_are_in_the_units_of_the_file():
    """The machine's file is in inches: 20 mm are 0.787 of them."""
    made, q = built()
    X = made.X.copy()
    X[7, 0, 3] += 0.02
    found = gough.calibrate(made.drawn, q, X)
    assert made.drawn.units.length == "in"
    assert "row 8 is off by 0.78" in str(found.outliers[0])
    moved = q.copy()
    moved[20:, 2] += 100 * NOISE
    words = str(gough.calibrate(made.drawn, moved, made.X).shift)
    assert "by up to −0.07" in words
    assert " in (leg 3)" in words
    assert "mm" not in words
