"""Jacobians, rates and accelerations: against differences of inverse kinematics along motions known in closed form."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.poses import assert_close, poses_near_home, twists
from tests.skew import SKEW

import gough

DERIVATIVE = 1e-7
"""Relative to the largest of its kind: a central difference of fourth order with steps of 1e-3 is better than this."""
SECOND_DERIVATIVE = 1e-6
"""The same for second differences, which lose 1e-16 over the step squared."""
ROUND_TRIP = 1e-12
"""Relative to the largest: rounding times the conditioning of the machines' Jacobians, below 100 at their homes."""
ROUND_OFF = 1e-15

MACHINES = ("hexel", "rotopod", *SKEW)
BATCHES = [(), (1,), (3, 1, 2), (0,)]


@pytest.fixture(params=MACHINES, scope="module")
def machine(request):
    return gough.load(request.param)


def exponential(twist, X):
    """X moved by v and turned by w about its own origin, along base axes."""
    moved = X.copy()
    moved[:3, :3] = Rotation.from_rotvec(twist[3:]).as_matrix() @ X[:3, :3]
    moved[:3, 3] += twist[:3]
    return moved


def slope(function, step):
    """First derivative at 0 from four values: error of fourth order in the step."""
    near = (function(step) - function(-step)) / (2 * step)
    return (4 * near - (function(2 * step) - function(-2 * step)) / (4 * step)) / 3


def joints(machine, X, near):
    """Joint coordinates; cranks counted on from those at the pose `near`, over a half turn too."""
    q = gough.inverse_kinematics(machine, X)
    if machine.legs.joint == "length":
        return q
    return q - 2 * np.pi * np.rint((q - gough.inverse_kinematics(machine, near)) / (2 * np.pi))


def bend(function, step):
    """Second derivative at 0 from five values: error of fourth order in the step."""
    middle = function(0.0)
    near = (function(step) - 2 * middle + function(-step)) / step**2
    far = (function(2 * step) - 2 * middle + function(-2 * step)) / (2 * step) ** 2
    return (4 * near - far) / 3


def test_jacobian_is_the_derivative_of_inverse_kinematics(machine, rng):
    for X in poses_near_home(machine, rng, (20,)):
        J = gough.jacobian(machine, X)
        for column, axis in enumerate(np.eye(6)):
            direction = axis * (machine.characteristic_length if column < 3 else 1.0)
            found = J @ direction
            expected = slope(lambda s, d=direction, X=X: joints(machine, exponential(s * d, X), X), 1e-3)
            assert_close(found, expected, DERIVATIVE)


def test_inverse_jacobian_is_the_inverse(machine, rng):
    X = poses_near_home(machine, rng, (50,))
    product = gough.jacobian(machine, X) @ gough.kinematics.inverse_jacobian(machine, X)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(6), (50, 6, 6)), atol=ROUND_TRIP)


def test_a_singular_pose_has_rates_and_no_inverse():
    """Exactly singular: parallel struts cannot hold the platform sideways."""
    points = np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
    m = gough.from_points(points, points, home=gough.pose([0, 0, 1]))
    assert np.isfinite(gough.jacobian(m, m.home)).all()
    assert np.isnan(gough.kinematics.inverse_jacobian(m, m.home)).all()
    assert np.isnan(gough.platform_twist(m, m.home, np.ones(6))).all()
    assert np.isnan(gough.kinematics.platform_acceleration(m, m.home, np.zeros(6), np.ones(6))).all()
    np.testing.assert_array_equal(gough.joint_rates(m, m.home, [1, 0, 0, 0, 0, 0]), 0.0)


def test_a_slider_at_its_turning_point_is_infinitely_quick():
    m = gough.load("linapod")
    X = m.X_home.copy()
    # Put the first platform joint exactly a rod's length away from its (vertical) guide.
    X[:2, 3] = m.legs.a_B[0, :2] + [m.legs.rod_length[0], 0.0] - (X[:3, :3] @ m.b_P[0])[:2]
    reach = gough.legs.pus.reach(m.table, 0, *(X[:3, :3] @ m.b_P[0] + X[:3, 3]))
    assert abs(reach) < 10 * ROUND_OFF
    row = gough.jacobian(m, X)[0]
    assert not np.isfinite(row[0]) or abs(row[0]) > 1e6


