"""Grids of positions, poses of almost one orientation: frames, readings and errors that they do not determine."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.grids import Grid
from tests.thorough import thorough

import gough
from gough.calibration.fit import fitted
from gough.errors import InputError

ROUNDING = 1e-9
"""Relative, of sums of squares."""


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "skew"])
def test_a_machine_calibrated_from_one_orientation_is_not_worse_than_drawn(kind):
    """Where it was measured and at other orientations, by forward kinematics of the machine as it was built."""
    grid = Grid(kind, 3)
    found = gough.calibrate(grid.drawn, grid.q, grid.measured)
    assert found.doubts == ()
    for where, most in (("grid", 0.2), ("wide", 1.0)):
        assert grid.error(found.machine, where) < most * grid.error(grid.drawn, where)


@pytest.mark.parametrize("seed", thorough(*range(15)))
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "skew"])
def test_none_of_sixty_machines_is_worse_than_drawn(kind, seed):
    test_grid = Grid(kind, 100 + seed)
    found = gough.calibrate(test_grid.drawn, test_grid.q, test_grid.measured)
    for where in ("grid", "wide"):
        assert test_grid.error(found.machine, where) < test_grid.error(test_grid.drawn, where)


@pytest.mark.parametrize("kind", ["UPS", "skew"])
def test_rotations_of_device_and_target_change_only_the_frames(kind):
    grid = Grid(kind, 3)
    A, B = np.tile(np.eye(4), (2, 1, 1))
    A[:3, :3], B[:3, :3] = Rotation.from_euler("xyz", [[170, 20, 95], [-120, 60, 200]], degrees=True).as_matrix()
    noise = {"joints": grid.s}
    plain, turned = (
        gough.calibrate(grid.drawn, grid.q, X, noise=noise) for X in (grid.measured, A @ grid.measured @ B)
    )
    np.testing.assert_allclose(turned.errors, plain.errors, atol=1e-2 * plain.deviations.min())
    assert turned.rms_before == pytest.approx(plain.rms_before, rel=1e-2)


@pytest.mark.parametrize("kind", ["UPS", "skew"])
def test_with_more_unknowns_free_residuals_are_not_larger(kind):
    grid = Grid(kind, 3, frames=False)
    known = ({}, {"target": np.eye(4)}, {"target": np.eye(4), "device": np.eye(4)})
    found = [gough.calibrate(grid.drawn, grid.q, grid.measured, noise={"joints": grid.s}, **how) for how in known]
    for free, held in pairwise(found):
        assert free.rms < 1.01 * held.rms
        assert free.rms_before < 1.01 * held.rms_before


@pytest.mark.parametrize("where", ["both", *thorough("device", "target")])
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "skew"])
def test_joints_elsewhere_in_known_frames_are_moved_as_one_body(kind, where):
    """That base or platform lie 49 mm from the drawing's place in a known frame is no sign of bad single joints."""
    grid, F = Grid(kind, 3, frames=False), np.eye(4)
    F[:3, :3], F[:3, 3] = Rotation.from_rotvec([0.02, -0.01, 0.02]).as_matrix(), [0.04, -0.02, 0.02]
    names = ("device", "target") if where == "both" else (where,)
    measured = F @ grid.measured if "device" in names else grid.measured
    measured = measured @ F if "target" in names else measured
    found = gough.calibrate(grid.drawn, grid.q, measured, **dict.fromkeys(names, np.eye(4)))
    assert found.doubts == ()
    for there in ("grid", "wide"):
        assert grid.error(found.machine, there) < 0.5 * grid.error(grid.drawn, there)


def test_frames_started_anywhere_end_with_the_same_sum_of_squares():
    """Twenty starts of the fit about the frames found, by up to a tenth of the machine and of a radian."""
    grid, rng = Grid("UPS", 3), np.random.default_rng(0)
    found = gough.calibrate(grid.drawn, grid.q, grid.measured, noise=grid.noise)
    squares = []
    for _ in range(20):
        x = np.concatenate([found.x, found.fit.x[len(found.x) :] + rng.uniform(-0.1, 0.1, 12)])
        fit = fitted(replace(found.problem, X=found.problem.X.copy()), found.noise, [], x)
        assert fit.has_converged
        squares.append(fit.r @ fit.r + ((fit.prior.rows[:, : len(found.x)] @ fit.x[: len(found.x)]) ** 2).sum())
    assert np.ptp(squares) < 20 * ROUNDING * squares[0]


def test_good_readings_of_one_orientation_are_not_taken_for_misread_ones():
    for kind in ("UPS", "RUS"):
        grid = Grid(kind, 8)
        assert gough.calibrate(grid.drawn, grid.q, grid.measured).rms < 2 * grid.s


def test_readings_of_another_machine_are_refused_or_said_not_to_fit():
    for seed in range(3):
        one, other = (Grid("UPS", k, turn=0.2) for k in (seed, 1000 + seed))
        found = gough.calibrate(one.drawn, other.q, other.measured, as_read=True)
        assert found.doubts
        assert found.sentences()[0].startswith("not a good fit: ")


def test_a_misreading_is_refused_and_goes_on_as_read():
    grid = Grid("UPS", 4, turn=0.2)
    swapped = grid.q[:, [1, 0, 2, 3, 4, 5]]
    with pytest.raises(InputError, match="legs 1 and 2 look swapped"):
        gough.calibrate(grid.drawn, swapped, grid.measured)
    assert gough.calibrate(grid.drawn, swapped, grid.measured, as_read=True).doubts
