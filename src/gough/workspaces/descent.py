"""Local searches for the lowest value of a quantity over the allowed poses, from starts spread over the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.displacements import rotations
from gough.limits.climb import climb, quadratic_step
from gough.limits.interval_search import poses_at
from gough.limits.table import limit_table, margin_values
from gough.stacked import AnyMachine
from gough.workspaces.position_maps import CHUNK, GRID
from gough.workspaces.quadrature import columns_over, spread

Progress: TypeAlias = Callable[[int, int], None]
DIRECTIONS = 96
"""Random directions tried in each round of direct search."""
FINEST = 1e-7
"""Step at which a local search ends, in machine sizes."""
POLLS = 500
"""Most steps and halvings of one direct search, and of one at ends of reach."""
ROUNDS = 8
"""Most rounds of direct search and quadratic programming in turn."""
LEAST_GAIN = 1e-9
"""Smallest gain, in values of the start, that counts as progress."""
ATTEMPTS = 12
"""Most quadratic programs in a round."""
NEWTON, REACHED = 8, 1e-14
"""Newton steps to the end of reach, and relative margins there: above zero, so that rounding leaves them allowed."""
FLAT = 1e-6
"""Singular values of the gradients of margins below this part of the largest are zero."""
HELD, HELD_TRUST = 1e-5, 1e-3
"""Relative margins below which ends of reach are held at the end of a search, and its first trust region, in machine
sizes."""
SAME = 1e-6
"""Points nearer than this part of the first trust region are the same."""


@dataclass(frozen=True, eq=False)
class Near:
    """From coordinates (k, count) [m] to points (k, 6) near a `point` (6,), along `axes` (count, 6), moved `back`
    (m, 6) to where m margins `held`, whose `levels` are (k, m), are zero."""

    point: Array
    axes: Array
    held: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    levels: Callable[[Array], Array] | None = None
    back: Array = field(default_factory=lambda: np.empty((0, 6)))

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return len(self.axes)

    def points(self, z: Array) -> Array:
        """Return points (k, 6) at coordinates (k, count)."""
        points = self.point + z @ self.axes
        if self.levels is not None:
            for _ in range(NEWTON):
                points -= (self.levels(points) - REACHED) @ self.back
        return np.asarray(points)


class Descent:
    """Searches over points [position of the point of interest, weight * rotation vector from the orientation] (6,) [m].

    Parameters
    ----------
    machine : Machine
    function : callable
        From poses (n, 4, 4) to the quantity (n,), or to several (n, k) of which the smallest counts.
    R : (3, 3) array
        The orientation.
    turn : float
        Largest rotation from it [rad].
    axes : three arrays
        The grid along x, y, z [m].
    is_given : (3,) array of bool
        Whether the search must stay between the ends of an axis.
    least : (k,) array, optional
        Smallest relative margin allowed for each limit, -inf for limits that do not count; default 0.

    """

    def __init__(
        self,
        machine: AnyMachine,
        function: Callable[[Array], Array],
        R: Array,
        turn: float,
        axes: tuple[Array, ...],
        is_given: NDArray[np.bool_],
        least: Array | None = None,
    ) -> None:
        self.machine, self.function, self.R, self.turn = machine, function, R, turn
        self.axes = axes
        columns = limit_table(machine).columns
        self.least = np.zeros(len(columns)) if least is None else least
        self._counted = np.isfinite(self.least)
        self._is_reach = np.array([column.quantity == "reach" for column in columns])[self._counted]
        self._scales = np.array([column.scale for column in columns])[self._counted]
        self._lowest = self.least[self._counted] * self._scales
        self.weight = machine.characteristic_length
        self.low = np.where(is_given, [axis[0] for axis in axes], -np.inf)
        self.high = np.where(is_given, [axis[-1] for axis in axes], np.inf)
        self.is_given = is_given & (self.high > self.low)
        self.moves = np.append(self.high > self.low, [turn > 0] * 3)
        self.rng = np.random.default_rng(3)
        # The grid at the orientation itself, and at the largest turn about each axis in both senses.
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        turns = turn * np.concatenate([np.zeros((1, 3)), np.eye(3), -np.eye(3)]) if turn > 0 else np.zeros((1, 3))
        self.grid = np.concatenate(
            [np.column_stack([grid, np.broadcast_to(self.weight * w, grid.shape)]) for w in turns]
        )

    def poses(self, points: Array) -> Array:
        """Return poses (n, 4, 4) of points (n, 6)."""
        return poses_at(self.machine, self.orientation(points), points[:, :3])

    def orientation(self, points: Array) -> Array:
        """Return rotations (n, 3, 3) of the (end) platform at points (n, 6), or one for all (3, 3)."""
        return rotations(points[:, 3:] / self.weight) @ self.R if self.turn > 0 else self.R

    def values(self, points: Array) -> Array:
        """Return the quantity (n,); infinite at poses that are not allowed or outside the range of the search."""
        values = np.full(len(points), np.inf)
        inside = ((points[:, :3] >= self.low) & (points[:, :3] <= self.high)).all(axis=1)
        # An extreme barrier: infinite outside the range and beyond any limit.
        inside &= np.linalg.norm(points[:, 3:], axis=1) <= self.turn * self.weight * (1 + 1e-12)
        poses = self.poses(points[inside])
        with np.errstate(invalid="ignore"):
            allowed = np.asarray((self._above(poses) >= 0).all(axis=-1))
        inside[inside] = allowed
        values[inside] = np.nan_to_num(self._quantities(poses[allowed]).min(axis=1), nan=np.inf)
        return values

    def _quantities(self, poses: Array) -> Array:
        """The quantities (n, k) of which the smallest counts."""
        found = self.function(poses)
        return found[:, None] if found.ndim == 1 else found

    def on_grid(self, progress: Progress | None) -> Array:
        """Return values of all points of the grid; NaN at poses that are not allowed."""
        values = np.empty(len(self.grid))
        for first in range(0, len(values), CHUNK):
            values[first : first + CHUNK] = self.values(self.grid[first : first + CHUNK])
            if progress is not None:
                progress(min(first + CHUNK, len(values)), len(values))
        return np.where(np.isfinite(values), values, np.nan)

    @property
    def step(self) -> float:
        """The longest step of the grid or of the turn [m]."""
        steps = [float(np.diff(axis).max()) for axis in self.axes if len(axis) > 1]
        return max([*steps, self.turn * self.weight])

    def descend(self, start: Array) -> tuple[Array, float]:
        """Return the lowest point that direct search and quadratic programming in turn find from an allowed one, and
        its value."""
        point, value, step = start, float(self.values(start[None])[0]), self.step
        least = LEAST_GAIN * abs(value)  # of the start's value: one that falls to zero would gain without end
        for _ in range(ROUNDS):
            before = value
            point, value = self._poll(point, value, step, least)
            point, value = self.along_limits(point, value, step, least)
            if before - value <= least:
                return point, value
            # Later rounds start with shorter steps, but never below the resolution of the search.
            step = max(0.3 * step, 10 * FINEST * self.machine.size)
        return point, value

    def at_reach(self, point: Array, value: float) -> tuple[Array, float]:
        """Return the lowest point near one at ends of legs' reach, with these held, by quadratic programming.

        Next to them quantities and margins are like square roots of the distance, and neither steps nor slopes find the
        end; along them they are smooth.
        """
        held = np.flatnonzero(self._is_reach & (self._above(self.poses(point[None]))[0] < HELD))
        trust = HELD_TRUST * self.machine.size
        for _ in range(POLLS if len(held) else 0):
            if trust <= FINEST * self.machine.size:
                break
            tried = self._step(point, trust, abs(value) or 1.0, self._near(point, held))
            reached = float(self.values(tried[None])[0])
            if not reached < value:
                trust *= 0.06
                continue
            point, value = tried, reached
        return point, value

    def _poll(self, point: Array, value: float, step: float, least: float) -> tuple[Array, float]:
        """Direct search: move to the lowest of many points at the step's distance, or halve the step."""
        for _ in range(POLLS):
            if step <= FINEST * self.machine.size:
                break
            # Uniform directions in the subspace of the free coordinates.
            d = self.rng.normal(size=(DIRECTIONS, 6)) * self.moves
            d /= np.maximum(np.linalg.norm(d, axis=1, keepdims=True), np.finfo(float).tiny)
            tried = point + step * d
            found = self.values(tried)
            k = int(np.argmin(found))
            if found[k] < value - least:
                point, value = tried[k], float(found[k])
            else:
                step *= 0.5
        return point, value

    def along_limits(
        self,
        point: Array,
        value: float,
        trust: float,
        least: float,
        attempts: int = ATTEMPTS,
        known: Sequence[Array] = (),
    ) -> tuple[Array, float]:
        """Minimise by quadratic programming with the margins as constraints, for limits that leave only a narrow cone
        of descent directions. It stops next to points (6,) that are `known`, such as ends of earlier searches.
        """
        size, same = abs(value) or 1.0, SAME * trust
        for _ in range(attempts):
            if trust <= 300 * FINEST * self.machine.size:
                break
            end = self._step(point, trust, size)
            # Also points back towards the allowed one: the end may be just beyond a limit.
            parts = np.append(np.linspace(1.0, 0.5, 17), 1.0 - np.logspace(-9, -2, 15))
            tried = end * parts[:, None] + point * (1 - parts[:, None])
            values = self.values(tried)
            k = int(np.argmin(values))
            if values[k] < value - least:
                point, value = tried[k], float(values[k])
                if any(np.linalg.norm(point - end) < same for end in known):
                    break
            else:
                trust *= 0.06
        return point, value

    def _step(self, point: Array, trust: float, size: float, at: Near | None = None) -> Array:
        """End (6,) of one quadratic program within `trust` of a point along each coordinate.

        For several quantities, the smallest at the point: their minimum has kinks, at which quadratic
        programming stalls, and it is never above the one.
        """
        at = Near(point, np.eye(6)[self.moves]) if at is None else at
        start = np.zeros(at.count)
        if not at.count:  # as many ends of reach as coordinates
            return at.points(start[None])[0]
        counts = int(np.argmin(np.nan_to_num(self._quantities(self.poses(point[None]))[0], nan=np.inf)))

        def model(z: Array) -> tuple[Array, Array]:
            points = at.points(z)
            poses = self.poses(points)
            return self._quantities(poses)[:, counts] / size, np.delete(self._relative(points, poses), at.held, axis=1)

        ftol = 1e-9 if at.levels is None else 1e-13
        return at.points(quadratic_step(model, start, trust, 1e-7 * self.machine.size, ftol=ftol, most=20)[None])[0]

    def _near(self, point: Array, held: NDArray[np.intp]) -> Near:
        """Coordinates near a point along which differentiable margins (m,) are zero."""

        def levels(points: Array) -> Array:
            return self._above(self.poses(points))[:, held]

        free, h = np.eye(6)[self.moves], 1e-7 * self.machine.size
        slopes = (levels(point + h * free) - levels(point - h * free)) / (2 * h)
        U, s, _ = np.linalg.svd(slopes)
        return Near(point, U[:, int((s > FLAT * s[0]).sum()) :].T @ free, held, levels, np.linalg.pinv(slopes) @ free)

    def _relative(self, points: Array, poses: Array) -> Array:
        """Relative margins of the limits and of the ends of the search's own range (n, k)."""
        found = self._above(poses)
        if not (self.is_given.any() or self.turn > 0):
            return found
        size = self.machine.size
        ends = np.column_stack([points[:, :3] - self.low, self.high - points[:, :3]])[:, np.tile(self.is_given, 2)]
        turn = (self.turn * self.weight) ** 2 - np.sum(points[:, 3:] ** 2, axis=1, keepdims=True)
        return np.column_stack([found, ends / size, turn / size**2] if self.turn > 0 else [found, ends / size])

    def _above(self, poses: Array) -> Array:
        """Relative margins (n, k) less the smallest allowed ones, of limits that count; NaN if a leg cannot close."""
        values = margin_values(self.machine, poses)[:, self._counted]
        return np.asarray((values - self._lowest) / self._scales)

    def ends_reached(self, point: Array) -> tuple[str, ...]:
        """Return names of the ends of the search's own range at which a point (6,) lies."""
        near = 10 * FINEST * self.machine.size
        names = [
            f"{name} range searched"
            for k, name in enumerate(GRID)
            if self.is_given[k] and min(point[k] - self.low[k], self.high[k] - point[k]) < near
        ]
        if self.turn > 0 and self.turn * self.weight - np.linalg.norm(point[3:]) < near:
            names.append("largest turn searched")
        return tuple(names)


