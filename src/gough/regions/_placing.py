"""Poses from their coordinates, compiled: many at once, as sampling needs them."""

from __future__ import annotations

from math import sin, sqrt

from gough._compile import kernel
from gough.arrays import Array


@kernel
def place_poses(turns: Array, places: Array, reference: Array, about: Array, X: Array) -> None:
    """Poses X (n, 4, 4) whose point `about` is at `places` (n, 3), turned from the reference by products of rotations.

    `turns` (n, k, 3) are rotation vectors, the last applied first: R = exp(t_1) ... exp(t_k) R_ref.
    """
    for i in range(X.shape[0]):
        for row in range(3):
            for column in range(3):
                X[i, row, column] = reference[row, column]
        for j in range(turns.shape[1] - 1, -1, -1):
            x, y, z = turns[i, j, 0], turns[i, j, 1], turns[i, j, 2]
            angle = sqrt(x * x + y * y + z * z)
            first = sin(angle) / angle if angle > 0.0 else 1.0
            half = sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0
            second = 0.5 * half * half
            for column in range(3):  # v + a t x v + b t x (t x v) (Rodrigues)
                u, v, w = X[i, 0, column], X[i, 1, column], X[i, 2, column]
                p, q, r = y * w - z * v, z * u - x * w, x * v - y * u
                X[i, 0, column] = u + first * p + second * (y * r - z * q)
                X[i, 1, column] = v + first * q + second * (z * p - x * r)
                X[i, 2, column] = w + first * r + second * (x * q - y * p)
        for row in range(3):
            X[i, row, 3] = places[i, row]
            for column in range(3):
                X[i, row, 3] -= X[i, row, column] * about[column]
            X[i, 3, row] = 0.0
        X[i, 3, 3] = 1.0
