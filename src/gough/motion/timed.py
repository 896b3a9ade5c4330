"""Timed paths: a path and how its parameter goes with time, together a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._arguments import checks_arguments
from gough._numbers import numbers
from gough.errors import InputError
from gough.motion.limits import MotionLimits
from gough.motion.path import Path, States
from gough.motion.shares import SAMPLES, shares_over_time

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
