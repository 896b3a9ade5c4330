"""Points of edges on limits: zeros of one level along edges that lie on other limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.workspaces.levels import Levels

INSIDE, ARRIVED = 1e-10, 1e-8
"""Levels of points on a limit are about the first and at most the second: above zero, so that rounding leaves them
allowed."""
STEPS = 12
"""Most steps of the search along an edge."""
MOVES = 8
"""Most Newton steps of a point to its limits, with the gradients at the edge's middle."""
PUSHES, FEW_PUSHES = 16, 3
"""The same with the gradients at the point, at the end and in the course of a search."""
SMALL = 1e-4
"""Step of differences of levels, in lengths of the edge."""
RESOLVED = 1e-11
"""Newton steps below this part of the edge's length are rounding: levels of rods at their reach have endless slopes."""
MISSED = 1e-3
"""Levels of points that a search has not brought to their limits."""
SHORTER, SHORTENINGS = 0.49, 5
"""Part that is left of a step that leads where limits are unknown, and how often it is shortened at most. Near a rod's
reach levels are like square roots, and Newton steps twice as long as those to the reach itself."""
FARTHEST = 0.5
"""Longest displacement of a point from its edge, in lengths of the edge."""
SHARPEST = 1e-4
"""Singular values of the limits' gradients below this part of the largest are zero: limits that touch tangentially."""
FLAT = 1e-9
"""A level that changes by less along an edge is constant."""


