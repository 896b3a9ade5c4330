"""Compiled travel: the first place along a path where a margin of the machine becomes negative."""

from __future__ import annotations

import numpy as np

from gough._arrays import copy
from gough._compile import kernel
from gough.analysis._margins import COLUMNS, LimitArrays, all_margins, work_arrays
from gough.analysis._walk import SMALLEST_STEP, change, leaves_reach, lowest, next_step, place, smallest
from gough.legs.leg import Array, Ints


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
) -> None:
    """Distances (n,) along directions (n, 6) from starts (n, 4, 4) and binding columns, -1 for none.

    The walk ends at `farthest` (n,); `speed` (n,) bounds how fast a joint can go along each direction, in walking
    lengths.
    """
    work = work_arrays()
    X = np.empty((4, 4))
    now, before, m = np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS)
    for k in range(direction.shape[0]):
        s, step = 0.0, SMALLEST_STEP / speed[k]
        place(path, start[k], point, direction[k], -step, X)
        all_margins(code, T, X, limits, work, before)
        place(path, start[k], point, direction[k], 0.0, X)
        all_margins(code, T, X, limits, work, now)
        distance[k], binding[k] = np.inf, -1
        f = smallest(now, limits)
        if not f >= 0.0:
            binding[k] = lowest(now, limits)
            distance[k] = np.nan if binding[k] < 0 else 0.0
            continue
        most_step = np.inf
        while s < farthest[k]:
            step = min(most_step, next_step(before, now, step, speed[k], limits))
            most_step = np.inf
            copy(now, before)
            place(path, start[k], point, direction[k], s + step, X)
            all_margins(code, T, X, limits, work, now)
            g = smallest(now, limits)
            if leaves_reach(now, g, step, speed[k], limits):
                copy(before, now)
                most_step = 0.25 * step
                continue
            if g < 0.0:
                distance[k], binding[k] = change(
                    code, T, limits, path, start[k], point, direction[k], s, s + step, f, g, work, X, m
                )
                break
            s, f = s + step, g
