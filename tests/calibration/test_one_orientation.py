"""Poses of exactly and almost one orientation: frames, readings and errors that they do not determine."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.grids import Grid
from tests.calibration.truth import KINDS, Session, frame, readings
from tests.thorough import thorough

import gough
from gough.calibration.fit import fitted
from gough.calibration.rigid import placed, twists
from gough.calibration.spreads import leg_errors
from gough.calibration.threads import in_one_thread

ROUNDING = 1e-9
"""Relative, of sums of squares."""
SAME = 1e-2
"""Difference of two fits to the same information, in standard deviations of the errors."""
TURNS = (0.0, 1e-3)
"""How far orientations differ from one [rad]."""


@pytest.mark.parametrize(
    ("kind", "turn"),
    [("UPS", 0.0), ("PUS", 1e-3), *thorough(("RUS", 0.0))],
)
def test_a_machine_calibrated_from_one_orientation_is_not_worse_than_drawn(kind, turn):
    """Where it was measured and at other orientations, by closed formulas of the machine as it was built."""
    session = Session(kind, 3, turn)
    found = gough.calibrate(session.drawn, session.q, session.measured)
    assert found.doubts == ()
    assert session.truth.off(found.machine, session.tests[0]) < 0.3 * session.truth.off(session.drawn, session.tests[0])
    assert not session.is_worse(found.machine)


@pytest.mark.parametrize("seed", thorough(*range(8)))
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("joint", ["struts", "sliders and cranks"])
def test_no_machine_is_worse_than_drawn(joint, turn, seed):
    session = Session("UPS" if joint == "struts" else KINDS[1 + seed % 2], 500 + seed, turn)
    found = gough.calibrate(session.drawn, session.q, session.measured)
    assert found.doubts or not session.is_worse(found.machine)


@pytest.mark.parametrize("turn", [3e-4, *thorough(1e-2)])
@pytest.mark.parametrize("kind", ["UPS", "skew", *thorough("RUS")])
def test_machines_between_one_orientation_and_many_are_not_worse_than_drawn(kind, turn):
    grid = Grid(kind, 5, turn=turn)
    found = gough.calibrate(grid.drawn, grid.q, grid.measured)
    for where in ("grid", "wide"):
        assert grid.error(found.machine, where) < grid.error(grid.drawn, where)


@pytest.mark.parametrize("seed", [0, *thorough(1, 2, 3)])
@pytest.mark.parametrize(("kind", "turn"), [("UPS", 0.15), ("PUS", 0.0), *thorough(("RUS", 1e-3))])
def test_rotations_of_device_and_target_change_only_the_frames(kind, turn, seed):
    """Any rotations, the measurements' noise turned with them."""
    session, rotations = Session(kind, 3, turn), Rotation.random(2, random_state=seed).as_matrix()
    A, B = np.tile(np.eye(4), (2, 1, 1))
    A[:3, :3], B[:3, :3] = rotations
    plain, turned = (gough.calibrate(session.drawn, session.q, X) for X in (session.measured, A @ session.measured @ B))
    np.testing.assert_allclose(turned.errors, plain.errors, atol=SAME * plain.deviations.min())
    assert turned.rms == pytest.approx(plain.rms, rel=1e-4)
    assert turned.rms_before == pytest.approx(plain.rms_before, rel=1e-2)


@pytest.mark.parametrize(
    ("kind", "turn"),
    [
        *(("UPS", 0.0), ("PUS", 1e-3), ("RUS", 0.15)),
        *thorough(("PUS", 0.15), ("RUS", 0.0)),
    ],
)
def test_with_more_unknowns_free_residuals_are_not_larger(kind, turn):
    """Squares of residuals and errors in their standard deviations, of the fit; and residuals of the drawing."""
    session = Session(kind, 3, turn, frames=False)
    known = ({}, {"target": np.eye(4)}, {"target": np.eye(4), "device": np.eye(4)})
    stated = dict.fromkeys(leg_errors(session.drawn, session.q, None).groups, 3e-3)
    found = [
        gough.calibrate(session.drawn, session.q, session.measured, noise=session.noise, tolerances=stated, **how)
        for how in known
    ]
    for free, held in pairwise(found):
        assert squares(free) < (1.0 + 1e-3) * squares(held)
        assert free.rms_before < 1.01 * held.rms_before


