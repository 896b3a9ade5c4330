"""Starts of local searches over the workspace, spread so that few valleys of the quantity are missed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.limits.climb import climb
from gough.workspaces.descent import Descent
from gough.workspaces.quadrature import columns_over, spread

CELLS = 5
"""Cells along each side of the range: the lowest known pose of each may become a start."""
COLUMNS = 64
"""Columns along each axis that are sampled besides the grid, whatever its step."""
ALONG = np.concatenate([[1e-6, 0.01, 0.05], np.arange(0.15, 0.9, 0.1), [0.95, 0.99, 1 - 1e-6]])
"""Places on an interval of a column that are sampled, denser near its ends, where most minima lie."""
LOWEST, FAR = 12, 8
"""Starts from the lowest cells, and from cells as far apart as possible."""
CLIMBED = 6
"""Starts from the best ends of short searches that are no neighbours."""
AROUND, SCOUTED = 16, 0.03
"""Directions per round of a short search, and its last step in steps of the grid."""
TRUST = 0.3
"""First trust region of quadratic programming from a start, as a part of the range."""
LONG = 3
"""Long searches, from the best ends that are no neighbours."""


def lowest_found(search: Descent, on_grid: Array) -> tuple[Array, float]:
    """The lowest point (6,) that searches from many starts find, and its value; `on_grid` (n,) are the grid's."""
    # Sample, choose starts, at most two quadratic programs from each, and long searches from the best ends.
    columns = on_columns(search)
    points, values = np.concatenate([search.grid, columns]), np.concatenate([on_grid, search.values(columns)])
    cells = _lowest_of_cells(points[:, :3], values)
    lowest, far = points[cells[:LOWEST]], _far_apart(points[cells], FAR)
    starts = np.concatenate([lowest, far, short_searches(search, points[cells], CLIMBED)])
    starts = starts[np.sort(np.unique(starts, axis=0, return_index=True)[1])]  # without repetitions, order kept
    trust = TRUST * max(search.step, *(float(np.ptp(axis)) for axis in search.axes))
    ends: list[tuple[Array, float]] = []
    for point, value in zip(starts, search.values(starts), strict=True):
        known = [end for end, _ in ends]
        ends.append(search.along_limits(point, float(value), trust, 0.0, attempts=2, known=known))
    ends.sort(key=lambda end: end[1])
    best = _apart(np.array([p for p, _ in ends]), np.array([v for _, v in ends]), 0.1 * trust, LONG)
    return min((search.at_reach(*search.descend(start)) for start in best), key=lambda end: end[1])


def on_columns(search: Descent) -> Array:
    """Points (n, 6) on columns along each axis, at every orientation of the grid."""
    low, high = (np.array([axis[k] for axis in search.axes]) for k in (0, -1))
    # Somewhat beyond the grid, whose extent is approximate, but within the given axes.
    free, room = high > low, 0.05 * (high - low)
    low, high = np.maximum(low - room, search.low), np.minimum(high + room, search.high)
    found, across = [np.empty((0, 6))], spread(COLUMNS)
    for turn in np.unique(search.grid[:, 3:], axis=0):
        R = search.orientation(np.append(np.zeros(3), turn)[None]).reshape(3, 3)
        for axis in np.flatnonzero(free):
            places, _ = columns_over(search.machine, R, int(axis), low, high, across).inside(ALONG)
            flat = places.reshape(-1, 3)
            found.append(np.column_stack([flat, np.broadcast_to(turn, flat.shape)]))
    return np.concatenate(found)


def short_searches(search: Descent, scouts: Array, most: int) -> Array:
    """The best ends (n, 6), no neighbours of each other, of short pattern searches side by side from points (n, 6)."""

    def directions(k: int) -> Array:  # new ones in each round
        d = np.random.default_rng(k).normal(size=(AROUND, 6)) * search.moves
        return np.asarray(d / np.maximum(np.linalg.norm(d, axis=1, keepdims=True), np.finfo(float).tiny))

    steps = np.full(len(scouts), search.step)
    ends, heights = climb(lambda points, _: -search.values(points), scouts, steps, SCOUTED, directions)
    order = np.argsort(-heights, kind="stable")
    return _apart(ends[order], -heights[order], 0.5 * search.step, most)


def _lowest_of_cells(positions: Array, values: Array) -> NDArray[np.intp]:
    """Index of the point with the lowest finite value (n,) in each cell of the box about points (n, 3), by rising
    values."""
    low, size = positions.min(axis=0), np.maximum(np.ptp(positions, axis=0), np.finfo(float).tiny)
    place = np.minimum((CELLS * (positions - low) / size).astype(np.int64), CELLS - 1)
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(values[order])]
    _, first = np.unique(place[order] @ (CELLS**2, CELLS, 1), return_index=True)
    return order[np.sort(first)]


def _apart(points: Array, values: Array, distance: float, most: int) -> Array:
    """Greedily the first of points (n, d), in order of rising values (n,), that keep a distance from one another."""
    chosen: list[Array] = []
    left = points[np.isfinite(values)]
    for _ in range(most):
        if not len(left):
            break
        chosen.append(left[0])
        left = left[np.linalg.norm(left - left[0], axis=1) > distance]
    return np.array(chosen).reshape(-1, points.shape[1])


def _far_apart(points: Array, most: int) -> Array:
    """At most so many of points (n, d), beginning with the last, each the farthest from all chosen before."""
    chosen = [len(points) - 1]
    distance = np.linalg.norm(points - points[-1], axis=1)
    for _ in range(min(most, len(points)) - 1):
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.asarray(points[chosen])
