"""Limits of two stages at poses and along paths.

At a constant orientation R of the end platform its displacement from home is D = (R R_home^-1, t) with t affine in its
position, and exp(share log D) = (Q, A t), where Q and A depend on R and the share only: a straight translation of the
end platform is a straight translation of both platforms in their own bases. The allowed intervals of such a path are
the intersections of those of each stage. Paths with rotation are sampled by short steps, followed by root finding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.limits import interval_search as of_stage
from gough.limits import table as table_of_stage
from gough.limits._margins import SHORTEST, LimitArrays
from gough.limits._paths import EULER, TWIST
from gough.limits._travel import NO_LIMIT, OUT_OF_STEPS
from gough.limits._walk import SLIP
from gough.limits.interval_search import MOST, Intervals
from gough.limits.interval_search import find_intervals as find_intervals_of_stage
from gough.limits.interval_search import limits_for_search as limits_for_search_of_stage
from gough.limits.interval_search import poses_at as poses_at_of_stage
from gough.limits.interval_search import reach_box as reach_box_of_stage
from gough.limits.interval_search import relative_margins as relative_margins_of_stage
from gough.limits.interval_search import some_limits as some_limits_of_stage
from gough.limits.margins import Margins
from gough.limits.margins import is_allowed as is_allowed_of
from gough.limits.margins import is_allowed as is_allowed_of_stage
from gough.limits.margins import is_inside as is_inside_of
from gough.limits.margins import is_inside as is_inside_of_stage
from gough.limits.margins import margins as margins_of_stage
from gough.limits.table import Column, walking_length
from gough.limits.table import limit_table as limit_table_of_stage
from gough.limits.table import margin_values as margin_values_of
from gough.limits.table import margin_values as margin_values_of_stage
from gough.limits.travel import FARTHEST
from gough.limits.travel import travel_ends as travel_ends_of_stage
from gough.poses import PoseLike
from gough.quantity import result
from gough.regions.corners import proof as proof_of_stage
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, own_poses, postures
from gough.stages.stepping import Least, crossings, drawn_in, first_crossings, first_intervals
from gough.workspaces.cones import intersection


@result
class StackedMargins(Margins):
    """Signed distances to all limits of both stages, the lower stage's first, named as "stage 1 leg 3 longest".

    `stages` has the margins of each stage, at the pose of its platform in its own base.
    """

    @property
    def stages(self) -> tuple[Margins, ...]:
        """Margins of the lower and of the upper stage."""
        tables = [limit_table_of_stage(stage).columns for stage in self.machine.stages]
        values = np.split(self.values, [len(tables[0])], axis=-1)
        return tuple(map(Margins, values, tables, self.machine.stages))

    @property
    def is_singular(self) -> NDArray[np.bool_]:
        """Whether a stage is singular (...)."""
        return self.stages[0].is_singular | self.stages[1].is_singular

    def singular_sentence(self) -> str:
        """See `Margins.singular_sentence`; for each stage."""
        return self.machine.by_stage(part.singular_sentence() for part in self.stages)

    def sentence(self) -> str:
        """See `Margins.sentence`; for each stage with an active limit."""
        bound = np.split(self.ties, [len(self.stages[0].columns)])
        said = (part.sentence() if ties.any() else "" for part, ties in zip(self.stages, bound, strict=True))
        return self.machine.by_stage(said) or "the pose is not a number"

    def of_stage(self, c: int) -> str:
        """See `Margins.of_stage`."""
        return f"stage {1 + (c >= len(self.stages[0].columns))}: "

    def sentence_of(self, c: int) -> str:
        """See `Margins.sentence_of`."""
        first = len(self.stages[0].columns)
        part, local = (self.stages[0], c) if c < first else (self.stages[1], c - first)
        return self.of_stage(c) + part.sentence_of(local)


@margins_of_stage.register(StackedMachine)
@checks_arguments
def margins(machine: StackedMachine, X: PoseLike) -> StackedMargins:
    """Return signed distances to all limits of both stages, see `gough.margins`."""
    poses = both_poses(X)
    values = margin_values(machine, poses.reshape(-1, 2, 4, 4))
    return StackedMargins(values.reshape(*poses.shape[:-3], values.shape[-1]), limit_table(machine).columns, machine)


@margin_values_of_stage.register(StackedMachine)
def margin_values(machine: StackedMachine, matrices: Array) -> Array:
    """Return margins (n, k) at poses (n, 2, 4, 4), the lower stage's first, see `gough.limits.table.margin_values`."""
    return np.concatenate(list(map(margin_values_of, machine.stages, own_poses(machine, matrices))), axis=-1)


