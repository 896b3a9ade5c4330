"""Allowed intervals along straight paths of poses, and the box that contains a workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from gough.arrays import Aligned, Array, Ints, Progress
from gough.checks.numbers import check_count
from gough.errors import InputError, NotConvergedError, nearest
from gough.legs.leg import MIDDLE
from gough.limits._margins import BOX, PAIR, SHORTEST, SIDE, SINGULAR_MIN, SINGULARITY, LimitArrays, margins_at
from gough.limits._paths import TWIST, Path
from gough.limits._travel import UNFINISHED, intervals_batch
from gough.limits._walk import LARGEST_STEP, Search
from gough.limits.table import limit_table, path_speed, walking_length
from gough.machine import Machine
from gough.stacked import AnyMachine, by_machine
from gough.workers import run_batch


class Sphere(NamedTuple):
    """Unit vectors (n, 3) and the triangles between them (m, 3), counterclockwise as seen from outside.

    The vectors of the next coarser sphere come first.
    """

    directions: Array
    faces: Ints


@cache
def icosphere(level: int) -> Sphere:
    """Return an icosahedron whose triangles are divided into four, `level` times: 10 * 4^level + 2 directions."""
    if level == 0:
        return _icosahedron()
    check_count("directions", 10, 4**level)
    directions, faces = icosphere(level - 1)
    # The middle of every edge becomes a direction; each triangle is replaced by three at its corners and one inside.
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, place = np.unique(edges, axis=0, return_inverse=True)
    middles = directions[unique].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    ab, bc, ca = (len(directions) + place.reshape(-1, 3)).T
    a, b, c = faces.T
    cut = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
    return Sphere(np.concatenate([directions, middles]), np.moveaxis(cut, 1, 2).reshape(-1, 3))


def _icosahedron() -> Sphere:
    from scipy.spatial import ConvexHull

    # Corners of an icosahedron: cyclic permutations of (0, +-1, +-golden ratio).
    golden = (1 + np.sqrt(5)) / 2
    pairs = np.array([(a, b) for a in (-1.0, 1.0) for b in (-golden, golden)])
    zero = np.zeros(len(pairs))
    corners = np.concatenate([np.roll(np.column_stack([zero, pairs]), k, axis=1) for k in range(3)])
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    faces = np.asarray(ConvexHull(corners).simplices, dtype=np.int64)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    # Qhull does not orient its faces.
    inward = np.einsum("ij,ij->i", a, np.cross(b, c)) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Sphere(corners, faces)


MOST = 8
"""Intervals stored for one path; further ones are dropped."""
CHUNK = 4096
"""Paths between two reports of progress."""
COARSE = 25
"""Columns along x and y of the coarse search for the extent of a workspace."""
FILLED = 0.7
"""The box is not shrunk further once the workspace fills this part of its sides along x and y."""
LONGEST = 500.0
"""Longest path that is searched, in walking lengths: a step is at most a 25th of one, and paths are many."""


@dataclass(frozen=True, eq=False)
class Intervals(Aligned):
    """Allowed intervals of n paths: `ends` (n, k, 2) along them, NaN beyond `count` (n,), and the columns that bind at
    the ends (n, k, 2), -1 at the ends of the path."""

    ends: Array
    binding: Ints
    count: Ints

    def trimmed(self) -> Intervals:
        """Trim to as many intervals as the path with the most has, at least one."""
        return self.first(max(1, int(self.count.max(initial=0))))

    def first(self, most: int) -> Intervals:
        """Return the first intervals of each path, at most so many, with no more room than they need."""
        most = min(most, max(1, int(self.count.max(initial=0))))
        return Intervals(self.ends[:, :most], self.binding[:, :most], np.minimum(self.count, most))

    def padded(self, most: int) -> Intervals:
        """Pad to `most` intervals on each path."""
        room = ((0, 0), (0, most - self.ends.shape[1]), (0, 0))
        ends, binding = np.pad(self.ends, room, constant_values=np.nan), np.pad(self.binding, room, constant_values=-1)
        return Intervals(ends, binding, self.count)


@by_machine
def find_intervals(
    machine: Machine,
    arrays: LimitArrays,
    starts: Array,
    directions: Array,
    lengths: Array,
    progress: Progress = None,
    most: int = MOST,
) -> Intervals:
    """Return the first `most` allowed intervals along paths from poses (n, 4, 4) along twists (n, 6), up to lengths
    (n,).

    The point of interest moves with v while the platform turns about it with w; `arrays` from `limits_for_search`.

    Raises
    ------
    InputError
        A path along which a joint moves more than `LONGEST` walking lengths.
    NotConvergedError
        The search along one ran out of steps.

    """
    total = len(starts)
    ends = np.full((total, most, 2), np.nan)
    binding = np.full((total, most, 2), -1, dtype=np.int64)
    count = np.zeros(total, dtype=np.int64)
    speed = path_speed(machine, starts, directions)
    speed = np.where(speed > 0.0, speed, LARGEST_STEP / lengths)  # a path on which nothing moves takes one step
    check_lengths(machine, lengths, speed)
    for first in range(0, total, CHUNK):
        last = min(first + CHUNK, total)

        def solve(part: slice, first: int = first) -> None:
            s = slice(first + part.start, first + part.stop)
            paths = Path(TWIST, starts[s], machine.point_of_interest, directions[s])
            intervals_batch(search_of(arrays), paths, lengths[s], speed[s], ends[s], binding[s], count[s])

        run_batch(solve, last - first, from_count=16)
        if progress is not None:
            progress(last, total)
    unfinished = int((count == UNFINISHED).sum())
    if unfinished:
        raise NotConvergedError(
            f"the search along {unfinished} of {total} paths ran out of steps; search smaller parts"
        )
    return Intervals(ends, binding, np.minimum(count, most)).trimmed()


def check_lengths(machine: Machine, lengths: Array, speed: Array) -> None:
    """Raise `InputError` where paths of these lengths (n,) are too long for the steps that the legs need."""
    longest = float(np.max(lengths * speed, initial=0.0))
    if not longest <= LONGEST:
        length = machine.units.metres
        unit, walk, far = machine.units.length, walking_length(machine), longest * walking_length(machine)
        raise InputError(
            f"the search would follow a joint over {far / length:.3g} {unit}, {longest:.3g} times the shortest leg "
            f"or arm ({walk / length:.3g} {unit}), at most {LONGEST:g} times are supported; use a smaller region, "
            "finite strokes, or a tool closer to the platform"
        )


@by_machine
def relative_margins(machine: Machine, arrays: LimitArrays, poses: Array) -> Array:
    """Return relative margins (n, k) of poses (n, 4, 4); NaN of limits that do not count and of legs that cannot
    close."""
    return np.asarray(margins_at(arrays, poses, from_count=256)[0] * arrays.per_scale)


@by_machine
def some_limits(machine: Machine, arrays: LimitArrays, columns: Ints) -> LimitArrays:
    """Return the limits of some columns (m,), ascending, alone: the others are not computed."""
    places = arrays.places[columns]
    is_pair = (places >= PAIR) & (places < BOX)
    pairs = arrays.pairs[places[is_pair] - PAIR]
    places[is_pair] = PAIR + np.arange(len(pairs))
    wanted = np.zeros_like(arrays.wanted)
    wanted[np.where(places < PAIR, places // SHORTEST * SHORTEST, places)] = True  # legs' in groups of six
    return arrays._replace(
        pairs=pairs,
        wanted=wanted,
        places=places,
        per_scale=arrays.per_scale[columns],
        per_walk=arrays.per_walk[columns],
        tolerance=arrays.tolerance[columns],
    )


def least_margins(machine: AnyMachine, arrays: LimitArrays, poses: Array) -> tuple[Array, Ints]:
    """Return the smallest relative margin (n,) of poses (n, ..., 4, 4) among the limits that count, and its column."""
    relative = relative_margins(machine, arrays, poses)
    relative[np.isnan(relative)] = np.inf
    column = relative.argmin(axis=1)
    return relative[np.arange(len(poses)), column], column


@by_machine
def limits_for_search(machine: Machine, ignore: tuple[str, ...] = ()) -> LimitArrays:
    """Return the limits of a machine for searches, which need signs and zeros only (`LimitArrays.sign_only`).

    An ignored limit keeps its column, so that column indices stay valid; its scale is NaN, which searches skip.
    """
    names, arrays = limit_names(machine, ignore), limit_table(machine).arrays
    # The determinant has the zeros of the smallest singular value, but not of its distance to a bound above zero.
    sign_only = bool(arrays.G[SINGULAR_MIN] == 0.0)
    # Where home is singular no sign of the determinant is the other side, and the margin is never below zero.
    never = ("singularity",) if sign_only and arrays.G[SIDE] == 0.0 else ()
    weight = np.array([np.nan if name in (*ignore, *never) else 1.0 for name in names])
    return arrays._replace(sign_only=sign_only, per_scale=arrays.per_scale * weight, per_walk=arrays.per_walk * weight)


def search_of(limits: LimitArrays) -> Search:
    """Return the limits of a search as its kernels take them."""
    is_singular = limits.places == SINGULARITY
    wanted = limits.wanted & (np.arange(len(limits.wanted)) != SINGULARITY)
    return Search(
        limits,
        exact=limits._replace(sign_only=False),
        others=limits._replace(wanted=wanted),
        alone=limits._replace(per_scale=np.where(is_singular, limits.per_scale, np.nan)),
    )


def limit_names(machine: AnyMachine, ignore: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of a machine's limits; `InputError` for a name to ignore that the machine does not have."""
    names = tuple(column.name for column in limit_table(machine).columns)
    for name in ignore:
        if name not in names:
            raise InputError(f"no limit {name!r} to ignore.{nearest(name, names)} This machine has {', '.join(names)}")
    return names


