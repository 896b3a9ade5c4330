"""Compiled searches along straight paths of poses: the first place where a margin becomes negative (travel), and all
intervals in which every margin is kept."""

from __future__ import annotations

import numpy as np

from gough._compile import kernel, noinline
from gough._linear_algebra import copy
from gough.arrays import Array, Ints
from gough.limits._margins import LimitArrays
from gough.limits._paths import Path, one_of, place
from gough.limits._walk import (
    LARGEST_STEP,
    MOST_STEPS,
    SMALLEST_STEP,
    Scratch,
    change,
    inner,
    least_margin,
    lowest,
    new_scratch,
    next_step,
    slacken,
    sure_step,
)

NO_LIMIT, OUT_OF_STEPS = -1, -2
"""In place of the column that ends a travel."""
UNFINISHED = -1
"""In place of the number of intervals where a path has run out of steps."""


@noinline
def walk(
    limits: LimitArrays, exact: LimitArrays, path: Path, farthest: float, speed: float, scratch: Scratch
) -> tuple[float, int]:
    """Distance along one path, and the column that ends it; `exact` are the limits without `sign_only`."""
    now, before = scratch.now, scratch.before
    slacken(limits, exact, path, farthest, scratch)
    # Margins one smallest step before the start give the first rates.
    s, step = 0.0, SMALLEST_STEP / speed
    least_margin(limits, path, -step, scratch, before)
    f = least_margin(limits, path, 0.0, scratch, now)
    if not f >= 0.0:
        column = lowest(now, limits)
        return (np.nan if column < 0 else 0.0), column
    for taken in range(MOST_STEPS):
        if not s < farthest:
            return np.inf, NO_LIMIT
        step = next_step(limits, path, s, step, speed, taken, scratch)
        copy(now, before)
        g = least_margin(limits, path, s + step, scratch, now)
        if g < 0.0:
            s, column = change(limits, path, s, s + step, f, g, scratch)
            return inner(limits, exact, path, s, 0.0, scratch), column
        s, f = s + step, g
    return s, OUT_OF_STEPS


@kernel
def travel_batch(
    limits: LimitArrays,
    exact: LimitArrays,
    paths: Path,
    farthest: Array,
    speed: Array,
    distance: Array,
    binding: Ints,
    ends: Array,
) -> None:
    """Distances (n,) along n paths, binding columns and the poses there (n, 4, 4).

    Stepping ends at `farthest` (n,), with column NO_LIMIT and an infinite distance, or after MOST_STEPS, with column
    OUT_OF_STEPS and the distance reached. `speed` (n,) bounds the joints' speed along each path, in walking lengths.
    """
    scratch = new_scratch()
    for k in range(paths.start.shape[0]):
        path = one_of(paths, k)
        distance[k], binding[k] = walk(limits, exact, path, farthest[k], speed[k], scratch)
        if abs(distance[k]) < np.inf and binding[k] >= 0:
            place(path, distance[k], ends[k])


@noinline
def intervals_on(
    limits: LimitArrays,
    exact: LimitArrays,
    path: Path,
    length: float,
    speed: float,
    ends: Array,
    binding: Ints,
    scratch: Scratch,
) -> int:
    """The first intervals along s in [0, length] on one path, into ends (most, 2) and binding (most, 2); returns their
    number, or UNFINISHED."""
    now, before = scratch.now, scratch.before
    found, s, step = 0, 0.0, SMALLEST_STEP / speed
    slacken(limits, exact, path, length, scratch)
    least_margin(limits, path, -step, scratch, before)
    f = least_margin(limits, path, 0.0, scratch, now)
    if f >= 0.0:
        ends[0, 0], binding[0, 0] = 0.0, -1
    for taken in range(MOST_STEPS):
        if not length - s > 1e-12 * length:
            break
        if not f >= 0.0:
            # Outside the legs' reach the margins bound how far the path stays outside; stop just short of the limit.
            sure = min(0.999999 * sure_step(now, speed, limits), length - s)
            if sure * speed > LARGEST_STEP:
                s, step = s + sure, SMALLEST_STEP / speed
                least_margin(limits, path, s - step, scratch, before)
                f = least_margin(limits, path, s, scratch, now)
                continue
        step = next_step(limits, path, s, step, speed, taken, scratch)
        step = min(step, length - s)
        copy(now, before)
        g = least_margin(limits, path, s + step, scratch, now)
        if (f >= 0.0) != (g >= 0.0):
            side = 0 if g >= 0.0 else 1  # 0: an interval begins, 1: it ends
            at, column = change(limits, path, s, s + step, f, g, scratch)
            at = inner(limits, exact, path, at, s + step if side == 0 else s, scratch)
            ends[found, side], binding[found, side] = at, column
            found += side
            if found == ends.shape[0]:
                return found
            least_margin(limits, path, s + step, scratch, now)  # the scratch holds the pose that the next step is from
        s, f = s + step, g
    if length - s > 1e-12 * length:
        return UNFINISHED
    if f >= 0.0:
        ends[found, 1], binding[found, 1] = length, -1
        found += 1
    return found


@kernel
def intervals_batch(
    limits: LimitArrays,
    exact: LimitArrays,
    paths: Path,
    length: Array,
    speed: Array,
    ends: Array,
    binding: Ints,
    count: Ints,
) -> None:
    """The first intervals along s in [0, length] (n,) on n paths, at most `most` of each.

    `ends` (n, most, 2) and `binding` (n, most, 2) get where each begins and ends and which column binds there, -1 at
    the ends of the path; `count` (n,) their number, UNFINISHED where it is not known.
    """
    scratch = new_scratch()
    for k in range(paths.start.shape[0]):
        count[k] = intervals_on(limits, exact, one_of(paths, k), length[k], speed[k], ends[k], binding[k], scratch)
