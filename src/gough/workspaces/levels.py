"""Levels of limits: their relative margins, the smallest over orientations where a cone of them is to be allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import poses_at, relative_margins, some_limits
from gough.limits.table import limit_table
from gough.stacked import AnyMachine

Axes: TypeAlias = tuple[Array, Array, Array]
"""Places of a grid's nodes along x, y and z, ascending."""
LevelsAt: TypeAlias = Callable[..., Array]
"""Levels at rotations and points, of some limits alone if a third argument says of which, see `Levels`."""
CHUNK = 1 << 13
"""Points whose levels at many orientations are evaluated at once, to bound memory."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels (n, k) of limits at points (n, 3), the smallest at any of some orientations; NaN for a leg that cannot
    close, whose reach is negative.

    Attributes
    ----------
    at : callable
        Levels at rotations (3, 3) or (n, 3, 3) and points (n, 3), from `levels_of`; of some limits (m,) alone if these
        are given.
    rotations : (m, 3, 3) array
    near : callable
        Which rotations (n, m) count about points (n, 3), at least one about each.

    """

    at: LevelsAt
    rotations: Array
    near: Callable[[Array], Bools]

    def __call__(self, points: Array, sample: Bools | None = None) -> Array:
        """Levels at points (n, 3), at the orientations `sample` (n, m) if these are given, else at those that count."""
        if len(self.rotations) == 1:
            return self.at(self.rotations[0], points)
        parts = []
        for s in _chunks(points):
            row, which = np.nonzero(self.near(points[s]) if sample is None else sample[s])
            parts.append(_least(self.at(self.rotations[which], points[s][row]), row))
        return np.concatenate(parts)

    def only(self, limits: Ints) -> Levels:
        """Return levels (n, m) of some limits (m,), ascending, alone, in less time."""
        return replace(self, at=lambda R, points: self.at(R, points, limits))

    def with_worst(self, points: Array, limits: Bools) -> tuple[Array, Bools]:
        """Return levels at points (n, 3), and which orientations (n, m) are the worst of any of the limits (n, k)
        there."""
        parts, chosen = [], []
        for s in _chunks(points):
            worst = self.near(points[s])
            row, which = np.nonzero(worst)
            levels = self.at(self.rotations[which], points[s][row])
            least = _least(levels, row)
            is_known = ~np.any(limits[s] & np.isnan(least), axis=1)  # else all of them count
            is_worst = ((levels == least[row]) & limits[s][row]).any(axis=1)
            worst[row, which] = is_worst | ~is_known[row]
            parts.append(least)
            chosen.append(worst)
        return np.concatenate(parts), np.concatenate(chosen)


def _chunks(points: Array) -> list[slice]:
    """Slices of points (n, 3), at least one."""
    return [slice(k, k + CHUNK) for k in range(0, max(1, len(points)), CHUNK)]


def _least(levels: Array, row: Ints) -> Array:
    """Smallest levels (n, k) of each row, from those (m, k) of rows in ascending order (m,), none left out."""
    first = np.searchsorted(row, np.arange(row[-1] + 1 if len(row) else 0))
    return np.asarray(np.minimum.reduceat(levels, first)) if len(row) else levels


def levels_of(machine: AnyMachine, arrays: LimitArrays) -> LevelsAt:
    """Return relative margins at orientations R (3, 3) or (n, 3, 3) and points (n, 3), made continuous; infinite for
    limits that do not count. Of all limits (n, k), or of some columns (m,)."""
    everything = tuple(range(len(arrays.per_scale)))

    @cache
    def of(columns: tuple[int, ...]) -> _Computed:
        return _computed(machine, arrays, columns)

    def levels(R: Array, points: Array, columns: Ints | None = None) -> Array:
        limits = of(everything if columns is None else tuple(columns))
        relative = relative_margins(machine, limits.arrays, poses_at(machine, R, points))
        relative[:, limits.is_ignored] = np.inf
        # A leg that cannot close while its reach is ignored.
        is_open = np.isnan(relative).any(axis=1) & ~(relative < 0).any(axis=1)
        relative[is_open] = np.where(np.isnan(relative[is_open]), -1.0, relative[is_open])
        return relative if columns is None else relative[:, limits.wanted]

    return levels


@dataclass(frozen=True, eq=False)
class _Computed:
    """Limits that are computed together: which of them are `wanted` (m,), and which are ignored (k,)."""

    arrays: LimitArrays
    wanted: Ints
    is_ignored: Bools


def _computed(machine: AnyMachine, arrays: LimitArrays, wanted: tuple[int, ...]) -> _Computed:
    """Some limits, and the reach, by which their levels are made continuous."""
    needed = np.isin(np.arange(len(arrays.per_scale)), wanted)
    needed |= [column.quantity == "reach" for column in limit_table(machine).columns]
    columns = np.flatnonzero(needed)
    own = some_limits(machine, arrays, columns)
    return _Computed(own, np.searchsorted(columns, wanted), np.isnan(own.per_scale))


def counted_margins(machine: AnyMachine, arrays: LimitArrays, R: Array, positions: Array) -> Array:
    """Return relative margins (n, k) at positions (n, 3) of the limits that count, without NaN.

    Where a leg cannot close, its reach is negative and its other margins, which do not exist, are 1; all are -1 where
    the reach does not count.
    """
    poses, exact = poses_at(machine, R, positions), arrays._replace(sign_only=False)
    relative = relative_margins(machine, exact, poses)[:, np.isfinite(arrays.per_scale)]
    with np.errstate(invalid="ignore"):
        is_broken = (relative < 0).any(axis=1, keepdims=True)
    return np.where(np.isnan(relative), np.where(is_broken, 1.0, -1.0), relative)
