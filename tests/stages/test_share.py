"""What moves as the share says: states of both platforms along motions of the end platform, loads and top speeds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import multibody, stages
from gough.dynamics import CosineMotion, motion_forces
from gough.dynamics.motions import SplineMotion, states_of_all
from gough.stages.frames import TERMS

STEP = 1e-3
"""Of differences of fourth order in time [s]."""
DIFFERENCES = 1e-8
"""Of what differences give, relative to the largest."""
AGREE = 1e-9
"""Of two engines, relative to the largest force."""
WEIGHTS = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12 * STEP)


def wandering(m, rng):
    """A motion of the end platform that turns about all axes, within a tenth of the size."""
    X = np.tile(m.end_home, (5, 1, 1))
    X[:, :3, :3] = Rotation.from_rotvec(rng.normal(size=(5, 3)) * 0.1).as_matrix() @ X[:, :3, :3]
    X[:, :3, 3] += rng.normal(size=(5, 3)) * 0.02 * m.size
    return SplineMotion(np.arange(5.0), X)


@pytest.mark.parametrize("share", [0.0, 0.35, 1.0])
def test_twists_and_accelerations_of_both_platforms_are_rates_of_their_poses(double, rng, share):
    m = replace(double, share=share)
    motion, t = wandering(m, rng), 1.3 + STEP * np.arange(-2, 3)
    X, V, A = states_of_all(m, motion(t))
    np.testing.assert_allclose(X, stages.resolve_redundancy(m, motion(t)[0]).matrix, atol=1e-14)
    turned = Rotation.from_matrix((X[..., :3, :3] @ X[2, :, :3, :3].swapaxes(-1, -2)).reshape(-1, 3, 3)).as_rotvec()
    moved = np.concatenate([X[..., :3, 3], turned.reshape(5, 2, 3)], axis=-1)
    for values, rate in ((moved, V), (V, A)):
        found = np.tensordot(WEIGHTS, values, axes=1)
        np.testing.assert_allclose(found, rate[2], rtol=0, atol=DIFFERENCES * np.abs(rate[2]).max())


@pytest.mark.parametrize("angle", [0.0, 0.3, 3.0])
def test_terms_left_out_of_the_series_are_rounding(double, rng, angle, monkeypatch):
    m = replace(double, share=0.35)
    X, V, A = m.end_home.copy(), *rng.normal(size=(2, 6))
    axis = np.array([0.6, 0.0, 0.8])
    X[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix() @ X[:3, :3]
    X[:3, 3] += rng.normal(size=3)
    found = states_of_all(m, (X, V, A))
    monkeypatch.setattr("gough.stages.frames._needed_terms", lambda screw: TERMS)
    for some, every in zip(found, states_of_all(m, (X, V, A)), strict=True):
        np.testing.assert_allclose(some, every, rtol=0, atol=1e-13 * np.abs(every).max())


@pytest.mark.parametrize("of_both", [False, True])
def test_loads_of_a_motion_are_those_of_26_solids(double, rng, of_both):
    """Of the end platform's motion, and of any of both: out and back along directions of their own."""
    given, t, times = wandering(double, rng), 1.3, np.linspace(1.2, 1.4, 5)
    if of_both:
        moves = [CosineMotion(X, 0.03 * rng.normal(size=6), 1.0) for X in double.X_home]
        given = Together(moves)
    X, V, A = given(t) if of_both else states_of_all(double, given(t))
    system = multibody.stacked(double.stages, [X[0], stages.upper_pose(double, X)], mounts=[double.X_IU], struts="UPS")
    state = system.state({"stage 1": V[0], "stage 2": V[1]})
    wanted, drives = {"stage 1": A[0], "stage 2": A[1]}, [f"drive {i}" for i in range(1, 13)]
    expected = multibody.inverse_dynamics(system, wanted, drives, state).magnitudes
    found = motion_forces(double, given, times)
    np.testing.assert_allclose(found.force[2], expected, rtol=0, atol=AGREE * np.abs(expected).max())
    work = np.sum(found.force * found.joint_rate, axis=1)
    np.testing.assert_allclose(found.power.sum("leg"), work, rtol=AGREE, atol=AGREE * np.abs(found.power).max())
    assert found.peak_force.shape == (12,)


class Together:
    """Motions of both platforms as one."""

    span = (0.0, 2.0)

    def __init__(self, moves):
        self.moves = moves

    def __call__(self, time):
        t = np.asarray(time)
        return tuple(np.stack(parts, axis=t.ndim) for parts in zip(*(move(t) for move in self.moves), strict=True))


@pytest.fixture
def quick(double):
    """Stages of unlike speeds, every leg its own, that share unevenly; and a place away from home."""
    speeds = (np.linspace(0.2, 0.4, 6), np.linspace(0.5, 0.3, 6))
    of_stages = (
        replace(s, limits=replace(s.limits, joint_speed=v)) for s, v in zip(double.stages, speeds, strict=True)
    )
    X = double.end_home.copy()
    X[:3, :3] = Rotation.from_rotvec([0.05, -0.04, 0.03]).as_matrix() @ X[:3, :3]
    return replace(double, stages=tuple(of_stages), share=0.35), X


def rates(m, X, V, h=1e-5):
    """Joint rates (n, 12) of twists (n, 6) of the point of interest, by differences of the postures' joints."""
    from gough.displacements import displaced

    ends = [displaced(X, side * h * V, m.point_of_interest) for side in (1, -1)]
    q = [gough.inverse_kinematics(m, stages.resolve_redundancy(m, Y).matrix) for Y in ends]
    return (q[0] - q[1]) / (2 * h)


def test_at_a_top_speed_one_of_twelve_joints_is_at_its_own(quick, rng):
    m, X = quick
    e, d = gough.velocity_envelope(m, X), rng.normal(size=(8, 6))
    d /= np.linalg.norm(d[:, :3], axis=1, keepdims=True)
    used = np.abs(rates(m, X, e.speed(d)[:, None] * d)) / e.joint_speed
    np.testing.assert_allclose(used.max(axis=1), 1.0, rtol=1e-6)
    assert list(1 + used.argmax(axis=1)) == list(e.limiting_leg(d))


@pytest.mark.parametrize("motion", ["translation", "rotation"])
def test_guaranteed_and_fastest_are_the_least_and_the_most_of_all_directions(quick, rng, motion):
    m, X = quick
    e, d = gough.velocity_envelope(m, X), rng.normal(size=(20_000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    speed = e.speed(np.pad(d, ((0, 0), (0, 3)) if motion == "translation" else ((0, 0), (3, 0))))
    assert e.guaranteed(motion) == pytest.approx(speed.min(), rel=0.01)
    assert e.guaranteed(motion) <= speed.min()
    assert e.fastest(motion) == pytest.approx(speed.max(), rel=0.05)
    assert e.fastest(motion) >= speed.max()
    assert np.linalg.norm(e.vertices(motion), axis=1).max() == pytest.approx(e.fastest(motion), rel=1e-9)
