"""Levels of limits over a cone of orientations: the smallest of each limit at any of its samples.

Few of the samples are the worst of some limit about a point. A grid is searched at all of them, a point between its
nodes only at those that are the worst of a limit which is violated at a node near it, and at those between them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints
from gough.workspaces.levels import CHUNK, Axes, Levels
from gough.workspaces.orientation_cone import OrientationCone

BESIDE = 0.3
"""Distance of samples that are neighbours on a ring, at most, as a part of the cone's tilt."""


def cone_levels(levels_at: Callable[[Array, Array], Array], cone: OrientationCone, axes: Axes) -> Levels:
    """Levels over a cone in a grid, from those at rotations and points (`gough.workspaces.levels.levels_of`)."""
    rotations = cone.rotations(cone.samples())
    counted = _counted(levels_at, rotations, axes)
    # The worst sample turns from node to node: those between two that count do too.
    counted |= counted.astype(np.float32) @ _beside(cone) >= 2
    shape = tuple(len(axis) for axis in axes)
    middles = [0.5 * (axis[1:] + axis[:-1]) for axis in axes]

    def near(points: Array) -> Bools:
        node = tuple(np.searchsorted(middle, points[:, k]) for k, middle in enumerate(middles))
        return np.asarray(counted[np.ravel_multi_index(node, shape)])

    return Levels(levels_at, rotations, near)


def _beside(cone: OrientationCone) -> NDArray[np.float32]:
    """1 where samples are neighbours on a ring (m, m), else 0."""
    places = cone.samples() / [cone.tilt or 1.0, cone.tilt or 1.0, cone.roll or 1.0]
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    return ((distances > 0) & (distances < BESIDE)).astype(np.float32)


def _counted(levels_at: Callable[[Array, Array], Array], rotations: Array, axes: Axes) -> Bools:
    """Which rotations count about each node (n, m): the worst of each limit that is violated at it or next to it."""
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    counted = np.zeros((len(nodes), len(rotations)), dtype=bool)
    for k in range(0, len(nodes), CHUNK):
        worst, is_violated = _worst(levels_at, rotations, nodes[k : k + CHUNK])
        node, limit = np.nonzero(is_violated)
        counted[k + node, worst[node, limit]] = True
    near = counted.reshape(*(len(axis) for axis in axes), -1)
    for axis in range(3):
        before = np.moveaxis(near.copy(), axis, 0)
        after = np.moveaxis(near, axis, 0)
        after[1:] |= before[:-1]
        after[:-1] |= before[1:]
    counted[~counted.any(axis=1), -1] = True  # deep inside any of them does
    return counted


def _worst(levels_at: Callable[[Array, Array], Array], rotations: Array, points: Array) -> tuple[Ints, Bools]:
    """Which rotation has the smallest level of each limit at points (n, k), and whether that is negative (n, k)."""
    smallest = levels_at(rotations[0], points)
    worst = np.zeros(smallest.shape, dtype=np.int64)
    for k, R in enumerate(rotations[1:], 1):
        found = levels_at(R, points)
        is_less = (found < smallest) | np.isnan(smallest)  # NaN where a leg cannot close: not the worst of its limits
        worst[is_less] = k
        smallest[is_less] = found[is_less]
    return worst, np.asarray(smallest < 0)
