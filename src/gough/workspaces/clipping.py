"""Boundaries of regions that several limits end, with the edges between limits as edges of triangles.

The tetrahedra of a grid are clipped by one limit after another: the remainder is the region, its outer faces the
boundary. A limit's level is positive on the allowed side. Every tetrahedron that a limit crosses is cut at the limit's
zeros on its edges (marching tetrahedra, Doi and Koide 1991), and its remainder is divided into tetrahedra again. Their
diagonals begin at the vertex with the smallest number, so that neighbours agree on shared faces. Walls thinner than the
grid survive where two limits bound them, and edges between limits are edges of the mesh.

Marching tetrahedra also build the surface that separates marked from other nodes of a grid. Every box of the grid is
cut into six tetrahedra along its diagonal (Kuhn 1960), alike in all boxes, so that their faces match; in each the
surface separates the corners inside from those outside. Unlike marching cubes this has no ambiguous case: every edge of
the surface is in two triangles, except at the sides of the grid.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints, Progress
from gough.workspaces.levels import Axes, Levels
from gough.workspaces.on_limits import Edges, zeros_between

Marks = NDArray[np.bool_]

STEPS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)][1:])
"""The seven kinds of edges of the tetrahedra, as steps (7, 3) from their first node."""


class Surface(NamedTuple):
    """Nodes inside and outside (n, 3) of the edges that the surface crosses, each a vertex; triangles (m, 3)."""

    inside: Ints
    outside: Ints
    faces: Ints


def surface_round(marks: Marks) -> Surface:
    """Return the surface between marked and other nodes of a grid (nx, ny, nz); closed if no outermost node is
    marked."""
    shape = marks.shape
    place = np.full((len(STEPS), *shape), -1, dtype=np.int64)
    inner, outer, found = [], [], 0
    for kind, step in enumerate(STEPS):
        near = tuple(slice(0, size - d) for size, d in zip(shape, step, strict=True))
        far = tuple(slice(d, None) for d in step)
        first = np.argwhere(marks[near] != marks[far])
        place[kind][tuple(first.T)] = found + np.arange(len(first))
        is_first_inside = marks[tuple(first.T)][:, None]
        inner.append(np.where(is_first_inside, first, first + step))
        outer.append(np.where(is_first_inside, first + step, first))
        found += len(first)
    return Surface(np.concatenate(inner), np.concatenate(outer), _faces(marks, place))


def _faces(marks: Marks, place: Ints) -> Ints:
    """Triangles (m, 3) of all tetrahedra; `place` (7, nx, ny, nz) has the vertex of each edge, by kind and node."""
    # Only boxes with both marked and other corners hold a part of the surface.
    corner = marks[:-1, :-1, :-1].shape
    around = sum(marks[tuple(slice(d, d + n) for d, n in zip(step, corner, strict=True))].astype(int) for step in STEPS)
    mixed = np.argwhere((around + marks[:-1, :-1, :-1] > 0) & (around + marks[:-1, :-1, :-1] < 8))
    faces = [np.zeros((0, 3), dtype=np.int64)]
    for corners in tetrahedra():
        signs = np.stack([marks[tuple((mixed + c).T)] for c in corners], axis=1)
        case = signs @ (1, 2, 4, 8)
        for number, triangles in _cases(corners).items():
            boxes = mixed[case == number]
            faces += [
                np.stack([_vertex(place, boxes, corners, edge) for edge in triangle], axis=1) for triangle in triangles
            ]
    return np.concatenate(faces)


Corner = tuple[int, int, int]
Edge = tuple[int, int]


def _vertex(place: Ints, boxes: Ints, corners: tuple[Corner, ...], edge: Edge) -> Ints:
    """Vertices (n,) on one edge of a tetrahedron in boxes (n, 3)."""
    first, last = (np.array(corners[k]) for k in sorted(edge))
    kind = int((last - first) @ (4, 2, 1)) - 1  # its index in STEPS
    return np.asarray(place[kind][tuple((boxes + first).T)])


def tetrahedra() -> list[tuple[Corner, ...]]:
    """Return corners of the six tetrahedra of a box: each is a path of edges from the first corner to the last (Kuhn
    1960)."""
    paths = []
    for order in permutations(range(3)):
        steps = np.eye(3, dtype=int)[list(order)]
        paths.append(tuple(tuple(int(v) for v in steps[:k].sum(axis=0)) for k in range(4)))
    return paths  # type: ignore[return-value]


@cache
def _cases(corners: tuple[Corner, ...]) -> dict[int, list[tuple[Edge, Edge, Edge]]]:
    """Triangles for each set of corners inside (bit k for corner k), as edges, turned outward."""
    points = np.array(corners, dtype=float)
    cases = {}
    for number in range(1, 15):
        inside = [k for k in range(4) if number >> k & 1]
        outside = [k for k in range(4) if k not in inside]
        # Two corners inside: a quadrilateral across four edges. Else one triangle around the single corner.
        if len(inside) == 2:
            (a, b), (c, d) = inside, outside
            triangles = [((a, c), (a, d), (b, d)), ((a, c), (b, d), (b, c))]
        else:
            tip, others = (inside[0], outside) if len(inside) == 1 else (outside[0], inside)
            triangles = [((tip, others[0]), (tip, others[1]), (tip, others[2]))]
        outward = points[outside].mean(axis=0) - points[inside].mean(axis=0)
        cases[number] = [_turned(triangle, points, outward) for triangle in triangles]
    return cases


def _turned(triangle: tuple[Edge, Edge, Edge], points: Array, outward: Array) -> tuple[Edge, Edge, Edge]:
    a, b, c = (points[list(edge)].mean(axis=0) for edge in triangle)
    return triangle if np.cross(b - a, c - a) @ outward > 0 else (triangle[0], triangle[2], triangle[1])


PAIRS = tuple(combinations(range(4), 2))
"""Edges of a tetrahedron."""
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
"""Faces of a tetrahedron with positive volume, counterclockwise as seen from outside."""
CORNERS = np.concatenate([np.zeros((1, 3), dtype=np.int64), STEPS])
"""Corners of a box, as steps (8, 3) from its first."""
BEND = 0.3
"""Largest departure of a level from linear between neighbours of n nodes in a line, times n."""
CHUNK = 1 << 16
"""Nodes whose levels are evaluated at once, to bound memory."""


class Clip(NamedTuple):
    """Closed surfaces: vertices (n, 3), triangles (m, 3) counterclockwise as seen from outside, the limit on each (m,),
    and the limits that each vertex is on (n, k)."""

    vertices: Array
    faces: Ints
    limit: Ints
    is_on: Bools


class Clipped(NamedTuple):
    """Vertices (n, 3), their levels (n, k), and the limits that they are on (n, k); tetrahedra (m, 4), vertex numbers
    ascending, and whether their volume in this order is positive (m,)."""

    points: Array
    levels: Array
    is_on: Bools
    cells: Ints
    is_positive: Bools


def clip(axes: Axes, levels: Levels, progress: Progress = None) -> Clip:
    """Return the boundary of the points at which no level is negative, in the grid with nodes at places along x, y and
    z.

    The outermost nodes must be outside.
    """
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    shape = np.array([len(axis) for axis in axes])
    bend = BEND / float(shape.max())
    cells, is_positive = _crossed(points, shape, levels, bend)
    used, cells = np.unique(cells, return_inverse=True)
    points = points[used]
    at_nodes = levels(points)
    left = Clipped(points, at_nodes, np.zeros(at_nodes.shape, dtype=bool), cells.reshape(-1, 4), is_positive)
    # First the limits whose levels are known everywhere, such as the legs' reach: they remove all points at which the
    # levels of others are NaN.
    is_sure: Bools = np.asarray(~np.isnan(at_nodes).any(axis=0))
    order = np.argsort(~is_sure, kind="stable")
    done = np.zeros(len(order), dtype=bool)
    for k, limit in enumerate(order):
        left = _clipped_by(left, int(limit), levels, (done.copy(), is_sure), bend)
        done[limit] = True
        if progress is not None:
            progress(k + 1, len(order))
    return _boundary(left, len(points))


def _crossed(points: Array, shape: Ints, levels: Levels, bend: float) -> tuple[Ints, Bools]:
    """Tetrahedra (m, 4) of a grid that may hold a part of the boundary, and the signs of their volumes (m,).

    Some limit is violated at one of their corners, and none at all corners by more than its level can bend in between.
    """
    chunks = (levels(points[first : first + CHUNK]) for first in range(0, len(points), CHUNK))
    is_broken, is_far = (
        np.concatenate(part)
        for part in zip(*(((chunk < 0).any(axis=1), chunk < -bend) for chunk in chunks), strict=True)
    )
    # Corners of boxes as shifted views of the grid.
    in_boxes = [tuple(slice(d, n + d - 1) for d, n in zip(step, shape, strict=True)) for step in CORNERS]
    somewhere = np.any([is_broken.reshape(shape)[corner] for corner in in_boxes], axis=0)
    everywhere = np.logical_and.reduce([is_far.reshape(*shape, -1)[corner] for corner in in_boxes])
    boxes = np.argwhere(somewhere & ~everywhere.any(axis=3))
    found, signs = [np.zeros((0, 4), dtype=np.int64)], [np.zeros(0, dtype=bool)]
    for steps in tetrahedra():
        cells = np.stack([np.ravel_multi_index(tuple((boxes + step).T), tuple(shape)) for step in steps], axis=1)
        cells = cells[is_broken[cells].any(axis=1) & ~is_far[cells].all(axis=1).any(axis=1)]
        found.append(cells)
        signs.append(np.full(len(cells), bool(_volume(np.array(steps, dtype=float)) > 0)))
    return np.concatenate(found), np.concatenate(signs)


def _clipped_by(before: Clipped, limit: int, levels: Levels, others: tuple[Bools, Bools], bend: float) -> Clipped:
    """The remainder after clipping by one limit; of the others some (k,) have clipped before, and the levels of some
    (k,) are known everywhere."""
    points, known, is_on, cells, is_positive = before
    is_kept = ~(known[:, limit] < 0)  # NaN, of a leg that cannot close, is kept: its reach has clipped already
    code = is_kept[cells] @ np.array([1, 2, 4, 8])
    is_whole, is_mixed = code == 15, (code > 0) & (code < 15)
    if is_whole.all():
        return before
    # Zeros on the crossed edges become vertices, after those that exist.
    sides, slots = _cut_edges(cells[is_mixed], is_kept)
    first, last = sides.T
    edges = Edges(levels, points[first], points[last], is_on[first] & is_on[last], *others)
    new = zeros_between(edges, (known[first], known[last]), limit)
    points, known, is_on = (np.concatenate(pair) for pair in zip((points, known, is_on), new, strict=True))
    parts, signs = _divided(slots, code[is_mixed], is_positive[is_mixed])
    # A later limit would remove the others whole.
    is_left = ~np.any((known < -bend)[parts].all(axis=1), axis=1)
    return Clipped(
        points,
        known,
        is_on,
        np.concatenate([cells[is_whole], parts[is_left]]),
        np.concatenate([is_positive[is_whole], signs[is_left]]),
    )


def _cut_edges(cells: Ints, is_kept: Bools) -> tuple[Ints, Ints]:
    """Edges (n, 2) of tetrahedra (m, 4) that a limit crosses, kept ends first; and `slots` (m, 10): the corners of each
    tetrahedron, then the numbers that the points on its edges in `PAIRS` will have."""
    count, sides = len(is_kept), cells[:, np.array(PAIRS)]
    is_cut = is_kept[sides[..., 0]] != is_kept[sides[..., 1]]
    numbers, place = np.unique(sides[is_cut] @ np.array([count, 1]), return_inverse=True)
    found = np.stack(np.divmod(numbers, count), axis=1)
    slots = np.concatenate([cells, np.full((len(cells), len(PAIRS)), -1)], axis=1)
    slots[:, 4:][is_cut] = count + place.ravel()
    return np.where(is_kept[found[:, :1]], found, found[:, ::-1]), slots


def _divided(slots: Ints, code: Ints, is_positive: Bools) -> tuple[Ints, Bools]:
    """Tetrahedra of the remainders of cut ones with `slots` (m, 10), of which the corners in `code` (m,) are kept."""
    parts, signs = [np.zeros((0, 4), dtype=np.int64)], [np.zeros(0, dtype=bool)]
    for number in range(1, 15):
        chosen = code == number
        for tetrahedron in _left_of(number):
            parts.append(slots[chosen][:, tetrahedron])
            signs.append(is_positive[chosen])
    cells = np.concatenate(parts)
    # Sorting the numbers is an odd permutation, and changes the volume's sign, where the inversions are odd.
    inversions = sum((cells[:, a] > cells[:, b]).astype(np.int64) for a, b in PAIRS)
    return np.sort(cells, axis=1), np.asarray(np.concatenate(signs) ^ (inversions % 2 == 1))


@cache
def _left_of(number: int) -> tuple[tuple[int, ...], ...]:
    """Remainder of a tetrahedron of which the corners in `number` (bit k for corner k) are kept: tetrahedra of corners
    0 to 3 and of points 4 to 9 on the edges in `PAIRS`, with the sign of volume of the whole."""
    kept = [k for k in range(4) if number >> k & 1]
    out = [k for k in range(4) if k not in kept]

    def on(i: int, o: int) -> int:
        return 4 + PAIRS.index((min(kept[i], out[o]), max(kept[i], out[o])))

    if len(kept) == 1:
        (a,) = kept
        found = [(a, on(0, 0), on(0, 1), on(0, 2))]
    elif len(kept) == 2:
        a, b = kept
        found = [
            (a, b, on(1, 0), on(1, 1)),
            (a, on(0, 0), on(0, 1), on(1, 1)),
            (a, on(0, 0), on(1, 0), on(1, 1)),
        ]
    else:
        a, b, c = kept
        found = [(a, b, c, on(2, 0)), (a, b, on(1, 0), on(2, 0)), (a, on(0, 0), on(1, 0), on(2, 0))]
    corners = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    places = np.concatenate([corners, [corners[list(pair)].mean(axis=0) for pair in PAIRS]])
    return tuple(t if _volume(places[list(t)]) > 0 else (t[0], t[1], t[3], t[2]) for t in found)


def _volume(corners: Array) -> float:
    return float(np.linalg.det(corners[1:] - corners[0]))


def _boundary(left: Clipped, nodes: int) -> Clip:
    """Faces that belong to one tetrahedron only. Nodes of the grid are on no limit: faces with one are inside, or at
    the side of the tetrahedra that were left out."""
    faces = np.where(left.is_positive[:, None, None], left.cells[:, FACES], left.cells[:, FACES[:, ::-1]])
    faces = faces.reshape(-1, 3)
    faces = faces[(faces >= nodes).all(axis=1)] - nodes
    points, is_on = left.points[nodes:], left.is_on[nodes:]
    ordered = np.sort(faces, axis=1)
    # An interior face belongs to two tetrahedra, with the same three vertices.
    key = (ordered[:, 0] * len(points) + ordered[:, 1]) * len(points) + ordered[:, 2]
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    faces = faces[first[count == 1]]
    return Clip(points, faces, is_on[faces].sum(axis=1).argmax(axis=1), is_on)
