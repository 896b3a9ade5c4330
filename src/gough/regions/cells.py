"""Boxes of a region's six coordinates, and displacements over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions._parting import boxes_that_meet
from gough.regions._placing import WIDER, move_boxes
from gough.regions.motions import Motion
from gough.regions.shapes import PoseRegion


class Cells(NamedTuple):
    """Boxes: centres and half widths (n, 6) [m, rad]."""

    centre: Array
    half: Array

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, which: Bools | Ints | slice) -> Cells:
        """Some of the boxes."""
        return Cells(self.centre[which], self.half[which])


def joined(parts: Sequence[Cells]) -> Cells:
    """Boxes of several sets, one after the other."""
    return Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def meets(region: PoseRegion, cells: Cells) -> Bools:
    """Which boxes intersect the region (n,)."""
    return np.asarray(boxes_that_meet(region.arrays, np.array(cells.centre), np.array(cells.half)))


def motion_of(region: PoseRegion, cells: Cells) -> Motion:
    """Displacements along straight lines from the boxes' centres to the places of the region in them."""
    half = cells.half * WIDER
    X, W, shift, turn, bend = move_boxes(region.arrays, np.array(cells.centre), half)
    return Motion(X, W, half, shift, turn, bend, cells.centre, region)
