"""Proof that no pose of a box is singular, and lower bounds of the least singular value over boxes.

A has the rows [u, rho x u]: u are the rods' directions, rho the platform joints' positions from their middle, divided
by their size, in axes that turn with the platform. For struts u is the rod divided by its length at the box's centre.
With C the inverse of A at the centre and |C A - 1| <= W entry by entry,

    |A^-1| <= (1 - W)^-1 |C|

if the spectral radius of W is below 1, as it is where W v < v for some v > 0 (Collatz 1942). Near a singularity C is
large. With u and v the singular vectors of the least singular value at the centre, C the pseudoinverse of the other
five and d = A - A(centre),

    |D| <= (1 - W)^-1 |C|        W >= |C d|        s = u . A v - u . d D d v

s is a Schur complement, a scalar with a Taylor model (`gough.regions.taylor`), and D the inverse of the part that stays
far from singular. A is regular where s > 0, and with x = D d v and y = u . d D

    least singular value >= 1 / (|D| + (1 + |x|) (1 + |y|) / s)

For every orthogonal Q the least singular value is no less than the least eigenvalue of the symmetric part of Q A, since
x . Q A x <= |A x| for |x| = 1. With Q = V U^T of the decomposition U S V^T both are equal at the centre, and to first
order. So the singular value is above a bound t where the complement of that symmetric part less t is positive.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions._placing import WIDENED
from gough.regions._regular import Platform, regular_boxes
from gough.regions._struts import BoxMotion
from gough.regions.cells import Cells, motion_of
from gough.regions.leg_models import LegModels
from gough.regions.motions import Motion
from gough.regions.quadratic import Least, LimitBounds, least_of_branches
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import ROUND, Model

POWERS, LEAST, CLEARLY = 4, 1e-3, 0.999
"""Power iterations for a vector v that shows the spectral radius of a matrix W; smallest component of v, as a part of
its largest; largest c of W v <= c v with which W counts as convergent."""
ROUNDED = 64 * ROUND
"""Rounding error of a singular value, as a part of the largest."""
STEADY = 1.2
"""Largest lengthening of struts whose own directions are modelled, instead of rods over lengths at the centre."""
HOPELESS = 10.0
"""Sum of the parts of W v by the coordinates above which complements of struts are not tried."""
SOLVED = 1 + 1e-6
"""Factor for rounding in the inverse of 1 - W: its condition is below 1e3 times the ratio of components of v, 1e4."""


class Split(NamedTuple):
    """Singular value decompositions U S V^T of matrices (n, 6, 6) at boxes' centres, and their differences d from these
    over the boxes."""

    U: Array
    S: Array
    V_t: Array
    d: Model

    @classmethod
    def of(cls, A: Model) -> Split:
        """Decompositions of a model at the boxes' centres; the remainder is infinite where A is not finite."""
        is_known = np.asarray((np.isfinite(A.value) & np.isfinite(A.change)).all(axis=(1, 2)))
        gradient, hessian = (np.nan_to_num(part, posinf=0.0, neginf=0.0) for part in (A.gradient, A.hessian))
        value = np.where(is_known[:, None, None], A.value, np.eye(6))
        U, S, V_t = np.linalg.svd(value)
        # d's value is zero: the error of the decomposition, and its rounding, join the remainder.
        error = np.abs(value - (U * S[:, None]) @ V_t) + 12 * ROUND * (np.abs(value) + S[:, :1, None])
        remainder = np.where(is_known[:, None, None], A.remainder + 12 * ROUND * A.change + error, np.inf)
        return cls(U, S, V_t, Model(np.zeros_like(value), gradient, hessian, remainder, A.half))

    def inverse(self, count: int) -> Array:
        """Pseudoinverse (n, 6, 6) of the part with the `count` largest singular values."""
        per = 1 / np.maximum(self.S[:, :count, None], 1e-300)
        return np.swapaxes(self.V_t[:, :count], 1, 2) @ (np.swapaxes(self.U[:, :, :count], 1, 2) * per)

    def above(self, bound: Array) -> Split:
        """Decompositions of the symmetric parts of Q A, less bounds (n,) times the identity; Q = V U^T."""
        V = np.swapaxes(self.V_t, 1, 2)
        # Q U S V^T = V S V^T is symmetric already; S less the bound keeps the descending order.
        d = self.d.left_times(V @ np.swapaxes(self.U, 1, 2)) * 0.5
        return Split(V, self.S - bound[:, None], self.V_t, d + d.transposed)

    def chosen(self, which: Ints) -> Split:
        """Decompositions of some of the boxes."""
        return Split(self.U[which], self.S[which], self.V_t[which], self.d.boxes(which))


