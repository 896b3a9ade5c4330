"""Timed paths: a path and how its parameter goes with time, together a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.motion.paths.path import Path, States
from gough.motion.timing.limit_utilisation import SAMPLES, shares_over_time
from gough.motion.timing.limits import MotionLimits

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]


class Schedule(Protocol):
    """How the parameter of a path goes with time."""

    @property
    def span(self) -> tuple[float, float]: ...  # noqa: D102

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]."""


@dataclass(frozen=True, eq=False)
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
        """Where on the path it is at times (...)."""
        t = numbers("time", time)
        return self.schedule(t.ravel())[0].reshape(t.shape)

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


SERIES = 0.05
"""Below this |z^2| power series replace the quotients."""


@dataclass(frozen=True, eq=False)
class Profile:
    """s over time.

    Attributes
    ----------
    s : (n + 1,) array
        Ends of the intervals.
    v : (n + 1,) array
        s' there.
    u : (n, 2) array
        s'' at the begin and the end of each.
    time : (n + 1,) array
        When each end is passed [s].

    """

    s: Array
    v: Array
    u: Array
    time: Array

    @classmethod
    def of(cls, s: Array, x: Array, u: Array) -> Profile:
        """The profile with squared speeds x (n + 1,)."""
        v = np.sqrt(np.maximum(x, 0.0))
        return cls(s, v, u, np.concatenate([[0.0], np.cumsum(durations(s, v, u))]))

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return 0.0, float(self.time[-1])

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]; before the begin and after the end those there."""
        t = np.clip(numbers("time", time), *self.span)
        i = np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, len(self.u) - 1)
        t = t - self.time[i]
        h = self.s[i + 1] - self.s[i]
        u0, v0 = self.u[i, 0], self.v[i]
        k = (self.u[i, 1] - u0) / h
        z = k * t**2
        S0, S1, S2 = 1 + z * _coshc(z), t * _sinhc(z), t**2 * _coshc(z)
        advance = np.clip(v0 * S1 + u0 * S2, 0.0, h)
        return self.s[i] + advance, np.maximum(v0 * S0 + u0 * S1, 0.0), u0 + k * advance


def durations(s: Array, v: Array, u: Array) -> Array:
    """Times (n,) that the intervals take [s]; infinite where nothing moves."""
    h, total = np.diff(s), v[:-1] + v[1:]
    k = (u[:, 1] - u[:, 0]) / h
    with np.errstate(divide="ignore", invalid="ignore"):
        half = h / total
        root = np.sqrt(np.abs(k))
        z = np.where(total > 0, k * half**2, 0.0)
        curved = np.where(k > 0, np.arctanh(np.minimum(root * half, 1.0)), np.arctan(root * half)) / root
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
