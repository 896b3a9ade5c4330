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

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions._complements import ROUNDED
from gough.regions._regular import SOLVED, Platform, regular_boxes
from gough.regions._singular import Complements, Wanted, complements
from gough.regions._struts import BoxMotion
from gough.regions.cells import Cells, motion_of
from gough.regions.motions import Motion
from gough.regions.quadratic import Least, LimitBounds, least_of_branches
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import unpacked

HOPELESS = 10.0
"""Sum of the parts of W v by the coordinates above which complements of struts are not tried."""


def singular_bounds(
    machine: Machine, region: PoseRegion, cells: Cells, motion: Motion, bound: float, weight: Array
) -> LimitBounds:
    """Lower bounds of the least singular value over boxes (n,), as margins of a `bound` that it has to keep; at bound
    zero of being regular. `weight` (6,) is the displacement of joints by each coordinate."""
    is_strut, still, enough = machine.legs.rod() is None, np.zeros_like(cells.half), max(bound, ROUNDED)
    # First by |A^-1| <= (1 - W)^-1 |C| alone, which decides most boxes; complements for the others that may gain.
    if is_strut:
        lowest, share = least_of_struts(machine, region, motion)
        is_open = (lowest < enough) & (share.sum(axis=1) < HOPELESS)
    else:
        every, share = _complements(machine, region, motion, Wanted(float(bound), weight, True)), still
        lowest, is_open = every.lowest, every.lowest < enough
    lower = np.where(lowest >= enough, lowest - bound, -np.inf)
    decided = LimitBounds(Least(lower, cells, cells.centre, still), still, share, lower)
    if not is_open.any():
        return decided
    rows, others = np.flatnonzero(is_open), np.flatnonzero(~is_open)
    if is_strut:
        near = _complements(machine, region, motion.chosen(rows), Wanted(float(bound), weight, False))
        near = near._replace(share=share[rows])
    else:
        near = Complements(*(part[rows] for part in every))
    models = unpacked(near.s[:, None], motion.half[rows])
    with np.errstate(invalid="ignore"):
        found = least_of_branches(region, cells.chosen(rows), models, near.share)
    # A positive s proves regularity, and gives a value; at a positive bound it proves just that bound.
    s = found.least.lower
    least = least_of(near.sizes, s) / near.longest if bound <= 0 else np.where(s > 0, bound, lowest[rows])
    found = found._replace(margins=np.where(least > 0, least - bound, -np.inf))
    return LimitBounds.joined([decided.chosen(others), found], [others, rows])


def least_of(sizes: Array, s: Array) -> Array:
    """Lower bounds (n,) of least singular values, from bounds (n, 3) of |D|, |x| and |y| and lower bounds (n,) of s;
    zero where none is known."""
    D, x, y = sizes.T
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 1 / (D + (1 + x) * (1 + y) / s) / SOLVED
    return np.where((s > 0) & np.isfinite(found), found, 0.0)


def _complements(machine: Machine, region: PoseRegion, motion: Motion, wanted: Wanted) -> Complements:
    is_crank = None if machine.legs.rod() is None else machine.legs.joint == "angle"
    place, box = np.array(motion.centre), BoxMotion(*motion[:6])
    return complements(platform_of(machine), region.arrays, place, box, wanted, is_crank)


def platform_of(machine: Machine) -> Platform:
    """The legs and the platform for kernels."""
    return Platform(machine.table, machine.platform_centre, machine.characteristic_length, machine.size)


def least_of_struts(machine: Machine, region: PoseRegion, motion: Motion) -> tuple[Array, Array]:
    """The bounds (n,) by |A^-1| <= (1 - W)^-1 |C| for struts; and the part of W by each coordinate (n, 6)."""
    return regular_boxes(platform_of(machine), region.arrays, BoxMotion(*motion[:6]))[:2]


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
