"""The double pendulum of Dumitriu and Margaritescu (2016), equations (15) to (27), written afresh in NumPy.

State: (T1, R1, T2, R2) and its rate. Both eliminations of the multipliers; nothing here comes from Gough.
"""

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

m, length, a, b, g = 0.108, 0.20, 0.02, 0.01, 9.81
PHI_0, PSI_0 = np.pi / 9, np.pi / 18
X0 = np.array([1.0, 0, 0])
"""Downwards."""


def poinsot(angle):
    """(15)"""
    c, s = np.cos(angle), np.sin(angle)
    off = (length**2 - a**2) * s * c
    return m / 12 * np.array([
        [length**2 * c**2 + a**2 * s**2, off, 0],
        [off, length**2 * s**2 + a**2 * c**2, 0],
        [0, 0, b**2],
    ])  # fmt: skip


def _along(angle):
    return np.array([np.cos(angle), np.sin(angle), 0])


# (18)
OH1 = length * _along(PHI_0)
OG1, OG2 = OH1 / 2, OH1 + length / 2 * _along(PSI_0)
G1H1, H1G2 = OH1 - OG1, OG2 - OH1
B1, B2 = np.linalg.inv(poinsot(PHI_0)), np.linalg.inv(poinsot(PSI_0))
BASIS = np.eye(3)
SYMMETRIC = [(i, j) for i in range(3) for j in range(i, 3)]


def accelerations(R1, R2, Lambda_1, Lambda_2, at_O, at_H):
    """T1'', R1'', T2'', R2'' for given multipliers, (22)."""
    T1 = g * X0 - (1 / m + OG1 @ B1 @ OG1) * at_O + (1 / m - OG1 @ B1 @ G1H1) * at_H - R1 @ Lambda_1 @ B1 @ OG1
    R1_tt = (np.outer(at_O, OG1) + np.outer(at_H, G1H1) + R1 @ Lambda_1) @ B1
    T2 = g * X0 - (1 / m + OG2 @ B2 @ H1G2) * at_H - R2 @ Lambda_2 @ B2 @ OG2
    R2_tt = (np.outer(at_H, H1G2) + R2 @ Lambda_2) @ B2
    return T1, R1_tt, T2, R2_tt


def _hinges(R1, R2, multipliers):
    """Left sides of (24) (6,)."""
    T1, R1_tt, T2, R2_tt = accelerations(R1, R2, *multipliers)
    return np.concatenate([T1, T2 + (R2_tt - R1_tt) @ OH1])


def _rigid(R1, R2, R1_t, R2_t, multipliers):
    """Left sides of (23), upper triangles (12,)."""
    _, R1_tt, _, R2_tt = accelerations(R1, R2, *multipliers)
    found = []
    for R, R_t, R_tt in ((R1, R1_t, R1_tt), (R2, R2_t, R2_tt)):
        bent = R_tt.T @ R + R.T @ R_tt + 2 * R_t.T @ R_t
        found += [bent[i, j] for i, j in SYMMETRIC]
    return np.array(found)


def _packed(numbers):
    """Multipliers from 18 numbers."""
    both = []
    for six in (numbers[:6], numbers[6:12]):
        L = np.zeros((3, 3))
        for value, (i, j) in zip(six, SYMMETRIC, strict=True):
            L[i, j] = L[j, i] = value
        both.append(L)
    return (*both, numbers[12:15], numbers[15:])


def _linear(function, count):
    """Solution of function(x) = 0 where the function is linear."""
    zero = function(np.zeros(count))
    return np.linalg.solve(np.column_stack([function(e) - zero for e in np.eye(count)]), -zero)


def one_step(R1, R2, R1_t, R2_t):
    """All 18 multipliers at once from (23) and (24)."""
    return _packed(
        _linear(
            lambda x: np.concatenate([_rigid(R1, R2, R1_t, R2_t, _packed(x)), _hinges(R1, R2, _packed(x))]),
            18,
        )
    )


def two_step(R1, R2, R1_t, R2_t):
    """Lambda_1 and Lambda_2 by their Lyapunov equations (25), then six unknowns in (24)."""

    def multipliers(x):
        at_O, at_H = x[:3], x[3:]
        first = R1.T @ (np.outer(at_O, OG1) + np.outer(at_H, G1H1)) @ B1
        second = R2.T @ np.outer(at_H, H1G2) @ B2
        Lambda_1 = solve_continuous_lyapunov(B1, -2 * R1_t.T @ R1_t - first - first.T)
        Lambda_2 = solve_continuous_lyapunov(B2, -2 * R2_t.T @ R2_t - second - second.T)
        return Lambda_1, Lambda_2, at_O, at_H

    return multipliers(_linear(lambda x: _hinges(R1, R2, multipliers(x)), 6))


def integrated(steps, step, elimination=two_step, held=False):
    """States (T1, R1, T2, R2) after so many Runge-Kutta steps from rest; multipliers at every stage, or held over a
    step. Returns the states and their rates."""
    y = [np.zeros(3), np.eye(3), np.zeros(3), np.eye(3)]
    v = [np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros((3, 3))]
    kept = None

    def rate(y, v):
        known = kept if held else elimination(y[1], y[3], v[1], v[3])
        return accelerations(y[1], y[3], *known)

    def ahead(start, slope, h):
        return [p + h * d for p, d in zip(start, slope, strict=True)]

    for _ in range(steps):
        kept = elimination(y[1], y[3], v[1], v[3]) if held else None
        a1 = rate(y, v)
        v2 = ahead(v, a1, step / 2)
        a2 = rate(ahead(y, v, step / 2), v2)
        v3 = ahead(v, a2, step / 2)
        a3 = rate(ahead(y, v2, step / 2), v3)
        v4 = ahead(v, a3, step)
        a4 = rate(ahead(y, v3, step), v4)
        y = [p + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for p, k1, k2, k3, k4 in zip(y, v, v2, v3, v4, strict=True)]
        v = [p + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for p, k1, k2, k3, k4 in zip(v, a1, a2, a3, a4, strict=True)]
    return y, v


def classical(time, y):
    """(26): rates of phi, psi and their rates."""
    phi, psi, phi_t, psi_t = y
    C, half, c, s = m * (length**2 + a**2) / 12, m * length**2 / 2, np.cos(phi - psi), np.sin(phi - psi)
    mass = [[C + 5 / 4 * m * length**2, half * c], [half * c, C + 1 / 4 * m * length**2]]
    load = [
        -half * s * psi_t**2 - 3 / 2 * m * g * length * np.sin(phi),
        half * s * phi_t**2 - m * g * length * np.sin(psi) / 2,
    ]
    return [phi_t, psi_t, *np.linalg.solve(mass, load)]


def angles(R1, R2):
    """phi, psi by (27), without T2* in psi."""
    first, second = R1 @ _along(PHI_0), R2 @ _along(PSI_0)
    return np.arctan2(first[1], first[0]), np.arctan2(second[1], second[0])
