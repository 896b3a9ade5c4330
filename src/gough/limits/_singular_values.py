"""Compiled: smallest singular values of 6 x 6 matrices, several at once, to rounding times their condition numbers.

Each is one over the largest singular value of the inverse, which squaring does not rob of digits. The inverse is that
of the triangular factor of Householder's QR, which needs no pivots; the largest eigenvalue of its square comes from
Householder's tridiagonal form (Wilkinson and Reinsch 1971, contribution II/2: tred1) and Laguerre's iteration on its
characteristic polynomial (Wilkinson 1965, chapter 7).

Matrices lie side by side: the last axis of every array counts them and every inner loop runs along it, without
branches, so that the processor works on several at a time.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, noinline_norefcount
from gough.arrays import Array

SIX = 6
Minors = tuple[float, float, float, float, float, float]
"""A leading minor of x I - matrix, its first and half its second derivative in x, and the same of the minor before."""
MOST_STEPS = 200
"""Upper limit of Laguerre iterations; about six are needed."""
LARGEST = 1e300
"""Sum of squares of an inverse beyond which the singular value counts as zero."""


class Matrices(NamedTuple):
    """n matrices A (6, 6, n), their smallest singular values (n,) with the signs of their determinants, and scratch: a
    triangle T and a square S (6, 6, n), diagonals d and subdiagonals e (6, n), and four rows (n,)."""

    A: Array
    smallest: Array
    T: Array
    S: Array
    d: Array
    e: Array
    trace: Array
    first: Array
    second: Array
    third: Array


@inline
def new_matrices(n: int) -> Matrices:
    """Arrays for n matrices, all of them zero."""
    return Matrices(
        np.zeros((SIX, SIX, n)),
        np.empty(n),
        np.empty((SIX, SIX, n)),
        np.empty((SIX, SIX, n)),
        np.empty((SIX, n)),
        np.empty((SIX, n)),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
    )


@inline
def sign_of(x: float) -> float:
    """1, -1 or 0; NaN of NaN."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 * x


@inline_norefcount
def triangular(matrices: Matrices, n: int, sign: Array, rest: Array, scale: Array) -> None:
    """A becomes the triangle R of A = Q R, its diagonal in d; `sign` (n,) gets the sign of the determinant."""
    A, d = matrices.A, matrices.d
    for c in range(SIX - 1):
        for k in range(n):
            rest[k] = 0.0
        for i in range(c + 1, SIX):
            for k in range(n):
                rest[k] += A[i, c, k] * A[i, c, k]
        for k in range(n):
            first = A[c, c, k]
            norm = sqrt(rest[k] + first * first)
            d[c, k] = -norm if first > 0.0 else norm  # the sign that cancels no digits in `head`
            head = first - d[c, k]
            A[c, c, k] = head
            scale[k] = 2.0 / (rest[k] + head * head) if norm > 0.0 else 0.0
        for j in range(c + 1, SIX):
            for k in range(n):
                rest[k] = 0.0
            for i in range(c, SIX):
                for k in range(n):
                    rest[k] += A[i, c, k] * A[i, j, k]
            for i in range(c, SIX):
                for k in range(n):
                    A[i, j, k] -= scale[k] * rest[k] * A[i, c, k]
    for k in range(n):
        d[SIX - 1, k] = A[SIX - 1, SIX - 1, k]
        sign[k] = -1.0  # det Q of five reflections
    for c in range(SIX):
        for k in range(n):
            sign[k] *= sign_of(d[c, k])


@inline_norefcount
def inverse_square(matrices: Matrices, n: int, trace: Array, scale: Array) -> None:
    """S = T^T T over its trace, which goes into `trace` (n,), with T = R^-1; `scale` (n,) is scratch."""
    A, T, S, d = matrices.A, matrices.T, matrices.S, matrices.d
    for k in range(n):
        trace[k] = 0.0
    # R T = I by back substitution, row by row from the last.
    for i in range(SIX - 1, -1, -1):
        for k in range(n):
            scale[k] = 1.0 / d[i, k] if d[i, k] != 0.0 else 0.0
            T[i, i, k] = scale[k]
            trace[k] += scale[k] * scale[k]
        for j in range(i + 1, SIX):
            for k in range(n):
                T[i, j, k] = 0.0
            for r in range(i + 1, j + 1):
                for k in range(n):
                    T[i, j, k] -= A[i, r, k] * T[r, j, k]
            for k in range(n):
                T[i, j, k] *= scale[k]
                trace[k] += T[i, j, k] * T[i, j, k]
    # The square's trace becomes one, so that no element overflows.
    for k in range(n):
        scale[k] = 1.0 / sqrt(trace[k]) if 0.0 < trace[k] < LARGEST else 0.0
    for i in range(SIX):
        for j in range(i, SIX):
            for k in range(n):
                T[i, j, k] *= scale[k]
    for i in range(SIX):
        for j in range(i + 1):
            for k in range(n):
                S[i, j, k] = 0.0
            for r in range(j + 1):
                for k in range(n):
                    S[i, j, k] += T[r, i, k] * T[r, j, k]
            for k in range(n):
                S[j, i, k] = S[i, j, k]


