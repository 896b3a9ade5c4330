"""Lower bounds of quadratic functions over boxes and ellipsoids, compiled (`gough.regions.quadratic`)."""

from __future__ import annotations

from math import inf, isfinite, sqrt

import numpy as np

from gough._compile import inline, kernel, noinline_norefcount
from gough._linear_algebra import is_definite, substitute
from gough.arrays import Array
from gough.regions._multipliers import (
    Work,
    new_work,
    newton_step,
    write_constraints,
    write_first_multipliers,
    write_lagrangian,
)
from gough.regions._placing import EPS, WIDER, RegionArrays

ROUNDS = 12
"""Most Newton steps of the multipliers."""
CLOSE = 1.0
"""Duality gap, as a part of a negative minimum, at which a bound is not sharpened further."""
TINY = 1e-60
"""Linear part, over a box, below which a bound is not sharpened."""
SOUND = 1e-6
"""Least eigenvalue of M, as a part of its largest entry: some 1e9 roundings."""
INVERSE_ERROR = 1e-7
"""Part of the trace of M^-1 by which its diagonal is widened: fifty roundings times M's condition, below 12 / SOUND."""


@noinline_norefcount
def dual_bound(f: float, work: Work, spread: Array) -> float:
    """The dual bound at the multipliers, -inf where M is not definite; writes y, and upper bounds `spread` of the
    diagonal of M^-1."""
    multipliers, M, inverse, y, b = work.multipliers, work.M, work.inverse, work.y, work.b
    top, trace = write_lagrangian(work), 0.0
    # The first test bounds the eigenvalues from below; the second leaves the factors of M itself in L.
    if not (is_definite(M, SOUND * top, work.L) and is_definite(M, 0.0, work.L)):
        return -inf
    for j in range(6):
        for k in range(6):
            inverse[j, k] = 1.0 if j == k else 0.0
        substitute(work.L, inverse[j])  # a column of the inverse, as a row: it is symmetric
        trace += inverse[j, j]
        b[j] = work.g[j]
        for row in range(6, len(multipliers)):
            b[j] += multipliers[row] * work.c[row, j]
    value, size, error = f, abs(f), 0.0  # `size` sums the amounts of all terms, for their rounding
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
    for row in range(len(multipliers)):
        value -= multipliers[row] * work.room[row]
        size += multipliers[row] * (2.0 - work.room[row])
    # y is rounded: the minimum is below the value there by at most |My + b|^2 / 2 over the least eigenvalue of M, which
    # is above SOUND top / 2. Twice that is taken off.
    return value - error / (SOUND / 2.0 * top) - 64.0 * EPS * size


@noinline_norefcount
def primal_value(f: float, work: Work) -> float:
    """The function at y moved into the box and towards the ellipsoids: nearly an upper bound of the minimum.

    It only decides when sharpening ends, so that it needs no proof.
    """
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
def enclosing_interval(spare: float, multiplier: float, y: float, spread: float) -> tuple[float, float]:
    """Interval [low, high] of a coordinate, in half widths, outside which the function is not below zero, from a dual
    bound of -spare.

    (x - y)^2 < 2 spare (M^-1)_jj, and t (1 - x^2) < spare leaves out the middle part |x| <= inner: an end of the
    interval that lies in it moves to its far end.
    """
    far, inner = sqrt(2.0 * spare * spread) * WIDER, 1.0 - spare / multiplier
    low, high = max(y - far, -1.0), min(y + far, 1.0)
    if inner > 0.0:
        inner = sqrt(inner) / WIDER
        low = inner if low > -inner and low < inner else low
        high = -inner if high < inner and high > -inner else high
    return low, high


@noinline_norefcount
def write_scaled(slope: Array, curve: Array, half: Array, work: Work) -> tuple[float, float]:
    """Write the function in half widths; return bounds of its linear part, and of twice its quadratic part."""
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
    """Sharpen the dual bound of one box while that may decide; returns the best bound, and writes what it implies for
    places where the function is below zero."""
    barrier, least = write_first_multipliers(work), -inf
    for _ in range(ROUNDS):
        value = dual_bound(f, work, spread)
        if value == -inf:
            break
        least = max(least, value)
        for j in range(6):
            x, multiplier = min(max(work.y[j], -1.0), 1.0), work.multipliers[j]
            low, high = enclosing_interval(max(-value, 0.0), multiplier, work.y[j], spread[j])
            found[0, j], found[1, j] = z[j] + (low + high) / 2.0 * half[j], max(high - low, 0.0) / 2.0 * half[j]
            found[2, j], found[3, j] = z[j] + x * half[j], multiplier * (1.0 - x * x)
        # Enough: the function is proven non-negative, or the bound is near the (negative) value of a place.
        if not least < 0.0 or least > (1.0 + CLOSE) * primal_value(f, work):
            break
        barrier = newton_step(work, barrier)
        if barrier == 0.0:
            break
    return least


@kernel
def least_of_boxes(
    region: RegionArrays, z: Array, h: Array, value: Array, slope: Array, curve: Array, rest: Array
) -> tuple[Array, Array]:
    """Lower bounds (n,) of one function over each of n boxes with centres z and half widths h, sharpened until they are
    above zero; and (n, 4, 6): centre and half widths of an enclosure of the places where it is below zero, a place near
    its minimum, and the loss of the bound along each coordinate."""
    lower, found = np.empty(len(z)), np.empty((len(z), 4, 6))
    ellipsoids = 0
    for j in range(6):
        ellipsoids = max(ellipsoids, region.groups[j] + 1)
    work, half, spread = new_work(6 + ellipsoids), np.empty(6), np.empty(6)
    for i in range(len(z)):
        for j in range(6):
            half[j] = h[i, j] * WIDER
        # The bound by the triangle inequality decides most boxes. The others get multipliers.
        first, second = write_scaled(slope[i], curve[i], half, work)
        f, size = value[i] - rest[i], abs(value[i]) + first + second
        lower[i] = f - first - second / 2.0 - 16.0 * EPS * size
        for j in range(6):
            found[i, 0, j], found[i, 1, j], found[i, 2, j], found[i, 3, j] = z[i, j], h[i, j], z[i, j], abs(work.g[j])
        # The first multipliers follow from the linear part: without one the bound is not sharpened.
        if not lower[i] >= 0.0 and isfinite(size + f) and first > TINY:
            write_constraints(region, z[i], half, work)
            lower[i] = max(lower[i], write_sharpened(f, z[i], half, work, spread, found[i]))
    return lower, found
