"""Data that no such machine gives are named, bad rows are left out, and nothing wrong is found with confidence."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.built import KINDS, MICRON, Built

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
