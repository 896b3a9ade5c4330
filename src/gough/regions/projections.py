"""Projections of boxes of six coordinates onto two of them."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.regions.cells import Cells, joined
from gough.regions.measure import measure_bounds
from gough.regions.shapes import PoseRegion

TOGETHER = 20_000
"""Boxes that are projected together."""


def projected(
    region: PoseRegion,
    parts: tuple[Cells, ...],
    pair: tuple[int, int],
    squares: int,
    edges: tuple[Array, Array] | None = None,
) -> tuple[tuple[Array, Array], Array]:
    """Edges of squares along two coordinates, about all boxes where not given, and the boxes' measure over each square.

    The upper bound of a box's measure is distributed evenly over its projection [m3 rad3].
    """
    cells = joined(parts)
    found = np.zeros((squares, squares))
    if edges is None:
        ends = [_ends(region, cells, axis) for axis in pair]
        edges = np.linspace(*ends[0], squares + 1), np.linspace(*ends[1], squares + 1)
    for first in range(0, len(cells), TOGETHER):
        some = cells.chosen(slice(first, first + TOGETHER))
        weight = measure_bounds(region, some)[1]
        x, y = (_spread(some, axis, ends) for axis, ends in zip(pair, edges, strict=True))
        found += x.T @ (weight[:, None] * y)
    return edges, found


def _ends(region: PoseRegion, cells: Cells, axis: int) -> tuple[float, float]:
    """Ends of all boxes along a coordinate; those of the region without boxes."""
    centre, half = (cells.centre[:, axis], cells.half[:, axis]) if len(cells) else (region.centre, region.half)
    middle, away = (centre, half) if len(cells) else (centre[axis : axis + 1], half[axis : axis + 1])
    return float((middle - away).min()), float((middle + away).max())


def _spread(cells: Cells, axis: int, edges: Array) -> Array:
    """Part (n, squares) of each box's extent between edges along a coordinate."""
    low, high = (cells.centre + side * cells.half for side in (-1, 1))
    shared = np.minimum(high[:, axis, None], edges[1:]) - np.maximum(low[:, axis, None], edges[:-1])
    return np.asarray(np.maximum(shared, 0.0) / (high - low)[:, axis, None])
