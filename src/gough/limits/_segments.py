"""Compiled distance between two straight rods."""

from __future__ import annotations

from math import sqrt

from gough._compile import inline
from gough.arrays import Array


@inline
def clamp01(value: float) -> float:
    """Value kept between 0 and 1."""
    return min(1.0, max(0.0, value))


@inline
def segment_distance(rods: Array, i: int, j: int) -> float:
    """Distance between segments i and j [m]; columns of rods (6, 6) hold both ends (Ericson 2005, section 5.1.9)."""
    ux, uy, uz = rods[3, i] - rods[0, i], rods[4, i] - rods[1, i], rods[5, i] - rods[2, i]
    vx, vy, vz = rods[3, j] - rods[0, j], rods[4, j] - rods[1, j], rods[5, j] - rods[2, j]
    wx, wy, wz = rods[0, i] - rods[0, j], rods[1, i] - rods[1, j], rods[2, i] - rods[2, j]
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    # Closest points of the infinite lines, s clamped to its segment; s = 0 where the lines are parallel.
    gram = uu * vv - uv * uv
    s = clamp01((uv * vw - vv * uw) / gram) if gram > 1e-14 * uu * vv else 0.0
    t = (uv * s + vw) / vv
    # Where t leaves its segment, clamp it and find the closest s once more.
    if t < 0.0:
        t, s = 0.0, clamp01(-uw / uu)
    elif t > 1.0:
        t, s = 1.0, clamp01((uv - uw) / uu)
    dx, dy, dz = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return sqrt(dx * dx + dy * dy + dz * dz)
