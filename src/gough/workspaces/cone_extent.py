"""The extent of the positions that allow every orientation of a cone: local searches at its worst orientations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from gough.arrays import Array, Ints
from gough.limits._margins import LimitArrays
from gough.limits.climb import along_limits
from gough.limits.interval_search import limits_for_search
from gough.limits.table import limit_table
from gough.limits.ties import TIE
from gough.stacked import AnyMachine
from gough.workspaces.cone_columns import counted_margins, worst_by_limit
from gough.workspaces.extent import RETREAT, STEP, Extent, best_of_sides, column_ends, starts
from gough.workspaces.orientation_cone import OrientationCone

CONE_STARTS, CONE_EXCHANGES, BACK = 2, 12, 4
"""Local searches along each axis in each sense, exchange rounds of each, and points tried on the segment back."""
CONE_TRUST = (1.0, 0.25, 0.05, 0.01, 2e-3)
"""Trust regions of a local search, one after the other."""


def cone_extent(
    machine: AnyMachine,
    cone: OrientationCone,
    bounds: tuple[Array, Array],
    columns: tuple[Array, Array, Array],
    ignore: tuple[str, ...],
) -> Extent:
    """The farthest positions that allow every orientation of a cone, see `gough.workspaces.extent.columns_extent`.

    Quadratic programming at the worst orientations known; those of each end are added until the whole cone is allowed
    there (exchange method, Blankenship and Falk 1976).
    """
    arrays = limits_for_search(machine, ignore)
    known = column_ends(*columns)
    known = known[np.isfinite(known[:, 2])]
    step = np.ptp(known, axis=0) / max(len(columns[0]) - 1, 1) + 1e-9 * machine.size
    signs, axes, first = starts(known, step, CONE_STARTS)
    search = _ConeSearch(machine, arrays, cone, bounds, known.mean(axis=0), 4.0 * float(step.max()))
    along = signs[:, None] * np.eye(3)[axes]
    ends = np.array([search.end(p, e, CONE_TRUST[:2]) for p, e in zip(first, along, strict=True)])
    chosen = best_of_sides((ends * along).sum(axis=1), signs, axes)
    points = np.array([search.end(p, e, CONE_TRUST[1:]) for p, e in zip(ends[chosen], along[chosen], strict=True)])
    names = np.array([column.name for column in limit_table(machine).columns])[np.isfinite(arrays.per_scale)]
    active = tuple(tuple(names[worst_by_limit(machine, arrays, cone, p)[1] < TIE].tolist()) for p in points)
    return Extent.at(points, active)


@dataclass(frozen=True, eq=False)
class _ConeSearch:
    """Local searches at all orientations of a cone within bounds; `inner` is the mean of the known positions."""

    machine: AnyMachine
    arrays: LimitArrays
    cone: OrientationCone
    bounds: tuple[Array, Array]
    inner: Array
    trust: float

    def end(self, start: Array, e: Array, parts: tuple[float, ...]) -> Array:
        """The allowed position farthest along e from an allowed one, by one search within each part of the trust."""
        for part in parts:
            found = self._farther(start, e, part * self.trust)
            start = start if found is None or found @ e <= start @ e else found
        return start

    def _farther(self, start: Array, e: Array, trust: float) -> Array | None:
        """An allowed position far along e within `trust` of an allowed one; None where none is found."""
        places, least = worst_by_limit(self.machine, self.arrays, self.cone, start)
        limits, point = np.arange(len(least)), start
        for _ in range(CONE_EXCHANGES):
            relative = partial(self._relative, self.cone.rotations(places), limits)
            point = along_limits(relative, point, e, self.bounds, trust, STEP * self.machine.size)
            worst, least = worst_by_limit(self.machine, self.arrays, self.cone, point)
            violated = np.flatnonzero(least < 0)
            places, limits = np.concatenate([places, worst[violated]]), np.concatenate([limits, violated])
            if least.min() >= -RETREAT:
                break
        # The end may violate a limit by rounding: try points towards the inside, cheap check first.
        rotations = self.cone.rotations(places)
        back = np.append(0.0, np.logspace(-14, -3, 23))[:, None]
        tried = np.clip(point + back * (self.inner - point), *self.bounds)
        for place in tried[(self._relative(rotations, limits, tried) >= 0).all(axis=1)][:BACK]:
            if worst_by_limit(self.machine, self.arrays, self.cone, place)[1].min() >= 0:
                return np.asarray(place)
        return None

    def _relative(self, R: Array, limits: Ints, points: Array) -> Array:
        """Relative margins (n, m) of limits (m,) at points (n, 3), each limit at its own rotation R (m, 3, 3)."""
        found = counted_margins(
            self.machine, self.arrays, np.tile(R, (len(points), 1, 1)), np.repeat(points, len(R), axis=0)
        )
        return found.reshape(len(points), len(R), -1)[:, np.arange(len(R)), limits]