class OnLimits(NamedTuple):
    """Points (n, 3), their levels (n, k), and the limits that they are on (n, k)."""

    points: Array
    levels: Array
    is_on: Bools


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges between points `start` and `end` (n, 3), both on the limits `is_on` (n, k); no point may violate the limits
    `done` (k,). Limits that are `is_sure` (k,) are known everywhere. Levels are the smallest at the orientations
    `sample` (n, m), or at all those that count near a point.
    """

    levels: Levels
    start: Array
    end: Array
    is_on: Bools
    done: Bools
    is_sure: Bools
    sample: Bools | None = None

    @cached_property
    def length(self) -> Array:
        """Length of each edge (n,)."""
        return np.asarray(np.linalg.norm(self.end - self.start, axis=1))

    @cached_property
    def limits(self) -> tuple[Ints, Bools]:
        """Columns (n, m) of the limits that each edge is on, filled up to m, and which are such limits (n, m)."""
        return first_columns(self.is_on)

    @cached_property
    def steps(self) -> Array:
        """Pseudo-inverse (n, 3, m) of the gradients of `limits` at the middles of the edges."""
        limits, is_one = self.limits
        found, bound = np.zeros((len(self.start), 3, limits.shape[1])), is_one.any(axis=1)
        middle, which = 0.5 * (self.start + self.end)[bound], np.flatnonzero(bound)
        found[bound] = self.inverse_slopes(middle, limits[bound], is_one[bound], which)
        return found

    def levels_at(self, points: Array, which: Ints) -> Array:
        """Return levels (m, k) at points (m, 3) of edges `which` (m,)."""
        return self.levels(points, None if self.sample is None else self.sample[which])

    def at(self, part: Array, which: Ints) -> OnLimits:
        """Return points (m, 3) at a part (m,) of edges `which` (m,), moved to the limits of these by Newton steps with
        fixed gradients."""
        points = self.start[which] + part[:, None] * (self.end - self.start)[which]
        known, is_on = self.levels_at(points, which), self.is_on[which]
        limits, is_one = self.limits[0][which], self.limits[1][which]
        moving = np.flatnonzero(is_one.any(axis=1))
        for _ in range(MOVES):
            left = np.where(is_one[moving], np.take_along_axis(known[moving], limits[moving], axis=1) - INSIDE, 0.0)
            step = -(self.steps[which[moving]] @ left[..., None])[..., 0]
            is_short = np.linalg.norm(step, axis=1) <= FARTHEST * self.length[which[moving]]  # False for NaN
            goes_on = (np.abs(left) >= INSIDE).any(axis=1) & is_short
            moving = moving[goes_on]
            if not len(moving):
                break
            points[moving] += step[goes_on]
            known[moving] = self.levels_at(points[moving], which[moving])
        return OnLimits(points, known, is_on)

    def pushed(self, found: OnLimits, chosen: Bools, which: Ints, rounds: int) -> OnLimits:
        """Return points of edges `which` (n,), of which the chosen are moved to the limits that they violate too, in
        place.

        An edge between two allowed points may pass outside another limit. Points that reach no allowed place stay.
        """
        if not chosen.any():
            return found
        given = OnLimits(found.points[chosen], found.levels[chosen], found.is_on[chosen])
        length = self.length[which[chosen]]
        points, known, to_do = given.points.copy(), given.levels.copy(), np.arange(len(length))
        for _ in range(rounds):
            limits, is_one = first_columns(given.is_on[to_do] | (known[to_do] < 0) & self.done)
            left = np.where(is_one, np.take_along_axis(known[to_do], limits, axis=1) - INSIDE, 0.0)
            goes_on = ~(np.abs(left) < INSIDE).all(axis=1)
            to_do, limits, is_one, left = to_do[goes_on], limits[goes_on], is_one[goes_on], left[goes_on]
            if not len(to_do):
                break
            steps = self.inverse_slopes(points[to_do], limits, is_one, which[chosen][to_do])
            step = (steps @ np.nan_to_num(left)[..., None])[..., 0]
            size = np.linalg.norm(step, axis=1) / length[to_do]
            is_short = (size > RESOLVED) & (size <= FARTHEST)
            needed = is_one[is_short] & np.isfinite(left[is_short])
            to_do, step, limits = to_do[is_short], step[is_short], limits[is_short]
            after = self._after(points[to_do], step, (limits, needed), which[chosen][to_do])
            points[to_do], known[to_do] = after
        is_on = given.is_on | ((known >= 0) & (known <= ARRIVED) & self.done)
        is_good = np.linalg.norm(points - given.points, axis=1) <= FARTHEST * length
        is_good &= ~self.breaks(known)
        for part, better in zip(found, (points, known, is_on), strict=True):
            part[np.flatnonzero(chosen)[is_good]] = better[is_good]
        return found

    def _after(self, start: Array, step: Array, needed: tuple[Ints, Bools], which: Ints) -> tuple[Array, Array]:
        """Points (n, 3) after steps, and their levels: shorter where limits that are needed (n, m) would not be known,
        beyond a rod's reach."""
        points, (limits, is_needed) = start - step, needed
        known = self.levels_at(points, which)
        for k in range(1, SHORTENINGS):
            lost = np.flatnonzero((np.isnan(np.take_along_axis(known, limits, axis=1)) & is_needed).any(axis=1))
            if not len(lost):
                break
            points[lost] = start[lost] - SHORTER**k * step[lost]
            known[lost] = self.levels_at(points[lost], which[lost])
        return points, known

    def inverse_slopes(self, points: Array, limits: Ints, is_one: Bools, which: Ints) -> Array:
        """Return pseudo-inverse (n, 3, m) of the gradients of limits (n, m) at points of edges `which` (n,): the
        shortest steps that change one level by one and no other."""
        length = self.length[which]
        slopes = self._slopes(points, limits, SMALL * length, which)
        # Differences backwards where a leg cannot close ahead.
        is_open = np.flatnonzero((is_one & np.isnan(slopes).any(axis=2)).any(axis=1))
        if len(is_open):
            back = self._slopes(points[is_open], limits[is_open], -SMALL * length[is_open], which[is_open])
            slopes[is_open] = np.where(np.isnan(slopes[is_open]), back, slopes[is_open])
        is_known = is_one & np.isfinite(slopes).all(axis=2)
        slopes = np.where(is_known[..., None], slopes, 0.0)
        # Gradients of unit length, so that the cut-off for singular values means angles between limits.
        steep = np.maximum(np.linalg.norm(slopes, axis=2, keepdims=True), FLAT / length[:, None, None])
        return np.asarray(np.linalg.pinv(slopes / steep, rcond=SHARPEST) / np.swapaxes(steep, 1, 2))

    def _slopes(self, points: Array, limits: Ints, step: Array, which: Ints) -> Array:
        """Gradients (n, m, 3) of the levels of limits (n, m) at points (n, 3) of edges `which` (n,), by one-sided
        differences of steps (n,)."""
        shifts = step[:, None, None] * np.concatenate([np.zeros((1, 3)), np.eye(3)])
        at = self.levels_at((points[:, None] + shifts).reshape(-1, 3), np.repeat(which, 4))
        at = np.take_along_axis(at.reshape(len(points), 4, at.shape[1]), np.repeat(limits[:, None], 4, axis=1), axis=2)
        return np.asarray(np.swapaxes(at[:, 1:] - at[:, :1], 1, 2) / step[:, None, None])

    def breaks(self, known: Array) -> Bools:
        """Test whether points with these levels (n, k) violate one of the limits `done` (n,)."""
        return np.asarray((~(known >= 0) & self.done).any(axis=1))


