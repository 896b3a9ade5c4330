"""Compiled: the smallest singular value of a 6 x 6 matrix, to rounding times its condition number.

It is one over the largest singular value of the inverse: squaring happens where it costs no digits. The largest
eigenvalue of the squared matrix comes from Householder's tridiagonal form (Wilkinson and Reinsch 1971, contribution
II/2: tred1) and Laguerre's iteration on its characteristic polynomial (Wilkinson 1965, chapter 7).
"""

from __future__ import annotations

from math import sqrt

from gough._compile import noinline
from gough._linear_algebra import eliminate
from gough.legs.leg import Array

SIX = 6


@noinline
def tridiagonal(S: Array, d: Array, e: Array) -> None:
    """Diagonal d and subdiagonal e (e[i] between i and i + 1) of a matrix similar to the symmetric S, which is lost."""
    for k in range(SIX - 2):
        norm = 0.0
        for i in range(k + 1, SIX):
            norm += S[i, k] * S[i, k]
        rest = norm - S[k + 1, k] * S[k + 1, k]
        if rest > 0.0:
            alpha = -sqrt(norm) if S[k + 1, k] > 0.0 else sqrt(norm)
            head = S[k + 1, k] - alpha
            scale = 2.0 / (rest + head * head)
            # v = (head, S[k+2:, k]); S <- H S H with H = 1 - scale v v^T, on the trailing block only.
            S[k + 1, k] = head
            weight = 0.0
            for i in range(k + 1, SIX):
                total = 0.0
                for j in range(k + 1, SIX):
                    total += S[i, j] * S[j, k]
                d[i] = scale * total
                weight += d[i] * S[i, k]
            weight *= 0.5 * scale
            for i in range(k + 1, SIX):
                d[i] -= weight * S[i, k]
            for i in range(k + 1, SIX):
                for j in range(k + 1, SIX):
                    S[i, j] -= S[i, k] * d[j] + d[i] * S[j, k]
            e[k] = alpha
        else:
            e[k] = S[k + 1, k]
    e[SIX - 2] = S[SIX - 1, SIX - 2]
    for i in range(SIX):
        d[i] = S[i, i]


@noinline
def largest_eigenvalue(d: Array, e: Array) -> float:
    """Largest eigenvalue of the tridiagonal matrix d, e, which has none below zero and a trace of about one.

    Laguerre's iteration on its characteristic polynomial, from a bound above: it comes down to the largest root without
    passing it, with the third power of the distance.
    """
    x = d[0] + abs(e[0])
    for i in range(1, SIX):
        x = max(x, d[i] + abs(e[i - 1]) + (abs(e[i]) if i < SIX - 1 else 0.0))
    for _ in range(200):
        # p, its first and its half second derivative, by the recurrence of leading minors of x - matrix.
        p, p1, p2, q, q1, q2 = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(SIX):
            a, b = x - d[i], (e[i - 1] * e[i - 1] if i > 0 else 0.0)
            p, p1, p2, q, q1, q2 = a * p - b * q, a * p1 + p - b * q1, a * p2 + p1 - b * q2, p, p1, p2
        if not (p > 0.0 and p1 > 0.0):
            return x
        spread = (SIX - 1) * ((SIX - 1) * p1 * p1 - 2 * SIX * p * p2)
        step = SIX * p / (p1 + sqrt(max(0.0, spread)))
        x -= step
        if step <= 1.1e-16 * x:
            return x
    return x


@noinline
def smallest_singular_value(M: Array, S: Array, d: Array, e: Array) -> float:
    """Smallest singular value of M[:, :6], with the sign of its determinant; M is (6, 12) and lost, S, d, e scratch."""
    for i in range(SIX):
        for j in range(SIX):
            M[i, SIX + j] = 1.0 if i == j else 0.0
    det = eliminate(M, SIX, SIX)
    if det == 0.0:
        return 0.0
    trace = 0.0
    for i in range(SIX):
        for j in range(i + 1):
            total = 0.0
            for k in range(SIX):
                total += M[k, SIX + i] * M[k, SIX + j]
            S[i, j] = S[j, i] = total
        trace += S[i, i]
    if not trace < 1e300:
        return 0.0 * trace if trace != trace else 0.0
    for i in range(SIX):
        for j in range(SIX):
            S[i, j] /= trace
    tridiagonal(S, d, e)
    value = 1.0 / sqrt(largest_eigenvalue(d, e) * trace)
    return value if det > 0.0 else -value
