"""What is left of boxes, cut into smaller ones, compiled (`gough.regions.cells`)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import kernel, noinline_norefcount
from gough.arrays import Array, Bools, Ints
from gough.regions._placing import WIDER, RegionArrays

ENOUGH = 0.25
"""Part of a box, beside which what is left of it is not halved."""


@noinline_norefcount
def meets(region: RegionArrays, z: Array, h: Array) -> bool:
    """Whether a box has a place in common with the region."""
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
    """A box that meets the region, less what its ellipsoids leave out of it along each coordinate."""
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
    """Which of n boxes have a place in common with the region."""
    found = np.empty(len(z), np.bool_)
    for i in range(len(z)):
        found[i] = meets(region, z[i], h[i])
    return found


@kernel
def part_boxes(
    region: RegionArrays, half: Array, z: Array, h: Array, score: Array, times: int, fall: float
) -> tuple[Array, Array, Ints]:
    """What is left (z, h) of n boxes that had other half widths, halved along the coordinates of the largest scores
    (n, 6), which fall to a part, but where much was cut off, drawn in to the region: centres, half widths and of which
    box each is; h and scores are lost."""
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
