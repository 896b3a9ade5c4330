"""Compiled linear algebra for small dense systems, without library calls and threads, which cost more at these sizes.

- `first_not_rigid`, `departure`: check that matrices are rigid poses;
- `eliminate`: Gaussian elimination with partial pivoting, size known at compile time;
- `factored`, `substituted`: LU of 6 x 6 without pivoting, in registers, and its solutions;
- `decompose`, `solve`, `solve_transposed`: LU with partial pivoting, size known at run time;
- `cholesky_solve`: symmetric positive definite matrices.

`copy` and `fill` are loops because the shape-error path of an assigned slice takes Numba seconds to compile.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import inline, inline_norefcount, kernel, noinline
from gough.arrays import Array, Ints, Nine, Six, Three

Factors = tuple[Six, Six, Six, Six, Six, Six]

ORTHONORMAL_WITHIN = 1e-6
"""Largest departure from a rotation matrix that is accepted: matrices in single precision pass."""
SINGULAR = 1e-14
"""`decompose`: smallest pivot of a regular matrix, as part of its largest element."""
ROUNDED = 1e-13
"""`cholesky_solve`: largest pivot of a singular matrix, which rounding leaves, as part of its diagonal element."""


@inline
def departure(R: Nine) -> float:
    """Departure of a 3 x 3 matrix, row by row, from a rotation: the summed errors of the first two columns' lengths and
    right angle, and of the third as their cross product. NaN for NaN."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = R
    off = abs(r00 * r00 + r10 * r10 + r20 * r20 - 1.0) + abs(r01 * r01 + r11 * r11 + r21 * r21 - 1.0)
    off += abs(r00 * r01 + r10 * r11 + r20 * r21) + abs(r10 * r21 - r20 * r11 - r02)
    return off + abs(r20 * r01 - r00 * r21 - r12) + abs(r00 * r11 - r10 * r01 - r22)


@inline
def is_broken(off: float, t: Three, X: Array, k: int) -> bool:
    """Whether X[k] is not a rigid pose, from the departure `off` of its rotation and its position t; poses with NaN in
    the rotation or position pass."""
    row = abs(X[k, 3, 0]) + abs(X[k, 3, 1]) + abs(X[k, 3, 2]) + abs(X[k, 3, 3] - 1.0)
    # A comparison with NaN is false: NaN in the last row alone is malformed, as no result would show it.
    is_off = off == off and not off + row <= ORTHONORMAL_WITHIN
    return is_off or abs(t[0]) + abs(t[1]) + abs(t[2]) == np.inf


@inline
def is_not_rigid(X: Array, k: int) -> bool:
    """Whether X[k] of X (n, 4, 4) is not a rigid pose; NaN matrices pass."""
    R = X[k, 0, 0], X[k, 0, 1], X[k, 0, 2], X[k, 1, 0], X[k, 1, 1], X[k, 1, 2], X[k, 2, 0], X[k, 2, 1], X[k, 2, 2]
    return is_broken(departure(R), (X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]), X, k)


@kernel
def first_not_rigid(X: Array) -> int:
    """Index of the first matrix of X (n, 4, 4) that is not a rigid pose, -1 if there is none."""
    for k in range(X.shape[0]):
        if is_not_rigid(X, k):
            return k
    return -1


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


@inline
def eliminate(M: Array, size: int, columns: int) -> float:
    """Gaussian elimination with partial pivoting, in place: M is (size, size + columns).

    The right sides become the solutions, the diagonal the reciprocals of the pivots. Returns the determinant, 0 where
    the matrix is singular; the solutions and the other diagonal elements are then undefined. Callers pass `size` as a
    constant, so that loops unroll.
    """
    det = 1.0
    width = size + columns
    for c in range(size):
        pivot, largest = c, abs(M[c, c])
        for r in range(c + 1, size):
            if abs(M[r, c]) > largest:
                pivot, largest = r, abs(M[r, c])
        if largest == 0.0:
            return 0.0
        if pivot != c:
            det = -det
            for j in range(c, width):
                M[c, j], M[pivot, j] = M[pivot, j], M[c, j]
        det *= M[c, c]
        scale = 1.0 / M[c, c]
        M[c, c] = scale  # the pivot itself is not needed again
        for r in range(c + 1, size):
            factor = M[r, c] * scale
            for j in range(c + 1, width):
                M[r, j] -= factor * M[c, j]
    for k in range(size, width):
        for c in range(size - 1, -1, -1):
            total = M[c, k]
            for j in range(c + 1, size):
                total -= M[c, j] * M[j, k]
            M[c, k] = total * M[c, c]
    return det


