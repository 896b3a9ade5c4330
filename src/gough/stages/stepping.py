"""Searches along paths by short steps and root finding, in terms of the smallest relative margin along them.

Violations over less than a step may be missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Bools, Ints, Progress
from gough.limits._travel import NO_LIMIT
from gough.limits._walk import MOST_STEPS
from gough.limits.interval_search import Intervals

AT_ONCE = 32
"""Steps evaluated in one batch."""
PATHS_AT_ONCE = 256
"""Paths evaluated in one batch of all intervals."""
NEAR = np.arange(-8, 9)
"""Units in the last place about a root among which the last allowed number is chosen."""

Least: TypeAlias = Callable[[Array, Ints], tuple[Array, Ints]]
"""Smallest relative margins and their columns (m, k) as a function of path lengths (m, k) on paths (m,)."""


def first_crossings(least: Least, step: Array, farthest: Array, active: Ints) -> tuple[Array, Array]:
    """Return the last path length within the limits and first one beyond them (n,), infinite without one, on the active
    paths."""
    inside, beyond = np.zeros(len(step)), np.full(len(step), np.inf)
    for _ in range(MOST_STEPS // AT_ONCE):
        if not len(active):
            break
        s = inside[active, None] + step[active, None] * np.arange(1, AT_ONCE + 1)
        s = np.minimum(s, farthest[active, None])
        is_out = least(s, active)[0] < 0
        first, is_hit = is_out.argmax(axis=1), is_out.any(axis=1)
        beyond[active[is_hit]] = s[is_hit, first[is_hit]]
        before = np.column_stack([inside[active], s])[np.arange(len(active)), first]
        inside[active] = np.where(is_hit, before, s[:, -1])
        active = active[~is_hit & (inside[active] < farthest[active])]
    return inside, beyond


def crossings(least: Least, inside: Array, beyond: Array) -> tuple[Array, Ints]:
    """Return the last path lengths within the limits (n,), to rounding, and the active columns just beyond."""
    from scipy.optimize.elementwise import find_root

    inside, rows = inside.copy(), np.flatnonzero(np.isfinite(beyond))
    column = np.full(len(inside), NO_LIMIT, dtype=np.int64)
    if len(rows):
        ends = inside[rows], beyond[rows]
        found = find_root(lambda s, k: least(s[:, None], k)[0][:, 0], ends, args=(rows,))
        # The root may lie on either side by rounding: the last allowed number among its neighbours.
        near = found.x[:, None] + np.spacing(np.abs(found.x))[:, None] * NEAR
        value, at = least(near, rows)
        first, which = np.maximum((value < 0).argmax(axis=1), 1), np.arange(len(rows))
        inside[rows], column[rows] = near[which, first - 1], at[which, first]
    return inside, column


def drawn_in(least: Least, distance: Array, rows: Ints) -> Array:
    """Return the path lengths (n,), those of some rows drawn back by rounding until no margin there is below zero."""
    distance, step = distance.copy(), 2 * np.spacing(distance)
    while len(rows):
        rows = rows[(least(distance[rows, None], rows)[0][:, 0] < 0) & (distance[rows] > 0)]
        distance[rows] = np.maximum(distance[rows] - step[rows], 0.0)
        step *= 2.0
    return distance


def first_intervals(least: Least, step: Array, lengths: Array, most: int, progress: Progress = None) -> Intervals:
    """Return the first allowed intervals, at most so many, of paths of lengths (n,), by steps of at most `step` (n,).

    `ends` and `binding` are those of `gough.limits.interval_search.Intervals`, exact to rounding.
    """
    parts = []
    for first in range(0, len(lengths), PATHS_AT_ONCE):
        paths = np.arange(first, min(first + PATHS_AT_ONCE, len(lengths)))
        count = int(np.ceil(np.max(lengths[paths] / step[paths])))
        s = lengths[paths, None] * np.linspace(0.0, 1.0, count + 1)
        found = _between(least, paths, s, _are_inside(least, paths, s, most))
        parts.append(Intervals(found.ends[:, :most], found.binding[:, :most], np.minimum(found.count, most)))
        if progress is not None:
            progress(int(paths[-1]) + 1, len(lengths))
    return Intervals.joined([part.padded(most) for part in parts]).trimmed()


def _are_inside(least: Least, paths: Ints, s: Array, most: int) -> Bools:
    """Whether path lengths s (n, k) of paths (n,) are allowed; not searched after `most` intervals."""
    found, active = np.zeros(s.shape, dtype=bool), np.arange(len(paths))
    for k in range(0, s.shape[1], AT_ONCE):
        end = min(k + AT_ONCE, s.shape[1])
        found[active, k:end] = least(s[active, k:end], paths[active])[0] >= 0
        found[:, end:] = found[:, [end - 1]]
        ended = (found[:, :-1] & ~found[:, 1:]).sum(axis=1)
        active = active[ended[active] < most]
        if not len(active):
            break
    return found


def _between(least: Least, paths: Ints, s: Array, is_inside: Bools) -> Intervals:
    """Intervals of paths (n,) from whether path lengths s (n, k), the first and the last among them, are allowed."""
    path, step = np.nonzero(is_inside[:, 1:] != is_inside[:, :-1])
    is_end = is_inside[path, step]
    # An interval that begins is one that ends on the path in the other sense.
    sense, before, after = np.where(is_end, 1.0, -1.0), s[path, step], s[path, step + 1]
    inside, beyond = (sense * np.where(is_end, *pair) for pair in ((before, after), (after, before)))
    found, column = crossings(lambda at, k: least(sense[k, None] * at, paths[path[k]]), inside, beyond)
    # Beginnings and ends alternate: the places of a path's crossings in its own (most, 2) arrays.
    first = np.searchsorted(path, np.arange(len(paths)))
    place = np.arange(len(path)) - first[path] + is_inside[path, 0]
    count = is_inside[:, 0] + np.bincount(path[~is_end], minlength=len(paths))
    most = max(1, int(count.max(initial=0)))
    ends, binding = np.full((len(paths), 2 * most), np.nan), np.full((len(paths), 2 * most), NO_LIMIT)
    ends[path, place], binding[path, place] = sense * found, column
    ends[is_inside[:, 0], 0] = 0.0
    last = np.flatnonzero(is_inside[:, -1])
    ends[last, 2 * count[last] - 1] = s[last, -1]
    return Intervals(ends.reshape(-1, most, 2), binding.reshape(-1, most, 2), count)
