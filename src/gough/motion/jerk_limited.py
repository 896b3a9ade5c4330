"""Jerk-limited motion along a path: from rest to rest by seven phases of constant jerk, scaled to the legs' limits.

Along the path s(t) is an S-curve with bounds V, A, J of its rates. If time is stretched by lambda, t -> t / lambda,

    q' = q_s s',   q'' = q_ss s'^2 + q_s s'',   q''' = q_sss s'^3 + 3 q_ss s' s'' + q_s s'''

fall with lambda, lambda^2 and lambda^3: the smallest lambda that keeps every limit follows in closed form, and the
ratios of V, A and J are optimised for the shortest duration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.kinematics.rates import joint_accelerations, joint_rates
from gough.machine import Machine
from gough.motion.motion_limits import LimitsGiven, MotionLimits, motion_limits
from gough.motion.path import Path
from gough.motion.timed_path import TimedPath, timed_extremes

PER_KNOT, PER_CURVE = 33, 128
"""Samples between two knots of a path, and of every S-curve in time, from which the shape of a curve is chosen."""
SLACK = 3.0
"""Speed and acceleration beyond which they do not bind, for a unit length and jerk: a curve from rest to rest reaches
0.63 and 0.79."""
SIMPLEXES = (1.5, 0.7, -0.3)
"""Initial steps in the logarithms of V and A of successive simplex searches for the shortest duration."""
RESERVE = 1e-6
"""Relative reserve of the duration for the tolerance of extremes."""
DIFFERENCE, EDGE = 1e-4, 1e-9
"""Step of the finite difference for third derivatives, and distance from knots, as parts of the space between knots."""


@dataclass(frozen=True, eq=False)
class SCurves:
    """Schedule of consecutive S-curves from rest to rest, each of seven phases of constant jerk.

    Attributes
    ----------
    ends : (k + 1,) array
        Parameters at which the motion rests.
    jerk : (k,) array
        Jerk of each curve's first phase.
    phases : (k, 7) array
        Durations [s].

    """

    ends: Array
    jerk: Array
    phases: Array

    SIGNS: ClassVar[tuple[int, ...]] = (1, 0, -1, 0, -1, 0, 1)

    @classmethod
    def within(cls, length: float, V: float, A: float, J: float) -> SCurves:
        """Return the fastest over a length from 0 with these bounds of s', s'' and s'''."""
        # Time of constant jerk: until A, or V, or the middle of the length is reached.
        j = min(A / J, np.sqrt(V / J), np.cbrt(length / (2 * J)))
        a = J * j
        # Time of constant acceleration: until V, or the middle, a root of length = a (j + hold) (2 j + hold).
        hold = max(0.0, min(V / a - j, (-3 * j + np.sqrt(j**2 + 4 * length / a)) / 2))
        v = a * (j + hold)
        cruise = max(0.0, length / v - (2 * j + hold))
        return cls(np.array([0.0, length]), np.array([J]), np.array([[j, hold, j, cruise, j, hold, j]]))

    def slower(self, factor: float) -> SCurves:
        """Return the same curves with all durations multiplied by a factor."""
        return SCurves(self.ends, self.jerk / factor**3, self.phases * factor)

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return 0.0, float(self.phases.sum())

    @property
    def pieces(self) -> tuple[Array, Array, Array]:
        """See `Schedule.pieces`."""
        time = np.concatenate([[0.0], np.cumsum(self.phases.sum(axis=1))])
        return self.ends, time[:-1], time[1:]

    @property
    def knots(self) -> Array:
        """See `Schedule.knots`: ends of all phases."""
        return np.unique(np.concatenate([[0.0], np.cumsum(self.phases.ravel())]))

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """s, s', s'' at times (n,) [s]."""
        return self.rates(numbers("time", time))[:3]

    def rates(self, time: Array) -> tuple[Array, Array, Array, Array]:
        """Return s, s', s'', s''' at times (n,) [s]."""
        # States at the begins of all phases, by integrating the jerk, then the cubic within the phase of each time.
        _, since, _ = self.pieces
        begin = np.insert(np.cumsum(self.phases, axis=1), 0, 0.0, axis=1)
        j = self.jerk[:, None] * np.array(self.SIGNS, dtype=float)
        s, v, a = np.zeros((3, len(since), 8))
        for i, h in enumerate(self.phases.T):
            s[:, i + 1] = s[:, i] + h * (v[:, i] + h * (a[:, i] / 2 + h * j[:, i] / 6))
            v[:, i + 1], a[:, i + 1] = v[:, i] + h * (a[:, i] + h * j[:, i] / 2), a[:, i] + h * j[:, i]
        k = np.clip(np.searchsorted(since, time, side="right") - 1, 0, len(since) - 1)
        t = np.clip(time - since[k], 0.0, begin[k, -1])
        at = k, np.clip((begin[k] <= t[:, None]).sum(axis=1) - 1, 0, 6)
        t, v, a, j = t - begin[at], v[at], a[at], j[at]
        advance = np.clip(s[at] + t * (v + t * (a / 2 + t * j / 6)), 0.0, np.diff(self.ends)[k])
        return self.ends[k] + advance, v + t * (a + t * j / 2), a + t * j, j


