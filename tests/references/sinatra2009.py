"""Kinematics and dynamics of Sinatra, Xi and Staicu (2009), equations (1) to (24), written afresh in NumPy.

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


def loop(k, R, r):
    """(lambda, phi_21, phi_32) of leg k that close its loop (7), by Newton's method, and the axes of its joints there:
    columns z1, z2 x d, z3 x d, the velocities of the ball joint at unit rates."""
    b = r + R @ ball_point(k)

    def gap(x):
        a10, _, a30 = matrices(k, *x[1:])
        return L0 * about_3(ALPHA_1[k]).T @ U1 + (l1 + x[0]) * a10.T @ U3 + l3 * a30.T @ U2 - b

    def columns(x):
        a10, a20, a30 = matrices(k, *x[1:])
        d = l3 * a30.T @ U2
        return np.column_stack([a10.T @ U3, np.cross(a20.T @ U3, d), np.cross(a30.T @ U3, d)])

    x = root(gap, np.zeros(3), tol=1e-15, jac=columns).x
    for _ in range(2):  # to rounding
        x = x - np.linalg.solve(columns(x), gap(x))
    return x, columns(x)


def leg(k, R, r, w, v, alpha, acceleration):
    """Relative motion of leg k and its absolute rotation, from the motion of the platform in base axes.

    Returns (lambda, phi_21, phi_32), (v10, omega_21, omega_32), (gamma10, epsilon_21, epsilon_32), a20, a30, omega_30,
    epsilon_30: the loops (7), then (13) and (16), which are linear.
    """
    arm = R @ ball_point(k)
    x, columns = loop(k, R, r)
    _, a20, a30 = matrices(k, *x[1:])
    z2, z3, d = a20.T @ U3, a30.T @ U3, l3 * a30.T @ U2
    rates = np.linalg.solve(columns, v + np.cross(w, arm))
    omega = rates[1] * z2 + rates[2] * z3
    turning = rates[1] * rates[2] * np.cross(z2, z3)  # z3 is carried by the Hooke joint
    b_tt = acceleration + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    known = np.cross(turning, d) + np.cross(omega, np.cross(omega, d))
    second = np.linalg.solve(columns, b_tt - known)
    return x, rates, second, a20, a30, omega, second[1] * z2 + second[2] * z3 + turning


# Dynamics: (19) to (24). Vectors of a part in its own axes, as the paper has them.

M1, M2, M3, M_PLATFORM = 0.1, 0.05, 0.398, 3.983
J3, J_PLATFORM = np.diag([0.0722, 0, 0.0722]), np.diag([0.068, 0.068, 0.136])
CENTRE_3 = l3 / 2 * U2  # not printed: at mid-length
GRAVITY = 9.81  # along +z0 in (19)


def relative_rates(k, R, r):
    """Rates v10, omega_21, omega_32 of leg k (3, 6) per twist [v, w] of the platform, (13)."""
    return np.linalg.solve(loop(k, R, r)[1], np.column_stack([np.eye(3), -skew(R @ ball_point(k))]))


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def leg_efforts(k, R, r, w, v, alpha, acceleration, with_legs=True):
    """F_1, M_2, M_3 of leg k, by the recursion (22) over (19), (20), (23); without m_k before J_k in (20)."""
    x, rates, second, *_ = leg(k, R, r, w, v, alpha, acceleration)
    to_base = matrices(k, *x[1:])
    steps = [to_base[1] @ to_base[0].T, to_base[2] @ to_base[1].T]  # a21, a32
    omega, epsilon, gamma = np.zeros(3), np.zeros(3), second[0] * U3
    forces, moments = [], []
    parts = ((M1, np.zeros(3), np.zeros((3, 3))), (M2, np.zeros(3), np.zeros((3, 3))), (M3, CENTRE_3, J3))
    for part, (mass, centre, J) in enumerate(parts):
        if part:
            a, rate, change = steps[part - 1], rates[part], second[part]
            epsilon = a @ epsilon + change * U3 + rate * a @ skew(omega) @ a.T @ U3
            omega, gamma = a @ omega + rate * U3, a @ gamma
        weight = GRAVITY * mass * to_base[part] @ U3
        inertia = mass * (gamma + (skew(omega) @ skew(omega) + skew(epsilon)) @ centre)
        turning = mass * skew(centre) @ gamma + J @ epsilon + skew(omega) @ J @ omega
        forces.append(with_legs * (inertia - weight))
        moments.append(with_legs * (turning - skew(centre) @ weight))
    F2 = forces[1] + steps[1].T @ forces[2]
    M2_total = moments[1] + steps[1].T @ moments[2]  # r_32 = 0
    return forces[0] + steps[0].T @ F2, M2_total, moments[2]


def input_forces(R, r, w, v, alpha, acceleration, with_legs=True):
    """f_10 of the six drives [N], (21), and their rates v_10."""
    rates = [relative_rates(k, R, r) for k in range(6)]
    twists = np.linalg.inv([each[0] for each in rates])  # columns: virtual motions (15)
    J = R @ J_PLATFORM @ R.T
    load = np.concatenate([M_PLATFORM * (acceleration - GRAVITY * U3), J @ alpha + np.cross(w, J @ w)])
    forces = twists.T @ load
    for k in range(6):
        virtual = rates[k] @ twists  # (3, drive)
        F1, M_2, M_3 = leg_efforts(k, R, r, w, v, alpha, acceleration, with_legs)
        forces += virtual[0] * F1[2] + virtual[1] * M_2[2] + virtual[2] * M_3[2]
    return forces, np.array([each[0] for each in rates]) @ np.concatenate([v, w])


def motion(name, t):
    """R, r, w, v, alpha and acceleration at time t of (6) with (24), one of its coordinates at a time."""
    rate = np.pi / 3
    course = np.array([1 - np.cos(rate * t), rate * np.sin(rate * t), rate**2 * np.cos(rate * t)])
    place, turn = {
        "vertical": (np.array([0, 0, -0.15]), 0.0),
        "horizontal": (np.array([0.1, 0, 0]), 0.0),
        "rotation": (np.zeros(3), np.pi / 12),
    }[name]
    R = about_3(turn * course[0]).T
    return (
        R,
        HEIGHT * U3 + place * course[0],
        turn * course[1] * U3,
        place * course[1],
        turn * course[2] * U3,
        place * course[2],
    )
