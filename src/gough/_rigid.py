"""Compiled check that matrices are rigid poses."""

from __future__ import annotations

import numpy as np

from gough._compile import inline, kernel
from gough.arrays import Array

Three = tuple[float, float, float]
Nine = tuple[float, float, float, float, float, float, float, float, float]


@inline
def departure(R: Nine) -> float:
    """Departure of a 3 x 3 matrix, row by row, from a rotation: the summed errors of the first two columns' lengths and
    right angle, and of the third as their cross product. NaN for NaN."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = R
    off = abs(r00 * r00 + r10 * r10 + r20 * r20 - 1.0) + abs(r01 * r01 + r11 * r11 + r21 * r21 - 1.0)
    off += abs(r00 * r01 + r10 * r11 + r20 * r21) + abs(r10 * r21 - r20 * r11 - r02)
    return off + abs(r20 * r01 - r00 * r21 - r12) + abs(r00 * r11 - r10 * r01 - r22)


@inline
def is_broken(off: float, t: Three, X: Array, k: int, within: float) -> bool:
    """Whether X[k] is not a rigid pose, from the departure `off` of its rotation and its position t; poses with NaN in
    the rotation or position pass."""
    row = abs(X[k, 3, 0]) + abs(X[k, 3, 1]) + abs(X[k, 3, 2]) + abs(X[k, 3, 3] - 1.0)
    # A comparison with NaN is false: NaN in the last row alone is malformed, as no result would show it.
    is_off = off == off and not off + row <= within
    return is_off or abs(t[0]) + abs(t[1]) + abs(t[2]) == np.inf


@inline
def is_not_rigid(X: Array, k: int, within: float) -> bool:
    """Whether X[k] of X (n, 4, 4) is not a rigid pose; NaN matrices pass."""
    R = X[k, 0, 0], X[k, 0, 1], X[k, 0, 2], X[k, 1, 0], X[k, 1, 1], X[k, 1, 2], X[k, 2, 0], X[k, 2, 1], X[k, 2, 2]
    return is_broken(departure(R), (X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]), X, k, within)


@kernel
def first_not_rigid(X: Array, within: float) -> int:
    """Index of the first matrix of X (n, 4, 4) that is not a rigid pose, -1 if there is none."""
    for k in range(X.shape[0]):
        if is_not_rigid(X, k, within):
            return k
    return -1
