"""Plans: a path with feeds, stops and the source it was read from; its timing, and the history of its motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Indices, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count
from gough.dynamics.extremes import Extremes
from gough.dynamics.histories import leg_history
from gough.dynamics.motions import Motion, states_along
from gough.errors import InputError
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.heads.forces import head_dynamics
from gough.motion.heads.motion import HeadSpline
from gough.motion.motion_limits import JointLimitsGiven
from gough.motion.path import Path, Rates, States
from gough.motion.time_optimal import time_optimal
from gough.motion.timed_path import Profile, TimedPath, timed_extremes
from gough.poses import twist_at
from gough.present.show import Show, plain, without_noise
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray


TOLERANCES, TOLERANCE_PER_KNOT = (1e-4, 1e-2), 1e-6
"""Default tolerances of the timing, the smallest and the largest, and by the number of knots between them."""
Follow = Literal["feed", "optimal"]
FeedOf = Callable[[Array], Array]

STILL = 1e-9
"""Smallest feed of the platform, where only the head moves the tool [m/s or rad/s]: a feed must be above zero."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedPath(Path):
    """A path of a machine with the feeds commanded along it.

    Attributes
    ----------
    machine : Machine
    where : str
        Name of its source, a file for example.
    path : Path
        Path of the platform in the base: the same poses without feeds.
    work : (4, 4) array
        X_BW, the frame in which the tool's path was given.
    X_PC : (4, 4) array
        The tool in the platform, z from its tip to its spindle.
    begins : (n,) array
        Parameters at which segments begin: moves of a program, segments of a description.
    number : (n,) array
        Line of the program, segment of the description or row of the table of each; 0 before the first.
    counts : str
        Kind of `number`: "line", "segment" or "row".
    contents : tuple of str
        Contents of the source in words: number of moves, and words that do not define a motion.
    spindle, spindle_side : str
        Of part programs: the side of the spindle with its reason and the program's axes in the base, in words; "+z" or
        "-z", along z of the tool frame. Empty otherwise.
    feed, turn_feed : (n,) array
        Commanded speeds of the tip [m/s] and of the rotation [rad/s]; infinite where there is none.
    is_rapid : (n,) array
        Whether a segment is a rapid move, without a feed.
    stops, rests : (m,) array
        Parameters at which the machine comes to rest, the path's end included, and for how long [s].
    roll : (float, float)
        Lowest and highest roll about the tool chosen where it was free [rad].
    head : HeadSpline or None
        Joints of a moving tool head, over the path's parameter.
    head_speed : (n,) array or None
        Their top speeds [rad/s or m/s].
    tool : Path or None
        Path of the tip in the base where a head moves it; otherwise the tip is fixed to the platform.

    """

    machine: Machine
    where: str
    path: Path
    work: Array
    X_PC: Array
    begins: Array
    number: Indices
    feed: Array
    turn_feed: Array
    is_rapid: NDArray[np.bool_]
    stops: Array
    rests: Array
    counts: str = "row"
    contents: tuple[str, ...] = ()
    spindle: str = ""
    spindle_side: str = ""
    roll: tuple[float, float] = (0.0, 0.0)
    head: HeadSpline | None = None
    head_speed: Array | None = None
    tool: Path | None = None
    knots: Array = field(init=False, repr=False)
    breaks: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", self.path.knots)
        object.__setattr__(self, "breaks", self.path.breaks)

    @classmethod
    def without_feeds(
        cls, machine: Machine, where: str, path: Path, frames: tuple[Array, Array], begins: Array, feed: float | None
    ) -> PlannedPath:
        """Return segments counted from 1, one feed for all of them or none, no rests; `frames` are X_BW and X_PC."""
        n = len(begins)
        return cls(
            machine=machine, where=where, path=path, work=frames[0], X_PC=frames[1], begins=begins,
            number=np.arange(1, n + 1), feed=np.full(n, np.inf if feed is None else feed),
            turn_feed=np.full(n, np.inf), is_rapid=np.zeros(n, dtype=bool), stops=path.knots[-1:], rests=np.zeros(1),
            contents=(f"{n + 1} poses",),
        )  # fmt: skip

    def spindle_record(self) -> dict[str, Any]:
        """Return the spindle's side, the axes of the program in the base as rows, and both in words, for JSON."""
        return {"side": self.spindle_side, "program_axes": self.work[:3, :3].T, "sentence": f"tool {self.spindle}"}

    def facts(self) -> dict[str, str]:
        """Return the source and contents, feeds and rests, and start and end of tip and platform."""
        show, ends = Show(self.machine), np.array(self.span)
        found = {"machine": self.machine.name, "source": self.where, "contents": ", ".join(self.contents)}
        if self.spindle:
            found["tool"] = self.spindle
        feeds = np.unique(self.feed[np.isfinite(self.feed) & ~self.is_rapid])
        ends_of_feeds = feeds[[0, -1][: len(feeds)]]
        found["feed"] = " to ".join(show.with_unit(feed, "m/s") for feed in ends_of_feeds) or "none given"
        found["rapid moves"] = f"{int(self.is_rapid.sum())} of {len(self.is_rapid)}"
        found["rests"] = f"{len(self.stops)}, {plain(self.rests.sum(), 4)} s"
        X = np.stack([self.start, self.end])
        for name, places in (("tip", self.tip(X, ends)), ("platform", X[:, :3, 3])):
            found[name] = " to ".join(show.point(without_noise(place, "m")) for place in places)
        return found

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        return self.path.states(s, before)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        return self.path.rates(low, high)

    @checks_arguments
    def segment_at(self, s: ArrayLike, *, before: bool = False) -> Indices:
        """Return the index of the segment at parameters (...): the later one where two meet, or with `before` the
        earlier."""
        found = np.searchsorted(self.begins, np.asarray(s, dtype=float), side="left" if before else "right") - 1
        return np.asarray(np.clip(found, 0, len(self.begins) - 1))

    def tip(self, X: Array, s: Array) -> Array:
        """Compute the tool's tip in the base (n, 3) at poses of the platform (n, 4, 4) and parameters (n,) [m]."""
        return np.asarray((X @ self.X_PC if self.tool is None else self.tool(s)[0])[:, :3, 3])

    def slower_of(self, values: Array, s: Array) -> Array:
        """Return speeds (n,) at parameters, from `values` of all segments: the lower speed where two segments meet."""
        return np.minimum(values[self.segment_at(s)], values[self.segment_at(s, before=True)])


