"""Rates of Euler angles against differences of SciPy's rotations; Jacobians and stiffness of position and angles."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.frames import CONVENTIONS, angular_acceleration, angular_velocity, euler_rates
from gough.machine import Actuators

SEQUENCES = [
    "".join(axes)
    for letters in ("xyz", "XYZ")
    for axes in product(letters, repeat=3)
    if axes[0] != axes[1] and axes[1] != axes[2]
]
"""All 24: six of three different axes and six that repeat the first, about fixed and about moving axes."""
STEP = 2e-3
"""Of central differences, in seconds and rad."""
DIFFERENCES = 1e-9
"""Error of differences of the fourth order with that step, of numbers of order one."""
SECOND_DIFFERENCES = 2e-7
"""Error of second differences, relative to the largest element."""
ROUND_OFF = 1e-13
FIRST = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
SECOND = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}
DEAD_MOMENT = np.array([8.0, -5.0, 12.0])


def maker(name):
    """Sequence of axes, and the place of the angle of each."""
    return (CONVENTIONS[name].sequence, list(CONVENTIONS[name].order)) if name in CONVENTIONS else (name, [0, 1, 2])


def rotation(name, angles):
    sequence, order = maker(name)
    return Rotation.from_euler(sequence, np.asarray(angles)[order])


def pose(name, angles, position=(0, 0, 0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation(name, angles).as_matrix(), position
    return X


def middle_of(name):
    return maker(name)[1][1]


def in_range(name, angles):
    """Angles with the middle one well within the range of `euler_angles`."""
    angles, sequence = np.array(angles), maker(name)[0]
    angles[middle_of(name)] += np.pi / 2 if sequence[0] == sequence[2] else 0.0
    return angles


def derivative(function, weights=FIRST):
    """Of a function of one number at 0."""
    order = 1 if weights is FIRST else 2
    return sum(w * function(k * STEP) for k, w in weights.items()) / STEP**order


def spin(name, angles_at, t):
    """Angular velocity at t, from rotations about that time by their logarithm."""
    R = rotation(name, angles_at(t))
    return derivative(lambda h: (rotation(name, angles_at(t + h)) * R.inv()).as_rotvec())


@pytest.mark.parametrize("name", [*SEQUENCES, *CONVENTIONS])
def test_angular_velocity_and_acceleration_are_derivatives_of_the_rotation(name, rng):
    a = in_range(name, rng.uniform(-1.1, 1.1, 3))
    rates, accelerations = rng.normal(size=(2, 3))

    def angles_at(t):
        return a + t * rates + t**2 / 2 * accelerations

    X, expected = pose(name, a), spin(name, angles_at, 0.0)
    turning = derivative(lambda t: spin(name, angles_at, t))
    np.testing.assert_allclose(angular_velocity(X, rates, name), expected, atol=DIFFERENCES)
    np.testing.assert_allclose(angular_acceleration(X, rates, accelerations, name), turning, atol=100 * DIFFERENCES)

    maps = euler_rates(X, name)
    np.testing.assert_allclose(maps.angles, a, atol=ROUND_OFF)
    np.testing.assert_allclose(maps.rates(expected), rates, atol=10 * DIFFERENCES)
    np.testing.assert_allclose(maps.accelerations(rates, turning), accelerations, atol=1000 * DIFFERENCES)
    np.testing.assert_allclose(maps.E_inv @ maps.E, np.eye(3), atol=ROUND_OFF)
    np.testing.assert_allclose(maps.amplification, 1 / np.linalg.svd(maps.E)[1][-1], rtol=1e-12)
    np.testing.assert_allclose(maps.lock, np.arcsin(abs(np.linalg.det(maps.E))), rtol=1e-9)


@pytest.mark.parametrize("name", [*SEQUENCES, "hexel"])
def test_angles_beyond_the_range_of_the_middle_one(name, rng):
    """The same pose has other angles then, whose middle one turns the other way."""
    a, rates = in_range(name, rng.uniform(-1, 1, 3)), rng.normal(size=3)
    a[middle_of(name)] += np.pi / 2 + 0.8
    X, w = pose(name, a), spin(name, lambda t: a + t * rates, 0.0)
    np.testing.assert_allclose(angular_velocity(X, rates, name, angles=a), w, atol=DIFFERENCES)
    other = euler_rates(X, name).rates(w)
    np.testing.assert_allclose(other[middle_of(name)], -rates[middle_of(name)], atol=10 * DIFFERENCES)


@pytest.mark.parametrize("name", [*SEQUENCES, *CONVENTIONS])
def test_gimbal_lock_is_a_verdict(name, rng):
    a = in_range(name, rng.uniform(-1, 1, 3))
    a[middle_of(name)] = in_range(name, np.zeros(3))[middle_of(name)] + np.pi / 2
    maps = euler_rates(pose(name, a), name)
    assert maps.is_locked
    assert "in gimbal lock" in maps.sentence()
    assert np.isnan(maps.E).all()
    assert np.isnan(maps.rates([1, 0, 0])).all()
    assert np.isnan(maps.wrench([0, 0, 1, 0, 0, 1])[3:]).all()
    assert maps.amplification == np.inf
    # With its angles the pose has an angular velocity, but no inverse.
    rates = rng.normal(size=3)
    known = euler_rates(pose(name, a), name, angles=a)
    np.testing.assert_allclose(known.E @ rates, spin(name, lambda t: a + t * rates, 0.0), atol=DIFFERENCES)
    assert np.isnan(known.E_inv).all()

    a[middle_of(name)] += 1e-3
    near = euler_rates(pose(name, a), name)
    np.testing.assert_allclose(near.lock, 1e-3, rtol=1e-9)
    assert "up to 1414 times" in near.sentence()
    np.testing.assert_allclose(near.E_inv @ near.E, np.eye(3), atol=1e-12)


# Machines


def coordinates(X, name):
    sequence, order = maker(name)
    angles = np.empty(3)
    angles[order] = Rotation.from_matrix(X[:3, :3]).as_euler(sequence)
    return np.concatenate([X[:3, 3], angles])


def at(name, x):
    return pose(name, x[3:], x[:3])


NAMES = ["hexel", "XYZ", "zyx", "ZYZ"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", SKEW)
def test_jacobian_is_the_derivative_by_position_and_angles(file, name):
    m = gough.load(file)
    x = coordinates(m.X_home, name)
    J = np.stack([
        derivative(lambda h, e=e: gough.inverse_kinematics(m, at(name, x + h * m.size * e)), FIRST) / m.size
        for e in np.eye(6)
    ], axis=1)  # fmt: skip
    found = gough.jacobian(m, m.X_home, sequence=name)
    np.testing.assert_allclose(found, J, atol=1e-6 * abs(found).max())


def test_jacobian_of_two_stages_is_the_derivative_by_both_platforms_coordinates():
    m = gough.load(SKEW_STACK)
    x = np.concatenate([coordinates(X, "pi") for X in m.X_home])
    poses = lambda x: np.stack([at("pi", x[:6]), at("pi", x[6:])])  # noqa: E731
    columns = [derivative(lambda h, e=e: gough.inverse_kinematics(m, poses(x + 0.1 * h * e))) / 0.1 for e in np.eye(12)]
    found = gough.jacobian(m, m.X_home, sequence="pi")
    np.testing.assert_allclose(found, np.stack(columns, axis=1), atol=1e-8 * abs(found).max())


def stiff(file):
    return replace(gough.load(file), actuators=Actuators(stiffness=np.linspace(1e4, 2e4, 6)))


POINT = np.array([0.03, -0.05, 0.08])


def by_coordinates(function, count):
    """Derivative of a function of six coordinates, (count, 6)."""
    return np.stack([derivative(lambda h, e=e: function(h * e)) for e in np.eye(6)], axis=1).reshape(count, 6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", SKEW)
def test_stiffness_of_position_and_angles_under_load(file, name):
    """Differences of generalized forces: of springs at the forces that hold the load, and of the load itself.

    A force and a moment that keep their direction; then forces conjugate to the coordinates that keep their value.
    """
    m, F = stiff(file), np.concatenate([[30.0, -20.0, 50.0], DEAD_MOMENT])
    X = m.X_home
    feet, k = m.legs.driven_points(gough.inverse_kinematics(m, X)), m.actuators.stiffness
    push = gough.statics.axial_forces(m, X, F, point=POINT)
    x = coordinates(X, name)
    x[:3] += X[:3, :3] @ POINT  # the position of the point

    def rods(dx):
        R = rotation(name, (x + dx)[3:]).as_matrix()
        return np.linalg.norm((m.b_P - POINT) @ R.T + (x + dx)[:3] - feet, axis=1)

    rest = rods(np.zeros(6)) + push / k  # a pushing spring is shorter than at rest

    def energy(dx):
        return k / 2 @ (rods(dx) - rest) ** 2

    H = np.array([
        [
            derivative(lambda s, e=e, d=d: derivative(lambda t: energy(s * e + t * d))) if (e != d).any()
            else derivative(lambda s, e=e: energy(s * e), SECOND)
            for e in np.eye(6)
        ]
        for d in np.eye(6)
    ])  # fmt: skip

    def generalized(dx):
        """Of the load that keeps its direction: the moment along the axis of each angle, by rotations alone."""
        a = (x + dx)[3:]
        axes = np.stack([spin(name, lambda t, e=e: a + t * e, 0.0) for e in np.eye(3)])
        return np.concatenate([F[:3], axes @ DEAD_MOMENT])

    dead = gough.stiffness(m, X, point=POINT, wrench=F, sequence=name)
    tolerance = SECOND_DIFFERENCES * abs(H).max()
    np.testing.assert_allclose(dead, H - by_coordinates(generalized, 6), atol=tolerance)

    held = dead.copy()
    held[3:, 3:] += euler_rates(X, name).moment_stiffness(DEAD_MOMENT)
    np.testing.assert_allclose(held, H, atol=tolerance)
    np.testing.assert_allclose(held, held.T, atol=1e-12 * abs(H).max())
    assert abs(held - dead).max() > 10 * tolerance


def test_stiffness_of_two_stages_is_that_of_the_end_platforms_angles():
    m = gough.load(SKEW_STACK)
    stages = [replace(one, actuators=Actuators(stiffness=np.linspace(1e4, 2e4, 6))) for one in m.stages]
    m = replace(m, stages=tuple(stages))
    K, a = gough.stiffness(m, m.X_home, point=POINT), coordinates(m.X_home[1], "pi")[3:]
    T = np.eye(6)
    T[3:, 3:] = np.stack([spin("pi", lambda t, e=e: a + t * e, 0.0) for e in np.eye(3)], axis=1)
    found = gough.stiffness(m, m.X_home, point=POINT, sequence="pi")
    np.testing.assert_allclose(found, T.T @ K @ T, atol=10 * DIFFERENCES * abs(K).max())
