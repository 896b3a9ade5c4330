"""Compiled: all the intervals of a straight path of poses in which every margin is kept."""

from __future__ import annotations

import numpy as np

from gough._arrays import copy
from gough._compile import kernel
from gough.analysis._margins import COLUMNS, REACH, LimitArrays, all_margins, work_arrays
from gough.analysis._walk import LARGEST_STEP, SMALLEST_STEP, TWIST, change, leaves_reach, next_step, place, smallest
from gough.legs.leg import Array, Ints

PATIENCE, LEAST_LATER = 500, 0.1 * LARGEST_STEP
"""After so many steps on one path they are at least so long, in walking lengths: a path that grazes a limit all along,
such as the singular surface, would never end."""


@kernel
def intervals_batch(
    code: int,
    T: Array,
    limits: LimitArrays,
    start: Array,
    point: Array,
    direction: Array,
    length: Array,
    speed: Array,
    ends: Array,
    binding: Ints,
    count: Ints,
) -> None:
    """Intervals along s in [0, length] (n,), from starts (n, 4, 4) along directions (n, 6).

    `ends` (n, most, 2) and `binding` (n, most, 2) get where each begins and ends and which column binds there, -1 at
    the ends of the path; `count` (n,) their number, which can exceed `most`.
    """
    work = work_arrays()
    X = np.empty((4, 4))
    now, before, m = np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS)
    most = ends.shape[1]
    for k in range(start.shape[0]):
        found = 0
        s, step = 0.0, SMALLEST_STEP / speed[k]
        place(TWIST, start[k], point, direction[k], -step, X)
        all_margins(code, T, X, limits, work, before)
        place(TWIST, start[k], point, direction[k], 0.0, X)
        all_margins(code, T, X, limits, work, now)
        f = smallest(now, limits)
        if f >= 0.0:
            ends[k, 0, 0], binding[k, 0, 0] = 0.0, -1
        most_step, taken = np.inf, 0
        while s < length[k]:
            step, taken = next_step(before, now, step, speed[k], limits), taken + 1
            if taken > PATIENCE:
                step = max(step, LEAST_LATER / speed[k])
            step, most_step = min(most_step, step, length[k] - s), np.inf
            copy(now, before)
            place(TWIST, start[k], point, direction[k], s + step, X)
            all_margins(code, T, X, limits, work, now)
            g = smallest(now, limits)
            if f >= 0.0 and leaves_reach(now, g, step, speed[k], limits):
                copy(before, now)
                most_step = 0.25 * step
                continue
            if (f >= 0.0) != (g >= 0.0):
                side = 0 if g >= 0.0 else 1
                at, column = change(
                    code, T, limits, TWIST, start[k], point, direction[k], s, s + step, f, g, work, X, m
                )
                if found < most:
                    ends[k, found, side], binding[k, found, side] = at, column
                found += side
                if side == 0 and limits.wanted[REACH]:
                    # Where a leg comes into reach its other margins appear with it, and no rate tells how soon they
                    # are broken again: the walk goes on from the entry, with a first small step.
                    most_step, step = SMALLEST_STEP / speed[k], at - s
                    place(TWIST, start[k], point, direction[k], at, X)
                    all_margins(code, T, X, limits, work, now)
                    g = smallest(now, limits)
            s, f = s + step, g
            if length[k] - s < 1e-12 * length[k]:
                break
        if f >= 0.0:
            if found < most:
                ends[k, found, 1], binding[k, found, 1] = length[k], -1
            found += 1
        count[k] = found
