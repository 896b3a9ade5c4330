"""Six numbers of a pose, ranges of sliders, key steps: what they mean."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.viewer.panels.move import joint_range, pose_range
from gough.viewer.stage import PoseCoordinates, pivots

ROUND_OFF = 1e-12
"""Of metres and radians of order one."""


@pytest.mark.parametrize("convention", gough.frames.CONVENTIONS)
@pytest.mark.parametrize("origin", ["home", "base"])
def test_numbers_and_poses_are_inverse(machine, convention, origin, rng):
    coordinates = PoseCoordinates(rng.normal(size=3) * 0.1, convention, origin)
    turn = gough.pose(rng.normal(size=3) * 0.05, rng.normal(size=3) * 0.3, "XYZ")
    X = gough.frames.displaced(machine, turn).as_matrix()
    np.testing.assert_allclose(coordinates.pose(machine, coordinates.numbers(machine, X)), X, atol=ROUND_OFF)


def test_angles_leave_the_pivot_where_it_is(machine):
    pivot = machine.point_of_interest + [0.01, 0.02, 0.03]
    for origin in ("home", "base"):
        coordinates = PoseCoordinates(pivot, "pi", origin)
        numbers = coordinates.numbers(machine, machine.X_home)
        numbers[3:] += [0.1, -0.2, 0.3]
        X, H = coordinates.pose(machine, numbers), machine.X_home
        np.testing.assert_allclose(X[:3, :3] @ pivot + X[:3, 3], H[:3, :3] @ pivot + H[:3, 3], atol=ROUND_OFF)


def test_from_home_means_what_a_controller_means():
    machine = gough.load("hexel")
    numbers = np.array([0.01, -0.02, 0.03, 0.1, 0.2, -0.1])
    expected = gough.frames.displaced(machine, gough.from_convention("pi", numbers[:3], numbers[3:], degrees=False))
    found = PoseCoordinates(machine.point_of_interest, "pi").pose(machine, numbers)
    np.testing.assert_allclose(found, expected.as_matrix(), atol=ROUND_OFF)


def test_every_pivot_has_a_place_of_its_own(machine):
    places = np.array(list(pivots(machine).values()))
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.eye(len(places))
    assert apart.min() > 1e-9 * machine.size


@pytest.mark.parametrize("name", [*(info.name for info in gough.machines(stages=1)), *SKEW])
def test_sliders_of_every_machine_have_a_range_that_holds_home(name):
    machine = gough.load(name)
    half = pose_range(machine)
    low, high = joint_range(machine)
    q = gough.inverse_kinematics(machine, machine.X_home)
    assert (half > 0).all()
    assert np.isfinite(half).all()
    assert ((low <= q) & (q <= high)).all()
