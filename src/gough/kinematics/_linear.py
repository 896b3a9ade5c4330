"""Compiled 6 x 6 linear algebra: elimination on rows that carry their right sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline
from gough.legs.leg import Array

Six = tuple[float, float, float, float, float, float]
Row = Six
Factors = tuple[Six, Six, Six, Six, Six, Six]


@inline
def eliminate(M: Array, columns: int) -> float:
    """Solve in place: M is (6, 6 + columns), a square matrix and its right sides, which become the solutions.

    Returns the determinant, 0 where the matrix is singular (the right sides are then of no use).
    """
    det = 1.0
    width = 6 + columns
    for c in range(6):
        pivot = c
        for r in range(c + 1, 6):
            if abs(M[r, c]) > abs(M[pivot, c]):
                pivot = r
        if M[pivot, c] == 0.0:
            return 0.0
        if pivot != c:
            det = -det
            for j in range(c, width):
                M[c, j], M[pivot, j] = M[pivot, j], M[c, j]
        det *= M[c, c]
        scale = 1.0 / M[c, c]
        for r in range(c + 1, 6):
            factor = M[r, c] * scale
            for j in range(c + 1, width):
                M[r, j] -= factor * M[c, j]
    for k in range(6, width):
        for c in range(5, -1, -1):
            total = M[c, k]
            for j in range(c + 1, 6):
                total -= M[c, j] * M[j, k]
            M[c, k] = total / M[c, c]
    return det


@inline
def minus(factor: float, a: Row, b: Row) -> Row:
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
    """Triangular factors of the matrix in rows 0-5 of E (one column per leg), without pivoting; its determinant.

    The legs are in pivot order beforehand (`pivot_order`), and whoever uses the answer checks what it leaves over.
    Reciprocals stand on the diagonal.
    """
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


@inline
def pivot_order(M: Array, order: NDArray[np.int64]) -> None:
    """The order in which elimination with partial pivoting would take the rows of M (6, 6), into `order`; M is lost."""
    for c in range(6):
        order[c] = c
    for c in range(6):
        pivot = c
        for r in range(c + 1, 6):
            if abs(M[r, c]) > abs(M[pivot, c]):
                pivot = r
        order[c], order[pivot] = order[pivot], order[c]
        for j in range(6):
            M[c, j], M[pivot, j] = M[pivot, j], M[c, j]
        if M[c, c] == 0.0:
            return
        for r in range(c + 1, 6):
            factor = M[r, c] / M[c, c]
            for j in range(c, 6):
                M[r, j] -= factor * M[c, j]