@checks_arguments
def jerk_limited(
    machine: Machine,
    path: Path,
    joint_jerk: ArrayLike,
    *,
    progress: Progress = None,
    **limits: Unpack[LimitsGiven],
) -> TimedPath:
    """Compute a motion along a path with limited jerk of the joints, at rest at its ends and at its breaks.

    Parameters
    ----------
    machine : Machine
        Its limits apply where arguments are omitted.
    path : Path
        Of the platform in the base. A break, where a derivative jumps, is a stop: round corners with blends.
    joint_jerk : float or (6,) array
        [m/s3 or rad/s3].
    progress : callable, optional
        Called with the number of pieces done and their total.
    **limits
        joint_speed, joint_acceleration, actuator_force, feed, turn_feed, point and wrench, as in `motion_limits`.

    Returns
    -------
    TimedPath
        One S-curve from stop to stop: the fastest of its shape (to 1e-6), though not the time-optimal motion.

    Raises
    ------
    InputError
        A leg cannot close on the path, an actuator cannot hold the machine, or a limit is not above zero.

    """
    kept = motion_limits(machine, joint_jerk=joint_jerk, **limits)
    if kept.jerk is None:
        raise InputError("joint_jerk: expected finite numbers above 0")
    stops = np.concatenate([path.knots[:1], path.breaks, path.knots[-1:]])
    curves: list[SCurves] = []
    for begin, end in pairwise(stops.tolist()):
        curves.append(_curve(_Piece(kept, path, begin, end, kept.jerk)))
        if progress is not None:
            progress(len(curves), len(stops) - 1)
    jerk, phases = (np.concatenate(parts) for parts in zip(*((each.jerk, each.phases) for each in curves), strict=True))
    return TimedPath(path, SCurves(stops, jerk, phases), kept)


class _Piece:
    """A piece of a path between two stops, and the factor of time that its limits need for an S-curve along it."""

    def __init__(self, limits: MotionLimits, path: Path, begin: float, end: float, jerk: Array) -> None:
        self.limits, self.path, self.begin, self.length, self.jerk = limits, path, begin, end - begin, jerk
        inside = path.knots[(path.knots > begin) & (path.knots < end)]
        self.knots = np.concatenate([[begin], inside, [end]]) - begin
        # Samples just inside the knots: third derivatives jump there.
        length = np.diff(self.knots)[:, None]
        part = np.clip(np.linspace(0, 1, PER_KNOT), EDGE, 1 - EDGE)
        self.s = (self.knots[:-1, None] + length * part).ravel()
        self.coarse = self.derivatives(self.s)
        X, V, _ = path(begin + self.s)
        wanted = zip(limits.feeds(begin + self.s), limits.speeds(X, V), strict=True)
        self.per_feed = np.max([np.zeros(len(self.s)), *(size / feed for feed, size in wanted)], axis=0)

    def derivatives(self, s: Array) -> tuple[Array, Array, Array]:
        """First to third derivatives (n, 6) of the joints by s at places (n,), the third by a central difference."""
        piece = np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, len(self.knots) - 2)
        low, high = self.knots[piece], self.knots[piece + 1]
        # One-sided at knots: the difference must not span a jump of the third derivative.
        h = DIFFERENCE * (high - low)
        before, after = np.maximum(s - h, low + EDGE * h), np.minimum(s + h, high - EDGE * h)
        machine, found = self.limits.machine, []
        for places in (s, before, after):
            X, V, A = self.path(places + self.begin)
            found.append((joint_rates(machine, X, V), joint_accelerations(machine, X, V, A)))
        if not np.isfinite(found[0]).all():
            k = int(np.argmin(np.isfinite(found[0]).all(axis=(0, 2))))
            raise InputError(
                f"the path cannot be followed at s = {s[k] + self.begin:.6g}: a leg cannot close or turns back"
            )
        return *found[0], (found[2][1] - found[1][1]) / (after - before)[:, None]

    def bounds(self) -> tuple[float, float, float]:
        """Bounds of s', s'' and s''' over the piece, each as if the other two were zero."""
        first, second, third = map(np.abs, self.coarse)
        # Each limit gives 1 / V, 1 / A or 1 / J: |q_sss| s'^3 <= jerk, |q_ss| s'^2 <= acceleration, and so on.
        v, a, j = [self.per_feed.max(), np.cbrt((third / self.jerk).max())], 0.0, (first / self.jerk).max()
        if self.limits.speed is not None:
            v.append((first / self.limits.speed).max())
        if self.limits.acceleration is not None:
            v.append(np.sqrt((second / self.limits.acceleration).max()))
            a = (first / self.limits.acceleration).max()
        with np.errstate(divide="ignore"):
            V, A, J = 1 / np.array([max(v), a, j])
        return V, A, J

    def estimated_factor(self, curve: SCurves) -> float:
        """Smallest factor of time that keeps joint limits and feeds, with derivatives interpolated in a table."""
        s, *rates = curve.rates(self.times(curve))
        table = (np.stack([np.interp(s, self.s, part[:, i]) for i in range(6)], axis=1) for part in self.coarse)
        feeds = np.interp(s, self.s, self.per_feed) * rates[0]
        return float(np.maximum(self._joints(tuple(table), rates), feeds).max())

    def motion(self, curve: SCurves) -> TimedPath:
        """The motion along the piece by a curve from 0 to the piece's length."""
        return TimedPath(self.path, replace(curve, ends=curve.ends + self.begin), self.limits)

    def exact_factor(self, curve: SCurves) -> float:
        """Smallest factor of time that keeps joint limits and feeds, by the extremes between all knots."""
        limits, found = self.limits, timed_extremes(self.motion(curve), has_forces=False)
        factors = [np.cbrt((found["joint_jerk"].peak / self.jerk).max())]
        if limits.acceleration is not None:
            factors.append(np.sqrt((found["joint_acceleration"].peak / limits.acceleration).max()))
        if limits.speed is not None:
            factors.append((found["joint_rate"].peak / limits.speed).max())
        if "feeds" in found:
            factors.append(found["feeds"].peak.max())
        return float(max(factors))

    def times(self, curve: SCurves) -> Array:
        """Even times, those of the samples between knots, and both sides of the phases' ends."""
        ends = np.cumsum(curve.phases)
        even = np.linspace(0, curve.span[1], PER_CURVE)
        passing = np.interp(self.s, curve(even)[0], even)  # s(t) inverted by interpolation
        tiny = 1e-12 * curve.span[1]
        return np.unique(np.clip(np.concatenate([even, passing, ends - tiny, ends + tiny]), 0, curve.span[1]))

    def _joints(self, along: tuple[Array, ...], rates: list[Array]) -> Array:
        """Factors of time (n,) for the limits of the joints; roots, since q'' and q''' fall with lambda^2, lambda^3."""
        (first, second, third), (v, u, j) = along, (rate[:, None] for rate in rates)
        factor = np.cbrt(np.max(np.abs(third * v**3 + 3 * second * v * u + first * j) / self.jerk, axis=1))
        if self.limits.acceleration is not None:
            used = np.abs(second * v**2 + first * u) / self.limits.acceleration
            factor = np.maximum(factor, np.sqrt(used.max(axis=1)))
        if self.limits.speed is not None:
            factor = np.maximum(factor, (np.abs(first * v) / self.limits.speed).max(axis=1))
        return np.asarray(factor)


