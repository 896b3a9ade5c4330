"""Where in a region a limit has its smallest margin: local descent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.regions.cells import Cells, lowest_places
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

STEP = 1e-6
"""Of half widths, for central differences."""
PRECISION = 1e-13
"""Relative, at which descent ends."""
VERTICES = 8
"""Of the region, each the lowest for the slope at the last, before curved descent."""
FLAT = 1e-9
"""Part of a limit's scale that a linear step may still gain where the descent is at its end."""
ROUNDS = 40
"""Of curved descent."""


def polished(limits: RegionLimits, region: PoseRegion, start: Array, column: int) -> Array:
    """A place (6,) of the region where the margin in a column has a local minimum, by descent from `start` (6,).

    From vertex to vertex while the slope leads there (Frank and Wolfe 1956), which ends where the minimum is one; else
    by sequential quadratic programming in coordinates scaled to the region. The start where nothing lower is found.
    """
    wanted = np.arange(len(limits.columns)) == column
    place = start
    for _ in range(VERTICES):
        found = limits.bounds(region, Cells(place[None], np.zeros((1, 6))), wanted)
        slope = found.slope[:, column]
        vertex = lowest_places(region, slope)
        if slope[0] @ (place - vertex[0]) <= FLAT * limits.scales[column]:
            return place
        if not limits.margins(region.poses(vertex))[0, column] < found.values[0, column]:
            break
        place = vertex[0]
    return _curved(limits, region, place, column)


def _curved(limits: RegionLimits, region: PoseRegion, start: Array, column: int) -> Array:
    from scipy.optimize import minimize

    free = np.flatnonzero(region.half > 0)
    half, scale = region.half[free], limits.scales[column]

    def place(x: Array) -> Array:
        z = np.broadcast_to(region.centre, (*x.shape[:-1], 6)).copy()
        z[..., free] += x * half
        return region.moved_inside(z.reshape(-1, 6)).reshape(z.shape)

    def value(x: Array) -> Array:
        found = limits.margins(region.poses(place(np.atleast_2d(x))))[:, column] / scale
        return np.where(np.isnan(found), 1e3, found)

    def slope(x: Array) -> Array:
        offsets = STEP * np.eye(len(free))
        return np.asarray((value(x + offsets) - value(x - offsets)) / (2 * STEP))

    rings = [np.flatnonzero(np.isin(free, group)) for group in region.groups if len(group) > 1]
    found = minimize(
        lambda x: float(value(x)[0]),
        (start[free] - region.centre[free]) / half,
        jac=slope,
        bounds=[(-1.0, 1.0)] * len(free),
        constraints=[_ring(ring) for ring in rings if len(ring)],
        method="SLSQP",
        options={"ftol": PRECISION, "maxiter": ROUNDS},
    )
    end = place(np.clip(found.x, -1.0, 1.0)[None])[0]
    first, last = limits.margins(region.poses(np.stack([start, end])))[:, column]
    return end if last < first else start


def _ring(group: NDArray[np.intp]) -> dict[str, Any]:
    """That the coordinates of a group are in the unit ball, as SciPy reads it."""

    def slope(x: Array) -> Array:
        gradient = np.zeros(len(x))
        gradient[group] = -2 * x[group]
        return gradient

    return {"type": "ineq", "fun": lambda x: 1 - x[group] @ x[group], "jac": slope}
