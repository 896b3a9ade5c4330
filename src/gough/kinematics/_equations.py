"""Compiled leg equations of forward kinematics, one column per leg as in `factored`, and paths and poses for them.

With rho = R b and d = t + rho - p(q), the equation of leg i is |d|^2 = L(q)^2: no square root, and quadratic in t.
Differentiating along a motion of the platform with twist [v, w] and acceleration [a, alpha] while the joint moves at
the rate q',

    d . v + (rho x d) . w      = g q'
    d . a + (rho x d) . alpha  = h q'^2 - |v + w x rho - p' q'|^2 - d . (w x (w x rho))

with g = d . p' + L L' and h = d . p'' + L'^2 + L L''.

`search` finds any pose that fits the legs, where the joint path leads to none. It needs no regular Jacobian and
decreases the leg errors at every step; which assembly mode it finds is undetermined.
"""

from __future__ import annotations

from math import sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, inline_norefcount, noinline
from gough._linear_algebra import Factors, eliminate, factored, pivot_order, substituted
from gough.arrays import Array, Six
from gough.kinematics._rates import arm
from gough.legs._leg_dispatch import drive, drive_rate, driven_point, inverse
from gough.legs.leg import PLATFORM, ROWS


@inline
def copy_pose(X: Array, Y: Array) -> None:
    """Y <- X."""
    for i in range(4):
        for j in range(4):
            Y[i, j] = X[i, j]


@inline
def rotate(R: Array, w0: float, w1: float, w2: float) -> None:
    """R <- exp(w) R by Rodrigues' formula, with its series at small angles."""
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square < 1e-4:  # the series' next terms are below rounding
        s = 1.0 - square * (1.0 / 6 - square * (1.0 / 120 - square / 5040))
        c = 0.5 - square * (1.0 / 24 - square * (1.0 / 720 - square / 40320))
    else:
        angle = sqrt(square)
        s = sin(angle) / angle
        half = sin(0.5 * angle)
        c = 2.0 * half * half / square  # (1 - cos) / angle^2 without cancellation
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
        R[0, j] = x + s * cx + c * (w1 * cz - w2 * cy)
        R[1, j] = y + s * cy + c * (w2 * cx - w0 * cz)
        R[2, j] = z + s * cz + c * (w0 * cy - w1 * cx)


@inline
def advance(X: Array, s: float, V: Six, A: Six) -> None:
    """X after a time s with twist V and acceleration A: t + s v + s^2 a / 2, exp(s w + s^2 alpha / 2) R."""
    h = 0.5 * s * s
    X[0, 3] += s * V[0] + h * A[0]
    X[1, 3] += s * V[1] + h * A[1]
    X[2, 3] += s * V[2] + h * A[2]
    rotate(X, s * V[3] + h * A[3], s * V[4] + h * A[4], s * V[5] + h * A[5])


@inline
def shift_origin(X: Array, c0: float, c1: float, c2: float) -> None:
    """X with its origin moved to the body's point c."""
    for i in range(3):
        X[i, 3] += X[i, 0] * c0 + X[i, 1] * c1 + X[i, 2] * c2


@inline
def orthonormalised(R: Array) -> None:
    """Orthonormalise R, a rotation but for rounding, to second order: columns 0, 1, then their product."""
    # 1.5 - 0.5 x is the first-order expansion of 1 / sqrt(x) about 1.
    n = 1.5 - 0.5 * (R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0] + R[2, 0] * R[2, 0])
    R[0, 0] *= n
    R[1, 0] *= n
    R[2, 0] *= n
    along = R[0, 0] * R[0, 1] + R[1, 0] * R[1, 1] + R[2, 0] * R[2, 1]
    R[0, 1] -= along * R[0, 0]
    R[1, 1] -= along * R[1, 0]
    R[2, 1] -= along * R[2, 0]
    n = 1.5 - 0.5 * (R[0, 1] * R[0, 1] + R[1, 1] * R[1, 1] + R[2, 1] * R[2, 1])
    R[0, 1] *= n
    R[1, 1] *= n
    R[2, 1] *= n
    R[0, 2] = R[1, 0] * R[2, 1] - R[2, 0] * R[1, 1]
    R[1, 2] = R[2, 0] * R[0, 1] - R[0, 0] * R[2, 1]
    R[2, 2] = R[0, 0] * R[1, 1] - R[1, 0] * R[0, 1]


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


MAX_SEARCH_STEPS = 80
GOOD_ENOUGH = 1e-26
"""Sum of squares of the scaled leg equations at which Newton's method takes over."""


@noinline
def normal_equations(T: Array, X: Array, feet: Array, size: float, E: Array, M: Array) -> float:
    """J^T J and J^T F of the leg equations in units of the machine's size, into M (6, 7); the sum of squares F^T F."""
    write_equations(T, X, feet, E)
    # Rows 0-2 of E are lengths, rows 3-5 and the right side squares of lengths.
    total = 0.0
    for i in range(6):
        for j in range(3):
            E[j, i] /= size
            E[3 + j, i] /= size * size
        E[RIGHT, i] /= size * size
        total += E[RIGHT, i] * E[RIGHT, i]
    for j in range(6):
        for k in range(7):
            M[j, k] = 0.0
            for i in range(6):
                M[j, k] += E[j, i] * E[k, i]
    return total


