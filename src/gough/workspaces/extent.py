"""The exact extent of a workspace at one orientation: the farthest allowed positions along each axis of the base.

At the farthest position along an axis up to three limits bind. Local searches start from the best positions that a
coarser search knows: over rays along the axis, whose ends are exact; then by quadratic programming with the margins as
constraints, which follows edges into their corners; then over rays again. The result is an allowed pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools, Ints
from gough.limits._margins import LimitArrays
from gough.limits.climb import along_limits, climb, drawn_back, last_inside, quadratic_step
from gough.limits.interval_search import (
    find_intervals,
    icosphere,
    limits_for_search,
    poses_at,
    rays_from_home,
    reach_box,
)
from gough.limits.margins import margins
from gough.limits.table import limit_table
from gough.limits.ties import TIE
from gough.quantity import quantity, result
from gough.results import Result
from gough.stacked import AnyMachine
from gough.workspaces.levels import counted_margins

STARTS = 8
"""Local searches along each axis in each sense, from the best known positions that are not neighbours."""
COARSE_END, FINE, FINE_END = 1e-2, 1e-3, 3e-9
"""Steps at which the first search over rays ends and the last begins and ends, in steps between the known positions."""
RETREAT = 1e-13
"""Ends are moved back by 1 to 1000 times this, in machine sizes, until they are allowed to rounding."""
BACK = 1e-3
"""A ray begins this part of its length before the height that is reached already."""
STEPS = 32
"""Fewest steps between known positions over the extent."""
TRUST, FINE_TRUST = (1.0, 0.25, 0.05), (0.05, 1e-2, 1e-3, 1e-4)
"""Trust regions of quadratic programming, one run after the other, from all ends and from the best ones. It is needed
where two limits meet at a narrow angle: rays end short of the edge, as intervals there are too short to be found."""
STEP = 1e-6
"""Step of differences for the margins' gradients, in machine sizes."""
FACE = 1e-12
"""Distance from an end of the range that is searched, in machine sizes, at which a point is on it."""
FAR_HOME, AT_HOME = 2.0, 1e-20
"""Trust region of the search for the point nearest to home, in machine sizes, and the change of the square of its
distance at which it ends."""
SIDES = tuple(product((-1.0, 1.0), range(3)))
"""Sign and axis of the six ends of an extent."""


