"""Inverse kinematics: the leg equation itself, batches, what counts as a pose, and NaN where a leg cannot close."""

import numpy as np
import pytest
from tests.poses import poses_near_home
from tests.skew import SKEW

import gough
from gough.poses import ORTHONORMAL_WITHIN
from gough.workers import PARALLEL_FROM

ROUND_OFF = 4e-15
"""Of the machine's size: about ten operations on numbers of that size."""

MACHINES = ("hexel", "rotopod", *SKEW)


@pytest.fixture(params=MACHINES, scope="module")
def machine(request):
    return gough.load(request.param)


def leg_errors(machine, X, q):
    """| t + R b - p(q) | - L(q) of all legs, (..., 6) [m], with the driven points of the legs as drawings have them."""
    b_B = machine.b_P @ np.swapaxes(X[..., :3, :3], -1, -2) + X[..., None, :3, 3]
    rod = machine.legs.rod()
    return np.linalg.norm(b_B - machine.legs.driven_points(q), axis=-1) - (q if rod is None else rod)


def test_the_leg_equation_holds_to_rounding(machine, rng):
    X = poses_near_home(machine, rng, (500,))
    q = gough.inverse_kinematics(machine, X)
    assert np.abs(leg_errors(machine, X, q)).max() < ROUND_OFF * machine.size


def test_the_leg_equation_holds_wherever_a_leg_closes(machine, rng):
    X = gough.pose_matrix(machine.size * rng.uniform(-1, 1, (500, 3)), rng.uniform(-3, 3, (500, 3)), "XYZ")
    q = gough.inverse_kinematics(machine, X)
    closes = np.isfinite(q)
    errors = leg_errors(machine, X, q)
    assert closes.any()
    assert np.abs(errors[closes]).max() < ROUND_OFF * 2 * machine.size
    assert np.isnan(errors[~closes]).all()


def test_legs_are_on_their_branch_so_home_is_home(machine):
    """Home is where the machine file puts it, and the branch there does not change with the way the pose is given."""
    q = gough.inverse_kinematics(machine, machine.home)
    np.testing.assert_allclose(q, machine.legs.joints_at(machine.b_home), atol=10 * ROUND_OFF, rtol=0)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (2, 0, 3)])
def test_leading_axes_are_batch_axes(machine, shape, rng):
    X = poses_near_home(machine, rng, shape)
    q = gough.inverse_kinematics(machine, X)
    assert q.shape == (*shape, 6)
    for index in np.ndindex(shape):
        np.testing.assert_array_equal(q[index], gough.inverse_kinematics(machine, X[index]))


@pytest.mark.parametrize("shape", [(), (5,), (3, 1, 2), (PARALLEL_FROM,)])
def test_out_is_filled_and_returned(machine, shape, rng):
    X = poses_near_home(machine, rng, shape)
    out = np.full((*shape, 6), 7.0)
    assert gough.inverse_kinematics(machine, X, out=out) is out
    np.testing.assert_array_equal(out, gough.inverse_kinematics(machine, X))


def test_order_in_memory_does_not_matter_and_the_pose_is_left_alone(machine, rng):
    X = poses_near_home(machine, rng, (6, 4))
    q = gough.inverse_kinematics(machine, X)
    before = X.copy()
    np.testing.assert_array_equal(gough.inverse_kinematics(machine, np.asfortranarray(X)), q)
    np.testing.assert_array_equal(gough.inverse_kinematics(machine, X[::2, ::-1]), q[::2, ::-1])
    np.testing.assert_array_equal(gough.inverse_kinematics(machine, np.swapaxes(X, 0, 1)), np.swapaxes(q, 0, 1))
    X.setflags(write=False)
    np.testing.assert_array_equal(gough.inverse_kinematics(machine, X), q)
    np.testing.assert_array_equal(X, before)
    same = np.broadcast_to(X[0, 0], (3, 4, 4))
    np.testing.assert_array_equal(gough.inverse_kinematics(machine, same), np.broadcast_to(q[0, 0], (3, 6)))


def test_a_leg_that_cannot_close_is_nan_and_the_others_are_not():
    """hexaglide: pushed sideways, the rods on one side come off their rails first."""
    m = gough.load("hexaglide")
    X = np.tile(m.X_home, (400, 1, 1))
    X[:, :3, 3] += np.linspace(0, m.size, 400)[:, None] * [0.0, 1.0, 0.0]
    open_legs = np.isnan(gough.inverse_kinematics(m, X)).sum(axis=1)
    assert open_legs[0] == 0
    assert open_legs[-1] == 6
    assert (np.diff(open_legs) >= 0).all()
    assert ((open_legs > 0) & (open_legs < 6)).any()


def test_departures_from_a_rotation_pass_up_to_a_millionth(machine):
    def sheared(by):
        X = machine.X_home.copy()
        X[:3, 1] += by * X[:3, 0]
        return X

    assert np.isfinite(gough.inverse_kinematics(machine, sheared(0.1 * ORTHONORMAL_WITHIN))).all()
    with pytest.raises(gough.errors.PoseError, match="orthonormal"):
        gough.inverse_kinematics(machine, sheared(1.1 * ORTHONORMAL_WITHIN))


@pytest.mark.parametrize(
    "out", [np.zeros((6, 2)).T, np.zeros((2, 6), np.float32), np.broadcast_to(np.zeros(6), (2, 6))]
)
def test_out_that_cannot_be_filled_in_place_is_refused(out):
    m = gough.load("hexel")
    with pytest.raises(gough.errors.InputError, match="out: expected a C-contiguous"):
        gough.inverse_kinematics(m, np.tile(m.X_home, (2, 1, 1)), out=out)
