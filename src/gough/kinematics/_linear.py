"""Compiled 6 x 6 linear algebra: elimination with partial pivoting on rows that carry their right sides."""

from __future__ import annotations

from gough._compile import inlined
from gough.legs.leg import Array


@inlined
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
