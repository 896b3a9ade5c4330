"""Recorded motions as docs/recorded-motion.md defines them: ends of splines, mean poses, gains of limits on axes."""

from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough.motion.recorded.fitting import per_axis_scale
from gough.motion.recorded.recorded_motion import RecordedMotion


def test_the_ends_of_its_splines_are_not_knots(rng):
    """One polynomial of fifth degree over the first three intervals, and over the last three; none over four."""
    t = np.cumsum(rng.uniform(0.5, 1.5, 16))
    X = np.tile(np.eye(4), (16, 1, 1))
    X[:, :3, 3] = rng.normal(size=(16, 3))
    record = RecordedMotion(t, X)
    for first, last, is_one in ((0, 3, True), (-4, -1, True), (0, 4, False), (-5, -1, False)):
        s = np.linspace(t[first], t[last], 60)
        x, local = record(s)[0][:, :3, 3], 2 * (s - s[0]) / (s[-1] - s[0]) - 1
        V = np.polynomial.chebyshev.chebvander(local, 5)
        off = np.abs(V @ np.linalg.lstsq(V, x, rcond=None)[0] - x).max() / np.abs(x).max()
        assert (off < 1e-11) == is_one


def test_the_mean_pose_is_that_of_all_samples_however_far_apart(rng):
    """The mean position, and the rotation of the least sum of squares, by the eigenvectors of quaternions."""
    t = np.cumsum(rng.uniform(0.1, 3.0, 12))
    X = np.tile(np.eye(4), (12, 1, 1))
    turns = Rotation.from_rotvec(rng.normal(size=(12, 3)) * 0.4 + [0.2, -0.5, 0.9])
    X[:, :3, :3], X[:, :3, 3] = turns.as_matrix(), rng.normal(size=(12, 3))
    found = RecordedMotion(t, X).reference_pose("mean")
    q = turns.as_quat()
    _, vectors = np.linalg.eigh(q.T @ q)
    expected = Rotation.from_quat(vectors[:, -1]).as_matrix()
    np.testing.assert_allclose(found[:3, :3], expected, atol=1e-12)
    np.testing.assert_allclose(found[:3, 3], X[:, :3, 3].mean(axis=0), atol=1e-12)


def test_the_safe_gain_is_that_of_all_rays_to_corners_and_middles():
    """By bisection along each ray, and steps along it: the first pose beyond the reserve counts."""
    m, t = gough.load(SKEW[0]), np.linspace(0, 4, 40)
    D = np.tile(np.eye(4), (len(t), 1, 1))
    D[:, :3, 3] = 0.04 * np.column_stack([np.sin(t), 0.5 - np.cos(t), np.sin(2 * t)])
    D[:, :3, :3] = Rotation.from_rotvec(0.15 * np.column_stack([np.cos(t), np.sin(3 * t), np.sin(t)])).as_matrix()
    motion = RecordedMotion(t, D)
    found = per_axis_scale(m, motion, reserve=0.05)
    ends = np.column_stack([np.minimum(found.axes[:, 0], 0), np.maximum(found.axes[:, 1], 0)])
    signs = np.array([s for s in product((-1, 0, 1), repeat=6) if any(s)])
    ray = np.where(signs > 0, ends[:, 1], np.where(signs < 0, ends[:, 0], 0.0))
    arm = m.X_home[:3, :3] @ m.point_of_interest

    def kept(gain, rays):
        X = np.tile(m.X_home, (len(rays), 1, 1))
        turn = Rotation.from_rotvec(gain * rays[:, 3:]).as_matrix()
        X[:, :3, :3] = turn @ m.X_home[:3, :3]
        X[:, :3, 3] = m.X_home[:3, 3] + gain * rays[:, :3] + arm - turn @ arm
        return bool((np.nanmin(gough.margins(m, X).relative, axis=1) >= 0.05).all())

    for gain, rays in ((found.safe, ray), (found.alone, ray[np.abs(signs).sum(axis=1) == 1])):
        assert all(kept(part * gain * (1 - 1e-6), rays) for part in np.linspace(0.05, 1, 20))
        assert gain == 1.0 or not kept(gain * (1 + 1e-6), rays)
    assert found.safe < found.alone
