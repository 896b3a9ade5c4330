"""Singular value decompositions of the values of matrices of Taylor models, and what the matrices depart from these,
compiled.

A matrix is (6, 6, NUMBERS), of rows as in `gough.regions._taylor`. Singular vectors are rows: A = sum of S_k U_k V_k at
the box's centre.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import NamedTuple

from gough._compile import inline, noinline_norefcount
from gough.arrays import Array
from gough.regions._taylor import NUMBERS, REMAINDER, ROUND, add_multiple, change, clear, combine, count_sums

SWEEPS, ORTHOGONAL = 20, 4e-15
"""Most sweeps of Jacobi's rotations; cosine of the angle between two columns at which they count as orthogonal."""


class Split(NamedTuple):
    """Singular vectors U, V (6, 6) and values S (6,) of the value of A, the smallest last; d (6, 6, NUMBERS), the
    columns of the difference of A from it, and as much scratch."""

    U: Array
    V: Array
    S: Array
    d: Array
    rows: Array


@inline
def split_of(square: Array, matrices: Array) -> Split:
    """Room for a decomposition in arrays (3, 6, 6) and (2, 6, 6, NUMBERS)."""
    return Split(square[0], square[1], square[2, 0], matrices[0], matrices[1])


@noinline_norefcount
def rotate_rows(A: Array, p: int, q: int, cosine: float, sine: float) -> None:
    """Rows p and q of A (6, 6) <- cosine p - sine q, sine p + cosine q."""
    for k in range(6):
        a, b = A[p, k], A[q, k]
        A[p, k], A[q, k] = cosine * a - sine * b, sine * a + cosine * b


@noinline_norefcount
def write_singular_vectors(A: Array, split: Split) -> bool:
    """Writes U, S and V of the values of A (6, 6, NUMBERS) by rotations of its columns (Hestenes 1958); whether they
    are known."""
    U, V, S = split.U, split.V, split.S
    for i in range(6):
        for j in range(6):
            U[j, i], V[j, i] = A[i, j, 0], 1.0 if i == j else 0.0
            if not isfinite(A[i, j, 0]):
                return False
    for sweep in range(SWEEPS):
        is_done = True
        for p in range(5):
            for q in range(p + 1, 6):
                a, b, c = 0.0, 0.0, 0.0
                for k in range(6):
                    a, b, c = a + U[p, k] * U[p, k], b + U[q, k] * U[q, k], c + U[p, k] * U[q, k]
                if abs(c) > ORTHOGONAL * sqrt(a * b):
                    is_done = False
                    z = (b - a) / (2.0 * c)
                    t = (1.0 if z >= 0.0 else -1.0) / (abs(z) + sqrt(1.0 + z * z))
                    cosine = 1.0 / sqrt(1.0 + t * t)
                    rotate_rows(U, p, q, cosine, t * cosine)
                    rotate_rows(V, p, q, cosine, t * cosine)
        if is_done:
            break
        if sweep == SWEEPS - 1:
            return False
    least = 0
    for k in range(6):
        S[k] = 0.0
        for i in range(6):
            S[k] += U[k, i] * U[k, i]
        S[k] = sqrt(S[k])
        least = k if S[k] < S[least] else least
        if S[k] == 0.0:
            return False
    S[least], S[5] = S[5], S[least]
    for i in range(6):
        U[least, i], U[5, i] = U[5, i], U[least, i]
        V[least, i], V[5, i] = V[5, i], V[least, i]
    for k in range(6):
        for i in range(6):
            U[k, i] /= S[k]
    return True


@noinline_norefcount
def write_difference(A: Array, split: Split) -> float:
    """Writes d: its value is zero, the error of the decomposition and its rounding join the remainder. Returns the
    largest singular value."""
    top = 0.0
    for k in range(6):
        top = max(top, split.S[k])
    for i in range(6):
        for j in range(6):
            d = split.d[j, i]
            for k in range(NUMBERS):
                d[k] = A[i, j, k]
            error = -d[0]
            for k in range(6):
                error += split.S[k] * split.U[k, i] * split.V[k, j]
            d[REMAINDER] += abs(error) + 12.0 * ROUND * (abs(d[0]) + top + change(d))
            d[0] = 0.0
    return top


@noinline_norefcount
def write_products(C: Array, d: Array, out: Array) -> None:
    """Write C d for matrices C (6, 6) and d (6, 6, NUMBERS), of which d is given by its columns."""
    for i in range(6):
        for j in range(6):
            combine(C[i], d[j], out[i, j])
            count_sums(out[i, j], 8.0)  # and of one more sum


@noinline_norefcount
def write_symmetric(split: Split, bound: float, Q: Array) -> None:
    """The decomposition of the symmetric part of Q A, less a bound times the identity; Q = V U^T, in scratch."""
    U, V, d, rows = split.U, split.V, split.d, split.rows
    for i in range(6):
        for j in range(6):
            Q[i, j] = 0.0
            for k in range(6):
                Q[i, j] += V[k, i] * U[k, j]
    write_products(Q, d, rows)
    for i in range(6):
        for j in range(6):
            clear(d[j, i])
            add_multiple(0.5, rows[i, j], d[j, i])
            add_multiple(0.5, rows[j, i], d[j, i])
            count_sums(d[j, i], 1.0)
    for k in range(6):
        split.S[k] -= bound
        for i in range(6):
            U[k, i] = V[k, i]


@noinline_norefcount
def write_pseudoinverse(split: Split, C: Array) -> None:
    """Write the pseudoinverse C (6, 6) of all but the least singular value."""
    for i in range(6):
        for j in range(6):
            C[i, j] = 0.0
            for k in range(5):
                C[i, j] += split.V[k, i] / max(split.S[k], 1e-300) * split.U[k, j]
