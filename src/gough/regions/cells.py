"""Boxes of a region's six coordinates: what they have in common with the region, and how poses go within them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions._parting import boxes_that_meet, part_boxes
from gough.regions._placing import EPS, WIDER, move_boxes
from gough.regions.motions import Motion
from gough.regions.shapes import PoseRegion, group_norm

PRICES = (0.2, 0.45)
"""Of leaving the ellipsoid, as parts of the most that a linear function changes from its centre to its boundary."""


class Cells(NamedTuple):
    """Boxes: centres and half widths (n, 6) [m, rad]."""

    centre: Array
    half: Array

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, which: Bools | Ints | slice) -> Cells:
        """Some of them."""
        return Cells(self.centre[which], self.half[which])


def joined(parts: Sequence[Cells]) -> Cells:
    """Boxes one after the other."""
    return Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def meets(region: PoseRegion, cells: Cells) -> Bools:
    """Which boxes have a place in common with the region (n,)."""
    return np.asarray(boxes_that_meet(region.arrays, np.array(cells.centre), np.array(cells.half)))


def split_boxes(
    region: PoseRegion, cells: Cells, left: Cells, score: Array, times: int, fall: float
) -> tuple[Cells, Ints]:
    """What is left of boxes, halved along the coordinates of the largest scores (n, 6), which fall to a part, where not
    much was cut off, as far as it meets the region; of which box each is."""
    half, z, h, score = (np.array(array) for array in (cells.half, *left, score))
    *parts, of = part_boxes(region.arrays, half, z, h, score, times, fall)
    return Cells(*parts), of


def linear_minimum(region: PoseRegion, cells: Cells, slope: Array) -> Array:
    """Lower bounds (n, k) of slope . (z - centre) over places z of box and region."""
    least = sum(least for _, least in _least_by_group(region, cells, slope))
    return np.maximum(least, -region.support(slope))


def _least_by_group(region: PoseRegion, cells: Cells, slope: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Each group of coordinates with its part (n, k): over its ellipsoid the larger of those of box and ellipsoid."""
    for group in region.groups:
        cols = list(group)
        g = slope[..., cols]
        over_box = -np.sum(np.abs(g) * (cells.half[:, None, cols] * WIDER), axis=-1)
        if len(cols) == 1:
            yield group, over_box
            continue
        offset = np.sum(g * (region.centre[cols] - cells.centre[:, None, cols]), axis=-1)
        radius = np.linalg.norm(g * (region.half[cols] * WIDER), axis=-1)
        least = np.maximum(over_box, offset - radius)
        beyond = np.abs(cells.centre[:, cols] - region.centre[cols]) + cells.half[:, cols]
        at = np.flatnonzero(group_norm(beyond, region.half[cols]) > 1)
        if len(at):
            least[at] = np.maximum(least[at], _of_both(region, cells.chosen(at), g[at], cols, radius[at]))
        yield group, least


def _of_both(region: PoseRegion, cells: Cells, g: Array, cols: list[int], radius: Array) -> Array:
    """Least g . x (n, k) over boxes and an ellipsoid, from below: min over the box of g . x + t (|x|^2 - 1) for some t,
    where |x| is the norm of the ellipsoid (weak duality)."""
    r = region.half[cols] * WIDER
    per = np.where(r > 0, 1 / np.where(r > 0, r, 1.0) ** 2, 0.0)
    o, h = (cells.centre[:, cols] - region.centre[cols])[:, None], (cells.half[:, cols] * WIDER)[:, None]
    found = np.full(g.shape[:2], -np.inf)
    for part in PRICES:
        t = (part * np.maximum(radius, 1e-300))[..., None]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            x = np.where(per > 0, np.clip(-g / (2 * t * per) - o, -h, h), 0.0)
        terms = g * x + t * per * (x + o) ** 2
        size = np.abs(g) * (np.abs(o) + h) + t
        found = np.maximum(found, np.sum(terms - 16 * EPS * size, axis=-1) - t[..., 0])
    return found


def contracted(region: PoseRegion, cells: Cells, slope: Array, spare: Array, is_open: Bools) -> Cells:
    """Boxes that enclose the places of each where an open linear function (n, k) falls by more than is spare (n, k).

    Along each coordinate where the others fall as far as box and region let them; infinite falls leave the box.
    """
    half = cells.half * WIDER
    fall = np.abs(slope) * half[:, None]  # (n, k, 6)
    others = np.zeros_like(fall)
    for group, least in _least_by_group(region, cells, slope):
        cols = list(group)
        others += least[..., None]
        others[..., cols] += fall[..., cols] - np.sum(fall[..., cols], axis=-1, keepdims=True) - least[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        end = (-spare[..., None] - others) / np.abs(slope)  # along minus the slope's sign
        far = np.where(np.isfinite(end), np.clip(-end, -half[:, None], half[:, None]), -half[:, None])
    # Where the slope is positive the places are below -far, and where it is negative above far.
    low = np.where(slope < 0, far, -half[:, None])
    high = np.where(slope > 0, -far, half[:, None])
    low = np.where(is_open[..., None], low, np.inf).min(axis=1)
    high = np.where(is_open[..., None], high, -np.inf).max(axis=1)
    return Cells(cells.centre + (low + high) / 2, np.maximum(high - low, 0.0) / 2)


def linear_minimisers(region: PoseRegion, slope: Array) -> Array:
    """Places (n, 6) of the region where slope . z, with slopes (n, 6), is smallest."""
    z = region.centre - region.half * np.sign(slope)
    for cols in region.together:
        scaled = slope[:, cols] * region.half[cols]
        norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
        unit = np.where(norm > 0, scaled / np.where(norm > 0, norm, 1.0), 0.0)
        z[:, cols] = region.centre[cols] - region.half[cols] * unit
    return np.asarray(z)


def motion_of(region: PoseRegion, cells: Cells) -> Motion:
    """How poses go along straight lines from the boxes' centres to the places of the region in them."""
    half = cells.half * WIDER
    X, W, shift, turn, bend = move_boxes(region.arrays, np.array(cells.centre), half)
    return Motion(X, W, half, shift, turn, bend, region.about, region.directions)