@noinline
def search(T: Array, size: float, feet: Array, E: Array, Y: Array, M: Array, X: Array) -> int:
    """Move X to a local minimum of the sum of squared leg equations; returns the steps. E, Y, M: scratch."""
    damping = 1e-3  # for equations of order one; a tenth after a step that succeeds, tenfold after one that fails
    total = normal_equations(T, X, feet, size, E, M)
    for step in range(MAX_SEARCH_STEPS):
        if not total > GOOD_ENOUGH:
            return step
        for j in range(6):
            M[j, j] += damping
        eliminate(M, 6, 1)
        copy_pose(X, Y)
        for j in range(3):
            Y[j, 3] += size * M[j, 6]
        rotate(Y, M[3, 6], M[4, 6], M[5, 6])
        trial = normal_equations(T, Y, feet, size, E, M)
        if trial < total:
            copy_pose(Y, X)
            total = trial
            damping *= 0.1
        else:
            damping = max(10.0 * damping, 1e-12)
            # M is that of the rejected pose.
            normal_equations(T, X, feet, size, E, M)
    return MAX_SEARCH_STEPS


class JointPath(NamedTuple):
    """A linear joint-space path: pose of the platform's centre, joint coordinates and equations at its start, joint
    coordinates at its end, and their difference."""

    start: Array
    q_start: Array
    E_start: Array
    q_end: Array
    dq: Array


class Scratch(NamedTuple):
    """Scratch: feet (4, 6), joint coordinates (6,), equations, a pose, a matrix (6, 7)."""

    feet: Array
    q: Array
    E: Array
    Y: Array
    M: Array


def new_path() -> JointPath:
    """Memory for a path."""
    return JointPath(np.eye(4), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.zeros(6), np.zeros(6))


def new_scratch() -> Scratch:
    """Memory for scratch."""
    return Scratch(np.zeros((4, 6)), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.eye(4), np.zeros((6, 7)))


inline_path, inline_scratch = inline(new_path), inline(new_scratch)  # Python calls the functions, kernels these


@inline_norefcount
def take_start(code: int, T: Array, path: JointPath, work: Scratch) -> None:
    """Joint coordinates and leg equations at the path's start."""
    X = path.start
    for i in range(6):
        x, y, z = arm(T, X, i)
        path.q_start[i] = inverse(code, T, i, x + X[0, 3], y + X[1, 3], z + X[2, 3])
    place_feet(code, T, path.q_start, work.feet)
    write_equations(T, X, work.feet, path.E_start)
    write_drives(code, T, path.q_start, path.E_start)


@inline_norefcount
def write_table(table: Array, centre: Array, order: NDArray[np.int64], T: Array) -> None:
    """The leg table with platform joints relative to the platform's centre and the legs in this order, into T."""
    for r in range(ROWS):
        for i in range(6):
            T[r, i] = table[r, order[i]]
    # Poses within the kernels are of the centre.
    for j in range(3):
        for i in range(6):
            T[PLATFORM + j, i] -= centre[j]


@inline
def order_legs(
    code: int, table: Array, centre: Array, path: JointPath, work: Scratch, order: NDArray[np.int64], T: Array
) -> None:
    """Pivot order of the legs at the path's start, into `order`, and the leg table in that order, into T.

    With it, `factored` eliminates without pivoting at poses nearby.
    """
    # The equations with the legs in their own order give the pivots.
    for i in range(6):
        order[i] = i
    write_table(table, centre, order, T)
    take_start(code, T, path, work)
    for i in range(6):
        for j in range(6):
            work.M[i, j] = path.E_start[D + j, i]
    pivot_order(work.M, order)
    write_table(table, centre, order, T)


@np.errstate(all="ignore")
def prepare_legs(code: int, table: Array, centre: Array, X: Array, order: NDArray[np.int64], T: Array) -> None:
    """Pivot order of the legs at the pose X (4, 4), and the leg table in it, relative to the platform's centre.

    It runs once for a machine: helpers of kernels run here as plain Python.
    """
    path, work = new_path(), new_scratch()
    copy_pose(X, path.start)
    shift_origin(path.start, centre[0], centre[1], centre[2])
    order_legs(code, table, centre, path, work, order, T)


@inline_norefcount
def aim(path: JointPath, q: Array, order: NDArray[np.int64], period: float) -> None:
    """Set the path's end to joint coordinates q (6,), by the shorter turn where they have a period."""
    for i in range(6):
        path.q_end[i] = q[order[i]]
        path.dq[i] = path.q_end[i] - path.q_start[i]
        if period > 0.0:  # cranks: angles differ by whole turns
            path.dq[i] -= period * np.rint(path.dq[i] / period)
