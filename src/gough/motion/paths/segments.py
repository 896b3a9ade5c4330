"""Segments: straight lines, arcs and helices, with the orientation turning evenly about one axis.

Over a segment's parameter tau from 0 to its length,

    p(tau) = c + v tau + exp([k] tau) r,  r across k        R(tau) = exp([w] tau) R0

A line has r = 0, an arc v = 0, a helix v along k. For a line this is what is called straight position with spherical
linear interpolation of the orientation (Shoemake 1985). Many segments are evaluated at once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Segments:
    """n segments.

    Attributes
    ----------
    c, v, k, r : (n, 3) array
        Centre [m], velocity of the centre [m], angular velocity of the radius [rad], and the radius [m], per parameter.
    R : (n, 3, 3) array
        Orientation at the begin.
    w : (n, 3) array
        Angular velocity of the orientation [rad per parameter], in the axes in which the path is described.
    length : (n,) array

    """

    c: Array
    v: Array
    k: Array
    r: Array
    R: Array
    w: Array
    length: Array

    def __len__(self) -> int:
        return len(self.length)

    def __getitem__(self, chosen: Ints | slice) -> Segments:
        return Segments(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def at(self, tau: Array) -> tuple[Array, Array, Array, Array, Array]:
        """p, R, and the derivatives v, w, a at parameters (n,), one for each segment; w stays."""
        radius = (turn(self.k, tau) @ self.r[:, :, None])[:, :, 0]
        v = np.cross(self.k, radius)
        a = np.cross(self.k, v)
        return self.c + self.v * tau[:, None] + radius, turn(self.w, tau) @ self.R, self.v + v, self.w, a

    @property
    def speed(self) -> Array:
        """Of the position (n,); it does not change along a segment."""
        return np.linalg.norm(self.v + np.cross(self.k, self.r), axis=1)

    @property
    def turning(self) -> Array:
        """Angular speed (n,)."""
        return np.linalg.norm(self.w, axis=1)

    @property
    def bending(self) -> Array:
        """Second derivative of the position (n,), its size."""
        return np.linalg.norm(np.cross(self.k, np.cross(self.k, self.r)), axis=1)


def together(segments: list[Segments]) -> Segments:
    """One after the other."""
    return Segments(*(np.concatenate([getattr(part, field.name) for part in segments]) for field in fields(Segments)))


def turn(w: Array, tau: Array) -> Array:
    """Rotations exp([w] tau), (n, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(w * tau[:, None]).as_matrix())


def turn_between(first: Array, second: Array) -> Array:
    """Rotation vectors (n, 3) [rad], in the outer axes, of the shortest turns from orientations to others (n, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(second @ np.swapaxes(first, -1, -2)).as_rotvec())
