"""Lower bounds of quadratic functions over boxes and ellipsoids, compiled (`gough.regions.quadratic`)."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, kernel, noinline_norefcount
from gough.arrays import Array
from gough.regions._placing import EPS, WIDER, RegionArrays

ROUNDS = 12
"""In which the prices are bettered."""
CLOSE = 1.0
"""Part of a minimum below zero, beside which its bound is not bettered."""
FIRST_PRICE, FIRST_BARRIER, STEP = 0.001, 0.001, 0.9
"""Parts of the slope that prices have at the least, and the barrier's weight, to begin with; how far a step goes, as a
part of that to where M may be singular or a price zero."""
DOUBLINGS = 20
"""Of what is added to prices until M is definite: 1e6 times the first."""
WHOLE, PARTLY = 0.1, 0.5
"""Parts of the barrier's weight after whole steps and others."""
TINY = 1e-60
"""Changes of functions over boxes that are none."""
SOUND = 1e-6
"""Least eigenvalue of M, as a part of its largest entry: some 1e9 roundings."""
INVERSE_ERROR = 1e-7
"""Part of the trace of M^-1 by which its diagonal is widened: M's condition is below 6 / SOUND."""


class Work(NamedTuple):
    """A function g x + x H x / 2 in a box's half widths; its constraints |x_j| <= 1 and |o + k x| <= 1 as
    a x x / 2 + c x (m, 6) less `room` (m,), their prices; M, its inverse, and the minimum y; the rest is scratch."""

    g: Array
    H: Array
    a: Array
    c: Array
    room: Array
    prices: Array
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


@noinline_norefcount
def is_definite(M: Array, less: float, L: Array) -> bool:
    """Whether the symmetric M (n, n) has no eigenvalue below half of `less`, some tens of roundings of its entries: a
    Cholesky factorisation L of M - less that ends is that of a matrix so near (Higham 2002, theorem 10.3)."""
    for j in range(M.shape[0]):
        for i in range(j, M.shape[0]):
            total = M[i, j] - (less if i == j else 0.0)
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not 0.0 < total < inf:
                    return False
                L[j, j] = sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return True


@noinline_norefcount
def substitute(L: Array, x: Array) -> None:
    """X (n,) <- (L L^T)^-1 x."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@noinline_norefcount
def write_priced(work: Work) -> float:
    """M at the prices; its largest entry."""
    top = 0.0
    for i in range(6):
        for j in range(6):
            work.M[i, j] = work.H[i, j]
        for row in range(len(work.prices)):
            work.M[i, i] += work.prices[row] * work.a[row, i]
        for j in range(6):
            top = max(top, abs(work.M[i, j]))
    return top


@inline
def offset(work: Work, row: int, j: int) -> tuple[float, float]:
    """The factor k and o of a coordinate in an ellipsoid, |o + k x| <= 1; k is zero of others."""
    k = sqrt(work.a[row, j] / 2.0)
    return k, work.c[row, j] / (2.0 * k) if k > 0.0 else 0.0


@noinline_norefcount
def write_constraints(region: RegionArrays, z: Array, half: Array, work: Work) -> None:
    """The box's constraints and those of the region's ellipsoids."""
    for row in range(len(work.room)):
        work.room[row] = 1.0
        for j in range(6):
            work.a[row, j] = 2.0 if row == j else 0.0
            work.c[row, j] = 0.0
            if row >= 6 and region.groups[j] == row - 6 and region.half[j] > 0.0:
                r = region.half[j] * WIDER
                k, o = half[j] / r, (z[j] - region.centre[j]) / r
                work.a[row, j], work.c[row, j] = 2.0 * k * k, 2.0 * k * o
                work.room[row] -= o * o


@noinline_norefcount
def write_first_prices(work: Work) -> float:
    """The prices where the function is linear, and more where M is singular with them; the barrier's weight."""
    g, H, x = work.g, work.H, work.x
    for j in range(6):
        x[j] = -1.0 if g[j] > 0.0 else 1.0 if g[j] < 0.0 else 0.0
    for row in range(6, len(work.room)):
        length, over_box, off = 0.0, 0.0, 0.0
        for j in range(6):
            k, o = offset(work, row, j)
            if k > 0.0:
                length += (g[j] / k) ** 2
                over_box += abs(g[j])
                off += g[j] / k * o
        length = sqrt(length)
        is_outer = over_box - off > length
        work.prices[row] = length / 2.0 if is_outer else 0.0
        for j in range(6):
            k, o = offset(work, row, j)
            if is_outer and k > 0.0:
                x[j] = min(max((-g[j] / k / max(length, 1e-300) - o) / k, -1.0), 1.0)
    second, steepest = 0.0, 0.0
    for j in range(6):
        y = g[j]
        for i in range(6):
            y += H[j, i] * x[i]
            second = max(second, abs(H[j, i]))
        work.prices[j] = max(-y * x[j], 0.0) / 2.0
        for row in range(6, len(work.room)):
            work.prices[j] = 0.0 if work.a[row, j] > 0.0 and work.prices[row] > 0.0 else work.prices[j]
        steepest = max(steepest, abs(g[j]) + abs(y))
    top = steepest + second + 1e-300
    for row in range(len(work.prices)):
        work.prices[row] += FIRST_PRICE * top
    write_priced(work)
    more = FIRST_PRICE * top
    for _ in range(DOUBLINGS):
        if is_definite(work.M, FIRST_PRICE * top, work.L):
            break
        for j in range(6):
            work.prices[j] += more
        more *= 2.0
        write_priced(work)
    return FIRST_BARRIER * top