CELLS = 5
"""Cells along each side of the range: the lowest known pose of each may become a start."""
COLUMNS = 64
"""Columns along each axis that are sampled besides the grid, whatever its step."""
ALONG = np.concatenate([[1e-6, 0.01, 0.05], np.arange(0.15, 0.9, 0.1), [0.95, 0.99, 1 - 1e-6]])
"""Places on an interval of a column that are sampled, denser near its ends, where most minima lie."""
LOWEST, FAR = 12, 8
"""Starts from the lowest cells, and from cells as far apart as possible."""
CLIMBED = 6
"""Starts from the best ends of short searches that are not neighbours."""
AROUND, SCOUTED = 16, 0.03
"""Directions per round of a short search, and its last step in steps of the grid."""
TRUST = 0.3
"""First trust region of quadratic programming from a start, as a part of the range."""
LONG = 3
"""Long searches, from the best ends that are not neighbours."""


def lowest_found(search: Descent, on_grid: Array) -> tuple[Array, float]:
    """Return the lowest point (6,) that searches from many starts find, and its value; `on_grid` (n,) are the
    grid's."""
    # Sample, choose starts, at most two quadratic programs from each, and long searches from the best ends.
    columns = on_columns(search)
    points, values = np.concatenate([search.grid, columns]), np.concatenate([on_grid, search.values(columns)])
    cells = _lowest_of_cells(points[:, :3], values)
    lowest, far = points[cells[:LOWEST]], _far_apart(points[cells], FAR)
    starts = np.concatenate([lowest, far, short_searches(search, points[cells], CLIMBED)])
    starts = starts[np.sort(np.unique(starts, axis=0, return_index=True)[1])]  # without repetitions, order kept
    trust = TRUST * max(search.step, *(float(np.ptp(axis)) for axis in search.axes))
    ends: list[tuple[Array, float]] = []
    for point, value in zip(starts, search.values(starts), strict=True):
        known = [end for end, _ in ends]
        ends.append(search.along_limits(point, float(value), trust, 0.0, attempts=2, known=known))
    ends.sort(key=lambda end: end[1])
    best = _apart(np.array([p for p, _ in ends]), np.array([v for _, v in ends]), 0.1 * trust, LONG)
    return min((search.at_reach(*search.descend(start)) for start in best), key=lambda end: end[1])