@inline
def minus(factor: float, a: Six, b: Six) -> Six:
    """Row b - factor a."""
    return (
        b[0] - factor * a[0],
        b[1] - factor * a[1],
        b[2] - factor * a[2],
        b[3] - factor * a[3],
        b[4] - factor * a[4],
        b[5] - factor * a[5],
    )


@inline
def factored(E: Array) -> tuple[Factors, float]:
    """Triangular factors of the matrix in rows 0-5 of E (one column per leg), without pivoting, and its determinant.

    Rows are in the `pivot_order` of a nearby matrix; a solution's residual shows whether that order still serves.
    Reciprocals of the pivots are on the diagonal.
    """
    # Row i of the matrix is column i of E: a to f are the rows, p the reciprocal pivots, b0 to f4 the factors of L.
    a = E[0, 0], E[1, 0], E[2, 0], E[3, 0], E[4, 0], E[5, 0]
    b = E[0, 1], E[1, 1], E[2, 1], E[3, 1], E[4, 1], E[5, 1]
    c = E[0, 2], E[1, 2], E[2, 2], E[3, 2], E[4, 2], E[5, 2]
    d = E[0, 3], E[1, 3], E[2, 3], E[3, 3], E[4, 3], E[5, 3]
    e = E[0, 4], E[1, 4], E[2, 4], E[3, 4], E[4, 4], E[5, 4]
    f = E[0, 5], E[1, 5], E[2, 5], E[3, 5], E[4, 5], E[5, 5]
    p0 = 1.0 / a[0]
    b0, c0, d0, e0, f0 = p0 * b[0], p0 * c[0], p0 * d[0], p0 * e[0], p0 * f[0]
    b, c, d, e, f = minus(b0, a, b), minus(c0, a, c), minus(d0, a, d), minus(e0, a, e), minus(f0, a, f)
    p1 = 1.0 / b[1]
    c1, d1, e1, f1 = p1 * c[1], p1 * d[1], p1 * e[1], p1 * f[1]
    c, d, e, f = minus(c1, b, c), minus(d1, b, d), minus(e1, b, e), minus(f1, b, f)
    p2 = 1.0 / c[2]
    d2, e2, f2 = p2 * d[2], p2 * e[2], p2 * f[2]
    d, e, f = minus(d2, c, d), minus(e2, c, e), minus(f2, c, f)
    p3 = 1.0 / d[3]
    e3, f3 = p3 * e[3], p3 * f[3]
    e, f = minus(e3, d, e), minus(f3, d, f)
    p4 = 1.0 / e[4]
    f4 = p4 * f[4]
    f = minus(f4, e, f)
    det = a[0] * b[1] * c[2] * d[3] * e[4] * f[5]
    return (
        (p0, a[1], a[2], a[3], a[4], a[5]),
        (b0, p1, b[2], b[3], b[4], b[5]),
        (c0, c1, p2, c[3], c[4], c[5]),
        (d0, d1, d2, p3, d[4], d[5]),
        (e0, e1, e2, e3, p4, e[5]),
        (f0, f1, f2, f3, f4, 1.0 / f[5]),
    ), det


