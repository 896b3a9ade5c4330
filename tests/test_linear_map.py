"""The linear map: an exact derivative, the finite-difference form that tends to it, and the error between them."""

import numpy as np
import pytest

import gough

FIRST_ORDER, SECOND_ORDER = 1.0, 2.0


def test_the_map_is_the_derivative_of_the_joint_displacements(machine):
    m = gough.kinematics.linear_map(machine)
    h = 1e-6 * machine.size
    central = np.stack(
        [(m.joint_displacements(h * e) - m.joint_displacements(-h * e)) / (2 * h) for e in np.eye(6)], axis=1
    )
    np.testing.assert_allclose(m.T_inv, central, rtol=1e-7, atol=1e-8 * np.abs(central).max())


def test_its_inverse_goes_back(machine):
    m = gough.kinematics.linear_map(machine)
    np.testing.assert_allclose(m.T @ m.T_inv, np.eye(6), atol=1e-11)


def order(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


def test_the_finite_difference_form_tends_to_it_with_first_order(machine):
    m = gough.kinematics.linear_map(machine)
    steps = np.array([1e-2, 1e-3, 1e-4]) * machine.size
    errors = [np.abs(m.finite_difference(h, h / machine.size) - m.T_inv).max() for h in steps]
    assert order(steps, errors) == pytest.approx(FIRST_ORDER, abs=0.1)


def test_its_error_grows_with_the_square_of_the_displacement(machine):
    m = gough.kinematics.linear_map(machine)
    d = np.array([1, -0.5, 0.7, 0.4, 0.6, -0.3])
    steps = np.array([1e-2, 1e-3, 1e-4]) * machine.size
    errors = [np.abs(m.error(h * d)).max() for h in steps]
    assert order(steps, errors) == pytest.approx(SECOND_ORDER, abs=0.1)


def test_displacements_move_the_point_of_interest_and_turn_about_it():
    machine = gough.load("pitch-circle")
    M = np.array([0.01, -0.02, 0.05])
    X = gough.pose([0.001, 0.002, 0.003], [0.01, 0.02, 0.03], "XYZ")
    m = gough.kinematics.linear_map(machine, X, M)
    d = np.array([0.001, -0.002, 0.0005, 0.01, -0.02, 0.03])
    Y = m.displaced(d)
    before, after = m.X[:3, :3] @ M + m.X[:3, 3], Y[:3, :3] @ M + Y[:3, 3]
    np.testing.assert_allclose(after - before, d[:3], atol=1e-15)
    cx, cy, cz, sx, sy, sz = (*np.cos(d[3:]), *np.sin(d[3:]))
    Q = (
        np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
        @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    )
    np.testing.assert_allclose(Y[:3, :3], Q @ m.X[:3, :3], atol=1e-15)


def test_the_pages_own_formula_for_struts():
    """s_i = |P_i + dx + (Q - 1)(P_i - M) - B_i| - |P_i - B_i| (hexapod kinematics page)."""
    machine = gough.load("pitch-circle")
    m = gough.kinematics.linear_map(machine)
    d = np.array([0.001, -0.002, 0.0005, 0.01, -0.02, 0.03])
    P, B = machine.b_home, machine.legs.a_B
    M = machine.X_home[:3, :3] @ machine.point_of_interest + machine.X_home[:3, 3]
    Q = m.displaced(d)[:3, :3] @ machine.X_home[:3, :3].T
    moved = P + d[:3] + (P - M) @ (Q - np.eye(3)).T
    s = np.linalg.norm(moved - B, axis=1) - np.linalg.norm(P - B, axis=1)
    np.testing.assert_allclose(m.joint_displacements(d), s, atol=1e-15)
