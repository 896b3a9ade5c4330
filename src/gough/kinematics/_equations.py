"""Compiled leg equations of forward kinematics, one column per leg as in `factored`.

With rho = R b and d = t + rho - p(q), the equation of leg i is |d|^2 = L(q)^2: no square root, and quadratic in t.
Differentiating along a motion of the platform with twist [v, w] and acceleration [a, alpha] while the joint moves at
the rate q',

    d . v + (rho x d) . w      = g q'
    d . a + (rho x d) . alpha  = h q'^2 - |v + w x rho - p' q'|^2 - d . (w x (w x rho))

with g = d . p' + L L' and h = d . p'' + L'^2 + L L''.
"""

from __future__ import annotations

from math import sqrt

from gough._compile import inline
from gough._linear_algebra import Factors, Six, factored, substituted
from gough.arrays import Array
from gough.legs._leg_dispatch import drive, drive_rate, driven_point
from gough.legs.leg import PLATFORM

# Rows of the equations E: d, rho x d and the right side; then rho, and for moving joints p', g and h.
D, MOMENT, RIGHT, RHO, DRIVE, RATE, BEND = 0, 3, 6, 7, 10, 13, 14
EQUATION_ROWS = 15

Model = tuple[int, Array, Array, float, float]
"""A machine in forward kinematics: code of the leg kind, leg table, the platform's centre in its frame (3,), the
machine's size [m], period of the joint coordinates (0: none). A plain tuple, because Numba's dispatcher takes 1 us
longer for a named one, a tenth of a call for one pose."""


@inline
def place_feet(code: int, T: Array, q: Array, feet: Array) -> None:
    """Driven points and rod lengths at q (6,), into feet (4, 6)."""
    for i in range(6):
        feet[0, i], feet[1, i], feet[2, i], feet[3, i] = driven_point(code, T, i, q[i])


@inline
def write_equations(T: Array, X: Array, feet: Array, E: Array) -> float:
    """Newton's equations at X of legs with their feet held, into E: the right sides are (L^2 - |d|^2) / 2.

    Returns the sum of the magnitudes of the right sides.
    """
    r00, r01, r02, t0 = X[0, 0], X[0, 1], X[0, 2], X[0, 3]
    r10, r11, r12, t1 = X[1, 0], X[1, 1], X[1, 2], X[1, 3]
    r20, r21, r22, t2 = X[2, 0], X[2, 1], X[2, 2], X[2, 3]
    total = 0.0
    for i in range(6):
        b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
        x, y, z = r00 * b0 + r01 * b1 + r02 * b2, r10 * b0 + r11 * b1 + r12 * b2, r20 * b0 + r21 * b1 + r22 * b2
        dx, dy, dz = x + t0 - feet[0, i], y + t1 - feet[1, i], z + t2 - feet[2, i]
        E[D, i], E[D + 1, i], E[D + 2, i] = dx, dy, dz
        E[MOMENT, i], E[MOMENT + 1, i], E[MOMENT + 2, i] = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
        E[RIGHT, i] = 0.5 * (feet[3, i] * feet[3, i] - (dx * dx + dy * dy + dz * dz))
        E[RHO, i], E[RHO + 1, i], E[RHO + 2, i] = x, y, z
    for i in range(6):
        total += abs(E[RIGHT, i])
    return total


@inline
def largest_miss(T: Array, X: Array, feet: Array, E: Array) -> float:
    """Largest | |t + R b - p| - L | of the six legs [m], NaN if one is NaN; E is overwritten."""
    write_equations(T, X, feet, E)
    for i in range(6):
        # | |d| - L | = | |d|^2 - L^2 | / (|d| + L) loses fewer digits than the difference. A negative L adds 2 |L|.
        L, d = abs(feet[3, i]), sqrt(E[D, i] ** 2 + E[D + 1, i] ** 2 + E[D + 2, i] ** 2)
        E[RIGHT, i] = 2.0 * abs(E[RIGHT, i]) / (L + d) + L - feet[3, i]
    worst = 0.0
    for i in range(6):
        if not E[RIGHT, i] <= worst:  # true for NaN, which then stays
            worst = E[RIGHT, i]
    return worst


@inline
def write_drives(code: int, T: Array, q: Array, E: Array) -> None:
    """The rows of E for moving joints, at joint coordinates q (6,)."""
    for i in range(6):
        _, _, _, length = driven_point(code, T, i, q[i])
        gx, gy, gz, stretch = drive(code, T, i, q[i])
        hx, hy, hz, stretch_rate = drive_rate(code, T, i, q[i])
        dx, dy, dz = E[D, i], E[D + 1, i], E[D + 2, i]
        E[DRIVE, i], E[DRIVE + 1, i], E[DRIVE + 2, i] = gx, gy, gz
        E[RATE, i] = dx * gx + dy * gy + dz * gz + length * stretch
        E[BEND, i] = dx * hx + dy * hy + dz * hz + stretch * stretch + length * stretch_rate


@inline
def bending(E: Array, i: int, v0: float, v1: float, v2: float, V: Six) -> float:
    """|v + w x rho|^2 + d . (w x (w x rho)) of leg i, w from V and v given by itself."""
    w0, w1, w2 = V[3], V[4], V[5]
    x, y, z, dx, dy, dz = E[RHO, i], E[RHO + 1, i], E[RHO + 2, i], E[D, i], E[D + 1, i], E[D + 2, i]
    ex, ey, ez = v0 + w1 * z - w2 * y, v1 + w2 * x - w0 * z, v2 + w0 * y - w1 * x
    swing = (dx * w0 + dy * w1 + dz * w2) * (x * w0 + y * w1 + z * w2)
    return ex * ex + ey * ey + ez * ez + swing - (dx * x + dy * y + dz * z) * (w0 * w0 + w1 * w1 + w2 * w2)


@inline
def second_step(E: Array, factors: Factors, V: Six) -> Six:
    """Chebyshev's correction of Newton's step V, as an acceleration: the equations' second-order term along V."""
    for i in range(6):
        E[RIGHT, i] = -bending(E, i, V[0], V[1], V[2], V)
    return substituted(factors, E)


@inline
def path_derivatives(E: Array, qd: Array) -> tuple[Six, Six, float]:
    """Twist and acceleration of the platform while the joints move at constant rates qd, and the determinant."""
    for i in range(6):
        E[RIGHT, i] = E[RATE, i] * qd[i]
    # The second equation has the same matrix: the factors serve twice.
    factors, det = factored(E)
    V = substituted(factors, E)
    for i in range(6):
        v0, v1, v2 = V[0] - qd[i] * E[DRIVE, i], V[1] - qd[i] * E[DRIVE + 1, i], V[2] - qd[i] * E[DRIVE + 2, i]
        E[RIGHT, i] = E[BEND, i] * qd[i] * qd[i] - bending(E, i, v0, v1, v2, V)
    return V, substituted(factors, E), det
