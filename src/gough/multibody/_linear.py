"""Compiled solution of small dense equations: no library call, no threads, which for sizes like these cost more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline_norefcount, kernel, noinline

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SINGULAR = 1e-14
"""A pivot below this part of the largest element says that the equations are singular to rounding."""


@noinline
def decompose(A: Array, order: Ints) -> bool:
    """L U of a square matrix in place, with row exchanges noted in `order`; False where it is singular to rounding."""
    n = A.shape[0]
    largest = 0.0
    for r in range(n):
        for c in range(n):
            largest = max(largest, abs(A[r, c]))
    for c in range(n):
        p = c
        for r in range(c + 1, n):
            if abs(A[r, c]) > abs(A[p, c]):
                p = r
        order[c] = p
        if not abs(A[p, c]) > SINGULAR * largest:
            return False
        if p != c:
            for k in range(n):
                A[c, k], A[p, k] = A[p, k], A[c, k]
        inverse = 1.0 / A[c, c]
        for r in range(c + 1, n):
            if A[r, c] != 0.0:
                A[r, c] *= inverse
                factor = A[r, c]
                for k in range(c + 1, n):
                    A[r, k] -= factor * A[c, k]
    return True


@inline_norefcount
def solve(A: Array, order: Ints, B: Array) -> None:
    """B <- A^-1 B, B (n, k), A as `decompose` left it."""
    n, width = B.shape
    for c in range(n):
        p = order[c]
        if p != c:
            for k in range(width):
                B[c, k], B[p, k] = B[p, k], B[c, k]
    for r in range(n):
        for c in range(r):
            factor = A[r, c]
            if factor != 0.0:
                for k in range(width):
                    B[r, k] -= factor * B[c, k]
    for r in range(n - 1, -1, -1):
        for c in range(r + 1, n):
            factor = A[r, c]
            if factor != 0.0:
                for k in range(width):
                    B[r, k] -= factor * B[c, k]
        inverse = 1.0 / A[r, r]
        for k in range(width):
            B[r, k] *= inverse


@inline_norefcount
def solve_transposed(A: Array, order: Ints, b: Array) -> None:
    """The same for one right side of the transposed equations: b <- A^-T b, b (n,)."""
    n = b.shape[0]
    for r in range(n):
        b[r] /= A[r, r]
        for c in range(r + 1, n):
            b[c] -= A[r, c] * b[r]
    for r in range(n - 1, -1, -1):
        for c in range(r):
            b[c] -= A[r, c] * b[r]
    for c in range(n - 1, -1, -1):
        p = order[c]
        if p != c:
            b[c], b[p] = b[p], b[c]


@inline_norefcount
def equilibrate(A: Array, rows: Array, columns: Array) -> None:
    """Scale rows, then columns, to a largest element of one, so that units do not feign or hide a lost rank."""
    n = A.shape[0]
    for r in range(n):
        largest = 0.0
        for c in range(n):
            largest = max(largest, abs(A[r, c]))
        rows[r] = 1.0 / largest if largest > 0.0 else 1.0
        for c in range(n):
            A[r, c] *= rows[r]
    for c in range(n):
        largest = 0.0
        for r in range(n):
            largest = max(largest, abs(A[r, c]))
        columns[c] = 1.0 / largest if largest > 0.0 else 1.0
        for r in range(n):
            A[r, c] *= columns[c]


@kernel
def solved(A: Array, b: Array) -> tuple[Array, bool]:
    """A^-1 b, b (n,), and whether A is regular; A is lost."""
    n = len(b)
    order, rows, columns = np.empty(n, np.int64), np.empty(n), np.empty(n)
    equilibrate(A, rows, columns)
    x = (rows * b).reshape(n, 1)
    if not decompose(A, order):
        return x[:, 0], False
    solve(A, order, x)
    return columns * x[:, 0], True
