"""First intersection of a ray with the singular cubic of a strut machine in rational arithmetic, for multiple roots
too.

A machine's doubles are rational numbers, and so is the determinant at a rational position. Four values give the cubic
along a line; Sturm's theorem counts its distinct roots in an interval, whatever their multiplicity (Basu, Pollack and
Roy 2006, Algorithms in Real Algebraic Geometry, section 2.2), and bisection isolates the first.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import lcm, prod

import numpy as np

from gough.arrays import Array

Polynomial = list[Fraction]
"""Coefficients, the constant first; the last is not zero."""

BITS = 60
"""Relative precision of the first root."""
DOUBLINGS = 40
"""Most doublings of the first bracket, a sixteenth of the scale, before a ray counts as meeting nothing."""


def first_root(a_B: Array, rho_B: Array, origin: Array, direction: Array, length: float) -> float:
    """Smallest s >= 0 with det [d_i, rho_i x d_i] = 0, d_i = origin + s direction + rho_i - a_i; inf where none is.

    Feet a_B and arms rho_B (6, 3), origin and direction (3,); `length` is the scale of s. Rounded up to a double.
    """
    scale = Fraction(length)
    values = [_determinant(a_B, rho_B, origin, direction, k * scale) for k in range(4)]
    root = _first(_interpolated(values))
    return np.inf if root is None else float(np.nextafter(float(root * scale), np.inf))


def _determinant(a_B: Array, rho_B: Array, origin: Array, direction: Array, s: Fraction) -> Fraction:
    rows = []
    t = [Fraction(o) + s * Fraction(d) for o, d in zip(origin.tolist(), direction.tolist(), strict=True)]
    for a, rho in zip(a_B.tolist(), rho_B.tolist(), strict=True):
        r = [Fraction(value) for value in rho]
        d = [t[k] + r[k] - Fraction(a[k]) for k in range(3)]
        cross = [r[(k + 1) % 3] * d[(k + 2) % 3] - r[(k + 2) % 3] * d[(k + 1) % 3] for k in range(3)]
        rows.append([*d, *cross])
    return _bareiss(rows)


def _bareiss(rows: list[list[Fraction]]) -> Fraction:
    """Determinant by fraction-free elimination in integers (Bareiss 1968)."""
    denominators = [lcm(*(value.denominator for value in row)) for row in rows]
    M = [[int(value * common) for value in row] for row, common in zip(rows, denominators, strict=True)]
    n, sign, before = len(M), 1, 1
    for k in range(n - 1):
        pivot = next((i for i in range(k, n) if M[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            M[k], M[pivot], sign = M[pivot], M[k], -sign
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                M[i][j] = (M[i][j] * M[k][k] - M[i][k] * M[k][j]) // before  # exact division
        before = M[k][k]
    return Fraction(sign * M[-1][-1], prod(denominators))


def _interpolated(values: list[Fraction]) -> Polynomial:
    """The cubic with these values at 0, 1, 2, 3, by Newton's differences."""
    a, b, c, d = values
    first, second, third = b - a, c - 2 * b + a, d - 3 * c + 3 * b - a
    return _trimmed([a, first - second / 2 + third / 3, second / 2 - third / 2, third / 6])


def _trimmed(p: Polynomial) -> Polynomial:
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def _first(p: Polynomial) -> Fraction | None:
    """Upper bound of the smallest root that is not negative, within 2^-BITS of it; 0 for the zero polynomial."""
    if not p or p[0] == 0:
        return Fraction(0)
    chain = [_whole(part) for part in _sturm(p)]
    at_zero = _changes(chain, 0, 0)

    def is_beyond(numerator: int, power: int) -> bool:
        return _scaled(chain[0], numerator, power) == 0 or _changes(chain, numerator, power) < at_zero

    # Double the bracket until it holds a root, then halve it; both ends stay integers over 2^power.
    low, high, power = 0, 1, 4
    while not is_beyond(high, power):
        high *= 2
        if high > 2**DOUBLINGS:
            return None
    for _ in range(2 * BITS):
        if (high - low) << BITS <= high:
            break
        low, high, power = 2 * low, 2 * high, power + 1
        middle = (low + high) // 2
        low, high = (low, middle) if is_beyond(middle, power) else (middle, high)
    return Fraction(high, 2**power)


def _whole(p: Polynomial) -> list[int]:
    """A polynomial times the common denominator of its coefficients."""
    common = lcm(*(value.denominator for value in p))
    return [int(value * common) for value in p]


def _scaled(p: list[int], numerator: int, power: int) -> int:
    """p(numerator / 2^power) times 2^(power * degree), an integer, by Horner's rule."""
    total, shift = 0, 0
    for coefficient in reversed(p):
        total = total * numerator + (coefficient << shift)
        shift += power
    return total


def _sturm(p: Polynomial) -> list[Polynomial]:
    """Sturm sequence: p, p' and the negated remainders of Euclid's algorithm."""
    chain = [p, _trimmed([k * p[k] for k in range(1, len(p))])]
    while chain[-1]:
        a, b = list(chain[-2]), chain[-1]
        while len(a) >= len(b):
            factor, shift = a[-1] / b[-1], len(a) - len(b)
            a = [value - factor * b[k - shift] if k >= shift else value for k, value in enumerate(a)][:-1]
        chain.append(_trimmed([-value for value in a]))
    return chain[:-1]


def _changes(chain: list[list[int]], numerator: int, power: int) -> int:
    """Sign changes of a Sturm sequence at numerator / 2^power; zeros do not count."""
    signs = [value > 0 for value in (_scaled(p, numerator, power) for p in chain) if value != 0]
    return sum(a != b for a, b in pairwise(signs))
