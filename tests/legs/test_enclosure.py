"""Bounds of legs over balls: nothing a leg does inside is outside them, and they close in with the ball."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough

ROUND_OFF = 1e-12
"""Of lengths below ten metres, and of angles."""
KINDS = ("hexel", "rotopod", *SKEW)
BALLS, POINTS = 40, 300


def sampled(name, size, rng):
    """Enclosures of balls about random positions, and joint values, rods and feet at points inside."""
    m = gough.load(name)
    centre = m.X_home[:3, 3] + rng.uniform(-0.4, 0.4, (BALLS, 3)) * m.size
    radius = size * m.size
    within = rng.normal(size=(BALLS, POINTS, 3))
    within *= radius * rng.uniform(0.3, 1, (BALLS, POINTS, 1)) / np.linalg.norm(within, axis=-1, keepdims=True)
    within[:, 0] = 0  # the centre itself comes first
    X = np.tile(m.X_home, (BALLS, POINTS, 1, 1))
    X[..., :3, 3] = centre[:, None] + within
    b_B = centre[:, None] + m.b_P @ m.X_home[:3, :3].T
    bounds = m.legs.enclosure(b_B, np.full((BALLS, 1), radius))
    q = gough.inverse_kinematics(m, X)
    p_B = m.legs.driven_points(q)
    d = X[..., None, :3, 3] + m.b_P @ m.X_home[:3, :3].T - p_B
    return bounds, q, d / np.linalg.norm(d, axis=-1, keepdims=True), p_B


@pytest.mark.parametrize("size", [0.5, 0.1, 0.01, 1e-4])
@pytest.mark.parametrize("name", KINDS)
def test_no_leg_leaves_its_bounds(name, size, rng):
    bounds, q, u, p_B = sampled(name, size, rng)
    closes = np.isfinite(q)
    assert closes.any()
    assert (np.where(closes, q - bounds.q_low[:, None], 0) >= -ROUND_OFF).all()
    assert (np.where(closes, bounds.q_high[:, None] - q, 0) >= -ROUND_OFF).all()
    chord = np.linalg.norm(u - bounds.u[:, None], axis=-1)
    assert (np.where(closes, bounds.u_shift[:, None] - chord, 0) >= -ROUND_OFF).all()
    both = closes & closes[:, :1]
    centred = bounds.is_centred[:, None] & both
    moved, turned = np.linalg.norm(p_B - p_B[:, :1], axis=-1), np.linalg.norm(u - u[:, :1], axis=-1)
    for is_in, factor in ((both, 2), (centred, 1)):
        assert (np.where(is_in, factor * bounds.p_shift[:, None] - moved, 0) >= -ROUND_OFF).all()
        assert (np.where(is_in, factor * bounds.u_shift[:, None] - turned, 0) >= -ROUND_OFF).all()


@pytest.mark.parametrize("name", KINDS)
def test_bounds_of_small_balls_are_near_what_happens_in_them(name, rng):
    bounds, q, u, _ = sampled(name, 1e-4, rng)
    closes = np.isfinite(q).all(axis=1)
    spread = np.ptp(q, axis=1)[closes]
    assert np.median((bounds.q_high - bounds.q_low)[closes] / spread) < 2
    turned = np.linalg.norm(u - bounds.u[:, None], axis=-1).max(axis=1)[closes]
    assert np.median(bounds.u_shift[closes] / turned) < 1.3


@pytest.mark.parametrize("name", ["sinatra2009", "servo", *SKEW[1:]])
def test_a_ball_out_of_reach_is_known_to_be_open(name):
    m = gough.load(name)
    far = np.broadcast_to(m.b_home + 10 * m.size * np.array([0.0, 1.0, 0.0]), (1, 6, 3))
    bounds = m.legs.enclosure(far, np.full((1, 1), m.size))
    is_open = bounds.q_low > bounds.q_high
    assert is_open.any()
    assert np.isnan(m.legs.joints_at(far[0])[is_open[0]]).all()
