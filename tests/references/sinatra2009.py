"""Kinematics of Sinatra, Xi and Staicu (2009), equations (1) to (18), written afresh in NumPy.

With the matrices (2) and (3) as they close the loops: a21 with the transpose left out of a2alpha, and a32 with theta1
between a_beta and theta2. Vectors in base axes; nothing here comes from Gough.
"""

import numpy as np
from scipy.optimize import root

ALPHA_0, L0, l0, l3 = np.pi / 36, 0.6, 0.3, 0.5
L_b, L_p = 2 * L0 * np.sin(np.pi / 3 - ALPHA_0), 2 * l0 * np.sin(np.pi / 3 - ALPHA_0)
l1 = (L_b - L_p) / np.sqrt(2)  # s = 2 l1 = 2 (L_b - L_p) / sqrt(2)
BETA_0 = np.arcsin((L0 - l0) / l1)
BETA = np.arcsin(2 * l0 / l3 * np.sin(np.pi / 6 - ALPHA_0))
HEIGHT = l1 * np.cos(BETA_0) + l3 * np.cos(BETA)
third, a = 2 * np.pi / 3, ALPHA_0
ALPHA_1 = [a, third - a, third + a, -third - a, -third + a, -a]
ALPHA_2 = [(-1) ** (k + 1) * (np.pi / 3 + a) for k in range(6)]
ALPHA_3 = [(-1) ** k * (np.pi / 3 - 2 * a) for k in range(6)]
THETA_1 = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
THETA_2 = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
THETA_3 = np.diag([-1, -1, 1])
U1, U2, U3 = np.eye(3)


def about_3(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def about_2(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def matrices(k, phi_21, phi_32):
    """a10, a20, a30 of leg k (0 to 5 are A to F): from base axes to those of slider, Hooke joint and leg."""
    a10 = about_2(BETA_0) @ THETA_3 @ about_3(ALPHA_1[k])
    a20 = about_3(phi_21) @ THETA_1 @ about_3(ALPHA_2[k]) @ about_2(BETA_0).T @ a10
    a30 = about_3(phi_32) @ about_3(BETA) @ THETA_1 @ THETA_2 @ a20
    return a10, a20, a30


def ball_point(k):
    """Ball joint in the platform's axes."""
    return l0 * about_3(ALPHA_1[k]).T @ about_3(ALPHA_3[k]).T @ U1


def leg(k, R, r, w, v, alpha, acceleration):
    """Relative motion of leg k and its absolute rotation, from the motion of the platform in base axes.

    Returns (lambda, phi_21, phi_32), (v10, omega_21, omega_32), (gamma10, epsilon_21, epsilon_32), a20, a30, omega_30,
    epsilon_30: the loops (7) solved by a Newton iteration, then (13) and (16), which are linear.
    """
    arm = R @ ball_point(k)
    b = r + arm

    def gap(x):
        a10, _, a30 = matrices(k, *x[1:])
        return L0 * about_3(ALPHA_1[k]).T @ U1 + (l1 + x[0]) * a10.T @ U3 + l3 * a30.T @ U2 - b

    x = root(gap, np.zeros(3), tol=1e-15).x
    for _ in range(2):  # to rounding, with the axes of the joints as derivatives
        a10, a20, a30 = matrices(k, *x[1:])
        d = l3 * a30.T @ U2
        columns = np.column_stack([a10.T @ U3, np.cross(a20.T @ U3, d), np.cross(a30.T @ U3, d)])
        x = x - np.linalg.solve(columns, gap(x))
    a10, a20, a30 = matrices(k, *x[1:])
    z2, z3, d = a20.T @ U3, a30.T @ U3, l3 * a30.T @ U2
    columns = np.column_stack([a10.T @ U3, np.cross(z2, d), np.cross(z3, d)])
    rates = np.linalg.solve(columns, v + np.cross(w, arm))
    omega = rates[1] * z2 + rates[2] * z3
    turning = rates[1] * rates[2] * np.cross(z2, z3)  # z3 is carried by the Hooke joint
    b_tt = acceleration + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    known = np.cross(turning, d) + np.cross(omega, np.cross(omega, d))
    second = np.linalg.solve(columns, b_tt - known)
    return x, rates, second, a20, a30, omega, second[1] * z2 + second[2] * z3 + turning
