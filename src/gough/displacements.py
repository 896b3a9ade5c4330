"""Rotation vectors, and displacements of a body about one of its points.

A displacement d (..., 6) shifts a point of the body by d[:3] [m] and turns the body about it by the rotation vector
d[3:] [rad], both in the axes of the frame in which the body's poses are given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array

ORIGIN = np.zeros(3)


def rotations(vectors: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3) [rad]."""
    from scipy.spatial.transform import Rotation

    w = np.asarray(vectors, dtype=float)
    return np.asarray(Rotation.from_rotvec(w.reshape(-1, 3)).as_matrix().reshape(*w.shape, 3))


def rotation_vectors(R: Array) -> Array:
    """Rotation vectors (..., 3) [rad], no longer than pi, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R.reshape(-1, 3, 3)).as_rotvec().reshape(R.shape[:-1]))


def displaced(X: Array, d: Array, point: Array = ORIGIN) -> Array:
    """Poses (..., 4, 4) after displacements d (..., 6) about a point (3,) of the body."""
    R = rotations(d[..., 3:]) @ X[..., :3, :3]
    moved = np.zeros((*R.shape[:-2], 4, 4))
    moved[..., :3, :3], moved[..., 3, 3] = R, 1.0
    # The point goes from R_X point + p_X to d[:3] further; the origin follows with the new rotation.
    moved[..., :3, 3] = X[..., :3, :3] @ point + X[..., :3, 3] + d[..., :3] - R @ point
    return moved


def displacement(start: Array, end: Array, point: Array = ORIGIN) -> Array:
    """Displacements (..., 6) about a point (3,) of the body from poses `start` to poses `end` (..., 4, 4)."""
    turn = rotation_vectors(end[..., :3, :3] @ np.swapaxes(start[..., :3, :3], -1, -2))
    shift = (end[..., :3, :3] - start[..., :3, :3]) @ point + end[..., :3, 3] - start[..., :3, 3]
    return np.concatenate([shift, turn], axis=-1)
