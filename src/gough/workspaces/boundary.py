"""The boundary of a body known by its columns, as a closed mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.workspaces.marching_tetrahedra import surface_round
from gough.workspaces.mesh import Mesh

Crossing: TypeAlias = Callable[[Array, Array, Array], tuple[Array, Ints]]
"""From points inside (n, 3), unit directions (n, 3) and lengths (n,): how far the body goes on, what binds there."""

LAYERS, MOST_LAYERS = 4, 200
"""Fewest and most layers of nodes on either side of a part's middle."""
OFF_NODES = 1e-4
"""Vertices keep this part of an edge away from its ends, so that no two of them fall together."""
ACROSS = ((1, 0), (0, 1), (1, 1))
"""Steps from a column to those that edges of the grid join it with."""
AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


def boundary_mesh(
    columns: tuple[Array, Array, Array], z_range: tuple[float, float], crossing: Crossing, names: tuple[str, ...]
) -> Mesh:
    """Closed mesh of a body with columns at x (nx,), y (ny,) and ends (nx, ny, k, 2); its vertices lie on the boundary.

    Each connected part has its own grid, which follows it: nodes lie in layers about the middle of every column, so
    that columns are met however short they are, and edges run along the body where two sides meet at a sharp edge. A
    vertex lies where `crossing` says that the body ends along an edge of the grid, and no farther than the columns'
    outermost places and the searched range of z.
    """
    x, y, ends = columns
    meshes = [_mesh_of_part((x, y, part), z_range, crossing, names) for part in _parts(x, y, ends, crossing)]
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + offset for mesh, offset in zip(meshes, first, strict=False)]
    vertices, binding = (np.concatenate([getattr(mesh, what) for mesh in meshes]) for what in ("vertices", "binding"))
    return Mesh(vertices, np.concatenate(faces), binding, names)


def _parts(x: Array, y: Array, ends: Array, crossing: Crossing) -> list[Array]:
    """The ends of each connected part (nx, ny, k, 2), NaN where another part is: intervals of neighbouring columns are
    connected where the straight line between their middles stays inside the body."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    i, j, k = np.nonzero(np.isfinite(ends[..., 0]))
    place = np.column_stack([x[i], y[j], ends[i, j, k].mean(axis=1)])
    number = np.full((len(x) + 1, len(y) + 1, ends.shape[2]), -1)
    number[i, j, k] = np.arange(len(i))
    pairs = [(np.arange(len(i)), number[i + a, j + b, c]) for a, b in ACROSS for c in range(ends.shape[2])]
    near, far = np.concatenate([np.stack(pair) for pair in pairs], axis=1)
    near, far = near[far >= 0], far[far >= 0]
    step = place[far] - place[near]
    length = np.linalg.norm(step, axis=1)
    joined = crossing(place[near], step / length[:, None], length)[0] >= (1 - OFF_NODES) * length
    graph = coo_array((np.ones(joined.sum()), (near[joined], far[joined])), shape=(len(i), len(i)))
    count, part = connected_components(graph, directed=False)
    found = np.full((count, *ends.shape), np.nan)
    found[part, i, j, k] = ends[i, j, k]
    return list(found)


def _mesh_of_part(
    columns: tuple[Array, Array, Array], z_range: tuple[float, float], crossing: Crossing, names: tuple[str, ...]
) -> Mesh:
    x, y, ends = columns
    z, marks = _nodes(x, y, ends)
    xs, ys = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in (x, y))
    zs = np.concatenate([2 * z[..., :1] - z[..., 1:2], z, 2 * z[..., -1:] - z[..., -2:-1]], axis=2)
    zs = np.pad(zs, ((1, 1), (1, 1), (0, 0)), mode="edge")
    surface = surface_round(np.pad(marks, 1))
    inside, outside = (
        np.stack([xs[n[:, 0]], ys[n[:, 1]], zs[tuple(n.T)]], axis=1) for n in (surface.inside, surface.outside)
    )
    length = np.linalg.norm(outside - inside, axis=1)
    direction = (outside - inside) / length[:, None]
    far, binding = crossing(inside, direction, length)
    low, high = np.array([[x[k], y[k], z_range[k]] for k in (0, -1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(
            direction > 0, (high - inside) / direction, np.where(direction < 0, (low - inside) / direction, np.inf)
        ).min(axis=1)
    binding = np.where(room < far - OFF_NODES * length, -1, binding)
    far = np.clip(np.minimum(far, room), OFF_NODES * length, (1 - OFF_NODES) * length)
    return Mesh(inside + far[:, None] * direction, surface.faces, binding, names)


def _nodes(x: Array, y: Array, ends: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Heights (nx, ny, n) of the nodes, about as close as the columns, and which are inside a part."""
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
    """Heights (nx, ny) with those that are NaN continued from their neighbours, straight on where these have some."""
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
        for estimates in (near, 2 * near - next_but_one):  # the second, where there is one, in place of the first
            known = np.isfinite(estimates)
            mean = np.where(known, estimates, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            middle = np.where(gap & known.any(axis=0), np.clip(mean, low, high), middle)
    return middle
