"""Motions: their twists and accelerations are the rates of their poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import InputError, ShapeError

STEP = 1e-5
"""[s]"""


def some_spline(rng, count=6):
    X = gough.pose_matrix(rng.normal(size=(count, 3)), 0.5 * rng.normal(size=(count, 3)), "XYZ")
    return gough.dynamics.SplineMotion(np.sort(rng.uniform(0, 2, count)), X), X


def assert_consistent(motion, times):
    before, after = motion(times - STEP), motion(times + STEP)
    _, V, A = motion(times)
    v = (after[0][:, :3, 3] - before[0][:, :3, 3]) / (2 * STEP)
    turn = after[0][:, :3, :3] @ before[0][:, :3, :3].swapaxes(-1, -2)
    w = Rotation.from_matrix(turn).as_rotvec() / (2 * STEP)
    found = np.concatenate([v, w], axis=1)
    np.testing.assert_allclose(V, found, rtol=0, atol=1e-7 * (1 + np.abs(found).max()))
    rate = (after[1] - before[1]) / (2 * STEP)
    np.testing.assert_allclose(A, rate, rtol=0, atol=1e-6 * (1 + np.abs(rate).max()))


def test_cosine_motions_are_consistent():
    motion = gough.dynamics.CosineMotion(
        gough.pose([0, 0, 1], [0.1, 0.2, 0.3], "XYZ"), [0.1, 0, 0.2, 0.3, 0.1, 0], 0.7, 2.0
    )
    assert_consistent(motion, np.array([0.0, 0.3, 1.9]))
    assert motion.span == (0.0, 2.0)


def test_splines_are_consistent_and_go_through_their_poses(rng):
    motion, X = some_spline(rng)
    assert_consistent(motion, np.linspace(motion.span[0] + 0.02, motion.span[1] - 0.02, 7))
    both = gough.dynamics.SplineMotion([0.0, 1.0], X[:2])
    np.testing.assert_allclose(both([0.0, 1.0])[0], X[:2], rtol=0, atol=1e-13)


def test_a_spline_through_a_motion_is_that_motion():
    m = gough.load("sinatra2009")
    exact = gough.dynamics.named_motion(m, "rotation")
    t = np.linspace(0, 3, 61)
    spline = gough.dynamics.SplineMotion(t, exact(t)[0])
    middle = np.linspace(0.5, 2.5, 11)
    for found, expected, within in zip(spline(middle), exact(middle), (1e-7, 1e-6, 1e-3), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=within)


def test_named_motions_go_against_gravity_along_x_and_about_z():
    for name in ("sinatra2009", "dumitriu2017"):
        m = gough.load(name)
        up = -m.gravity / np.linalg.norm(m.gravity)
        X, V, A = gough.dynamics.named_motion(m, "vertical", 0.1)(3.0)
        np.testing.assert_allclose(X[:3, 3], m.X_home[:3, 3] + 0.2 * up, rtol=0, atol=1e-15)
        assert np.abs(V).max() < 1e-15
        assert A[:3] @ up < 0
        np.testing.assert_allclose(
            gough.dynamics.named_motion(m, "horizontal")(3.0)[0][:3, 3] - m.X_home[:3, 3], [0.2, 0, 0]
        )
        assert gough.euler_angles(gough.dynamics.named_motion(m, "rotation")(3.0)[0], "XYZ")[2] == pytest.approx(
            np.pi / 6
        )


def test_motion_forces_carry_peaks_and_means():
    m = gough.load("sinatra2009")
    r = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical"))
    np.testing.assert_allclose(r.attrs["peak_force"], np.abs(r.force).max("time"))
    mean = np.sqrt(np.mean(r.power.to_numpy()[:-1] ** 2, axis=0))
    np.testing.assert_allclose(r.attrs["rms_power"], mean, rtol=1e-9)  # it is at rest at both ends
    pushed = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical"), wrench=[0, 0, 10.0, 0, 0, 0])
    assert not np.allclose(pushed.force, r.force)


def test_bad_motions_are_named(rng):
    X = gough.pose_matrix(np.zeros((3, 3)))
    with pytest.raises(InputError, match=r"time: pose 2 comes 4.94066e-324 s after the one before, at least 1e-09 s"):
        gough.dynamics.SplineMotion([0, 5e-324, 1], X)
    with pytest.raises(InputError, match=r"time: 1 s comes after 2 s \(pose 3\); times must increase"):
        gough.dynamics.SplineMotion([0, 2, 1], X)
    with pytest.raises(InputError, match="at least two poses"):
        gough.dynamics.SplineMotion([0], X[:1])
    with pytest.raises(ShapeError, match=r"X: expected shape \(2, 4, 4\) or \(2, 2, 4, 4\), got \(3, 4, 4\)"):
        gough.dynamics.SplineMotion([0, 1], X)
    with pytest.raises(InputError, match="a time is not a finite number"):
        gough.dynamics.SplineMotion([0, 1, np.inf], X)
    with pytest.raises(InputError, match="a pose has an entry that is not finite"):
        gough.dynamics.SplineMotion([0, 1, 2], X * np.nan)
    with pytest.raises(InputError, match="unknown motion 'sideways', expected vertical, horizontal, rotation"):
        gough.dynamics.named_motion(gough.load("servo"), "sideways")
    with pytest.raises(InputError, match="half_period: 0 s, expected above 0 s"):
        gough.dynamics.CosineMotion(np.eye(4), np.zeros(6), 1.0, 0.0)
    with pytest.raises(ShapeError, match="start: expected shape"):
        gough.dynamics.CosineMotion(X, np.zeros(6), 1.0)


def test_knots_too_near_for_rates_are_named_by_every_spline():
    t = np.arange(9.0)
    t[1] = 5e-324
    X = np.tile(np.eye(4), (9, 1, 1))
    X[:, 2, 3] = np.arange(9)
    for make in (
        lambda: gough.dynamics.SplineMotion(t, X),
        lambda: gough.motion.recorded.RecordedMotion(t, X),
        lambda: gough.motion.heads.HeadSpline(t, X[:, :3, 3]),
        lambda: gough.motion.Spline(X, t),
    ):
        with pytest.raises(InputError, match=r"1e-09 s|must increase by 1e-12"):
            make()
