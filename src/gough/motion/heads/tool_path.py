"""Following a tool path with platform and head, divided between them by margins; the roll of a tool by margins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of, unit_axis
from gough.motion.heads.motion import HeadSpline, UnderTool
from gough.motion.heads.placement import ToolSearch, home_rotation, turned_onto
from gough.motion.recorded.recorded_motion import RecordedMotion, average
from gough.motion.segment_path import about_z
from gough.poses import PoseLike, checked_matrices
from gough.quantity import derived, quantity, result, transform
from gough.results import Result

LARGEST_STEP = 0.05
"""Change of a joint or the roll between two poses of the tool, as part of its range, where no times bound it."""
MOST_TIMES = 50
"""Largest number of even times per pose for averaging, where poses are very uneven in time."""
POINTS = {1: 49, 2: 25, 3: 13, 4: 7}
"""Grid points along each coordinate, by the number of coordinates; five where there are more."""
SOFT = 0.05
"""Decrease of a relative margin that costs e times as much: the smallest margins dominate the sum."""
STEEPEST = 500.0
"""Largest exponent of that cost: sums over all knots stay finite."""
MOVE = 0.03
"""Cost of the squared move by one cell: found to halve the legs' forces on a cone for a hundredth of the margin."""
ROLLS = 72
"""Sampled rolls over a turn, 5 degrees apart."""
FINER = 10
"""Factor by which the second sampling about the best roll is finer."""
REACH = 2
"""Largest change of roll between successive poses, in steps, where one roll does not suffice."""


@result
class ToolTrack(Result):
    """Configurations of platform and head along k poses of the tool.

    Attributes
    ----------
    machine : Machine

    """

    matrix: Array = transform(doc="Poses of the platform in the base.")
    joints: Array = quantity(
        lambda of: head_of(of.machine).units, "joint", doc="Coordinates of the joints of the head."
    )
    tip: Array = transform(doc="Poses of the tip in the base.")
    margin: Array = quantity("1", doc="Smallest relative margin over the limits of platform and head.")
    machine: Machine

    def sentence(self) -> str:
        """State the number of tool poses that cannot be held, or the smallest margin."""
        n, broken = len(self.margin), int((~self.is_allowed).sum())
        if broken:
            return f"{broken} of {n} poses of the tool cannot be held on this path"
        return f"all {n} poses of the tool are held; the smallest relative margin is {self.margin.min():.4g}"

    @property
    @derived("")
    def is_allowed(self) -> NDArray[np.bool_]:
        """Where every limit of platform and head is kept (k,)."""
        return head_margins(self.machine, self.matrix, self.joints).is_allowed

    @checks_arguments
    def in_time(self, time: ArrayLike) -> tuple[UnderTool, HeadSpline]:
        """Build motions of platform and head with the poses at times (k,), at least eight.

        The tip follows splines of fifth degree through its poses; the platform follows in closed form at every time.
        """
        head = HeadSpline(time, self.joints)
        return UnderTool(self.machine, RecordedMotion(time, self.tip), head), head


