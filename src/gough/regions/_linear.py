"""Minima of linear functions over the intersections of boxes with a region, compiled."""

from __future__ import annotations

from math import sqrt

from gough._compile import inline_norefcount
from gough.arrays import Array
from gough.regions._placing import EPS, WIDER, RegionArrays

MULTIPLIERS = (0.2, 0.45)
"""Lagrange multipliers of an ellipsoid that are tried, as parts of what a linear function changes from its centre to
its boundary: each gives a bound."""


@inline_norefcount
def least_over_ellipsoid(region: RegionArrays, z: Array, half: Array, g: Array, group: int) -> float:
    """Lower bound of g . x over |x_i| <= 1 and an ellipsoid, of its coordinates: the largest of three."""
    over_box, radius, offset, beyond = 0.0, 0.0, 0.0, 0.0
    for j in range(6):
        if region.groups[j] == group:
            over_box -= abs(g[j]) * WIDER
            if half[j] > 0.0:
                slope, r = g[j] / half[j], region.half[j] * WIDER
                offset += slope * (region.centre[j] - z[j])
                radius += (slope * r) ** 2
            if region.half[j] > 0.0:
                beyond += ((abs(z[j] - region.centre[j]) + half[j]) / region.half[j]) ** 2
    radius = sqrt(radius)
    least = max(over_box, offset - radius)
    if beyond <= 1.0:  # the box is inside: its minimum is at a corner
        return least
    # The minimum over the box of g . x + t (|o + k x|^2 - 1) for multipliers t (weak duality).
    for k in range(2):
        t, total = (MULTIPLIERS[0] if k == 0 else MULTIPLIERS[1]) * radius, 0.0
        total -= t
        for j in range(6):
            if region.groups[j] == group and region.half[j] > 0.0 and t > 0.0:
                r = region.half[j] * WIDER
                o, h = (z[j] - region.centre[j]) / r, half[j] / r * WIDER
                x = 0.0
                if h > 0.0:
                    x = min(max((-g[j] / (2.0 * t * h) - o) / h, -WIDER), WIDER)
                total += g[j] * x + t * (o + h * x) ** 2 - 16.0 * EPS * (abs(g[j]) + t * (abs(o) + h) ** 2 + t)
        least = max(least, total)
    return least


@inline_norefcount
def linear_least(region: RegionArrays, z: Array, half: Array, g: Array) -> float:
    """Lower bound of g . x over the places z + half x of box and region, for |x_i| <= 1; g is by x."""
    total = 0.0
    for j in range(6):
        group, is_first = region.groups[j], True
        for i in range(j):
            is_first &= region.groups[i] != group
        if group < 0:
            total -= abs(g[j]) * WIDER
        elif is_first:
            total += least_over_ellipsoid(region, z, half, g, group)
    return total