def squares(found):
    """Squares of residuals and of errors, in their standard deviations."""
    return found.fit.r @ found.fit.r + found.x @ found.x


STARTS = [
    *(("UPS", 0.0, "poses", 4), ("RUS", 0.0, "exact points", 3)),
    *thorough(("UPS", 0.0, "poses", 20), ("PUS", 1e-3, "poses", 20), ("RUS", 0.0, "poses", 20)),
    *thorough(*((kind, turn, "exact points", 20) for kind in KINDS for turn in TURNS)),
]


@pytest.mark.parametrize(("kind", "turn", "what", "count"), STARTS)
def test_frames_started_anywhere_end_with_the_same_sum_of_squares(kind, turn, what, count):
    """Starts of the fit about the frames found, by up to a tenth of the machine and of a radian."""
    session, rng = Session(kind, 3, turn, frames=what == "poses"), np.random.default_rng(0)
    point = session.X @ [0.05, 0.02, 0.03, 1.0]
    measured = {"poses": session.measured} if what == "poses" else {"positions": point[:, :3]}
    found = gough.calibrate(session.drawn, session.q, noise=session.noise, **measured)
    ends = []
    for _ in range(count):
        frames = found.fit.x[len(found.x) :]
        x = np.concatenate([found.x, frames + rng.uniform(-0.1, 0.1, len(frames))])
        fit = in_one_thread(fitted)(replace(found.problem, X=found.problem.X.copy()), found.noise, [], x)
        assert fit.has_converged
        ends.append(fit.r @ fit.r + ((fit.prior.rows[:, : len(found.x)] @ fit.x[: len(found.x)]) ** 2).sum())
    assert np.ptp(ends) < ROUNDING * ends[0]


@pytest.mark.parametrize("kind", [*KINDS, "skew"])
def test_a_part_placed_elsewhere_is_the_part_moved_as_one_body(kind):
    """Readings at poses moved alike stay, and motions are the derivatives."""
    rng = np.random.default_rng(4)
    m = Grid(kind, 3).drawn
    X = m.X_home @ np.array([frame(0.02 * rng.normal(size=6)) for _ in range(5)])
    q = readings(m, X)
    legs = leg_errors(m, q, None)
    T = frame(np.append(0.3 * m.size * rng.normal(size=3), 0.3 * rng.normal(size=3)))
    for name, Y in (("base_points", T @ X), ("platform_points", X @ np.linalg.inv(T))):
        np.testing.assert_allclose(readings(legs.machine_with(placed(legs, name, T)), Y), q, atol=1e-12)
        step = frame([1e-7, 2e-7, -1e-7, 3e-7, -2e-7, 1e-7])
        change = placed(legs, name, shifted(T, step)) - placed(legs, name, T)
        along = np.array([1e-7, 2e-7, -1e-7, 3e-7, -2e-7, 1e-7]) @ twists(legs, name, T)
        np.testing.assert_allclose(change.ravel(), along, atol=1e-12)


def shifted(T, step):
    """A frame T turned and shifted by a displacement in outer axes, about its origin."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = step[:3, :3] @ T[:3, :3], T[:3, 3] + step[:3, 3]
    return found


@pytest.mark.parametrize("turn", [0.0, *thorough(0.15)])
@pytest.mark.parametrize(
    ("kind", "name"), [("UPS", "device"), ("PUS", "target"), *thorough(("RUS", "device"), ("UPS", "target"))]
)
def test_base_and_platform_turned_in_known_frames_leave_the_errors_of_parts(kind, name, turn):
    session = Session(kind, 61, turn, frames=False)
    for angle in (0.0, 0.2):
        T = frame([0.01, -0.02, 0.015, 0.0, 0.6 * angle, 0.8 * angle])
        measured = T @ session.measured if name == "device" else session.measured @ T
        found = gough.calibrate(session.drawn, session.q, measured, **{name: np.eye(4)})
        assert found.doubts == ()
        assert not session.is_worse(found.machine)
