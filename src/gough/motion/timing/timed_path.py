"""Timed paths: a path and how its parameter goes with time, together a motion; how much of each limit it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.kinematics.rates import joint_accelerations
from gough.motion.paths.path import Path, States
from gough.motion.timing.limits import MotionLimits
from gough.motion.timing.schedules import Schedule

if TYPE_CHECKING:
    import xarray


SAMPLES = 1001
"""Times looked at where the caller names none."""
JERK_STEP = 1e-6
"""Of the difference that gives jerks, as part of the motion's span."""


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath:
    """A motion along a path: V = V_s s', A = A_s s'^2 + V_s s''.

    Attributes
    ----------
    path : Path
    schedule : Schedule
    limits : MotionLimits
        What it was made to keep.
    within : float or None
        How near one the share of the binding limit is, at all places looked at of a time-optimal schedule; None for
        other schedules.

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
        """From when to when it rests (m, 2) [s], at places of the path and at its end."""
        _, begin, end = self.schedule.pieces
        until = np.append(begin[1:], self.span[1])
        is_rest = until > end
        return np.stack([end[is_rest], until[is_rest]], axis=1)

    @property
    def breaks(self) -> Array:
        """Times of its begin and end, of the path's corners and of the ends of rests [s]."""
        return np.unique(np.concatenate([self.span, self.when(self.path.breaks), self.rests.ravel()]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.duration:.6g} s along {self.path!r}>"

    def __call__(self, time: ArrayLike) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s]."""
        t = numbers("time", time)
        if not np.isfinite(t).all():
            raise InputError("time: a time is not a finite number")
        s, v, u = self.schedule(t.ravel())
        X, V, A = self.path(s)
        v, u = v[:, None], u[:, None]
        shape = t.shape
        return X.reshape(*shape, 4, 4), (V * v).reshape(*shape, 6), (A * v**2 + V * u).reshape(*shape, 6)

    @checks_arguments
    def parameter(self, time: ArrayLike) -> Array:
        """Parameter of the path (...), in the path's own unit, at times (...) [s]; its ends before and after."""
        t = numbers("time", time)
        return self.schedule(t.ravel())[0].reshape(t.shape)

    @checks_arguments
    def when(self, s: ArrayLike) -> Array:
        """Times (n,) at which it comes to parameters (n,) of the path [s]."""
        from scipy.optimize.elementwise import find_root

        places = np.clip(numbers("s", s), *self.path.span)
        if not len(places):
            return np.empty(0)
        ends, begin, end = self.schedule.pieces
        piece = np.clip(np.searchsorted(ends, places) - 1, 0, len(begin) - 1)
        found = find_root(lambda t, s: self.schedule(t)[0] - s, (begin[piece], end[piece]), args=(places,))
        return np.where(places <= ends[piece], begin[piece], np.where(places >= ends[piece + 1], end[piece], found.x))

    def moving_times(self, count: int) -> Array:
        """Times (count,) spread evenly over those at which it moves [s]."""
        begin, end = self.rests.T
        rested = np.concatenate([[0.0], np.cumsum(end - begin)])
        moved = (np.arange(count) + 0.5) / count * (self.duration - rested[-1])
        return np.asarray(self.span[0] + moved + rested[np.searchsorted(begin - rested[:-1] - self.span[0], moved)])

    @checks_arguments
    def shares(self, times: ArrayLike | None = None) -> xarray.Dataset:
        """How much of each limit the motion takes over time, and which one binds.

        Parameters
        ----------
        times : (n,) array, optional
            [s]; 1001 evenly spread where not given.

        Returns
        -------
        xarray.Dataset
            Over `time` and `limit`: `share`, 1 on the limit; `binding`, the name of the largest; `s`, the place on the
            path. Computed anew from the motion's poses, twists and accelerations.

        """
        t = np.linspace(*self.span, SAMPLES) if times is None else numbers("times", times)
        return shares_over_time(self.limits, self, t, self.parameter(t))

    @checks_arguments
    def binding(self, samples: int = 2001) -> dict[str, float]:
        """What limits the motion: names of limits, each with its part of the moving time, 0 to 1, the largest first.

        Counted at `samples` times; empty for a schedule without limits."""
        if not self.limits.names:
            return {}
        names, times = np.unique(self.shares(self.moving_times(samples))["binding"].to_numpy(), return_counts=True)
        order = np.argsort(-times, kind="stable")
        return {str(names[k]): float(times[k]) / samples for k in order}


def shares_over_time(
    limits: MotionLimits, motion: Motion, times: ArrayLike | None = None, s: Array | None = None
) -> xarray.Dataset:
    """As `TimedPath.shares`, of any motion; `s` (n,) are the places on its path, for feeds that change along it."""
    import xarray

    t = np.linspace(*motion.span, SAMPLES) if times is None else np.asarray(times, dtype=float)
    s = t if s is None else s
    share = limits.shares(s, *motion(t))
    if limits.jerk is not None:
        share = np.concatenate([share, np.abs(_jerks(limits, motion, t)) / limits.jerk], axis=1)
    names = np.array(limits.names, dtype=str)
    return xarray.Dataset(
        {
            "share": (("time", "limit"), share, {"units": "1"}),
            "binding": ("time", names[np.argmax(share, axis=1)]),
            "s": ("time", s, {"units": "path parameter"}),
        },
        coords={"time": ("time", t, {"units": "s"}), "limit": names},
        attrs={"machine": limits.machine.name, "duration": motion.span[1] - motion.span[0]},
    )


def _jerks(limits: MotionLimits, motion: Motion, t: Array) -> Array:
    """Jerks (n, 6) of the joints, by differences of their accelerations that stay within the motion."""
    begin, end = motion.span
    h = JERK_STEP * (end - begin)
    low, high = np.maximum(t - h, begin), np.minimum(t + h, end)
    before, after = (joint_accelerations(limits.machine, *motion(at)) for at in (low, high))
    return np.asarray((after - before) / (high - low)[:, None])
