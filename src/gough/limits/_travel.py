"""Compiled searches along straight paths of poses: the first place where a margin becomes negative (travel), and all
intervals in which every margin is kept."""

from __future__ import annotations

import numpy as np

from gough._compile import inline, kernel, noinline
from gough._linear_algebra import copy
from gough.arrays import Array, Ints
from gough.limits._margins import SINGULARITY, LimitArrays
from gough.limits._paths import Path, one_of, place
from gough.limits._singular_changes import Proofs, counts, new_proofs, next_change
from gough.limits._walk import (
    LARGEST_STEP,
    MOST_STEPS,
    SMALLEST_STEP,
    Scratch,
    Search,
    change,
    inner,
    least_margin,
    lowest,
    new_scratch,
    next_step,
    slacken,
    smallest,
    sure_step,
)

NO_LIMIT, OUT_OF_STEPS = -1, -2
"""In place of the column that ends a travel."""
UNFINISHED = -1
"""In place of the number of intervals where a path has run out of steps."""


@noinline
def walk(
    search: Search, path: Path, farthest: float, speed: float, scratch: Scratch, proofs: Proofs
) -> tuple[float, int]:
    """Distance along one path, and the column that ends it."""
    if not slacken(search, path, scratch) >= 0.0:
        column = lowest(scratch.now, search.limits)
        return (np.nan if column < 0 else 0.0), column
    is_apart = searched_apart(search, scratch)
    if is_apart:
        scratch.now[SINGULARITY] = np.inf
    s, column = first_violation(search, search.others if is_apart else search.limits, path, farthest, speed, scratch)
    end = min(s, farthest)
    if is_apart and end > 0.0:
        at, _, singular = next_change(search, path, 0.0, end, True, speed, scratch, proofs)
        if singular >= 0:
            return inner(search, search.limits, path, at, 0.0, scratch), singular
    return s, column


@noinline
def first_violation(
    search: Search, limits: LimitArrays, path: Path, farthest: float, speed: float, scratch: Scratch
) -> tuple[float, int]:
    """Distance along one path from an allowed start, whose margins are in `scratch.now`, and which of `limits` ends
    it."""
    now, before = scratch.now, scratch.before
    # Margins one smallest step before the start give the first rates.
    s, step = 0.0, SMALLEST_STEP / speed
    least_margin(limits, path, -step, scratch, before)
    f = smallest(now, limits)
    for taken in range(MOST_STEPS):
        if not s < farthest:
            return np.inf, NO_LIMIT
        step = next_step(limits, path, s, step, speed, taken, scratch)
        copy(now, before)
        g = least_margin(limits, path, s + step, scratch, now)
        if g < 0.0:
            s, column = change(limits, path, s, s + step, f, g, scratch)
            return inner(search, limits, path, s, 0.0, scratch), column
        s, f = s + step, g
    return s, OUT_OF_STEPS


@inline
def searched_apart(search: Search, scratch: Scratch) -> bool:
    """Whether the singularity counts, and is searched for apart from the other limits: not where a path starts on it
    and may go along it."""
    return counts(search.alone) and scratch.slack[SINGULARITY] == 0.0


@kernel
def travel_batch(
    search: Search,
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
    scratch, proofs = new_scratch(), new_proofs()
    for k in range(paths.start.shape[0]):
        path = one_of(paths, k)
        distance[k], binding[k] = walk(search, path, farthest[k], speed[k], scratch, proofs)
        if abs(distance[k]) < np.inf and binding[k] >= 0:
            place(path, distance[k], ends[k])


@noinline
def put_parts(
    search: Search,
    path: Path,
    interval: tuple[float, int, float, int],
    speed: float,
    into: tuple[Array, Ints, int],
    scratch: Scratch,
    proofs: Proofs,
) -> int:
    """Store an interval, of its ends and the columns that bind there, as number `found` of `into`, or its parts on
    home's side of the singularity where that is searched for apart; the number found then."""
    s, first, end, last = interval
    ends, binding, found = into
    if not searched_apart(search, scratch):
        ends[found, 0], binding[found, 0], ends[found, 1], binding[found, 1] = interval
        return found + 1
    is_inside = least_margin(search.alone, path, s, scratch, scratch.m) >= 0.0
    begin = s
    for _ in range(2 * ends.shape[0]):  # parts inside and outside take turns
        if found >= ends.shape[0]:
            break
        at, s, column = next_change(search, path, s, end, is_inside, speed, scratch, proofs)
        if column >= 0:
            at = inner(search, search.limits, path, at, begin if is_inside else end, scratch)
        if is_inside:
            ends[found, 0], binding[found, 0] = begin, first
            ends[found, 1], binding[found, 1] = at, column if column >= 0 else last
            found += 1
        begin, first, is_inside = at, column, not is_inside
        if column < 0:
            break
    return found


@noinline
def intervals_on(
    search: Search,
    path: Path,
    length: float,
    speed: float,
    ends: Array,
    binding: Ints,
    scratch: Scratch,
    proofs: Proofs,
) -> int:
    """The first intervals along s in [0, length] on one path, into ends (most, 2) and binding (most, 2); returns their
    number, or UNFINISHED."""
    now, before = scratch.now, scratch.before
    found, s, step = 0, 0.0, SMALLEST_STEP / speed
    slacken(search, path, scratch)
    is_apart = searched_apart(search, scratch)
    limits = search.others if is_apart else search.limits
    if is_apart:
        now[SINGULARITY] = np.inf
    least_margin(limits, path, -step, scratch, before)
    f = smallest(now, limits)
    begin, first = 0.0, -1
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
            at, column = change(limits, path, s, s + step, f, g, scratch)
            at = inner(search, limits, path, at, s + step if g >= 0.0 else s, scratch)
            if g >= 0.0:
                begin, first = at, column
            else:
                into = ends, binding, found
                found = put_parts(search, path, (begin, first, at, column), speed, into, scratch, proofs)
                if found == ends.shape[0]:
                    return found
        s, f = s + step, g
    if length - s > 1e-12 * length:
        return UNFINISHED
    if f >= 0.0:
        into = ends, binding, found
        found = put_parts(search, path, (begin, first, length, -1), speed, into, scratch, proofs)
    return found


@kernel
def intervals_batch(
    search: Search,
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
    scratch, proofs = new_scratch(), new_proofs()
    for k in range(paths.start.shape[0]):
        count[k] = intervals_on(search, one_of(paths, k), length[k], speed[k], ends[k], binding[k], scratch, proofs)
