"""The boundary of a workspace known by its columns, as a closed mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.workspaces.marching_tetrahedra import surface_round
from gough.workspaces.mesh import Mesh

Crossing: TypeAlias = Callable[[Array, Array, Array, bool], tuple[Array, Ints]]
"""From points inside (n, 3), unit directions (n, 3) and lengths (n,), to how far it is allowed to go and, if the flag
is set, to the limits that bind there."""

LAYERS, MOST_LAYERS = 4, 200
"""Fewest and most layers of nodes on either side of the middle of a part."""
OFF_NODES = 1e-4
"""Vertices keep this fraction of an edge away from its ends, so that no two of them coincide."""
ACROSS = ((1, 0), (0, 1), (1, 1))
"""Steps from a column to its neighbours along the edges of the grid."""
AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
"""Steps from a column to its eight neighbours."""


def boundary_mesh(
    columns: tuple[Array, Array, Array], z_range: tuple[float, float], crossing: Crossing, names: tuple[str, ...]
) -> Mesh:
    """Closed mesh of a body with columns at x (nx,), y (ny,) and ends (nx, ny, k, 2); its vertices lie on the boundary.

    Each connected part has its own grid, which follows its shape: nodes lie in layers about the middle of every column,
    so that even the shortest column has a node, and edges of the grid run along sharp edges of the body. A vertex lies
    where `crossing` ends an edge of the grid, within the columns' outermost places and the searched range of z.
    """
    x, y, ends = columns
    meshes = [_mesh_of_part((x, y, part), z_range, crossing, names) for part in _parts(x, y, ends, crossing)]
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + offset for mesh, offset in zip(meshes, first, strict=False)]
    vertices, binding = (np.concatenate([getattr(mesh, what) for mesh in meshes]) for what in ("vertices", "binding"))
    return Mesh(vertices, np.concatenate(faces), binding, names)


def _parts(x: Array, y: Array, ends: Array, crossing: Crossing) -> list[Array]:
    """The ends (nx, ny, k, 2) of each connected part, NaN elsewhere.

    Intervals of neighbouring columns are connected if the straight line between their middles stays inside the body.
    """
    i, j, k = np.nonzero(np.isfinite(ends[..., 0]))
    place = np.column_stack([x[i], y[j], ends[i, j, k].mean(axis=1)])
    number = np.full((len(x) + 1, len(y) + 1, ends.shape[2]), -1)
    number[i, j, k] = np.arange(len(i))
    along, *others = (
        np.concatenate([[np.arange(len(i)), number[i + a, j + b, c]] for c in range(ends.shape[2])], axis=1)
        for a, b in ACROSS
    )
    across = np.concatenate(others, axis=1)
    # Test all lines along x first: most of the lines along y and diagonally then join what is joined already.
    joined = _inside(place, along[:, along[1] >= 0], crossing)
    part, across = _labels(len(i), joined), across[:, across[1] >= 0]
    # Of the lines between two parts the most central one first; all the others only where that one leaves the body.
    across = across[:, np.argsort(np.linalg.norm(place[across].mean(axis=0) - place.mean(axis=0), axis=1))]
    for is_one_each in (True, False):
        across = across[:, part[across[0]] != part[across[1]]]
        pairs = np.sort(part[across], axis=0)
        tried = across[:, np.unique(pairs, axis=1, return_index=True)[1]] if is_one_each else across
        joined = np.concatenate([joined, _inside(place, tried, crossing)], axis=1)
        part = _labels(len(i), joined)
    found = np.full((int(part.max()) + 1, *ends.shape), np.nan)
    found[part, i, j, k] = ends[i, j, k]
    return list(found)


def _inside(place: Array, edges: Ints, crossing: Crossing) -> Ints:
    """The edges of (2, m) between places (n, 3) that stay inside the body."""
    near, step = place[edges[0]], place[edges[1]] - place[edges[0]]
    length = np.linalg.norm(step, axis=1)
    far = crossing(near, step / length[:, None], length, False)[0]
    return edges[:, far >= (1 - OFF_NODES) * length]


def _labels(count: int, edges: Ints) -> Ints:
    """Connected part (count,) of each of `count` places, joined by edges (2, m)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(edges.shape[1]), (edges[0], edges[1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1])


