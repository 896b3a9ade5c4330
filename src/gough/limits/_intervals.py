"""Compiled: all the intervals of a straight path of poses in which every margin is kept."""

from __future__ import annotations

import numpy as np

from gough._arrays import copy
from gough._compile import kernel, noinline
from gough.legs.leg import Array, Ints
from gough.limits._margins import COLUMNS, LimitArrays, all_margins, work_arrays
from gough.limits._walk import (
    MOST_STEPS,
    SMALLEST_STEP,
    TWIST,
    change,
    least_step,
    next_step,
    place,
    smallest,
)

UNFINISHED = -1
"""In place of the number of intervals where a path has run out of steps."""


@noinline
def look(
    code: int,
    T: Array,
    limits: LimitArrays,
    start: Array,
    point: Array,
    direction: Array,
    s: float,
    work: tuple[Array, ...],
    X: Array,
    m: Array,
) -> float:
    """Margins at s on the path, into m; the smallest."""
    place(TWIST, start, point, direction, s, X)
    all_margins(code, T, X, limits, work, m)
    return smallest(m, limits)


@noinline
def intervals_on(
    code: int,
    T: Array,
    limits: LimitArrays,
    start: Array,
    point: Array,
    direction: Array,
    length: float,
    speed: float,
    ends: Array,
    binding: Ints,
    work: tuple[Array, ...],
    X: Array,
    scratch: Array,
) -> int:
    """Intervals along s in [0, length] on one path, into ends (most, 2) and binding (most, 2); their number, or
    UNFINISHED."""
    now, before, m = scratch[0], scratch[1], scratch[2]
    found, s, step = 0, 0.0, SMALLEST_STEP / speed
    look(code, T, limits, start, point, direction, -step, work, X, before)
    f = look(code, T, limits, start, point, direction, 0.0, work, X, now)
    if f >= 0.0:
        ends[0, 0], binding[0, 0] = 0.0, -1
    for taken in range(MOST_STEPS):
        if not length - s > 1e-12 * length:
            break
        step = max(next_step(before, now, step, speed, limits), least_step(taken, speed))
        step = min(step, length - s)
        copy(now, before)
        g = look(code, T, limits, start, point, direction, s + step, work, X, now)
        if (f >= 0.0) != (g >= 0.0):
            side = 0 if g >= 0.0 else 1
            at, column = change(code, T, limits, TWIST, start, point, direction, s, s + step, f, g, work, X, m)
            if found < ends.shape[0]:
                ends[found, side], binding[found, side] = at, column
            found += side
        s, f = s + step, g
    if length - s > 1e-12 * length:
        return UNFINISHED
    if f >= 0.0:
        if found < ends.shape[0]:
            ends[found, 1], binding[found, 1] = length, -1
        found += 1
    return found


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
    the ends of the path; `count` (n,) their number, which can exceed `most`, UNFINISHED where it is not known.
    """
    work, X, scratch = work_arrays(), np.empty((4, 4)), np.empty((3, COLUMNS))
    for k in range(start.shape[0]):
        count[k] = intervals_on(
            code,
            T,
            limits,
            start[k],
            point,
            direction[k],
            length[k],
            speed[k],
            ends[k],
            binding[k],
            work,
            X,
            scratch,
        )
