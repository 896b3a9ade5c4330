"""Plans carried out in time: feeds kept where the legs allow, rests where the plan says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.dynamics.inverse import inverse_dynamics
from gough.errors import InputError
from gough.motion.heads.kinematics import margins_along
from gough.motion.heads.newton_euler import head_dynamics
from gough.motion.leg_motion import leg_motion
from gough.motion.paths.path import States
from gough.motion.planned_path import PlannedPath
from gough.motion.timing.time_optimal import time_optimal
from gough.motion.timing.timed_path import TimedPath

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
Follow = Literal["feed", "optimal"]
Progress = Callable[[int, int], None] | None

SHARED = "feed or head"
"""What holds a motion back that a tool head shares: the tool's feed, or a joint of the head at its top speed."""
STILL = 1e-9
"""Feed where the platform itself is at rest [m/s or rad/s]."""
PARTS = 1000
"""In which progress counts."""


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """A plan in time: a motion.

    Attributes
    ----------
    plan : PlannedPath
    parts : tuple of TimedPath
        Its sections, each in its own time.
    begins : (len(parts),) array
        When each begins [s]; it rests at its end until the next one begins.
    duration : float
        [s].

    """

    plan: PlannedPath
    parts: tuple[TimedPath, ...]
    begins: Array
    duration: float

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return 0.0, self.duration

    @property
    def breaks(self) -> Array:
        """Times at which a section begins or ends, or the path has a corner [s]."""
        found = [
            np.concatenate([[begin], begin + _passed(part, part.path.breaks), [begin + part.duration]])
            for begin, part in zip(self.begins, self.parts, strict=True)
        ]
        return np.unique(np.concatenate(found))

    def __call__(self, time: ArrayLike) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s]; at rest, zeros."""
        t = numbers("time", time)
        flat = t.ravel()
        X, V, A = np.empty((len(flat), 4, 4)), np.zeros((len(flat), 6)), np.zeros((len(flat), 6))
        for k, here, own in self._by_part(flat):
            part = self.parts[k]
            X[here], V[here], A[here] = part(np.minimum(own, part.duration))
            resting = here[own > part.duration]
            V[resting], A[resting] = 0.0, 0.0
        return X.reshape(*t.shape, 4, 4), V.reshape(*t.shape, 6), A.reshape(*t.shape, 6)

    @checks_arguments
    def parameter(self, time: ArrayLike) -> Array:
        """Where on the plan's path it is at times (...)."""
        t = numbers("time", time)
        s = np.empty(t.size)
        for k, here, own in self._by_part(t.ravel()):
            s[here] = self.plan.starts[k] + self.parts[k].parameter(np.minimum(own, self.parts[k].duration))
        return s.reshape(t.shape)

    @checks_arguments
    def history(self, times: ArrayLike | None = None, samples: int = 2001) -> xarray.Dataset:
        """What the machine does over time.

        Parameters
        ----------
        times : (n,) array, optional
            [s]; where not given, `samples` evenly spread, and the corners.

        Returns
        -------
        xarray.Dataset
            As from `gough.motion.leg_motion`, with `tip` in the base [m], `number` of the line or segment, `is_rapid`,
            `s`, `margin`, the smallest relative one, `allowed`; `head_joint` where a tool head moves along; for
            machines with masses `force` and `power` of the actuators, and `head_effort` of the head's drives.

        """
        machine = self.plan.machine
        t = np.union1d(np.linspace(*self.span, samples), self.breaks) if times is None else np.asarray(times, float)
        data = leg_motion(machine, self, t)
        X, s = data["pose"].to_numpy(), self.parameter(t)
        relative = margins_along(machine, X, self.plan.head, s).relative
        least = np.where(np.isnan(relative), np.inf, relative).min(axis=1)
        segment = self.plan.segment_at(s)
        data = data.assign(
            tip=(("time", "axis"), self.plan.tip(X, s), {"units": "m"}),
            number=("time", self.plan.number[segment]),
            is_rapid=("time", self.plan.is_rapid[segment]),
            s=("time", s, {"units": "path parameter"}),
            margin=("time", least, {"units": "1", "long_name": "smallest margin, as part of its limit's scale"}),
            allowed=("time", least >= 0),
        ).assign_coords(axis=list("xyz"))
        if self.plan.head is not None:
            data = data.assign(head_joint=(("time", "head"), self.plan.head(s)[0], {"units": "rad or m"}))
        if machine.platform is not None:
            data = _with_forces(self, data)
        return data.assign_attrs(source=self.plan.where, duration=self.duration)

    @checks_arguments
    def binding(self, samples: int = 2001) -> dict[str, float]:
        """What limits the motion, and for which part of its moving time: shares over time, the longest first."""
        time: dict[str, float] = {}
        total = sum(part.duration for part in self.parts)
        for part in self.parts:
            if part.duration > 0 and part.limits.names:
                count = max(11, round(samples * part.duration / total))
                middles = (np.arange(count) + 0.5) / count * part.duration
                for found in part.shares(middles)["binding"].to_numpy():
                    name = SHARED if self.plan.tool is not None and str(found).endswith("feed") else str(found)
                    time[name] = time.get(name, 0.0) + part.duration / count / total
        return dict(sorted(time.items(), key=lambda item: -item[1]))

    @checks_arguments
    def head(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Joints of the plan's head (n, k) at times (n,) [s], their rates and accelerations; at rest, zeros."""
        if self.plan.head is None:
            raise InputError("the plan moves no tool head")
        t = numbers("time", time)
        s, v, u = np.empty(len(t)), np.zeros(len(t)), np.zeros(len(t))
        for k, here, own in self._by_part(t):
            part = self.parts[k]
            s[here], v[here], u[here] = part.schedule(np.minimum(own, part.duration))
            s[here] += self.plan.starts[k]
            resting = here[own > part.duration]
            v[resting], u[resting] = 0.0, 0.0
        q, along, bend = self.plan.head(s)
        return q, along * v[:, None], bend * v[:, None] ** 2 + along * u[:, None]

    def _by_part(self, t: Array) -> list[tuple[int, NDArray[np.intp], Array]]:
        """For each section the places in t (n,) that belong to it, and its own times there."""
        which = np.clip(np.searchsorted(self.begins, t, side="right") - 1, 0, len(self.parts) - 1)
        places = [np.flatnonzero(which == k) for k in range(len(self.parts))]
        return [(k, here, t[here] - self.begins[k]) for k, here in enumerate(places) if len(here)]


@checks_arguments
def time_path(
    plan: PlannedPath,
    *,
    follow: Follow = "feed",
    rapid: float | None = None,
    joint_speed: ArrayLike | None = None,
    joint_acceleration: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
    tolerance: float = 1e-4,
    progress: Progress = None,
) -> PlannedMotion:
    """A plan in time: each section as `gough.motion.time_optimal` has it, at rest between them.

    Parameters
    ----------
    plan : PlannedPath
    follow : "feed" or "optimal"
        Keep the plan's feeds wherever the legs allow them, or leave them aside and go as quickly as the legs can.
    rapid : float, optional
        Largest speed of the tip in rapid moves [m/s], and of rotation this over the machine's characteristic length;
        without it the legs alone limit them.
    joint_speed, joint_acceleration, actuator_force : float or (6,) array, optional
        Instead of the machine's limits [m/s, m/s2, N; or rad/s, rad/s2, N m].
    tolerance : float
        As in `gough.motion.time_optimal`.
    progress : callable, optional
        Called with how many thousandths are done, and a thousand.

    Returns
    -------
    PlannedMotion

    Raises
    ------
    InputError
        Nothing limits the motion somewhere, a leg cannot close on the path, or an actuator cannot hold the machine.

    """
    if follow not in ("feed", "optimal"):
        raise InputError(f"follow: {follow!r} is not known, expected 'feed' or 'optimal'")
    parts = []
    total = len(plan.sections)
    for k, (section, start) in enumerate(zip(plan.sections, plan.starts, strict=True)):
        feed, turn = _feeds(plan, start, follow, rapid)

        def report(done: int, most: int, k: int = k) -> None:
            if progress is not None:
                progress(int(PARTS * (k + done / most) / total), PARTS)

        parts.append(
            time_optimal(
                plan.machine,
                section,
                joint_speed=joint_speed,
                joint_acceleration=joint_acceleration,
                actuator_force=actuator_force,
                feed=feed,
                turn_feed=turn,
                point=plan.X_PC[:3, 3],
                tolerance=tolerance,
                progress=report,
            )
        )
    lengths = np.array([part.duration for part in parts]) + plan.rests
    ends = np.cumsum(lengths)
    return PlannedMotion(plan, tuple(parts), np.concatenate([[0.0], ends[:-1]]), float(ends[-1]))


def _feeds(
    plan: PlannedPath, start: float, follow: Follow, rapid: float | None
) -> tuple[Callable[[Array], Array] | None, Callable[[Array], Array] | None]:
    """Feed of the tip and of the rotation over a section's parameter; None where nothing is wanted of them."""
    if plan.tool is not None:
        return _paces(plan, start, follow, rapid)
    if follow == "optimal":
        return None, None
    rapids = np.inf if rapid is None else rapid, np.inf if rapid is None else rapid / plan.machine.characteristic_length
    wanted = [np.where(plan.is_rapid, fast, f) for fast, f in zip(rapids, (plan.feed, plan.turn_feed), strict=True)]

    def over(values: Array) -> Callable[[Array], Array] | None:
        if np.isinf(values).all():
            return None
        # Where two segments meet the slower feed holds.
        return lambda s: np.minimum(values[plan.segment_at(s + start)], values[plan.segment_at(s + start, before=True)])

    return over(wanted[0]), over(wanted[1])


def _paces(
    plan: PlannedPath, start: float, follow: Follow, rapid: float | None
) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Feeds of the platform that keep those of a tool which a head moves, and the head's top speeds."""
    fast = np.inf if rapid is None else rapid
    wanted = [np.where(plan.is_rapid, fast, plan.feed), np.where(plan.is_rapid, np.inf, plan.turn_feed)]
    if follow == "optimal":
        wanted = [np.full(len(plan.feed), np.inf)] * 2

    def paced(s: Array, sizes: Callable[[Array, Array], Array]) -> Array:
        at = s + start
        V = plan.tool(at)[1]  # type: ignore[misc]
        tool = [np.linalg.norm(V[:, :3], axis=1), np.linalg.norm(V[:, 3:], axis=1)]
        with np.errstate(divide="ignore"):
            limits = [
                np.minimum(values[plan.segment_at(at)], values[plan.segment_at(at, before=True)]) / size
                for values, size in zip(wanted, tool, strict=True)
            ]
            if plan.head is not None and plan.head_speed is not None:
                limits.append(np.min(plan.head_speed / np.abs(plan.head(at)[1]), axis=1))
        pace = np.min(limits, axis=0)
        X, V, _ = plan.path(at)
        return np.maximum(pace * sizes(X, V), STILL)

    def of_point(X: Array, V: Array) -> Array:
        arm = (X[:, :3, :3] @ plan.X_PC[:3, 3:])[..., 0]
        return np.linalg.norm(V[:, :3] + np.cross(V[:, 3:], arm), axis=1)

    return (
        lambda s: paced(s, of_point),
        lambda s: paced(s, lambda X, V: np.linalg.norm(V[:, 3:], axis=1)),
    )


def _passed(part: TimedPath, places: Array) -> Array:
    """When a timed path passes parameters (n,) [s], to a part of 1e-12 of its time."""
    low, high = np.zeros(len(places)), np.full(len(places), part.duration)
    for _ in range(40):
        middle = (low + high) / 2
        is_before = part.parameter(middle) < places
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return high


def _with_forces(motion: PlannedMotion, data: xarray.Dataset) -> xarray.Dataset:
    plan, states = motion.plan, (data["pose"], data["twist"], data["acceleration"])
    if plan.head is None:
        force = inverse_dynamics(plan.machine, *states)
    else:
        found = head_dynamics(plan.machine, *states, *motion.head(data["time"].to_numpy()))
        force = found.force
        data = data.assign(head_effort=(("time", "head"), found.effort, {"units": "N m or N"}))
    unit = "N" if plan.machine.legs.joint == "length" else "N m"
    return data.assign(
        force=(("time", "leg"), force, {"units": unit}),
        power=(("time", "leg"), force * data["joint_rate"].to_numpy(), {"units": "W"}),
    )
