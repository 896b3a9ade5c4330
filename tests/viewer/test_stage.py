"""Moving the machine: requested poses, limits, and where it stops."""

import numpy as np
import pytest

import gough
from gough.viewer.stage import Stage

NANOMETRE = 1e-9
"""The stop lies on its limit to rounding; hexel is a metre large."""


@pytest.fixture(scope="module")
def hexel():
    return Stage.at_home(gough.load("hexel"))


@pytest.fixture(scope="module")
def unlimited():
    return Stage.at_home(gough.load("hexel"), keeps_limits=False)


def lifted(stage, dz):
    X = stage.machine.X_home.copy()
    X[2, 3] += dz
    return X


def test_an_allowed_pose_is_reached_and_the_stage_before_stays(hexel):
    X = lifted(hexel, 0.1)
    stage = hexel.to(X)
    np.testing.assert_array_equal(stage.X, X)
    np.testing.assert_array_equal(stage.q, gough.inverse_kinematics(stage.machine, X))
    assert stage.refusal is None
    np.testing.assert_array_equal(hexel.X, hexel.machine.X_home)


def test_a_refused_pose_stops_on_the_limit_and_says_why(hexel):
    X = lifted(hexel, 0.6)
    stage = hexel.to(X)
    assert np.nanmin(stage.margins.values) == pytest.approx(0, abs=NANOMETRE)
    assert stage.refusal.wanted is not None
    assert stage.refusal.reasons == tuple(gough.margins(stage.machine, X).sentences())
    goes = 1e3 * np.linalg.norm(stage.X[:3, 3] - hexel.X[:3, 3])
    assert stage.refusal.stop.startswith(f"{goes:.0f} mm from home, stopped by")
    assert stage.refusal.stop.endswith("longest")


def test_the_stop_slides_along_the_limit_with_the_request_and_lets_go_inside(hexel):
    ends, stage = [], hexel
    for x in (0.0, 0.05, 0.1):
        X = lifted(hexel, 0.6)
        X[0, 3] += x
        stage = stage.to(X)
        ends.append(stage.X[0, 3])
    assert ends[0] < ends[1] < ends[2]
    stage = stage.to(lifted(hexel, 0.2))
    assert stage.refusal is None
    assert stage.X[2, 3] == stage.machine.X_home[2, 3] + 0.2
    stage = stage.to(lifted(hexel, 0.6))
    goes = 1e3 * (stage.X[2, 3] - stage.machine.X_home[2, 3])
    assert stage.refusal.stop.startswith(f"{goes - 200:.0f} mm further, {goes:.0f} mm from home, stopped by")


def test_limits_switched_on_and_off_hold_the_requested_pose_and_let_it_go(hexel):
    stopped = hexel.to(lifted(hexel, 0.6))
    free = stopped.limited(False)
    np.testing.assert_array_equal(free.X, stopped.refusal.wanted)
    again = free.limited(True)
    np.testing.assert_allclose(again.X, stopped.X, atol=NANOMETRE)


def test_leg_values_move_it_by_forward_kinematics(machine):
    stage = Stage.at_home(machine)
    q = stage.q * (1 + np.array([1, -1, 2, 0, -2, 1]) * 1e-3)
    stage = stage.to_joints(q)
    assert stage.refusal is None
    np.testing.assert_allclose(stage.q, q, atol=1e-12 * max(machine.size, 1))


def test_legs_stop_at_the_first_limit_on_their_path(hexel):
    start = hexel.to(lifted(hexel, 0.35))
    q = start.q.copy()
    q[0] = start.machine.limits.joint_max[0] + 0.1
    stage = start.to_joints(q)
    assert stage.refusal.reasons
    assert stage.margins.values.min() == pytest.approx(0, abs=NANOMETRE)
    np.testing.assert_allclose(stage.q[1:], q[1:], atol=NANOMETRE)  # only the leg that was moved has moved


def test_leg_values_that_fit_no_pose_leave_it_where_it_was(unlimited):
    stage = unlimited.to_joints(unlimited.q * [3, 0.1, 3, 0.1, 3, 0.1])
    assert stage.refusal.wanted is None
    assert "no pose has these leg values" in stage.refusal.reasons[0] or "singularity" in stage.refusal.reasons[0]
    assert np.isfinite(stage.X).all()
    assert np.abs(stage.X - unlimited.X).max() < 2 * stage.machine.size


def test_from_a_home_that_is_refused_it_moves_freely():
    hexel = gough.load("hexel")
    X = hexel.X_home.copy()
    X[2, 3] = 1.3
    base = hexel.legs.rest()
    stage = Stage.at_home(gough.from_points(base, hexel.b_P, home=X, joint_max=0.97))
    assert not stage.margins.is_allowed
    X[0, 3] += 0.01
    stage = stage.to(X)
    np.testing.assert_array_equal(stage.X, X)
    assert stage.refusal.reasons