def _curve(piece: _Piece) -> SCurves:
    """The fastest S-curve over one piece."""
    from scipy.optimize import minimize

    length = piece.length

    def curve(logs: Array) -> SCurves:
        V, A = length * np.exp(np.clip(logs, -12, 12))
        return SCurves.within(length, float(V), float(A), length)

    def time(logs: Array) -> float:
        tried = curve(logs)
        return tried.span[1] * piece.estimated_factor(tried)

    # Only ratios of V, A and J matter, since time is scaled afterwards: J is one length, V and A are varied.
    V, A, J = piece.bounds()
    rate = np.cbrt(J / length)
    logs = np.log(np.minimum([V / (length * rate), A / (length * rate**2)], SLACK))
    # Restarts: the duration has kinks, where one limit takes over from another, at which a simplex may stall.
    for size in SIMPLEXES:
        simplex = logs + size * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        options = {"maxfev": 40, "xatol": 1e-3, "initial_simplex": simplex}
        logs = minimize(time, logs, method="Nelder-Mead", options=options).x
    best = curve(logs)
    slow = best.slower(piece.exact_factor(best) * (1 + RESERVE))
    return slow if piece.limits.force is None else _within_forces(piece, slow)


def _within_forces(piece: _Piece, curve: SCurves) -> SCurves:
    """The curve slowed until it keeps the actuators' forces: a root, since forces at rest do not scale with time."""
    from scipy.optimize.elementwise import find_root

    limit = piece.limits.force
    assert limit is not None

    def utilisation(factor: float) -> float:
        return float((timed_extremes(piece.motion(curve.slower(factor)))["force"].peak / limit).max())

    # Bracketed by doubling: slower motions approach the forces at rest, which may exceed the limit by themselves.
    if utilisation(1.0) <= 1.0:
        return curve
    high = 2.0
    while utilisation(high) > 1.0:
        high *= 2
        if high > 1e4:
            raise InputError(f"the path cannot be followed from s = {piece.begin:.6g}: an actuator cannot hold it")
    excess = np.vectorize(lambda factor: utilisation(factor) - 1.0, otypes=[float])
    found = find_root(excess, (high / 2, high), tolerances={"xrtol": 1e-8})
    return curve.slower(float(found.x) * (1 + RESERVE))