def on_columns(search: Descent) -> Array:
    """Return points (n, 6) on columns along each axis, at every orientation of the grid."""
    low, high = (np.array([axis[k] for axis in search.axes]) for k in (0, -1))
    # Somewhat beyond the grid, whose extent is approximate, but within the given axes.
    free, room = high > low, 0.05 * (high - low)
    low, high = np.maximum(low - room, search.low), np.minimum(high + room, search.high)
    found, across = [np.empty((0, 6))], spread(COLUMNS)
    for turn in np.unique(search.grid[:, 3:], axis=0):
        R = search.orientation(np.append(np.zeros(3), turn)[None]).reshape(3, 3)
        for axis in np.flatnonzero(free):
            places, _ = columns_over(search.machine, R, int(axis), low, high, across).inside(ALONG)
            flat = places.reshape(-1, 3)
            found.append(np.column_stack([flat, np.broadcast_to(turn, flat.shape)]))
    return np.concatenate(found)


def short_searches(search: Descent, scouts: Array, most: int) -> Array:
    """Return the best ends (n, 6), no neighbours of each other, of short pattern searches side by side from points (n,
    6)."""

    def directions(k: int) -> Array:  # new ones in each round
        d = np.random.default_rng(k).normal(size=(AROUND, 6)) * search.moves
        return np.asarray(d / np.maximum(np.linalg.norm(d, axis=1, keepdims=True), np.finfo(float).tiny))

    steps = np.full(len(scouts), search.step)
    ends, heights = climb(lambda points, _: -search.values(points), scouts, steps, SCOUTED, directions)
    order = np.argsort(-heights, kind="stable")
    return _apart(ends[order], -heights[order], 0.5 * search.step, most)


