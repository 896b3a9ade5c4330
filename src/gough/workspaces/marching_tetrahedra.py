"""The surface that separates marked from other nodes of a grid, by marching tetrahedra (Doi and Koide 1991).

Every box of the grid is cut into six tetrahedra along its diagonal (Kuhn 1960), alike in all boxes, so that
their faces match; in each the surface separates the corners inside from those outside. Unlike marching cubes this has
no ambiguous case: every edge of the surface is in two triangles, except at the sides of the grid.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints

Marks = NDArray[np.bool_]

STEPS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)][1:])
"""The seven kinds of edges of the tetrahedra, as steps (7, 3) from their first node."""


class Surface(NamedTuple):
    """Nodes inside and outside (n, 3) of the edges that the surface crosses, each a vertex; triangles (m, 3)."""

    inside: Ints
    outside: Ints
    faces: Ints


def surface_round(marks: Marks) -> Surface:
    """Surface between marked and other nodes of a grid (nx, ny, nz); closed if no outermost node is marked."""
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
    """Corners of the six tetrahedra of a box: each is a path of edges from the first corner to the last (Kuhn 1960)."""
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
