"""Boxes of a region's six coordinates: what they have in common with the region, and how poses go within them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.charts import turned
from gough.regions.rods import Motion
from gough.regions.shapes import PoseRegion, group_norm

WIDER = 1 + 1e-9
"""By so much half widths of boxes are widened: what rounding takes off where they are halved."""


class Cells(NamedTuple):
    """Boxes: centres and half widths (n, 6) [m, rad]."""

    centre: Array
    half: Array

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, which: Bools | Ints | slice) -> Cells:
        """Some of them."""
        return Cells(self.centre[which], self.half[which])


def meets(region: PoseRegion, cells: Cells) -> Bools:
    """Which boxes have a place in common with the region (n,)."""
    found = np.ones(len(cells), dtype=bool)
    for group in region.groups:
        cols = list(group)
        gap = np.maximum(np.abs(cells.centre[:, cols] - region.centre[cols]) - cells.half[:, cols] * WIDER, 0.0)
        found &= group_norm(gap, region.half[cols]) <= WIDER
    return found


def least_linear(region: PoseRegion, cells: Cells, slope: Array) -> Array:
    """Lower bounds (n, k) of slope . (z - centre) over places z of box and region, the larger of those of each."""
    total = np.zeros(slope.shape[:2])
    for group in region.groups:
        cols = list(group)
        g = slope[..., cols]
        over_box = np.sum(np.abs(g) * (cells.half[:, None, cols] * WIDER), axis=-1)
        if len(cols) == 1:
            total -= over_box
            continue
        offset = np.sum(g * (region.centre[cols] - cells.centre[:, None, cols]), axis=-1)
        radius = np.linalg.norm(g * (region.half[cols] * WIDER), axis=-1)
        total += np.maximum(-over_box, offset - radius)
    return total


def lowest_places(region: PoseRegion, slope: Array) -> Array:
    """Places (n, 6) of the region where slope . z, with slopes (n, 6), is smallest."""
    z = np.broadcast_to(region.centre, slope.shape).copy()
    for group in region.groups:
        cols = list(group)
        scaled = slope[:, cols] * region.half[cols]
        norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
        z[:, cols] -= region.half[cols] * np.where(norm > 0, scaled / np.where(norm > 0, norm, 1.0), 0.0)
    return z


def _farthest(region: PoseRegion, centre: Array, half: Array, group: tuple[int, ...]) -> Array:
    """How far places of box and region are at the most from the box's centre (n,), in a group of coordinates."""
    cols = list(group)
    beyond = np.linalg.norm(centre[:, cols] - region.centre[cols], axis=-1) + region.half[cols].max() * WIDER
    return np.minimum(np.linalg.norm(half[:, cols], axis=-1), beyond)


def motion_of(region: PoseRegion, cells: Cells) -> Motion:
    """How poses go along straight lines from the boxes' centres to the places of the region in them."""
    half = cells.half * WIDER
    away = [_farthest(region, cells.centre, half, group) for group in region.groups]
    shift = np.sqrt(sum(far**2 for group, far in zip(region.groups, away, strict=True) if group[0] < 3))
    first_turn = next(far for group, far in zip(region.groups, away, strict=True) if group[0] == 3)
    turn = turned(region.chart, region.axes, cells.centre[:, 3:], half[:, 3:], first_turn)
    X = np.zeros((len(cells), 4, 4))
    X[:, 3, 3] = 1.0
    X[:, :3, :3] = turn.R @ region.reference
    X[:, :3, 3] = region.positions(cells.centre) - X[:, :3, :3] @ region.about
    return Motion(X, turn.W, half, shift, turn.rate, turn.bend, region.about, region.directions)
