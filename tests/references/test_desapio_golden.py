"""The Hexel at tilted poses against De Sapio's own programs, whose coordinates are x, y, z, alpha, beta, gamma."""

import numpy as np
import pytest
from tests.references import desapio1998 as report

import gough
from gough.motion.joint_space import incremental_forward

M = gough.load("hexel")
POSES = np.array([
    [0, 0, 800, 0.1, -0.1, 0.2],
    [40, -30, 760, -0.3, 0.2, 0.4],
    [-60, 20, 850, 0.25, 0.35, -0.5],
])  # fmt: skip
"""Tilted about all axes [mm, rad]."""
ROUND_OFF = 1e-12
"""Relative, of a few sums of products."""
SOLVED = 1e-11
"""Relative, of linear systems with a condition of about a thousand."""
MM = np.diag([1e3, 1e3, 1e3, 1.0, 1.0, 1.0])
"""From m to mm, angles the same."""


def pose(p):
    return gough.from_convention("hexel", p[:3] * 1e-3, p[3:], degrees=False)


@pytest.mark.parametrize("p", POSES)
def test_inverse_jacobian_is_that_of_the_program(p):
    J = 1e3 * gough.jacobian(M, pose(p), sequence="hexel") @ np.linalg.inv(MM)
    np.testing.assert_allclose(J, report.inverse_jacobian(p), rtol=ROUND_OFF, atol=ROUND_OFF * 400)


def test_rates_of_angles_are_no_angular_velocity():
    p, rates = POSES[0], np.array([0, 0, 0, 0.01, -0.01, 0.02])
    X = pose(p)
    program = report.inverse_jacobian(p) @ rates
    w = gough.frames.angular_velocity(X, rates[3:], "hexel")
    np.testing.assert_allclose(1e3 * gough.joint_rates(M, X, [0, 0, 0, *w]), program, rtol=ROUND_OFF)
    read_as_twist = 1e3 * gough.joint_rates(M, X, rates)  # the same numbers, taken for an angular velocity
    assert read_as_twist[0] - program[0] > 0.4, "strut 1 at 3.43 mm/s instead of 2.97 mm/s"


@pytest.mark.parametrize("p", POSES)
def test_top_speeds_of_the_tool_without_rates_of_angles(p):
    directions = np.vstack([np.eye(3), np.ones(3) / np.sqrt(3)])
    program = [report.top_speed(p, e) for e in directions]
    np.testing.assert_allclose(1e3 * gough.velocity_envelope(M, pose(p)).speed(directions), program, rtol=ROUND_OFF)


@pytest.mark.parametrize("p", POSES)
def test_stiffness_of_the_coordinates_is_that_of_the_program(p):
    K = gough.stiffness(M, pose(p), sequence="hexel")  # [N/m, N/rad; N m/m, N m/rad]
    in_mm = K * np.outer([1, 1, 1, 1e3, 1e3, 1e3], [1e-3, 1e-3, 1e-3, 1, 1, 1])
    expected = report.stiffness(p)
    np.testing.assert_allclose(in_mm, expected, rtol=SOLVED, atol=SOLVED * abs(expected).max())
    # The eigenvalues that the program prints.
    np.testing.assert_allclose(np.linalg.eigvalsh(in_mm), np.linalg.eigvalsh(expected), atol=1e-15 * np.trace(expected))


@pytest.mark.parametrize("p", POSES)
def test_forces_and_displacements_of_a_load_along_the_angles(p):
    load = np.array([200.0, -50, 1000, 3e4, -2e4, 1e4])  # [N, N mm]
    X, SI = pose(p), load / [1, 1, 1, 1e3, 1e3, 1e3]
    maps = gough.frames.euler_rates(X, "hexel")
    F = maps.wrench(SI)
    np.testing.assert_allclose(-gough.statics.axial_forces(M, X, F), report.strut_forces(p, load), rtol=SOLVED)
    moved = maps.T_inv @ gough.statics.deflection(M, X, F)
    np.testing.assert_allclose(MM @ moved, report.displacement(p, load), rtol=SOLVED)
    np.testing.assert_allclose(maps.generalized_force(F), SI, rtol=SOLVED)


@pytest.mark.parametrize("p", POSES)
def test_the_animators_increments(p):
    moves = np.array([10.0, -5, 8, 3, -6, 4])
    found = incremental_forward(M, pose(p), moves * 1e-3)
    expected = report.forward(p, moves)
    angles = found.angles[-1][[1, 0, 2]]  # the sequence is Y X Z
    np.testing.assert_allclose([*found.matrix[-1, :3, 3] * 1e3, *angles], expected, rtol=SOLVED, atol=1e-9)
