"""Batches of linear equations, NaN where singular."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

LOST = 1e-14
"""Singular values below this part of the largest, columns scaled to one, are rounding."""


def solve_or_nan(A: Array, b: Array) -> Array:
    """Solution x of A x = b with A (..., n, n) and b (..., n, k); NaN where A is singular or not finite."""
    size = np.abs(A).max(axis=-2, keepdims=True)
    regular = np.isfinite(A).all(axis=(-1, -2), keepdims=True) & (size > 0).all(axis=-1, keepdims=True)
    size = np.where(regular, size, 1.0)  # columns differ in unit; scaled, the singular values do not depend on it
    scaled = np.where(regular, A / size, np.eye(A.shape[-1]))
    values = np.linalg.svd(scaled, compute_uv=False)
    regular &= (values[..., -1] > LOST * values[..., 0])[..., None, None]
    x = np.linalg.solve(np.where(regular, scaled, np.eye(A.shape[-1])), b) / np.swapaxes(size, -1, -2)
    return np.where(regular, x, np.nan)
