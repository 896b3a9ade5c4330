"""Locally optimal centre of a region, about which it has the largest scale: sequential linear programming.

Each limit has its smallest margin m over the region at some place. When the centre moves by dc and the scale changes by
ds, m + (dm/dc) dc + (dm/ds) ds remains, to first order: a linear programme for the largest ds, within a trust region
that is halved where the scale does not grow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools
from gough.regions.branching import Search
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion, Scaled

ROUNDS = 40
"""Most linear programmes."""
NEWTON = 5
"""Newton steps for the scale at the first place."""
START = 1e-3
"""First and smallest scale of the search."""
STEP = 1e-6
"""Step of central differences, as a part of the machine's size and of the scale."""
WIDEST, NARROWEST = 0.1, 1e-5
"""First and last half width of the trust region of the centre, as parts of the machine's size."""


def best_place(limits: RegionLimits, region: PoseRegion, scaled: Scaled, ignored: tuple[str, ...]) -> PoseRegion:
    """The region about a centre near its own with a larger scale, as far as linear programmes find.

    Smallest margins are those at the minimisers of models over the region: the scale is not proven here, but later,
    about the centre that is found.
    """
    counted = np.array([column.name not in ignored for column in limits.columns])
    size = limits.machine.size
    best, scale, step = region, START, WIDEST * size
    room = _room(limits, best, scale, scaled, counted)
    # A scale near the largest one at the first centre: margins are linearised where they are small.
    for _ in range(NEWTON):
        reached = _reached(scale, room)
        if not np.isfinite(reached) or reached < START:
            break
        scale = reached
        room = _room(limits, best, scale, scaled, counted)
    reached = _reached(scale, room)
    for _ in range(ROUNDS):
        move = _programme(room, scale, step)
        if move is None or step < NARROWEST * size:
            break
        tried = replace(best, centre=best.centre + np.append(move[:3], np.zeros(3)))
        wanted = max(scale + float(move[3]), START)
        found = _room(limits, tried, wanted, scaled, counted)
        if _reached(wanted, found) > reached:
            best, scale, room, reached = tried, wanted, found, _reached(wanted, found)
        else:
            step /= 2  # the linearisation does not hold as far
    return best


class Room(NamedTuple):
    """Smallest margins (k,) of limits over a region, and their derivatives by its centre (k, 3) and its scale (k,)."""

    margins: Array
    by_place: Array
    by_scale: Array


def _reached(scale: float, room: Room) -> float:
    """The scale at which the first margin would be zero, at the same centre, if all were linear."""
    falls = room.by_scale < 0
    return scale + float((room.margins[falls] / -room.by_scale[falls]).min(initial=np.inf))


def _worst(limits: RegionLimits, region: PoseRegion, counted: Bools) -> tuple[Array, Array]:
    """Places (k, 6) where models over the region have the limits' smallest margins (k,); infinite for ignored ones."""
    search = Search(limits, Chart.of(region), counted)
    search.look_at_minimisers()
    record = search.record
    return search.chart.coordinates(record.places), np.where(counted, record.upper, np.inf)


def _room(limits: RegionLimits, region: PoseRegion, scale: float, scaled: Scaled, counted: Bools) -> Room:
    own = region.scaled(scale, scaled)
    z, least = _worst(limits, own, counted)
    h, k = STEP * limits.machine.size, np.arange(len(z))
    shifts = np.concatenate([h * np.eye(3), -h * np.eye(3)])
    X = own.poses(z)
    moved = np.tile(X, (6, 1, 1, 1))
    moved[:, :, :3, 3] += shifts[:, None]
    values = limits.margins(moved.reshape(-1, 4, 4)).reshape(6, len(z), -1)[:, k, k]
    by_place = (values[:3] - values[3:]).T / (2 * h)
    is_scaled = region.scaled(2.0, scaled).half != region.half  # half widths of zero are of no matter
    unit = (z - own.centre) / scale * is_scaled  # dz/ds
    ends = [limits.margins(own.poses(z + sign * STEP * unit))[k, k] for sign in (1, -1)]
    by_scale = (ends[0] - ends[1]) / (2 * STEP)
    is_known = counted & np.isfinite(least) & np.isfinite(by_place).all(axis=1) & np.isfinite(by_scale)
    return Room(least[is_known], by_place[is_known], by_scale[is_known])


def _programme(room: Room, scale: float, step: float) -> Array | None:
    """The change (4,) of centre and scale with the largest scale, in a cube of steps; None where there is none."""
    from scipy.optimize import linprog

    found = linprog(
        [0.0, 0.0, 0.0, -1.0],
        A_ub=-np.column_stack([room.by_place, room.by_scale]),
        b_ub=room.margins,
        bounds=[(-step, step)] * 3 + [(-scale, None)],
        method="highs",
    )
    return found.x if found.status == 0 else None
