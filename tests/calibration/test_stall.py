"""A leg that does not follow during half of a session: the rows are left out, and the leg is named."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.calibration.grids import Grid
from tests.calibration.truth import KINDS as TRUE_KINDS
from tests.calibration.truth import Session, frame
from tests.thorough import thorough

import gough

HALVES = {"first": slice(0, 30), "last": slice(30, 60), "middle": slice(15, 45)}


def stalled(grid, leg, rows, rng):
    """Poses measured with one leg where it was at the first of these rows; its readings go on."""
    curve = grid.true.encoders
    x = grid.q.copy() if curve is None else curve.coordinates(grid.q)
    x[rows, leg] = x[rows.start, leg]
    X = gough.forward_kinematics(grid.true, x, throw=False).matrix
    X[:, :3, 3] += grid.noise["positions"] * rng.normal(size=(len(X), 3))
    return X


def frozen(grid, leg, rows):
    """Readings of which one stays while its leg moves."""
    q = grid.q.copy()
    q[rows, leg] = q[rows.start, leg]
    return q


OTHERS = thorough(("PUS", "last", 1e-3), ("RUS", "middle", 0.2), ("skew", "last", 1e-3))
CASES = [("UPS", "first", 0.2), *OTHERS]


@pytest.mark.parametrize(("kind", "half", "turn"), CASES)
def test_a_leg_that_stays_is_named_and_the_machine_is_that_of_the_other_rows(kind, half, turn):
    grid, rows, leg = Grid(kind, 33, turn=turn), HALVES[half], 3
    found = gough.calibrate(grid.drawn, grid.q, stalled(grid, leg, rows, np.random.default_rng(1)))
    (stall,) = (one for one in found.findings if one.kind == "stall")
    assert "leg 4 did not move as it was read" in str(stall)
    assert str(stall) in found.doubts
    assert rows.start <= stall.row <= rows.start + 3
    assert np.flatnonzero(stall.by_leg).tolist() == [leg]
    others = np.ones(len(grid.q), dtype=bool)
    others[rows] = False
    assert (found.kept & ~others[found.rows_used]).sum() <= 2, (
        "the first row of the stall is a good one, and one may be near it"
    )
    assert grid.error(found.machine, "grid") < 0.2 * grid.error(grid.drawn, "grid")


@pytest.mark.parametrize("k", thorough(*range(0, 24, 5)))
def test_no_stall_is_silent(k):
    """Where the platform goes with a leg that stays is found by closed formulas of the machine."""
    session, rows = Session(TRUE_KINDS[k % 3], 4000 + k, (0.15, 1e-3)[k // 3 % 2], frames=False), list(HALVES.values())
    part, leg, X = rows[(k + k // 3) % 3], k % 6, session.X.copy()
    q = session.truth.read(X)
    q[part, leg] = q[part.start, leg]
    for i in range(part.start, part.stop):

        def left(d, i=i):
            with np.errstate(invalid="ignore"):  # a step of the search beyond the reach
                return np.nan_to_num(session.truth.read((frame(d) @ session.X[i])[None])[0] - q[i], nan=1.0)

        X[i] = frame(least_squares(left, np.zeros(6), method="lm", xtol=1e-14, ftol=1e-14).x) @ session.X[i]
    X[:, :3, 3] += session.noise["positions"] * np.random.default_rng(k).normal(size=(len(X), 3))
    found = gough.calibrate(session.drawn, session.q, X)
    (stall,) = (one for one in found.findings if one.kind == "stall")
    assert np.flatnonzero(stall.by_leg).tolist() == [leg]
    assert str(stall) in found.doubts


@pytest.mark.parametrize(("kind", "half"), [("UPS", "last"), *thorough(("PUS", "first"), ("RUS", "first"))])
def test_a_reading_that_stays_is_named(kind, half):
    grid, rows = Grid(kind, 33, turn=0.2), HALVES[half]
    found = gough.calibrate(grid.drawn, frozen(grid, 3, rows), grid.measured)
    assert any("the reading of leg 4 stays the same" in one for one in found.doubts)


def test_rows_of_positions_that_do_not_fit_are_said_as_a_possible_stall():
    """Without orientations no row says which leg it was."""
    grid, rows = Grid("UPS", 33, turn=0.2), slice(40, 55)
    X = stalled(grid, 3, rows, np.random.default_rng(1))
    points = np.array([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [-0.1, -0.1, 0.05]])
    seen = np.einsum("nij,kj->nki", X[:, :3, :3], points) + X[:, None, :3, 3]
    found = gough.calibrate(grid.drawn, grid.q, positions=seen)
    assert any("a leg that did not follow, or something that moved" in one for one in found.doubts)


def test_single_bad_rows_are_no_stall():
    grid = Grid("UPS", 33, turn=0.2)
    q = grid.q.copy()
    q[[3, 20, 21, 37, 50], [1, 1, 1, 4, 1]] += 0.01
    found = gough.calibrate(grid.drawn, q, grid.measured)
    assert sorted(one.row for one in found.outliers) == [3, 20, 21, 37, 50]
    assert {one.row: one.leg for one in found.outliers} == {3: 1, 20: 1, 21: 1, 37: 4, 50: 1}
    assert found.doubts == ()
