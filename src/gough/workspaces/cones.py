"""Workspaces in which every orientation of a cone is allowed: columns, extent, and levels of limits over the cone.

Few of the sampled orientations are the worst of some limit about a point. A grid is searched at all of them, a point
between its nodes only at those that are the worst of a limit which is violated at a node near it, and at those between
them. The extent is found by local searches at the worst orientations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints, Progress
from gough.displacements import rotations
from gough.limits._margins import LimitArrays
from gough.limits.climb import along_limits
from gough.limits.interval_search import (
    MOST,
    Intervals,
    columns_along,
    least_margins,
    limits_for_search,
    poses_at,
)
from gough.limits.table import limit_table
from gough.limits.ties import TIE
from gough.stacked import AnyMachine
from gough.workspaces.extent import RETREAT, STEP, Extent, best_of_sides, column_ends, starts
from gough.workspaces.levels import CHUNK, Axes, Levels, counted_margins
from gough.workspaces.quadrature import Columns

RIM = 24
"""Samples around the rim of the cone."""
RINGS = 3
"""Rings of samples around the axis, the rim included."""


@dataclass(frozen=True, eq=False)
class OrientationCone:
    """Orientations of the platform turned by up to `roll` about its own z axis, then tilted by up to `tilt` [rad].

    With the platform's z axis n at the reference R, in base axes, and any unit vector a perpendicular to it:
    R(u, v, r) = exp(u a + v (n x a)) exp(r n) R with u^2 + v^2 <= tilt^2 and |r| <= roll: tilt and torsion
    (Bonev and Ryu 2001, A new approach to orientation workspace analysis of 6-DOF parallel manipulators).
    """

    tilt: float
    roll: float
    R: Array

    def rotations(self, places: Array) -> Array:
        """Return the rotation matrices (..., 3, 3) at places (..., 3) of the cone: u, v and r [rad]."""
        tilts = rotations(places[..., :2] @ self._across)
        if self.roll == 0:
            return tilts @ self.R
        return tilts @ rotations(places[..., 2:] * self.R[:, 2]) @ self.R

    @cached_property
    def _across(self) -> Array:
        """Rows (2, 3): a and n x a."""
        n = self.R[:, 2]
        across = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        across /= np.linalg.norm(across)
        return np.stack([across, np.cross(n, across)])

    def kept(self, places: Array) -> Array:
        """Return the projection of places (..., 3) onto the cone."""
        size = np.linalg.norm(places[..., :2], axis=-1, keepdims=True)
        inside = places[..., :2] * np.minimum(1.0, self.tilt / np.maximum(size, 1e-300))
        return np.concatenate([inside, np.clip(places[..., 2:], -self.roll, self.roll)], axis=-1)

    def samples(self) -> Array:
        """Return places (k, 3) spread over the cone, those on the rim first."""
        tilts = [np.zeros((1, 2))]
        for ring in range(1, RINGS + 1 if self.tilt > 0 else 1):
            angle = np.arange(RIM * ring // RINGS) * 2 * np.pi / (RIM * ring // RINGS)
            tilts.insert(0, self.tilt * ring / RINGS * np.column_stack([np.cos(angle), np.sin(angle)]))
        rolls = [0.0] if self.roll == 0 else [-self.roll, self.roll, -self.roll / 2, self.roll / 2, 0.0]
        return np.array([(*tilt, roll) for part in tilts for roll in rolls for tilt in part])

    @property
    def spacing(self) -> Array:
        """Largest distance between neighbouring samples, along u, v and r (3,) [rad]."""
        return np.array([self.tilt / RINGS, self.tilt / RINGS, self.roll / 2])


BESIDE = 0.3
"""Distance of samples that are neighbours on a ring, at most, as a part of the cone's tilt."""


def cone_levels(levels_at: Callable[[Array, Array], Array], cone: OrientationCone, axes: Axes) -> Levels:
    """Return levels over a cone in a grid, from those at rotations and points (`gough.workspaces.levels.levels_of`)."""
    rotations = cone.rotations(cone.samples())
    counted = _counted(levels_at, rotations, axes)
    # The worst sample turns from node to node: those between two that count do too.
    counted |= counted.astype(np.float32) @ _beside(cone) >= 2
    shape = tuple(len(axis) for axis in axes)
    middles = [0.5 * (axis[1:] + axis[:-1]) for axis in axes]

    def near(points: Array) -> Bools:
        node = tuple(np.searchsorted(middle, points[:, k]) for k, middle in enumerate(middles))
        return np.asarray(counted[np.ravel_multi_index(node, shape)])

    return Levels(levels_at, rotations, near)


