"""Compiled check of pose matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, kernel

Array = NDArray[np.float64]


@inline
def departure(
    r00: float, r01: float, r02: float, r10: float, r11: float, r12: float, r20: float, r21: float, r22: float
) -> float:
    """How far a 3 x 3 matrix is from a rotation: its first two columns from unit length and a right angle, the third
    from their cross product. NaN for NaN."""
    off = abs(r00 * r00 + r10 * r10 + r20 * r20 - 1.0) + abs(r01 * r01 + r11 * r11 + r21 * r21 - 1.0)
    off += abs(r00 * r01 + r10 * r11 + r20 * r21) + abs(r10 * r21 - r20 * r11 - r02)
    return off + abs(r20 * r01 - r00 * r21 - r12) + abs(r00 * r11 - r10 * r01 - r22)


@inline
def is_broken(off: float, t0: float, t1: float, t2: float, X: Array, k: int, within: float) -> bool:
    """Whether X[k], whose rotation departs by `off` and whose position is t, is no rigid pose; NaN poses pass."""
    off += abs(X[k, 3, 0]) + abs(X[k, 3, 1]) + abs(X[k, 3, 2]) + abs(X[k, 3, 3] - 1.0)
    return off > within or abs(t0) + abs(t1) + abs(t2) == np.inf


@kernel
def first_not_rigid(X: Array, within: float) -> int:
    """Index of the first matrix of X (n, 4, 4) that is no rigid pose, -1 if there is none; NaN matrices pass."""
    for k in range(X.shape[0]):
        M = X[k]
        off = departure(M[0, 0], M[0, 1], M[0, 2], M[1, 0], M[1, 1], M[1, 2], M[2, 0], M[2, 1], M[2, 2])
        if is_broken(off, M[0, 3], M[1, 3], M[2, 3], X, k, within):
            return k
    return -1
