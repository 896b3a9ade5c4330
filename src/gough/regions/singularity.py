"""The legs' Jacobian over boxes: its least singular value, with a sign, and its inverse, as Taylor models.

With the singular vectors of the Jacobian at a box's centre as bases, T = U^T J V is diagonal there. The sign of det T
is the one of the Schur complement of the last element, s = t22 - t21 T11^-1 t12, as long as T11 is regular over the
box. For a bound b > 0 it is the complement of the symmetric part less b: |T v| >= v . T v, so that the least singular
value is at least b where (T + T^T) / 2 - b 1 is positive definite. With D the change of T11 and W = |S^-1 D|, an
M-matrix bounds the inverse (Neumaier 1990, Interval Methods for Systems of Equations, section 3.6):

    |t21 (T11^-1 - S^-1) t12| <= |t21| (1 - W)^-1 W |S^-1 t12|

For the inverse, with G the matrix at poses of a box, C its inverse at the centre, and F = C (G - G_0),

    G^-1 = C - F C + F F C - F F F C (1 + F)^-1 ...

In the remainder W bounds |F|, and an M-matrix bounds the rest: |(1 + F)^-1 F^3 C| <= (1 - W)^-1 W W |F C| (Neumaier
1990, Interval Methods for Systems of Equations, section 3.6). Rows are about the joints' centre in base axes, lengths
in characteristic lengths: well scaled. The result is moved to a platform point afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array, Bools
from gough.limits import _margins as layout
from gough.limits._margins import SINGULAR_ROUND_OFF, LimitArrays
from gough.limits.quantities import Limited, all_legs, bounds_of, jacobian
from gough.limits.rods import Pose, Quantity, Rods, cross
from gough.regions.models import ROUND, WIDENED, Model, bounded_solution, centre_of, pairs, times_matrices

REGULAR = float(np.finfo(float).tiny)
"""Least singular value of any regular matrix: up to this bound the sign of the determinant decides."""


def singular_limit(limits: LimitArrays, rows: Quantity, length: Quantity) -> Limited:
    """Return the least singular value, signed by home's side, less its bound; of the Jacobian's rows times the lengths
    (6, n) of the rods."""
    bound, side = limits.G[layout.SINGULAR_MIN], limits.G[layout.SIDE]
    if not isinstance(rows, Model):
        return Limited(layout.SINGULARITY, at_poses(rows / length[:, None], float(side)) - bound, lambda v: v)
    if bound <= REGULAR and isinstance(length, Model):
        # The sign of the determinant does not depend on the lengths of the rows: those at the centres do.
        with np.errstate(all="ignore"):
            J, stretch = rows / length.value[:, None], bounds_of(length)[1] / length.value
        return _over_boxes(J, float(bound), float(side), stretch.max(axis=0))
    return _over_boxes(rows * (1.0 / length)[:, None], float(bound), float(side), 1.0)


def finite_matrices(J: Array) -> tuple[Array, Bools]:
    """Return matrices with the poses' axis in front, the unit matrix where one is not finite; and which are finite."""
    A = np.moveaxis(J, -1, 0)
    finite: Bools = np.asarray(np.isfinite(A).all(axis=(1, 2)))
    return np.where(finite[:, None, None], A, np.eye(A.shape[1])), finite


def at_poses(J: Quantity, side: float) -> Array:
    """Return the least singular values (n,) of Jacobians (6, 6, n), signed; NaN where a leg cannot close."""
    A, finite = finite_matrices(J)
    least = np.linalg.svd(A, compute_uv=False)[:, -1]
    least = np.where(least < SINGULAR_ROUND_OFF, 0.0, least) * (np.sign(np.linalg.det(A)) * side if side else 1.0)
    return np.where(finite, least, np.nan)


def _over_boxes(J: Model, bound: float, side: float, stretch: Array | float) -> Limited:
    """The limit over boxes; rows of J are the Jacobian's times no more than `stretch` (boxes,)."""
    A, finite = finite_matrices(J.value)
    U, S, Vt = np.linalg.svd(A)
    sign = np.sign(np.linalg.det(U) * np.linalg.det(Vt)) * side if side else np.ones(len(S))
    T = times_matrices(U.swapaxes(1, 2), J, Vt.swapaxes(1, 2))
    W = np.moveaxis(T.change, -1, 0)
    norm = np.sqrt(W.sum(axis=1).max(axis=1) * W.sum(axis=2).max(axis=1))
    least = S[:, -1] - norm * WIDENED - ROUND * S[:, 0]
    least = np.where(finite & (sign > 0) & (least >= 0), least / stretch, -np.inf)
    if bound > REGULAR:
        s = complement(symmetric_part(T) - bound * np.eye(6)[..., None], S - bound).unknown_where(sign < 0)
    else:
        s = complement(T, S) * (sign / S[:, 0])

    def margin(v: Array) -> Array:
        """By Weyl's inequality; zero where the complement proves its sign alone."""
        found = np.where(finite, np.maximum(least - bound, np.where(v >= 0, 0.0, -np.inf)), -np.inf)
        return found if side else np.maximum(found, -bound)

    return Limited(layout.SINGULARITY, s.unknown_where(~finite), margin, 0.0)


def symmetric_part(T: Model) -> Model:
    """(T + T^T) / 2 of matrices (k, k, boxes)."""
    return (T + T.swapaxes(0, 1)) * 0.5


