"""Local minimum of a limit's margin over a region."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
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
UNKNOWN = 1e3
"""Margin, in its scale, that is assumed where a leg cannot close."""


def local_minimum(limits: RegionLimits, region: PoseRegion, start: Array, column: int, rounds: int = ROUNDS) -> Array:
    """A place (6,) of the region where the margin in a column has a local minimum, by descent from `start` (6,).

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
    from scipy.optimize import minimize

    free = np.flatnonzero(region.half > 0)
    half = region.half[free]

    def place(x: Array) -> Array:
        z = region.centre.copy()
        z[free] += x * half
        return z

    def value_and_gradient(x: Array) -> tuple[float, Array]:
        value, gradient = _value_and_gradient(limits, region, place(x), column)
        return value, gradient[free] * half

    ellipsoids = [np.flatnonzero(np.isin(free, group)) for group in region.groups if len(group) > 1]
    found = minimize(
        value_and_gradient,
        (start[free] - region.centre[free]) / half,
        jac=True,
        bounds=[(-1.0, 1.0)] * len(free),
        constraints=[_in_unit_ball(group) for group in ellipsoids if len(group)],
        method="SLSQP",
        options={"ftol": PRECISION, "maxiter": rounds},
    )
    end = region.moved_inside(place(np.clip(found.x, -1.0, 1.0))[None])[0]  # constraints hold to a tolerance only
    first, last = limits.margins(region.poses(np.stack([start, end])))[:, column]
    return end if last < first else start


def _in_unit_ball(group: NDArray[np.intp]) -> dict[str, Any]:
    """Constraint of SciPy's that the coordinates of a group are in the unit ball."""

    def jacobian(x: Array) -> Array:
        gradient = np.zeros(len(x))
        gradient[group] = -2 * x[group]
        return gradient

    return {"type": "ineq", "fun": lambda x: 1 - x[group] @ x[group], "jac": jacobian}
