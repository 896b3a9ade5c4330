"""Timed paths: a path with a schedule s(t) is a motion; utilisation of its limits over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.dynamics.drive_peaks import motion_extremes
from gough.dynamics.extremes import Extremes
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.kinematics.rates import joint_accelerations
from gough.motion.motion_limits import MotionLimits
from gough.motion.path import Path, States
from gough.present.show import plain
from gough.present.units import percent
from gough.results import ShowsFacts

if TYPE_CHECKING:
    import xarray


INSTANT, JUMP = 1e-7, 1e-3
"""Part of the duration that is no time for a change of the speed by this part of the largest: the speed jumps."""
SERIES = 0.05
"""|z| below which power series replace quotients that lose digits to cancellation."""


class Schedule(Protocol):
    """Parameter of a path as a function of time."""

    @property
    def span(self) -> tuple[float, float]: ...  # noqa: D102

    @property
    def pieces(self) -> tuple[Array, Array, Array]:
        """Ends (n + 1,) of pieces over which the parameter grows; begin and end of each in time (n,) [s]."""

    @property
    def knots(self) -> Array:
        """Increasing times from begin to end between which s(t) is smooth [s]."""

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Schedule with s'' linear in s over each of n intervals, after which the motion may rest.

    Attributes
    ----------
    s : (n + 1,) array
        Ends of the intervals.
    v : (n + 1,) array
        s' there.
    u : (n, 2) array
        s'' at the begin and the end of each.
    taken, rest : (n,) array
        Duration of each interval, and of the rest after it [s].

    """

    s: Array
    v: Array
    u: Array
    taken: Array
    rest: Array

    @classmethod
    def of(cls, s: Array, x: Array, u: Array) -> Profile:
        """Return the profile with squared speeds x (n + 1,), without rests."""
        v = np.sqrt(np.maximum(x, 0.0))
        return cls(s, v, u, durations(s, v, u), np.zeros(len(u)))

    def resting(self, places: Array, seconds: Array) -> Profile:
        """Return the profile with additional rests (m,) [s] at the ends of intervals nearest to parameters `places`
        (m,)."""
        rest = self.rest.copy()
        # A rest follows the interval that ends there; several at one place add up.
        np.add.at(rest, np.maximum(nearest_index(self.s, places) - 1, 0), seconds)
        return replace(self, rest=rest)

    @cached_property
    def time(self) -> Array:
        """Times at which intervals begin, and the end (n + 1,) [s]."""
        return np.concatenate([[0.0], np.cumsum(self.taken + self.rest)])

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return 0.0, float(self.time[-1])

    @property
    def pieces(self) -> tuple[Array, Array, Array]:
        """See `Schedule.pieces`."""
        time = self.time
        return self.s, time[:-1], np.where(self.rest > 0, time[:-1] + self.taken, time[1:])

    @property
    def has_jumps(self) -> bool:
        """Whether the speed jumps within, as it may where neither accelerations nor forces are limited."""
        is_instant = self.taken <= INSTANT * self.taken.sum()
        return bool((is_instant & (np.abs(np.diff(self.v)) > JUMP * self.v.max())).any())

    @property
    def knots(self) -> Array:
        """See `Schedule.knots`."""
        return np.union1d(self.time, self.pieces[2])

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s], clipped to the span.

        With k = (u_1 - u_0) / h the equation s'' = u_0 + k (s - s_0) is linear: s - s_0 = v_0 sinh(r t) / r +
        u_0 (cosh(r t) - 1) / r^2 with r^2 = k, circular functions where k is negative.
        """
        begin = self.time
        t = np.clip(numbers("time", time), 0.0, begin[-1])
        # Time within the interval, cut off at its end: a rest after it keeps the end with zero rates.
        i = np.clip(np.searchsorted(begin, t, side="right") - 1, 0, len(self.u) - 1)
        t = t - begin[i]
        moves = np.where((self.rest[i] > 0) & (t > self.taken[i]), 0.0, 1.0)
        t = np.minimum(t, self.taken[i])
        h = self.s[i + 1] - self.s[i]
        u0, v0 = self.u[i, 0], self.v[i]
        k = (self.u[i, 1] - u0) / h
        z = k * t**2
        # cosh(r t), sinh(r t) / r and (cosh(r t) - 1) / r^2: even in r, so functions of z = (r t)^2.
        S0, S1, S2 = 1 + z * _coshc(z), t * _sinhc(z), t**2 * _coshc(z)
        advance = np.clip(v0 * S1 + u0 * S2, 0.0, h)  # rounding must not leave the interval
        # At the end of an interval its end itself, not the sum, which may be rounded.
        s = np.where(t >= self.taken[i], self.s[i + 1], self.s[i] + advance)
        return s, moves * np.maximum(v0 * S0 + u0 * S1, 0.0), moves * (u0 + k * advance)


def nearest_index(values: Array, places: Array) -> NDArray[np.intp]:
    """Return indices of the nearest of increasing values (n,), at least two, to each place (m,)."""
    k = np.clip(np.searchsorted(values, places), 1, len(values) - 1)
    return k - (places - values[k - 1] < values[k] - places)


def durations(s: Array, v: Array, u: Array) -> Array:
    """Return durations (n,) of the intervals [s]; infinite where the speed is zero at both ends.

    The solution for s'' linear in s gives h / (v_0 + v_1) = tanh(r T / 2) / r with r^2 = k = (u_1 - u_0) / h; tan where
    k is negative.
    """
    h, total = np.diff(s), v[:-1] + v[1:]
    k = (u[:, 1] - u[:, 0]) / h
    with np.errstate(divide="ignore", invalid="ignore"):
        half = h / total
        root = np.sqrt(np.abs(k))
        z = np.where(total > 0, k * half**2, 0.0)
        curved = np.where(k > 0, np.arctanh(np.minimum(root * half, 1.0)), np.arctan(root * half)) / root
    # artanh(x) / x in powers of x^2 = z.
    series = half * (1 + z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z / 11)))))
    return np.asarray(2 * np.where((np.abs(z) < 1e-3) & (total > 0), series, curved))


def _sinhc(z: Array) -> Array:
    """sinh(r) / r of z = r^2, sin where z is negative."""
    r = np.sqrt(np.abs(z))
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(z > 0, np.sinh(r), np.sin(r)) / r
    series = 1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72 * (1 + z / 110))))
    return np.asarray(np.where(np.abs(z) < SERIES, series, exact))


def _coshc(z: Array) -> Array:
    """(cosh(r) - 1) / r^2 of z = r^2, cos where z is negative."""
    return np.asarray(0.5 * _sinhc(z / 4) ** 2)


LIMITED = ("joint_rate", "joint_acceleration", "force", "feeds", "joint_jerk")
"""Quantities that `MotionLimits` bound, in the order of its names."""
NAMED = 4
"""Largest number of limits that are named."""
UTILISATION_TIMES = 1001
"""Default number of times."""
JERK_STEP = 1e-6
"""Step of the finite difference for jerks, as part of the motion's span."""


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(ShowsFacts):
    """A motion along a path: V = V_s s', A = A_s s'^2 + V_s s''.

    Attributes
    ----------
    path : Path
    schedule : Schedule
    limits : MotionLimits
        The limits that the schedule keeps.
    within : float or None
        Largest deviation of the binding limit's utilisation from one, at all samples of a time-optimal schedule; None
        for other schedules.

    """

    path: Path
    schedule: Schedule
    limits: MotionLimits
    within: float | None = None

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return self.schedule.span

    @property
    def duration(self) -> float:
        """[s]."""
        return self.span[1] - self.span[0]

    @property
    def rests(self) -> Array:
        """Begin and end in time of the rests (m, 2) [s]."""
        _, begin, end = self.schedule.pieces
        # A rest is the time between the end of a piece and the begin of the next one, or the end of the motion.
        until = np.append(begin[1:], self.span[1])
        is_rest = until > end
        return np.stack([end[is_rest], until[is_rest]], axis=1)

    @cached_property
    def knots(self) -> Array:
        """Times of the path's knots and of those of the schedule: between two of them the motion is smooth [s]."""
        return np.union1d(self.schedule.knots, self.when(self.path.knots))

    @property
    def breaks(self) -> Array:
        """Times of the begin and end, of the path's breaks, and of begins and ends of rests [s]."""
        return np.unique(np.concatenate([self.span, self.when(self.path.breaks), self.rests.ravel()]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.duration:.6g} s along {self.path!r}>"

    def facts(self) -> dict[str, str]:
        """Return the duration, rests, the share of time of each binding limit, and the facts of the path."""
        rests = self.rests
        resting = f", of it {plain(np.diff(rests).sum(), 4)} s at rest" if len(rests) else ""
        found = {"duration": f"{plain(self.duration)} s{resting}"}
        binding = list(self.binding().items())[:NAMED]
        if binding:
            found["held back by"] = ", ".join(f"{name} ({percent(part, 3)} of the time)" for name, part in binding)
        return found | self.path.facts()

    def __call__(self, time: ArrayLike) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s]."""
        t = numbers("time", time)
        if not np.isfinite(t).all():
            raise InputError("time: a time is not a finite number")
        s, v, u, is_end = self._on_pieces(t.ravel())
        X, V, A = self.path(s)
        for part, at_end in zip((X, V, A), self.path(s[is_end], before=True), strict=True):
            part[is_end] = at_end
        v, u = v[:, None], u[:, None]
        shape = t.shape
        return X.reshape(*shape, 4, 4), (V * v).reshape(*shape, 6), (A * v**2 + V * u).reshape(*shape, 6)

    @checks_arguments
    def parameter(self, time: ArrayLike) -> Array:
        """Compute the path parameter (...), in the path's own unit, at times (...) [s] clipped to the span."""
        t = numbers("time", time)
        return self._on_pieces(t.ravel())[0].reshape(t.shape)

    def _on_pieces(self, time: Array) -> tuple[Array, Array, Array, Bools]:
        """s, s', s'' at times (n,), and whether s is the end of the schedule's piece that the time is in.

        There the path's derivatives before it belong to s' and s'', whichever side of a break s is rounded to.
        """
        s, v, u = self.schedule(time)
        ends, begin, _ = self.schedule.pieces
        end = ends[np.clip(np.searchsorted(begin, time, side="right"), 1, len(begin))]
        return np.minimum(s, end), v, u, s >= end

    @checks_arguments
    def when(self, s: ArrayLike) -> Array:
        """Compute the times (n,) at which parameters (n,) of the path are reached [s]."""
        from scipy.optimize.elementwise import find_root

        places = np.clip(numbers("s", s), *self.path.span)
        if not len(places):
            return np.empty(0)
        ends, begin, end = self.schedule.pieces
        piece = np.clip(np.searchsorted(ends, places) - 1, 0, len(begin) - 1)
        # s(t) grows within a piece, so the root is unique; exact times at its ends, where rounding may hide the root.
        found = find_root(lambda t, s: self.schedule(t)[0] - s, (begin[piece], end[piece]), args=(places,))
        return np.where(places <= ends[piece], begin[piece], np.where(places >= ends[piece + 1], end[piece], found.x))

    @checks_arguments
    def limit_utilisation(self, times: ArrayLike | None = None) -> xarray.Dataset:
        """Compute the utilisation of each limit over time, and the binding limit.

        Parameters
        ----------
        times : (n,) array, optional
            [s]; default: 1001 evenly spaced.

        Returns
        -------
        xarray.Dataset
            Over `time` and `limit`: `utilisation`, 1 on the limit; `binding`, the name of the largest; `s`, the path
            parameter. Computed from the motion's poses, twists and accelerations, independently of the timing.

        """
        t = np.linspace(*self.span, UTILISATION_TIMES) if times is None else numbers("times", times)
        return utilisation_over_time(self.limits, self, t, self.parameter(t))

    def binding(self) -> dict[str, float]:
        """Return the binding limits by name, each with its part of the moving time, 0 to 1, the largest first.

        Empty for a schedule without limits; of limits that tie, as of legs that do the same, the first binds."""
        return binding_shares(self.limits, self._extremes)

    @cached_property
    def _extremes(self) -> dict[str, Extremes]:
        return timed_extremes(self)