@is_allowed_of_stage.register(StackedMachine)
@checks_arguments
def is_allowed(machine: StackedMachine, X: PoseLike) -> NDArray[np.bool_]:
    """Test whether poses satisfy all limits of both stages, see `gough.limits.is_allowed`."""
    lower, upper = map(is_allowed_of, machine.stages, own_poses(machine, both_poses(X)))
    return np.asarray(lower & upper)


@is_inside_of_stage.register(StackedMachine)
def is_inside(machine: StackedMachine, matrices: Array) -> NDArray[np.bool_]:
    """Test whether poses (..., 2, 4, 4) are inside the limits of both stages or on them."""
    lower, upper = map(is_inside_of, machine.stages, own_poses(machine, matrices))
    return np.asarray(lower & upper)


PATH_STEP = 0.02
"""Step along paths with rotation, as a part of the shorter walking length (`gough.limits.table.walking_length`): the
largest motion of a joint per step, apart from the motion of the intermediate platform."""
EQUAL_ENDS = 1e-10
"""Distance at which ends of both stages' intervals count as equal, as a part of the machine's size."""
NO_MOTION = 1e-12
"""Largest determinant of the map from positions of the end platform to those of a stage that does not move."""


@dataclass(frozen=True, eq=False)
class StackedLimits:
    """Limits of both stages for kernels, in the form of `gough.limits._margins.LimitArrays`."""

    stages: tuple[LimitArrays, LimitArrays]

    @property
    def per_scale(self) -> Array:
        """One over the limits' scales (k,), the lower stage's first; NaN for ignored limits."""
        return np.concatenate([part.per_scale for part in self.stages])

    @property
    def tolerance(self) -> Array:
        """Tolerances of the limits as parts of their scales (k,), see `gough.limits.table.ROUNDING`."""
        return np.concatenate([part.tolerance * part.per_scale for part in self.stages])

    @property
    def is_reach(self) -> Bools:
        """Mask (k,) of limits that are reaches of legs."""
        return np.concatenate([part.places < SHORTEST for part in self.stages])

    def _replace(self, **changes: Any) -> StackedLimits:
        lower, upper = (part._replace(**changes) for part in self.stages)
        return StackedLimits((lower, upper))


@dataclass(frozen=True, eq=False)
class StackedTable:
    """Columns of the limits of both stages, the lower one's first, named as "stage 1 leg 3 longest"."""

    columns: tuple[Column, ...]


_tables: WeakKeyDictionary[StackedMachine, StackedTable] = WeakKeyDictionary()


@limit_table_of_stage.register(StackedMachine)
def limit_table(machine: StackedMachine) -> StackedTable:
    """Return the table of the limits of both stages, built once, see `gough.limits.table.limit_table`."""
    if machine not in _tables:
        _tables[machine] = StackedTable(
            tuple(
                replace(column, name=f"stage {k} {column.name}")
                for k, stage in enumerate(machine.stages, 1)
                for column in table_of_stage.limit_table(stage).columns
            )
        )
    return _tables[machine]


