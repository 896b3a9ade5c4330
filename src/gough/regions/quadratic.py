"""Lower bounds of quadratic functions over boxes and ellipsoids, and where such a function can be below zero.

With prices t >= 0 of leaving the box and s >= 0 of leaving an ellipsoid, x in the box's half widths,

    f(x) >= f(x) + sum t_j (x_j^2 - 1) + s (|o + k x|^2 - 1)        (weak duality)

The right side has one minimum where M = H + 2 diag(t + s k^2) is positive definite: B, at y = -M^-1 (g + 2 s k o).
Each place where f < 0 therefore has

    t_j (1 - x_j^2) < -B        (x_j - y_j)^2 < -2 B (M^-1)_jj
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.regions._quadratic import least_of_boxes
from gough.regions.cells import Cells, joined, linear_minimum
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model


class Quadratic(NamedTuple):
    """Functions of n boxes, f >= value + slope . z + z . curve z / 2 - rest with z from each box's centre to the places
    of box and region: (n,), (n, 6), (n, 6, 6) and (n,)."""

    value: Array
    slope: Array
    curve: Array
    rest: Array


class Least(NamedTuple):
    """Lower bounds (n,) of functions; what encloses the places where each is below zero; where its minimum is near, and
    what of the bound is lost along each coordinate (n, 6)."""

    lower: Array
    left: Cells
    near: Array
    loss: Array


def least_values(region: PoseRegion, cells: Cells, functions: Quadratic) -> Least:
    """Lower bounds of functions over boxes and region, one of each box; sharpened until they are above zero."""
    arrays = (np.array(array, order="C") for array in (*cells, *functions))
    lower, found = least_of_boxes(region.arrays, *arrays)
    centre, half, near, loss = np.moveaxis(found, 1, 0)
    return Least(lower, Cells(centre, half), near, loss)


class LimitBounds(NamedTuple):
    """Of limits (n,) over a box of each: what functions are at least that are not negative where limits are kept, their
    slopes (n, 6) at the centres, what of the bounds is lost along each coordinate (n, 6), and lower bounds (n,) of
    margins."""

    least: Least
    slope: Array
    lost: Array
    margins: Array

    def chosen(self, which: Ints) -> LimitBounds:
        """Some of them."""
        lower, left, near, loss = self.least
        least = Least(lower[which], left.chosen(which), near[which], loss[which])
        return LimitBounds(least, self.slope[which], self.lost[which], self.margins[which])

    @classmethod
    def joined(cls, parts: Sequence[LimitBounds], rows: Sequence[Ints]) -> LimitBounds:
        """Those of several kinds, in the order of their rows."""
        lower, near, loss = (np.concatenate([part.least[k] for part in parts]) for k in (0, 2, 3))
        least = Least(lower, joined([part.least.left for part in parts]), near, loss)
        every = cls(least, *(np.concatenate([part[k] for part in parts]) for k in (1, 2, 3)))
        return every.chosen(np.argsort(np.concatenate(rows)))


def least_of_branches(region: PoseRegion, cells: Cells, model: Model, share: Array) -> LimitBounds:
    """Bounds of the smallest of branches (n, b) over a box each, as margins too. What the rest takes is lost along the
    coordinates by its `share` (n, 6), and all where nothing is known."""
    n, b = model.value.shape
    is_known = np.isfinite(model.bent) & np.isfinite(model.slope).all(axis=-1)
    value, slope, curve = (
        np.nan_to_num(part).reshape(n * b, *part.shape[2:]) for part in (model.value, model.slope, model.curve)
    )
    rest = np.where(is_known, model.rest, np.inf).reshape(n * b)
    least = least_values(region, cells.chosen(np.repeat(np.arange(n), b)), Quadratic(value, slope, curve, rest))
    lower = np.where(np.isnan(least.lower), -np.inf, least.lower).reshape(n, b)
    is_open, (centre, half) = ~(lower >= 0)[..., None], least.left
    low = np.where(is_open, (centre - half).reshape(n, b, 6), np.inf).min(axis=1)
    high = np.where(is_open, (centre + half).reshape(n, b, 6), -np.inf).max(axis=1)
    left = Cells((low + high) / 2, np.maximum(high - low, 0.0) / 2)
    at = np.arange(n) * b + np.argmin(lower, axis=1)
    known = np.isfinite(rest[at])[:, None]
    lost = np.where(known, least.loss[at] + np.where(known, rest[at, None], 0.0) * share, share)
    found = Least(lower.min(axis=1), left, least.near[at], least.loss[at])
    return LimitBounds(found, slope[at], lost, found.lower)


def lowest(region: PoseRegion, cells: Cells, margins: Model) -> tuple[Array, Array, Array]:
    """Bounds of margins (n, k) that are the smallest of branches (n, k, b); of each box the lowest branch's slope.

    What is spare is known where no other branch is open.
    """
    n, k, b = margins.value.shape
    slope = margins.slope.reshape(n, k * b, 6)
    linear = margins.value - margins.bent
    least = linear + linear_minimum(region, cells, slope).reshape(n, k, b)
    least = np.where(np.isnan(least), -np.inf, least)
    rows = np.nonzero(~(least >= 0) & np.isfinite(margins.bent))
    functions = Quadratic(*(part[rows] for part in (margins.value, margins.slope, margins.curve, margins.rest)))
    least[rows] = np.fmax(least[rows], least_values(region, cells.chosen(rows[0]), functions).lower)
    at = np.argmin(least, axis=2)[:, :, None]
    slope = np.take_along_axis(margins.slope, at[..., None], axis=2)[:, :, 0]
    spare = np.take_along_axis(linear, at, axis=2)[:, :, 0]
    is_one = np.sum(~(least >= 0), axis=2) <= 1
    return np.take_along_axis(least, at, axis=2)[:, :, 0], slope, np.where(is_one, spare, -np.inf)