@by_machine
def reach_box(machine: Machine, R: Array) -> tuple[Array, Array]:
    """Return the lowest and highest coordinates (3,) the point of interest can have at orientation R [m]; infinite if
    unbounded.

    The platform joint of a leg is within its longest rod of a driven point: the intersection of six boxes, and of the
    tool's own box.
    """
    limits, legs = machine.limits, machine.legs
    # A joint at p_B + d, |d| <= longest, puts the point of interest at p_B + d + offset.
    offset = R @ machine.point_of_interest - machine.b_P @ R.T
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    rod = legs.rod()
    longest = limits.joint_max if rod is None else rod
    first, last = (end + machine.table[MIDDLE] for end in legs.joint_range)
    q_low = np.where(np.isfinite(limits.joint_min), limits.joint_min, first)
    q_high = np.where(np.isfinite(limits.joint_max), limits.joint_max, last)
    if rod is None or (np.isfinite(q_low).all() and np.isfinite(q_high).all()):
        feet = legs.path(np.where(np.isfinite(q_low), q_low, 0.0), np.where(np.isfinite(q_high), q_high, 0.0), 65)
        slack = np.linalg.norm(np.diff(feet, axis=1), axis=-1).max(axis=1)  # the path may bulge between two samples
        low = np.max(feet.min(axis=1) - (longest + slack)[:, None] + offset, axis=0)
        high = np.min(feet.max(axis=1) + (longest + slack)[:, None] + offset, axis=0)
    tool = R @ (machine.X_PT[:3, 3] - machine.point_of_interest)
    return np.maximum(low, limits.box[:, 0] - tool), np.minimum(high, limits.box[:, 1] - tool)


