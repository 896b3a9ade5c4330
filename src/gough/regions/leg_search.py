"""Proof of the limits of struts over a region, each with boxes of its own."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.cells import Cells, halved, lowest_places, meets
from gough.regions.leg_limits import LegLimits
from gough.regions.quadratic import Least, least_values
from gough.regions.search import Search

MOST_ROUNDS, MOST_BOXES = 60, 4000
"""Levels of boxes, and boxes in all, after which a limit is left to the search that bounds all limits together."""
HALVINGS = 2
"""Of one box before its parts are looked at."""
ENOUGH = 0.25
"""Part of a box, beside which what is left of it is not halved."""


def prove_leg_limits(search: Search, max_boxes: int) -> None:
    """Settle the limits of struts as far as `max_boxes` boxes go; those that are proven count no more.

    It ends where one is broken.
    """
    own = LegLimits.of(search.limits.machine, search.limits.own, search.counted)
    count = len(own.columns)
    which, low = np.arange(count), np.full(count, np.inf)
    cells = Cells(np.tile(search.region.centre, (count, 1)), np.tile(search.region.half, (count, 1)))
    for _ in range(MOST_ROUNDS):
        if not len(cells) or search.looked + len(cells) > min(max_boxes, MOST_BOXES):
            break
        limits = own.chosen(which)
        functions, lengths = limits.functions(search.region, cells)
        least = least_values(search.region, cells, functions)
        is_open = ~(least.lower >= 0)
        _look(search, functions.slope, least, which)
        search.looked += len(cells)
        margins = limits.margins(least.lower, lengths)
        if search.broken >= 0:
            np.minimum.at(low, which, margins)
            search.lower[own.columns] = low
            return
        np.minimum.at(low, which, np.where(is_open, 0.0, margins))
        which, cells = _next(search, cells, least, which, is_open)
    is_proven = ~np.isin(np.arange(count), which)
    search.lower[own.columns[is_proven]] = low[is_proven]
    search.counted[own.columns[is_proven]] = False


def _look(search: Search, slope: Array, least: Least, which: Ints) -> None:
    """Where limits are smallest by their slopes, to begin with, and near their smallest in their worst boxes."""
    places = [] if search.looked else [lowest_places(search.region, slope)]
    order = np.argsort(least.lower)
    _, first = np.unique(which[order], return_index=True)
    worst = order[first]
    worst = worst[~(least.lower[worst] >= 0)]
    search.look(np.concatenate([*places, search.region.moved_inside(least.near[worst])]))


def _next(search: Search, cells: Cells, least: Least, which: Ints, is_open: Bools) -> tuple[Ints, Cells]:
    """The parts of boxes that are open, halved where not much was cut off."""
    left, half = least.left, cells.half
    part = np.prod(np.where(half > 0, left.half / np.where(half > 0, half, 1.0), 1.0), axis=1)
    is_small = is_open & (part < ENOUGH)
    is_large = is_open & ~is_small
    parts, of = halved(left.chosen(is_large), least.loss[is_large], HALVINGS, 0.25)
    found = Cells(*(np.concatenate(both) for both in zip(left.chosen(is_small), parts, strict=True)))
    whose = np.concatenate([which[is_small], which[is_large][of]])
    keep = meets(search.region, found)
    return whose[keep], found.chosen(keep)