def timed_extremes(
    motion: TimedPath, force: Callable[[Array, States], Array] | None = None, *, has_forces: bool = True
) -> dict[str, Extremes]:
    """Find the extremes of joints, actuators and feeds over a timed path, see `motion_extremes`, with the shares of its
    limits in the moving time.

    "feeds" has the utilisation of the feed and of the turn feed, as far as there are any. `force` has the actuator
    forces (n, 6) at times and states where they are not those of `MotionLimits.forces`.
    """
    limits = motion.limits
    if not has_forces or limits.machine.platform is None:
        force, limits = None, replace(limits, force=None)
    elif force is None:
        force = lambda _, states: limits.forces(*states)  # noqa: E731

    def feeds(t: Array, states: States) -> dict[str, Array]:
        pairs = zip(limits.speeds(*states[:2]), limits.feeds(motion.parameter(t)), strict=True)
        used = [speed / feed for speed, feed in pairs]
        return {"feeds": np.stack(used, axis=-1)} if used else {}

    has_feeds = limits.feed is not None or limits.turn_feed is not None
    bounds = limits.speed, limits.acceleration, limits.force, 1.0 if has_feeds else None, limits.jerk
    limited = {name: limit for name, limit in zip(LIMITED, bounds, strict=True) if limit is not None}
    return motion_extremes(limits.machine, motion, force, more=feeds, limits=limited, idle=motion.rests)


