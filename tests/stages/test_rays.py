"""Workspaces of two stages by rays: travels along them, brute force between their ends, and machines of one stage that
do the same."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW_STACK
from tests.thorough import thorough

import gough
from gough import stages, workspaces

ROUND_OFF = 1e-9
"""Of the machine's size, or of a radian."""
CLEAR = 0.03
"""Distance from the ends of intervals beyond which samples count, in the units of the rays: steps are shorter."""
FIND = {"positions": workspaces.workspace_rays, "turns": workspaces.orientation_workspace}


@pytest.fixture(params=[SKEW_STACK, *thorough("double-hexapod")], scope="module")
def stack(request):
    return replace(gough.load(request.param), share=0.35)


def start_of(m, turn=(0.05, -0.1, 0.08), part=(0.02, -0.03, 0.01)):
    """A pose of the end platform away from home, and the point of interest there."""
    X = m.end_home.copy()
    X[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ X[:3, :3]
    place = m.home_point + m.size * np.asarray(part)
    X[:3, 3] = place - X[:3, :3] @ m.point_of_interest
    return X, place


def found_from(m, kind, X, place, **how):
    if kind == "positions":
        return workspaces.workspace_rays(m, X, centre=place, **how)
    return workspaces.orientation_workspace(m, place, reference=X, **how)


def twists_of(rays):
    return np.roll(np.concatenate([rays.directions, 0 * rays.directions], axis=1), 3 * rays.is_rotation, axis=1)


@pytest.mark.parametrize("kind", FIND)
def test_rays_end_where_travels_do(stack, kind):
    X, place = start_of(stack)
    rays = found_from(stack, kind, X, place, level=2)
    travel = gough.travel(stack, twists_of(rays), X)
    np.testing.assert_allclose(rays.radius, travel.distance, rtol=0, atol=ROUND_OFF)
    np.testing.assert_array_equal(np.array(rays.names)[rays.radius_binding], travel.binding)
    np.testing.assert_array_equal(rays.middle, stages.resolve_redundancy(stack, X).matrix)


@pytest.mark.parametrize("kind", FIND)
@pytest.mark.parametrize("turn", [(0.05, -0.1, 0.08), (0.9, 0.3, -0.2)], ids=["inside", "outside"])
def test_every_interval_and_nothing_else_is_allowed(stack, kind, turn):
    X, place = start_of(stack, turn)
    rays = found_from(stack, kind, X, place, level=1)
    assert (rays.ends[:, 0, 0] == 0).all() == (turn[0] < 0.5)
    assert kind == "positions" or rays.count.any()
    s = np.linspace(0.0, 3.1 if rays.is_rotation else 1.2 * stack.size, 400)
    for d, ends in zip(rays.directions, rays.ends, strict=True):
        R = X[:3, :3] if kind == "positions" else Rotation.from_rotvec(s[:, None] * d).as_matrix() @ X[:3, :3]
        poses = np.broadcast_to(X, (len(s), 4, 4)).copy()
        poses[:, :3, :3] = R
        poses[:, :3, 3] = place + s[:, None] * d * (kind == "positions") - R @ stack.point_of_interest
        allowed = stages.resolve_redundancy(stack, poses).is_allowed
        within = ((ends[:, 0] <= s[:, None]) & (s[:, None] <= ends[:, 1])).any(axis=1)
        near = (np.abs(s[:, None, None] - ends) < CLEAR).any(axis=(1, 2))
        np.testing.assert_array_equal(allowed[~near], within[~near])


def lower_alone(m):
    """The lower stage with the stack's point of interest, which it carries where it goes all of the displacement."""
    interest = np.linalg.inv(m.lower.X_home) @ np.append(m.home_point, 1.0)
    return replace(m.lower, point_of_interest=interest[:3])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", FIND)
def test_with_all_of_it_in_the_lower_stage_they_are_the_rays_of_that_stage(stack, kind):
    both, alone = FIND[kind](replace(stack, share=1.0), level=1), FIND[kind](lower_alone(stack), level=1)
    np.testing.assert_array_equal(both.count, alone.count)
    np.testing.assert_allclose(both.ends, alone.ends, rtol=0, atol=ROUND_OFF)
    # Rounding decides which of several legs that tie is named.
    used = [of_any_leg(both.names[c]) for c in both.radius_binding]
    np.testing.assert_array_equal(used, [of_any_leg(f"stage 1 {alone.names[c]}") for c in alone.radius_binding])
    assert both.volume == pytest.approx(alone.volume, rel=1e-9)
    for of_both, of_one in zip((both.extent.low, both.extent.high), (alone.extent.low, alone.extent.high), strict=True):
        np.testing.assert_allclose(of_both, of_one, atol=1e-5)
    found, expected = Counter(), Counter()
    for name, share in both.boundary_share.items():
        found[of_any_leg(name)] += share.value
    for name, share in alone.boundary_share.items():
        expected[of_any_leg(f"stage 1 {name}")] += share.value
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-5)


def of_any_leg(name):
    """The name of a limit without the number of the leg."""
    return re.sub(r"leg \d", "leg", name)


@pytest.mark.parametrize("kind", FIND)
def test_with_nothing_of_it_in_the_lower_stage_they_are_travels_of_the_upper_one(stack, kind):
    rays = FIND[kind](replace(stack, share=0.0), level=2)
    R = np.kron(np.eye(2), (stack.lower.X_home @ stack.X_IU)[:3, :3])
    travel = gough.travel(stack.upper, twists_of(rays) @ R)
    np.testing.assert_allclose(rays.radius, travel.distance, rtol=0, atol=ROUND_OFF)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", FIND)
def test_the_extent_is_at_allowed_poses_on_the_limits_that_it_names(stack, kind):
    X, place = start_of(stack)
    rays = found_from(stack, kind, X, place, level=1)
    ends = np.concatenate([rays.extent.low_positions, rays.extent.high_positions])
    farthest = rays.radius[:, None] * rays.directions + (0 if rays.is_rotation else place)
    assert (rays.extent.high >= farthest.max(axis=0) - ROUND_OFF).all()
    assert (rays.extent.low <= farthest.min(axis=0) + ROUND_OFF).all()
    poses = np.broadcast_to(X, (6, 4, 4)).copy()
    poses[:, :3, :3] = (Rotation.from_rotvec(ends).as_matrix() if rays.is_rotation else np.eye(3)) @ X[:3, :3]
    poses[:, :3, 3] = (place if rays.is_rotation else ends) - poses[:, :3, :3] @ stack.point_of_interest
    margins = stages.resolve_redundancy(stack, poses).margins
    assert np.abs(margins.smallest).max() < 1e-7
    for row, names in zip(margins.relative, rays.extent.active_limits, strict=True):
        assert margins.names[int(np.argmin(row))] in names


def test_ignored_limits_end_no_turn(stack):
    rays = workspaces.orientation_workspace(stack, level=1)
    ignored = tuple({rays.names[c] for c in rays.radius_binding})
    wider = workspaces.orientation_workspace(stack, level=1, ignore=ignored)
    assert (wider.radius > rays.radius).all()
    assert not {wider.names[c] for c in wider.binding.ravel() if c >= 0} & set(ignored)
