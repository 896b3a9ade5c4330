"""Proof of limits over a region one by one, each with boxes of its own: those of legs, and singularity."""

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
from gough.regions.search import Boxes, OpenBoxes, Search
from gough.regions.shapes import PoseRegion

MOST_BOXES = 10_000
"""After which a limit is left to the search that bounds all limits together."""
HALVINGS, FALL = 2, 0.5
"""Of one box before its parts are looked at, and what each leaves of the loss along a coordinate."""


class OwnLimits(Protocol):
    """Limits (k,) of one kind."""

    @property
    def columns(self) -> Ints:
        """Which of the machine's they are."""

    def chosen(self, which: Ints) -> Self:
        """Some of them, each as often as wanted."""

    def bounded(self, region: PoseRegion, cells: Cells) -> LimitBounds:
        """Over a box of each."""


def prove_limit_by_limit(search: Search, max_boxes: int) -> None:
    """Settle the limits that have boxes of their own as far as `max_boxes` boxes go; those that are proven count no
    more.

    It ends where one is broken.
    """
    region = search.region
    search.look(region.centre[None])
    own = _limits(search)
    columns: Ints = np.concatenate([part.columns for part in own])
    count, most = len(columns), min(max_boxes, MOST_BOXES)
    if not 0 < count <= most:
        return
    low = np.full(count, np.inf)
    is_first = True

    def judge(boxes: Boxes) -> OpenBoxes:
        nonlocal is_first
        cells, which = boxes
        if not len(cells):  # nothing of what was left is in the region
            return OpenBoxes(boxes, cells, cells.half)
        bounds = _bounded(own, region, boxes)
        is_open = ~(bounds.least.lower >= 0)
        _look(search, bounds, which, is_open, is_first)
        is_first = False
        search.looked += len(cells)
        margins = np.where(is_open & (search.broken < 0), 0.0, bounds.margins)  # what is cut off keeps its limit
        np.minimum.at(low, which, margins)
        return OpenBoxes(boxes.chosen(is_open), bounds.least.left.chosen(is_open), bounds.lost[is_open])

    cells = Cells(np.tile(region.centre, (count, 1)), np.tile(region.half, (count, 1)))
    rest = search.halve(Boxes(cells, np.arange(count)), judge, most, HALVINGS, FALL)
    is_open = np.bincount(rest.boxes.what, minlength=count) > 0
    is_known = ~is_open | (search.broken >= 0)
    search.lower[columns[is_known]] = low[is_known]
    if search.broken < 0:
        search.counted[columns[~is_open]] = False


def _limits(search: Search) -> list[OwnLimits]:
    """Those of the machine that count."""
    machine, table, counted, weight = search.limits.machine, search.limits.own, search.counted, search.weight
    is_strut = machine.legs.rod() is None
    legs = LegLimits.of(machine, table, counted) if is_strut else RodLimits.of(machine, table, counted, weight)
    return [legs, SingularLimit.of(machine, table, counted, search.upper, weight)]


def _bounded(own: Sequence[OwnLimits], region: PoseRegion, boxes: Boxes) -> LimitBounds:
    """Bounds of limits, counted through all kinds, over a box each."""
    kind = np.repeat(np.arange(len(own)), [len(part.columns) for part in own])
    first = np.searchsorted(kind, np.arange(len(own)))
    rows = [np.flatnonzero(kind[boxes.what] == k) for k in range(len(own))]
    found = [
        part.chosen(boxes.what[at] - start).bounded(region, boxes.cells.chosen(at))
        for part, at, start in zip(own, rows, first, strict=True)
        if len(at)
    ]
    return LimitBounds.joined(found, rows)


def _look(search: Search, bounds: LimitBounds, which: Ints, is_open: Bools, is_first: bool) -> None:
    """Where limits are smallest by their slopes, to begin with, and near their smallest in their worst boxes."""
    least = bounds.least
    places = [linear_minimisers(search.region, bounds.slope)] if is_first else []
    if is_open.any():
        at = np.flatnonzero(is_open)
        at = at[np.argsort(least.lower[at])]
        worst = at[np.unique(which[at], return_index=True)[1]]
        places.append(search.region.moved_inside(least.near[worst]))
    if places:
        search.look(np.concatenate(places))