@result
class Extent(Result):
    """Farthest allowed positions of the point of interest along the axes of the base.

    Attributes
    ----------
    active_limits : tuple of six tuples of str
        Names of the limits that bind there, in the same order; empty at an end of the range that was searched.
    unit : {"m", "rad"}

    """

    low: Array = quantity(
        attrgetter("unit"), "axis", frame="base", doc="Smallest x, y, z, or components of rotation vectors."
    )
    high: Array = quantity(
        attrgetter("unit"), "axis", frame="base", doc="Greatest x, y, z, or components of rotation vectors."
    )
    low_positions: Array = quantity(
        attrgetter("unit"), "end", "axis", frame="base",
        doc="Positions, or rotation vectors, at which each of x, y, z is least; allowed poses, to rounding. Where "
        "limits of the tool alone end the workspace, along which it reaches equally far, the position nearest to home.",
    )  # fmt: skip
    high_positions: Array = quantity(attrgetter("unit"), "end", "axis", frame="base", doc="The same of the greatest.")
    active_limits: tuple[tuple[str, ...], ...]
    unit: str = "m"

    @classmethod
    def at(cls, points: Array, active: tuple[tuple[str, ...], ...], unit: str = "m") -> Extent:
        """Return the extent with ends at points (6, 3), in the order of `SIDES`."""
        ends = points[np.arange(6), [k for _, k in SIDES]]
        return cls(ends[:3], ends[3:], points[:3], points[3:], active, unit)


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays along the axes at one orientation, within bounds, for n local searches; `signs` and `axes` (n,) give the
    directions of their rays, `reach` (n,) how far the rays go before and beyond a height [m]."""

    machine: AnyMachine
    arrays: LimitArrays
    R: Array
    low: Array
    high: Array
    signs: Array
    axes: Ints
    reach: Array

    def is_allowed(self, points: Array, ignore: tuple[str, ...]) -> Bools:
        """Test whether no margin that counts is negative at points (..., 3)."""
        found = margins(self.machine, poses_at(self.machine, self.R, points))
        counted = np.array([name not in ignore for name in found.names])
        with np.errstate(invalid="ignore"):
            return np.asarray((found.values[..., counted] >= 0).all(axis=-1))

    def across(self, points: Array, which: Ints) -> Array:
        """Return the two coordinates (n, 2) of points (n, 3) across the axes of searches `which` (n,)."""
        return np.take_along_axis(points, _others(self.axes[which]), axis=1)

    def ends(self, across: Array, which: Ints, heights: Array, back: float = 1.0) -> Array:
        """Return the farthest allowed coordinates (n,), times the signs, on rays through `across` (n, 2), from a part
        `back` of their reach below `heights` (n,) to their reach above; -inf where none is allowed."""
        axes, signs, n = self.axes[which], self.signs[which], len(which)
        points = np.empty((n, 3))
        np.put_along_axis(points, _others(axes), across, axis=1)
        # Heights are coordinates times the sign, so that every search goes up; the range is cut to the bounds.
        low, high = heights - back * self.reach[which], heights + self.reach[which]
        signed = signs[:, None] * np.stack([self.low[axes], self.high[axes]], axis=1)
        low, high = np.maximum(low, signed.min(axis=1)), np.minimum(high, signed.max(axis=1))
        points[np.arange(n), axes] = signs * low
        inside = ((points >= self.low) & (points <= self.high)).all(axis=1) & (high > low)
        found = np.full(n, -np.inf)
        directions = np.zeros((n, 6))
        directions[np.arange(n), axes] = signs
        poses = poses_at(self.machine, np.broadcast_to(self.R, (n, 3, 3)), points)[inside]
        rows = find_intervals(self.machine, self.arrays, poses, directions[inside], (high - low)[inside])
        last = np.where(rows.count > 0, np.nan_to_num(rows.ends[..., 1], nan=-np.inf).max(axis=1), -np.inf)
        found[inside] = low[inside] + last
        return found


def columns_extent(
    machine: AnyMachine,
    R: Array,
    bounds: tuple[Array, Array],
    columns: tuple[Array, Array, Array],
    ignore: tuple[str, ...],
) -> Extent:
    """Return the extent, at orientation R (3, 3) and within bounds (3,) each [m], of a workspace known by columns.

    These are at places along x and y, with ends (nx, ny, k, 2) [m]. Searches start from their ends and from those of
    rays from home; a part of the workspace without any of them is not searched.
    """
    x, y, _ = columns
    arrays = limits_for_search(machine, ignore)
    directions = np.concatenate([icosphere(2).directions, np.eye(3), -np.eye(3)])
    rays = rays_from_home(machine, arrays, R, directions, float(np.linalg.norm(bounds[1] - bounds[0])))
    known = np.concatenate([column_ends(*columns), rays.reshape(-1, 3)])
    with np.errstate(invalid="ignore"):
        known = known[((known >= bounds[0]) & (known <= bounds[1])).all(axis=1)]
    # About the spacing of known positions along the axes.
    step = np.maximum(np.ptp(known, axis=0) / max(len(x) - 1, len(y) - 1, STEPS), 1e-9 * machine.size)
    # Coarse searches from several starts for each of the six sides, then a fine one from the best of each.
    signs, axes, first = starts(known, step, STARTS)
    reach, trust = np.full(len(axes), 2.0 * float(step.max())), 4.0 * float(step.max())
    coarse = Rays(machine, arrays, R, *bounds, signs, axes, reach)
    points, values = _shoot(coarse, first, step, 1.0, COARSE_END)
    points, values = _follow_limits(coarse, points, values, trust, TRUST)
    chosen = best_of_sides(values, signs, axes)
    # Exact margins: near a multiple root the determinant is zero to rounding before the singular surface is reached.
    exact = arrays._replace(sign_only=False)
    fine = Rays(machine, exact, R, *bounds, signs[chosen], axes[chosen], 0.05 * reach[chosen])
    points, values = _shoot(fine, points[chosen], step, FINE, FINE_END / FINE)
    points, values = _follow_limits(fine, points, values, trust, FINE_TRUST)
    points = _moved_back(fine, points, ignore)
    points = _nearest_of_ties(fine, points, active_limits(machine, poses_at(machine, R, points), arrays), ignore)
    return Extent.at(points, active_limits(machine, poses_at(machine, R, points), arrays))


def _others(axes: Ints) -> Ints:
    return np.stack([(axes + 1) % 3, (axes + 2) % 3], axis=1)


def best_of_sides(values: Array, signs: Array, axes: Ints) -> Ints:
    """Return indices (6,) of the largest of values (n,) with the sign and axis of each of `SIDES`."""
    return np.array([np.argmax(np.where((signs == s) & (axes == k), values, -np.inf)) for s, k in SIDES])


def starts(known: Array, step: Array, most: int) -> tuple[Array, Ints, Array]:
    """Return signs, axes (n,) and first positions (n, 3) of the local searches, at most so many for each of `SIDES`."""
    signs, axes, places = [], [], []
    for sign, axis in SIDES:
        # Greedily the farthest position left, then without its neighbours.
        chosen: list[Array] = []
        left = known
        while len(left) and len(chosen) < most:
            chosen.append(left[np.argmax(sign * left[:, axis])])
            left = left[(np.abs(left - chosen[-1]) > 2.5 * step).any(axis=1)]
        places += chosen
        signs += [sign] * len(chosen)
        axes += [axis] * len(chosen)
    return np.array(signs), np.array(axes, dtype=np.int64), np.array(places)


def _shoot(rays: Rays, points: Array, step: Array, first: float, finest: float) -> tuple[Array, Array]:
    """Points (n, 3) at which searches over rays end, and their heights (n,); their first steps are `first` steps."""
    n = np.arange(len(points))
    is_known: list[bool] = []
    heights = rays.signs * points[n, rays.axes]

    def ends(scaled: Array, which: Ints) -> Array:
        # After the first points only what lies higher matters: rays begin just below the height reached.
        found = rays.ends(scaled * scale[which], which, heights[which], BACK if is_known else 1.0)
        np.maximum.at(heights, which, found)
        is_known.append(True)
        return found

    # The search runs over the two coordinates across each axis, in steps of the known positions.
    scale = rays.across(np.broadcast_to(step, points.shape), n)
    across, values = climb(ends, rays.across(points, n) / scale, np.full(len(n), first), finest)
    reached = np.isfinite(values)
    found = np.empty_like(points)
    np.put_along_axis(found, _others(rays.axes), across * scale, axis=1)
    found[n, rays.axes] = rays.signs * values
    return np.where(reached[:, None], found, points), np.where(reached, values, rays.signs * points[n, rays.axes])


def _follow_limits(
    rays: Rays, points: Array, values: Array, trust: float, parts: tuple[float, ...]
) -> tuple[Array, Array]:
    """Points and heights after quadratic programming with the margins as constraints, where that reaches farther."""
    points, values, box = points.copy(), values.copy(), (rays.low, rays.high)
    relative = partial(counted_margins, rays.machine, rays.arrays, rays.R)
    for k, (sign, axis) in enumerate(zip(rays.signs, rays.axes, strict=True)):
        e = sign * np.eye(3)[axis]
        for part in parts:
            end = along_limits(relative, points[k], e, box, part * trust, STEP * rays.machine.size)
            reached = drawn_back(relative, points[k], end, box, e)
            if reached is not None and reached @ e > values[k]:
                points[k], values[k] = reached, reached @ e
    return points, values


def _moved_back(rays: Rays, points: Array, ignore: tuple[str, ...]) -> Array:
    """Points (n, 3), each moved back along its axis by rounding until all margins that count are non-negative."""
    back = np.append(0.0, np.logspace(0, 3, 7)) * RETREAT * rays.machine.size
    tried = np.repeat(points[:, None], len(back), axis=1)
    n = np.arange(len(points))
    tried[n, :, rays.axes] -= rays.signs[:, None] * back
    kept = rays.is_allowed(tried, ignore)
    first = np.where(kept.any(axis=1), kept.argmax(axis=1), 0)  # the shortest retreat that is allowed, else none
    return np.asarray(tried[n, first])


def _nearest_of_ties(rays: Rays, points: Array, active: tuple[tuple[str, ...], ...], ignore: tuple[str, ...]) -> Array:
    """Points (n, 3), those on limits of the tool or ends of the range, along which the workspace reaches equally far,
    moved there as near to home as other limits allow."""
    points = points.copy()
    for k, (sign, axis) in enumerate(zip(rays.signs, rays.axes, strict=True)):
        end = (rays.high if sign > 0 else rays.low)[axis]
        is_face = abs(points[k, axis] - end) <= FACE * rays.machine.size
        tied = {f"tool {'xyz'[axis]} {'max' if sign > 0 else 'min'}", "tool radius" if axis < 2 else ""} & {*active[k]}
        if tied or is_face:
            is_line = tied == {"tool radius"} and not is_face
            along = np.eye(3)[[2] if is_line else _others(rays.axes[[k]])[0]]
            end = _nearest_to_home(rays, points[k], along, {*ignore, *tied})
            points[k] = last_inside(lambda x: rays.is_allowed(x, ignore), points[k], end)
    return points


def _nearest_to_home(rays: Rays, start: Array, along: Array, ignore: set[str]) -> Array:
    """Point (3,) from `start` along axes (d, 3) nearest to home, by quadratic programming."""
    machine, size = rays.machine, rays.machine.size
    counted = np.array([column.name not in ignore for column in limit_table(machine).columns])

    def model(x: Array) -> tuple[Array, Array]:
        points = start + x @ along
        away = ((points - machine.home_point) ** 2).sum(axis=1) / size**2
        return away, margins(machine, poses_at(machine, rays.R, points)).relative[:, counted]

    return np.asarray(
        start + quadratic_step(model, np.zeros(len(along)), FAR_HOME * size, STEP * size, ftol=AT_HOME) @ along
    )


def active_limits(machine: AnyMachine, poses: Array, arrays: LimitArrays) -> tuple[tuple[str, ...], ...]:
    """Return names of the limits that count and bind at each of poses (n, 4, 4)."""
    found = margins(machine, poses)
    near = np.nan_to_num(found.relative, nan=1.0) < TIE
    return tuple(tuple(np.array(found.names)[row & np.isfinite(arrays.per_scale)].tolist()) for row in near)


def search_bounds(
    machine: AnyMachine, R: Array, given: tuple[ArrayLike | None, ArrayLike | None, tuple[float, float] | None]
) -> tuple[Array, Array]:
    """Return corners (3,) of the box to search [m]: the ends of the given axes, else slightly beyond the legs'
    reach."""
    low, high = reach_box(machine, R)
    low, high = low - 1e-3 * machine.size, high + 1e-3 * machine.size
    for k, axis in enumerate(given):
        if axis is not None:
            low[k], high[k] = max(low[k], np.min(axis)), min(high[k], np.max(axis))
    return low, high


def column_ends(x: Array, y: Array, ends: Array) -> Array:
    """Return positions (n, 3) of the ends (nx, ny, k, 2) of columns, NaN where there are none."""
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    places = np.broadcast_to(grid[:, :, None, None], (*ends.shape, 2))
    return np.concatenate([places, ends[..., None]], axis=-1).reshape(-1, 3)