@by_machine
def poses_at(machine: Machine, R: Array, positions: Array) -> Array:
    """Return poses (..., 4, 4) that bring the point of interest to positions (..., 3) [m] with rotations R (..., 3,
    3)."""
    poses = np.zeros((*positions.shape[:-1], 4, 4))
    poses[..., :3, :3] = R
    poses[..., :3, 3] = positions - R @ machine.point_of_interest
    poses[..., 3, 3] = 1.0
    return poses


def columns_along(
    machine: AnyMachine,
    arrays: LimitArrays,
    R: Array,
    feet: Array,
    height: float | Array,
    axis: int = 2,
    progress: Progress = None,
) -> Intervals:
    """Return intervals of the point of interest along an axis of the base from feet (n, 3), over heights (n,) [m], with
    R (..., 3, 3); `ends` are coordinates along the axis."""
    directions = np.broadcast_to(np.eye(6)[axis], (len(feet), 6)).copy()
    heights = np.broadcast_to(np.asarray(height, dtype=float), len(feet)).copy()
    found = find_intervals(machine, arrays, poses_at(machine, R, feet), directions, heights, progress)
    return replace(found, ends=found.ends + feet[:, axis, None, None])


def rays_from_home(machine: AnyMachine, arrays: LimitArrays, R: Array, directions: Array, length: float) -> Array:
    """Return positions (n, k, 2, 3) at which the point of interest, from home along unit vectors (n, 3), enters and
    leaves the limits at rotation R (3, 3); NaN where there are fewer intervals."""
    starts = poses_at(machine, R, np.broadcast_to(machine.home_point, directions.shape))
    found = find_intervals(machine, arrays, starts, twists_along(directions), np.full(len(directions), length))
    return np.asarray(machine.home_point + found.ends[..., None] * directions[:, None, None, :])


