"""Halving of boxes, and their intersection with a region, compiled (`gough.regions.cells`)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import kernel, noinline_norefcount
from gough.arrays import Array, Bools, Ints
from gough.regions._placing import WIDER, RegionArrays

ENOUGH = 0.25
"""Part of a box's volume: a remaining part that is smaller is not halved as well."""


@noinline_norefcount
def meets(region: RegionArrays, z: Array, h: Array) -> bool:
    """Whether a box intersects the region.

    Comparisons are negated so that NaN counts as no intersection; half widths are widened, so that rounding adds boxes
    and leaves out none.
    """
    for k in range(6):
        total, r = 0.0, region.half[k]
        if r > 0.0 and not abs(z[k] - region.centre[k]) - h[k] * WIDER <= r * WIDER:
            return False
        for j in range(6):
            if region.groups[k] >= 0 and region.groups[j] == region.groups[k] and region.half[j] > 0.0:
                total += (max(abs(z[j] - region.centre[j]) - h[j] * WIDER, 0.0) / region.half[j]) ** 2
        if not sqrt(total) <= WIDER:
            return False
    return True


@noinline_norefcount
def draw_in(region: RegionArrays, z: Array, h: Array) -> None:
    """Shrink a box that meets the region, in place, to what the ellipsoids leave of it along each coordinate.

    With the other coordinates as near to the centre as the box lets them, an ellipsoid bounds the k-th by its half
    width times sqrt(1 - sum of the others' squares).
    """
    for k in range(6):
        if region.groups[k] < 0 or not region.half[k] > 0.0:
            continue
        others = 0.0
        for j in range(6):
            if j != k and region.groups[j] == region.groups[k] and region.half[j] > 0.0:
                others += (max(abs(z[j] - region.centre[j]) - h[j] * WIDER, 0.0) / region.half[j]) ** 2
        far = region.half[k] * sqrt(max(WIDER * WIDER - others, 0.0)) * WIDER
        low, high = max(z[k] - h[k], region.centre[k] - far), min(z[k] + h[k], region.centre[k] + far)
        if low <= high:
            z[k], h[k] = (low + high) / 2.0, (high - low) / 2.0


@kernel
def boxes_that_meet(region: RegionArrays, z: Array, h: Array) -> Bools:
    """Which of n boxes intersect the region."""
    found = np.empty(len(z), np.bool_)
    for i in range(len(z)):
        found[i] = meets(region, z[i], h[i])
    return found


@kernel
def part_boxes(
    region: RegionArrays, half: Array, z: Array, h: Array, score: Array, times: int, fall: float
) -> tuple[Array, Array, Ints]:
    """Pieces of the remaining parts (z, h) of n boxes of half widths `half`: centres, half widths, and each one's box.

    A part is halved `times` times along the coordinates of the largest scores (n, 6), multiplied by `fall` each time;
    not at all where much of the box is gone. Pieces are shrunk to the region. Overwrites h and the scores.
    """
    count, most = 0, len(z) * 2**times
    centres, halves, of, along = (
        np.empty((most, 6)),
        np.empty((most, 6)),
        np.empty(most, np.int64),
        np.empty(times, np.int64),
    )
    for i in range(len(z)):
        kept = 1.0
        for k in range(6):
            kept *= h[i, k] / half[i, k] if half[i, k] > 0.0 else 1.0
        cuts = 0 if kept < ENOUGH else times
        for cut in range(cuts):
            best = 0
            for k in range(1, 6):
                best = k if score[i, k] > score[i, best] else best
            along[cut] = best
            score[i, best] *= fall
            h[i, best] /= 2.0
        # Bit `cut` of a piece's number says on which side of that cut it lies. The last cut along a coordinate moves
        # the centre by the half width h after all cuts, each earlier one by twice as much as the next.
        for piece in range(2**cuts):
            for k in range(6):
                centres[count, k], halves[count, k] = z[i, k], h[i, k]
            for cut in range(cuts):
                size = h[i, along[cut]]
                for later in range(cut + 1, cuts):
                    size *= 2.0 if along[later] == along[cut] else 1.0
                centres[count, along[cut]] += size if piece >> cut & 1 else -size
            of[count] = i
            if meets(region, centres[count], halves[count]):
                draw_in(region, centres[count], halves[count])
                count += 1
    return centres[:count], halves[:count], of[:count]
