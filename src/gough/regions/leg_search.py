"""Proof of the limits of struts over a region, each with boxes of its own."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.cells import Cells, lowest_places
from gough.regions.leg_limits import LegLimits
from gough.regions.quadratic import Least, least_values
from gough.regions.search import Boxes, OpenBoxes, Search

MOST_BOXES = 4000
"""After which a limit is left to the search that bounds all limits together."""
HALVINGS, FALL = 3, 0.5
"""Of one box before its parts are looked at, and what each leaves of the loss along a coordinate."""


def prove_leg_limits(search: Search, max_boxes: int) -> None:
    """Settle the limits of struts as far as `max_boxes` boxes go; those that are proven count no more.

    It ends where one is broken.
    """
    region, own = search.region, LegLimits.of(search.limits.machine, search.limits.own, search.counted)
    count, most = len(own.columns), min(max_boxes, MOST_BOXES)
    if not 0 < count <= most:
        return
    settled: list[tuple[Ints, Array, Array]] = []  # limits, and what is known of them over boxes

    def judge(boxes: Boxes) -> OpenBoxes:
        cells, which = boxes
        functions, lengths = own.chosen(which).functions(region, cells)
        least = least_values(region, cells, functions)
        is_open = ~(least.lower >= 0)
        _look(search, functions.slope, least, which, is_open)
        search.looked += len(cells)
        lower = np.where(is_open & (search.broken < 0), 0.0, least.lower)  # what is cut off keeps its limit
        settled.append((which, lower, lengths))
        return _open(boxes, least, functions.rest, is_open)

    cells = Cells(np.tile(region.centre, (count, 1)), np.tile(region.half, (count, 1)))
    rest = search.halve(Boxes(cells, np.arange(count)), judge, most, HALVINGS, FALL)
    low, (which, lower, lengths) = np.full(count, np.inf), (np.concatenate(each) for each in zip(*settled, strict=True))
    np.minimum.at(low, which, own.chosen(which).margins(lower, lengths))
    is_open = np.bincount(rest.boxes.what, minlength=count) > 0
    is_known = ~is_open | (search.broken >= 0)
    search.lower[own.columns[is_known]] = low[is_known]
    if search.broken < 0:
        search.counted[own.columns[~is_open]] = False


def _open(boxes: Boxes, least: Least, rest: Array, is_open: Bools) -> OpenBoxes:
    """What is left of boxes. Halving is worth what bounds lose along a coordinate, and a turn's part of the rest, which
    grows with the turn as its square at the least."""
    left, loss = least.left.chosen(is_open), least.loss[is_open].copy()
    turns = left.half[:, 3:] ** 2
    loss[:, 3:] += rest[is_open, None] * turns / np.maximum(turns.sum(axis=1, keepdims=True), 1e-300)
    return OpenBoxes(boxes.chosen(is_open), left, loss)


def _look(search: Search, slope: Array, least: Least, which: Ints, is_open: Bools) -> None:
    """Where limits are smallest by their slopes, to begin with, and near their smallest in their worst boxes."""
    places = [] if search.looked else [lowest_places(search.region, slope)]
    if is_open.any():
        at = np.flatnonzero(is_open)
        at = at[np.argsort(least.lower[at])]
        worst = at[np.unique(which[at], return_index=True)[1]]
        places.append(search.region.moved_inside(least.near[worst]))
    if places:
        search.look(np.concatenate(places))
