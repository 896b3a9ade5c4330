"""Directions spread evenly over the sphere, with the triangles between them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.checks.numbers import check_count


class Sphere(NamedTuple):
    """Unit vectors (n, 3) and the triangles between them (m, 3), counterclockwise as seen from outside.

    The vectors of the next coarser sphere come first.
    """

    directions: Array
    faces: Ints


@cache
def icosphere(level: int) -> Sphere:
    """An icosahedron whose triangles are divided into four, `level` times: 10 * 4^level + 2 directions."""
    if level == 0:
        return _icosahedron()
    check_count("directions", 10, 4**level)
    directions, faces = icosphere(level - 1)
    # The middle of every edge becomes a direction; each triangle is replaced by three at its corners and one inside.
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, place = np.unique(edges, axis=0, return_inverse=True)
    middles = directions[unique].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    ab, bc, ca = (len(directions) + place.reshape(-1, 3)).T
    a, b, c = faces.T
    cut = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
    return Sphere(np.concatenate([directions, middles]), np.moveaxis(cut, 1, 2).reshape(-1, 3))


def _icosahedron() -> Sphere:
    from scipy.spatial import ConvexHull

    # Corners of an icosahedron: cyclic permutations of (0, +-1, +-golden ratio).
    golden = (1 + np.sqrt(5)) / 2
    pairs = np.array([(a, b) for a in (-1.0, 1.0) for b in (-golden, golden)])
    zero = np.zeros(len(pairs))
    corners = np.concatenate([np.roll(np.column_stack([zero, pairs]), k, axis=1) for k in range(3)])
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    faces = np.asarray(ConvexHull(corners).simplices, dtype=np.int64)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    # Qhull does not orient its faces.
    inward = np.einsum("ij,ij->i", a, np.cross(b, c)) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Sphere(corners, faces)