def _lowest_of_cells(positions: Array, values: Array) -> NDArray[np.intp]:
    """Index of the point with the lowest finite value (n,) in each cell of the box about points (n, 3), by rising
    values."""
    low, size = positions.min(axis=0), np.maximum(np.ptp(positions, axis=0), np.finfo(float).tiny)
    place = np.minimum((CELLS * (positions - low) / size).astype(np.int64), CELLS - 1)
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(values[order])]
    _, first = np.unique(place[order] @ (CELLS**2, CELLS, 1), return_index=True)
    return order[np.sort(first)]


def _apart(points: Array, values: Array, distance: float, most: int) -> Array:
    """Greedily the first of points (n, d), in order of rising values (n,), that keep a distance from one another."""
    chosen: list[Array] = []
    left = points[np.isfinite(values)]
    for _ in range(most):
        if not len(left):
            break
        chosen.append(left[0])
        left = left[np.linalg.norm(left - left[0], axis=1) > distance]
    return np.array(chosen).reshape(-1, points.shape[1])


def _far_apart(points: Array, most: int) -> Array:
    """At most so many of points (n, d), beginning with the last, each the farthest from all chosen before."""
    chosen = [len(points) - 1]
    distance = np.linalg.norm(points - points[-1], axis=1)
    for _ in range(min(most, len(points)) - 1):
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.asarray(points[chosen])
