"""Poses out of which those to measure are chosen, and what is said of the calibration they will make."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.calibration import random_poses


@pytest.mark.parametrize("name", SKEW)
def test_poses_at_random_keep_every_limit_and_use_every_joints_range(name):
    m = gough.load(name)
    X = random_poses(m, 300)
    assert gough.limits.is_allowed(m, X).all()
    q, low, high = gough.inverse_kinematics(m, X), m.limits.joint_min, m.limits.joint_max
    if np.isfinite(high - low).all():
        assert (np.ptp(q, axis=0) > 0.3 * (high - low)).all()
    np.testing.assert_array_equal(X, random_poses(m, 300))
    assert not np.array_equal(X[:1], random_poses(m, 300, seed=1)[:1])


def test_without_limits_of_joints_they_are_about_home():
    hexel = gough.load("hexel")
    m = gough.from_points(hexel.legs.a_B, hexel.b_P, home=hexel.home)
    away = random_poses(m, 200)[:, :3, 3] - m.X_home[:3, 3]
    assert 0.1 * m.size < np.abs(away).max() <= 0.15 * m.size