@limits_for_search_of_stage.register(StackedMachine)
def limits_for_search(machine: StackedMachine, ignore: tuple[str, ...] = ()) -> StackedLimits:
    """See `gough.limits.interval_search.limits_for_search`; names of ignored limits begin with the stage's."""
    of_stage.limit_names(machine, ignore)
    lower, upper = (
        of_stage.limits_for_search(stage, tuple(name[len(head) :] for name in ignore if name.startswith(head)))
        for stage, head in zip(machine.stages, ("stage 1 ", "stage 2 "), strict=True)
    )
    return StackedLimits((lower, upper))


@relative_margins_of_stage.register(StackedMachine)
def relative_margins(machine: StackedMachine, arrays: StackedLimits, poses: Array) -> Array:
    """Return relative margins (n, k) at poses (n, 2, 4, 4), see `gough.limits.interval_search.relative_margins`."""
    parts = zip(machine.stages, arrays.stages, own_poses(machine, poses), strict=True)
    return np.concatenate([of_stage.relative_margins(*part) for part in parts], axis=1)


@some_limits_of_stage.register(StackedMachine)
def some_limits(machine: StackedMachine, arrays: StackedLimits, columns: Ints) -> StackedLimits:
    """Return some columns (m,) alone, see `gough.limits.interval_search.some_limits`."""
    lower, upper = arrays.stages
    count = len(lower.places)
    return StackedLimits(
        (
            of_stage.some_limits(machine.lower, lower, columns[columns < count]),
            of_stage.some_limits(machine.upper, upper, columns[columns >= count] - count),
        )
    )


@poses_at_of_stage.register(StackedMachine)
def poses_at(machine: StackedMachine, R: Array, positions: Array) -> Array:
    """Return poses (..., 2, 4, 4) with the point of interest at positions, see `gough.limits.interval_search.poses_at`.

    The intermediate platform has the machine's share of the displacement from home.
    """
    X = np.zeros((*positions.shape[:-1], 4, 4))
    X[..., :3, :3] = R
    X[..., :3, 3] = positions - R @ machine.point_of_interest
    X[..., 3, 3] = 1.0
    return postures(machine, X)


@proof_of_stage.register(StackedMachine)
def proof(machine: StackedMachine, kind: str, most: Array, planes: Array | None = None) -> tuple[float, Array, Ints]:
    """Return an empty proof: corners of stacks are not proven farthest, see `gough.regions.corners`."""
    return np.nan, np.empty((0, 2)), np.empty(0, dtype=np.int64)


@reach_box_of_stage.register(StackedMachine)
def reach_box(machine: StackedMachine, R: Array) -> tuple[Array, Array]:
    """Return corners (3,) of a box of all positions that both stages reach, see
    `gough.limits.interval_search.reach_box`.

    The box of each stage corresponds to a parallelepiped of positions of the end platform; the result is the
    intersection of their bounding boxes.
    """
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    size, positions = machine.size, machine.size * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    for stage, X in zip(machine.stages, own_poses(machine, poses_at(machine, R, positions)), strict=True):
        # At a constant orientation the stage's own position is affine in that of the end platform: four poses give A.
        points = X[:, :3, :3] @ stage.point_of_interest + X[:, :3, 3]
        A = (points[1:] - points[0]).T / size
        box = np.stack(of_stage.reach_box(stage, X[0, :3, :3]), axis=1)
        if np.isfinite(box).all() and abs(np.linalg.det(A)) > NO_MOTION:
            spanned = np.linalg.solve(A, (np.array(list(product(*box))) - points[0]).T)
            low, high = np.maximum(low, spanned.min(axis=1)), np.minimum(high, spanned.max(axis=1))
    return low, high


