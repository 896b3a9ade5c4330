"""Lagrange multipliers of boxes and ellipsoids, compiled: starting values, and Newton's steps that raise the dual
bound.

See `gough.regions.quadratic` for the bound.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, noinline_norefcount
from gough._linear_algebra import is_definite, substitute
from gough.arrays import Array
from gough.regions._placing import WIDER, RegionArrays

FIRST_MULTIPLIER, FIRST_BARRIER, STEP = 0.001, 0.001, 0.9
"""Smallest first multiplier and first weight of the barrier, as parts of the function's size; length of a step, as a
part of that at which M may become singular or a multiplier zero."""
DOUBLINGS = 20
"""Most doublings of what is added to the multipliers until M is definite: up to 1e6 times the first."""
WHOLE, PARTLY = 0.1, 0.5
"""Factors of the barrier's weight after full steps and after shortened ones."""


class Work(NamedTuple):
    """A function g x + x H x / 2 in a box's half widths, its constraints and their multipliers.

    The constraints |x_j| <= 1, and |o + k x| <= 1 of each ellipsoid, are a x x / 2 + c x <= room with rows a and c (m,
    6) and `room` (m,). M = H + sum of multipliers times a is the Hessian of the Lagrangian, y its minimiser. The fields
    from x on are scratch.
    """

    g: Array
    H: Array
    a: Array
    c: Array
    k: Array
    o: Array
    room: Array
    multipliers: Array
    M: Array
    inverse: Array
    y: Array
    x: Array
    b: Array
    L: Array
    v: Array
    p: Array
    s: Array
    step: Array
    curve: Array
    squares: Array


@inline
def new_work(m: int) -> Work:
    """Room for functions with m constraints."""
    # Few arrays, cut into parts: each allocation takes long to compile.
    vector, matrix, rows = np.empty((4, 6)), np.empty((4, 6, 6)), np.empty((7, m, 6))
    each, pairs = np.empty((3, m)), np.empty((2, m, m))
    return Work(
        vector[0],
        matrix[0],
        rows[0],
        rows[1],
        rows[2],
        rows[3],
        each[0],
        each[1],
        matrix[1],
        matrix[2],
        vector[1],
        vector[2],
        vector[3],
        matrix[3],
        rows[4],
        rows[5],
        rows[6],
        each[2],
        pairs[0],
        pairs[1],
    )


@noinline_norefcount
def write_lagrangian(work: Work) -> float:
    """M, the Hessian of the Lagrangian, at the multipliers; returns its largest entry."""
    top = 0.0
    for i in range(6):
        for j in range(6):
            work.M[i, j] = work.H[i, j]
        for row in range(len(work.multipliers)):
            work.M[i, i] += work.multipliers[row] * work.a[row, i]
        for j in range(6):
            top = max(top, abs(work.M[i, j]))
    return top


@noinline_norefcount
def write_constraints(region: RegionArrays, z: Array, half: Array, work: Work) -> None:
    """The constraints of the box (rows 0 to 5) and of the region's ellipsoids, in the box's half widths."""
    for row in range(len(work.room)):
        work.room[row] = 1.0
        for j in range(6):
            work.a[row, j] = 2.0 if row == j else 0.0
            work.c[row, j] = work.k[row, j] = work.o[row, j] = 0.0
            if row >= 6 and region.groups[j] == row - 6 and region.half[j] > 0.0:
                r = region.half[j] * WIDER
                k, o = half[j] / r, (z[j] - region.centre[j]) / r
                work.k[row, j], work.o[row, j] = k, o
                work.a[row, j], work.c[row, j] = 2.0 * k * k, 2.0 * k * o
                work.room[row] -= o * o


