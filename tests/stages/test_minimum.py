"""Least values over the workspace of two stages: those of one stage where the other is held, and random poses."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW_STACK
from tests.thorough import thorough

import gough
from gough import stages
from gough.displacements import displaced
from gough.kinematics.inverse import postures
from gough.machine import Actuators
from gough.workspaces.descent import Descent
from gough.workspaces.position_maps import grid_axes

SMOOTH = 1e-5
"""Relative, of the values at which two searches of one valley end."""
SEARCHES = {
    "speed": lambda m, X=None, **grid: gough.workspaces.slowest_pose(m, X, "rotation", reach_margin=0.02, **grid),
    "stiffness": gough.statics.weakest_pose,
    "frequency": gough.dynamics.lowest_frequency,
}
NONE = (None, None, None)


def driven(stage, stiffness):
    speed = np.linspace(0.5, 1.0, 6)
    return replace(
        stage,
        limits=replace(stage.limits, joint_speed=speed),
        actuators=Actuators(stiffness=stiffness * np.linspace(1, 2, 6)),
    )


@pytest.mark.parametrize("what", ["speed", *thorough("stiffness", "frequency")])
def test_of_a_stage_on_one_that_neither_moves_nor_yields_it_is_its_own(what):
    upper, lower = driven(gough.load(SKEW_STACK).upper, 1e6), driven(gough.load("dumitriu2017"), 1e14)
    m = replace(stages.stack(lower, upper, gough.pose([0.02, -0.01, 0.05])), share=0.0)
    mount = m.X_home[0, :3, 3] + m.X_IU[:3, 3]
    np.testing.assert_array_equal(m.X_home[0, :3, :3], np.eye(3))  # so that a grid of one is one of the other
    line = [
        places[1:-1:2] if k == 2 else places[2:3] for k, places in enumerate(grid_axes(upper, upper.X_home, NONE, 5))
    ]
    alone = SEARCHES[what](upper, **dict(zip("xyz", line, strict=True)))
    found = SEARCHES[what](m, **dict(zip("xyz", (places + mount[k] for k, places in enumerate(line)), strict=True)))
    assert found.value == pytest.approx(alone.value, rel=SMOOTH)
    assert found.matrix.shape == (2, 4, 4)
    assert found.dataset["matrix"].dims == ("stage", "row", "column")
    np.testing.assert_allclose(found.matrix[0], m.X_home[0], atol=1e-15)


def test_no_random_pose_that_is_allowed_is_weaker(rng):
    m = gough.load(SKEW_STACK)
    m = replace(m, share=0.4, stages=tuple(driven(stage, k) for stage, k in zip(m.stages, (1e6, 2e6), strict=True)))
    turn, half = 0.2, 0.08 * m.size
    x, y, z = m.home_point
    found = gough.statics.weakest_pose(m, turn=turn, x=x, y=y, z=[z - half, z + half])
    assert bool(gough.margins(m, found.matrix).relative.min() > -1e-12)
    assert found.value == pytest.approx(float(softest(m, found.matrix)), rel=1e-9)
    np.testing.assert_allclose(postures(m, found.matrix[1]), found.matrix, atol=1e-12)
    moved = np.zeros((4000, 6))
    moved[:, 2], moved[:, 3:] = half * rng.uniform(-1, 1, len(moved)), rng.normal(size=(len(moved), 3))
    moved[:, 3:] *= (
        turn * rng.uniform(0.8, 1, size=(len(moved), 1)) / np.linalg.norm(moved[:, 3:], axis=1, keepdims=True)
    )
    X = postures(m, displaced(m.end_home, moved, m.point_of_interest))
    X = X[gough.limits.is_allowed(m, X)]
    assert len(X) > 100
    least = softest(m, X).min()
    assert 0.8 * least < found.value <= least * (1 + SMOOTH)


def softest(m, X):
    """Least principal stiffness of translation at poses (..., 2, 4, 4)."""
    return np.linalg.eigvalsh(gough.stiffness(m, X)[..., :3, :3])[..., 0]


def test_turned_poses_keep_the_point_where_it_is(rng):
    m = gough.load(SKEW_STACK)
    search = Descent(
        m, lambda X: np.zeros(len(X)), m.end_home[:3, :3], 0.3, tuple(m.home_point[:, None]), np.ones(3) > 0
    )
    points = np.concatenate([m.home_point + 0.01 * rng.normal(size=(3, 3)), 0.01 * rng.normal(size=(3, 3))], axis=1)
    end = search.poses(points)[:, 1]
    np.testing.assert_allclose(end[:, :3, :3] @ m.point_of_interest + end[:, :3, 3], points[:, :3], atol=1e-14)
