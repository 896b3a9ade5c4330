"""Compiled: the smallest singular value of a 6 x 6 matrix, to rounding times its condition number.

It is one over the largest singular value of the inverse: squaring happens where it costs no digits. The eigenvalues of
the squared matrix come from Householder's tridiagonal form and the QL iteration with implicit shifts
(Wilkinson and Reinsch 1971, contributions II/2 and II/3: tred1 and imtql1).
"""

from __future__ import annotations

from math import hypot, sqrt

from gough._compile import called
from gough.kinematics._linear import eliminate
from gough.legs.leg import Array

SIX = 6


@called
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


@called
def largest_eigenvalue(d: Array, e: Array) -> float:
    """Largest eigenvalue of the tridiagonal matrix d, e by the QL iteration; d and e are lost."""
    e[SIX - 1] = 0.0
    for low in range(SIX):
        for _ in range(40):
            m = low
            while m < SIX - 1 and abs(e[m]) > 1.1e-16 * (abs(d[m]) + abs(d[m + 1])):
                m += 1
            if m == low:
                break
            g = (d[low + 1] - d[low]) / (2.0 * e[low])
            r = hypot(g, 1.0)
            g = d[m] - d[low] + e[low] / (g + (r if g >= 0.0 else -r))
            s, c, p = 1.0, 1.0, 0.0
            i = m - 1
            while i >= low:
                f, b = s * e[i], c * e[i]
                r = sqrt(f * f + g * g)
                e[i + 1] = r
                if r == 0.0:
                    d[i + 1] -= p
                    e[m] = 0.0
                    break
                s, c = f / r, g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
                i -= 1
            if i >= low:
                continue
            d[low] -= p
            e[low] = g
            e[m] = 0.0
    largest = d[0]
    for i in range(1, SIX):
        largest = max(largest, d[i])
    return largest


@called
def smallest_singular_value(M: Array, S: Array, d: Array, e: Array) -> float:
    """Smallest singular value of M[:, :6], with the sign of its determinant; M is (6, 12) and lost, S, d, e scratch."""
    for i in range(SIX):
        for j in range(SIX):
            M[i, SIX + j] = 1.0 if i == j else 0.0
    det = eliminate(M, SIX)
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
