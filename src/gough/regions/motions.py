"""How platforms go over boxes of poses along straight lines of their coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions._placing import WIDENED


class Motion(NamedTuple):
    """Of n boxes: poses X (n, 4, 4) at their centres, W (n, 3, 3) with w = W dz, half widths (n, 6), and bounds over
    each (n,): how far the region's point goes [m], how far the platform turns [rad], and the angular acceleration of
    straight lines [rad]. `about` (3,) is the point in the platform frame, `directions` (3, 3) has the axes of the
    positions' coordinates as columns."""

    X: Array
    W: Array
    half: Array
    shift: Array
    turn: Array
    bend: Array
    about: Array
    directions: Array

    def chosen(self, which: Bools | Ints) -> Motion:
        """Over some of the boxes."""
        X, W, half, shift, turn, bend = (array[which] for array in self[:6])
        return Motion(X, W, half, shift, turn, bend, self.about, self.directions)

    def arms(self, points_P: Array) -> Array:
        """Vectors (n, k, 3) from the region's point to points (k, 3) of the platform, in base axes."""
        return np.asarray((points_P - self.about) @ np.swapaxes(self.X[:, :3, :3], 1, 2))

    def speed(self, length: Array) -> Array:
        """How far points (k,) at these lengths from the region's point go (n, k) [m]."""
        return np.asarray((self.shift[:, None] + self.turn[:, None] * length) * WIDENED)

    def curvature(self, length: Array) -> Array:
        """The same for their second derivatives (n, k) [m]."""
        return np.asarray((self.bend + self.turn**2)[:, None] * length * WIDENED)

    def rows(self, direction: Array, moment: Array) -> Array:
        """Derivatives (n, k, 6) by the coordinates of what changes by direction . v + moment . w."""
        along = np.broadcast_to(direction @ self.directions, moment.shape)
        return np.concatenate([along, moment @ self.W], axis=-1)


class Expansion(NamedTuple):
    """Quantities (n, k) that grow with their margins: values, derivatives (n, k, 6) by the coordinates, bounds of minus
    their second derivatives, and how exactly they are computed."""

    value: Array
    slope: Array
    drop: Array
    error: Array
