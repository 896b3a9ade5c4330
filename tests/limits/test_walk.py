"""What each guard of steps along paths is for: ends of reach, thin rods that pass, margins that turn round."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import MACHINES, SKEW

import gough
from gough.limits.interval_search import columns_along, find_intervals, limits_for_search, poses_at, reach_box
from gough.limits.table import walking_length

EXACT = 1e-9
"""In walking lengths."""
NOT_SINGULAR = ("singularity",)
"""Ignored: it may be met anywhere on paths that are about other limits."""


@pytest.fixture(scope="module")
def thin_sliders():
    """Near the ends of its reach a slider is fast, and its thin rod passes another within a small move."""
    return gough.load(MACHINES / "thin-sliders.toml")


def test_rods_that_pass_each_other_near_the_end_of_reach_end_the_travel(thin_sliders, rng):
    m, part = thin_sliders, np.linspace(0, 1, 400)[:-1]
    moves = [-0.75, -1.38, 0] + 0.3 * rng.normal(size=(200, 3))
    moves /= np.linalg.norm(moves, axis=1, keepdims=True)
    t = gough.travel(m, np.concatenate([moves, 0 * moves], axis=1))
    points = m.X_home[:3, 3] + (t.distance[:, None] * part)[..., None] * moves[:, None]
    assert gough.margins(m, gough.pose_matrix(points)).is_allowed.all()


@pytest.mark.parametrize("seed", range(4))
def test_no_interval_of_a_column_is_missed_near_the_end_of_reach(thin_sliders, seed):
    m, rng = thin_sliders, np.random.default_rng([seed, 11])
    R = Rotation.from_rotvec(0.2 * rng.normal(size=3)).as_matrix() @ m.X_home[:3, :3]
    low, high = reach_box(m, R)
    feet = np.column_stack([rng.uniform(low[:2], high[:2], (150, 2)), np.full(150, low[2])])
    ends = columns_along(m, limits_for_search(m), R, feet, high[2] - low[2]).ends
    z = np.linspace(low[2], high[2], 800)
    points = np.tile(feet[:, None], (1, len(z), 1))
    points[..., 2] = z
    is_allowed = gough.margins(m, poses_at(m, R, points)).is_allowed
    found = ((ends[:, None, :, 0] <= z[:, None]) & (z[:, None] <= ends[:, None, :, 1])).any(axis=-1)
    assert is_allowed.any(axis=1).sum() > 5
    np.testing.assert_array_equal(found, is_allowed)


def first_leg_into_reach(m):
    """The machine on guides through its joints, along x and y, with only the first leg near the end of its reach, which
    it meets at home on the way up; no other limit. And a pose's change in a walking length upwards."""
    guides = m.b_P + m.X_home[:3, 3]
    guides[0, 2] += m.legs.rod_length[0]
    legs = replace(m.legs, a_B=guides, g_B=np.tile(np.eye(3)[:2], (3, 1)))
    step = np.zeros((4, 4))
    step[2, 3] = walking_length(m)
    return replace(m, legs=legs, limits=replace(m.limits, leg_radius=None, joint_max=np.full(6, np.inf))), step


def test_thin_rods_that_cross_part_an_interval_wherever_the_path_begins(thin_sliders):
    """Their clearance falls below zero and rises again within a tenth of a step, while two legs near their ends of
    reach are fast."""
    thin = replace(thin_sliders.limits, leg_radius=np.full(6, 1e-3 * thin_sliders.size))
    m, starts = replace(thin_sliders, limits=thin), np.linspace(0, 0.06, 60)
    X = gough.pose_matrix(np.zeros((60, 3)))
    X[:, :3, :3] = Rotation.from_rotvec([-0.0314, 0.4628, -0.0002]).as_matrix()
    X[:, :3, 3] = [-0.135, -0.0606, 0.7126] + starts[:, None] * [0.795, -2.471, -4.542]
    along = np.tile([0.795, -2.471, -4.542, 0, 0, 0], (60, 1))
    found = find_intervals(m, limits_for_search(m, NOT_SINGULAR), X, along, np.full(60, 0.2))
    assert (found.count == 2).all()
    ends = found.ends[:, :2].reshape(60, 4) + starts[:, None]
    np.testing.assert_allclose(ends, np.tile(ends[0], (60, 1)), rtol=0, atol=EXACT)
    assert ends[0, 2] - ends[0, 1] < 1e-3


@pytest.mark.parametrize("name", ["hexel", *SKEW])
@pytest.mark.parametrize("limit", ["tilt", "rotation", "radius"])
def test_a_narrow_limit_about_home_is_met_wherever_the_path_begins(name, limit):
    """On a straight path through home: the tool's tilt, rotation or distance has its least there, with a corner."""
    m, narrow = gough.load(name), 2e-3
    one = m.size if limit == "radius" else 1.0
    limits = replace(m.limits, tilt=np.inf, rotation=np.inf, radius=np.inf, leg_radius=None)
    m = replace(m, limits=replace(limits, **{limit: narrow * one}))
    direction = np.zeros(6)
    direction[{"tilt": 3, "rotation": 5, "radius": 0}[limit]] = one
    starts = -np.linspace(0.01, 0.03, 40)
    X = np.tile(m.X_home, (40, 1, 1))
    X[:, :3, :3] = Rotation.from_rotvec(starts[:, None] * direction[3:]).as_matrix() @ m.X_home[:3, :3]
    point = m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3] + starts[:, None] * direction[:3]
    X[:, :3, 3] = point - X[:, :3, :3] @ m.point_of_interest
    along = np.tile(direction, (40, 1))
    found = find_intervals(m, limits_for_search(m, NOT_SINGULAR), X, along, np.full(40, 0.06))
    assert (found.count == 1).all()
    middle = found.ends[:, 0].mean(axis=1) + starts
    np.testing.assert_allclose(middle, 0.0, atol=1e-5)


@pytest.mark.parametrize("depth", [1e-5, 1e-4, 3e-4])
def test_a_short_interval_before_the_end_of_reach_is_found_wherever_a_path_begins(thin_sliders, depth):
    """Across its guide the first leg goes to the end of its reach; its joint hardly moves at first, and comes within
    its travel shortly before the end, where it is fast."""
    m, _ = first_leg_into_reach(thin_sliders)
    rod = m.legs.rod_length[0]
    end = np.sqrt(2 * depth - depth**2) * rod  # the rod, and how far it is from the guide, are two sides of a triangle
    X = np.tile(m.X_home, (40, 1, 1))
    X[:, 2, 3] += depth * rod
    opens = X[:1].copy()
    opens[0, 1, 3] += 0.99 * end
    least = np.full(6, -np.inf)
    least[0] = gough.inverse_kinematics(m, opens)[0, 0]
    m = replace(m, limits=replace(m.limits, joint_min=least))
    begins = np.linspace(0.05, 0.6, 40) * end
    X[:, 1, 3] += begins
    along = np.tile(np.eye(6)[1], (40, 1))
    found = find_intervals(m, limits_for_search(m, NOT_SINGULAR), X, along, np.full(40, 1.5 * end))
    assert (found.count == 1).all()
    ends = (found.ends[:, 0] + begins[:, None]) / end
    np.testing.assert_allclose(ends, np.tile([0.99, 1.0], (40, 1)), rtol=0, atol=1e-6)
