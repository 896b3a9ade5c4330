"""Moving the machine: wishes, limits, and where it stops."""

import numpy as np
import pytest

import gough
from gough.viewer.pose_controller import Mover

NANOMETRE = 1e-9
"""The stop lies on its limit to rounding; hexel is a metre large."""


@pytest.fixture
def mover():
    return Mover(gough.load("hexel"))


def lifted(mover, dz):
    X = mover.machine.X_home.copy()
    X[2, 3] += dz
    return X


def test_it_begins_at_home(mover):
    np.testing.assert_array_equal(mover.X, mover.machine.X_home)
    assert mover.refusal is None


def test_an_allowed_wish_is_met(mover):
    X = lifted(mover, 0.1)
    mover.to(X)
    np.testing.assert_array_equal(mover.X, X)
    np.testing.assert_array_equal(mover.q, gough.inverse_kinematics(mover.machine, X))
    assert mover.refusal is None


def test_a_refused_wish_stops_on_the_limit_and_says_why(mover):
    X = lifted(mover, 0.6)
    mover.to(X)
    assert np.nanmin(mover.margins.values) == pytest.approx(0, abs=NANOMETRE)
    assert mover.refusal.wanted is not None
    assert mover.refusal.reasons == tuple(gough.margins(mover.machine, X).sentences())
    assert "needs 970 mm, allowed up to 970 mm" in mover.refusal.stop


def test_the_stop_slides_along_the_limit_with_the_wish_and_lets_go_inside(mover):
    ends = []
    for x in (0.0, 0.05, 0.1):
        X = lifted(mover, 0.6)
        X[0, 3] += x
        mover.to(X)
        ends.append(mover.X[0, 3])
    assert ends[0] < ends[1] < ends[2]
    mover.to(lifted(mover, 0.2))
    assert mover.refusal is None
    assert mover.X[2, 3] == mover.machine.X_home[2, 3] + 0.2


def test_without_limits_it_goes_where_legs_can(mover):
    mover.keeps_limits = False
    X = lifted(mover, 0.6)
    mover.to(X)
    np.testing.assert_array_equal(mover.X, X)
    assert mover.refusal.reasons


def test_leg_values_move_it_by_forward_kinematics(machine):
    mover = Mover(machine)
    q = mover.q * (1 + np.array([1, -1, 2, 0, -2, 1]) * 1e-3)
    mover.to_joints(q)
    assert mover.refusal is None
    np.testing.assert_allclose(mover.q, q, atol=1e-12 * max(machine.size, 1))


def test_legs_stop_at_the_first_limit_on_their_way(mover):
    mover.to(lifted(mover, 0.35))
    q = mover.q.copy()
    q[0] = mover.machine.limits.joint_max[0] + 0.1
    mover.to_joints(q)
    assert mover.refusal.reasons
    assert mover.margins.values.min() == pytest.approx(0, abs=NANOMETRE)
    np.testing.assert_allclose(mover.q[1:], q[1:], atol=NANOMETRE)  # only the leg that was moved has moved


def test_leg_values_that_fit_no_pose_leave_it_where_it_was(mover):
    mover.keeps_limits = False
    before = mover.X.copy()
    mover.to_joints(mover.q * [3, 0.1, 3, 0.1, 3, 0.1])
    assert mover.refusal.wanted is None
    assert "no pose has these leg values" in mover.refusal.reasons[0] or "singularity" in mover.refusal.reasons[0]
    assert np.isfinite(mover.X).all()
    assert np.abs(mover.X - before).max() < 2 * mover.machine.size


def test_from_a_home_that_is_refused_it_moves_freely():
    hexel = gough.load("hexel")
    X = hexel.X_home.copy()
    X[2, 3] = 1.3
    base = hexel.legs.rest()
    mover = Mover(gough.from_points(base, hexel.b_P, home=X, joint_max=0.97))
    assert not mover.margins.is_allowed
    X[0, 3] += 0.01
    mover.to(X)
    np.testing.assert_array_equal(mover.X, X)
    assert mover.refusal.reasons