def positive_definite(place: int, A: Quantity, margin: Callable[[Array], Array]) -> Limited:
    """Test whether symmetric matrices (3, 3, n) are positive definite: their least eigenvalue, or over boxes the Schur
    complement of its direction at the centre; `margin` of an eigenvalue."""
    B, finite = finite_matrices(centre_of(A))
    w, V = np.linalg.eigh(B)
    if not isinstance(A, Model):
        return Limited(place, np.where(finite, w[:, 0], np.nan), margin, 0.0)
    w, V = w[:, ::-1], V[:, :, ::-1]
    T = times_matrices(V.swapaxes(1, 2), A, V)
    norm = np.moveaxis(T.change, -1, 0).sum(axis=2).max(axis=1) * WIDENED + ROUND * np.abs(w).max(axis=1)
    least = np.where(finite, w[:, -1] - norm, -np.inf)

    def at_least(v: Array) -> Array:
        return margin(np.where(v >= 0, np.maximum(least, 0.0), least))

    return Limited(place, complement(T, w).unknown_where(~finite), at_least, 0.0)


def complement(T: Model, S: Array) -> Model:
    """Return Schur complement (boxes,) of the last element of T (k, k, boxes), near diagonal matrices with elements S
    (boxes, k) at the boxes' centres; unknown where the other rows may be singular."""
    m = S.shape[1] - 1
    with np.errstate(all="ignore"):
        per = (1 / np.where(S[:, :m] > 0, S[:, :m], np.nan)).T
        change = np.abs(T.value - np.eye(m + 1)[..., None] * S.T) + T.change
        W = change[:m, :m] * per[:, None]
        right, below = change[:m, m] * per, change[m, :m]
        a, b = np.moveaxis(W, -1, 0), (W * right[None]).sum(1).T[..., None]
        known = np.isfinite(a).all(axis=(1, 2)) & np.isfinite(b).all(axis=(1, 2))
        a, b = np.where(known[:, None, None], a, 0.0), np.where(known[:, None, None], b, 0.0)
    v, known = bounded_solution(a, b, known & (S[:, m] > 0))
    with np.errstate(all="ignore"):
        found = T[m, m] - (T[m, :m] * (T[:m, m] * np.nan_to_num(per))).sum(0)
        rest = (below.T * v[:, :, 0]).sum(axis=1) * WIDENED + ROUND * found.size
    return found.widened(np.where(known, rest, 0.0)).unknown_where(~known)


def twists(limits: LimitArrays, pose: Pose, point: Array) -> tuple[Rods, Quantity]:
    """Return all legs, and twists (6, 6, n) of a platform point: components first, then the leg whose rod lengthens by
    one per unit of time and length of the rod, while all others keep their lengths."""
    rods = all_legs(limits, pose)
    T = inverse(jacobian(limits, rods))
    turns = T[3:] * (1 / limits.G[layout.LENGTH])
    centre = limits.G[layout.CENTRE : layout.CENTRE + 3]
    arm = pose.turned((point - centre)[:, None])
    return rods, np.concatenate([T[:3] + cross(turns, arm[:, None]), turns])


def inverse(G: Quantity) -> Quantity:
    """Return inverses (k, k, n) of matrices; NaN, or without bounds, where they may be singular."""
    A, finite = finite_matrices(centre_of(G))
    try:
        C: Array = np.asarray(np.linalg.inv(A), dtype=float)
    except np.linalg.LinAlgError:
        C = np.stack([np.linalg.inv(a) if np.linalg.matrix_rank(a) == len(a) else np.full_like(a, np.nan) for a in A])
    C[~finite] = np.nan
    return _inverse_over_boxes(G, C) if isinstance(G, Model) else np.moveaxis(C, 0, -1)


def _inverse_over_boxes(G: Model, C: Array) -> Model:
    n, (i, j, factor) = G.n, pairs(G.n)
    with np.errstate(all="ignore"):
        F, aC = C[:, None] @ np.moveaxis(G.c, -1, 0), np.abs(C)
        size = aC @ np.moveaxis(G.size, -1, 0)
        # C is an inverse to rounding: E is what is missing, a constant part of F.
        E = np.abs(np.eye(C.shape[1]) - F[:, 0]) + ROUND * size
        F[:, 0] = 0
        FC = F @ C[:, None]
        r = aC @ np.moveaxis(G.r, -1, 0) + ROUND * size
        rC = (r + ROUND * size) @ aC
        T, P, Q = -FC, F[:, 1 : 1 + n], FC[:, 1 : 1 + n]
        T[:, 0] = C
        T[:, 1 + n :] += (P[:, i] @ Q[:, j] + P[:, j] @ Q[:, i]) * factor[:, None, None]
        linear, linear_C = np.abs(P).sum(axis=1), np.abs(Q).sum(axis=1)
        rest, rest_C = (np.abs(X[:, 1 + n :]).sum(axis=1) + e for X, e in ((F, r), (FC, rC)))
        W, WC = (linear + rest + E) * WIDENED, (linear_C + rest_C + E @ aC) * WIDENED
        known = np.isfinite(W).all(axis=(1, 2)) & np.isfinite(WC).all(axis=(1, 2))
        W, WC, E = (np.where(known[:, None, None], X, 0.0) for X in (W, WC, E))
        v, known = bounded_solution(W, W @ W @ WC, known)
        e = rC + linear @ rest_C + rest @ WC + v + (E + E @ W + W @ E) @ aC
        size = np.moveaxis(np.abs(T).sum(axis=1) + size @ aC, 0, -1)
    found = Model(np.ascontiguousarray(np.moveaxis(T, 0, -1)), np.moveaxis(e, 0, -1) + 8 * ROUND * size, size, n)
    return found.unknown_where(~known)
