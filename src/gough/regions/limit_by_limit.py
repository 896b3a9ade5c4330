"""Proof of limits over a region one by one, each with its own boxes: limits of single legs, and singularity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from gough.arrays import Bools, Ints
from gough.regions.cells import Cells, linear_minimisers
from gough.regions.least_singular import SingularLimit
from gough.regions.leg_limits import LegLimits
from gough.regions.quadratic import LimitBounds
from gough.regions.rod_limits import RodLimits
from gough.regions.search import Search, Tasks, Undecided
from gough.regions.shapes import PoseRegion

DESCEND_FROM, DESCEND_AGAIN = 2000, 4
"""Boxes after which the limit nearest to being broken is minimised locally, and times these after which again."""
HALVINGS, FALL = 2, 0.5
"""Halvings of a box before its pieces are bounded; factor of the loss along a coordinate by each."""


class OwnLimits(Protocol):
    """Limits (k,) of one kind."""

    @property
    def columns(self) -> Ints:
        """Columns of the limits among the machine's."""

    def chosen(self, which: Ints) -> Self:
        """Some of the limits, each as often as its index occurs."""

    def bounded(self, region: PoseRegion, cells: Cells) -> LimitBounds:
        """Bounds over one box of each limit."""


def prove_limit_by_limit(search: Search, max_boxes: int) -> None:
    """Decide limits that have their own boxes, with up to three quarters of `max_boxes`; proven ones count no more.

    The others are for the search that bounds all limits together: it tells which parts of the region are undecided.

    Ends where a limit is broken.
    """
    region = search.region
    search.sample(region.centre[None])
    own = _limits(search)
    columns: Ints = np.concatenate([part.columns for part in own])
    count, most = len(columns), 3 * max_boxes // 4
    if not 0 < count <= most:
        return
    low = np.full(count, np.inf)
    is_first, descend_from = True, DESCEND_FROM

    def evaluate(tasks: Tasks) -> Undecided:
        nonlocal is_first, descend_from
        cells, which = tasks
        if not len(cells):  # no remaining part intersects the region
            return Undecided(tasks, cells, cells.half)
        bounds = _bounded(own, region, tasks)
        is_open = ~(bounds.least.lower >= -search.tolerance[columns[which]])
        _sample(search, bounds, which, is_open, is_first)
        is_first = False
        search.boxes += len(cells)
        if search.boxes > descend_from:
            search.descend(columns[np.unique(which[is_open])], 1)
            descend_from = DESCEND_AGAIN * search.boxes
        # The part of an undecided box that is cut off keeps its limit: its margin is at least zero. Once a limit is
        # broken the search ends, and the bounds over whole boxes count.
        np.minimum.at(low, which, np.where(is_open & (search.broken < 0), 0.0, bounds.margins))
        return Undecided(tasks.chosen(is_open), bounds.least.left.chosen(is_open), bounds.lost[is_open])

    cells = Cells(np.tile(region.centre, (count, 1)), np.tile(region.half, (count, 1)))
    rest = search.halve(Tasks(cells, np.arange(count)), evaluate, most, HALVINGS, FALL)
    is_open = np.bincount(rest.tasks.limits, minlength=count) > 0
    is_known = ~is_open | (search.broken >= 0)
    search.lower[columns[is_known]] = low[is_known]
    if search.broken < 0:
        search.counted[columns[~is_open]] = False


def _limits(search: Search) -> list[OwnLimits]:
    """Limits of the machine that count, by kind; the distance to singularity comes last."""
    machine, table, counted, weight = search.limits.machine, search.limits.own, search.counted, search.weight
    is_strut = machine.legs.rod() is None
    legs = LegLimits.of(machine, table, counted) if is_strut else RodLimits.of(machine, table, counted, weight)
    return [legs, SingularLimit.of(machine, table, counted, search.upper, weight)]


def _bounded(own: Sequence[OwnLimits], region: PoseRegion, tasks: Tasks) -> LimitBounds:
    """Bounds of limits, numbered through all kinds, over a box each."""
    kind = np.repeat(np.arange(len(own)), [len(part.columns) for part in own])
    first = np.searchsorted(kind, np.arange(len(own)))
    rows = [np.flatnonzero(kind[tasks.limits] == k) for k in range(len(own))]
    found = [
        part.chosen(tasks.limits[at] - start).bounded(region, tasks.cells.chosen(at))
        for part, at, start in zip(own, rows, first, strict=True)
        if len(at)
    ]
    return LimitBounds.joined(found, rows)


def _sample(search: Search, bounds: LimitBounds, which: Ints, is_open: Bools, is_first: bool) -> None:
    """Sample margins where they are smallest to first order, in the first round, and near the minimum in the box with
    the lowest bound of each undecided limit."""
    least = bounds.least
    places = [linear_minimisers(search.region, bounds.gradient)] if is_first else []
    if is_open.any():
        at = np.flatnonzero(is_open)
        at = at[np.argsort(least.lower[at])]
        worst = at[np.unique(which[at], return_index=True)[1]]
        places.append(search.region.moved_inside(least.near[worst]))
    if places:
        search.sample(np.concatenate(places))
