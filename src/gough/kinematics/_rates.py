"""Compiled inverse kinematics, Jacobians and second-order terms.

With rho = R b, d = t + rho - p(q) and |d| = L(q), differentiating |d|^2 = L^2 once and twice gives, leg by leg,

    (d . p' + L L') q'  = d . v + (rho x d) . w
    (d . p' + L L') q'' = d . a + (rho x d) . alpha + |d'|^2 + d . (w x (w x rho) - p'' q'^2) - (L'^2 + L L'') q'^2

with d' = v + w x rho - p' q'.
"""

from __future__ import annotations

import numpy as np

from gough._compile import inline, kernel
from gough._linear_algebra import departure, eliminate, is_broken, is_not_rigid
from gough.arrays import Array, Three
from gough.legs._leg_dispatch import drive, drive_rate, driven_point, inverse, inverse_six
from gough.legs.leg import PLATFORM


@kernel
def inverse_batch(code: int, T: Array, X: Array, q: Array) -> int:
    """Joint coordinates q (n, 6) of poses X (n, 4, 4); index of the first matrix that is not a rigid pose, or -1."""
    bad = -1
    for k in range(X.shape[0]):
        R = X[k, 0, 0], X[k, 0, 1], X[k, 0, 2], X[k, 1, 0], X[k, 1, 1], X[k, 1, 2], X[k, 2, 0], X[k, 2, 1], X[k, 2, 2]
        t = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
        if is_broken(departure(R), t, X, k) and bad < 0:
            bad = k
        inverse_six(code, T, R, t, q, k)
    return bad


LOST = 4e-15
"""A pivot below this part of its column is rounding: the Jacobian is singular."""


@inline
def arm(T: Array, X: Array, i: int) -> Three:
    """Arm of joint i from the platform's origin, in base axes: rho = R b."""
    b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
    return (
        X[0, 0] * b0 + X[0, 1] * b1 + X[0, 2] * b2,
        X[1, 0] * b0 + X[1, 1] * b1 + X[1, 2] * b2,
        X[2, 0] * b0 + X[2, 1] * b1 + X[2, 2] * b2,
    )


@inline
def leg_row(code: int, T: Array, X: Array, i: int, J: Array) -> float:
    """Row i of J_qV, into J; the leg's joint coordinate. NaN where the leg cannot close."""
    x, y, z = arm(T, X, i)
    q = inverse(code, T, i, x + X[0, 3], y + X[1, 3], z + X[2, 3])
    px, py, pz, length = driven_point(code, T, i, q)
    dx, dy, dz = x + X[0, 3] - px, y + X[1, 3] - py, z + X[2, 3] - pz
    gx, gy, gz, stretch = drive(code, T, i, q)
    # From the first equation of the module, divided by d . p' + L L': infinite at a turning point, NaN for an open leg.
    scale = 1.0 / (dx * gx + dy * gy + dz * gz + length * stretch)
    J[i, 0], J[i, 1], J[i, 2] = dx * scale, dy * scale, dz * scale
    J[i, 3], J[i, 4], J[i, 5] = (
        (y * dz - z * dy) * scale,
        (z * dx - x * dz) * scale,
        (x * dy - y * dx) * scale,
    )
    return q


@inline
def curvature(code: int, T: Array, X: Array, V: Array, i: int, q: float, qd: float) -> float:
    """Joint acceleration q'' of leg i at zero acceleration of the platform."""
    x, y, z = arm(T, X, i)
    px, py, pz, length = driven_point(code, T, i, q)
    dx, dy, dz = x + X[0, 3] - px, y + X[1, 3] - py, z + X[2, 3] - pz
    gx, gy, gz, stretch = drive(code, T, i, q)
    hx, hy, hz, stretch_rate = drive_rate(code, T, i, q)
    w0, w1, w2 = V[3], V[4], V[5]
    # u = w x rho, c = w x (w x rho), e = d' = v + u - p' q'
    ux, uy, uz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
    cx, cy, cz = w1 * uz - w2 * uy, w2 * ux - w0 * uz, w0 * uy - w1 * ux
    ex, ey, ez = V[0] + ux - gx * qd, V[1] + uy - gy * qd, V[2] + uz - gz * qd
    total = ex * ex + ey * ey + ez * ez + dx * cx + dy * cy + dz * cz
    total -= (dx * hx + dy * hy + dz * hz + stretch * stretch + length * stretch_rate) * qd * qd
    return total / (dx * gx + dy * gy + dz * gz + length * stretch)


@inline
def is_rounding(M: Array, J: Array) -> bool:
    """Whether a pivot, whose reciprocal is on the diagonal of M after `eliminate`, is rounding of its column of J."""
    for c in range(6):
        largest = 0.0
        for r in range(6):
            largest = max(largest, abs(J[r, c]))
        if LOST * largest * abs(M[c, c]) >= 1.0:
            return True
    return False


@kernel
def jacobian_batch(code: int, T: Array, X: Array, J: Array) -> int:
    """J_qV (n, 6, 6) of poses X (n, 4, 4); index of the first matrix that is not a rigid pose, or -1."""
    bad = -1
    for k in range(X.shape[0]):
        if is_not_rigid(X, k) and bad < 0:
            bad = k
        for i in range(6):
            leg_row(code, T, X[k], i, J[k])
    return bad


@kernel
def inverse_jacobian_batch(code: int, T: Array, X: Array, J: Array) -> int:
    """J_Vq (n, 6, 6) as `jacobian_batch`; NaN where J_qV is singular to rounding or a leg cannot close."""
    row = np.empty((6, 6))
    M = np.empty((6, 12))
    bad = -1
    for k in range(X.shape[0]):
        if is_not_rigid(X, k) and bad < 0:
            bad = k
        for i in range(6):
            leg_row(code, T, X[k], i, row)
            for j in range(6):
                M[i, j] = row[i, j]
                M[i, 6 + j] = 1.0 if i == j else 0.0
        singular = eliminate(M, 6, 6) == 0.0 or is_rounding(M, row)
        for i in range(6):
            for j in range(6):
                J[k, i, j] = np.nan if singular else M[i, 6 + j]
    return bad


@kernel
def curvature_batch(code: int, T: Array, X: Array, V: Array, J: Array, bias: Array) -> None:
    """J_qV (n, 6, 6) and joint accelerations (n, 6) at zero platform acceleration, for twists V (n, 6)."""
    for k in range(X.shape[0]):
        for i in range(6):
            q = leg_row(code, T, X[k], i, J[k])
            qd = 0.0
            for j in range(6):
                qd += J[k, i, j] * V[k, j]
            bias[k, i] = curvature(code, T, X[k], V[k], i, q, qd)
