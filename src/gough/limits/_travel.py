"""Compiled travel: the first place along a path where a margin of the machine becomes negative."""

from __future__ import annotations

import numpy as np

from gough._compile import kernel, noinline
from gough._linear_algebra import copy
from gough.arrays import Array, Ints
from gough.limits._margins import LimitArrays
from gough.limits._walk import (
    MOST_STEPS,
    SMALLEST_STEP,
    Path,
    Scratch,
    change,
    least_margin,
    least_step,
    lowest,
    new_scratch,
    next_step,
    one_of,
    place,
)

NO_LIMIT, OUT_OF_STEPS = -1, -2
"""In place of the column that ends a travel."""


@noinline
def walk(limits: LimitArrays, path: Path, farthest: float, speed: float, scratch: Scratch) -> tuple[float, int]:
    """Distance along one path, and the column that ends it."""
    now, before = scratch.now, scratch.before
    s, step = 0.0, SMALLEST_STEP / speed
    least_margin(limits, path, -step, scratch, before)
    f = least_margin(limits, path, 0.0, scratch, now)
    if not f >= 0.0:
        column = lowest(now, limits)
        return (np.nan if column < 0 else 0.0), column
    for taken in range(MOST_STEPS):
        if not s < farthest:
            return np.inf, NO_LIMIT
        step = max(next_step(before, now, step, speed, limits), least_step(taken, speed))
        copy(now, before)
        g = least_margin(limits, path, s + step, scratch, now)
        if g < 0.0:
            return change(limits, path, s, s + step, f, g, scratch)
        s, f = s + step, g
    return s, OUT_OF_STEPS


@kernel
def travel_batch(
    limits: LimitArrays, paths: Path, farthest: Array, speed: Array, distance: Array, binding: Ints, ends: Array
) -> None:
    """Distances (n,) along n paths, binding columns and the poses there (n, 4, 4).

    Stepping ends at `farthest` (n,), with column NO_LIMIT and an infinite distance, or after MOST_STEPS, with column
    OUT_OF_STEPS and the distance reached. `speed` (n,) bounds the joints' speed along each path, in walking lengths.
    """
    scratch = new_scratch()
    for k in range(paths.start.shape[0]):
        path = one_of(paths, k)
        distance[k], binding[k] = walk(limits, path, farthest[k], speed[k], scratch)
        if abs(distance[k]) < np.inf and binding[k] >= 0:
            place(path, distance[k], ends[k])