@checks_arguments
def follow_tool(
    machine: Machine,
    tips: PoseLike | None = None,
    *,
    points: ArrayLike | None = None,
    axes: ArrayLike | None = None,
    time: ArrayLike | None = None,
    start: ArrayLike | None = None,
    smoothing: int = 5,
    progress: Progress = None,
) -> ToolTrack:
    """Compute platform poses and head joints along a path of the tool, without jumps, with large margins throughout.

    First a coarse track is planned for the whole path (dynamic programming over a grid of head joints and roll). Then
    the smallest relative margin is maximised at each pose, near that track and the pose before. Last the joints and the
    roll are averaged along the path, and the platform follows in closed form.

    Parameters
    ----------
    machine : Machine
        With a head.
    tips : PoseLike, (k, 4, 4), optional
        The tool's poses in the base; or
    points, axes : (k, 3) arrays, optional
        its tip [m] and the direction of its z axis, one direction for each point or one for all; then it may roll.
    time : (k,) array, optional
        Increasing [s]: the head's joints then keep their top speeds between the poses. Otherwise no joint, nor the
        roll, goes further than a twentieth of its range from one pose to the next.
    start : (n,) array, optional
        Head joints at the first pose [rad or m]; the track then continues pose by pose, without planning ahead.
    smoothing : int
        Poses on either side over which joints and roll are averaged; 0 keeps the maxima of the margins.
    progress : callable, optional
        Called with the work done and its total.

    Returns
    -------
    ToolTrack
        `margin` is negative at poses where the tool cannot be held on this track.

    Raises
    ------
    InputError
        The machine has no head; neither poses nor points and axes are given, or both; times that do not rise.

    """
    targets, has_roll = _targets(machine, tips, points, axes)
    searches = [ToolSearch(machine, target, has_roll) for target in targets]
    step = _steps(searches[0], time, len(targets))
    report = progress or (lambda done, total: None)
    count = len(targets)
    if start is None:
        guide, cell = _guide(searches, step.min(axis=0, initial=2.0), lambda k: report(k + 1, 2 * count))
        z = _climbed(searches, step, guide, cell, lambda k: report(count + k + 1, 2 * count))
    else:
        z = _climbed_from(searches, step, head_of(machine).checked(start), lambda k: report(k + 1, count))
    t = np.arange(float(count)) if time is None else np.asarray(time, dtype=float)
    return _track(searches, _smoothed(z, t, smoothing, has_roll=has_roll))


def _climbed(
    searches: list[ToolSearch], step: Array, guide: Array, cell: Array, report: Callable[[int], None]
) -> Array:
    """Configurations of largest margins near a guide (k, count), each within a step of the one before."""
    found: list[Array] = []
    for k, search in enumerate(searches):
        low, high = guide[k] - cell, guide[k] + cell
        if k:
            low, high = np.maximum(low, found[-1] - step[k - 1]), np.minimum(high, found[-1] + step[k - 1])
        # Where the guide is out of reach of the last pose low exceeds high: then the range between both.
        low, high = search.inside(np.minimum(low, high)), search.inside(np.maximum(low, high))
        found.append(search.climb(np.clip(found[-1] if k else guide[0], low, high), low, high)[0])
        report(k)
    return np.array(found)


def _climbed_from(searches: list[ToolSearch], step: Array, joints: Array, report: Callable[[int], None]) -> Array:
    """Configurations of largest margins from joints of the head on, each within a step of the one before."""
    first = searches[0]
    z = first.from_joints(joints)
    # At the first pose the joints are given, and only the roll is free.
    free = np.append(np.zeros(len(joints)), 1.0)[: first.count]
    found = [first.climb(z, z - free, z + free)[0]]
    for k, search in enumerate(searches[1:]):
        low, high = search.inside(found[-1] - step[k]), search.inside(found[-1] + step[k])
        found.append(search.climb(found[-1], low, high)[0])
        report(k + 1)
    return np.array(found)


def _smoothed(z: Array, time: Array, half: int, *, has_roll: bool) -> Array:
    """Running average over time with fixed ends: beyond them the values are extended by point reflection at the end.

    It is taken over even times as close as the closest poses. As a convex combination of shifted tracks it is no faster
    than the track.
    """
    if min(half, len(z) - 1) < 1:
        return z
    count = min(int(np.ceil((time[-1] - time[0]) / np.diff(time).min())), MOST_TIMES * len(z)) + 1
    even = np.linspace(time[0], time[-1], count)
    wide = min(int(np.ceil(half * count / len(z))), count - 1)
    even_z = np.stack([np.interp(even, time, column) for column in z.T], axis=1)
    before, after = 2 * even_z[0] - even_z[wide:0:-1], 2 * even_z[-1] - even_z[-2 : -wide - 2 : -1]
    averaged = average(np.concatenate([before, even_z, after]), 2 * wide)[wide:-wide]
    smooth = np.stack([np.interp(time, even, column) for column in averaged.T], axis=1)
    joints = smooth.shape[1] - has_roll
    smooth[:, :joints] = np.clip(smooth[:, :joints], -1.0, 1.0)
    return smooth


