"""Boxes of a region's six coordinates: their intersections with the region, and minima of linear functions over
these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions._linear import MULTIPLIERS
from gough.regions._parting import boxes_that_meet, part_boxes
from gough.regions._placing import EPS, WIDER, move_boxes
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
    """Which boxes intersect the region (n,)."""
    return np.asarray(boxes_that_meet(region.arrays, np.array(cells.centre), np.array(cells.half)))


def split_boxes(
    region: PoseRegion, cells: Cells, left: Cells, score: Array, times: int, fall: float
) -> tuple[Cells, Ints]:
    """Pieces of the parts `left` of boxes that intersect the region, and the number of the box that each is a piece of.

    A part is halved `times` times, each time along the coordinate of the largest score (n, 6), which then falls to
    `fall` times itself; not at all where the part is already much smaller than its box.
    """
    half, z, h, score = (np.array(array) for array in (cells.half, *left, score))
    *parts, of = part_boxes(region.arrays, half, z, h, score, times, fall)
    return Cells(*parts), of


def linear_minimum(region: PoseRegion, cells: Cells, gradient: Array) -> Array:
    """Lower bounds (n, k) of gradient . (z - centre) over places z of box and region."""
    return np.maximum(minimum_over_groups(region, cells, gradient), -region.support(gradient))


def minimum_over_groups(region: PoseRegion, cells: Cells, gradient: Array) -> Array:
    """As `linear_minimum`, over the intersections of boxes with the region's intervals and ellipsoids."""
    return np.asarray(sum(least for _, least in _minimum_by_group(region, cells, gradient)))


def _minimum_by_group(region: PoseRegion, cells: Cells, gradient: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Each group of coordinates with its part (n, k) of the minimum: groups are independent of each other.

    For an ellipsoid the largest of three lower bounds: over the box, over the ellipsoid, over both by duality.
    """
    for group in region.groups:
        cols = list(group)
        g = gradient[..., cols]
        over_box = -np.sum(np.abs(g) * (cells.half[:, None, cols] * WIDER), axis=-1)
        if len(cols) == 1:
            yield group, over_box
            continue
        offset = np.sum(g * (region.centre[cols] - cells.centre[:, None, cols]), axis=-1)
        radius = np.linalg.norm(g * (region.half[cols] * WIDER), axis=-1)
        least = np.maximum(over_box, offset - radius)
        # A box inside the ellipsoid has its minimum at a corner: only boxes that reach beyond it gain by duality.
        beyond = np.abs(cells.centre[:, cols] - region.centre[cols]) + cells.half[:, cols]
        at = np.flatnonzero(group_norm(beyond, region.half[cols]) > 1)
        if len(at):
            least[at] = np.maximum(least[at], _dual_minimum(region, cells.chosen(at), g[at], cols, radius[at]))
        yield group, least


def _dual_minimum(region: PoseRegion, cells: Cells, g: Array, cols: list[int], radius: Array) -> Array:
    """Lower bounds (n, k) of g . x over boxes and an ellipsoid: the minimum over the box of g . x + t (|o + x|^2 - 1)
    for multipliers t, where |.| is the norm of the ellipsoid and o the box's centre in it (weak duality)."""
    r = region.half[cols] * WIDER
    per = np.where(r > 0, 1 / np.where(r > 0, r, 1.0) ** 2, 0.0)
    o, h = (cells.centre[:, cols] - region.centre[cols])[:, None], (cells.half[:, cols] * WIDER)[:, None]
    found = np.full(g.shape[:2], -np.inf)
    for part in MULTIPLIERS:
        t = (part * np.maximum(radius, 1e-300))[..., None]
        # The function is a sum over the coordinates: each has its own minimiser, clipped to the box.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            x = np.where(per > 0, np.clip(-g / (2 * t * per) - o, -h, h), 0.0)
        terms = g * x + t * per * (x + o) ** 2
        size = np.abs(g) * (np.abs(o) + h) + t  # of the terms, for their rounding
        found = np.maximum(found, np.sum(terms - 16 * EPS * size, axis=-1) - t[..., 0])
    return found


def contracted(region: PoseRegion, cells: Cells, gradient: Array, spare: Array, is_open: Bools) -> Cells:
    """Boxes that enclose the places of each where an undecided linear function (n, k) falls by more than `spare`
    (n, k).

    Interval contraction: along each coordinate the others fall as far as box and region let them, and what remains of
    `spare` bounds the coordinate. An infinite `spare` leaves the box.
    """
    half = cells.half * WIDER
    fall = np.abs(gradient) * half[:, None]  # (n, k, 6)
    others = np.zeros_like(fall)  # least change by all coordinates but one, for each
    for group, least in _minimum_by_group(region, cells, gradient):
        cols = list(group)
        others += least[..., None]
        # Within the coordinate's own group the box alone bounds the others: the group's minimum includes the
        # coordinate.
        others[..., cols] += fall[..., cols] - np.sum(fall[..., cols], axis=-1, keepdims=True) - least[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        end = (-spare[..., None] - others) / np.abs(gradient)  # upper bound of the coordinate times the gradient's sign
        far = np.where(np.isfinite(end), np.clip(-end, -half[:, None], half[:, None]), -half[:, None])
    # The undecided places are below -far where the gradient is positive, and above far where it is negative.
    low = np.where(gradient < 0, far, -half[:, None])
    high = np.where(gradient > 0, -far, half[:, None])
    low = np.where(is_open[..., None], low, np.inf).min(axis=1)
    high = np.where(is_open[..., None], high, -np.inf).max(axis=1)
    return Cells(cells.centre + (low + high) / 2, np.maximum(high - low, 0.0) / 2)


def linear_minimisers(region: PoseRegion, gradient: Array) -> Array:
    """Places (n, 6) of the region that minimise gradient . z, for gradients (n, 6)."""
    z = region.centre - region.half * np.sign(gradient)
    for cols in region.together:
        scaled = gradient[:, cols] * region.half[cols]
        norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
        unit = np.where(norm > 0, scaled / np.where(norm > 0, norm, 1.0), 0.0)
        z[:, cols] = region.centre[cols] - region.half[cols] * unit
    return np.asarray(z)


def motion_of(region: PoseRegion, cells: Cells) -> Motion:
    """Displacements along straight lines from the boxes' centres to the places of the region in them."""
    half = cells.half * WIDER
    X, W, shift, turn, bend = move_boxes(region.arrays, np.array(cells.centre), half)
    return Motion(X, W, half, shift, turn, bend, cells.centre, region)
