"""Joints as Dumitriu et al. 2017 print them, against the paper's equations (6) to (14) written out here in NumPy."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import multibody

FORCES = [9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105]
"""(16) [N]."""
STEP = 0.01
"""Runge-Kutta step [s], the error of which is below 1e-7 m in 0.3 s."""
CLOSE = 1e-6
"""[m, 1]"""


def printed_equations(m, cardan=None):
    """Acceleration (13, 3, 4) of Z = [T* | R] at (Z, V), from the paper's numbers and its (6), (8) to (14).

    The paper does not print the axes u_0, v_0 of the Cardan joints: `cardan` (2, 3) of all, or across the legs.
    """
    A, B = m.legs.a_B, m.b_home
    z = (B - A) / np.linalg.norm(B - A, axis=1, keepdims=True)
    first = np.cross(z, np.eye(3)[np.abs(z).argmin(axis=1)])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    y = np.cross(z, first)
    (u_9, v_9), (u_11, v_11) = ((y, first), (first, y)) if cardan is None else (cardan, cardan)
    centres = np.stack([A + 0.2 * z, B - 0.2 * z], axis=1).reshape(12, 3)
    centres = np.vstack([centres, m.X_home[:3, 3]])
    K = [k * np.outer(axis, axis) for axis in z for k in (0.0071, 0.0031)] + [np.diag([0.0324, 0.0324, 0.0])]
    mass = np.array([0.7, 0.3] * 6 + [3.0])
    M = np.zeros((13, 4, 4))
    for i, c in enumerate(centres):
        h = np.array([1.0, *c])
        M[i] = mass[i] * np.outer(h, h)
        M[i, 1:, 1:] += K[i]

    def constraints(Z):
        T, R = Z[..., 0], Z[..., 1:]
        lo, up, plate = R[..., 0:12:2, :, :], R[..., 1:12:2, :, :], R[..., 12:, :, :]
        T_lo, T_up, T_plate = T[..., 0:12:2, :], T[..., 1:12:2, :], T[..., 12:, :]

        def on(R, p):
            return np.einsum("...nij,nj->...ni", R, np.broadcast_to(p, (6, 3)))

        def dot(a, b):
            return (a * b).sum(axis=-1)[..., None]

        groups = [
            T_lo + on(lo, A),  # (9)
            dot(on(lo, u_9), v_9),
            dot(on(lo - up, z), first),  # (10)
            dot(on(lo - up, z), y),
            dot(on(lo, first), T_up - T_lo),
            dot(on(lo, y), T_up - T_lo),
            T_up + on(up, B) - T_plate - on(plate, B),  # (11)
            dot(on(plate - up, u_11), v_11),
        ]
        joints = np.concatenate(groups, axis=-1).reshape(*Z.shape[:-3], 72)
        product = np.swapaxes(R, -1, -2) @ R
        return np.concatenate([joints, product[..., *np.triu_indices(3)].reshape(*Z.shape[:-3], 78)], axis=-1)

    def acceleration(Z, V):
        # All constraints are of second degree in Z: central differences of any step are exact.
        basis = np.eye(156).reshape(156, 13, 3, 4)
        J = (constraints(Z + basis) - constraints(Z - basis)).T / 2
        curvature = constraints(Z + V) + constraints(Z - V) - 2 * constraints(Z)
        load = np.zeros((13, 3, 4))
        for i, c in enumerate(centres):
            load[i] = mass[i] * np.outer([0, 0, -9.81], [1, *c])
        for i in range(6):  # (13): on the upper parts alone
            load[2 * i + 1] += FORCES[i] * np.outer(Z[2 * i, :, 1:] @ z[i], [1, *(B[i] - 0.4 * z[i])])
        saddle = np.zeros((306, 306))
        for i in range(13):
            for k in range(3):
                at = slice(12 * i + 4 * k, 12 * i + 4 * k + 4)
                saddle[at, at] = M[i]
        saddle[:156, 156:], saddle[156:, :156] = J.T, J
        return np.linalg.solve(saddle, np.concatenate([load.ravel(), -curvature]))[:156].reshape(13, 3, 4)

    return acceleration


def integrated(acceleration, end):
    """Z (13, 3, 4) at the end, by classical Runge-Kutta steps from rest."""
    Z, V = np.zeros((13, 3, 4)), np.zeros((13, 3, 4))
    Z[:, :, 1:] = np.eye(3)
    for _ in range(round(end / STEP)):
        a1 = acceleration(Z, V)
        a2 = acceleration(Z + STEP / 2 * V, V2 := V + STEP / 2 * a1)
        a3 = acceleration(Z + STEP / 2 * V2, V3 := V + STEP / 2 * a2)
        a4 = acceleration(Z + STEP * V3, V4 := V + STEP * a3)
        Z = Z + STEP / 6 * (V + 2 * V2 + 2 * V3 + V4)
        V = V + STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return Z


@pytest.fixture(scope="module")
def machine():
    return replace(gough.load("dumitriu2017"), gravity=np.array([0, 0, -9.81]))


@pytest.fixture(scope="module")
def printed(machine):
    return multibody.hexapod(machine, forces=FORCES, struts="UCU-printed")


def test_the_printed_joints_start_as_the_papers_equations_say(machine, printed):
    start = np.zeros((13, 3, 4))
    start[:, :, 1:] = np.eye(3)
    known = printed_equations(machine)(start, np.zeros((13, 3, 4)))
    for solver in ("chains", "reduced", "saddle"):
        found = multibody.solver_for(printed, solver).solve(0.0, *printed.state())
        np.testing.assert_allclose(found.acceleration[:13], known, atol=1e-9)
    assert known[12, 2, 2] == pytest.approx(4.2760, abs=5e-5)  # alpha_x [rad/s2]


def test_the_printed_joints_move_as_the_papers_equations_say(machine, printed):
    known = integrated(printed_equations(machine), 0.3)
    found = multibody.simulate(printed, times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(found[:13], known, atol=CLOSE)


x0, y0, z0 = np.eye(3)


def upright(system):
    """The system with the axes x0 and y0 in every universal joint."""
    joints = [
        replace(joint, first_axis=x0, second_axis=y0) if joint.kind == "universal" else joint for joint in system.joints
    ]
    return multibody.System(system.bodies, joints, system.force_elements, system.gravity)


def test_with_axes_x0_and_y0_the_printed_joints_are_exact(machine, printed):
    """The parts of a leg do not turn relative to each other then, which the last lines of (10) presuppose."""
    known = integrated(printed_equations(machine, [y0, x0]), 0.3)
    np.testing.assert_allclose(known[0:12:2, :, 1:], known[1:12:2, :, 1:], atol=CLOSE)
    found = multibody.simulate(upright(printed), times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(found[:13], known, atol=CLOSE)
    exact = multibody.simulate(multibody.hexapod(machine, forces=FORCES), times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(exact[12], known[12], atol=CLOSE)


def test_printed_and_exact_joints_differ_from_the_start(machine, printed):
    exact = multibody.hexapod(machine, forces=FORCES)
    alpha, other = (
        multibody.solver_for(system).solve(0.0, *system.state()).acceleration[12, 2, 2] for system in (exact, printed)
    )
    assert alpha == pytest.approx(4.4042, abs=5e-5)  # [rad/s2]
    assert other == pytest.approx(4.2760, abs=5e-5)
