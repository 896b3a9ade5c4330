"""Boxes of a region's six coordinates, and how far the platform moves over them, for pavings.

Along a straight line of coordinates, z(s) = c + s h, the angular velocity is at most |h| for a rotation vector. For
products of rotations the angular velocities add: with axes at an angle g, |h1 + h2|^2 = h1^2 + h2^2 + 2 cos(g) h1 h2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.charts import CONE, ROTVEC, rotations
from gough.regions.models import WIDER
from gough.regions.shapes import PoseRegion, group_norm


class Cells(NamedTuple):
    """Boxes: centres and half widths (n, 6) [m, rad]."""

    centre: Array
    half: Array

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, which: Bools | Ints | slice) -> Cells:
        """Some of the boxes."""
        return Cells(self.centre[which], self.half[which])


def joined(parts: Sequence[Cells]) -> Cells:
    """Boxes of several sets, one after the other."""
    return Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def meets(region: PoseRegion, cells: Cells) -> Bools:
    """Which boxes intersect the region (n,)."""
    away, found = np.abs(cells.centre - region.centre) - cells.half * WIDER, np.ones(len(cells), dtype=bool)
    for group in region.groups:
        cols = [k for k in group if region.half[k] > 0]
        found &= group_norm(np.maximum(away[:, cols], 0.0), region.half[cols]) <= WIDER
    return found


class Motion(NamedTuple):
    """Poses X (n, 4, 4) at the centres of boxes with half widths `half` (n, 6), and bounds (n,) of the displacement of
    the region's point [m] and of the platform's rotation [rad] from there to any place of the box."""

    X: Array
    half: Array
    shift: Array
    turn: Array
    region: PoseRegion

    @classmethod
    def over(cls, region: PoseRegion, cells: Cells) -> Motion:
        """Of boxes of a region."""
        half = cells.half * WIDER
        shift = np.linalg.norm(half[:, :3], axis=1)
        return cls(region.poses(cells.centre), half, shift, _turns(region, cells.centre[:, 3:], half[:, 3:]), region)

    def chosen(self, which: Bools | Ints) -> Motion:
        """The motion over some of the boxes."""
        X, half, shift, turn, region = self
        return Motion(X[which], half[which], shift[which], turn[which], region)

    def arms(self, points_P: Array) -> Array:
        """Vectors (n, k, 3) from the region's point to points (k, 3) of the platform, in base axes."""
        return np.asarray((points_P - self.region.about) @ np.swapaxes(self.X[:, :3, :3], 1, 2))

    def moved(self, length: Array) -> Array:
        """Bounds (n, k) of the displacements of points at distances (k,) from the region's point [m]."""
        return np.asarray((self.shift[:, None] + self.turn[:, None] * length) * WIDER)


def _turns(region: PoseRegion, z: Array, h: Array) -> Array:
    """Bounds (n,) of the rotation over boxes of orientations with centres and half widths (n, 3) [rad]."""
    if region.chart == ROTVEC:
        return np.linalg.norm(h, axis=1) * WIDER
    if region.chart == CONE:
        # The tilt's angular velocity is along the torsion's axis by no more than half of the tilt.
        first, third = np.linalg.norm(h[:, :2], axis=1), h[:, 2]
        cosine, across = np.linalg.norm(np.abs(z[:, :2]) + h[:, :2], axis=1) / 2, 0.0
    else:
        # The second axis is across the others; the middle angle turns the third towards the first.
        first, across, third = h.T
        axes = np.eye(3)[["xyz".index(letter) for letter in region.chart.lower()]]
        between = rotations("rotvec", region.axes, z[:, 1:2] * axes[1])
        cosine = np.abs(np.einsum("i,nij,j->n", axes[0], between, axes[2])) + across
    cosine = np.minimum(cosine, 1.0)
    return np.asarray(np.sqrt(first**2 + across**2 + third**2 + 2 * first * third * cosine) * WIDER)
