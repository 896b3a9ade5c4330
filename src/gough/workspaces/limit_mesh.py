"""Closed meshes of workspaces, from their columns or their rays: vertices on limits, edges where two are reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gough.arrays import Array, Ints, Progress
from gough.workspaces.clipping import Clip, clip
from gough.workspaces.levels import Axes, Levels
from gough.workspaces.mesh import Mesh, solid_angles

WIDER = 1.4
"""Distance of nodes, in distances of columns: a coarser grid suffices, as vertices are on the limits."""
FEWEST, LAYERS, MOST_LAYERS = 8, 8, 300
"""Fewest cells along x and y, fewest and most along z over the workspace."""
ASIDE = 0.37
"""Part of a cell by which the grid is shifted, so that planes of symmetry do not meet its nodes."""
ROOM = 2
"""Extra cells below and above the columns' ends, for tips between columns."""
SPREAD, GROWTH, GROWTHS = 0.06, 0.35, 8
"""Room around the ends of rays and growth of the box where the part meets its sides, in sizes of the box; how often it
grows at most."""
FLAT = 1e-3
"""Least size of the box along an axis, in its largest."""


def mesh_of_columns(
    columns: tuple[Array, Array, Array],
    z_range: tuple[float, float],
    levels_on: Callable[[Axes], Levels],
    names: tuple[str, ...],
    progress: Progress = None,
) -> Mesh:
    """Return the closed mesh of the positions at which no level is negative, about as fine as the columns at x (nx,), y
    (ny,) with ends (nx, ny, k, 2), within their outermost places and the range of z. `levels_on` a grid gives the
    levels between its nodes.

    Its vertices are on one limit, those of its edges on two, those of its corners on three.
    """
    axes = _axes(*columns)
    levels = levels_on(axes)
    low, high = np.array([[columns[0][k], columns[1][k], z_range[k]] for k in (0, -1)])
    low[2], high[2] = max(low[2], axes[2][1]), min(high[2], axes[2][-2])

    # The six sides of the range are limits too, with index -1 in the result.
    def sides(points: Array) -> Array:
        return np.concatenate([(points - low) / (high - low), (high - points) / (high - low)], axis=1)

    return _closed(clip(axes, _with_more(levels, sides, len(names)), progress), names)


def mesh_of_rays(
    ends: Array, reach: float, levels: Levels, names: tuple[str, ...], cells: int, progress: Progress = None
) -> Mesh:
    """Return the closed mesh of the part around the origin of the vectors, at most `reach` long, at which no level is
    negative.

    Rays from the origin end at `ends` (n, 3). What is connected with them may extend farther: the box grows until it
    holds the part, with so many `cells` along each axis.
    """
    length = np.linalg.norm(ends, axis=1)
    # Half of a ray of middling length: the origin may be on the boundary, half of a long ray in a narrow tip.
    inside = 0.5 * ends[np.argsort(length)[((length == 0).sum() + len(ends)) // 2]]
    low, high = ends.min(axis=0), ends.max(axis=0)
    size = high - low
    room, sides = SPREAD * np.maximum(size, FLAT * size.max()), len(names) + np.arange(6)
    low, high = low - room, high + room
    for _ in range(GROWTHS):
        found = _around(inside, _in_box((low, high), reach, levels, len(names), cells, progress))
        is_met = np.isin(sides, found.limit).reshape(2, 3) & (np.stack([-low, high]) < reach)
        if not is_met.any():
            break
        more = GROWTH * (high - low)
        low, high = np.where(is_met[0], low - more, low), np.where(is_met[1], high + more, high)
    return _closed(found, names)


def _in_box(box: tuple[Array, Array], reach: float, levels: Levels, count: int, cells: int, progress: Progress) -> Clip:
    """Boundary of the points of a box and of a ball about the origin at which none of `count` levels is negative."""
    low, high = box

    # The sides of the box, then the ball, are limits too.
    def sides(points: Array) -> Array:
        left = (reach - np.linalg.norm(points, axis=1)) / reach
        return np.concatenate([(points - low) / (high - low), (high - points) / (high - low), left[:, None]], axis=1)

    step = (high - low) / cells
    axes = tuple(a + d * (np.arange(cells + 2) - ASIDE) for a, d in zip(low, step, strict=True))
    return clip(axes, _with_more(levels, sides, count), progress)


def _with_more(levels: Levels, more: Callable[[Array], Array], count: int) -> Levels:
    """Levels of `count` limits, then of those of the points alone."""

    def at(R: Array, points: Array, *some: Ints) -> Array:
        found, others = [], more(points)
        if not some:
            return np.concatenate([levels.at(R, points), others], axis=1)
        own, of_points = some[0][some[0] < count], some[0][some[0] >= count] - count
        if len(own):
            found.append(levels.at(R, points, own))
        return np.concatenate([*found, others[:, of_points]], axis=1)

    return replace(levels, at=at)


def _around(point: Array, found: Clip) -> Clip:
    """Of closed surfaces the part around a point (3,): the shell that contains it, and the voids inside this shell."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Triangles are connected where they share an edge.
    faces, corners = found.faces, found.vertices[found.faces]
    edge = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1) @ [len(found.vertices), 1]
    order = np.argsort(edge, kind="stable")
    is_shared = np.diff(edge[order]) == 0
    pairs = order[:-1][is_shared] // 3, order[1:][is_shared] // 3
    graph = coo_array((np.ones(len(pairs[0])), pairs), shape=(len(faces),) * 2)
    count, of = connected_components(graph, directed=False)
    volumes = np.bincount(of, np.linalg.det(corners - point), count)
    outer = np.flatnonzero(volumes > 0)

    def shell_around(place: Array) -> int:
        """The smallest shell around a place, -1 where there is none."""
        inside = [k for k in outer if solid_angles(corners[of == k] - place).sum() > 2.0 * np.pi]
        return int(min(inside, key=lambda k: float(volumes[k]), default=-1))

    own = shell_around(point)
    if own < 0:  # thinner than a cell there
        return found
    inner = np.flatnonzero(volumes <= 0)
    voids = inner[[shell_around(corners[of == k][0, 0]) == own for k in inner]]
    chosen = np.isin(of, np.append(voids, own))
    return found._replace(faces=faces[chosen], limit=found.limit[chosen])


def _closed(found: Clip, names: tuple[str, ...]) -> Mesh:
    """A mesh of the triangles and the vertices that they use; limits that have no name are the range's."""
    used, faces = np.unique(found.faces, return_inverse=True)
    binding = found.is_on[used].argmax(axis=1)
    binding, limit = (np.where(of < len(names), of, -1) for of in (binding, found.limit))
    return Mesh(found.vertices[used], faces.reshape(-1, 3), binding, names, limit)


def _axes(x: Array, y: Array, ends: Array) -> Axes:
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
