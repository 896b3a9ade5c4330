"""Motion compensation: the platform rests in space, and forces on a moving base are those of Newton and Euler."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough.machine import Actuators
from gough.motion.recorded import RecordedMotion, compensate
from gough.stages import moving_base_forces

SPLINE = 2e-7
"""Between samples, of metres and radians."""
STILL = np.zeros(6)


def pose_at(p, rotvec):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_rotvec(rotvec).as_matrix(), p
    return X


@pytest.fixture
def ship():
    """A small motion of three axes and turns about each, as displacements."""
    t = np.linspace(0, 12, 481)
    s, c = np.sin(0.9 * t), np.cos(1.3 * t)
    X = np.stack(
        [pose_at(1e-3 * p, 4e-3 * r) for p, r in zip(np.stack([s, c, s * c], 1), np.stack([c, s, -s], 1), strict=True)]
    )
    return RecordedMotion(t, X).relative()


MOUNT = pose_at([0.4, -0.2, 0.3], [0.1, 0.3, -0.5])


def test_base_times_platform_rests_where_there_is_room(ship):
    """X_OB(t) X_BP(t) is constant, with the lever arm from the recorded point to the base; the base itself is not."""
    machine = gough.load("pitch-circle")
    found = compensate(machine, ship, mount=MOUNT, fade=0.0, reserve=0.01)
    assert found.fitted.gain.min() == 1.0
    X_OB = ship(found.time)[0] @ MOUNT
    X_OP = X_OB @ found.fitted.motion(found.time)[0]
    np.testing.assert_allclose(X_OP, np.broadcast_to(MOUNT @ machine.X_home, X_OP.shape), rtol=0, atol=SPLINE)
    assert np.abs(found.remaining).max() < SPLINE
    assert np.ptp(X_OB @ machine.X_home, axis=0).max() > 1e-3
    at_origin = compensate(machine, ship, fade=0.0, reserve=0.01)
    assert np.abs(at_origin.fitted.motion(found.time)[0] - found.fitted.motion(found.time)[0]).max() > 1e-3


def test_what_remains_is_the_part_that_the_gain_leaves():
    """Of a base that only heaves, a platform with too little room takes the gain's part."""
    machine, t = gough.load("pitch-circle"), np.linspace(0, 20, 401)
    heave = RecordedMotion(t, gough.pose_matrix(np.outer(0.03 * np.sin(t), [0, 0, 1]))).relative("first")
    found = compensate(machine, heave, fade=2.0)
    gain = found.fitted.gain.max()
    assert 0 < gain < 1
    np.testing.assert_allclose(found.peak("remaining")[2], (1 - gain) * found.peak("uncompensated")[2], rtol=1e-4)
    # Integral of the square of the sine over the time without fades.
    begin, end = 2.0, 18.0
    mean = 0.5 - (np.sin(2 * end) - np.sin(2 * begin)) / (4 * (end - begin))
    np.testing.assert_allclose(found.rms("uncompensated")[2], 0.03 * np.sqrt(mean), rtol=1e-5)
    assert found.fitted.worst >= 0.05 - 1e-9
    at_rest = found.remaining[[0, -1], 2]
    np.testing.assert_allclose(at_rest, found.uncompensated[[0, -1], 2], atol=1e-9)  # it comes in and goes out
    data, t = found.dataset, found.time[::7]
    np.testing.assert_array_equal(data["rms_remaining"], found.rms("remaining"))
    np.testing.assert_array_equal(data["peak_uncompensated"], found.peak("uncompensated"))
    without_masses = replace(found.fitted, machine=replace(machine, platform=None))
    for one in (found, replace(found, fitted=without_masses)):
        forces = one.forces(t)
        np.testing.assert_allclose(forces["remaining"], found.remaining[::7], atol=1e-12)
        np.testing.assert_allclose(forces["uncompensated"], found.uncompensated[::7], atol=1e-12)
        assert float(forces["gain"].max()) == pytest.approx(gain)
        assert ("force" in forces) == (one is found)


def test_axes_that_are_left_alone_move_as_with_the_platform_held(ship):
    machine = gough.load("pitch-circle")
    found = compensate(machine, ship, mount=MOUNT, axes=["z", "rx"], fade=0.0, reserve=0.01)
    assert found.fitted.gain.min() == 1.0
    assert np.abs(found.remaining[:, [2, 3]]).max() < SPLINE
    others = [0, 1, 4, 5]
    np.testing.assert_allclose(found.remaining[:, others], found.uncompensated[:, others], rtol=0, atol=SPLINE)
    assert np.abs(found.uncompensated).max(axis=0).min() > 1e-3
    with pytest.raises(gough.errors.InputError, match=r"axes: no axis 'heave', expected some of x, .*It is 'z' here"):
        compensate(machine, ship, axes=["heave"])
    with pytest.raises(gough.errors.InputError, match="exceed the record of 12 s"):
        compensate(machine, ship, fade=7.0)