@checks_arguments
def time_path(
    plan: PlannedPath,
    *,
    follow: Follow = "feed",
    rapid: float | None = None,
    tolerance: float | None = None,
    progress: Progress = None,
    **limits: Unpack[JointLimitsGiven],
) -> TimedPath:
    """Return the time a plan by `gough.motion.time_optimal`, with the plan's stops and rests.

    Parameters
    ----------
    plan : PlannedPath
    follow : "feed" or "optimal"
        Keep the plan's feeds wherever the legs allow them, or ignore them and move as fast as the legs can.
    rapid : float, optional
        Largest speed of the tip in rapid moves [m/s], and of rotation this over the machine's characteristic length;
        without it the legs alone limit them.
    tolerance : float, optional
        As in `gough.motion.time_optimal`; default: 1e-4 for paths of up to 100 knots, beyond in proportion to
        their number, 0.01 at most.
    progress : callable, optional
        Called with the work done and its total.
    **limits
        joint_speed, joint_acceleration, actuator_force, float or (6,) array, instead of the machine's limits [m/s,
        m/s2, N; or rad/s, rad/s2, N m].

    Returns
    -------
    TimedPath
        Its `path` is the plan.

    Raises
    ------
    InputError
        An unknown `follow`, nothing limits the motion somewhere, a leg cannot close on the path, or an actuator cannot
        hold the machine.

    """
    feed, turn = (_feeds if plan.tool is None else _feeds_with_head)(plan, follow, rapid)
    timed = time_optimal(
        plan.machine,
        plan,
        feed=feed,
        turn_feed=turn,
        point=plan.X_PC[:3, 3],
        stops=plan.stops,
        tolerance=float(np.clip(TOLERANCE_PER_KNOT * len(plan.knots), *TOLERANCES)) if tolerance is None else tolerance,
        progress=progress,
        **limits,
    )
    assert isinstance(timed.schedule, Profile)
    return replace(timed, schedule=timed.schedule.resting(plan.stops, plan.rests))


