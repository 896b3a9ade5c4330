"""Angles of universal and ball joints: by rotations written here, by differences over time, and as Sinatra has them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.references import sinatra2009 as paper
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.dynamics import body_motions, passive_joints
from gough.errors import InputError

STEP = 1e-3
"""Of central differences of the fourth order [s]."""
FIRST = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
DIFFERENCES = 1e-8
"""Their error, of motions of order one per second."""
ROUND_OFF = 1e-12
OF_THE_PAPER = 1e-14
"""Agreement of two formulations of numbers of order one."""


def moving(m, rng):
    """Poses over time near home, with twist and acceleration at t = 0, of the size of the machine."""
    a, b = rng.normal(size=(2, 6)) * 0.3
    size = 0.1 * m.size
    a[:3] *= size
    b[:3] *= size
    start = m.X_home.copy()
    start[:3, 3] += 0.02 * m.size * rng.normal(size=3)
    start[:3, :3] = Rotation.from_rotvec(0.1 * rng.normal(size=3)).as_matrix() @ start[:3, :3]

    def pose(t):
        X = start.copy()
        X[:3, 3] += t * a[:3] + t**2 / 2 * b[:3]
        X[:3, :3] = Rotation.from_rotvec(t * a[3:] + t**2 / 2 * b[3:]).as_matrix() @ X[:3, :3]
        return X

    return pose, a, b


def spin(rotations):
    """Angular velocity of rotations at steps of FIRST about t = 0, in the axes in which they are written."""
    middle = rotations[0]
    return sum(w * (rotations[k] * middle.inv()).as_rotvec() for k, w in FIRST.items()) / STEP


def by_rotations(m, X):
    """Rotations of carrier, cross and leg against base, slider or crank, written out leg by leg: the cross turns about
    the first axis until the second one is across the leg, then the leg about that."""
    q = gough.inverse_kinematics(m, X)
    b = m.b_P @ X[:3, :3].T + X[:3, 3]
    feet = m.legs.driven_points(q)
    found = []
    for i in range(6):
        turn = Rotation.from_rotvec(q[i] * np.array(m.legs.n_B[i])) if m.legs.kind == "RUS" else Rotation.identity()
        u = (b[i] - feet[i]) / np.linalg.norm(b[i] - feet[i])
        found.append((turn, turn.as_matrix() @ m.joint_axis[i], u))
    return q, found


@pytest.mark.parametrize("file", SKEW)
def test_two_turns_and_the_ball_make_the_platforms_rotation(file, rng):
    """From home: the leg is where the carrier, the turn about the first axis and that about the second put it."""
    m = gough.load(file)
    X = moving(m, rng)[0](0.3)
    found = passive_joints(m, X)
    (_, home), (q, now) = by_rotations(m, m.X_home), by_rotations(m, X)
    np.testing.assert_allclose(found.joint, q, atol=ROUND_OFF)
    for i in range(6):
        (C_h, e_h, u_h), (C, e, u) = home[i], now[i]
        y_h = np.cross(u_h, e_h)
        y_h /= np.linalg.norm(y_h)
        x_h = np.cross(y_h, u_h)
        first, second = found.universal[i]
        carried = C * C_h.inv()
        about_first = Rotation.from_rotvec(first * e)
        y = (about_first * carried).apply(y_h)
        leg = Rotation.from_rotvec(second * y) * about_first * carried
        np.testing.assert_allclose(leg.apply(u_h), u, atol=1e-10)
        frame = np.stack([x_h, y_h, u_h], axis=1)  # the leg's axes at home
        in_leg = (leg.as_matrix() @ frame).T
        ball = in_leg @ X[:3, :3] @ (frame.T @ m.X_home[:3, :3]).T
        np.testing.assert_allclose(found.ball[i], ball, atol=1e-10)
        np.testing.assert_allclose(found.ball_angle[i], Rotation.from_matrix(ball).magnitude(), atol=1e-10)


@pytest.mark.parametrize("file", SKEW)
def test_rates_and_accelerations_are_derivatives(file, rng):
    m = gough.load(file)
    pose, V, A = moving(m, rng)
    steps = np.stack([pose(k * STEP) for k in (-2, -1, 0, 1, 2)])
    here = passive_joints(m, pose(0.0), V, A)
    ends = passive_joints(m, steps)
    weights = np.array([1 / 12, -2 / 3, 0, 2 / 3, -1 / 12]) / STEP
    second = np.array([-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12]) / STEP**2

    def over_time(values, weights):
        return np.einsum("t,t...->...", weights, values)

    np.testing.assert_allclose(here.universal_rate, over_time(ends.universal, weights), atol=DIFFERENCES)
    np.testing.assert_allclose(here.universal_acceleration, over_time(ends.universal, second), atol=1e3 * DIFFERENCES)
    np.testing.assert_allclose(here.joint_rate, over_time(ends.joint, weights), atol=DIFFERENCES)
    np.testing.assert_allclose(here.joint_acceleration, over_time(ends.joint, second), atol=1e3 * DIFFERENCES)

    # The twists of this motion, by differences of its rotations.
    def ball_rate(i, k):
        at = {j: Rotation.from_matrix(passive_joints(m, pose((k + j) * STEP)).ball[i]) for j in (-2, -1, 0, 1, 2)}
        return spin(at)

    for i in range(6):
        rates = {k: ball_rate(i, k) for k in FIRST}
        np.testing.assert_allclose(here.ball_rate[i], ball_rate(i, 0), atol=DIFFERENCES)
        turning = sum(w * rates[k] for k, w in FIRST.items()) / STEP
        np.testing.assert_allclose(here.ball_acceleration[i], turning, atol=1e3 * DIFFERENCES)


# Struts between two universal joints


STRUTS = [file for file in SKEW if gough.load(file).legs.kind == "UPS"]


def leg_turn(m, found, X, i):
    """Rotation of leg i from home, by the angles of its lower universal joint."""
    (_, home), (_, now) = by_rotations(m, m.X_home), by_rotations(m, X)
    (_, e, u_h), (_, _, u) = home[i], now[i]
    y = np.cross(u_h, e)
    about_first = Rotation.from_rotvec(found.universal[i, 0] * e)
    y = about_first.apply(y / np.linalg.norm(y))
    return Rotation.from_rotvec(found.universal[i, 1] * y) * about_first, u_h, u


@pytest.mark.parametrize("file", STRUTS)
def test_piston_and_upper_joint_lead_from_the_leg_to_the_platform(file, rng):
    m, axes = gough.load(file), rng.normal(size=(6, 3))
    X = moving(m, rng)[0](0.3)
    found = passive_joints(m, X, platform_axis=axes)
    np.testing.assert_allclose(passive_joints(m, m.X_home, platform_axis=axes).upper, 0, atol=ROUND_OFF)
    for i in range(6):
        leg, u_h, u = leg_turn(m, found, X, i)
        f_h = m.X_home[:3, :3] @ axes[i] / np.linalg.norm(axes[i])
        g_h = np.cross(u_h, f_h) / np.linalg.norm(np.cross(u_h, f_h))
        piston = Rotation.from_rotvec(found.piston[i] * u) * leg
        about_g = Rotation.from_rotvec(found.upper[i, 0] * piston.apply(g_h)) * piston
        platform = Rotation.from_rotvec(found.upper[i, 1] * about_g.apply(f_h)) * about_g
        np.testing.assert_allclose(platform.as_matrix() @ m.X_home[:3, :3], X[:3, :3], atol=1e-10)


@pytest.mark.parametrize("file", STRUTS)
def test_rates_of_piston_and_upper_joint_are_derivatives(file, rng):
    m, axes = gough.load(file), rng.normal(size=(6, 3))
    pose, V, A = moving(m, rng)
    steps = passive_joints(m, np.stack([pose(k * STEP) for k in (-2, -1, 0, 1, 2)]), platform_axis=axes)
    here = passive_joints(m, pose(0.0), V, A, platform_axis=axes)
    first = np.array([1 / 12, -2 / 3, 0, 2 / 3, -1 / 12]) / STEP
    second = np.array([-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12]) / STEP**2
    for angle, rate, change in (
        (steps.upper, here.upper_rate, here.upper_acceleration),
        (steps.piston, here.piston_rate, here.piston_acceleration),
    ):
        np.testing.assert_allclose(rate, np.einsum("t,t...->...", first, angle), atol=10 * DIFFERENCES)
        np.testing.assert_allclose(change, np.einsum("t,t...->...", second, angle), atol=1e4 * DIFFERENCES)


def test_two_stages_have_the_joints_of_both(rng):
    m = gough.load(SKEW_STACK)
    with pytest.raises(InputError, match="joint_axis"):
        passive_joints(replace(m, stages=tuple(replace(one, joint_axis=None) for one in m.stages)), m.X_home)
    axes = rng.normal(size=(12, 3))
    a = rng.normal(size=(2, 6)) * 0.1

    def poses(t):
        X = m.X_home.copy()
        X[:, :3, 3] += t * a[:, :3]
        X[:, :3, :3] = Rotation.from_rotvec(t * a[:, 3:]).as_matrix() @ X[:, :3, :3]
        return X

    found = passive_joints(m, poses(0.0), a, joint_axis=axes)
    steps = passive_joints(m, np.stack([poses(k * STEP) for k in FIRST]), joint_axis=axes)
    weights = np.array([*FIRST.values()]) / STEP
    np.testing.assert_allclose(found.universal_rate, np.einsum("t,t...->...", weights, steps.universal), atol=1e-7)
    assert found.universal.shape == (12, 2)
    assert found.ball_angle.shape == (12,)
    np.testing.assert_allclose(found.ball_angle, 0, atol=1e-7)


# Sinatra, Xi and Staicu (2009)


@pytest.mark.parametrize("seed", range(3))
def test_every_relative_and_absolute_motion_of_the_paper(seed):
    """Equations (7), (11), (13), (16) and (18): phi_21 is about the axis in the file, phi_32 about the second one,
    each with the paper's sign."""
    m, rng = gough.load("sinatra2009"), np.random.default_rng(seed)
    R = Rotation.from_rotvec(rng.uniform(-0.15, 0.15, 3)).as_matrix()
    r = np.array([0, 0, paper.HEIGHT]) + rng.uniform(-0.05, 0.05, 3)
    w, v, alpha, a = rng.uniform(-0.4, 0.4, (4, 3))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, r
    V, A = np.concatenate([v, w]), np.concatenate([a, alpha])
    found, rods = passive_joints(m, X, V, A), body_motions(m, X, V, A)["rod"]
    home = passive_joints(m, m.home)
    np.testing.assert_allclose(home.universal, 0, atol=OF_THE_PAPER)
    for k in range(6):
        (q, *phi), (q_t, *phi_t), (q_tt, *phi_tt), a20, _, omega, epsilon = paper.leg(k, R, r, w, v, alpha, a)
        np.testing.assert_allclose(a20.T @ paper.U3, m.joint_axis[k], atol=OF_THE_PAPER)
        for ours, theirs in ((found.joint, q), (found.joint_rate, q_t), (found.joint_acceleration, q_tt)):
            np.testing.assert_allclose(ours[k], theirs, atol=OF_THE_PAPER)
        np.testing.assert_allclose(found.universal[k], phi, atol=OF_THE_PAPER)
        np.testing.assert_allclose(found.universal_rate[k], phi_t, atol=OF_THE_PAPER)
        np.testing.assert_allclose(found.universal_acceleration[k], phi_tt, atol=OF_THE_PAPER)
        np.testing.assert_allclose(rods.angular_velocity[k], omega, atol=OF_THE_PAPER)
        np.testing.assert_allclose(rods.angular_acceleration[k], epsilon, atol=OF_THE_PAPER)


def test_rates_per_unit_rate_of_each_drive():
    """Equation (15): one slider at 1 m/s, the others at rest, and the twists that this gives the platform."""
    m = gough.load("sinatra2009")
    J = gough.kinematics.inverse_jacobian(m, m.home)
    found = passive_joints(m, m.home, J.T)
    np.testing.assert_allclose(found.joint_rate, np.eye(6), atol=ROUND_OFF)
    assert found.universal_rate.shape == (6, 6, 2)


# Without axes
