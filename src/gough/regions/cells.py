"""Boxes of a region's six coordinates, and displacements over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.charts import WIDER, turned
from gough.regions.motions import Motion
from gough.regions.shapes import PoseRegion, group_norm


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
    """Which boxes intersect the region (n,): rounding adds boxes and leaves out none; NaN does not intersect."""
    off, half = np.abs(cells.centre - region.centre), cells.half * WIDER
    found = (off - half <= np.where(region.half > 0, region.half * WIDER, np.inf)).all(axis=1)
    for cols in region.together:
        found &= group_norm(np.maximum(off - half, 0.0)[:, cols], region.half[cols]) <= WIDER
    return np.asarray(found)


def motion_of(region: PoseRegion, cells: Cells) -> Motion:
    """Displacements along straight lines from the boxes' centres to the places of the region in them."""
    half = cells.half * WIDER
    shift, most = (farthest(region, cells.centre, half, first) for first in (0, 3))
    W, turn, bend = turned(region.chart, region.axes, cells.centre[:, 3:], half[:, 3:], most)
    return Motion(region.poses(cells.centre), W, half, shift, turn, bend, cells.centre, region)


def farthest(region: PoseRegion, centre: Array, half: Array, first: int) -> Array:
    """Largest distance (n,) of places of box and region from the box's centre: of positions (`first` is 0), or of
    orientations (3), where it counts the first coordinate and those that share its ellipsoid."""
    off, total = np.abs(centre - region.centre), np.zeros(len(centre))
    for cols in [*([k] for k in region.alone), *region.together]:
        if first in cols or (first == 0 and cols[0] < 3):
            # Of the box, or of the ball about the ellipsoid.
            ball = np.linalg.norm(off[:, cols], axis=-1) + region.half[cols].max() * WIDER
            total += np.minimum(np.linalg.norm(half[:, cols], axis=-1), ball) ** 2
    return np.sqrt(total)