@noinline_norefcount
def bound(f: float, work: Work, spread: Array) -> float:
    """The bound at the prices, -inf where M is not definite; its minimum y, and the diagonal of M^-1 at the most."""
    prices, M, inverse, y, b = work.prices, work.M, work.inverse, work.y, work.b
    top, trace = write_priced(work), 0.0
    if not (is_definite(M, SOUND * top, work.L) and is_definite(M, 0.0, work.L)):
        return -inf
    for j in range(6):
        for k in range(6):
            inverse[j, k] = 1.0 if j == k else 0.0
        substitute(work.L, inverse[j])
        trace += inverse[j, j]
        b[j] = work.g[j]
        for row in range(6, len(prices)):
            b[j] += prices[row] * work.c[row, j]
    value, size, error = f, abs(f), 0.0
    for j in range(6):
        y[j] = 0.0
        for k in range(6):
            y[j] -= inverse[j, k] * b[k]
        spread[j] = inverse[j, j] + INVERSE_ERROR * trace
    for j in range(6):
        My = 0.0
        for k in range(6):
            My += M[j, k] * y[k]
        value += y[j] * (My / 2.0 + b[j])
        size += abs(y[j]) * (abs(My) + abs(b[j]))
        error += (My + b[j]) ** 2
    for row in range(len(prices)):
        value -= prices[row] * work.room[row]
        size += prices[row] * (2.0 - work.room[row])
    return value - error / (SOUND / 2.0 * top) - 64.0 * EPS * size


@noinline_norefcount
def better(work: Work, barrier: float) -> float:
    """A Newton step towards better prices, as parts of them (Boyd and Vandenberghe 2004, section 11.3); the barrier's
    next weight, zero where no step is known."""
    a, c, v, p, s, step, curve, squares = work.a, work.c, work.v, work.p, work.s, work.step, work.curve, work.squares
    prices, inverse, y, count = work.prices, work.inverse, work.y, len(work.prices)
    for row in range(count):
        slope = barrier / prices[row] - work.room[row]
        for j in range(6):
            v[row, j] = a[row, j] * y[j] + c[row, j]
            slope += (v[row, j] + c[row, j]) * y[j] / 2.0 + barrier * a[row, j] * inverse[j, j]
        step[row] = slope * prices[row]
        for j in range(6):
            p[row, j], s[row, j] = 0.0, 0.0
            for k in range(6):
                p[row, j] += inverse[j, k] * v[row, k]
                s[row, j] += inverse[j, k] * inverse[j, k] * a[row, k]
    for row in range(count):
        for other in range(row + 1):
            total, square, scale = 0.0, 0.0, prices[row] * prices[other]
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
    far = max(far, sqrt(abs(moved)))  # of M, as a part of it
    for row in range(count):
        prices[row] *= 1.0 + step[row] * min(1.0, STEP / max(far, 1e-300))
    return barrier * (WHOLE if far < STEP else PARTLY)


