"""Compiled inverse kinematics."""

from __future__ import annotations

from gough._compile import kernel
from gough._rigid import departure, is_broken
from gough.arrays import Array
from gough.legs._leg_dispatch import inverse_six


@kernel
def inverse_batch(code: int, T: Array, X: Array, within: float, q: Array) -> int:
    """Joint coordinates q (n, 6) of poses X (n, 4, 4); the index of the first matrix that is no rigid pose, or -1.

    `within` bounds the departure of the rotation part from a rotation.
    """
    bad = -1
    for k in range(X.shape[0]):
        R = X[k, 0, 0], X[k, 0, 1], X[k, 0, 2], X[k, 1, 0], X[k, 1, 1], X[k, 1, 2], X[k, 2, 0], X[k, 2, 1], X[k, 2, 2]
        t = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
        if is_broken(departure(R), t, X, k, within) and bad < 0:
            bad = k
        inverse_six(code, T, R, t, q, k)
    return bad
