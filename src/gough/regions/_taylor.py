"""Taylor models of second order over a box, compiled: rows of numbers. `gough.regions.taylor` has the theory.

A row has the value, the remainder, the gradient and the coefficients of the products x_i x_j with i <= j, for
coordinates x in the box's half widths: |x_i| <= 1. L is then the sum of the gradient's amounts, S that of the
coefficients' and the remainder. A remainder that is not finite means that no enclosure is known.
"""

from __future__ import annotations

from math import inf, sqrt

from gough._compile import inline, noinline_norefcount
from gough.arrays import Array
from gough.regions._placing import EPS, Vector

REMAINDER, FIRST, SECOND, NUMBERS = 1, 2, 8, 29
"""Places of the remainder, the gradient and the coefficients in a row, and how many numbers it has."""
ROUND = 4.0 * EPS
"""Rounding error of an operation, relative to the sizes of its operands: of value, derivatives and remainder
together."""


@inline
def place_of(i: int, j: int) -> int:
    """Place of the coefficient of x_i x_j, i <= j."""
    return SECOND + i * (11 - i) // 2 + j


@inline
def linear_variation(f: Array) -> float:
    """L, the variation of the linear part."""
    return abs(f[2]) + abs(f[3]) + abs(f[4]) + abs(f[5]) + abs(f[6]) + abs(f[7])


@noinline_norefcount
def nonlinear_variation(f: Array) -> float:
    """S, a bound of the departure from the linear part."""
    a, b, c = f[REMAINDER], 0.0, 0.0
    for k in range(SECOND, NUMBERS, 3):  # three sums side by side: none waits for the others
        a, b, c = a + abs(f[k]), b + abs(f[k + 1]), c + abs(f[k + 2])
    return a + b + c


@noinline_norefcount
def change(f: Array) -> float:
    """D, a bound of the departure from the value."""
    return linear_variation(f) + nonlinear_variation(f)


@noinline_norefcount
def change_of_sum(f: Array, by: float, g: Array) -> float:
    """D of f + `by` g, without the rounding: see `count_sums`."""
    a, b, c = f[REMAINDER] + abs(by) * g[REMAINDER], abs(f[FIRST] + by * g[FIRST]), 0.0
    for k in range(FIRST + 1, NUMBERS - 2, 3):
        a, b = a + abs(f[k] + by * g[k]), b + abs(f[k + 1] + by * g[k + 1])
        c += abs(f[k + 2] + by * g[k + 2])
    c += abs(f[NUMBERS - 2] + by * g[NUMBERS - 2]) + abs(f[NUMBERS - 1] + by * g[NUMBERS - 1])
    return a + b + c


@noinline_norefcount
def clear(f: Array) -> None:
    """Set f to zero."""
    for k in range(NUMBERS):
        f[k] = 0.0


@noinline_norefcount
def add_multiple(by: float, f: Array, out: Array) -> None:
    """Add `by` f to `out`, without the rounding: see `count_sums`."""
    rest = out[REMAINDER] + abs(by) * f[REMAINDER]
    for k in range(NUMBERS):
        out[k] += by * f[k]
    out[REMAINDER] = rest


@noinline_norefcount
def combine(by: Array, f: Array, out: Array) -> None:
    """Write the sum of the rows f (6, NUMBERS) times numbers (6,), without the rounding."""
    a, b, c, d, e, g = by[0], by[1], by[2], by[3], by[4], by[5]
    for k in range(NUMBERS):
        out[k] = a * f[0, k] + b * f[1, k] + c * f[2, k] + d * f[3, k] + e * f[4, k] + g * f[5, k]
    out[REMAINDER] = 0.0
    for i in range(6):
        out[REMAINDER] += abs(by[i]) * f[i, REMAINDER]


@noinline_norefcount
def count_sums(f: Array, count: float) -> None:
    """Include the rounding of `count` operations on amounts of f's size in its remainder."""
    f[REMAINDER] += count * ROUND * (abs(f[0]) + change(f))


@noinline_norefcount
def add_product(by: float, f: Array, g: Array, out: Array) -> None:
    """Add `by` f g to `out`, a third array, without the rounding of the sum."""
    L_f, L_g, S_f, S_g = linear_variation(f), linear_variation(g), nonlinear_variation(f), nonlinear_variation(g)
    a, b, rest = by * f[0], by * g[0], out[REMAINDER]
    rest += f[REMAINDER] * abs(b) + g[REMAINDER] * abs(a) + abs(by) * (L_f * S_g + S_f * (L_g + S_g))
    rest += ROUND * abs(by) * (abs(f[0]) + L_f + S_f) * (abs(g[0]) + L_g + S_g)
    out[0] += a * g[0]
    for k in range(FIRST, NUMBERS):
        out[k] += a * g[k] + b * f[k]
    # Products up to second order are kept, L_f L_g among them.
    at = SECOND
    for i in range(6):
        p, q = by * f[FIRST + i], by * g[FIRST + i]
        out[at] += p * g[FIRST + i]
        for j in range(i + 1, 6):
            out[at + j - i] += p * g[FIRST + j] + q * f[FIRST + j]
        at += 6 - i
    out[REMAINDER] = rest


