"""Stiffness of two stages: twelve springs between three bodies, and weights that the lower rods carry."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import stages, statics
from gough.machine import Actuators
from gough.statics.stiffness import platform_stiffness

DIFFERENCES = 1e-6
"""Of central differences, with steps of 1e-5 of metres and rad, relative to the largest element."""
ROUND_OFF = 1e-9


@pytest.fixture
def sprung(state, rng):
    """A stack whose twelve rods are springs, poses of it, their stiffnesses (12,), and a point."""
    m, X, *_ = state
    k = rng.uniform(1e5, 1e6, 12)
    parts = tuple(
        replace(stage, actuators=Actuators(stiffness=part))
        for stage, part in zip(m.stages, np.split(k, 2), strict=True)
    )
    return replace(m, stages=parts), X, k, rng.normal(size=3) * 0.2


def spring_wrenches(m, X, k, point):
    """Function of small displacements (2, 6) of both platforms to the wrenches (2, 6) that hold the springs there: of
    the intermediate platform about its origin, of the end platform about its point. Joint points as in the drawing."""
    X_UP = stages.upper_pose(m, X)
    feet, on_U = (
        stage.legs.driven_points(gough.inverse_kinematics(stage, pose))
        for stage, pose in zip(m.stages, (X[0], X_UP), strict=True)
    )
    on_I = on_U @ m.X_IU[:3, :3].T + m.X_IU[:3, 3]

    def rods(poses):
        (R_I, p_I), (R_P, p_P) = ((pose[:3, :3], pose[:3, 3]) for pose in poses)
        ends_I, feet_2, ends_P = m.lower.b_P @ R_I.T + p_I, on_I @ R_I.T + p_I, m.upper.b_P @ R_P.T + p_P
        return (feet, ends_I), (feet_2, ends_P)

    rest = np.concatenate([np.linalg.norm(b - a, axis=1) for a, b in rods(X)])

    def wrenches(x):
        poses = X.copy()
        for j, at in enumerate((np.zeros(3), point)):
            turn, arm = Rotation.from_rotvec(x[j, 3:]).as_matrix(), X[j, :3, :3] @ at
            poses[j, :3, :3] = turn @ X[j, :3, :3]
            poses[j, :3, 3] = X[j, :3, 3] + x[j, :3] + arm - turn @ arm
        found = np.zeros((2, 6))
        about = poses[0, :3, 3], poses[1, :3, :3] @ point + poses[1, :3, 3]
        for j, ((a, b), part) in enumerate(zip(rods(poses), (slice(6), slice(6, 12)), strict=True)):
            d = b - a
            length = np.linalg.norm(d, axis=1)
            pull = (k[part] * (length - rest[part]) / length)[:, None] * d  # what holds the rod's end
            found[j] += np.append(pull.sum(axis=0), np.cross(b - about[j], pull).sum(axis=0))
            if j == 1:
                found[0] -= np.append(pull.sum(axis=0), np.cross(a - about[0], pull).sum(axis=0))
        return found

    return wrenches


def test_stiffness_is_that_of_twelve_springs_with_the_intermediate_platform_in_equilibrium(sprung):
    m, X, k, point = sprung
    wrenches, h = spring_wrenches(m, X, k, point), 1e-5
    steps = h * np.eye(12).reshape(12, 2, 6)
    J = np.array([(wrenches(step) - wrenches(-step)).ravel() / (2 * h) for step in steps]).T
    expected = J[6:, 6:] - J[6:, :6] @ np.linalg.solve(J[:6, :6], J[:6, 6:])
    found = gough.stiffness(m, X, point=point)
    np.testing.assert_allclose(found, expected, atol=DIFFERENCES * np.abs(expected).max())


def test_stiffness_of_both_platforms_is_that_of_twelve_springs(sprung):
    m, X, k, _ = sprung
    wrenches, h = spring_wrenches(m, X, k, np.zeros(3)), 1e-5
    steps = h * np.eye(12).reshape(12, 2, 6)
    expected = np.array([(wrenches(step) - wrenches(-step)).ravel() / (2 * h) for step in steps]).T
    found = platform_stiffness(m, X)
    np.testing.assert_allclose(found, expected, atol=DIFFERENCES * np.abs(expected).max())


def test_displacement_and_forces_under_a_load_are_those_of_the_stiffness(sprung, rng):
    m, X, k, point = sprung
    F = rng.normal(size=6)
    moved = statics.deflection(m, X, F, point=point)
    np.testing.assert_allclose(gough.stiffness(m, X, point=point) @ moved, F, atol=ROUND_OFF * np.abs(F).max())
    held = statics.axial_forces(m, X, F, point=point)
    # The work of the load is what it puts into the springs: Clapeyron's theorem.
    assert F @ moved == pytest.approx(np.sum(held**2 / k), rel=ROUND_OFF)


def test_a_stage_that_does_not_yield_leaves_the_stiffness_of_the_other(sprung):
    m, X, _, point = sprung
    rigid = replace(m.lower, actuators=Actuators(stiffness=np.full(6, 1e15)))
    K_U = gough.stiffness(m.upper, stages.upper_pose(m, X), point=point)
    T = np.kron(np.eye(2), X[0, :3, :3] @ m.X_IU[:3, :3])
    found = gough.stiffness(replace(m, stages=(rigid, m.upper)), X, point=point)
    np.testing.assert_allclose(found, T @ K_U @ T.T, atol=1e-6 * np.abs(K_U).max())


def test_lower_rods_carry_all_that_weighs_above(random_machine, rng):
    """Struts: the axial force is the actuator's, of the lower stage where only its own legs weigh nothing."""
    lower, upper = (random_machine("UPS", rng) for _ in range(2))
    m = stages.stack(replace(lower, leg_bodies={}), upper, gough.pose([0.1, 0, 0.05], [0.2, 0.1, 0.3], "XYZ"))
    X, F, point = m.X_home, rng.normal(size=6) * 50, rng.normal(size=3) * 0.1
    at_origin = np.append(F[:3], F[3:] + np.cross(X[1, :3, :3] @ point, F[:3]))
    found = statics.axial_forces(m, X, F, point=point, gravity=True)
    expected = gough.leg_forces(m, X, at_origin, gravity=True)
    np.testing.assert_allclose(found[:6], expected[:6], rtol=ROUND_OFF)
    assert np.abs(found[6:] - expected[6:]).max() > 1.0  # rods that weigh also load across
    still = statics.axial_forces(m, X, F, point=point)
    np.testing.assert_allclose(still, gough.leg_forces(m, X, at_origin), rtol=ROUND_OFF)