@inline
def substituted(factors: Factors, E: Array) -> Six:
    """Solution for the right sides in row 6 of E."""
    a, b, c, d, e, f = factors
    # L y = b, then U x = y.
    y0 = E[6, 0]
    y1 = E[6, 1] - b[0] * y0
    y2 = E[6, 2] - c[0] * y0 - c[1] * y1
    y3 = E[6, 3] - d[0] * y0 - d[1] * y1 - d[2] * y2
    y4 = E[6, 4] - e[0] * y0 - e[1] * y1 - e[2] * y2 - e[3] * y3
    y5 = E[6, 5] - f[0] * y0 - f[1] * y1 - f[2] * y2 - f[3] * y3 - f[4] * y4
    x5 = y5 * f[5]
    x4 = (y4 - e[5] * x5) * e[4]
    x3 = (y3 - d[4] * x4 - d[5] * x5) * d[3]
    x2 = (y2 - c[3] * x3 - c[4] * x4 - c[5] * x5) * c[2]
    x1 = (y1 - b[2] * x2 - b[3] * x3 - b[4] * x4 - b[5] * x5) * b[1]
    x0 = (y0 - a[1] * x1 - a[2] * x2 - a[3] * x3 - a[4] * x4 - a[5] * x5) * a[0]
    return x0, x1, x2, x3, x4, x5


@noinline
def decompose(A: Array, order: Ints) -> bool:
    """LU of a square matrix in place, row exchanges into `order`; False where it is singular to rounding."""
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
        if not abs(A[p, c]) > SINGULAR * largest:  # `not >` catches NaN too
            return False
        if p != c:
            for k in range(n):
                A[c, k], A[p, k] = A[p, k], A[c, k]
        inverse = 1.0 / A[c, c]
        for r in range(c + 1, n):
            if A[r, c] != 0.0:  # matrices of multibody systems are sparse
                A[r, c] *= inverse
                factor = A[r, c]
                for k in range(c + 1, n):
                    A[r, k] -= factor * A[c, k]
    return True


@inline
def pivot_order(A: Array, order: Ints) -> None:
    """Order of the rows of A (n, n) under elimination with partial pivoting, into `order`; A is overwritten."""
    exchanges = np.arange(len(order))
    decompose(A, exchanges)
    for c in range(len(order)):
        order[c] = c
    for c in range(len(order)):
        p = exchanges[c]
        order[c], order[p] = order[p], order[c]


@inline_norefcount
def solve(A: Array, order: Ints, B: Array) -> None:
    """Replace B (n, k) by A^-1 B, by the factors in A from `decompose`."""
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
    """Replace b (n,) by A^-T b, by the factors in A from `decompose`: (P^T L U)^T = U^T L^T P."""
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
    """Scale rows, then columns, to a largest element of one, so that the choice of units does not change the rank."""
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
    """A^-1 b with b (n,), and whether A is regular; A is overwritten."""
    n = len(b)
    order, rows, columns = np.empty(n, np.int64), np.empty(n), np.empty(n)
    equilibrate(A, rows, columns)
    x = (rows * b).reshape(n, 1)
    if not decompose(A, order):
        return x[:, 0], False
    solve(A, order, x)
    return columns * x[:, 0], True


@inline_norefcount
def cholesky_solve(M: Array, x: Array, size: int) -> None:
    """Replace x by M^-1 x for symmetric M of `size` rows; NaN unless M is positive definite.

    M is given by its upper triangle, which is overwritten. Callers pass `size` as a constant.
    """
    # M = U^T U, with the reciprocals of U's diagonal on the diagonal.
    for j in range(size):
        least = ROUNDED * M[j, j]
        for k in range(j):
            M[j, j] -= M[k, j] * M[k, j]
        scale = 1.0 / sqrt(M[j, j]) if M[j, j] > least else np.nan
        M[j, j] = scale
        for c in range(j + 1, size):
            for k in range(j):
                M[j, c] -= M[k, j] * M[k, c]
            M[j, c] *= scale
    for j in range(size):
        for k in range(j):
            x[j] -= M[k, j] * x[k]
        x[j] *= M[j, j]
    # U^T y = x is solved above, U x = y below.
    for j in range(size - 1, -1, -1):
        for k in range(j + 1, size):
            x[j] -= M[j, k] * x[k]
        x[j] *= M[j, j]