def _beside(cone: OrientationCone) -> NDArray[np.float32]:
    """1 where samples are neighbours on a ring (m, m), else 0."""
    places = cone.samples() / [cone.tilt or 1.0, cone.tilt or 1.0, cone.roll or 1.0]
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    return ((distances > 0) & (distances < BESIDE)).astype(np.float32)


def _counted(levels_at: Callable[[Array, Array], Array], rotations: Array, axes: Axes) -> Bools:
    """Which rotations count about each node (n, m): the worst of each limit that is violated at it or next to it."""
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    counted = np.zeros((len(nodes), len(rotations)), dtype=bool)
    for k in range(0, len(nodes), CHUNK):
        worst, is_violated = _worst(levels_at, rotations, nodes[k : k + CHUNK])
        node, limit = np.nonzero(is_violated)
        counted[k + node, worst[node, limit]] = True
    near = counted.reshape(*(len(axis) for axis in axes), -1)
    for axis in range(3):
        before = np.moveaxis(near.copy(), axis, 0)
        after = np.moveaxis(near, axis, 0)
        after[1:] |= before[:-1]
        after[:-1] |= before[1:]
    counted[~counted.any(axis=1), -1] = True  # deep inside any of them does
    return counted


def _worst(levels_at: Callable[[Array, Array], Array], rotations: Array, points: Array) -> tuple[Ints, Bools]:
    """Which rotation has the smallest level of each limit at points (n, k), and whether that is negative (n, k)."""
    smallest = levels_at(rotations[0], points)
    worst = np.zeros(smallest.shape, dtype=np.int64)
    for k, R in enumerate(rotations[1:], 1):
        found = levels_at(R, points)
        is_less = (found < smallest) | np.isnan(smallest)  # NaN where a leg cannot close: not the worst of its limits
        worst[is_less] = k
        smallest[is_less] = found[is_less]
    return worst, np.asarray(smallest < 0)


EXCHANGES = 8
"""Most exchange rounds: each adds the worst orientation at every end of a column."""
ROUND_OFF = 1e-12
"""A relative margin at an end that is no farther below zero than this is rounding."""
HALVINGS, FINE_HALVINGS = 9, 26
"""Halvings of the step of the search for the worst orientation: of all limits together, and of each limit."""
NEAR = 0.2
"""Margins above this at all samples of a cone are not searched for their minimum between the samples."""


