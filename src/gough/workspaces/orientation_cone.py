"""Cones of orientations, bounded by a largest tilt and a largest roll."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array
from gough.displacements import rotations

RIM = 24
"""Samples around the rim of the cone."""
RINGS = 3
"""Rings of samples around the axis, the rim included."""


@dataclass(frozen=True, eq=False)
class OrientationCone:
    """Orientations of the platform turned by up to `roll` about its own z axis, then tilted by up to `tilt` [rad].

    With the platform's z axis n at the reference R, in base axes, and any unit vector a perpendicular to it:
    R(u, v, r) = exp(u a + v (n x a)) exp(r n) R with u^2 + v^2 <= tilt^2 and |r| <= roll: tilt and torsion
    (Bonev and Ryu 2001, A new approach to orientation workspace analysis of 6-DOF parallel manipulators).
    """

    tilt: float
    roll: float
    R: Array

    def rotations(self, places: Array) -> Array:
        """Rotation matrices (..., 3, 3) at places (..., 3) of the cone: u, v and r [rad]."""
        tilts = rotations(places[..., :2] @ self._across)
        if self.roll == 0:
            return tilts @ self.R
        return tilts @ rotations(places[..., 2:] * self.R[:, 2]) @ self.R

    @cached_property
    def _across(self) -> Array:
        """Rows (2, 3): a and n x a."""
        n = self.R[:, 2]
        across = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        across /= np.linalg.norm(across)
        return np.stack([across, np.cross(n, across)])

    def kept(self, places: Array) -> Array:
        """Projection of places (..., 3) onto the cone."""
        size = np.linalg.norm(places[..., :2], axis=-1, keepdims=True)
        inside = places[..., :2] * np.minimum(1.0, self.tilt / np.maximum(size, 1e-300))
        return np.concatenate([inside, np.clip(places[..., 2:], -self.roll, self.roll)], axis=-1)

    def samples(self) -> Array:
        """Places (k, 3) spread over the cone, those on the rim first."""
        tilts = [np.zeros((1, 2))]
        for ring in range(1, RINGS + 1 if self.tilt > 0 else 1):
            angle = np.arange(RIM * ring // RINGS) * 2 * np.pi / (RIM * ring // RINGS)
            tilts.insert(0, self.tilt * ring / RINGS * np.column_stack([np.cos(angle), np.sin(angle)]))
        rolls = [0.0] if self.roll == 0 else [-self.roll, self.roll, -self.roll / 2, self.roll / 2, 0.0]
        return np.array([(*tilt, roll) for part in tilts for roll in rolls for tilt in part])

    @property
    def spacing(self) -> Array:
        """Largest distance between neighbouring samples, along u, v and r (3,) [rad]."""
        return np.array([self.tilt / RINGS, self.tilt / RINGS, self.roll / 2])
