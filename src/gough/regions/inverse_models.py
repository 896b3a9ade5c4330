"""Inverses of matrices of Taylor models (`gough.regions.taylor`)."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.regions._taylor import ROUND
from gough.regions.taylor import Model

POWERS, LEAST = 4, 1e-3
"""Power iterations with |M| for a vector that shows how small it is; growth that each component gets at least, as a
part of the largest."""


def inverse(A: Model, scale: Array) -> Model:
    """Inverses (n, k, k) of matrices; `scale` (k,) has the sizes of the inverses' rows.

    With T the computed inverse of the value and M = T A - 1, A^-1 = (1 + M)^-1 T = T - M T + M^2 T - ... Where |M| v <=
    c v for some v > 0 and c < 1, the terms that are dropped are bounded by a geometric series; otherwise nothing is
    known.
    """
    n, k = A.value.shape[:2]
    known = np.asarray(np.isfinite(A.value).all(axis=(1, 2)))
    values = np.where(known[:, None, None], A.value, np.eye(k))
    sigma = np.linalg.svd(values, compute_uv=False)
    known &= sigma[:, -1] > ROUND * sigma[:, 0]  # so that elimination meets no zero pivot
    values[~known] = np.eye(k)
    T = np.linalg.inv(values)
    size = np.abs(T)
    # M as a model: T A's gradient and Hessian; its value is zero but for the error of T, which joins the remainder.
    first = (T @ A.gradient.reshape(n, k, -1)).reshape(A.gradient.shape)
    second = (T @ A.hessian.reshape(n, k, -1)).reshape(A.hessian.shape)
    remainder = size @ (A.remainder + 2 * k * ROUND * A.size) + np.abs(T @ values - np.eye(k))
    M = Model(np.zeros_like(T), first, second, remainder, A.half)
    gradient, hessian = (_times(part, T) for part in (first, second.reshape(n, k, k, -1)))  # of M T
    squared = np.moveaxis(first, 3, 2).reshape(n, -1, k) @ gradient.reshape(n, k, -1)  # (row, a) by (column, b)
    squared = np.moveaxis(squared.reshape(n, k, 6, k, 6), 2, 3)
    hessian = squared + np.swapaxes(squared, -1, -2) - hessian.reshape(A.hessian.shape)
    twice = Model(
        T, gradient, squared + np.swapaxes(squared, -1, -2), np.zeros_like(T), A.half
    ).nonlinear_variation  # of M M T, linear M
    twice = twice + M.linear_variation @ (M.nonlinear_variation @ size) + M.nonlinear_variation @ (M.change @ size)
    dropped = M.change @ twice  # |M^3 T|, the first term after the quadratic part
    v = np.repeat(scale[None, :, None], n, axis=0)
    for _ in range(POWERS):
        v = M.change @ v + LEAST * v * (M.change @ v / v).max(axis=1, keepdims=True)
    part = (M.change @ v / v).max(axis=(1, 2))  # c (Collatz 1942)
    part = np.where(known & (part < 1), part, np.nan)
    series = v * (dropped / v).max(axis=1, keepdims=True) * (part / (1 - part))[:, None, None]
    remainder = (
        M.remainder @ size
        + M.linear_variation @ (M.nonlinear_variation @ size)
        + M.nonlinear_variation @ (M.change @ size)
        + dropped
        + series
    )
    rounded = 4 * k * ROUND * (size + M.change @ size + twice)
    return Model(T, -gradient, hessian, (remainder + rounded) * (1 + 64 * ROUND), A.half)


def _times(parts: Array, T: Array) -> Array:
    """Products (n, k, k, m) of matrices (n, k, k, m), by their last index, with T (n, k, k)."""
    return np.moveaxis(np.moveaxis(parts, 3, 1) @ T[:, None], 1, 3)
