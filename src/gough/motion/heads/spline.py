"""Motions of a tool head's joints, over time or over the parameter of a path."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.dynamics.motions import CLOSEST
from gough.errors import InputError, ShapeError

Array = NDArray[np.float64]


class HeadMotion(Protocol):
    """Joint coordinates of the head in time."""

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Coordinates, rates and accelerations (..., n) at times (...) [s]."""


class HeadSpline:
    """Head joints through given coordinates at given times, with continuous acceleration: cubic splines.

    Parameters
    ----------
    time : (k,) array
        Increasing, at least two [s]; `knots`.
    joints : (k, n) array
        [rad or m]. Turns go on as the numbers do: from 179 to -179 deg is nearly a whole turn back.

    """

    @checks_arguments
    def __init__(self, time: ArrayLike, joints: ArrayLike) -> None:
        from scipy.interpolate import CubicSpline

        t, q = numbers("time", time), numbers("joints", joints)
        if t.ndim != 1 or len(t) < 2 or q.ndim != 2 or len(q) != len(t):
            raise ShapeError.expected("joints", "(k, n) with k times, at least two", q.shape)
        if not np.isfinite(t).all() or not np.isfinite(q).all() or not (np.diff(t) > 0).all():
            raise InputError("time and joints: finite numbers, and times that increase, are expected")
        if np.diff(t).min() < CLOSEST:
            raise InputError(f"time: knots {np.diff(t).min():g} s apart, at least {CLOSEST:g} s are needed for rates")
        self.span = float(t[0]), float(t[-1])
        self.knots = t
        self._spline = CubicSpline(t, q)

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """See `HeadMotion`."""
        t = numbers("time", time)
        return self._spline(t), self._spline(t, 1), self._spline(t, 2)

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Most of the rates and of the accelerations (m, n) from `low` to `high` (m,), without a knot between them."""
        bend = np.maximum(np.abs(self._spline(low, 2)), np.abs(self._spline(high, 2)))  # straight lines over time
        middle, half = (low + high) / 2, (high - low)[:, None] / 2
        return np.abs(self._spline(middle, 1)) + half * bend, bend
