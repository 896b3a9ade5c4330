"""Bounds of every margin over given boxes of poses, without search: for pavings, paths and tubes.

Limits of legs and of the tool are bounded by Taylor models of their quantities. Clearance and the least singular value
are first bounded by those at the centre and the changes of the models of feet, heads and the Jacobian: the distance of
two rods changes by no more than the displacements of their ends, a singular value by no more than the matrix in the
Frobenius norm (Weyl 1912). Where that does not decide they have models too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits import _margins as layout
from gough.limits.quantities import Limited, all_legs, jacobian, leg_limits, tool_limits
from gough.limits.rods import Pose, Quantity, Rods, centre_of
from gough.regions.cells import Cells
from gough.regions.clearance import Segment, pair_limits
from gough.regions.minorant import lower_bounds
from gough.regions.models import ROUND, WIDENED, WIDER, Model, variables
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion
from gough.regions.singularity import singular_limit
from gough.regions.tasks import Task, columns_by_place, unbreakable

TOGETHER = 2**17
"""Coefficients of models of six legs that are computed together: what fits a core's cache."""
ORTHONORMAL = 1e-13
"""Departure of an orientation from an orthonormal matrix."""
STEEPEST = 1e100
"""Slopes from which on nothing is known."""


class BoxLimits(NamedTuple):
    """Margins (n, k) at the centres of n boxes, lower bounds of them over the boxes [SI], and whether a limit is broken
    all over a box; gradients (n, k, d), by the boxes' coordinates, of quantities that grow with the margins: of each
    limit the one with the lowest bound."""

    values: Array
    lower: Array
    broken: Bools
    gradient: Array


class Family(NamedTuple):
    """Poses over n boxes with centres and half widths (d, n), and balls of coordinates: `pose_at` takes coordinates (d,
    m) of some of the boxes, and which these are.

    `support` bounds -slope . y (k, m) over some of the boxes, by slopes (d, k, m), where they hold poses of a narrower
    set. If it `is_linear`, models are of first order.
    """

    centre: Array
    half: Array
    groups: tuple[Ints, ...]
    pose_at: Callable[[Quantity, slice], Pose]
    support: Callable[[Array, Ints], Array] | None = None
    is_linear: bool = False


