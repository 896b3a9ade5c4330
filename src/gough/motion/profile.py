"""Profiles: how the parameter of a path goes with time, in closed form.

Over an interval of the path u = s'' is linear in s, s'' = u0 + k (s - s0), an equation with constant coefficients:

    s - s0 = v0 S1 + u0 S2,   s' = v0 S0 + u0 S1,     S0 = cosh z, S1 = t sinh(z) / z, S2 = t^2 (cosh z - 1) / z^2

with z^2 = k t^2, circular functions where k is negative; it takes T with tanh(sqrt(k) T / 2) / sqrt(k) = h / (v0 + v1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._numbers import numbers

Array = NDArray[np.float64]

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
        way = np.clip(v0 * S1 + u0 * S2, 0.0, h)
        return self.s[i] + way, np.maximum(v0 * S0 + u0 * S1, 0.0), u0 + k * way


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
