"""Levels of limits, and points of edges on limits: zeros of one level along edges that lie on other limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import poses_at, relative_margins
from gough.limits.table import limit_table
from gough.stacked import AnyMachine

Levels: TypeAlias = Callable[[Array], Array]
"""Relative margins (n, k) at points (n, 3); NaN for a leg that cannot close, whose reach is negative."""

INSIDE, ARRIVED = 1e-10, 1e-8
"""Levels of points on a limit are about the first and at most the second: above zero, so that rounding leaves them
allowed."""
STEPS = 12
"""Most steps of the search along an edge."""
MOVES = 8
"""Most Newton steps of a point to its limits, with the gradients at the edge's middle."""
PUSHES, FEW_PUSHES = 8, 3
"""The same with the gradients at the point, at the end and in the course of a search."""
SMALL = 1e-4
"""Step of differences of levels, in lengths of the edge."""
FARTHEST = 0.5
"""Longest displacement of a point from its edge, in lengths of the edge."""
SHARPEST = 1e-4
"""Singular values of the limits' gradients below this part of the largest are zero: limits that touch tangentially."""
FLAT = 1e-9
"""A level that changes by less along an edge is constant."""


def levels_of(machine: AnyMachine, arrays: LimitArrays) -> Callable[[Array, Array], Array]:
    """Relative margins at orientations R (3, 3) or (n, 3, 3) and points (n, 3), made continuous; infinite for limits
    that do not count."""
    ignored, turns = np.isnan(arrays.per_scale), _turns(machine)

    def levels(R: Array, points: Array) -> Array:
        relative = relative_margins(machine, arrays, poses_at(machine, R, points))
        for low, high, turn in turns:
            # A joint angle jumps by a turn at pi. Outside its range count it from the nearer limit, on either side.
            gap = 0.5 * (turn - relative[:, low] - relative[:, high])
            shift = turn * ((relative[:, high] < -gap).astype(float) - (relative[:, low] < -gap))
            relative[:, low] -= shift
            relative[:, high] += shift
        relative[:, ignored] = np.inf
        # A leg that cannot close while its reach is ignored.
        is_open = np.isnan(relative).any(axis=1) & ~(relative < 0).any(axis=1)
        relative[is_open] = np.where(np.isnan(relative[is_open]), -1.0, relative[is_open])
        return relative

    return levels


def _turns(machine: AnyMachine) -> list[tuple[int, int, float]]:
    """Columns of the lowest and the highest joint angle of each leg that has both limits, and a turn in their scale."""
    columns = limit_table(machine).columns
    places = {column.name: k for k, column in enumerate(columns) if column.unit == "rad" and not column.quantity}
    return [
        (k, places[other], 2.0 * np.pi / columns[k].scale)
        for name, k in places.items()
        if name.endswith("lowest") and (other := name.removesuffix("lowest") + "highest") in places
    ]


class OnLimits(NamedTuple):
    """Points (n, 3), their levels (n, k), and the limits that they are on (n, k)."""

    points: Array
    levels: Array
    is_on: Bools


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges between points `start` and `end` (n, 3), both on the limits `is_on` (n, k); no point may violate the limits
    `done` (k,)."""

    levels: Levels
    start: Array
    end: Array
    is_on: Bools
    done: Bools

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
        middle = 0.5 * (self.start + self.end)[bound]
        found[bound] = inverse_slopes(self.levels, middle, limits[bound], is_one[bound], self.length[bound])
        return found

    def at(self, part: Array, which: Ints) -> OnLimits:
        """Points (m, 3) at a part (m,) of edges `which` (m,), moved to the limits of these by Newton steps with fixed
        gradients."""
        points = self.start[which] + part[:, None] * (self.end - self.start)[which]
        known, is_on = self.levels(points), self.is_on[which]
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
            known[moving] = self.levels(points[moving])
        return OnLimits(points, known, is_on)

    def pushed(self, found: OnLimits, chosen: Bools, which: Ints, rounds: int) -> OnLimits:
        """Points of edges `which` (n,), of which the chosen are moved to the limits that they violate too, in place.

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
            steps = inverse_slopes(self.levels, points[to_do], limits, is_one, length[to_do])
            step = (steps @ np.nan_to_num(left)[..., None])[..., 0]
            is_short = np.linalg.norm(step, axis=1) <= FARTHEST * length[to_do]
            to_do = to_do[is_short]
            points[to_do] -= step[is_short]
            known[to_do] = self.levels(points[to_do])
        is_on = given.is_on | ((known >= 0) & (known <= ARRIVED) & self.done)
        is_good = np.linalg.norm(points - given.points, axis=1) <= FARTHEST * length
        is_good &= ~self.breaks(known)
        for part, better in zip(found, (points, known, is_on), strict=True):
            part[np.flatnonzero(chosen)[is_good]] = better[is_good]
        return found

    def breaks(self, known: Array) -> Bools:
        """Whether points with these levels (n, k) violate one of the limits `done` (n,)."""
        return np.asarray((~(known >= 0) & self.done).any(axis=1))


