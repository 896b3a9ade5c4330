"""S-curves: motion from rest to rest by seven phases of constant jerk, and several of them one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.numbers import numbers

Array = NDArray[np.float64]


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
