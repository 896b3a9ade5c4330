"""Bounds of second order over boxes of poses: true of the legs' own derivatives, and near them."""

import numpy as np
import pytest
from tests.bounds.attack import shifted
from tests.independent.margins import distance_of_segments
from tests.rescaled import pair
from tests.skew import SKEW

import gough
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions.cell_bounds import bounds_of, surroundings
from gough.regions.cells import Cells
from gough.regions.clearance import _spin, distances

DIFFERENCES = 1e-9
"""What rounding takes, as a part of the bounds."""
SHAPES = {
    "shifts": (0.02, 0.0, False),
    "turns": (0.0, 0.03, False),
    "both": (0.02, 0.03, False),
    "at the end": (0.01, 0.02, True),
}
"""Half widths of boxes [sizes of the machine, rad], and whether they are at the end of the rods' reach."""


def along(m, q, X):
    """Q and u of poses X."""
    d = X[:, None, :3, 3] + m.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) - m.legs.driven_points(q)
    return q, d / np.linalg.norm(d, axis=-1, keepdims=True)


def end_of_reach(m, rng):
    """Where along a random displacement from home the first leg cannot close; home of struts."""
    way, low, high = rng.normal(size=6) * np.repeat([m.size, 1.0], 3), 0.0, 1.0
    if m.legs.rod() is None:
        return m.X_home
    for _ in range(60):
        middle = (low + high) / 2
        closes = np.isfinite(inverse_kinematics(m, shifted(m.X_home, middle * way[:3], middle * way[3:])[0])).all()
        low, high = (middle, high) if closes else (low, middle)
    return shifted(m.X_home, low * way[:3], low * way[3:])[0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", SKEW)
def test_legs_are_as_linear_as_their_bounds_say_and_hardly_more(name, shape, rng):
    """About home, and about poses at the end of the rods' reach, where joints and rods turn ever faster."""
    m, (shift, turn, at_end) = gough.load(name), SHAPES[shape]
    size = np.repeat([shift * m.size, turn], 3) + 1e-12
    reached = dict.fromkeys(("q1", "q2", "u1", "u2"), 0.0)
    for _ in range(20):
        X, half = end_of_reach(m, rng) if at_end else m.X_home, size * rng.uniform(0.2, 1.0, 6)
        region = box(X[:3, 3], 2 * size[:3], turn=2 * float(np.linalg.norm(size[3:])), reference=X[:3, :3])
        near = surroundings(m, region, Cells(region.centre[None], half[None]))
        legs = near.legs
        assert np.isfinite(legs.u2).all()
        h = half * np.where(rng.random((200, 1)) < 0.5, rng.choice([-1, 1], (200, 6)), rng.uniform(-1, 1, (200, 6)))
        Y = region.poses(region.centre + h)
        q, u = along(m, inverse_kinematics(m, Y), Y)
        q -= 2 * np.pi * np.round((q - legs.q) / (2 * np.pi)) * (m.legs.joint == "angle")
        beyond = q - legs.q - h @ legs.gradient[0].T
        found = {
            "q1": np.abs(q - legs.q) / legs.q1,
            "q2": np.where(beyond > 0, beyond / legs.q2_high, -beyond / np.maximum(legs.q2_low, 1e-300)) * 2,
            "u1": np.linalg.norm(u - legs.u, axis=-1) / legs.u1,
            "u2": 2 * np.linalg.norm(u - legs.u - np.einsum("nj,jkx->nkx", h, legs.u_z[0]), axis=-1) / legs.u2,
        }
        if shape == "shifts" and m.leg_kind[0] == "U":
            found["q2"] = 2 * np.maximum(beyond, 0.0) / legs.q2_high  # lengths are convex in the position
        reached = {key: max(value, float(np.nanmax(found[key]))) for key, value in reached.items()}
    assert max(reached.values()) <= 1 + DIFFERENCES
    assert min(reached["q1"], reached["u1"]) > 0.5
    assert min(reached["q2"], reached["u2"]) > 0.4


def bounds_over(m, size, half):
    """Bounds of all margins as parts of their scales, over boxes (n, 6) about home, `half` in sizes of the machine."""
    table, sides = limit_table(m), np.repeat([size, 1.0], 3)
    region = box(m.home_point, [size] * 3, turn=1.0, about=m.point_of_interest, reference=m.home)
    found = bounds_of(
        m, table, region, Cells(np.tile(region.centre, (len(half), 1)), half * sides), np.ones(len(table.columns), bool)
    )
    scales = np.array([column.scale for column in table.columns])
    return found.values / scales, found.lower / scales, found.gradient * sides / found.spare[..., None]


@pytest.mark.parametrize("name", SKEW)
def test_bounds_are_the_same_parts_of_a_machine_of_any_size(name, tmp_path, rng):
    """Lengths of ten times and other units: a term of another dimension would make one bound of the two too high."""
    half = 10.0 ** rng.uniform(-3, -1, (20, 1)) * rng.uniform(0, 1, (20, 6))
    pairs = zip(pair(name, tmp_path), (0.1, 1.0), strict=True)
    own, other = (bounds_over(gough.load(path), k, half) for path, k in pairs)
    for ours, theirs in zip(own, other, strict=True):
        np.testing.assert_allclose(np.nan_to_num(ours), np.nan_to_num(theirs), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["hexel", "pitch-circle", "hexaglide", "servo", *SKEW])
def test_a_box_of_no_size_has_the_margins_of_its_centre(name):
    values, lower, _ = bounds_over(gough.load(name), 0.1, np.zeros((1, 6)))
    np.testing.assert_allclose(lower, values, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SKEW)
def test_legs_at_one_pose_are_as_far_apart_as_the_bound_says(name, rng):
    m = gough.load(name)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    region = box(m.home_point, [0.1 * m.size] * 3, turn=1.0, about=m.point_of_interest, reference=m.home)
    cells = Cells(region.centre + region.half * rng.uniform(-0.3, 0.3, (20, 6)), np.zeros((20, 6)))
    near = surroundings(m, region, cells)
    feet = m.legs.driven_points(inverse_kinematics(m, near.motion.X))
    heads = near.motion.X[:, None, :3, 3] + m.b_P @ np.swapaxes(near.motion.X[:, :3, :3], 1, 2)
    found = distances(m, region, cells, near.motion, near.legs, pairs, np.zeros(len(pairs)))[0]
    i, j = pairs.T
    apart = distance_of_segments(feet[:, i], heads[:, i], feet[:, j], heads[:, j])
    is_known = np.isfinite(apart) & np.isfinite(found)
    assert is_known.mean() > 0.5
    np.testing.assert_allclose(found[is_known], apart[is_known], rtol=0, atol=1e-9 * m.size)


@pytest.mark.parametrize("name", SKEW)
def test_legs_that_are_too_near_are_not_where_it_is_sure_that_they_are_apart(name, rng):
    """In boxes from small to large, for distances that legs have in some part of the box."""
    m, apart, counted = gough.load(name), 0, 0
    i, j = np.triu_indices(6, 1)
    region = box(m.home_point, [0.1 * m.size] * 3, turn=1.0, about=m.point_of_interest, reference=m.home)
    for size in 10 ** np.linspace(-4, -0.5, 40):
        half = region.half * size * rng.uniform(0, 1, 6)
        near = surroundings(m, region, Cells(region.centre[None], half[None]))
        h = half * np.where(rng.random((300, 1)) < 0.5, rng.choice([-1, 1], (300, 6)), rng.uniform(-1, 1, (300, 6)))
        X = region.poses(region.centre + h)
        feet = m.legs.driven_points(inverse_kinematics(m, X))
        heads = X[:, None, :3, 3] + m.b_P @ np.swapaxes(X[:, :3, :3], 1, 2)
        lengths = distance_of_segments(feet[:, i], heads[:, i], feet[:, j], heads[:, j])
        enough = np.nanquantile(lengths, rng.uniform(0.01, 0.3), axis=0)
        pairs = np.stack([i, j], axis=1)
        cells = Cells(region.centre[None], half[None])
        _, gradient, spare = distances(m, region, cells, near.motion, near.legs, pairs, enough)
        is_sure = h @ gradient[0].T + spare[0] > 0
        assert not (is_sure & (lengths < enough - 1e-12 * m.size)).any()
        is_far = (
            (size < 1e-2) & (lengths > enough) & (np.ptp(lengths, axis=0) > 1e-9 * m.size)
        )  # not where feet stand still
        apart, counted = apart + (is_sure & is_far).sum(), counted + is_far.sum()
    assert apart > 0.5 * counted


@pytest.mark.parametrize("name", SKEW)
def test_what_bounds_of_distances_leave_shrinks_with_the_square_of_the_box(name, rng):
    m = gough.load(name)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    region = box(m.home_point, [0.1 * m.size] * 3, turn=1.0, about=m.point_of_interest, reference=m.home)
    half = region.half * rng.uniform(0.5, 1.0, (20, 6))
    left = []
    for size in (0.0, 1e-3, 2e-3):
        cells = Cells(np.tile(region.centre, (20, 1)), size * half)
        near = surroundings(m, region, cells)
        found, gradient, _ = distances(m, region, cells, near.motion, near.legs, pairs, np.zeros(len(pairs)))
        left.append(found + np.sum(np.abs(gradient) * cells.half[:, None], axis=-1))
    exact, small, large = left
    is_apart = exact - small > 1e-12 * m.size  # not where feet that stand still are the closest
    assert is_apart.mean() > 0.5
    ratio = (exact - large)[is_apart] / (exact - small)[is_apart]
    assert ratio.min() > 3.5
    assert ratio.max() < 4.5


@pytest.mark.parametrize("name", SKEW)
def test_a_crank_turns_as_its_joint_does_and_a_slider_does_not(name):
    m = gough.load(name)
    np.testing.assert_allclose(_spin(m), np.full(6, float(m.legs.joint == "angle")), atol=1e-14)
