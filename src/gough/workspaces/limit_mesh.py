"""The boundary of a workspace as a closed mesh, with the edges between its limits as edges of triangles."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Progress
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import poses_at, relative_margins
from gough.limits.table import limit_table
from gough.stacked import AnyMachine
from gough.workspaces.clipped_grid import clip
from gough.workspaces.mesh import Mesh
from gough.workspaces.on_limits import Levels

WIDER = 1.4
"""Distance of nodes, in distances of columns: a coarser grid suffices, as vertices are on the limits."""
FEWEST, LAYERS, MOST_LAYERS = 8, 8, 300
"""Fewest cells along x and y, fewest and most along z over the workspace."""
ASIDE = 0.37
"""Part of a cell by which the grid is shifted, so that planes of symmetry do not meet its nodes."""
ROOM = 2
"""Extra cells below and above the columns' ends, for tips between columns."""


def limit_mesh(
    columns: tuple[Array, Array, Array],
    z_range: tuple[float, float],
    levels: Levels,
    names: tuple[str, ...],
    progress: Progress = None,
) -> Mesh:
    """Closed mesh of the positions at which no level is negative, about as fine as the columns at x (nx,), y (ny,) with
    ends (nx, ny, k, 2), within their outermost places and the range of z.

    Its vertices are on one limit, those of its edges on two, those of its corners on three (`clipped_grid`).
    """
    axes = _axes(*columns)
    low, high = np.array([[columns[0][k], columns[1][k], z_range[k]] for k in (0, -1)])
    low[2], high[2] = max(low[2], axes[2][1]), min(high[2], axes[2][-2])

    # The six sides of the range are limits too, with index -1 in the result.
    def all_levels(points: Array) -> Array:
        return np.concatenate([levels(points), (points - low) / (high - low), (high - points) / (high - low)], axis=1)

    vertices, faces, limit, is_on = clip(axes, all_levels, progress)
    used, faces = np.unique(faces, return_inverse=True)
    binding = is_on[used].argmax(axis=1)
    of_range = len(names)
    binding, limit = (np.where(of < of_range, of, -1) for of in (binding, limit))
    return Mesh(vertices[used], faces.reshape(-1, 3), binding, names, limit)


def levels_of(machine: AnyMachine, arrays: LimitArrays, R: Array) -> Levels:
    """Relative margins at an orientation R (3, 3), made continuous; infinite for limits that do not count."""
    ignored, turns = np.isnan(arrays.per_scale), _turns(machine)

    def levels(points: Array) -> Array:
        relative = relative_margins(machine, arrays, poses_at(machine, R, points))
        for low, high, turn in turns:
            # A joint angle jumps by a turn at pi. Outside its range count it from the nearer limit, on either side.
            gap = 0.5 * (turn - relative[:, low] - relative[:, high])
            shift = turn * ((relative[:, high] < -gap).astype(float) - (relative[:, low] < -gap))
            relative[:, low] -= shift
            relative[:, high] += shift
        relative[:, ignored] = np.inf
        # A leg that cannot close while its reach is ignored.
        is_open = np.isnan(relative).any(axis=1) & ~(relative < 0).any(axis=1)
        relative[is_open] = np.where(np.isnan(relative[is_open]), -1.0, relative[is_open])
        return relative

    return levels


def _turns(machine: AnyMachine) -> list[tuple[int, int, float]]:
    """Columns of the lowest and the highest joint angle of each leg that has both limits, and a turn in their scale."""
    columns = limit_table(machine).columns
    places = {column.name: k for k, column in enumerate(columns) if column.unit == "rad" and not column.quantity}
    return [
        (k, places[other], 2.0 * np.pi / columns[k].scale)
        for name, k in places.items()
        if name.endswith("lowest") and (other := name.removesuffix("lowest") + "highest") in places
    ]


def _axes(x: Array, y: Array, ends: Array) -> tuple[Array, Array, Array]:
    """Places of the grid's nodes along x, y and z."""
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    step = 0.5 * WIDER * sum((axis[-1] - axis[0]) / (len(axis) - 1) for axis in (x, y))
    layers = int(np.clip(np.ceil((high - low) / step), LAYERS, MOST_LAYERS))
    rise = (high - low) / layers or step
    z = low + rise * (np.arange(-ROOM, layers + ROOM + 1) - ASIDE)
    return _between(x), _between(y), np.asarray(z, dtype=np.float64)


def _between(places: Array) -> Array:
    """Nodes along an axis with columns at places (n,), interpolated in the columns' index."""
    cells = max(FEWEST, int(np.ceil((len(places) - 1) / WIDER)))
    at = (np.arange(cells + 2) - ASIDE) * (len(places) - 1) / cells
    first = np.clip(at.astype(np.int64), 0, len(places) - 2)
    return np.asarray(places[first] + (at - first) * (places[first + 1] - places[first]))
