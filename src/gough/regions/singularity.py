"""Distance to singularity: the least singular value at poses, and a Taylor model with its sign over boxes.

With the singular vectors of the Jacobian at a box's centre as bases, T = U^T J V is diagonal there. The sign of det T
is the one of the Schur complement of the last element, s = t22 - t21 T11^-1 t12, as long as T11 is regular over the
box. For a bound b > 0 it is the complement of the symmetric part less b: |T v| >= v . T v, so that the least singular
value is at least b where (T + T^T) / 2 - b 1 is positive definite. With D the change of T11 and W = |S^-1 D|, an
M-matrix bounds the inverse (Neumaier 1990, Interval Methods for Systems of Equations, section 3.6):

    |t21 (T11^-1 - S^-1) t12| <= |t21| (1 - W)^-1 W |S^-1 t12|
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array, Bools
from gough.limits import _margins as layout
from gough.limits._margins import SINGULAR_ROUND_OFF, LimitArrays
from gough.limits.quantities import Limited, bounds_of
from gough.limits.rods import Quantity
from gough.regions.models import ROUND, WIDENED, Model, bounded_solution, centre_of, times_matrices

REGULAR = float(np.finfo(float).tiny)
"""Least singular value of any regular matrix: up to this bound the sign of the determinant decides."""


def singular_limit(limits: LimitArrays, rows: Quantity, length: Quantity) -> Limited:
    """The least singular value, signed by home's side, less its bound; of the Jacobian's rows times the lengths (6, n)
    of the rods."""
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
    """Matrices with the poses' axis in front, the unit matrix where one is not finite; and which are finite."""
    A = np.moveaxis(J, -1, 0)
    finite: Bools = np.asarray(np.isfinite(A).all(axis=(1, 2)))
    return np.where(finite[:, None, None], A, np.eye(A.shape[1])), finite


def at_poses(J: Quantity, side: float) -> Array:
    """Least singular values (n,) of Jacobians (6, 6, n), signed; NaN where a leg cannot close."""
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
    """Whether symmetric matrices (3, 3, n) are positive definite: their least eigenvalue, or over boxes the Schur
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
    """Schur complement (boxes,) of the last element of T (k, k, boxes), near diagonal matrices with elements S (boxes,
    k) at the boxes' centres; unknown where the other rows may be singular."""
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
