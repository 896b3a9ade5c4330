"""Columns at every orientation of a cone: intervals along an axis in which all orientations are allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from gough.arrays import Array, Ints, Progress
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import (
    MOST,
    Intervals,
    columns_along,
    least_margins,
    poses_at,
    relative_margins,
)
from gough.stacked import AnyMachine
from gough.workspaces.orientation_cone import OrientationCone
from gough.workspaces.quadrature import Columns

EXCHANGES = 8
"""Most exchange rounds: each adds the worst orientation at every end of a column."""
ROUND_OFF = 1e-12
"""A relative margin at an end that is no farther below zero than this is rounding."""
HALVINGS, FINE_HALVINGS = 9, 26
"""Halvings of the step of the search for the worst orientation: of all limits together, and of each limit."""
NEAR = 0.2
"""Margins above this at all samples of a cone are not searched for their minimum between the samples."""


@dataclass(frozen=True, eq=False)
class ConeColumns:
    """Columns along one axis of the base, from feet (n, 3) over a height [m], at all orientations of a cone."""

    machine: AnyMachine
    arrays: LimitArrays
    cone: OrientationCone
    axis: int
    feet: Array
    height: float

    def search(self, progress: Progress = None) -> tuple[Intervals, float]:
        """Intervals with `ends` as coordinates along the axis, and the relative margin that may be missed at them.

        The intervals of all samples of the cone are intersected; then those at the worst orientations of the ends,
        until none shortens a column (exchange method, Blankenship and Falk 1976).
        """
        found = self._whole()
        rotations = self.cone.rotations(self.cone.samples())
        for k, R in enumerate(rotations):
            left = np.flatnonzero(found.count)
            if len(left):
                self._intersect(np.broadcast_to(R, (len(left), 3, 3)), found, left)
            if progress is not None:
                progress(k + 1, len(rotations))
        shortfall = 0.0
        for k in range(EXCHANGES + 1):
            places, columns, _ = self.ends(found)
            if not len(places):
                break
            worst, least = worst_of_cone(self.machine, self.arrays, self.cone, places)
            shortfall = max(0.0, -float(least.min()))
            is_violated = least < -ROUND_OFF
            if k == EXCHANGES or not is_violated.any():
                break
            self._exchange(found, columns[is_violated], worst[is_violated])
        return found, shortfall

    def ends(self, found: Intervals) -> tuple[Array, Ints, Ints]:
        """Positions (m, 3) of all ends at which a limit binds, their columns (m,), and the limits (m,)."""
        return Columns(self.axis, self.feet, found).ends(at_limits=True)

    def _whole(self) -> Intervals:
        """One interval over the whole height in each column, with room for more."""
        n = len(self.feet)
        ends = np.full((n, MOST, 2), np.nan)
        ends[:, 0, 0], ends[:, 0, 1] = self.feet[:, self.axis], self.feet[:, self.axis] + self.height
        return Intervals(ends, np.full((n, MOST, 2), -1, dtype=np.int64), np.ones(n, dtype=np.int64))

    def _intersect(self, R: Array, found: Intervals, columns: Ints) -> None:
        """Intersect columns (m,) of `found`, in place, with their intervals at rotations R (m, 3, 3)."""
        low = np.nanmin(found.ends[columns, :, 0], axis=1)
        high = np.nanmax(found.ends[columns, :, 1], axis=1)
        feet = self.feet[columns]
        feet[:, self.axis] = low
        lengths = np.maximum(high - low, 1e-12 * self.height)
        here = columns_along(self.machine, self.arrays, R, feet, lengths, self.axis)
        common = intersection(found[columns], here)
        found.ends[columns], found.binding[columns], found.count[columns] = common.ends, common.binding, common.count

    def _exchange(self, found: Intervals, columns: Ints, worst: Array) -> None:
        """Intersect columns, in place, with those at the worst orientations (n, 3) of their ends, one by one."""
        # `columns` ascends and repeats; each pass handles one end of every column, so that no column is written twice.
        end = np.arange(len(columns)) - np.searchsorted(columns, columns)
        rotations = self.cone.rotations(worst)
        for k in range(int(end.max(initial=0)) + 1):
            chosen = (end == k) & (found.count[columns] > 0)
            if chosen.any():
                self._intersect(rotations[chosen], found, columns[chosen])


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """Intersections of the intervals of n paths, at most `MOST`; an end keeps the limit of the list it is from."""
    n, p, q = len(a.count), a.ends.shape[1], b.ends.shape[1]
    # All pairs of intervals (n, p, q); empty intersections become NaN.
    first, second = a.ends[:, :, None], b.ends[:, None]
    low, high = np.maximum(first[..., 0], second[..., 0]), np.minimum(first[..., 1], second[..., 1])
    ends = np.stack([low, high], axis=-1).reshape(n, p * q, 2)
    from_b = np.stack([second[..., 0] > first[..., 0], second[..., 1] < first[..., 1]], axis=-1)
    binding = np.where(from_b, b.binding[:, None], a.binding[:, :, None]).reshape(n, p * q, 2)
    with np.errstate(invalid="ignore"):
        empty = ~(ends[..., 0] <= ends[..., 1])
    ends[empty], binding[empty] = np.nan, -1
    order = np.argsort(ends[..., 0], axis=1, kind="stable")[:, :MOST, None]  # NaN last
    ends, binding = np.take_along_axis(ends, order, axis=1), np.take_along_axis(binding, order, axis=1)
    return Intervals(ends, binding, np.minimum((~empty).sum(axis=1), MOST)).padded(MOST)


def worst_of_cone(
    machine: AnyMachine, arrays: LimitArrays, cone: OrientationCone, positions: Array
) -> tuple[Array, Array]:
    """Place of the cone (n, 3) with the smallest relative margin at positions (n, 3), and that margin (n,)."""
    # Sign-only values of different limits are not comparable.
    exact, samples = arrays._replace(sign_only=False), cone.samples()

    def least(places: Array) -> Array:
        poses = poses_at(machine, cone.rotations(places), np.broadcast_to(positions[:, None], places.shape))
        return least_margins(machine, exact, poses.reshape(-1, *machine.stage_shape, 4, 4))[0].reshape(
            places.shape[:-1]
        )

    values = least(np.broadcast_to(samples, (len(positions), *samples.shape)))
    return _refined(cone, samples[values.argmin(axis=1)], values.min(axis=1), least, HALVINGS)


def worst_by_limit(
    machine: AnyMachine, arrays: LimitArrays, cone: OrientationCone, position: Array
) -> tuple[Array, Array]:
    """Place of the cone (k, 3) at which each limit that counts has its smallest relative margin at one position (3,),
    and that margin (k,); see `counted_margins` for legs that cannot close."""
    samples = cone.samples()

    def relative(places: Array) -> Array:
        return counted_margins(machine, arrays, cone.rotations(places), np.broadcast_to(position, places.shape))

    values = relative(samples)
    # Only limits that come near their bound at some sample are refined.
    worst, value = samples[values.argmin(axis=0)], values.min(axis=0)
    near = np.flatnonzero(value < NEAR)

    def least(places: Array) -> Array:
        found = relative(places.reshape(-1, 3)).reshape(*places.shape[:-1], values.shape[1])
        return found[np.arange(len(near)), :, near]

    worst[near], value[near] = _refined(cone, worst[near], value[near], least, FINE_HALVINGS)
    return worst, value


def counted_margins(machine: AnyMachine, arrays: LimitArrays, R: Array, positions: Array) -> Array:
    """Relative margins (n, k) at positions (n, 3) of the limits that count, without NaN.

    Where a leg cannot close, its reach is negative and its other margins, which do not exist, are 1; all are -1 where
    the reach does not count.
    """
    poses, exact = poses_at(machine, R, positions), arrays._replace(sign_only=False)
    relative = relative_margins(machine, exact, poses)[:, np.isfinite(arrays.per_scale)]
    with np.errstate(invalid="ignore"):
        is_broken = (relative < 0).any(axis=1, keepdims=True)
    return np.where(np.isnan(relative), np.where(is_broken, 1.0, -1.0), relative)


def _refined(
    cone: OrientationCone, worst: Array, value: Array, least: Callable[[Array], Array], halvings: int
) -> tuple[Array, Array]:
    """Minima (n, 3) and their values (n,) that a pattern search finds from given ones, halving its step each round."""
    rows, step = np.arange(len(worst)), cone.spacing
    around = np.array(list(product((-1, 0, 1), (-1, 0, 1), (-1, 0, 1) if cone.roll else (0,))))
    for _ in range(halvings):
        step = 0.5 * step
        places = cone.kept(worst[:, None] + around * step)
        values = least(places)
        best = values.argmin(axis=1)
        better = values[rows, best] < value
        worst = np.where(better[:, None], places[rows, best], worst)
        value = np.minimum(value, values[rows, best])
    return worst, value