def motion(machine, rng):
    """A smooth motion near home: X(t), and its twist and acceleration at t = 0, all exact.

    t = c0 + c1 t + c2 t^2 + c3 t^3 and R = exp(W(t)) R0 with W = w0 t + w1 t^2 / 2 along one axis, so that the angular
    velocity is w0 + w1 t and the angular acceleration w1.
    """
    X0 = poses_near_home(machine, rng)
    c = rng.normal(size=(4, 3)) * machine.characteristic_length
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rate, change = rng.normal(size=2)

    def at(time):
        X = X0.copy()
        X[:3, 3] += c[1] * time + c[2] * time**2 + c[3] * time**3
        X[:3, :3] = Rotation.from_rotvec(axis * (rate * time + change * time**2 / 2)).as_matrix() @ X0[:3, :3]
        return X

    return at, np.concatenate([c[1], rate * axis]), np.concatenate([2 * c[2], change * axis])


def test_joint_rates_are_the_slope_along_a_motion(machine, rng):
    for _ in range(10):
        at, V, _ = motion(machine, rng)
        expected = slope(lambda s, at=at: joints(machine, at(s), at(0.0)), 1e-3)
        assert_close(gough.joint_rates(machine, at(0.0), V), expected, DERIVATIVE)


def test_joint_accelerations_are_the_bend_along_a_motion(machine, rng):
    for _ in range(10):
        at, V, A = motion(machine, rng)
        expected = bend(lambda s, at=at: joints(machine, at(s), at(0.0)), 1e-3)
        found = gough.kinematics.joint_accelerations(machine, at(0.0), V, A)
        assert_close(found, expected, SECOND_DERIVATIVE)
        # The second-order term is no trifle here: without it the answer is another.
        assert np.abs(gough.jacobian(machine, at(0.0)) @ A - expected).max() > 0.01 * np.abs(expected).max()


def test_joint_accelerations_are_the_slope_of_the_rates_when_the_axis_turns(machine, rng):
    """A spinning top's motion: R = exp(a t) exp(b t) R0, whose angular acceleration is a x b though both rates hold."""
    for X0 in poses_near_home(machine, rng, (10,)):
        a, b = rng.normal(size=(2, 3))

        def at(time, a=a, b=b, X0=X0):
            X = X0.copy()
            turn = Rotation.from_rotvec(a * time) * Rotation.from_rotvec(b * time)
            X[:3, :3] = turn.as_matrix() @ X0[:3, :3]
            w = a + Rotation.from_rotvec(a * time).apply(b)
            return X, np.concatenate([np.zeros(3), w])

        expected = slope(lambda s, at=at: gough.joint_rates(machine, *at(s)), 1e-3)
        A = np.concatenate([np.zeros(3), np.cross(a, b)])
        assert_close(gough.kinematics.joint_accelerations(machine, *at(0.0), A), expected, DERIVATIVE)


def test_twist_and_joint_rates_are_each_others_inverse(machine, rng):
    X, V = poses_near_home(machine, rng, (50,)), twists(machine, rng, (50,))
    back = gough.platform_twist(machine, X, gough.joint_rates(machine, X, V))
    assert_close(back, V, ROUND_TRIP)
    qd = gough.joint_rates(machine, X, twists(machine, rng, (50,)))
    assert_close(gough.joint_rates(machine, X, gough.platform_twist(machine, X, qd)), qd, ROUND_TRIP)


def test_platform_and_joint_accelerations_are_each_others_inverse(machine, rng):
    X = poses_near_home(machine, rng, (50,))
    V, A = twists(machine, rng, (50,)), twists(machine, rng, (50,))
    qdd = gough.kinematics.joint_accelerations(machine, X, V, A)
    assert_close(gough.kinematics.platform_acceleration(machine, X, V, qdd), A, ROUND_TRIP)


@pytest.mark.parametrize("shape", BATCHES)
def test_leading_axes_are_batch_axes(machine, shape, rng):
    X, V, A = poses_near_home(machine, rng, shape), twists(machine, rng, shape), twists(machine, rng, shape)
    qd, qdd = gough.joint_rates(machine, X, V), gough.kinematics.joint_accelerations(machine, X, V, A)
    answers = {
        gough.jacobian: (X,),
        gough.kinematics.inverse_jacobian: (X,),
        gough.joint_rates: (X, V),
        gough.platform_twist: (X, qd),
        gough.kinematics.joint_accelerations: (X, V, A),
        gough.kinematics.platform_acceleration: (X, V, qdd),
    }
    for function, given in answers.items():
        batch = function(machine, *given)
        assert batch.shape[: len(shape)] == shape
        assert batch.shape[len(shape) :] == ((6, 6) if len(given) == 1 else (6,))
        for index in np.ndindex(shape):
            single = function(machine, *(values[index] for values in given))
            np.testing.assert_allclose(batch[index], single, rtol=0, atol=ROUND_TRIP * np.abs(single).max())