class Complement(NamedTuple):
    """Schur complements over n boxes: s, with infinite remainder where D is not known to exist; bounds (n,) of |D|, |x|
    and |y|; and N = C d."""

    s: Model
    D: Array
    x: Array
    y: Array
    N: Model

    def least(self, s: Array) -> Array:
        """Lower bounds (n,) of least singular values, from lower bounds (n,) of s; zero where none is known."""
        found = 1 / (self.D + (1 + self.x) * (1 + self.y) / s) / SOLVED
        return np.where((s > 0) & np.isfinite(found), found, 0.0)

    def share(self, weight: Array) -> Array:
        """Variation (n, 6) of N, and relative variation of s, by each coordinate."""
        gradient, remainder = np.abs(self.N.gradient).sum(axis=(1, 2)), self.N.remainder.sum(axis=(1, 2))[:, None]
        gradient = gradient + np.abs(self.s.gradient) / np.maximum(self.s.value, 0.1)[:, None]
        return np.asarray(gradient * self.N.half + remainder * self.N.remainder_share(weight))


def complements(split: Split) -> Complement:
    """Schur complements, which vanish where the least singular values do."""
    u, sigma, v, d, C = split.U[:, None, :, 5], split.S[:, 5], split.V_t[:, 5:], split.d, split.inverse(5)
    # d in the bases of the decomposition: b = d v and c = u d, a = u d v; g = C b and N = C d.
    b, c = d.dot(v), d.left_times(u)[:, 0]
    a, g, N = b.left_times(u)[:, 0], b.left_times(C), d.left_times(C)
    W, per, is_known = _closeness(N)
    D = per @ np.abs(C)
    x, y = (D @ b.change[..., None])[..., 0], (c.change[:, None] @ D)[:, 0]
    # u . d D d v = c C b - c (1 + N)^-1 N C b
    # Linear times linear joins the Hessian of s; all other products and the second term are remainders.
    product = np.swapaxes(c.gradient, 1, 2) @ g.gradient
    second = np.sum(c.linear_variation * g.nonlinear_variation + c.nonlinear_variation * g.change, axis=1)
    third = np.sum((c.change[:, None] @ per)[:, 0] * (W @ g.change[..., None])[..., 0], axis=1)
    size = split.S[:, 0] + a.change + np.sum(c.change * g.change, axis=1) + third
    remainder = np.where(is_known & (sigma > 0), a.remainder + second + third + ROUNDED * size, np.inf)
    s = Model(sigma, a.gradient, a.hessian - product - np.swapaxes(product, 1, 2), remainder, d.half)
    x, y = (np.linalg.norm(part, axis=1) * SOLVED for part in (x, y))
    return Complement(s, _norm(D), x, y, N)


def least_near_centre(split: Split) -> Array:
    """Lower bounds (n,) of the least singular values by |A^-1| <= (1 - W)^-1 |C|; zero where none is known."""
    C = split.inverse(6)
    _, per, is_known = _closeness(split.d.left_times(C))
    return np.where(is_known & (split.S[:, 5] > ROUNDED * split.S[:, 0]), 1 / _norm(per @ np.abs(C)), 0.0)


def _norm(A: Array) -> Array:
    """Bounds (n,) of the spectral norms of non-negative matrices (n, k, k): the square is at most the largest ratio of
    A^T A v to v, for any v > 0 (Collatz 1942)."""
    square = np.swapaxes(A, 1, 2) @ A
    v = _shown(square)
    return np.asarray(np.sqrt((square @ v / v).max(axis=(1, 2))) * SOLVED)


def _shown(W: Array) -> Array:
    """Vectors v > 0 (n, k, 1) near the dominant eigenvectors of non-negative matrices, by power iteration."""
    v = np.ones((*W.shape[:2], 1))
    for _ in range(POWERS):
        v = W @ v
        v = v + LEAST * np.maximum(v.max(axis=1, keepdims=True), 1e-300)
    return v


def _closeness(N: Model) -> tuple[Array, Array, Bools]:
    """W (n, k, k) and (1 - W)^-1 for matrices 1 + N; zero and one, and not known, unless W v < v is shown."""
    W = N.change * SOLVED
    v = _shown(W)
    is_known = np.asarray(((W @ v <= CLEARLY * v) & np.isfinite(v)).all(axis=(1, 2)))
    W = np.where(is_known[:, None, None], W, 0.0)
    return W, np.asarray(np.linalg.inv(np.eye(W.shape[1]) - W)), is_known