@noinline_norefcount
def add_product_of_position(by: float, f: Array, g: Array, out: Array) -> None:
    """As `add_product`, for f that is linear in the first three coordinates alone, those of the position."""
    L_f, L_g, S_f, S_g = abs(f[2]) + abs(f[3]) + abs(f[4]), linear_variation(g), f[REMAINDER], nonlinear_variation(g)
    a, b, rest = by * f[0], by * g[0], out[REMAINDER]
    rest += S_f * abs(b) + g[REMAINDER] * abs(a) + abs(by) * (L_f * S_g + S_f * (L_g + S_g))
    rest += ROUND * abs(by) * (abs(f[0]) + L_f + S_f) * (abs(g[0]) + L_g + S_g)
    for k in range(NUMBERS):
        out[k] += a * g[k]
    for i in range(3):
        p = by * f[FIRST + i]
        out[FIRST + i] += b * f[FIRST + i]
        for j in range(6):
            out[place_of(min(i, j), max(i, j))] += p * g[FIRST + j]
    out[REMAINDER] = rest


@noinline_norefcount
def multiply(f: Array, g: Array, out: Array) -> None:
    """Write f g into `out`, a third array."""
    clear(out)
    add_product(1.0, f, g, out)


@noinline_norefcount
def write_smooth(f: Array, value: float, first: float, second: float, error: float, out: Array) -> None:
    """Write a smooth function of f, from a quadratic function that departs from it by at most `error` within D: its
    value, first and second derivative at the centre; `out` may be f."""
    L, S = linear_variation(f), nonlinear_variation(f)
    D, rest = L + S, f[REMAINDER]
    size = abs(value) + abs(first) * (abs(f[0]) + D) + abs(second) * D * D + error
    at = SECOND
    for i in range(6):
        out[at] = first * f[at] + second / 2.0 * f[FIRST + i] * f[FIRST + i]
        for j in range(i + 1, 6):
            out[at + j - i] = first * f[at + j - i] + second * f[FIRST + i] * f[FIRST + j]
        at += 6 - i
    for k in range(FIRST, SECOND):
        out[k] = first * f[k]
    rest = abs(first) * rest + abs(second) * (L + S / 2.0) * S
    out[0], out[REMAINDER] = value, rest + error + ROUND * size


@noinline_norefcount
def write_reciprocal(f: Array, out: Array) -> None:
    """Write 1 / f; unknown where f may be zero (`gough.regions.taylor.Model.reciprocal`)."""
    x, D = f[0], change(f) * (1.0 + ROUND)
    if abs(x) - D > 0.0:
        write_smooth(f, 1.0 / x, -1.0 / x**2, 2.0 / x**3, D**3 / (abs(x) ** 3 * (abs(x) - D)), out)
    else:
        out[0], out[REMAINDER] = 1.0, inf


@noinline_norefcount
def write_root(f: Array, least: float, out: Array) -> None:
    """Write the root of f over the part of the box where f is at least `least` >= 0, into another array: by derivatives
    or its chord, whichever has the smaller remainder (`gough.regions.taylor.Model.root_if_any`); unknown where there
    is none."""
    x, D = f[0], change(f) * (1.0 + ROUND)
    if not x + D > 0.0:
        out[0], out[REMAINDER] = 1.0, inf
        return
    low, high = sqrt(max(x - D, least)), sqrt(x + D)
    slope = 1.0 / (low + high)
    rise = (high - low) ** 2 * slope / 4.0  # the most that the root is above its chord
    if x - D > 0.0:
        root, end = sqrt(x), sqrt(x - D)
        departure = (3.0 * root + end) * (D / (2.0 * root * (root + end))) ** 3
        write_smooth(f, root, 0.5 / root, -0.25 / root**3, departure, out)
        if out[REMAINDER] <= slope * f[REMAINDER] + rise / 2.0:
            return
    write_smooth(f, low + slope * (x - low * low) + rise / 2.0, slope, 0.0, rise / 2.0, out)


@inline
def component(a: Vector, k: int) -> float:
    """Component k of a vector."""
    return a[0] if k == 0 else a[1] if k == 1 else a[2]


@inline
def add_along(a: Vector, f: Array, out: Array) -> None:
    """Add a f to vectors `out` (3, NUMBERS), without the rounding."""
    add_multiple(a[0], f, out[0])
    add_multiple(a[1], f, out[1])
    add_multiple(a[2], f, out[2])


@inline
def write_part(a: Vector, f: Array, out: Array) -> None:
    """Write the scalar product a . f of vectors f (3, NUMBERS)."""
    clear(out)
    for k in range(3):
        add_multiple(component(a, k), f[k], out)
    count_sums(out, 4.0)