def zeros_between(edges: Edges, at_ends: tuple[Array, Array], limit: int) -> OnLimits:
    """Points of edges at which a limit's level is just above zero, from the levels (n, k) at their ends, by regula
    falsi.

    The first ends are allowed by the limit, the others not. An edge whose first end is on the limit has its zero there.
    """
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
    edges.pushed(OnLimits(points, known, is_on), edges.breaks(known), np.arange(n), PUSHES)
    # Where a leg still cannot close there, move to its reach alone, off the edge's other limits.
    free = replace(edges, is_on=np.zeros_like(is_on))
    free.pushed(OnLimits(points, known, free.is_on), np.any(np.isnan(known), axis=1), np.arange(n), PUSHES)
    return OnLimits(points, np.where(is_on, 0.0, known), is_on)


def _part_left(here: Array, before: Array) -> Array:
    """Anderson and Bjorck's factor for the value at the end that stays, from the new value and the one it replaces."""
    part = 1.0 - here / before
    return np.where(part > 0, part, 0.5)


def first_columns(is_on: Bools) -> tuple[Ints, Bools]:
    """Columns (n, m) of the true elements of each row, m of the row with most, and which of them are true (n, m)."""
    most = int(is_on.sum(axis=1).max(initial=0))
    columns = np.argsort(~is_on, axis=1, kind="stable")[:, :most]
    return columns, np.take_along_axis(is_on, columns, axis=1)


def inverse_slopes(levels: Levels, points: Array, limits: Ints, is_one: Bools, length: Array) -> Array:
    """Pseudo-inverse (n, 3, m) of the gradients of limits (n, m) at points: the shortest steps that change one level by
    one and no other."""
    small = SMALL * length
    slopes = _slopes(levels, points, limits, small)
    # Differences backwards where a leg cannot close ahead.
    is_open = np.flatnonzero((is_one & np.isnan(slopes).any(axis=2)).any(axis=1))
    if len(is_open):
        back = _slopes(levels, points[is_open], limits[is_open], -small[is_open])
        slopes[is_open] = np.where(np.isnan(slopes[is_open]), back, slopes[is_open])
    is_known = is_one & np.isfinite(slopes).all(axis=2)
    slopes = np.where(is_known[..., None], slopes, 0.0)
    # Gradients of unit length, so that the cut-off for singular values means angles between limits.
    steep = np.maximum(np.linalg.norm(slopes, axis=2, keepdims=True), FLAT / length[:, None, None])
    return np.asarray(np.linalg.pinv(slopes / steep, rcond=SHARPEST) / np.swapaxes(steep, 1, 2))


def _slopes(levels: Levels, points: Array, limits: Ints, step: Array) -> Array:
    """Gradients (n, m, 3) of the levels of limits (n, m) at points (n, 3), by one-sided differences of steps (n,)."""
    shifts = step[:, None, None] * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    at = levels((points[:, None] + shifts).reshape(-1, 3))
    at = np.take_along_axis(at.reshape(len(points), 4, at.shape[1]), np.repeat(limits[:, None], 4, axis=1), axis=2)
    return np.asarray(np.swapaxes(at[:, 1:] - at[:, :1], 1, 2) / step[:, None, None])