def _track(searches: list[ToolSearch], z: Array) -> ToolTrack:
    """The track of coordinates z (k, count)."""
    first = searches[0]
    joints, roll = first.split(z)
    both = list(zip(searches, z, strict=True))
    tip = np.stack([search.tips(r) for search, r in zip(searches, roll, strict=True)])
    margin = np.array([search.relative(z[None]).min() for search, z in both])
    return ToolTrack(np.stack([search.poses(z) for search, z in both]), joints, tip, margin, first.machine)


def _targets(
    machine: Machine, tips: PoseLike | None, points: ArrayLike | None, axes: ArrayLike | None
) -> tuple[Array, bool]:
    """Poses (k, 4, 4) of the tip at roll zero, and whether it may roll."""
    if (tips is None) == (points is None) or (points is None) != (axes is None):
        raise InputError("pass the tool's poses as `tips`, or its `points` and `axes`")
    if tips is not None:
        X = of_shape("tips", checked_matrices(tips), "(k, 4, 4)")
        return X, False
    places = of_shape("points", points, "(k, 3)")
    X = np.tile(np.eye(4), (len(places), 1, 1))
    X[:, :3, 3] = places
    R = home_rotation(machine)
    for k, z in enumerate(np.broadcast_to(unit_axis(axes), places.shape)):  # type: ignore[arg-type]
        R = X[k, :3, :3] = turned_onto(R, z)  # from the one before, so that roll zero does not jump
    return X, True


def _steps(search: ToolSearch, time: ArrayLike | None, count: int) -> Array:
    """Largest change (k - 1, count) of the coordinates z between poses."""
    step = np.full((max(count - 1, 0), search.count), 2 * LARGEST_STEP)
    if time is None:
        return step
    t, speed = of_shape("time", time, f"({count},)"), head_of(search.machine).joint_speed
    if not (np.diff(t) > 0).all():
        raise InputError("time: times must increase")
    step[:, : len(speed)] = np.minimum(np.diff(t)[:, None] * speed / search.half[: len(speed)], 2.0)
    return step


def _guide(searches: Sequence[ToolSearch], step: Array, progress: Callable[[int], None]) -> tuple[Array, Array]:
    """Coordinates z (k, count) along k poses of the tool, and the size of a cell (count,).

    Dynamic programming over a grid minimises the sum of exp(-margin / 0.05) and of the moves' costs over knots of the
    path, so far apart that every coordinate can move by a cell between them; between knots z is linear.
    """
    first = searches[0]
    n = POINTS.get(first.count, 5)
    axes = [np.linspace(-1.0, 1.0, n) for _ in range(first.count)]
    if first.has_roll:
        # The roll is periodic: its grid has no second point at the end of the turn.
        axes[-1] = np.linspace(-1.0, 1.0, n, endpoint=False)
    cell = np.array([axis[1] - axis[0] for axis in axes])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    stride = max(1, int(np.ceil((cell / np.maximum(step, 1e-3)).max())))
    knots = sorted({*range(0, len(searches), stride), len(searches) - 1})
    shifts = np.array(list(product((-1, 0, 1), repeat=first.count)))
    cost, came = np.zeros(grid.shape[:-1]), []
    for j, k in enumerate(knots):
        if j:
            cost, best = _moved(cost, shifts, periodic=first.has_roll)
            came.append(best)
        margin = searches[k].relative(grid.reshape(-1, first.count)).min(axis=-1)
        # Bounded where a program lies at machine sizes beyond reach: there no place is better.
        cost = cost + np.exp(np.minimum(-margin / SOFT, STEEPEST)).reshape(cost.shape)
        progress(k)
    return _traced(cost, came, shifts, axes, cell, knots, len(searches)), cell