def singular_bounds(
    machine: Machine, region: PoseRegion, cells: Cells, motion: Motion, bound: float, weight: Array
) -> LimitBounds:
    """Lower bounds of the least singular value over boxes (n,), as margins of a `bound` that it has to keep; at bound
    zero of being regular. `weight` (6,) is the displacement of joints by each coordinate."""
    is_strut, still = machine.legs.rod() is None, np.zeros_like(cells.half)
    with np.errstate(all="ignore"):
        if is_strut:
            lowest, share = least_of_struts(machine, region, motion)
        else:
            A, longest = _directions(machine, motion, is_sharp=True)
            split = Split.of(A)
            lowest, share = least_near_centre(split), still
        # First by |A^-1| <= (1 - W)^-1 |C| alone, which decides most boxes; complements for the others that may gain.
        lower = np.where(lowest >= max(bound, ROUNDED), lowest - bound, -np.inf)
        every = LimitBounds(Least(lower, cells, cells.centre, still), still, share, lower)
        is_open = (lower < 0) & (share.sum(axis=1) < HOPELESS)
        if not is_open.any():
            return every
        rows, others = np.flatnonzero(is_open), np.flatnonzero(~is_open)
        if is_strut:
            A, longest = _directions(machine, motion.chosen(rows), is_sharp=bound > 0)
            split = Split.of(A)
        else:
            split, longest = split.chosen(rows), longest[rows]
        near = complements(split if bound <= 0 else split.above(bound * longest))
        share, zero = share[rows] if is_strut else near.share(weight), ROUNDED * split.S[:, 0]
        found = least_of_branches(region, cells.chosen(rows), (near.s - zero)[:, None], share)
        # A positive s proves regularity, and gives a value; at a positive bound it proves just that bound.
        s = found.least.lower + zero
        least = near.least(s) / longest if bound <= 0 else np.where(s > 0, bound, lowest[rows])
        found = found._replace(margins=np.where(least > 0, least - bound, -np.inf))
        return LimitBounds.joined([every.chosen(others), found], [others, rows])


def least_of_struts(machine: Machine, region: PoseRegion, motion: Motion) -> tuple[Array, Array]:
    """The lower bounds (n,) of `least_near_centre` for struts, compiled; and the part of W by each coordinate (n,
    6)."""
    platform = Platform(machine.table, machine.platform_centre, machine.characteristic_length, machine.size)
    return regular_boxes(platform, region.arrays, BoxMotion(*motion[:6]))[:2]


def _directions(machine: Machine, motion: Motion, is_sharp: bool) -> tuple[Model, Array]:
    """A (n, 6, 6), and bounds (n,) of the ratio of its singular values to those of the rods' directions.

    Struts are divided by their lengths at the centres, which has smaller remainders than directions; with `is_sharp` by
    their own lengths, where these change little.
    """
    models, longest = LegModels(machine, motion), np.ones(len(motion.X))
    if machine.legs.rod() is None:
        u = models.rods * (1 / np.linalg.norm(models.rods.value, axis=-1, keepdims=True))
        longest = np.linalg.norm(u.size, axis=-1).max(axis=1) * WIDENED
        if is_sharp:
            # Rows that lengthen from the centre weaken the bound by the ratio of lengths; unit vectors do not.
            is_steady = longest < STEADY
            u = u.or_where(is_steady[:, None, None], models.u)
            longest = np.where(is_steady, 1.0, longest)
    else:
        u = models.u
    rho = models.arms((machine.b_P - machine.platform_centre) / machine.characteristic_length)
    moments = u.cross(rho.value)  # of the opposite sign: the same singular values
    error = 2 * rho.remainder * np.linalg.norm(u.size, axis=-1, keepdims=True)
    return Model.joined([u, replace(moments, remainder=moments.remainder + error)], axis=2), longest


class SingularLimit(NamedTuple):
    """The distance to singularity, as a limit with its own boxes."""

    machine: Machine
    bound: float
    weight: Array
    columns: Ints

    @classmethod
    def of(cls, machine: Machine, table: LimitTable, counted: Bools, margins: Array, weight: Array) -> SingularLimit:
        """The limit of a machine, if it counts and a pose of the region with margins (k,) is on home's side: where no
        pose is singular all are on one side."""
        bound = np.array([column.bound for column in table.columns])
        is_one = np.array([column.is_singularity for column in table.columns]) & counted[: len(bound)]
        columns = np.flatnonzero(is_one & (margins[: len(bound)] + bound > 0))
        return cls(machine, float(bound[columns].sum()), weight, columns)

    def chosen(self, which: Ints) -> SingularLimit:
        """The limit, as often as its index occurs."""
        return self._replace(columns=self.columns[which])

    def bounded(self, region: PoseRegion, cells: Cells) -> LimitBounds:
        """Bounds over boxes."""
        return singular_bounds(self.machine, region, cells, motion_of(region, cells), self.bound, self.weight)