@np.errstate(all="ignore")
def limits_over(
    limits: RegionLimits, counted: Bools, family: Family, *, proven: Bools | None = None, is_whole: bool = True
) -> BoxLimits:
    """Return bounds of the limits that count (k,) over the boxes of a family.

    Of limits that are not to be `proven` (k,), all if not given, bounds only tell whether they are broken. Where not
    all limits of a box can be proven, those of pairs of legs and of the singularity may be far from sharp, if not
    `is_whole`.
    """
    proven = counted if proven is None else proven
    d, n = family.centre.shape
    each = max(1, TOGETHER // (6 * (1 + d) * (2 if family.is_linear else 2 + d)))
    parts = [_Part(limits, counted, proven, family, slice(first, first + each)) for first in range(0, max(n, 1), each)]
    return BoxLimits(
        *(np.concatenate(arrays) for arrays in zip(*(part.bounds(is_whole) for part in parts), strict=True))
    )


class _Part:
    """Bounds over some boxes of a family."""

    def __init__(self, limits: RegionLimits, counted: Bools, proven: Bools, family: Family, part: slice) -> None:
        self.limits, self.counted, self.proven, self.family = limits, counted, proven, family
        self.boxes = np.arange(family.centre.shape[1])[part]
        self.centre, self.half = family.centre[:, part], family.half[:, part]
        n, k, d = len(self.boxes), len(limits.columns), len(self.centre)
        y = variables(self.centre, self.half, is_linear=family.is_linear)
        self.pose = family.pose_at(y, part)
        self.nothing = Model(np.zeros((len(y.c), n)), np.zeros(n), np.zeros(n), d)
        R, p = (np.moveaxis(centre_of(x), -1, 0) for x in (self.pose.R, self.pose.p))
        X = np.tile(np.eye(4), (n, 1, 1))
        X[:, :3, :3], X[:, :3, 3] = R, p - R @ self.pose.about
        self.values = limits.margins(X)
        self.lower, self.broken = np.full((n, k), np.inf), np.zeros((n, k), dtype=bool)
        self.slope = np.zeros((n, k, d))

    def bounds(self, is_whole: bool) -> BoxLimits:
        """Bounds of all limits."""
        own, arrays = self.limits.own, self.limits.own.arrays
        column_of = columns_by_place(own, self.counted[: len(own.columns)])
        legs = all_legs(arrays, self.pose)
        for each in leg_limits(arrays, legs):
            self.include(each, column_of[each.place + np.arange(6)][:, None])
        for each in tool_limits(arrays, self.pose):
            self.include(each, column_of[each.place : each.place + 1, None])
        self.pairs(legs, column_of[layout.PAIR + np.arange(len(arrays.pairs))], is_whole)
        self.singularity(legs, int(column_of[layout.SINGULARITY]), is_whole)
        for task in self.limits.requested_tasks(self.counted):
            self.include_task(task)
        lower = np.where(np.isposinf(self.lower), -np.inf, self.lower)
        lower[:, : len(own.columns)][:, unbreakable(own)] = 0.0
        # Of a leg that may be singular slopes mean nothing.
        return BoxLimits(self.values, lower, self.broken, np.where(np.abs(self.slope) < STEEPEST, self.slope, 0.0))

    def include_task(self, task: Task) -> None:
        """Limits on request, of legs one by one or of the platform."""
        box, i = np.repeat(np.arange(len(self.boxes)), task.count), np.tile(np.arange(task.count), len(self.boxes))
        pose = self.pose._replace(R=self.pose.R[:, :, box], p=self.pose.p[:, box])
        for each, column in zip(task.quantities(i, pose), task.columns[:, i], strict=True):
            self.include(each, column[None], box, is_exact=False)

    def include(
        self, limited: Limited, columns: Ints, box: Ints | slice = slice(None), *, is_exact: bool = True
    ) -> None:
        """Bounds of quantities (k, m) over boxes (m,), by their columns (k, m), which may be broadcast; -1 for none. If
        `is_exact` they are negative only where the limit is broken."""
        if not (columns >= 0).any():
            return
        f, at = self._rows(limited.value, box), np.arange(len(self.boxes))[box]
        columns = np.broadcast_to(columns, f.shape)
        counts = columns >= 0
        if self.proven[columns[counts]].any():
            margins = limited.margin(self._least(f, at))
            margins, slopes = np.where(np.isnan(margins), -np.inf, margins), f.c[1 : 1 + f.n]
            for row, column in enumerate(columns):
                some = np.flatnonzero(column >= 0)
                b, c, v = at[some], column[some], margins[row][some]
                is_lower = v < self.lower[b, c]
                b, c = b[is_lower], c[is_lower]
                self.lower[b, c] = v[is_lower]
                self.slope[b, c] = slopes[:, row].T[some][is_lower]
        is_suspect = counts & ~(self.values[at, columns] >= 0)
        if (is_exact or limited.is_exact) and is_suspect.any():
            most = f if limited.most is None else self._rows(limited.most(), box)
            which = np.nonzero(is_suspect & (self._least(-most, at) > 0))
            self.broken[at[which[1]], columns[which]] = True

    def _rows(self, value: Quantity, box: Ints | slice) -> Model:
        """Models of quantities (k, m)."""
        f: Model = value + self.nothing[box]
        return f[None] if f.ndim == 1 else f

    def _least(self, f: Model, box: Ints) -> Array:
        """Lower bounds of models (k, m)."""
        least = lower_bounds(f, self.centre[:, box], self.half[:, box], self.family.groups)
        if self.family.support is None:
            return least
        linear = self.family.support(f.c[1 : 1 + f.n], self.boxes[box])
        return np.fmax(least, f.value - linear - f.spread[1] * WIDER - ROUND * f.size)

    def pairs(self, legs: Rods, column: Ints, is_whole: bool) -> None:
        """Clearance of pairs of legs with columns (pairs,)."""
        which = np.flatnonzero(column >= 0)
        arrays, moved = self.limits.own.arrays, np.maximum(_change(legs.foot, 0), _change(legs.head, 0))
        first, second = arrays.pairs[which].T
        k, box = np.nonzero(self.include_changes(column[which], moved[first] + moved[second], is_whole))
        if len(box):
            ends = (Segment.of(legs, (leg[k], box)) for leg in (first, second))
            self.include_sharper(pair_limits(arrays, which[k], *ends), column[which[k]], box)

    def singularity(self, legs: Rods, column: int, is_whole: bool) -> None:
        """The least singular value."""
        if column < 0:
            return
        arrays, length = self.limits.own.arrays, legs.length
        rows = jacobian(arrays, legs)
        changes = _change(rows * (1.0 / length)[:, None], (0, 1))
        _, box = np.nonzero(self.include_changes(np.array([column]), changes[None], is_whole))
        if len(box):
            length = length[:, box] if isinstance(length, Model) else length
            self.include_sharper([singular_limit(arrays, rows[:, :, box], length)], np.full(len(box), column), box)

    def include_changes(self, columns: Ints, changes: Array, is_whole: bool) -> Bools:
        """Bounds of margins with columns (k,) by their changes (k, n); where (k, n) sharper ones are wanted."""
        tolerance, values = self.limits.tolerance, self.values[:, columns]
        is_hopeful: Bools = np.asarray((self.lower[:, self.proven] >= -tolerance[self.proven]).all(axis=1))
        changes = changes.T + tolerance[columns]
        lower = np.where(np.isnan(values - changes), -np.inf, values - changes)
        self.lower[:, columns], self.broken[:, columns] = lower, values + changes < 0
        is_open = (lower < 0) & (is_hopeful & ~self.broken.any(axis=1))[:, None]
        return np.asarray(((is_open | is_whole) & self.proven[columns]).T)

    def include_sharper(self, limited: Iterable[Limited], columns: Ints, box: Ints) -> None:
        """Bounds of quantities of some boxes (m,), where they are sharper than what is known."""
        before = self.lower[box, columns]
        self.lower[box, columns] = np.inf
        for each in limited:
            self.include(each, columns[None], box, is_exact=False)
        self.lower[box, columns] = np.maximum(self.lower[box, columns], before)


def _change(model: Quantity, axis: int | tuple[int, ...]) -> Array:
    """Bound of the norm of the change from the centre: from the model's value there, which is off by no more than the
    remainder and rounding."""
    if not isinstance(model, Model):
        return np.asarray(ROUND * np.abs(model).sum(axis))
    return np.asarray(np.sqrt(((model.change + model.r + ROUND * model.size) ** 2).sum(axis)) * WIDENED)


def boxes_of_positions(R: Array, centres: Array, half: Array) -> Family:
    """Return the platform's origin in boxes with centres (n, 3) and half sides (3,) [m], at one orientation R."""

    def pose_at(y: Quantity, part: slice) -> Pose:
        return Pose(np.repeat(R[..., None], y.shape[-1], axis=2), y, np.zeros(3), ORTHONORMAL)

    return Family(centres.T, np.tile(half[:, None] * WIDER, (1, len(centres))), (), pose_at)


def limits_over_cells(
    limits: RegionLimits, region: PoseRegion, cells: Cells, counted: Bools, *, is_whole: bool = True
) -> BoxLimits:
    """Return bounds of the limits that count (k,) over boxes of a region's six coordinates."""
    chart = Chart.of(region)
    with np.errstate(all="ignore"):
        centre, half = (
            each[:, chart.free].T / region.half[chart.free, None] for each in (cells.centre - region.centre, cells.half)
        )
        family = Family(centre, half * WIDER, chart.groups, lambda y, _: chart.pose_at(y))
        found = limits_over(limits, counted, family, is_whole=is_whole)
        gradient = np.zeros((*found.lower.shape, 6))
        gradient[..., chart.free] = found.gradient / cells.half[:, None, chart.free]
    return found._replace(gradient=np.nan_to_num(gradient, posinf=0.0, neginf=0.0))