def _moved(cost: Array, shifts: Ints, *, periodic: bool) -> tuple[Array, Ints]:
    """Lowest cost at each grid point after a move from a neighbour, and the index of its shift (Bellman's equation)."""
    # Neighbours by shifted views of the padded grid; infinite cost beyond its ends, the other end for the roll.
    widths = [(1, 1)] * cost.ndim
    padded = np.pad(cost, widths, constant_values=np.inf)
    if periodic:
        padded[..., 0], padded[..., -1] = padded[..., -2], padded[..., 1]
    n = np.array(cost.shape)
    reached = [
        padded[tuple(slice(1 - s, 1 - s + m) for s, m in zip(shift, n, strict=True))] + MOVE * float(shift @ shift)
        for shift in shifts
    ]
    best = np.argmin(reached, axis=0)
    return np.min(reached, axis=0), best


def _traced(
    cost: Array, came: list[Ints], shifts: Ints, axes: list[Array], cell: Array, knots: list[int], count: int
) -> Array:
    """The optimal track, traced back from the last knot and linear between knots; the roll may exceed a turn."""
    place = np.array(np.unravel_index(int(np.argmin(cost)), cost.shape))
    start = np.array([axis[i] for axis, i in zip(axes, place, strict=True)])
    z = [start]
    for best in reversed(came):
        shift = shifts[best[tuple(place)]]
        # Indices of the roll wrap around, its values do not: the track stays continuous over the end of a turn.
        place = (place - shift) % np.array(cost.shape)
        z.append(z[-1] - shift * cell)
    z.reverse()
    return np.stack([np.interp(np.arange(count), knots, column) for column in np.array(z).T], axis=1)


def best_roll(machine: Machine, X_BC: Array, X_CP: Array) -> Array:
    """Return the rolls (n,) [rad] at poses X_BC (n, 4, 4) of the cutter that maximise the smallest relative margin.

    One roll for all of them where one keeps every limit; otherwise a roll that changes by at most ten degrees from pose
    to pose.

    Parameters
    ----------
    machine : Machine
    X_BC : (n, 4, 4) array
        The cutter in the base at roll zero, in the order of the path.
    X_CP : (4, 4) array
        The platform in the cutter's frame.

    """

    def smallest_margins(rolls: Array) -> Array:
        """Smallest relative margins (n, r) at every pose for every roll."""
        Z = np.tile(np.eye(4), (len(rolls), 1, 1))
        Z[:, :3, :3] = about_z(rolls)
        return margins(machine, X_BC[:, None] @ Z @ X_CP).smallest

    # First one roll for all poses, refined if it keeps every limit; otherwise one that changes along the path.
    rolls = np.linspace(-np.pi, np.pi, ROLLS, endpoint=False)
    found = smallest_margins(rolls)
    best = int(np.argmax(found.min(axis=0)))
    if found[:, best].min() < 0:
        return np.unwrap(rolls[_changing_roll(found)])
    near = rolls[best] + np.linspace(-1, 1, 2 * FINER + 1) * 2 * np.pi / ROLLS
    return np.full(len(X_BC), near[int(np.argmax(smallest_margins(near).min(axis=0)))])


def _changing_roll(margin: Array) -> NDArray[np.intp]:
    """Index (n,) of the roll at each pose, neighbours at most `REACH` apart, that maximises the smallest of `margin`
    (n, r): dynamic programming with a minimum in place of a sum."""
    n, count = margin.shape
    steps = sorted(range(-REACH, REACH + 1), key=abs)  # no change first: it wins where values are equal
    value, came = margin[0].copy(), np.zeros((n, count), dtype=np.intp)
    for k in range(1, n):
        before = np.stack([np.roll(value, -step) for step in steps])
        best = np.argmax(before, axis=0)
        came[k] = (np.arange(count) + np.array(steps)[best]) % count
        value = np.minimum(margin[k], before[best, np.arange(count)])
    chosen = np.empty(n, dtype=np.intp)
    chosen[-1] = int(np.argmax(value))
    for k in range(n - 1, 0, -1):
        chosen[k - 1] = came[k, chosen[k]]
    return chosen