def twists_along(directions: Array, *, is_rotation: bool = False) -> Array:
    """Return twists [v, w] (..., 6) of pure translations along directions (..., 3), or of pure rotations about them."""
    parts = [directions, np.zeros_like(directions)]
    return np.concatenate(parts[::-1] if is_rotation else parts, axis=-1)


def extent(machine: AnyMachine, arrays: LimitArrays, R: Array) -> tuple[Array, Array]:
    """Return the lowest and highest coordinates (3,) [m] of a box about the workspace at orientation R, by a coarse
    search.

    It searches columns over the box that the legs can reach, and rays from home: a workspace so small that it falls
    between the columns is found if home belongs to it. The box is then shrunk, or widened where the workspace
    continues, until it fits. Where nothing is found it is the box that the legs can reach.
    """
    reach = reach_box(machine, R)
    parts = _columns_box(machine, arrays, R, *reach), _rays_box(machine, arrays, R, reach)
    found = [part for part in parts if part is not None]
    if not found:
        return reach
    box = np.min([part[0] for part in found], axis=0), np.max([part[1] for part in found], axis=0)
    for _ in range(20):
        outer = _padded(box, reach)
        inner = _columns_box(machine, arrays, R, *outer)
        if inner is None:
            return outer
        touches = np.abs(np.array(inner) - outer) < 1e-9 * (outer[1] - outer[0])
        # A side that touches the padded box may continue beyond it, unless that is already the end of the reach.
        grows = touches & (np.abs(np.array(outer) - reach) > 1e-9 * (reach[1] - reach[0]))
        filled = (inner[1] - inner[0]) / (outer[1] - outer[0])
        box = inner
        if not grows.any() and filled[:2].min() > FILLED:
            break
    return box


def _padded(box: tuple[Array, Array], reach: tuple[Array, Array]) -> tuple[Array, Array]:
    """The box, a tenth wider on every side but within `reach`."""
    pad = 0.1 * (box[1] - box[0]) + 1e-9 * (reach[1] - reach[0])
    return np.maximum(box[0] - pad, reach[0]), np.minimum(box[1] + pad, reach[1])


def _columns_box(
    machine: AnyMachine, arrays: LimitArrays, R: Array, low: Array, high: Array
) -> tuple[Array, Array] | None:
    """Box about the allowed intervals of coarse columns over [low, high], a step wider; None where there are none."""
    if not (np.isfinite([low, high]).all() and (low < high).all()):
        return None
    grid = [np.linspace(low[k], high[k], COARSE) for k in range(2)]
    feet = np.stack([*np.meshgrid(*grid, indexing="ij"), np.full((COARSE, COARSE), low[2])], axis=-1).reshape(-1, 3)
    found = columns_along(machine, arrays, R, feet, high[2] - low[2])
    has = found.count > 0
    if not has.any():
        return None
    step = np.array([axis[1] - axis[0] for axis in grid])
    bottom = np.append(feet[has, :2].min(axis=0) - step, np.nanmin(found.ends))
    top = np.append(feet[has, :2].max(axis=0) + step, np.nanmax(found.ends))
    return np.maximum(bottom, low), np.minimum(top, high)


def _rays_box(
    machine: AnyMachine, arrays: LimitArrays, R: Array, reach: tuple[Array, Array]
) -> tuple[Array, Array] | None:
    """Box about the allowed intervals of rays from the point of interest's home; None where there are none."""
    home = machine.home_point
    length = float(np.linalg.norm(np.maximum(np.abs(reach[0] - home), np.abs(reach[1] - home))))
    if not np.isfinite(length):
        return None
    points = rays_from_home(machine, arrays, R, icosphere(1).directions, length).reshape(-1, 3)
    if np.isnan(points).all():
        return None
    return np.nanmin(points, axis=0), np.nanmax(points, axis=0)
