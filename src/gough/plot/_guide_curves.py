"""Curves of the driven points: guides, and circles of cranks or of carriages on a ring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gough.arrays import Array
from gough.machine import Machine

TURN = np.linspace(-np.pi, np.pi, 73)
"""Crank angles that draw a whole circle [rad]."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of the driven points of six cranks.

    Attributes
    ----------
    points : (6, 72, 3) array
        Points on each circle [m].
    centre, axis : (6, 3) arrays
        Centres [m] and unit normals.
    radius : (6,) array
        Radii [m].
    is_ring : bool
        Whether all circles share a centre: carriages on a ring.

    """

    points: Array
    centre: Array
    axis: Array
    radius: Array
    is_ring: bool


@lru_cache(maxsize=4)
def circles(machine: Machine) -> Circles:
    """Circles of a machine with cranks, cached because animations need them at every instant."""
    # Without the last point, which repeats the first, the mean of the points is the centre.
    points = machine.legs.path(np.full(6, TURN[0]), np.full(6, TURN[-1]), len(TURN))[:, :-1]
    centre = points.mean(axis=1)
    spokes = points - centre[:, None]
    axis = np.cross(spokes[:, 0], spokes[:, len(TURN) // 4])
    is_ring = bool(np.ptp(centre, axis=0).max() < 1e-6 * machine.size)
    radius = np.linalg.norm(spokes[:, 0], axis=-1)
    return Circles(points, centre, axis / np.linalg.norm(axis, axis=-1, keepdims=True), radius, is_ring)


def guide_ends(machine: Machine, q: Array) -> Array:
    """Ends (6, 2, 3) of the guides as drawn: at the limits, or half a rod from the driven point where none are."""
    rod = machine.legs.rod()
    middle, half = np.where(np.isfinite(q), q, 0.0), 0.5 * (np.ones(6) if rod is None else rod)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    low, high = np.where(np.isfinite(low), low, middle - half), np.where(np.isfinite(high), high, middle + half)
    return machine.legs.path(low, high, 2)


def carrying_ends(ends: Array, b_B: Array) -> Array:
    """Points at which a plate carries guides (6, 2, 3): all ends if they lie in one plane, else the six far from the
    platform."""
    # Singular values are the extents along the principal axes: a small third one means a plane.
    spread = np.linalg.svd(ends.reshape(-1, 3) - ends.mean(axis=(0, 1)), compute_uv=False)
    if spread[2] < 0.02 * spread[0]:
        return np.asarray(ends.reshape(-1, 3))
    distance = np.linalg.norm(ends - b_B.mean(axis=0), axis=-1).mean(axis=0)
    return np.asarray(ends[:, int(np.argmax(distance))])
