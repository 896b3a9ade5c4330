"""Machines of two stages without any symmetry, and states of them."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW_STACK
from tests.thorough import thorough

import gough
from gough import stages
from gough.stacked import StackedMachine

STACKS = ("UPS on RUS", "PUS on UPS", "UPS on PUS", "RUS on PUS")
"""Upper on lower stage."""


def random_stack(random_machine, kinds, rng):
    """Two stages, the upper one mounted askew."""
    upper, lower = (random_machine(kind, rng) for kind in kinds.split(" on "))
    mount = gough.pose_matrix(rng.normal(size=3) * 0.1 * lower.size, rng.normal(size=3) * 0.4, "XYZ")
    return StackedMachine(name="askew", stages=(lower, upper), X_IU=mount)


def near_home(m, rng):
    """Poses of both platforms (2, 4, 4) about home, where every leg closes."""
    found = []
    for stage in m.stages:
        X = stage.X_home.copy()
        X[:3, :3] = gough.pose_matrix(np.zeros(3), rng.uniform(-0.1, 0.1, 3), "XYZ")[:3, :3] @ X[:3, :3]
        X[:3, 3] += 0.02 * stage.size * rng.uniform(-1, 1, 3)
        found.append(X)
    return stages.stacked_poses(m, *found)


def moved(X, V, A, t):
    """Poses of both platforms after a time t, from twists V whose rate is A: to third order in t."""
    turn, way = t * V[:, 3:] + t**2 / 2 * A[:, 3:], t * V[:, :3] + t**2 / 2 * A[:, :3]
    found = X.copy()
    found[:, :3, :3] = Rotation.from_rotvec(turn).as_matrix() @ X[:, :3, :3]
    found[:, :3, 3] += way
    return found


@pytest.fixture(name="moved")
def give_moved():
    return moved


@pytest.fixture(scope="session", params=[*thorough("double-hexapod"), SKEW_STACK])
def double(request):
    return gough.load(request.param)


@pytest.fixture(params=STACKS)
def state(request, random_machine, rng):
    """A machine, poses, twists and accelerations of both its platforms."""
    m = random_stack(random_machine, request.param, rng)
    return m, near_home(m, rng), rng.normal(size=(2, 6)), 3 * rng.normal(size=(2, 6))
