"""The boundary of a body known by its columns, as a closed mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gough.workspaces.marching_tetrahedra import surface_round
from gough.workspaces.mesh import Mesh

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

Crossing: TypeAlias = Callable[[Array, Array, Array], tuple[Array, Ints]]
"""From points inside (n, 3), unit directions (n, 3) and lengths (n,): how far the body goes on, what binds there."""

LAYERS, MOST_LAYERS = 8, 400
"""Fewest and most layers of nodes between the lowest and the highest point."""
OFF_NODES = 1e-4
"""Vertices keep this part of an edge away from its ends, so that no two of them fall together."""


def layers(x: Array, y: Array, ends: Array) -> Array:
    """Heights (n,) of the nodes for a body with columns at x, y and these ends [m], about as close as the columns."""
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    step = 0.5 * (x[-1] - x[0]) / (len(x) - 1) + 0.5 * (y[-1] - y[0]) / (len(y) - 1)
    count = int(np.clip(np.ceil((high - low) / step), LAYERS, MOST_LAYERS))
    step = (high - low) / count or step
    return np.linspace(low - 0.5 * step, high + 0.5 * step, count + 2)


def boundary_mesh(
    axes: tuple[Array, Array, Array],
    z_range: tuple[float, float],
    marks: NDArray[np.bool_],
    crossing: Crossing,
    names: tuple[str, ...],
) -> Mesh:
    """Closed mesh round the marked nodes of the grid with these axes (x, y, z), each vertex on the boundary.

    A vertex lies where `crossing` says that the body ends along an edge of the grid, and no farther than the columns'
    outermost places and the searched range of z.
    """
    padded = [np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in axes]
    surface = surface_round(np.pad(marks, 1))
    inside, outside = (
        np.stack([padded[k][nodes[:, k]] for k in range(3)], axis=1) for nodes in (surface.inside, surface.outside)
    )
    length = np.linalg.norm(outside - inside, axis=1)
    direction = (outside - inside) / length[:, None]
    far, binding = crossing(inside, direction, length)
    low = np.array([axes[0][0], axes[1][0], z_range[0]])
    high = np.array([axes[0][-1], axes[1][-1], z_range[1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(
            direction > 0, (high - inside) / direction, np.where(direction < 0, (low - inside) / direction, np.inf)
        ).min(axis=1)
    binding = np.where(room < far - OFF_NODES * length, -1, binding)
    far = np.clip(np.minimum(far, room), OFF_NODES * length, (1 - OFF_NODES) * length)
    return Mesh(inside + far[:, None] * direction, surface.faces, binding, names)