@inline_norefcount
def tridiagonal(matrices: Matrices, n: int, rest: Array, scale: Array, weight: Array) -> None:
    """Diagonals d and subdiagonals e (e[i] between i and i + 1) of tridiagonal matrices similar to S, which is
    overwritten; `rest`, `scale` and `weight` (n,) are scratch."""
    S, d, e = matrices.S, matrices.d, matrices.e
    for c in range(SIX - 2):
        for k in range(n):
            rest[k], weight[k] = 0.0, 0.0
        for i in range(c + 2, SIX):
            for k in range(n):
                rest[k] += S[c, i, k] * S[c, i, k]
        # v = (head, S[c, c+2:]); S <- H S H with H = 1 - scale v v^T, on the trailing block only.
        for k in range(n):
            first = S[c, c + 1, k]
            norm = sqrt(rest[k] + first * first)
            alpha = -norm if first > 0.0 else norm
            head = first - alpha
            is_full = rest[k] > 0.0
            e[c, k] = alpha if is_full else first
            S[c, c + 1, k] = head
            scale[k] = 2.0 / (rest[k] + head * head) if is_full else 0.0
        for i in range(c + 1, SIX):
            for k in range(n):
                d[i, k] = 0.0
            for j in range(c + 1, SIX):
                for k in range(n):
                    d[i, k] += S[i, j, k] * S[c, j, k]
            for k in range(n):
                d[i, k] *= scale[k]
                weight[k] += d[i, k] * S[c, i, k]
        for i in range(c + 1, SIX):
            for k in range(n):
                d[i, k] -= 0.5 * scale[k] * weight[k] * S[c, i, k]
        for i in range(c + 1, SIX):
            for j in range(c + 1, SIX):
                for k in range(n):
                    S[i, j, k] -= S[c, i, k] * d[j, k] + d[i, k] * S[c, j, k]
    for k in range(n):
        e[SIX - 2, k] = S[SIX - 1, SIX - 2, k]
    for i in range(SIX):
        for k in range(n):
            d[i, k] = S[i, i, k]


@inline
def next_minor(a: float, b: float, minors: Minors) -> Minors:
    """The next leading minor of x I - matrix by its three-term recurrence, with a = x - d[i] and b = e[i - 1]^2."""
    p, p1, p2, q, q1, q2 = minors
    return a * p - b * q, a * p1 + p - b * q1, a * p2 + p1 - b * q2, p, p1, p2


@inline
def laguerre_step(x: float, d: Array, e: Array, k: int) -> float:
    """From x down to the largest root of the characteristic polynomial of matrix k, without passing it; 0 at the root.

    Unrolled: with an inner loop the compiler would not vectorise over the matrices.
    """
    minors = (x - d[0, k], 1.0, 0.0, 1.0, 0.0, 0.0)
    minors = next_minor(x - d[1, k], e[0, k] * e[0, k], minors)
    minors = next_minor(x - d[2, k], e[1, k] * e[1, k], minors)
    minors = next_minor(x - d[3, k], e[2, k] * e[2, k], minors)
    minors = next_minor(x - d[4, k], e[3, k] * e[3, k], minors)
    p, p1, p2, _, _, _ = next_minor(x - d[5, k], e[4, k] * e[4, k], minors)
    spread = (SIX - 1) * ((SIX - 1) * p1 * p1 - 2 * SIX * p * p2)
    step = SIX * p / (p1 + sqrt(max(0.0, spread)))
    return step if p > 0.0 and p1 > 0.0 else 0.0


@inline_norefcount
def largest_eigenvalues(matrices: Matrices, n: int, x: Array, goes_on: Array) -> None:
    """Largest eigenvalues, into x (n,), of the tridiagonal forms, which have none below zero and a trace of about one.

    Laguerre's iteration from an upper bound decreases monotonically and converges cubically; `goes_on` (n,) is scratch.
    """
    d, e = matrices.d, matrices.e
    # Gershgorin's upper bound.
    for k in range(n):
        x[k], goes_on[k] = max(d[0, k] + abs(e[0, k]), d[SIX - 1, k] + abs(e[SIX - 2, k])), 1.0
    for i in range(1, SIX - 1):
        for k in range(n):
            x[k] = max(x[k], d[i, k] + abs(e[i - 1, k]) + abs(e[i, k]))
    for _ in range(MOST_STEPS):
        most = 0.0
        for k in range(n):
            step = goes_on[k] * laguerre_step(x[k], d, e, k)
            x[k] -= step
            goes_on[k] = 1.0 if step > 1.1e-16 * x[k] else 0.0
            most = max(most, goes_on[k])
        if most == 0.0:
            return


@inline_norefcount
def find_smallest(matrices: Matrices, n: int) -> None:
    """Smallest singular values of the first n matrices, into `smallest`."""
    trace, first, second, third, sign = (
        matrices.trace, matrices.first, matrices.second, matrices.third, matrices.smallest,
    )  # fmt: skip
    triangular(matrices, n, sign, first, second)
    inverse_square(matrices, n, trace, first)
    tridiagonal(matrices, n, first, second, third)
    largest_eigenvalues(matrices, n, first, second)
    for k in range(n):
        size = 1.0 / sqrt(first[k] * trace[k]) if 0.0 < trace[k] < LARGEST else 0.0 * sign[k]
        matrices.smallest[k] = sign[k] * size if sign[k] != 0.0 else 0.0


@noinline_norefcount
def smallest_singular_values(matrices: Matrices) -> None:
    """Smallest singular values into `smallest`, each with the sign of its determinant; 0 of a singular matrix, NaN of
    one that has NaN. The matrices are overwritten."""
    find_smallest(matrices, matrices.smallest.shape[0])


@noinline_norefcount
def first_singular_value(matrices: Matrices) -> None:
    """The same of the first matrix alone: with n = 1 known, it runs without the loops, in a third of the time."""
    find_smallest(matrices, 1)
