"""Schedules: how the parameter of a path goes with time; profiles on a grid, and S-curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.numbers import numbers

SERIES = 0.05
"""Below this |z^2| power series replace the quotients."""


class Schedule(Protocol):
    """How the parameter of a path goes with time."""

    @property
    def span(self) -> tuple[float, float]: ...  # noqa: D102

    @property
    def pieces(self) -> tuple[Array, Array, Array]:
        """Ends (n + 1,) of pieces between which the parameter grows; when each begins, when each ends (n,) [s]."""

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]."""


@dataclass(frozen=True, eq=False)
class Profile:
    """s over time: s'' is linear in s over each of n intervals, after which it may rest.

    Attributes
    ----------
    s : (n + 1,) array
        Ends of the intervals.
    v : (n + 1,) array
        s' there.
    u : (n, 2) array
        s'' at the begin and the end of each.
    taken, rest : (n,) array
        Time that each interval takes, and time of rest after it [s].

    """

    s: Array
    v: Array
    u: Array
    taken: Array
    rest: Array

    @classmethod
    def of(cls, s: Array, x: Array, u: Array) -> Profile:
        """The profile with squared speeds x (n + 1,), without rests."""
        v = np.sqrt(np.maximum(x, 0.0))
        return cls(s, v, u, durations(s, v, u), np.zeros(len(u)))

    def resting(self, places: Array, seconds: Array) -> Profile:
        """The same with rests (m,) [s] at ends of intervals, those nearest to parameters (m,)."""
        rest = self.rest.copy()
        np.add.at(rest, np.maximum(nearest_index(self.s, places) - 1, 0), seconds)
        return replace(self, rest=rest)

    @cached_property
    def time(self) -> Array:
        """When each interval begins, and the end (n + 1,) [s]."""
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

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]; before the begin and after the end those there."""
        begin = self.time
        t = np.clip(numbers("time", time), 0.0, begin[-1])
        i = np.clip(np.searchsorted(begin, t, side="right") - 1, 0, len(self.u) - 1)
        t = t - begin[i]
        moves = np.where((self.rest[i] > 0) & (t > self.taken[i]), 0.0, 1.0)
        t = np.minimum(t, self.taken[i])
        h = self.s[i + 1] - self.s[i]
        u0, v0 = self.u[i, 0], self.v[i]
        k = (self.u[i, 1] - u0) / h
        z = k * t**2
        S0, S1, S2 = 1 + z * _coshc(z), t * _sinhc(z), t**2 * _coshc(z)
        advance = np.clip(v0 * S1 + u0 * S2, 0.0, h)
        return self.s[i] + advance, moves * np.maximum(v0 * S0 + u0 * S1, 0.0), moves * (u0 + k * advance)


def nearest_index(values: Array, places: Array) -> NDArray[np.intp]:
    """Which of rising values (n,), at least two, is nearest to each place (m,)."""
    k = np.clip(np.searchsorted(values, places), 1, len(values) - 1)
    return k - (places - values[k - 1] < values[k] - places)


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


@dataclass(frozen=True, eq=False)
class SCurve:
    """Seven phases of constant jerk, from rest to rest: s(t) from `begin` over `length`, in time from `since`.

    Attributes
    ----------
    since, begin, length : float
    jerk : float
        Of the first phase.
    phases : (7,) array
        Durations [s].

    """

    since: float
    begin: float
    length: float
    jerk: float
    phases: Array

    SIGNS: ClassVar[tuple[int, ...]] = (1, 0, -1, 0, -1, 0, 1)

    @classmethod
    def within(cls, length: float, V: float, A: float, J: float) -> SCurve:
        """The quickest with these bounds of s', s'' and s'''."""
        j = min(A / J, np.sqrt(V / J), np.cbrt(length / (2 * J)))
        a = J * j
        hold = max(0.0, min(V / a - j, (-3 * j + np.sqrt(j**2 + 4 * length / a)) / 2))
        v = a * (j + hold)
        cruise = max(0.0, length / v - (2 * j + hold))
        return cls(0.0, 0.0, length, J, np.array([j, hold, j, cruise, j, hold, j]))

    def slower(self, factor: float) -> SCurve:
        """The same curve, with every time longer by a factor."""
        return SCurve(self.since, self.begin, self.length, self.jerk / factor**3, self.phases * factor)

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.phases.sum())

    def __call__(self, time: Array) -> tuple[Array, Array, Array, Array]:
        """s, s', s'', s''' at times (n,) [s]."""
        ends = np.concatenate([[0.0], np.cumsum(self.phases)])
        j = self.jerk * np.array(self.SIGNS, dtype=float)
        s, v, a = np.zeros(8), np.zeros(8), np.zeros(8)
        for k, h in enumerate(self.phases):
            s[k + 1] = s[k] + h * (v[k] + h * (a[k] / 2 + h * j[k] / 6))
            v[k + 1], a[k + 1] = v[k] + h * (a[k] + h * j[k] / 2), a[k] + h * j[k]
        t = np.clip(time - self.since, 0.0, ends[-1])
        i = np.clip(np.searchsorted(ends, t, side="right") - 1, 0, 6)
        t = t - ends[i]
        advance = np.clip(s[i] + t * (v[i] + t * (a[i] / 2 + t * j[i] / 6)), 0.0, self.length)
        return self.begin + advance, v[i] + t * (a[i] + t * j[i] / 2), a[i] + t * j[i], j[i]


@dataclass(frozen=True, eq=False)
class Moves:
    """S-curves one after the other: a schedule."""

    curves: tuple[SCurve, ...]

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return 0.0, self.curves[-1].since + self.curves[-1].duration

    @property
    def pieces(self) -> tuple[Array, Array, Array]:
        """See `Schedule.pieces`."""
        last, begin = self.curves[-1], np.array([curve.since for curve in self.curves])
        ends = [*(curve.begin for curve in self.curves), last.begin + last.length]
        return np.array(ends), begin, np.append(begin[1:], self.span[1])

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]."""
        t = numbers("time", time)
        starts = np.array([curve.since for curve in self.curves])
        which = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(self.curves) - 1)
        found = np.empty((3, len(t)))
        for k in range(len(self.curves)):
            here = which == k
            if here.any():
                found[:, here] = self.curves[k](t[here])[:3]
        return found[0], found[1], found[2]