@dataclass(frozen=True, eq=False)
class ConeColumns:
    """Columns along one axis of the base, from feet (n, 3) over a height [m], at all orientations of a cone."""

    machine: AnyMachine
    arrays: LimitArrays
    cone: OrientationCone
    axis: int
    feet: Array
    height: float

    def search(self, progress: Progress = None) -> tuple[Intervals, float]:
        """Return intervals with `ends` as coordinates along the axis, and the relative margin that may be missed at
        them.

        The intervals of all samples of the cone are intersected; then those at the worst orientations of the ends,
        until none shortens a column (exchange method, Blankenship and Falk 1976).
        """
        found = self._whole()
        rotations = self.cone.rotations(self.cone.samples())
        for k, R in enumerate(rotations):
            left = np.flatnonzero(found.count)
            if len(left):
                self._intersect(np.broadcast_to(R, (len(left), 3, 3)), found, left)
            if progress is not None:
                progress(k + 1, len(rotations))
        shortfall = 0.0
        for k in range(EXCHANGES + 1):
            places, columns, _ = self.ends(found)
            if not len(places):
                break
            worst, least = worst_of_cone(self.machine, self.arrays, self.cone, places)
            shortfall = max(0.0, -float(least.min()))
            is_violated = least < -ROUND_OFF
            if k == EXCHANGES or not is_violated.any():
                break
            self._exchange(found, columns[is_violated], worst[is_violated])
        return found, shortfall

    def ends(self, found: Intervals) -> tuple[Array, Ints, Ints]:
        """Return positions (m, 3) of all ends at which a limit binds, their columns (m,), and the limits (m,)."""
        return Columns(self.axis, self.feet, found).ends(at_limits=True)

    def _whole(self) -> Intervals:
        """One interval over the whole height in each column, with room for more."""
        n = len(self.feet)
        ends = np.full((n, MOST, 2), np.nan)
        ends[:, 0, 0], ends[:, 0, 1] = self.feet[:, self.axis], self.feet[:, self.axis] + self.height
        return Intervals(ends, np.full((n, MOST, 2), -1, dtype=np.int64), np.ones(n, dtype=np.int64))

    def _intersect(self, R: Array, found: Intervals, columns: Ints) -> None:
        """Intersect columns (m,) of `found`, in place, with their intervals at rotations R (m, 3, 3)."""
        low = np.nanmin(found.ends[columns, :, 0], axis=1)
        high = np.nanmax(found.ends[columns, :, 1], axis=1)
        feet = self.feet[columns]
        feet[:, self.axis] = low
        lengths = np.maximum(high - low, 1e-12 * self.height)
        here = columns_along(self.machine, self.arrays, R, feet, lengths, self.axis)
        common = intersection(found[columns], here)
        found.ends[columns], found.binding[columns], found.count[columns] = common.ends, common.binding, common.count

    def _exchange(self, found: Intervals, columns: Ints, worst: Array) -> None:
        """Intersect columns, in place, with those at the worst orientations (n, 3) of their ends, one by one."""
        # `columns` ascends and repeats; each pass handles one end of every column, so that no column is written twice.
        end = np.arange(len(columns)) - np.searchsorted(columns, columns)
        rotations = self.cone.rotations(worst)
        for k in range(int(end.max(initial=0)) + 1):
            chosen = (end == k) & (found.count[columns] > 0)
            if chosen.any():
                self._intersect(rotations[chosen], found, columns[chosen])


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """Return intersections of the intervals of n paths, at most `MOST`; an end keeps the limit of the list it is
    from."""
    n, p, q = len(a.count), a.ends.shape[1], b.ends.shape[1]
    # All pairs of intervals (n, p, q); empty intersections become NaN.
    first, second = a.ends[:, :, None], b.ends[:, None]
    low, high = np.maximum(first[..., 0], second[..., 0]), np.minimum(first[..., 1], second[..., 1])
    ends = np.stack([low, high], axis=-1).reshape(n, p * q, 2)
    from_b = np.stack([second[..., 0] > first[..., 0], second[..., 1] < first[..., 1]], axis=-1)
    binding = np.where(from_b, b.binding[:, None], a.binding[:, :, None]).reshape(n, p * q, 2)
    with np.errstate(invalid="ignore"):
        empty = ~(ends[..., 0] <= ends[..., 1])
    ends[empty], binding[empty] = np.nan, -1
    order = np.argsort(ends[..., 0], axis=1, kind="stable")[:, :MOST, None]  # NaN last
    ends, binding = np.take_along_axis(ends, order, axis=1), np.take_along_axis(binding, order, axis=1)
    return Intervals(ends, binding, np.minimum((~empty).sum(axis=1), MOST)).padded(MOST)


def worst_of_cone(
    machine: AnyMachine, arrays: LimitArrays, cone: OrientationCone, positions: Array
) -> tuple[Array, Array]:
    """Place of the cone (n, 3) with the smallest relative margin at positions (n, 3), and that margin (n,)."""
    # Sign-only values of different limits are not comparable.
    exact, samples = arrays._replace(sign_only=False), cone.samples()

    def least(places: Array) -> Array:
        poses = poses_at(machine, cone.rotations(places), np.broadcast_to(positions[:, None], places.shape))
        return least_margins(machine, exact, poses.reshape(-1, *machine.stage_shape, 4, 4))[0].reshape(
            places.shape[:-1]
        )

    values = least(np.broadcast_to(samples, (len(positions), *samples.shape)))
    return _refined(cone, samples[values.argmin(axis=1)], values.min(axis=1), least, HALVINGS)


def worst_by_limit(
    machine: AnyMachine, arrays: LimitArrays, cone: OrientationCone, position: Array
) -> tuple[Array, Array]:
    """Place of the cone (k, 3) at which each limit that counts has its smallest relative margin at one position (3,),
    and that margin (k,); see `counted_margins` for legs that cannot close."""
    samples = cone.samples()

    def relative(places: Array) -> Array:
        return counted_margins(machine, arrays, cone.rotations(places), np.broadcast_to(position, places.shape))

    values = relative(samples)
    # Only limits that come near their bound at some sample are refined.
    worst, value = samples[values.argmin(axis=0)], values.min(axis=0)
    near = np.flatnonzero(value < NEAR)

    def least(places: Array) -> Array:
        found = relative(places.reshape(-1, 3)).reshape(*places.shape[:-1], values.shape[1])
        return found[np.arange(len(near)), :, near]

    worst[near], value[near] = _refined(cone, worst[near], value[near], least, FINE_HALVINGS)
    return worst, value