def zeros_between(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """Return points of edges at which a limit's level is just above zero, from the levels (n, k) at their ends.

    The first ends are allowed by the limit, the others not. An edge whose first end is on the limit has its zero there.
    """
    search = _zeros_at_one_orientation if len(edges.levels.rotations) == 1 else _zeros_by_exchange
    points, known, is_on = search(edges, at_ends, limit)
    edges.pushed(OnLimits(points, known, is_on), edges.breaks(known), np.arange(len(known)), PUSHES)
    # Where a leg still cannot close there, move to its reach alone, off the edge's other limits.
    free = replace(edges, is_on=np.zeros_like(is_on))
    free.pushed(OnLimits(points, known, free.is_on), np.any(np.isnan(known), axis=1), np.arange(len(known)), PUSHES)
    return OnLimits(points, np.where(is_on, 0.0, known), is_on)


def _zeros_at_one_orientation(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """The same for levels of one orientation."""
    points, is_on = _zeros(edges, at_ends, limit)
    return OnLimits(points, edges.levels_at(points, np.arange(len(points))), is_on)


def _zeros_by_exchange(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """The same for levels of many orientations, each edge searched at the worst ones of its limits.

    These are found at a first guess, then at every point that is found, and added until they are no worse than those
    that were there: the exchange method of semi-infinite programming (Blankenship and Falk 1976).
    """
    above, below = (at[:, limit] for at in at_ends)
    part = np.nan_to_num(above / (above - below), nan=0.5)
    limits = edges.is_on.copy()
    limits[:, limit] = True
    columns = np.flatnonzero(limits.any(axis=0))
    guess = edges.start + part[:, None] * (edges.end - edges.start)
    _, sample = edges.levels.only(columns).with_worst(guess, limits[:, columns])
    found = OnLimits(edges.start.copy(), at_ends[0].copy(), limits)
    to_do = np.arange(len(part))
    for _ in range(len(edges.levels.rotations)):
        some = replace(
            edges, start=edges.start[to_do], end=edges.end[to_do], is_on=edges.is_on[to_do], sample=sample[to_do]
        )
        points, is_on = _zeros(some, (at_ends[0][to_do], at_ends[1][to_do]), limit)
        known, worst = edges.levels.with_worst(points, is_on)
        for kept, new in zip(found, (points, known, is_on), strict=True):
            kept[to_do] = new
        is_worse = (is_on & ~(known >= 0)).any(axis=1) & (worst & ~sample[to_do]).any(axis=1)
        sample[to_do] |= worst
        to_do = to_do[is_worse]
        if not len(to_do):
            break
    return found


def _zeros(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> tuple[Array, Bools]:
    """Such points (n, 3), and the limits that they are on (n, k), looking at no limit that no edge is on: few limits
    are computed in half the time of all."""
    needed: Bools = np.asarray(edges.is_on.any(axis=0))
    needed[limit] = True
    if not edges.is_sure[limit]:
        needed |= edges.done & edges.is_sure  # such as the reach, which tells where the limit is known
    columns = np.flatnonzero(needed)
    few = replace(
        edges,
        levels=edges.levels.only(columns),
        is_on=edges.is_on[:, columns],
        done=edges.done[columns],
        is_sure=edges.is_sure[columns],
    )
    found = _zeros_of_few(few, (at_ends[0][:, columns], at_ends[1][:, columns]), int(np.searchsorted(columns, limit)))
    is_on = edges.is_on.copy()
    is_on[:, columns] = found.is_on
    return found.points, is_on


def _zeros_of_few(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """The same, of all limits of the edges.

    Points that the search along an edge has not brought to all of its limits are moved there from where the level is
    zero by interpolation, or from the ends: near a rod's reach a slider's or a crank's limit has slopes without bound.
    """
    found = _along(edges, at_ends, limit)
    above, below = (at[:, limit] for at in at_ends)
    between = np.nan_to_num(above / (above - below), nan=0.5).clip(0.0, 1.0)
    for part in (between, np.ones_like(between)):
        left = np.flatnonzero(_misses(found))
        if not len(left):
            break
        points = edges.start[left] + part[left, None] * (edges.end - edges.start)[left]
        moved = OnLimits(points, edges.levels_at(points, left), found.is_on[left])
        moved = edges.pushed(moved, np.ones(len(left), dtype=bool), left, PUSHES)
        better = ~_misses(moved) & ~edges.breaks(moved.levels)
        for kept, new in zip(found, moved, strict=True):
            kept[left[better]] = new[better]
    return found


def _misses(found: OnLimits) -> Bools:
    """Which points (n,) are off a limit that they are meant to be on."""
    return np.asarray((found.is_on & ~(np.abs(found.levels) <= MISSED)).any(axis=1))


def _along(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """The zeros by regula falsi along each edge."""
    above, below = (at[:, limit] - INSIDE for at in at_ends)
    n = len(above)
    low, high, side = np.zeros(n), np.ones(n), np.zeros(n)
    points, known, is_on = edges.start.copy(), at_ends[0].copy(), edges.is_on.copy()
    to_do = np.flatnonzero(above > 0)
    # Not SciPy's `find_root`, which returns the parts alone: a point counts from its allowed side only, with its levels
    # and its displacement from the edge, which the evaluation has made besides; and a level may be NaN, for beyond.
    for _ in range(STEPS):
        if not len(to_do):
            break
        part = ((low * below - high * above) / (below - above))[to_do]
        found = edges.at(part, to_do)
        found = edges.pushed(found, np.isnan(found.levels[:, limit]), to_do, FEW_PUSHES)
        here = found.levels[:, limit] - INSIDE
        is_kept, is_above = here >= -INSIDE, here > 0
        kept = to_do[is_kept]
        points[kept], known[kept], is_on[kept] = (of[is_kept] for of in found)
        i, o = to_do[is_above], to_do[~is_above]
        # The value at an end that is kept twice in succession is reduced (Anderson and Bjorck 1973).
        below[i] *= np.where(side[i] > 0, _part_left(here[is_above], above[i]), 1.0)
        above[o] *= np.where(side[o] < 0, _part_left(here[~is_above], below[o]), 1.0)
        low[i], above[i], side[i] = part[is_above], here[is_above], 1.0
        high[o], below[o], side[o] = part[~is_above], np.fmin(here[~is_above], -INSIDE), -1.0
        to_do = to_do[~(is_kept & (here <= ARRIVED))]
    is_on[:, limit] = True
    return OnLimits(points, known, is_on)


def _part_left(here: Array, before: Array) -> Array:
    """Anderson and Bjorck's factor for the value at the end that stays, from the new value and the one it replaces."""
    part = 1.0 - here / before
    return np.where(part > 0, part, 0.5)


def first_columns(is_on: Bools) -> tuple[Ints, Bools]:
    """Return columns (n, m) of the true elements of each row, m of the row with most, and which of them are true (n,
    m)."""
    most = int(is_on.sum(axis=1).max(initial=0))
    columns = np.argsort(~is_on, axis=1, kind="stable")[:, :most]
    return columns, np.take_along_axis(is_on, columns, axis=1)
