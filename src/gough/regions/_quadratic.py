"""Lower bounds of quadratic functions over boxes and ellipsoids, compiled (`gough.regions.quadratic`)."""

from __future__ import annotations

from math import inf, isfinite, sqrt

import numpy as np

from gough._compile import inline, kernel, noinline_norefcount
from gough.arrays import Array
from gough.regions._placing import EPS, WIDER, RegionArrays
from gough.regions._prices import (
    Work,
    better,
    is_definite,
    new_work,
    substitute,
    write_constraints,
    write_first_prices,
    write_priced,
)

ROUNDS = 12
"""In which the prices are bettered."""
CLOSE = 1.0
"""Part of a minimum below zero, beside which its bound is not bettered."""
TINY = 1e-60
"""Changes of functions over boxes that are none."""
SOUND = 1e-6
"""Least eigenvalue of M, as a part of its largest entry: some 1e9 roundings."""
INVERSE_ERROR = 1e-7
"""Part of the trace of M^-1 by which its diagonal is widened: fifty roundings times M's condition, below 12 / SOUND."""


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
def reached(f: float, work: Work) -> float:
    """The function at a place of the box, and nearly of the ellipsoids, by its minimum y."""
    x = work.x
    for j in range(6):
        x[j] = min(max(work.y[j], -1.0), 1.0)
    for row in range(6, len(work.room)):
        norm = 0.0
        for j in range(6):
            k, o = work.k[row, j], work.o[row, j]
            norm += (o + k * x[j]) ** 2
        for j in range(6):
            k, o = work.k[row, j], work.o[row, j]
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


@noinline_norefcount
def write_sharpened(f: float, z: Array, half: Array, work: Work, spread: Array, found: Array) -> float:
    """Better the prices of one box while that may decide; the best bound, and what it says of the places below zero."""
    barrier, least = write_first_prices(work), -inf
    for _ in range(ROUNDS):
        value = bound(f, work, spread)
        if value == -inf:
            break
        least = max(least, value)
        for j in range(6):
            x, price = min(max(work.y[j], -1.0), 1.0), work.prices[j]
            low, high = ends(max(-value, 0.0), price, work.y[j], spread[j])
            found[0, j], found[1, j] = z[j] + (low + high) / 2.0 * half[j], max(high - low, 0.0) / 2.0 * half[j]
            found[2, j], found[3, j] = z[j] + x * half[j], price * (1.0 - x * x)
        if not least < 0.0 or least > (1.0 + CLOSE) * reached(f, work):
            break
        barrier = better(work, barrier)
        if barrier == 0.0:
            break
    return least


@kernel
def least_of_boxes(
    region: RegionArrays, z: Array, h: Array, value: Array, slope: Array, curve: Array, rest: Array
) -> tuple[Array, Array]:
    """Of n boxes with centres z and half widths h: lower bounds (n,) of functions, sharpened until they are above zero;
    and (n, 4, 6) centre and half widths of what encloses the places below it, where the minimum is near, and what of
    the bound is lost along each coordinate."""
    lower, found = np.empty(len(z)), np.empty((len(z), 4, 6))
    ellipsoids = 0
    for j in range(6):
        ellipsoids = max(ellipsoids, region.groups[j] + 1)
    work, half, spread = new_work(6 + ellipsoids), np.empty(6), np.empty(6)
    for i in range(len(z)):
        for j in range(6):
            half[j] = h[i, j] * WIDER
        first, second = write_scaled(slope[i], curve[i], half, work)
        f, size = value[i] - rest[i], abs(value[i]) + first + second
        lower[i] = f - first - second / 2.0 - 16.0 * EPS * size
        for j in range(6):
            found[i, 0, j], found[i, 1, j], found[i, 2, j], found[i, 3, j] = z[i, j], h[i, j], z[i, j], abs(work.g[j])
        if not lower[i] >= 0.0 and isfinite(size + f) and first > TINY:
            write_constraints(region, z[i], half, work)
            lower[i] = max(lower[i], write_sharpened(f, z[i], half, work, spread, found[i]))
    return lower, found
