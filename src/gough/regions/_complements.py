"""Least singular values over boxes, from a matrix A of Taylor models, compiled: see `gough.regions.least_singular`.

N and d are matrices (6, 6, NUMBERS) of rows as in `gough.regions._taylor`.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import NamedTuple

from gough._compile import inline, noinline_norefcount
from gough._linear_algebra import eliminate
from gough.arrays import Array
from gough.regions._regular import CLEARLY, LEAST, POWERS, SOLVED
from gough.regions._split import Split, write_products, write_pseudoinverse
from gough.regions._taylor import (
    FIRST,
    REMAINDER,
    ROUND,
    SECOND,
    add_multiple,
    change,
    change_of_sum,
    clear,
    combine,
    count_sums,
    linear_variation,
    nonlinear_variation,
)

MOST_FALL = 1.3
"""Relative fall of the least singular value to first order above which `least_near_centre` is not tried."""
ROUNDED = 64 * ROUND
"""Rounding error of a singular value, as a part of the largest."""


class Work(NamedTuple):
    """Matrices (6, 6): the pseudoinverse C, the whole inverse, a bound W, (1 - W)^-1, and one more; vectors (2, 6); E
    (6, 12); rows (3, 6, NUMBERS), see `write_parts`, and their variations (3, 6)."""

    C: Array
    whole: Array
    W: Array
    per: Array
    square: Array
    vectors: Array
    E: Array
    rows: Array
    moves: Array


@inline
def work_of(square: Array, E: Array, rows: Array) -> Work:
    """Room for bounds in arrays (6, 6, 6), (6, 12) and (3, 6, NUMBERS)."""
    C, whole, W, per, one = square[0], square[1], square[2], square[3], square[4]
    return Work(C, whole, W, per, one, square[5, :2], E, rows, square[5, 2:5])


@noinline_norefcount
def write_shown(W: Array, v: Array) -> float:
    """Write a vector v > 0 near the dominant eigenvector of a non-negative matrix, and W v, into v (2, 6); the largest
    ratio of these is returned, a bound of the spectral radius (Collatz 1942)."""
    for i in range(6):
        v[0, i] = 1.0
    ratio = 0.0
    for step in range(POWERS + 1):
        top = 0.0
        for i in range(6):
            v[1, i] = 0.0
            for j in range(6):
                v[1, i] += W[i, j] * v[0, j]
            top = max(top, v[1, i])
        for i in range(6):
            if step < POWERS:
                v[0, i] = v[1, i] + LEAST * max(top, 1e-300)
            else:
                ratio = max(ratio, v[1, i] / v[0, i])
    return ratio if isfinite(top) else inf


@noinline_norefcount
def is_close(work: Work) -> bool:
    """Whether W v < v for some v > 0; writes (1 - W)^-1 into `per` then."""
    W, E = work.W, work.E
    for i in range(6):
        for j in range(6):
            if not isfinite(W[i, j]):
                return False
            E[i, j], E[i, 6 + j] = (1.0 if i == j else 0.0) - W[i, j], 1.0 if i == j else 0.0
    if not (write_shown(W, work.vectors) <= CLEARLY and abs(eliminate(E, 6, 6)) > 0.0):
        return False
    for i in range(6):
        for j in range(6):
            work.per[i, j] = E[i, 6 + j]
    return True


@noinline_norefcount
def norm_of_inverse(C: Array, work: Work) -> float:
    """Write D = per |C| into the first columns of E; returns a bound of its spectral norm: the square is at most the
    largest ratio of D^T D v to v, for any v > 0 (Collatz 1942)."""
    D, square = work.E, work.square
    for i in range(6):
        for j in range(6):
            D[i, j] = 0.0
            for k in range(6):
                D[i, j] += work.per[i, k] * abs(C[k, j])
    for i in range(6):
        for j in range(6):
            square[i, j] = 0.0
            for k in range(6):
                square[i, j] += D[k, i] * D[k, j]
    return sqrt(write_shown(square, work.vectors)) * SOLVED


@noinline_norefcount
def write_parts(split: Split, work: Work) -> None:
    """Write C, the pseudoinverse of all but the least singular value, N = C d into `split.rows`, and A v, u A and C A v
    less their values into `rows`."""
    d, N, u, v = split.d, split.rows, split.U[5], split.V[5]
    write_pseudoinverse(split, work.C)
    write_products(work.C, d, N)
    for i in range(6):
        b, c, g = work.rows[0, i], work.rows[1, i], work.rows[2, i]
        clear(b)
        for j in range(6):
            add_multiple(v[j], d[j, i], b)
        combine(u, d[i], c)
        combine(v, N[i], g)
        count_sums(b, 7.0)
        count_sums(c, 9.0)  # of `least_near_centre` too
        count_sums(g, 7.0)


@noinline_norefcount
def least_near_centre(split: Split, top: float, work: Work) -> float:
    """Lower bound of the least singular value by |A^-1| <= (1 - W)^-1 |C|, C the whole inverse; zero where none is
    known."""
    sigma, u, v, c, moved = split.S[5], split.U[5], split.V[5], work.rows[1], 0.0
    for j in range(6):
        moved += abs(v[j]) * change(c[j])
    if sigma <= ROUNDED * top or moved > MOST_FALL * sigma:
        return 0.0
    for i in range(6):
        for j in range(6):
            # The whole inverse is C + v u / sigma.
            work.W[i, j] = change_of_sum(split.rows[i, j], v[i] / sigma, c[j]) * SOLVED
            work.whole[i, j] = work.C[i, j] + v[i] / sigma * u[j]
    return 1.0 / norm_of_inverse(work.whole, work) if is_close(work) else 0.0


@noinline_norefcount
def write_complement(split: Split, top: float, work: Work, s: Array) -> tuple[float, float, float]:
    """Write the Schur complement s (NUMBERS,), with infinite remainder where D is not known to exist, after
    `write_parts`; returns bounds of |D|, |x| and |y|."""
    b, c, g, D, moves = work.rows[0], work.rows[1], work.rows[2], work.E, work.moves
    combine(split.U[5], b, s)
    for i in range(6):
        for j in range(6):
            work.W[i, j] = change(split.rows[i, j]) * SOLVED
    count_sums(s, 7.0)
    if not (split.S[5] > 0.0 and is_close(work)):
        s[0], s[REMAINDER] = split.S[5], inf
        return 1.0, 0.0, 0.0
    inverse, x, y = norm_of_inverse(work.C, work), 0.0, 0.0
    # u . d D d v = c C b - c (1 + N)^-1 N C b: linear times linear joins the second order of s; all other products and
    # the second term are remainders.
    size, rest = top + change(s), 0.0
    for i in range(6):
        moves[0, i], moves[1, i], moves[2, i] = change(b[i]), change(c[i]), change(g[i])
    for i in range(6):
        at = SECOND
        for j in range(6):
            s[at] -= c[i, FIRST + j] * g[i, FIRST + j]
            for k in range(j + 1, 6):
                s[at + k - j] -= c[i, FIRST + j] * g[i, FIRST + k] + c[i, FIRST + k] * g[i, FIRST + j]
            at += 6 - j
        rest += linear_variation(c[i]) * nonlinear_variation(g[i]) + nonlinear_variation(c[i]) * moves[2, i]
        size += moves[1, i] * moves[2, i]
        left, right, along, across = 0.0, 0.0, 0.0, 0.0
        for j in range(6):
            left += moves[1, j] * work.per[j, i]
            right += work.W[i, j] * moves[2, j]
            along += D[i, j] * moves[0, j]
            across += moves[1, j] * D[j, i]
        rest += left * right
        x, y = x + along * along, y + across * across
    s[0] = split.S[5]
    s[REMAINDER] += rest + ROUNDED * (size + rest)
    return inverse, sqrt(x) * SOLVED, sqrt(y) * SOLVED


@noinline_norefcount
def write_share(N: Array, s: Array, moved: Array, share: Array) -> None:
    """Write what each coordinate has of the bound's loss, as parts (6,): the mean of its parts of the variations of N
    and s, and of the displacement `moved` (6,), with which remainders grow."""
    total, displaced = 0.0, 0.0
    for c in range(6):
        share[c] = abs(s[FIRST + c]) / max(s[0], 0.1)
        for i in range(6):
            for j in range(6):
                share[c] += abs(N[i, j, FIRST + c])
        total, displaced = total + share[c], displaced + moved[c]
    for c in range(6):
        share[c] = (share[c] / max(total, 1e-300) + moved[c] / max(displaced, 1e-300)) / 2.0
