"""Where in a region a limit has its smallest margin: local descent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.regions.cells import linear_minimisers
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

STEP = 1e-4
"""Of half widths, for central differences: smaller ones have slopes whose rounding descent does not get past."""
PRECISION = 1e-11
"""Part of a limit's scale at which descent ends."""
VERTICES = 8
"""Of the region, each the lowest for the slope at the last, before curved descent."""
FLAT = 1e-9
"""Part of a limit's scale that a linear step may still gain where the descent is at its end."""
ROUNDS = 40
"""Of curved descent."""
UNKNOWN = 1e3
"""What counts as the margin, in its scale, where a leg cannot close."""


def local_minimum(limits: RegionLimits, region: PoseRegion, start: Array, column: int) -> Array:
    """A place (6,) of the region where the margin in a column has a local minimum, by descent from `start` (6,).

    From vertex to vertex while the slope leads there (Frank and Wolfe 1956), which ends where the minimum is one; else
    by sequential quadratic programming in coordinates scaled to the region. The start where nothing lower is found.
    """
    place = start
    for _ in range(VERTICES):
        value, slope = _value_and_slope(limits, region, place, column)
        vertex = linear_minimisers(region, slope[None])[0]
        if slope @ (place - vertex) <= FLAT:
            return place
        if not _value_and_slope(limits, region, vertex, column)[0] < value:
            break
        place = vertex
    return _curved(limits, region, place, column)


def _value_and_slope(limits: RegionLimits, region: PoseRegion, z: Array, column: int) -> tuple[float, Array]:
    """A margin at a place (6,), in its limit's scale, and its derivatives by the coordinates (6,)."""
    free = np.flatnonzero(region.half > 0)
    offsets = STEP * np.diag(region.half)[free]
    found = limits.margins(region.poses(np.concatenate([z[None], z + offsets, z - offsets])))[:, column]
    found = np.where(np.isnan(found), UNKNOWN, found / limits.scales[column])
    slope, (plus, minus) = np.zeros(6), np.split(found[1:], 2)
    slope[free] = (plus - minus) / (2 * STEP * region.half[free])
    return float(found[0]), slope


def _curved(limits: RegionLimits, region: PoseRegion, start: Array, column: int) -> Array:
    from scipy.optimize import minimize

    free = np.flatnonzero(region.half > 0)
    half = region.half[free]

    def place(x: Array) -> Array:
        z = region.centre.copy()
        z[free] += x * half
        return z

    def value_and_slope(x: Array) -> tuple[float, Array]:
        value, slope = _value_and_slope(limits, region, place(x), column)
        return value, slope[free] * half

    rings = [np.flatnonzero(np.isin(free, group)) for group in region.groups if len(group) > 1]
    found = minimize(
        value_and_slope,
        (start[free] - region.centre[free]) / half,
        jac=True,
        bounds=[(-1.0, 1.0)] * len(free),
        constraints=[_ring(ring) for ring in rings if len(ring)],
        method="SLSQP",
        options={"ftol": PRECISION, "maxiter": ROUNDS},
    )
    end = region.moved_inside(place(np.clip(found.x, -1.0, 1.0))[None])[0]
    first, last = limits.margins(region.poses(np.stack([start, end])))[:, column]
    return end if last < first else start


def _ring(group: NDArray[np.intp]) -> dict[str, Any]:
    """That the coordinates of a group are in the unit ball, as SciPy reads it."""

    def slope(x: Array) -> Array:
        gradient = np.zeros(len(x))
        gradient[group] = -2 * x[group]
        return gradient

    return {"type": "ineq", "fun": lambda x: 1 - x[group] @ x[group], "jac": slope}
