"""Compiled travel: the first place along a path where a margin of the machine becomes negative."""

from __future__ import annotations

import numpy as np

from gough._arrays import copy
from gough._compile import kernel, noinline
from gough.legs.leg import Array, Ints
from gough.limits._margins import COLUMNS, LimitArrays, all_margins, work_arrays
from gough.limits._walk import (
    MOST_STEPS,
    SMALLEST_STEP,
    change,
    least_step,
    lowest,
    next_step,
    place,
    smallest,
)

NO_LIMIT, OUT_OF_STEPS = -1, -2
"""In place of the column that ends a travel."""


@noinline
def walk(
    code: int,
    T: Array,
    limits: LimitArrays,
    path: int,
    start: Array,
    point: Array,
    direction: Array,
    farthest: float,
    speed: float,
    work: tuple[Array, ...],
    X: Array,
    scratch: tuple[Array, Array, Array],
) -> tuple[float, int]:
    """Distance along one direction, and the column that ends it."""
    now, before, m = scratch
    s, step = 0.0, SMALLEST_STEP / speed
    place(path, start, point, direction, -step, X)
    all_margins(code, T, X, limits, work, before)
    place(path, start, point, direction, 0.0, X)
    all_margins(code, T, X, limits, work, now)
    f = smallest(now, limits)
    if not f >= 0.0:
        column = lowest(now, limits)
        return (np.nan if column < 0 else 0.0), column
    for taken in range(MOST_STEPS):
        if not s < farthest:
            return np.inf, NO_LIMIT
        step = max(next_step(before, now, step, speed, limits), least_step(taken, speed))
        copy(now, before)
        place(path, start, point, direction, s + step, X)
        all_margins(code, T, X, limits, work, now)
        g = smallest(now, limits)
        if g < 0.0:
            return change(code, T, limits, path, start, point, direction, s, s + step, f, g, work, X, m)
        s, f = s + step, g
    return s, OUT_OF_STEPS


@kernel
def travel_batch(
    code: int,
    T: Array,
    limits: LimitArrays,
    path: int,
    start: Array,
    point: Array,
    direction: Array,
    farthest: Array,
    speed: Array,
    distance: Array,
    binding: Ints,
    ends: Array,
) -> None:
    """Distances (n,) along directions (n, 6) from starts (n, 4, 4), binding columns and the poses there (n, 4, 4).

    The walk ends at `farthest` (n,), with column NO_LIMIT and an infinite distance; one that runs out of steps ends
    where it is, with column OUT_OF_STEPS. `speed` (n,) bounds how fast a joint can go along each direction, in walking
    lengths.
    """
    work = work_arrays()
    X = np.empty((4, 4))
    now, before, m = np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS)
    for k in range(direction.shape[0]):
        distance[k], binding[k] = walk(
            code, T, limits, path, start[k], point, direction[k], farthest[k], speed[k], work, X, (now, before, m)
        )
        if abs(distance[k]) < np.inf and binding[k] >= 0:
            place(path, start[k], point, direction[k], distance[k], ends[k])