def _feeds(plan: PlannedPath, follow: Follow, rapid: float | None) -> tuple[FeedOf | None, FeedOf | None]:
    """Feeds of the tip and of the rotation over the path's parameter; None where there is none."""
    if follow == "optimal":
        return None, None
    rapids = np.inf if rapid is None else rapid, np.inf if rapid is None else rapid / plan.machine.characteristic_length
    tip, turn = (np.where(plan.is_rapid, fast, f) for fast, f in zip(rapids, (plan.feed, plan.turn_feed), strict=True))
    return (
        None if np.isinf(tip).all() else lambda s: plan.slower_of(tip, s),
        None if np.isinf(turn).all() else lambda s: plan.slower_of(turn, s),
    )


def _feeds_with_head(plan: PlannedPath, follow: Follow, rapid: float | None) -> tuple[FeedOf, FeedOf]:
    """Feeds of the platform that keep those of a tool moved by a head, and the head's top speeds."""
    fast = np.inf if rapid is None else rapid
    commanded = [np.where(plan.is_rapid, fast, plan.feed), np.where(plan.is_rapid, np.inf, plan.turn_feed)]
    if follow == "optimal":
        commanded = [np.full(len(plan.feed), np.inf)] * 2

    def largest_rate(s: Array) -> Array:
        """Largest s' (n,) for the tool's feeds and the head's top speeds, at parameters (n,)."""
        V = plan.tool(s)[1]  # type: ignore[misc]
        with np.errstate(divide="ignore"):
            limits = [
                plan.slower_of(values, s) / np.linalg.norm(rate, axis=1)
                for values, rate in zip(commanded, (V[:, :3], V[:, 3:]), strict=True)
            ]
            if plan.head is not None and plan.head_speed is not None:
                limits.append(np.min(plan.head_speed / np.abs(plan.head(s)[1]), axis=1))
        return np.min(limits, axis=0)

    # Timing knows feeds of the platform only: the bound of s' becomes one of a platform point's speed.
    def feed_of_platform(s: Array, part: slice) -> Array:
        X, V, _ = plan(s)
        at_tip = twist_at(V, (X[:, :3, :3] @ plan.X_PC[:3, 3:])[..., 0])
        return np.maximum(largest_rate(s) * np.linalg.norm(at_tip[:, part], axis=1), STILL)

    return lambda s: feed_of_platform(s, slice(0, 3)), lambda s: feed_of_platform(s, slice(3, 6))


LEG_MOTION_PLACES = 301
"""Default number of samples."""


@checks_arguments
def leg_motion(machine: AnyMachine, path: Path | Motion, at: ArrayLike | None = None) -> xarray.Dataset:
    """Compute joint coordinates, rates and accelerations along a path or a motion (De Sapio 1998).

    Parameters
    ----------
    machine : Machine
    path : Path or Motion
        A path over its parameter s, or a motion over time; for a stack as in `gough.dynamics.motion_forces`.
    at : (n,) array, optional
        Parameters, or times [s]; default: evenly spaced.

    Returns
    -------
    xarray.Dataset
        Over `s` or `time`: pose (row, column), twist, acceleration (component), joint, joint_rate, joint_acceleration
        (leg, counted from 1), each with its unit; per s for a path. NaN where a leg cannot close.

    """
    s = np.linspace(*path.span, LEG_MOTION_PLACES) if at is None else np.asarray(at, dtype=float)
    states = states_along(machine, path, s)
    if isinstance(path, Path) and path.PARAMETER == "s":
        return leg_history(machine, states, s, over="s", per="/s_path")
    return leg_history(machine, states, s)


