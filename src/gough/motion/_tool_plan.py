"""Which way to hold the tool along a path, chosen for all of the path at once: shortest paths over a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gough.motion._tool_search import ToolSearch

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

POINTS = {1: 49, 2: 25, 3: 13, 4: 7}
"""Of the grid along each coordinate, by how many there are; five where there are more."""
SOFT = 0.05
"""A relative margin smaller by so much costs e times as much: the smallest counts, the others hardly."""
MOVE = 0.03
"""Price of a move by one cell, squared: found to halve the legs' forces on a cone for a hundredth of the margin."""


def plan(searches: Sequence[ToolSearch], step: Array, progress: Callable[[int], None]) -> tuple[Array, Array]:
    """Coordinates z (k, count) along k poses of the tool, and the size of a cell (count,).

    Over the knots of the path, so far apart that every coordinate may move by a cell between them, the sum of
    exp(-margin / 0.05) and of the moves is made smallest (dynamic programming); between knots it goes straight.
    """
    first = searches[0]
    n = POINTS.get(first.count, 5)
    axes = [np.linspace(-1.0, 1.0, n) for _ in range(first.count)]
    if first.has_roll:
        axes[-1] = np.linspace(-1.0, 1.0, n, endpoint=False)
    cell = np.array([axis[1] - axis[0] for axis in axes])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    stride = max(1, int(np.ceil((cell / np.maximum(step, 1e-3)).max())))
    knots = sorted({*range(0, len(searches), stride), len(searches) - 1})
    shifts = np.array(list(product((-1, 0, 1), repeat=first.count)))
    cost, came = np.zeros(grid.shape[:-1]), []
    for j, k in enumerate(knots):
        if j:
            cost, best = _moved(cost, shifts, periodic=first.has_roll)
            came.append(best)
        cost = cost + np.exp(-searches[k].relative(grid.reshape(-1, first.count)).min(axis=-1) / SOFT).reshape(
            cost.shape
        )
        progress(k)
    return _traced(cost, came, shifts, axes, cell, knots, len(searches)), cell


def _moved(cost: Array, shifts: Ints, *, periodic: bool) -> tuple[Array, Ints]:
    """Least cost after one move to a neighbour, and which of the shifts led there."""
    widths = [(1, 1)] * cost.ndim
    padded = np.pad(cost, widths, constant_values=np.inf)
    if periodic:
        padded[..., 0], padded[..., -1] = padded[..., -2], padded[..., 1]
    n = np.array(cost.shape)
    reached = [
        padded[tuple(slice(1 - s, 1 - s + m) for s, m in zip(shift, n, strict=True))] + MOVE * float(shift @ shift)
        for shift in shifts
    ]
    best = np.argmin(reached, axis=0)
    return np.min(reached, axis=0), best


def _traced(
    cost: Array, came: list[Ints], shifts: Ints, axes: list[Array], cell: Array, knots: list[int], count: int
) -> Array:
    """The cheapest way back from the last knot, straight between knots; the roll goes on past its ends."""
    place = np.array(np.unravel_index(int(np.argmin(cost)), cost.shape))
    start = np.array([axis[i] for axis, i in zip(axes, place, strict=True)])
    z = [start]
    for best in reversed(came):
        shift = shifts[best[tuple(place)]]
        place = (place - shift) % np.array(cost.shape)
        z.append(z[-1] - shift * cell)
    z.reverse()
    return np.stack([np.interp(np.arange(count), knots, column) for column in np.array(z).T], axis=1)
