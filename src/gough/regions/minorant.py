"""Lower bounds of Taylor models over the intersection of boxes with balls, by a separable minorant.

    x^T C x >= sum_j (c_jj - sum_i |c_ij| / 2) x_j^2

where c_ij, i < j, are the coefficients of x_i x_j; then each coordinate has its own minimum. A ball |z + h x| <= 1 in
some coordinates adds a multiplier l >= 0 (weak duality): l (|z + h x|^2 - 1), which is separable too. Multipliers are
chosen from a grid about the one of the linear part over the ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.regions.models import ROUND, WIDENED, Model, pairs

GRID = np.array([3.0, 2.0, 1.5, 1.2, 1.0, 0.85, 0.7, 0.5, 0.3, 0.0])
"""Multipliers tried; large ones first: of equal bounds they have the minimiser on the ball and not at a corner."""
APART = 1e-9
"""Widening of the parts of boxes in which models may be negative, for rounding."""
TIE = 1e-12
"""Part of a model's size, below which slopes and curvatures count as zero where the minimiser is chosen: of a quantity
that is the same at both ends of a coordinate rounding would choose one."""


class Minorant(NamedTuple):
    """Minimum of each model (k,) over each of n boxes.

    `lower` (k, n): lower bounds. `x` (d, k, n): where the minorant is smallest, in the boxes' own coordinates. `low`,
    `high` (d, k, n): ends of the parts of boxes in which a model may be negative. `bent` (d, k, n): what the mixed
    terms cost along each coordinate.
    """

    lower: Array
    x: Array
    low: Array
    high: Array
    bent: Array


@np.errstate(all="ignore")
def minorant(f: Model, centre: Array, half: Array, groups: tuple[Ints, ...]) -> Minorant:
    """Return bounds of models (k, n) over boxes (d, n), and balls of the coordinates in each group."""
    b, a, const, size, mixed = _separable(f, centre, half, groups)
    values, _ = _least(b, a)
    lower = _summed(values, const)
    _, x = _least(*(np.where(np.abs(each) <= TIE * size, 0.0, each) for each in (b, a)))
    return Minorant(lower, x, *_negative_part(b, a, values - lower), 2 * mixed)


@np.errstate(all="ignore")
def lower_bounds(f: Model, centre: Array, half: Array, groups: tuple[Ints, ...]) -> Array:
    """Return the lower bounds of `minorant` (k, n) alone."""
    b, a, const, _, _ = _separable(f, centre, half, groups)
    return _summed(_least(b, a)[0], const)


def _summed(values: Array, const: Array) -> Array:
    lower = values.sum(0) + const
    return np.where(np.isnan(lower), -np.inf, lower)


def _separable(f: Model, centre: Array, half: Array, groups: tuple[Ints, ...]) -> tuple[Array, ...]:
    """Coefficients (d, k, n) of the linear and the square terms of the minorant, its constant (k, n) less rounding, the
    size of its terms, and half of what the mixed terms cost."""
    d, (i, j, factor) = f.n, pairs(f.n)
    slope, curved = f.c[1 : 1 + d], f.c[1 + d :]
    is_square = factor < 1
    mixed = np.zeros((d, *f.shape))
    for k in np.flatnonzero(~is_square) if len(curved) else ():
        amount = np.abs(curved[k]) / 2
        mixed[i[k]] += amount
        mixed[j[k]] += amount
    a, b = (curved[is_square] if len(curved) else 0.0) - mixed, slope.copy()
    const, size = f.value - f.r * WIDENED, f.size
    for ball in groups:
        z, h = centre[ball, None], half[ball, None]
        off = (z**2).sum(0) - 1
        steep = np.nan_to_num(np.sqrt(((slope[ball] / np.maximum(h, 1e-300)) ** 2).sum(0)) / 2, posinf=0.0)
        trial = GRID.reshape(-1, 1, 1) * steep
        values, _ = _least(b[ball] + 2 * trial[:, None] * z * h, a[ball] + trial[:, None] * h**2)
        best = np.argmax(np.nan_to_num(values.sum(1), nan=-np.inf) + trial * off, axis=0)
        chosen = np.take_along_axis(trial, best[None], 0)[0]
        b[ball] += 2 * chosen * z * h
        a[ball] += chosen * h**2
        const = const + chosen * off
        size = size + chosen * (np.abs(off) + 4)
    return b, a, const - ROUND * size, size, mixed


def _least(b: Array, a: Array) -> tuple[Array, Array]:
    """Minimum of b x + a x^2 over [-1, 1], and where it is."""
    x = np.where(a > 0, np.clip(-b / (2 * a), -1, 1), np.where(b > 0, -1.0, np.where((b < 0) | (a < 0), 1.0, 0.0)))
    return b * x + a * x * x, x


def _negative_part(b: Array, a: Array, spare: Array) -> tuple[Array, Array]:
    """Ends of an interval outside of which b x + a x^2 exceeds `spare`: between the roots, or, of a concave part, next
    to the end with the smallest value."""
    root = np.sqrt(np.maximum(b * b + 4 * a * spare, 0.0))
    # Concave: from its lower end the part rises at least along the chord, by 2 |b| in all.
    least = np.where(a > 0, 0.0, -np.abs(b) + a)
    rise = np.minimum((spare - least) / np.abs(b), 2.0)
    low = np.where(a > 0, (-b - root) / (2 * a), np.where(b > 0, -1.0, 1 - rise))
    high = np.where(a > 0, (-b + root) / (2 * a), np.where(b > 0, -1 + rise, 1.0))
    known = np.isfinite(spare) & np.isfinite(low) & np.isfinite(high)
    low, high = np.clip(low - APART, -1, 1), np.clip(high + APART, -1, 1)
    return np.where(known, low, -1.0), np.where(known, high, 1.0)