def _refined(
    cone: OrientationCone, worst: Array, value: Array, least: Callable[[Array], Array], halvings: int
) -> tuple[Array, Array]:
    """Minima (n, 3) and their values (n,) that a pattern search finds from given ones, halving its step each round."""
    rows, step = np.arange(len(worst)), cone.spacing
    around = np.array(list(product((-1, 0, 1), (-1, 0, 1), (-1, 0, 1) if cone.roll else (0,))))
    for _ in range(halvings):
        step = 0.5 * step
        places = cone.kept(worst[:, None] + around * step)
        values = least(places)
        best = values.argmin(axis=1)
        better = values[rows, best] < value
        worst = np.where(better[:, None], places[rows, best], worst)
        value = np.minimum(value, values[rows, best])
    return worst, value


CONE_STARTS, CONE_EXCHANGES, BACK = 2, 12, 4
"""Local searches along each axis in each sense, exchange rounds of each, and points tried on the segment back."""
CONE_TRUST = (1.0, 0.25, 0.05, 0.01, 2e-3)
"""Trust regions of a local search, one after the other."""


def cone_extent(
    machine: AnyMachine,
    cone: OrientationCone,
    bounds: tuple[Array, Array],
    columns: tuple[Array, Array, Array],
    ignore: tuple[str, ...],
) -> Extent:
    """Return the farthest positions that allow every orientation of a cone, see
    `gough.workspaces.extent.columns_extent`.

    Quadratic programming at the worst orientations known; those of each end are added until the whole cone is allowed
    there (exchange method, Blankenship and Falk 1976).
    """
    arrays = limits_for_search(machine, ignore)
    known = column_ends(*columns)
    known = known[np.isfinite(known[:, 2])]
    step = np.ptp(known, axis=0) / max(len(columns[0]) - 1, 1) + 1e-9 * machine.size
    signs, axes, first = starts(known, step, CONE_STARTS)
    search = _ConeSearch(machine, arrays, cone, bounds, known.mean(axis=0), 4.0 * float(step.max()))
    along = signs[:, None] * np.eye(3)[axes]
    ends = np.array([search.end(p, e, CONE_TRUST[:2]) for p, e in zip(first, along, strict=True)])
    chosen = best_of_sides((ends * along).sum(axis=1), signs, axes)
    points = np.array([search.end(p, e, CONE_TRUST[1:]) for p, e in zip(ends[chosen], along[chosen], strict=True)])
    names = np.array([column.name for column in limit_table(machine).columns])[np.isfinite(arrays.per_scale)]
    active = tuple(tuple(names[worst_by_limit(machine, arrays, cone, p)[1] < TIE].tolist()) for p in points)
    return Extent.at(points, active)


@dataclass(frozen=True, eq=False)
class _ConeSearch:
    """Local searches at all orientations of a cone within bounds; `inner` is the mean of the known positions."""

    machine: AnyMachine
    arrays: LimitArrays
    cone: OrientationCone
    bounds: tuple[Array, Array]
    inner: Array
    trust: float

    def end(self, start: Array, e: Array, parts: tuple[float, ...]) -> Array:
        """The allowed position farthest along e from an allowed one, by one search within each part of the trust."""
        for part in parts:
            found = self._farther(start, e, part * self.trust)
            start = start if found is None or found @ e <= start @ e else found
        return start

    def _farther(self, start: Array, e: Array, trust: float) -> Array | None:
        """An allowed position far along e within `trust` of an allowed one; None where none is found."""
        places, least = worst_by_limit(self.machine, self.arrays, self.cone, start)
        limits, point = np.arange(len(least)), start
        for _ in range(CONE_EXCHANGES):
            relative = partial(self._relative, self.cone.rotations(places), limits)
            point = along_limits(relative, point, e, self.bounds, trust, STEP * self.machine.size)
            worst, least = worst_by_limit(self.machine, self.arrays, self.cone, point)
            violated = np.flatnonzero(least < 0)
            places, limits = np.concatenate([places, worst[violated]]), np.concatenate([limits, violated])
            if least.min() >= -RETREAT:
                break
        # The end may violate a limit by rounding: try points towards the inside, cheap check first.
        rotations = self.cone.rotations(places)
        back = np.append(0.0, np.logspace(-14, -3, 23))[:, None]
        tried = np.clip(point + back * (self.inner - point), *self.bounds)
        for place in tried[(self._relative(rotations, limits, tried) >= 0).all(axis=1)][:BACK]:
            if worst_by_limit(self.machine, self.arrays, self.cone, place)[1].min() >= 0:
                return np.asarray(place)
        return None

    def _relative(self, R: Array, limits: Ints, points: Array) -> Array:
        """Relative margins (n, m) of limits (m,) at points (n, 3), each limit at its own rotation R (m, 3, 3)."""
        found = counted_margins(
            self.machine, self.arrays, np.tile(R, (len(points), 1, 1)), np.repeat(points, len(R), axis=0)
        )
        return found.reshape(len(points), len(R), -1)[:, np.arange(len(R)), limits]
