"""Lower bounds of quadratic functions over boxes and ellipsoids, and enclosures of the places where they are negative.

With Lagrange multipliers t >= 0 of the box and s >= 0 of an ellipsoid, x in the box's half widths,

    f(x) >= f(x) + sum t_j (x_j^2 - 1) + s (|o + k x|^2 - 1)        (weak duality)

The right side has one minimum where its Hessian M = H + 2 diag(t + s k^2) is positive definite: the bound B, at y =
-M^-1 (g + 2 s k o). The multipliers are chosen to raise B (`gough.regions._multipliers`). Each place where f < 0 has

    t_j (1 - x_j^2) < -B        (x_j - y_j)^2 < -2 B (M^-1)_jj
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.regions._quadratic import least_of_boxes
from gough.regions.cells import Cells, joined, linear_minimum
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model


class Least(NamedTuple):
    """Lower bounds (n,) of functions over a box each; enclosures `left` of the places where they are below zero; places
    `near` (n, 6) their minima, and the `loss` (n, 6) of the bounds along each coordinate, which tells where to
    halve."""

    lower: Array
    left: Cells
    near: Array
    loss: Array


def least_values(region: PoseRegion, cells: Cells, functions: Model) -> Least:
    """Lower bounds of functions (n,) over boxes and region, one function a box; sharpened until they are above zero."""
    arrays = (np.array(array, order="C") for array in (*cells, *functions.parts))
    lower, found = least_of_boxes(region.arrays, *arrays)
    centre, half, near, loss = np.moveaxis(found, 1, 0)
    return Least(lower, Cells(centre, half), near, loss)


class LimitBounds(NamedTuple):
    """Bounds of limits over a box each.

    `least` has bounds of functions that are not negative where the limits are kept, `gradient` (n, 6) their gradients
    at the centres, `lost` (n, 6) the loss of the bounds along each coordinate, remainders included; `margins` (n,) are
    lower bounds of the limits' margins.
    """

    least: Least
    gradient: Array
    lost: Array
    margins: Array

    def chosen(self, which: Ints) -> LimitBounds:
        """Bounds of some of the limits."""
        lower, left, near, loss = self.least
        least = Least(lower[which], left.chosen(which), near[which], loss[which])
        return LimitBounds(least, self.gradient[which], self.lost[which], self.margins[which])

    @classmethod
    def joined(cls, parts: Sequence[LimitBounds], rows: Sequence[Ints]) -> LimitBounds:
        """Bounds of several kinds of limits, put in the order of their `rows`."""
        lower, near, loss = (np.concatenate([part.least[k] for part in parts]) for k in (0, 2, 3))
        least = Least(lower, joined([part.least.left for part in parts]), near, loss)
        every = cls(least, *(np.concatenate([part[k] for part in parts]) for k in (1, 2, 3)))
        return every.chosen(np.argsort(np.concatenate(rows)))


def least_of_branches(region: PoseRegion, cells: Cells, model: Model, share: Array) -> LimitBounds:
    """Bounds of the minimum of branches (n, b) over a box each; `margins` are those bounds.

    The loss by remainders is divided between the coordinates by `share` (n, 6); where no bound is known it is `share`.
    """
    n, b = model.value.shape
    # The kernel takes finite numbers: what is not known becomes an infinite remainder.
    is_known = np.isfinite(model.nonlinear_variation) & np.isfinite(model.gradient).all(axis=-1)
    parts, remainder = [model.value, model.gradient, model.hessian], model.remainder.reshape(n * b)
    if not is_known.all():
        parts, remainder = [np.nan_to_num(part) for part in parts], np.where(is_known.reshape(-1), remainder, np.inf)
    value, gradient, hessian = (part.reshape(n * b, *part.shape[2:]) for part in parts)
    every = cells if b == 1 else cells.chosen(np.repeat(np.arange(n), b))
    least = least_values(region, every, Model(value, gradient, hessian, remainder, every.half))
    lower = np.where(np.isnan(least.lower), -np.inf, least.lower).reshape(n, b)
    # The minimum is negative in the union of the branches' enclosures: its bounding box.
    is_undecided, (centre, half) = ~(lower >= 0)[..., None], least.left
    low = np.where(is_undecided, (centre - half).reshape(n, b, 6), np.inf).min(axis=1)
    high = np.where(is_undecided, (centre + half).reshape(n, b, 6), -np.inf).max(axis=1)
    left = Cells((low + high) / 2, np.maximum(high - low, 0.0) / 2)
    at = np.arange(n) * b + np.argmin(lower, axis=1)
    known = np.isfinite(remainder[at])[:, None]
    lost = np.where(known, least.loss[at] + np.where(known, remainder[at, None], 0.0) * share, share)
    found = Least(lower.min(axis=1), left, least.near[at], least.loss[at])
    return LimitBounds(found, gradient[at], lost, found.lower)


def minimum_over_branches(region: PoseRegion, cells: Cells, margins: Model) -> tuple[Array, Array, Array]:
    """Lower bounds of margins (n, k) that are minima over branches (n, k, b), gradients of the lowest branches, and
    `spare`, as in `gough.regions.cell_bounds.Bounds`.

    `spare` is known where no other branch is undecided: otherwise the lowest one's linear part does not bound the
    margin.
    """
    n, k, b = margins.value.shape
    gradient = margins.gradient.reshape(n, k * b, 6)
    linear = margins.value - margins.nonlinear_variation
    least = linear + linear_minimum(region, cells, gradient).reshape(n, k, b)
    least = np.where(np.isnan(least), -np.inf, least)
    rows = np.nonzero(~(least >= 0) & np.isfinite(margins.nonlinear_variation))
    some = cells.chosen(rows[0])
    functions = replace(margins[rows], half=some.half)
    least[rows] = np.fmax(least[rows], least_values(region, some, functions).lower)
    at = np.argmin(least, axis=2)[:, :, None]
    gradient = np.take_along_axis(margins.gradient, at[..., None], axis=2)[:, :, 0]
    spare = np.take_along_axis(linear, at, axis=2)[:, :, 0]
    is_one = np.sum(~(least >= 0), axis=2) <= 1
    return np.take_along_axis(least, at, axis=2)[:, :, 0], gradient, np.where(is_one, spare, -np.inf)
