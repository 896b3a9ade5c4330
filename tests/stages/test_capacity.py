"""What twelve drives hold and resolve at the end platform: brute force over directions and signs, differences."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gough
from gough import accuracy, statics
from gough.displacements import displacement
from gough.machine import Actuators

ROUND_OFF = 1e-9
"""Relative."""
LINEAR = 1e-6
"""Of central differences over joint steps of a millionth of the size."""


@pytest.fixture
def strong(double):
    """Stages of unlike force and step, every leg its own."""
    given = [(np.linspace(900, 1400, 6), np.linspace(1e-6, 2e-6, 6)), (np.linspace(2000, 1500, 6), np.full(6, 3e-6))]
    parts = zip(double.stages, given, strict=True)
    stages = (
        replace(s, limits=replace(s.limits, actuator_force=force), actuators=Actuators(resolution=step))
        for s, (force, step) in parts
    )
    return replace(double, stages=tuple(stages))


def about_the_point_of_interest(m, f):
    """Wrenches (..., 6) about the end platform's origin of forces (..., 3) at its point of interest at home."""
    return np.concatenate([f, np.cross(m.end_home[:3, :3] @ m.point_of_interest, f)], axis=-1)


def test_a_multiple_of_a_load_takes_one_of_the_twelve_actuators_to_its_force(strong):
    F = np.array([30.0, -20, -100, 5, 4, -3])
    found = statics.wrench_capacity(strong, strong.X_home, F, gravity=True)
    most = np.concatenate([stage.limits.actuator_force for stage in strong.stages])
    used = np.abs(gough.leg_forces(strong, strong.X_home, found.factor * F, gravity=True)) / most
    assert used.max() == pytest.approx(1.0, rel=ROUND_OFF)
    assert int(np.argmax(used)) + 1 == found.leg
    assert found.each.shape == (12,)


def test_every_direction_of_the_guaranteed_force_is_held_and_one_just_so(strong, rng):
    least = statics.guaranteed_wrench(strong, strong.X_home)
    d = rng.normal(size=(4000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    F = about_the_point_of_interest(strong, d)
    held = statics.wrench_capacity(strong, strong.X_home, np.stack([np.zeros_like(F), F], axis=1)).factor
    assert held.min() >= least * (1 - ROUND_OFF)
    assert held.min() == pytest.approx(least, rel=0.02)


def test_the_smallest_step_of_the_end_platform_is_that_of_twelve_joints(strong):
    """Rows of the steps' effects by differences of forward kinematics, then all signs."""
    found, q = accuracy.resolution(strong, strong.X_home), gough.inverse_kinematics(strong, strong.X_home)
    step, h = np.concatenate([stage.actuators.resolution for stage in strong.stages]), 1e-6 * strong.size
    ends = [
        [gough.forward_kinematics(strong, q + side * h * row, near=strong.X_home).matrix[1] for row in np.eye(12)]
        for side in (1, -1)
    ]
    moves = displacement(np.array(ends[1]), np.array(ends[0]), strong.point_of_interest).T / (2 * h) * step
    np.testing.assert_allclose(found.worst_case, np.abs(moves).sum(axis=1), rtol=LINEAR)
    np.testing.assert_allclose(found.rms, np.linalg.norm(moves, axis=1), rtol=LINEAR)
    corners = moves @ np.array(list(product((-1.0, 1.0), repeat=12))).T
    assert found.worst_translation == pytest.approx(np.linalg.norm(corners[:3], axis=0).max(), rel=LINEAR)
    assert found.worst_rotation == pytest.approx(np.linalg.norm(corners[3:], axis=0).max(), rel=LINEAR)


def test_the_largest_payload_carried_as_a_body_takes_one_actuator_to_its_force(strong):
    centre = np.array([0.02, -0.03, 0.05])
    found = gough.payload(strong, strong.X_home, mass_centre=centre)
    carrying = strong.with_payload(float(found.factor), centre)
    most = np.concatenate([stage.limits.actuator_force for stage in strong.stages])
    used = np.abs(gough.leg_forces(carrying, strong.X_home, gravity=True)) / most
    assert used.max() == pytest.approx(1.0, rel=ROUND_OFF)
    assert int(np.argmax(used)) + 1 == found.leg


def test_no_mounting_carries_less_than_the_worst_of_the_table_and_that_one_just_so(strong, rng):
    X, strength = strong.X_home, np.linalg.norm(strong.gravity)
    upright, hanging, sideways, worst = statics.payload_table(strong, X)
    g = rng.normal(size=(4000, 3))
    g *= strength / np.linalg.norm(g, axis=1, keepdims=True)
    assert gough.payload(strong, X, gravity=g).factor.min() == pytest.approx(worst.mass, rel=0.02)
    assert gough.payload(strong, X, gravity=g).factor.min() >= worst.mass * (1 - ROUND_OFF)
    for row in (upright, hanging, sideways, worst):
        held = gough.payload(strong, X, gravity=strength * row.gravity)
        assert float(held.factor) == pytest.approx(row.mass, rel=ROUND_OFF)
        assert held.leg == row.leg
    np.testing.assert_allclose(upright.gravity, -hanging.gravity)
    np.testing.assert_allclose(sideways.gravity @ X[1, :3, 2], 0.0, atol=ROUND_OFF)