@checks_arguments
def path_history(motion: TimedPath, times: ArrayLike | None = None, *, samples: int = 2001) -> xarray.Dataset:
    """Compute the motion of the machine over time on a timed plan.

    Parameters
    ----------
    motion : TimedPath
        Of a `PlannedPath`, as from `gough.motion.time_path`.
    times : (n,) array, optional
        [s]; default: `samples` evenly spaced, and the corners.
    samples : int
        Number of times besides the corners; at least 2.

    Returns
    -------
    xarray.Dataset
        As from `gough.motion.leg_motion`, with `tip` in the base [m], `number` of the line or segment, `is_rapid`,
        `s`, `margin`, the smallest relative one, `allowed`; `head_joint` where a tool head moves along; for machines
        with masses `force` and `power` of the actuators, and `head_effort` of the head's drives.

    Raises
    ------
    InputError
        The motion's path is not a plan, or fewer than 2 samples.

    """
    plan = motion.path
    if not isinstance(plan, PlannedPath):
        raise InputError("motion: its path is not a plan; use gough.motion.leg_motion for other paths")
    check_samples(samples)
    t = np.union1d(np.linspace(*motion.span, samples), motion.breaks) if times is None else np.asarray(times, float)
    states, s = motion(t), motion.parameter(t)
    of_head: dict[str, Any] = {}
    force = None
    has_masses = plan.machine.platform is not None
    if plan.head is None:
        force = motion.limits.forces(*states) if has_masses else None
    else:
        joints = plan.head.along(motion.schedule)(t)
        of_head["head_joint"] = ("time", "head"), joints[0], {"units": "rad or m"}
        if has_masses:  # the head's inertial forces act on the legs too
            found = head_dynamics(plan.machine, *states, *joints)
            force, of_head["head_effort"] = found.force, (("time", "head"), found.effort, {"units": "N m or N"})
    X = states[0]
    along = margins(plan.machine, X) if plan.head is None else plan.head.margins(plan.machine, X, s)
    segment = plan.segment_at(s)
    data = leg_history(plan.machine, states, t, force).assign(
        tip=(("time", "axis"), plan.tip(states[0], s), {"units": "m", "frame": "base"}),
        number=("time", plan.number[segment]),
        is_rapid=("time", plan.is_rapid[segment]),
        s=("time", s, {"units": "path parameter"}),
        margin=("time", along.smallest, {"units": "1", "long_name": "smallest margin, as part of its limit's scale"}),
        allowed=("time", along.is_allowed),
    )
    return (
        data.assign(of_head).assign_coords(axis=list("xyz")).assign_attrs(source=plan.where, duration=motion.duration)
    )


def path_extremes(motion: TimedPath) -> dict[str, Extremes]:
    """Return extremes of joints, actuators and feeds over a timed plan, see `timed_extremes`; the forces with those of
    the head."""
    plan = motion.path
    assert isinstance(plan, PlannedPath)
    if plan.head is None or plan.machine.platform is None:
        return timed_extremes(motion)
    head = plan.head.along(motion.schedule)
    return timed_extremes(motion, lambda t, states: head_dynamics(plan.machine, *states, *head(t)).force)


def check_samples(samples: int) -> None:
    """Raise InputError if a history has fewer samples than a begin and an end."""
    if samples < 2:
        raise InputError(f"samples {samples}: a history needs at least 2, the start and end of the motion")
    check_count("samples", samples)