@noinline_norefcount
def reached(f: float, work: Work) -> float:
    """The function at a place of the box, and nearly of the ellipsoids, by its minimum y."""
    x = work.x
    for j in range(6):
        x[j] = min(max(work.y[j], -1.0), 1.0)
    for row in range(6, len(work.room)):
        norm = 0.0
        for j in range(6):
            k, o = offset(work, row, j)
            norm += (o + k * x[j]) ** 2
        for j in range(6):
            k, o = offset(work, row, j)
            if k > 0.0:
                x[j] = min(max(((o + k * x[j]) / max(sqrt(norm), 1.0) - o) / k, -1.0), 1.0)
    value = f
    for j in range(6):
        slope = work.g[j]
        for k in range(6):
            slope += work.H[j, k] * x[k] / 2.0
        value += x[j] * slope
    return value


@inline
def ends(spare: float, price: float, y: float, spread: float) -> tuple[float, float]:
    """Between which parts of the half width the function can be below zero, whose bound lacks `spare` of that."""
    far, inner = sqrt(2.0 * spare * spread) * WIDER, 1.0 - spare / price
    low, high = max(y - far, -1.0), min(y + far, 1.0)
    if inner > 0.0:
        inner = sqrt(inner) / WIDER  # |x| is above
        low = inner if low > -inner and low < inner else low
        high = -inner if high < inner and high > -inner else high
    return low, high


@noinline_norefcount
def write_scaled(slope: Array, curve: Array, half: Array, work: Work) -> tuple[float, float]:
    """The function in half widths; bounds of its linear part, and of twice the rest."""
    first, second = 0.0, 0.0
    for j in range(6):
        work.g[j] = slope[j] * half[j]
        first += abs(work.g[j])
        for k in range(6):
            work.H[j, k] = curve[j, k] * half[j] * half[k]
            second += abs(work.H[j, k])
    return first, second


@kernel
def least_of_boxes(
    region: RegionArrays, z: Array, h: Array, value: Array, slope: Array, curve: Array, rest: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Of n boxes with centres z and half widths h: lower bounds (n,) of functions, sharpened until they are above zero;
    centres and half widths of what encloses the places below it; where the minimum is near, and losses (n, 6)."""
    n, m = len(z), 7 + region.groups.max()
    lower, left, half, near, loss = np.empty(n), z.copy(), h.copy(), z.copy(), np.zeros((n, 6))
    one, square, row, rows = np.empty((7, 6)), np.empty((4, 6, 6)), np.empty((3, m)), np.empty((5, m, 6))
    both, spread, wide = np.empty((2, m, m)), one[6], np.empty(6)
    work = Work(
        one[0], square[0], rows[0], rows[1], row[0], row[1], square[1], square[2], one[1], one[2], one[3], square[3],
        rows[2], rows[3], rows[4], row[2], both[0], both[1],
    )  # fmt: skip
    for i in range(n):
        for j in range(6):
            wide[j] = h[i, j] * WIDER
        first, second = write_scaled(slope[i], curve[i], wide, work)
        f, size = value[i] - rest[i], abs(value[i]) + first + second
        lower[i] = f - first - second / 2.0 - 16.0 * EPS * size
        for j in range(6):
            loss[i, j] = abs(work.g[j])
        if lower[i] >= 0.0 or not isfinite(size + f) or not first > TINY:
            continue
        write_constraints(region, z[i], wide, work)
        barrier, spare = write_first_prices(work), inf
        for _ in range(ROUNDS):
            found = bound(f, work, spread)
            if found == -inf:
                break
            lower[i], spare = max(lower[i], found), max(-found, 0.0)
            for j in range(6):
                x, price = min(max(work.y[j], -1.0), 1.0), work.prices[j]
                low, high = ends(spare, price, work.y[j], spread[j])
                left[i, j], half[i, j] = z[i, j] + (low + high) / 2.0 * wide[j], max(high - low, 0.0) / 2.0 * wide[j]
                near[i, j], loss[i, j] = z[i, j] + x * wide[j], price * (1.0 - x * x)
            if not lower[i] < 0.0 or lower[i] > (1.0 + CLOSE) * reached(f, work):
                break
            barrier = better(work, barrier)
            if barrier == 0.0:
                break
    return lower, left, half, near, loss
