"""Local minimum of a limit's margin over a region."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.limits.climb import quadratic_step
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion, linear_minimisers

STEP = 1e-4
"""Step of central differences, as a part of half widths: smaller ones have rounding errors that stop the descent."""
PRECISION = 1e-11
"""Change of the margin, in its scale, at which sequential quadratic programming ends."""
VERTICES = 8
"""Most steps of Frank and Wolfe from vertex to vertex."""
FLAT = 1e-9
"""Decrease to first order, in the limit's scale, at which a place counts as a minimum."""
ROUNDS, FEW_ROUNDS = 40, 10
"""Most iterations of sequential quadratic programming; those that tell whether a limit may be broken."""
WHOLE = 2.0
"""Trust region that holds the region from everywhere in it, in half widths."""
UNKNOWN = 1e3
"""Margin, in its scale, that is assumed where a leg cannot close."""


def local_minimum(limits: RegionLimits, region: PoseRegion, start: Array, column: int, rounds: int = ROUNDS) -> Array:
    """Return a place (6,) of the region where the margin in a column has a local minimum, by descent from `start` (6,).

    From vertex to vertex while that descends (Frank and Wolfe 1956), which ends where a vertex is the minimum;
    otherwise by sequential quadratic programming in coordinates scaled to the region. Returns `start` if nothing lower
    is found.
    """
    place = start
    for _ in range(VERTICES):
        value, gradient = _value_and_gradient(limits, region, place, column)
        vertex = linear_minimisers(region, gradient[None])[0]
        if gradient @ (place - vertex) <= FLAT:
            return place
        if not _value_and_gradient(limits, region, vertex, column)[0] < value:
            break
        place = vertex
    return _quadratic_programming(limits, region, place, column, rounds)


def _value_and_gradient(limits: RegionLimits, region: PoseRegion, z: Array, column: int) -> tuple[float, Array]:
    """A margin at a place (6,), in its limit's scale, and its derivatives by the coordinates (6,)."""
    free = np.flatnonzero(region.half > 0)
    offsets = STEP * np.diag(region.half)[free]
    found = limits.margins(region.poses(np.concatenate([z[None], z + offsets, z - offsets])))[:, column]
    found = np.where(np.isnan(found), UNKNOWN, found / limits.scales[column])
    gradient, (plus, minus) = np.zeros(6), np.split(found[1:], 2)
    gradient[free] = (plus - minus) / (2 * STEP * region.half[free])
    return float(found[0]), gradient


def _quadratic_programming(limits: RegionLimits, region: PoseRegion, start: Array, column: int, rounds: int) -> Array:
    free = np.flatnonzero(region.half > 0)
    half = region.half[free]
    balls = [np.flatnonzero(np.isin(free, group)) for group in region.groups if len(group) > 1]

    def places(x: Array) -> Array:
        z = np.tile(region.centre, (len(x), 1))
        z[:, free] += x * half
        return z

    def model(x: Array) -> tuple[Array, Array]:
        found = limits.margins(region.poses(places(x)))[:, column] / limits.scales[column]
        inside = [1 - (x[:, ball] ** 2).sum(axis=1) for ball in balls]
        return np.where(np.isnan(found), UNKNOWN, found), np.reshape(inside, (len(balls), len(x))).T

    first, box = (start[free] - region.centre[free]) / half, np.tile([-1.0, 1.0], (len(free), 1))
    found = quadratic_step(model, first, WHOLE, STEP, box, PRECISION, rounds)
    # Constraints hold to a tolerance only.
    end = region.moved_inside(places(np.clip(found, -1.0, 1.0)[None]))[0]
    before, after = limits.margins(region.poses(np.stack([start, end])))[:, column]
    return end if after < before else start