@find_intervals_of_stage.register(StackedMachine)
def find_intervals(
    machine: StackedMachine,
    arrays: StackedLimits,
    starts: Array,
    directions: Array,
    lengths: Array,
    progress: Progress = None,
    most: int = MOST,
) -> Intervals:
    """Return allowed intervals along paths, see `gough.limits.interval_search.find_intervals`."""
    if directions[:, 3:].any():
        return _turning_intervals(machine, arrays, starts[:, 1], directions, lengths, most, progress)
    # Twists of each stage per unit of path of the end platform, from the two ends of its straight path.
    ends = starts[:, 1].copy()
    ends[:, :3, 3] += lengths[:, None] * directions[:, :3]
    both = postures(machine, ends)
    found: list[Intervals] = []
    for k, (X, X_end) in enumerate(zip(own_poses(machine, starts), own_poses(machine, both), strict=True)):
        twists = np.zeros_like(directions)
        twists[:, :3] = (X_end[:, :3, 3] - X[:, :3, 3]) / lengths[:, None]
        found.append(of_stage.find_intervals(machine.stages[k], arrays.stages[k], X, twists, lengths, progress))
    lower, upper = found
    # Columns of the upper stage follow those of the lower one; negative codes are not columns.
    past = np.where(upper.binding < 0, upper.binding, upper.binding + len(arrays.stages[0].places))
    common = intersection(lower, replace(upper, binding=past))
    common = replace(common, binding=_lower_of_ties(lower, common, EQUAL_ENDS * machine.size))
    return common.first(most)


def _turning_intervals(
    machine: StackedMachine,
    arrays: StackedLimits,
    starts: Array,
    unit: Array,
    lengths: Array,
    most: int,
    progress: Progress = None,
) -> Intervals:
    """Allowed intervals along paths of the end platform with rotation from its poses (n, 4, 4), by steps."""
    step = _steps(machine, unit)
    of_stage.check_lengths(min(machine.stages, key=walking_length), lengths, PATH_STEP / step)
    least = _least_along(machine, arrays, starts, unit, TWIST)
    return first_intervals(least, step, lengths, most, progress)


@travel_ends_of_stage.register(StackedMachine)
def travel_ends(machine: StackedMachine, starts: Array, unit: Array, path: int) -> tuple[Array, Ints, Array]:
    """Return travel (n,) of the end platform from its poses (n, 4, 4), the active columns at its ends, and postures
    there."""
    arrays, n = limits_for_search(machine), len(unit)
    moves, turns = np.linalg.norm(unit[:, :3], axis=1), np.linalg.norm(unit[:, 3:], axis=1)
    with np.errstate(divide="ignore"):
        farthest = np.minimum(FARTHEST * machine.size / moves, np.pi / turns)
    shortest = min(map(walking_length, machine.stages))
    step, least = _steps(machine, unit), _least_along(machine, arrays, starts, unit, path)

    # Straight translations by intersection, paths with rotation by steps; starts beyond a limit have no travel.
    value, column = least(np.zeros((n, 1)), np.arange(n))
    is_known, is_broken = np.isfinite(starts).all(axis=(1, 2)), value[:, 0] < 0
    is_straight = (turns == 0) & (2 * FARTHEST * machine.size < of_stage.LONGEST * shortest) & np.isfinite(value[:, 0])
    straight, turning = (np.flatnonzero(is_known & ~is_broken & each) for each in (is_straight, ~is_straight))
    inside, beyond = first_crossings(least, step, farthest, turning)
    inside, at = crossings(least, inside, beyond)
    binding = np.where(np.isfinite(beyond), at, np.where(inside < farthest, OUT_OF_STEPS, NO_LIMIT))
    if len(straight):
        found = find_intervals(machine, arrays, postures(machine, starts[straight]), unit[straight], farthest[straight])
        is_inside = found.ends[:, 0, 0] == 0.0  # otherwise the start is on a limit, and the path leads beyond it
        inside[straight] = np.where(is_inside, found.ends[:, 0, 1], 0.0)
        binding[straight] = np.where(is_inside, found.binding[:, 0, 1], column[straight, 0])
    distance = np.where(binding == NO_LIMIT, np.inf, inside)
    binding = np.where(is_known, np.where(is_broken, column[:, 0], binding), NO_LIMIT)
    distance = np.where(is_known, distance, np.nan)
    exact = _least_along(machine, arrays._replace(sign_only=False), starts, unit, path)
    distance = drawn_in(exact, distance, np.flatnonzero((binding >= 0) & (distance > 0)))
    ends = np.full((n, 2, 4, 4), np.nan)
    held = np.flatnonzero(binding >= 0)
    ends[held] = _poses_along(machine, starts[held], unit[held], path, distance[held, None])[:, 0]
    return distance, binding, ends


