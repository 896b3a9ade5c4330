"""Quaternions (x, y, z, w) over time: kept on one side, and their derivatives as angular velocity and acceleration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def on_one_side(q: Array) -> Array:
    """Quaternions (k, 4) of the same rotations, each on the side of the one before: no jumps from q to -q."""
    turns = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    turns[turns == 0] = 1.0
    return np.asarray(q * np.concatenate([[1.0], np.cumprod(turns)])[:, None])


def product(a: Array, b: Array) -> Array:
    """Hamilton's product (..., 4): of unit quaternions the rotation b, then a."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def rates(q: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration (..., 3) in the fixed axes from q (..., 4), of any length, and its derivatives.

    With s = q' q^-1 the vector part of 2 s is the angular velocity, of 2 (q'' q^-1 - s s) the acceleration; a length
    that changes shows in the scalar parts alone.
    """
    inverse = q * [-1.0, -1.0, -1.0, 1.0] / np.sum(q * q, axis=-1, keepdims=True)
    s = product(first, inverse)
    return 2 * s[..., :3], 2 * (product(second, inverse) - product(s, s))[..., :3]
