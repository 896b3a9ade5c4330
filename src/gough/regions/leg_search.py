"""Proof of the limits of struts over a region, each with boxes of its own."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Ints
from gough.regions.cells import Cells, lowest_places
from gough.regions.leg_limits import LegLimits
from gough.regions.quadratic import Least, least_values
from gough.regions.search import Boxes, OpenBoxes, Search

MOST_BOXES = 4000
"""After which a limit is left to the search that bounds all limits together."""
HALVINGS, FALL = 2, 0.25
"""Of one box before its parts are looked at, and what each leaves of the loss along a coordinate."""


def prove_leg_limits(search: Search, max_boxes: int) -> None:
    """Settle the limits of struts as far as `max_boxes` boxes go; those that are proven count no more.

    It ends where one is broken.
    """
    region, own = search.region, LegLimits.of(search.limits.machine, search.limits.own, search.counted)
    count, most = len(own.columns), min(max_boxes, MOST_BOXES)
    if not 0 < count <= most:
        return
    low = np.full(count, np.inf)

    def judge(boxes: Boxes) -> OpenBoxes:
        cells, which = boxes
        limits = own.chosen(which)
        functions, lengths = limits.functions(region, cells)
        least = least_values(region, cells, functions)
        is_open = ~(least.lower >= 0)
        _look(search, functions.slope, least, which)
        search.looked += len(cells)
        margins = limits.margins(least.lower, lengths)
        np.minimum.at(low, which, np.where(is_open & (search.broken < 0), 0.0, margins))
        return OpenBoxes(boxes.chosen(is_open), least.left.chosen(is_open), least.loss[is_open])

    cells = Cells(np.tile(region.centre, (count, 1)), np.tile(region.half, (count, 1)))
    rest = search.halve(Boxes(cells, np.arange(count)), judge, most, HALVINGS, FALL)
    is_open = np.isin(np.arange(count), rest.boxes.what)
    is_known = ~is_open | (search.broken >= 0)
    search.lower[own.columns[is_known]] = low[is_known]
    if search.broken < 0:
        search.counted[own.columns[~is_open]] = False


def _look(search: Search, slope: Array, least: Least, which: Ints) -> None:
    """Where limits are smallest by their slopes, to begin with, and near their smallest in their worst boxes."""
    places = [] if search.looked else [lowest_places(search.region, slope)]
    order = np.argsort(least.lower)
    _, first = np.unique(which[order], return_index=True)
    worst = order[first]
    worst = worst[~(least.lower[worst] >= 0)]
    search.look(np.concatenate([*places, search.region.moved_inside(least.near[worst])]))