def binding_shares(limits: MotionLimits, extremes: Mapping[str, Extremes]) -> dict[str, float]:
    """Return binding limits by name, each with its part of the moving time, the largest first, from
    `timed_extremes`."""
    shares = [extremes[name].share for name in LIMITED if name in extremes]
    found = np.concatenate([part for part in shares if not np.isnan(part).any()] or [np.empty(0)])
    order = [k for k in np.argsort(-found, kind="stable").tolist() if found[k] > 0]
    return {limits.names[k]: float(found[k]) for k in order}


def utilisation_over_time(
    limits: MotionLimits, motion: Motion, times: ArrayLike | None = None, s: Array | None = None
) -> xarray.Dataset:
    """Compute the utilisation of any motion as `TimedPath.limit_utilisation` does; `s` (n,) are its path parameters,
    for feeds that change."""
    import xarray

    t = np.linspace(*motion.span, UTILISATION_TIMES) if times is None else np.asarray(times, dtype=float)
    s = t if s is None else s
    used = limits.utilisation(s, *motion(t))
    if limits.jerk is not None:
        used = np.concatenate([used, np.abs(_jerks(limits, motion, t)) / limits.jerk], axis=1)
    names = np.array(limits.names, dtype=str)
    return xarray.Dataset(
        {
            "utilisation": (("time", "limit"), used, {"units": "1"}),
            "binding": ("time", names[np.argmax(used, axis=1)]),
            "s": ("time", s, {"units": "path parameter"}),
        },
        coords={"time": ("time", t, {"units": "s"}), "limit": names},
        attrs={"machine": limits.machine.name, "duration": motion.span[1] - motion.span[0]},
    )


def _jerks(limits: MotionLimits, motion: Motion, t: Array) -> Array:
    """Jerks (n, 6) of the joints, by finite differences of their accelerations within the span."""
    begin, end = motion.span
    h = JERK_STEP * (end - begin)
    low, high = np.maximum(t - h, begin), np.minimum(t + h, end)  # one-sided at the ends
    before, after = (joint_accelerations(limits.machine, *motion(at)) for at in (low, high))
    return np.asarray((after - before) / (high - low)[:, None])
