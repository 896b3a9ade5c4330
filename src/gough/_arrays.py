"""Compiled copies by loops: slice assignment has a shape-error path that takes Numba seconds to compile."""

from __future__ import annotations

from gough._compile import inline
from gough.arrays import Array


@inline
def copy(source: Array, target: Array) -> None:
    """Each element of `source` (n,) into `target`."""
    for k in range(source.shape[0]):
        target[k] = source[k]


@inline
def fill(target: Array, value: float) -> None:
    """`value` into each element of `target` (m, n)."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = value
