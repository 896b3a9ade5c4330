"""Intersection of boxes with a region, compiled (`gough.regions.cells`)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import kernel, noinline_norefcount
from gough.arrays import Array, Bools
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
