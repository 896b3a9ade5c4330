"""How far the proof of a region has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools
from gough.regions.cells import Cells, split_boxes
from gough.regions.halving import halve_open
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

SMALLEST = 1e-10
"""Part of the machine below which boxes are not halved: rounding decides there."""
LEAST_WEIGHT = 0.01
"""Part of how far joints move that counts where limits on request do not change."""
LEAST_TURN = 0.5
"""Part of what counts about one axis that counts about each."""


class Boxes(NamedTuple):
    """Boxes (n), and what is to be decided of each (n, ...)."""

    cells: Cells
    what: NDArray[Any]

    def __len__(self) -> int:
        return len(self.cells)

    def chosen(self, which: Bools) -> Boxes:
        """Some of them."""
        return Boxes(self.cells.chosen(which), self.what[which])


class OpenBoxes(NamedTuple):
    """Boxes (n) that are open, what is left of each, and what halving it along each coordinate is worth (n, 6)."""

    boxes: Boxes
    left: Cells
    worth: Array

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(eq=False)
class Search:
    """One region, and how far the proof has come: bounds of each limit, places of the upper ones, boxes looked at."""

    limits: RegionLimits
    region: PoseRegion
    counted: Bools
    lower: Array = field(init=False)
    upper: Array = field(init=False)
    places: Array = field(init=False)
    looked: int = 0

    def __post_init__(self) -> None:
        count = len(self.limits.columns)
        self.lower, self.upper = np.full(count, np.inf), np.full(count, np.inf)
        self.places = np.tile(self.region.centre, (count, 1))

    @property
    def broken(self) -> int:
        """Column of the limit that is broken most, in its scale; -1 if none is known to be."""
        relative = np.where(self.counted, self.upper / self.limits.scales, np.inf)
        return int(np.argmin(relative)) if (relative < 0).any() else -1

    @cached_property
    def weight(self) -> Array:
        """How far the platform's joints move along each coordinate (6,) [m/m, m/rad]. Limits on request have that by
        which the inverse Jacobian changes most, relative to itself, and no less than a part of that. Turns about a
        machine's axis may change nothing there, but rests of models grow with all turns."""
        lever = float(np.linalg.norm(self.limits.machine.b_P - self.region.about, axis=-1).max())
        moved = np.repeat([1.0, lever], 3)
        change = self.limits.sensitivity(self.region) if self.limits.requested else moved
        change[3:] = np.maximum(change[3:], LEAST_TURN * change[3:].max())
        scale = change[:3].max()
        return np.maximum(change / scale, LEAST_WEIGHT * moved) if 0 < scale < np.inf else moved

    def halve(
        self, boxes: Boxes, judge: Callable[[Boxes], OpenBoxes], most: int, halvings: int, fall: float
    ) -> OpenBoxes:
        """What is left open of boxes once a limit is broken, `most` boxes were looked at in all, or they are tiny."""

        def cut(rest: OpenBoxes) -> Boxes:
            cells, of = split_boxes(self.region, rest.boxes.cells, rest.left, rest.worth, halvings, fall)
            return Boxes(cells, rest.boxes.what[of])

        def is_over(rest: OpenBoxes) -> bool:
            extent = float((rest.boxes.cells.half * self.weight).max())
            return self.broken >= 0 or extent < SMALLEST * self.limits.machine.size

        return halve_open(boxes, judge, cut, most - self.looked, 2**halvings, is_over)

    def look(self, z: Array) -> None:
        """Margins at places (n, 6) of the region."""
        self.note(z, self.limits.margins(self.region.poses(z)))

    def note(self, z: Array, values: Array) -> None:
        """Keep the smallest margins (n, k) with their places (n, 6)."""
        if not len(z):
            return
        values = np.where(np.isnan(values), np.inf, values)
        at = np.argmin(values, axis=0)
        least = values[at, np.arange(values.shape[1])]
        is_less = least < self.upper
        self.upper[is_less], self.places[is_less] = least[is_less], z[at[is_less]]

    def settle(self, lower: Array, where: Bools) -> None:
        """Lower bounds (n, k) that will not be bettered, of boxes and limits (n, k)."""
        self.lower = np.minimum(self.lower, np.where(where, lower, np.inf).min(axis=0, initial=np.inf))