def _mesh_of_part(
    columns: tuple[Array, Array, Array], z_range: tuple[float, float], crossing: Crossing, names: tuple[str, ...]
) -> Mesh:
    x, y, ends = columns
    z, marks = _nodes(x, y, ends)
    # One more node on every side, unmarked, so that the surface closes.
    xs, ys = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in (x, y))
    zs = np.concatenate([2 * z[..., :1] - z[..., 1:2], z, 2 * z[..., -1:] - z[..., -2:-1]], axis=2)
    zs = np.pad(zs, ((1, 1), (1, 1), (0, 0)), mode="edge")
    surface = surface_round(np.pad(marks, 1))
    inside, outside = (
        np.stack([xs[n[:, 0]], ys[n[:, 1]], zs[tuple(n.T)]], axis=1) for n in (surface.inside, surface.outside)
    )
    length = np.linalg.norm(outside - inside, axis=1)
    direction = (outside - inside) / length[:, None]
    far, binding = crossing(inside, direction, length, True)
    # Distance along each edge to the sides of the range.
    low, high = np.array([[x[k], y[k], z_range[k]] for k in (0, -1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(
            direction > 0, (high - inside) / direction, np.where(direction < 0, (low - inside) / direction, np.inf)
        ).min(axis=1)
    binding = np.where(room < far - OFF_NODES * length, -1, binding)
    far = np.clip(np.minimum(far, room), OFF_NODES * length, (1 - OFF_NODES) * length)
    return Mesh(inside + far[:, None] * direction, surface.faces, binding, names)


def _nodes(x: Array, y: Array, ends: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Heights (nx, ny, n) of the nodes, about as close as the columns, and which of them are inside the part."""
    # The layers follow the middles of columns with one interval, and continue those elsewhere.
    is_one = np.isfinite(ends[..., 0]).sum(axis=2) == 1
    shift = np.where(is_one, np.nansum(ends.mean(axis=-1), axis=2), np.nan)
    middle = _continued(shift, 0.5 * float(np.nanmin(ends) + np.nanmax(ends)))
    thickest = float(np.nanmax(np.abs(ends - middle[..., None, None]))) or OFF_NODES
    step = 0.5 * (x[-1] - x[0]) / (len(x) - 1) + 0.5 * (y[-1] - y[0]) / (len(y) - 1)
    count = int(np.clip(np.ceil(thickest / step), LAYERS, MOST_LAYERS))
    z = middle[..., None] + thickest / (count - 0.5) * np.arange(-count, count + 1)
    low, high = np.moveaxis(ends, -1, 0)[..., None]
    with np.errstate(invalid="ignore"):
        return z, ((low <= z[:, :, None]) & (z[:, :, None] <= high)).any(axis=2)


def _continued(middle: Array, otherwise: float) -> Array:
    """Heights (nx, ny) with NaN filled from neighbours: by linear extrapolation where two in line are known, else by
    their mean."""
    if not np.isfinite(middle).any():
        return np.full(middle.shape, otherwise)
    low, high = np.nanmin(middle), np.nanmax(middle)
    while np.isnan(middle).any():
        around = np.pad(middle, 2, constant_values=np.nan)
        near, next_but_one = (
            np.stack([around[2 + k * i :, 2 + k * j :][: len(middle), : middle.shape[1]] for i, j in AROUND])
            for k in (1, 2)
        )
        gap = np.isnan(middle)
        for estimates in (near, 2 * near - next_but_one):  # the extrapolation, if known, replaces the mean
            known = np.isfinite(estimates)
            mean = np.where(known, estimates, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            middle = np.where(gap & known.any(axis=0), np.clip(mean, low, high), middle)
    return middle
