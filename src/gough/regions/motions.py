"""Displacement of the platform over boxes of poses, along straight lines of their coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.charts import WIDENED
from gough.regions.shapes import PoseRegion


class Motion(NamedTuple):
    """Poses X (n, 4, 4) at the centres (n, 6) of n boxes of a region, and bounds of the displacements over each.

    `W` (n, 3, 3) maps rates of the orientation's coordinates to angular velocities at the centres, w = W dz; `half`
    (n, 6) are the half widths. Along the straight line from the centre to any place of the box, in unit time, `shift`
    (n,) bounds the displacement of the region's point [m], `turn` the rotation of the platform, and its angular
    velocity [rad], `bend` its angular acceleration [rad].
    """

    X: Array
    W: Array
    half: Array
    shift: Array
    turn: Array
    bend: Array
    centre: Array
    region: PoseRegion

    @property
    def about(self) -> Array:
        """The region's point (3,) in the platform frame."""
        return self.region.about

    @property
    def directions(self) -> Array:
        """Axes (3, 3) of the positions' coordinates, as columns."""
        return self.region.directions

    def chosen(self, which: Bools | Ints) -> Motion:
        """The motion over some of the boxes."""
        X, W, half, shift, turn, bend, centre = (array[which] for array in self[:7])
        return Motion(X, W, half, shift, turn, bend, centre, self.region)

    def arms(self, points_P: Array) -> Array:
        """Vectors (n, k, 3) from the region's point to points (k, 3) of the platform, in base axes."""
        return np.asarray((points_P - self.about) @ np.swapaxes(self.X[:, :3, :3], 1, 2))

    def speed(self, length: Array) -> Array:
        """Bound (n, k) of the displacements, and speeds, of points at distances (k,) from the region's point [m]."""
        return np.asarray((self.shift[:, None] + self.turn[:, None] * length) * WIDENED)
