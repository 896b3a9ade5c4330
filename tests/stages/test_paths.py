"""Travel and workspace of two stages: brute force over postures, and machines of one stage that do the same."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.poses import displaced
from tests.skew import SKEW_STACK

import gough
from gough import stages
from gough.displacements import displacement
from gough.limits.interval_search import reach_box

ROUND_OFF = 1e-9
"""Of the machine's size."""
BEYOND = 1e-7
"""Part of a travel by which it is cut short or overrun; margins are told apart from zero there."""


def moved(m, X, direction, s):
    """The end platform's pose (4, 4) after s along a direction about the point of interest."""
    return displaced(X, s * np.asarray(direction), m.point_of_interest)


def directions_of(rng, count):
    d = rng.normal(size=(count, 6))
    d[: count // 3, 3:], d[count // 3 : 2 * count // 3, :3] = 0.0, 0.0
    return d / np.where((size := np.linalg.norm(d[:, :3], axis=1)) > 0, size, np.linalg.norm(d, axis=1))[:, None]


@pytest.fixture(params=["double-hexapod", SKEW_STACK], scope="module")
def shared_out(request):
    """A stack that shares by another part than a half, and a start of the end platform away from home."""
    m = replace(gough.load(request.param), share=0.35)
    return m, moved(m, m.end_home, np.array([0.3, -0.2, 0.5, 0.4, 0.3, -0.5]) / 20, m.size)


def test_travel_ends_where_the_inverse_kinematics_leaves_the_limits(shared_out, rng):
    m, start = shared_out
    directions = directions_of(rng, 9)
    found = gough.travel(m, directions, start)
    assert np.isfinite(found.distance).all()
    for k, d in enumerate(directions):
        s = float(found.distance[k])
        path = np.array([moved(m, start, d, part * s) for part in (*np.linspace(0, 1 - BEYOND, 60), 1 + BEYOND)])
        postures = stages.resolve_redundancy(m, path, "fixed")
        assert postures.is_allowed[:-1].all()
        assert not postures.is_allowed[-1]
        assert postures.margins.binding[-1] == found.binding[k]
        end = stages.resolve_redundancy(m, moved(m, start, d, s)).matrix
        np.testing.assert_allclose(found.matrix[k], end, atol=ROUND_OFF * m.size)


@pytest.mark.parametrize("euler", [False, True])
def test_all_of_a_path_in_the_lower_stage_is_a_travel_of_that_stage(shared_out, rng, euler):
    """The intermediate platform then moves with the end platform as one body."""
    m, start = replace(shared_out[0], share=1.0), shared_out[1]
    both = stages.resolve_redundancy(m, start).matrix
    interest = np.linalg.inv(m.lower.X_home) @ np.append(m.home_point, 1.0)
    lower = replace(m.lower, point_of_interest=interest[:3])
    directions = directions_of(rng, 9)
    expected = gough.travel(lower, directions, both[0], euler=euler)
    found = gough.travel(m, directions, start, euler=euler)
    np.testing.assert_allclose(found.distance, expected.distance, rtol=0, atol=ROUND_OFF * m.size)
    assert [name.removeprefix("stage 1 ") for name in found.binding] == list(expected.binding)
    np.testing.assert_allclose(found.matrix[:, 0], expected.matrix, atol=ROUND_OFF * m.size)


def test_nothing_of_a_path_in_the_lower_stage_is_a_travel_of_the_upper_one(shared_out, rng):
    m = replace(shared_out[0], share=0.0)
    R = np.kron(np.eye(2), (m.lower.X_home @ m.X_IU)[:3, :3])
    directions = directions_of(rng, 9)
    expected = gough.travel(m.upper, directions @ R)
    found = gough.travel(m, directions)
    np.testing.assert_allclose(found.distance, expected.distance, rtol=0, atol=ROUND_OFF * m.size)
    assert [name.removeprefix("stage 2 ") for name in found.binding] == list(expected.binding)


def test_no_sampled_posture_is_allowed_nearer_than_the_nearest(rng):
    m = replace(gough.load(SKEW_STACK), share=0.35)
    d = np.append(rng.normal(size=3), np.zeros(3))
    wanted = moved(m, m.end_home, d, 1.2 * float(gough.travel(m, d).distance) / np.linalg.norm(d))
    n = gough.nearest_pose(m, wanted)
    assert gough.margins(m, n.matrix).is_allowed
    assert set(n.active_limits) <= set(np.array(gough.margins(m, n.matrix).names))
    np.testing.assert_allclose(n.matrix, stages.resolve_redundancy(m, n.matrix[1]).matrix, atol=ROUND_OFF * m.size)
    departed = displacement(wanted, n.matrix[1], m.point_of_interest)
    np.testing.assert_allclose(departed, [*n.translation, *n.rotation], atol=ROUND_OFF)
    x = rng.normal(size=(2000, 6))
    x *= 0.98 * n.distance / np.linalg.norm(x, axis=1, keepdims=True) / np.repeat([1.0, n.length], 3)
    around = np.array([moved(m, wanted, each, 1.0) for each in x])
    assert not stages.resolve_redundancy(m, around).is_allowed.any()


def test_with_nothing_of_it_in_the_lower_stage_the_nearest_pose_is_that_of_the_upper_one():
    m = replace(gough.load(SKEW_STACK), share=0.0)
    X_BU = m.lower.X_home @ m.X_IU
    wanted = moved(m, m.end_home, np.array([0.1, -0.2, 0.3, 0.2, -0.1, 0.1]), m.size)
    n, alone = gough.nearest_pose(m, wanted), gough.nearest_pose(m.upper, np.linalg.inv(X_BU) @ wanted)
    assert n.distance == pytest.approx(alone.distance, rel=1e-6)
    np.testing.assert_allclose(n.matrix, [m.lower.X_home, X_BU @ alone.matrix], atol=1e-6 * m.size)
    assert n.active_limits == tuple(f"stage 2 {name}" for name in alone.active_limits)


@pytest.mark.thorough
def test_corners_of_a_range_are_ends_of_travels_and_those_of_the_lower_stage_where_it_goes_all(monkeypatch):
    """Both looked for from few directions, from which climbs lead to the same."""
    of_range = import_module("gough.regions.corners")
    monkeypatch.setattr(of_range, "STEPS", (30.0,))
    monkeypatch.setattr(of_range, "SCANS", (7,))
    monkeypatch.setattr(of_range, "FINE", 0.03)
    m = replace(gough.load(SKEW_STACK), share=1.0)
    interest = np.linalg.inv(m.lower.X_home) @ np.append(m.home_point, 1.0)
    alone = of_range.corners(replace(m.lower, point_of_interest=interest[:3]), "rotation")
    found = of_range.corners(m, "rotation")
    np.testing.assert_allclose(found.points, alone.points, atol=1e-6)
    np.testing.assert_allclose(found.matrix[:, 0], alone.matrix, atol=1e-6 * m.size)


def test_straight_paths_end_where_steps_and_root_finding_end_them(monkeypatch, shared_out, rng):
    """Kernels of each stage against the margins of both, also from a home on a limit, inwards and outwards."""
    m, start = shared_out
    lines = directions_of(rng, 24)[:8]
    limits = m.lower.limits
    longest = np.where(np.arange(6) == 3, gough.inverse_kinematics(m, m.X_home)[:6], limits.joint_max)
    tight = replace(m, stages=(replace(m.lower, limits=replace(limits, joint_max=longest)), m.upper))
    for one, X in ((m, start), (tight, m.end_home)):
        exact = gough.travel(one, [*lines, *-lines], X)
        with monkeypatch.context() as patch:
            patch.setattr("gough.limits.interval_search.LONGEST", 0.0)  # no path is short enough for the kernels
            followed = gough.travel(one, [*lines, *-lines], X)
        np.testing.assert_allclose(exact.distance, followed.distance, rtol=0, atol=1e-12 * m.size)
        np.testing.assert_array_equal(exact.binding, followed.binding)
    assert (exact.distance < 1e-12 * m.size).sum() == len(lines), "outwards"


def test_a_travel_without_limits_is_endless():
    angles = np.radians([0, 60, 120, 180, 240, 300])
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6)])
    free = gough.from_points(ring, 0.5 * np.roll(ring, 1, axis=0) @ Rotation.from_rotvec([0, 0, -0.5]).as_matrix())
    m = stages.stack(free, free)
    assert gough.travel(m, [0, 0, 1, 0, 0, 0]).sentence() == "no limit ends it"