def states(motion, t, h=1e-4):
    """Pose, twist and acceleration of a function t -> (4, 4), by differences."""
    before, X, after = motion(t - h), motion(t), motion(t + h)

    def rate(a, b, span):
        return np.concatenate(
            [(b[:3, 3] - a[:3, 3]) / span, Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec() / span]
        )

    V = rate(before, after, 2 * h)
    A = (rate(X, after, h) - rate(before, X, h)) / h
    return X, V, A


def base(t):
    return pose_at([np.sin(t), 0.5 * t**2, np.cos(2 * t)], [0.3 * np.sin(t), 0.2 * t, 0.4 * np.cos(t)])


def platform(machine):
    return lambda t: (
        machine.X_home
        @ pose_at([5e-3 * np.sin(3 * t), 3e-3 * t, 4e-3 * np.cos(2 * t)], [0.03 * np.sin(2 * t), 0.02 * t, 0.0])
    )


def test_a_platform_alone_on_a_moving_base_obeys_newton_and_euler():
    machine = replace(gough.load("pitch-circle"), leg_bodies={}, actuators=Actuators()).with_payload(
        8.0, [0.03, 0.02, 0.3], np.diag([0.2, 0.3, 0.25])
    )
    t, body, g = 0.7, machine.platform, np.array([0.0, 0.0, -9.80665])
    motion = platform(machine)
    found = moving_base_forces(machine, states(base, t), states(motion, t), g)

    def centre(s):
        X = base(s) @ motion(s)
        return pose_at(X[:3, :3] @ body.mass_centre + X[:3, 3], Rotation.from_matrix(X[:3, :3]).as_rotvec())

    X, V, A = states(centre, t)
    J, w = X[:3, :3] @ body.inertia @ X[:3, :3].T, V[3:]
    force, moment = body.mass * (A[:3] - g), J @ A[3:] + np.cross(w, J @ w)
    feet = machine.legs.rest() @ base(t)[:3, :3].T + base(t)[:3, 3]
    heads = machine.b_P @ (base(t) @ motion(t))[:3, :3].T + (base(t) @ motion(t))[:3, 3]
    u = (heads - feet) / np.linalg.norm(heads - feet, axis=1, keepdims=True)
    balance = np.concatenate([u.T, np.cross(heads - X[:3, 3], u).T])
    np.testing.assert_allclose(balance @ found, np.concatenate([force, moment]), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("name", SKEW)
def test_bodies_of_the_legs_on_a_moving_base(name):
    """At rest as on the ground; leaning as under turned weight; accelerated, straight or on a very wide circle."""
    machine = gough.load(name)
    machine = replace(machine, actuators=replace(machine.actuators, rotor_inertia=None, coulomb_friction=None))
    motion = states(
        lambda t: machine.X_home @ pose_at(1e-3 * np.sin([3 * t, 2 * t, t]), 1e-2 * np.sin([t, 2 * t, 3 * t])), 0.4
    )
    X, V, A = motion
    g, R = machine.gravity, Rotation.from_rotvec([0.2, -0.3, 0.5]).as_matrix()
    lean = pose_at([3, 4, 5], [0.2, -0.3, 0.5])
    cases = {
        "still": ((np.eye(4), STILL, STILL), g),
        "leaning": ((lean, STILL, STILL), g @ R),
        "falling": ((np.eye(4), np.array([1.0, 2, 3, 0, 0, 0]), np.array([0.5, -1, 2, 0, 0, 0])), g - [0.5, -1, 2]),
    }
    for how, (moved, felt) in cases.items():
        expected = gough.inverse_dynamics(machine, X, V, A, gravity=felt)
        np.testing.assert_allclose(
            moving_base_forces(machine, moved, motion, g), expected, rtol=1e-9, atol=1e-9, err_msg=how
        )
    held = (machine.X_home, STILL, STILL)
    rate, radius = 1e-4, 3e8  # 3 m/s2 towards the centre
    circle = (
        pose_at([radius, 0, 0], np.zeros(3)),
        np.array([0, rate * radius, 0, 0, 0, rate]),
        np.array([-3.0, 0, 0, 0, 0, 0]),
    )
    expected = gough.inverse_dynamics(machine, machine.X_home, STILL, STILL, gravity=g + [3, 0, 0])
    found = moving_base_forces(machine, circle, held, g)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())