@noinline_norefcount
def write_first_multipliers(work: Work) -> float:
    """Multipliers that are optimal for a linear function, increased until M is definite; returns the barrier's
    weight."""
    g, H, x = work.g, work.H, work.x
    # x: the minimiser of the linear part over the box; over an ellipsoid where its minimum is the higher one.
    for j in range(6):
        x[j] = -1.0 if g[j] > 0.0 else 1.0 if g[j] < 0.0 else 0.0
    for row in range(6, len(work.room)):
        # The minimum is -over_box over the box, and -length - off over the ellipsoid, length the norm of g / k.
        length, over_box, off = 0.0, 0.0, 0.0
        for j in range(6):
            k, o = work.k[row, j], work.o[row, j]
            if k > 0.0:
                length += (g[j] / k) ** 2
                over_box += abs(g[j])
                off += g[j] / k * o
        length = sqrt(length)
        is_outer = over_box - off > length
        work.multipliers[row] = length / 2.0 if is_outer else 0.0
        for j in range(6):
            k, o = work.k[row, j], work.o[row, j]
            if is_outer and k > 0.0:
                x[j] = min(max((-g[j] / k / max(length, 1e-300) - o) / k, -1.0), 1.0)
    # Stationarity at x, slope + 2 t x = 0: the multiplier t of |x_j| <= 1 is half the slope's amount; zero for
    # coordinates of an ellipsoid that has a multiplier.
    second, steepest = 0.0, 0.0
    for j in range(6):
        y = g[j]
        for i in range(6):
            y += H[j, i] * x[i]
            second = max(second, abs(H[j, i]))
        work.multipliers[j] = max(-y * x[j], 0.0) / 2.0
        for row in range(6, len(work.room)):
            work.multipliers[j] = 0.0 if work.a[row, j] > 0.0 and work.multipliers[row] > 0.0 else work.multipliers[j]
        steepest = max(steepest, abs(g[j]) + abs(y))
    top = steepest + second + 1e-300
    # The barrier method starts from the interior: all multipliers positive, M definite.
    for row in range(len(work.multipliers)):
        work.multipliers[row] += FIRST_MULTIPLIER * top
    write_lagrangian(work)
    more = FIRST_MULTIPLIER * top
    for _ in range(DOUBLINGS):
        if is_definite(work.M, FIRST_MULTIPLIER * top, work.L):
            break
        for j in range(6):
            work.multipliers[j] += more
        more *= 2.0
        write_lagrangian(work)
    return FIRST_BARRIER * top


@noinline_norefcount
def newton_step(work: Work, barrier: float) -> float:
    """A Newton step of the barrier method (Boyd and Vandenberghe 2004, section 11.3); the barrier's next weight, zero
    where there is no step.

    It raises dual(t) + barrier (sum log t_i + log det M) over the multipliers t: they stay positive, and M definite.
    Steps are relative to t, so that gradient and Hessian are scaled by t.
    """
    a, c, v, p, s, step, curve, squares = work.a, work.c, work.v, work.p, work.s, work.step, work.curve, work.squares
    multipliers, inverse, y, count = work.multipliers, work.inverse, work.y, len(work.multipliers)
    for row in range(count):
        slope = barrier / multipliers[row] - work.room[row]
        for j in range(6):
            v[row, j] = a[row, j] * y[j] + c[row, j]
            slope += (v[row, j] + c[row, j]) * y[j] / 2.0 + barrier * a[row, j] * inverse[j, j]
        step[row] = slope * multipliers[row]
        # v is the constraint's gradient at y, p = M^-1 v, s the diagonal of M^-1 diag(a) M^-1.
        for j in range(6):
            p[row, j], s[row, j] = 0.0, 0.0
            for k in range(6):
                p[row, j] += inverse[j, k] * v[row, k]
                s[row, j] += inverse[j, k] * inverse[j, k] * a[row, k]
    # Minus the Hessian: v M^-1 v of the dual, tr(M^-1 A M^-1 A) of log det M (`squares`), 1 of log t.
    for row in range(count):
        for other in range(row + 1):
            total, square, scale = 0.0, 0.0, multipliers[row] * multipliers[other]
            for j in range(6):
                total += v[row, j] * p[other, j]
                square += a[row, j] * s[other, j]
            curve[row, other] = (total + barrier * square) * scale
            squares[row, other] = squares[other, row] = square * scale
        curve[row, row] += barrier
    if not is_definite(curve, 0.0, curve):
        return 0.0
    substitute(curve, step)
    far, moved = 0.0, 0.0
    for row in range(count):
        far = max(far, -step[row])
        for other in range(count):
            moved += step[row] * squares[row, other] * step[other]
    # The relative change of M, |M^-1/2 dM M^-1/2| in the Frobenius norm: below 1 M stays definite.
    far = max(far, sqrt(abs(moved)))
    for row in range(count):
        multipliers[row] *= 1.0 + step[row] * min(1.0, STEP / max(far, 1e-300))
    return barrier * (WHOLE if far < STEP else PARTLY)