def _lower_of_ties(lower: Intervals, common: Intervals, near: float) -> Ints:
    """Active columns at the ends of the common intervals; the lower stage's where both stages end at the same point.

    Two equal stages do so everywhere, and rounding would decide otherwise.
    """
    is_near = np.abs(lower.ends[:, None] - common.ends[:, :, None]) <= near
    is_near &= lower.binding[:, None] >= 0
    columns = np.where(is_near, lower.binding[:, None], -1).max(axis=2)
    return np.where(is_near.any(axis=2) & (common.binding >= 0), columns, common.binding)


def _steps(machine: StackedMachine, unit: Array) -> Array:
    """Steps (n,) along directions (n, 6), see `PATH_STEP`."""
    moves, turns = np.linalg.norm(unit[:, :3], axis=1), np.linalg.norm(unit[:, 3:], axis=1)
    return np.asarray(PATH_STEP * min(map(walking_length, machine.stages)) / (moves + turns * machine.size))


def _least_along(machine: StackedMachine, arrays: StackedLimits, starts: Array, unit: Array, path: int) -> Least:
    """Smallest margins along paths of the end platform from its poses (n, 4, 4); -inf from a start that is NaN.

    Limits on which a path starts have the slack of `gough.limits._walk.slacken`; without `sign_only` a leg is within
    its reach by the tolerance, as in `gough.limits._walk.inner`.
    """

    def relative(kind: StackedLimits, s: Array, which: Ints) -> Array:
        poses = _poses_along(machine, starts[which], unit[which], path, s).reshape(-1, 2, 4, 4)
        return relative_margins(machine, kind, poses).reshape(*s.shape, -1)

    start = np.zeros((len(starts), 1)), np.arange(len(starts))
    signs, exact = (relative(kind, *start)[:, 0] for kind in (arrays, arrays._replace(sign_only=False)))
    lowest, tolerance = np.minimum(signs, exact), arrays.tolerance
    is_on = (lowest < 0) & (lowest >= -tolerance) & ~arrays.is_reach
    slack = np.where(is_on, np.minimum(tolerance, SLIP * tolerance - lowest), 0.0)
    if not arrays.stages[0].sign_only:
        slack -= np.where(arrays.is_reach, tolerance, 0.0)

    def least(s: Array, which: Ints) -> tuple[Array, Ints]:
        values = relative(arrays, s, which) + slack[which, None]
        values[np.isnan(values)] = np.inf
        column = values.argmin(axis=-1)
        value = np.take_along_axis(values, column[..., None], axis=-1)[..., 0]
        is_known = np.asarray(np.isfinite(starts[which]).all(axis=(1, 2)))
        return np.where(is_known[:, None], value, -np.inf), column

    return least


def _poses_along(machine: StackedMachine, starts: Array, unit: Array, path: int, s: Array) -> Array:
    """Poses of both platforms (n, k, 2, 4, 4) at path lengths s (n, k) from poses (n, 4, 4) of the end platform."""
    from scipy.spatial.transform import Rotation

    angles = (s[..., None] * unit[:, None, 3:]).reshape(-1, 3)
    turn = Rotation.from_euler("XYZ", angles) if path == EULER else Rotation.from_rotvec(angles)
    R = turn.as_matrix().reshape(*s.shape, 3, 3) @ starts[:, None, :3, :3]
    point = starts[:, :3, :3] @ machine.point_of_interest + starts[:, :3, 3]
    return poses_at(machine, R, point[:, None] + s[..., None] * unit[:, None, :3])