@pytest.fixture(scope="module")
def space(shared_out):
    m, start = shared_out
    return gough.workspace(m, start, samples=9)


def test_columns_end_where_travel_does(shared_out, space):
    """By another search: short steps, halved, against the kernels' common intervals."""
    m, start = shared_out
    i, j, k = np.nonzero(np.isfinite(space.ends[..., 0]))
    chosen = np.arange(len(i))[:: max(1, len(i) // 12)]
    i, j, k = i[chosen], j[chosen], k[chosen]
    middle = space.ends[i, j, k].mean(axis=1)
    starts = np.tile(start, (len(i), 1, 1))
    starts[:, :3, 3] = np.column_stack([space.x[i], space.y[j], middle]) - start[:3, :3] @ m.point_of_interest
    for side, sign in ((0, -1.0), (1, 1.0)):
        found = gough.travel(m, [0, 0, sign, 0, 0, 0], starts)
        np.testing.assert_allclose(middle + sign * found.distance, space.ends[i, j, k, side], atol=ROUND_OFF * m.size)
        assert [space.names[b] for b in space.binding[i, j, k, side]] == list(found.binding)


def test_limits_that_both_stages_reach_together_are_named_of_the_lower_one():
    """Halves of a displacement are the same for two stages alike, but for rounding."""
    found = gough.workspace(gough.load("double-hexapod"), samples=7)
    assert {found.names[c].split()[1] for c in np.unique(found.binding[found.binding >= 0])} == {"1"}
    assert {found.names[c].split()[1] for c in found.mesh().binding} == {"1"}


def test_the_workspace_is_what_the_inverse_kinematics_allows(shared_out, space, rng):
    m, start = shared_out
    low, high = reach_box(m, start[:3, :3])
    positions = np.concatenate([rng.uniform(low, high, (20000, 3)), rng.uniform(*space.bounds, (200, 3))])
    poses = np.tile(start, (len(positions), 1, 1))
    poses[:, :3, 3] = positions - start[:3, :3] @ m.point_of_interest
    inside = stages.resolve_redundancy(m, poses).is_allowed
    volume, error = inside[:20000].mean() * np.prod(high - low), np.prod(high - low) * np.sqrt(inside.mean() / 20000)
    assert abs(volume - space.volume) < 4 * error + space.volume_error
    # Nothing is allowed outside the box: random places in one twice as large.
    centre, half = (low + high) / 2, high - low
    poses[:, :3, 3] = rng.uniform(centre - half, centre + half, positions.shape) - start[:3, :3] @ m.point_of_interest
    found = poses[stages.resolve_redundancy(m, poses).is_allowed]
    places = found[:, :3, :3] @ m.point_of_interest + found[:, :3, 3]
    assert ((places >= low) & (places <= high)).all()
