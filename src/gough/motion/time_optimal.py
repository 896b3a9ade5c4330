"""Time-optimal motion along a path within all limits of the legs.

Backward and forward reachability passes (`gough.motion._topp`) on a grid whose intervals are bisected until, in their
middle, the utilisation of the binding limit is one to the tolerance. So at every instant one limit is reached and none
is exceeded, except at switches from one limit to another, which the grid locates to 1e-8 of the duration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Bools, Indices, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.kinematics.rates import joint_rates
from gough.machine import Machine
from gough.motion._topp import PathRows, controllable, feasible_batch, reachable
from gough.motion.motion_limits import ENDLESS, LimitsGiven, MotionLimits, motion_limits, rows_at
from gough.motion.path import Path
from gough.motion.timed_path import Profile, TimedPath, durations, nearest_index

FIRST, LEAST = 200, 4
"""Initial number of intervals, and the smallest number between two knots."""
CORNER = 1e-9
"""Jumps of joint rates below this part of their size are rounding."""
AT_KNOT = 1e-9
"""Distance of a stop from a knot, as part of the path, below which it is at the knot."""
UNREACHED = 1e4
"""Factor over the squared speed that accelerations can reach from rest, above which no profile goes."""
ROUNDS, SUDDEN = 3, 0.01
"""Halvings of an interval in one pass, with the error assumed to fall by four each time; above this error only one,
since there one limit takes over from another."""
RARE = 0.01
"""Part of the intervals up to which these are bisected as often: another pass would cost more."""


@dataclass(frozen=True, eq=False)
class TimingGrid:
    """Intervals of a path with the limits on them.

    Attributes
    ----------
    s : (n + 1,) array
        Their ends; every knot of the path is one of them.
    rows : Rows
        Of (n, 3, r, 3): the limits at the begin, the middle and the end of each.
    cap : (n, 3) array
        Largest squared speeds there.
    stops : (n + 1,) array
        Whether the motion rests at an end.
    most : float
        A squared speed that no motion from rest reaches; bounds x where nothing else does.

    """

    s: Array
    rows: PathRows
    cap: Array
    stops: NDArray[np.bool_]
    most: float

    @property
    def caps(self) -> Array:
        """Largest squared speeds at the ends (n + 1,): the lesser of both sides, zero at stops."""
        cap = np.concatenate([self.cap[:1, 0], np.minimum(self.cap[:-1, 2], self.cap[1:, 0]), self.cap[-1:, 2]])
        return np.where(self.stops, 0.0, cap)


@dataclass(eq=False)
class SpeedProfile:
    """Profile on n intervals of a grid, of which some are new since it was found.

    Attributes
    ----------
    most, x : (n + 1,) array
        Largest squared speeds from which the end can be reached, and those of the profile.
    u : (n, 2) array
        Accelerations at the ends of each interval.
    past : (5, n) array
        Largest utilisation of a limit minus one, at the begin, the middle and the end of each, and at its quarters; NaN
        where it was not evaluated.
    is_new : (n,) array

    """

    most: Array
    x: Array
    u: Array
    past: Array
    is_new: Bools

    @classmethod
    def unknown(cls, n: int) -> SpeedProfile:
        """Build the profile of n new intervals."""
        ends = np.full((2, n + 1), np.nan)
        return cls(ends[0], ends[1], np.full((n, 2), np.nan), np.full((5, n), np.nan), np.ones(n, dtype=bool))

    def divided(self, parts: Ints) -> SpeedProfile:
        """Divide each interval into parts (n,), which are new if there are more than one."""
        found = SpeedProfile.unknown(int(parts.sum()))
        ends = np.append(0, np.cumsum(parts))
        found.most[ends], found.x[ends] = self.most, self.x
        found.u, found.past = np.repeat(self.u, parts, axis=0), np.repeat(self.past, parts, axis=1)
        found.is_new = np.repeat(parts > 1, parts)
        return found

    def solve(self, grid: TimingGrid) -> int:
        """Find the profile where it changes, and its `past`; index of an interval that cannot be passed, or -1."""
        h, caps = np.diff(grid.s), grid.caps
        self.most[-1] = caps[-1]
        failed = controllable(grid.rows, h, caps, self.most, self.is_new)
        if failed < 0:
            failed = reachable(grid.rows, h, self.most, self.x, self.u, self.is_new)
        if failed < 0:
            k = np.flatnonzero(self.is_new)
            self.past[:, k] = np.nan
            for place, part in enumerate((0.0, 0.5, 1.0)):
                rows = PathRows(grid.rows.smooth[k, place], grid.rows.friction[k, place], grid.rows.limit)
                self.past[place, k] = _past(rows, grid.cap[k, place], *self._at(grid, k, part))
            self.is_new[:] = False
        return failed

    def look_between(self, grid: TimingGrid, limits: MotionLimits, path: Path) -> None:
        """Evaluate `past` at the quarters, where the grid has no rows."""
        k = np.flatnonzero(np.isnan(self.past[3]))
        for place, part in ((3, 0.25), (4, 0.75)):
            rows, cap = rows_at(limits, path, (1 - part) * grid.s[k] + part * grid.s[k + 1])
            self.past[place, k] = _past(rows, cap, *self._at(grid, k, part))

    def _at(self, grid: TimingGrid, k: Indices, part: float) -> tuple[Array, Array]:
        """Squared speeds and accelerations at a part of intervals k: u is linear in s, and dx/ds = 2 u."""
        h, u = grid.s[k + 1] - grid.s[k], self.u[k]
        rise = u[:, 1] - u[:, 0]
        return self.x[k] + 2 * h * part * (u[:, 0] + part / 2 * rise), u[:, 0] + part * rise


def first_grid(limits: MotionLimits, path: Path, rests: Array) -> TimingGrid:
    """Return a grid, even between knots, with all knots and rests. `InputError` where the path cannot be followed."""
    begin, end = path.span
    is_new = np.abs(rests - path.knots[nearest_index(path.knots, rests)]) > AT_KNOT * (end - begin)
    knots = np.union1d(path.knots, rests[is_new])
    count = np.maximum(np.ceil(np.diff(knots) / (end - begin) * FIRST), LEAST).astype(int)
    parts = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(knots[:-1], knots[1:], count, strict=True)]
    s = np.append(np.concatenate(parts), end)
    # The end of an interval has the derivatives before it: at breaks they differ from those after.
    places = [rows_at(limits, path, s[:-1]), rows_at(limits, path, (s[:-1] + s[1:]) / 2)]
    places.append(rows_at(limits, path, s[1:], before=True))
    smooth, friction = (np.stack([getattr(row, part) for row, _ in places], axis=1) for part in ("smooth", "friction"))
    rows, cap = PathRows(smooth, friction, places[0][0].limit), np.stack([each for _, each in places], axis=1)
    _check(limits, s, rows, cap)
    most = _unreached(rows, end - begin)
    # Without limits of accelerations or forces the speed may jump: no stops.
    stops = np.zeros(len(s), dtype=bool)
    if len(rows.limit):
        stops[[0, -1]] = True
        stops[np.searchsorted(s, _corners(limits, path))] = True
        stops[nearest_index(s, rests)] = True
    return TimingGrid(s, rows, np.minimum(cap, most), stops, most)


def halvings(off: Array, tolerance: float) -> Ints:
    """Return the number of parts (n,) of intervals with deviations `off` (n,), a power of two: more than one above the
    tolerance.

    The deviation of a halved interval is estimated, not evaluated: a quarter, by the second order of the profile.
    """
    sudden = SUDDEN if (off > tolerance).mean() > RARE else np.inf
    count = sum((off > tolerance * 4**k).astype(int) for k in range(ROUNDS))
    return np.asarray(2 ** np.where(off > sudden, np.minimum(count, 1), count))


def _past(rows: PathRows, cap: Array, x: Array, u: Array) -> Array:
    """Largest utilisation of a limit minus one, at n parameters: positive where a limit is exceeded."""
    v = np.sqrt(np.maximum(x, 0.0))
    m, c, g = np.moveaxis(rows.smooth, -1, 0)
    value = m * u[:, None] + c * x[:, None] + g
    if rows.friction.shape[1]:
        d, e, k = np.moveaxis(rows.friction, -1, 0)
        value = value + d * v[:, None] + e * np.tanh(k * v[:, None])
    used = np.max(np.abs(value) / rows.limit, axis=1, initial=0.0)
    return np.asarray(np.maximum(used, v / np.sqrt(cap)) - 1.0)


def divided(grid: TimingGrid, limits: MotionLimits, path: Path, parts: Ints) -> TimingGrid:
    """Return the grid with intervals divided into parts (n,), each a power of two; rows are evaluated at new places
    only."""
    index = np.repeat(np.arange(len(parts)), parts)
    number = np.arange(len(index)) - np.repeat(np.cumsum(parts) - parts, parts)
    low, step = grid.s[index], np.diff(grid.s)[index] / parts[index]
    # Middles of all parts are new; of the ends between parts all but the old middle.
    middle, inner = np.flatnonzero(parts[index] > 1), np.flatnonzero(number > 0)
    is_old = 2 * number[inner] == parts[index[inner]]
    new = inner[~is_old]
    ends = low + step * number
    ends[inner[is_old]] = (grid.s[:-1] + np.diff(grid.s) / 2)[index[inner[is_old]]]
    found, cap = rows_at(limits, path, np.concatenate([(low + step * (number + 0.5))[middle], ends[new]]))
    cap = np.minimum(cap, grid.most)[:, None]
    feasible_batch(PathRows(found.smooth[:, None], found.friction[:, None], found.limit), cap)
    of_old = index[inner[is_old]]
    whole = []
    for old, values in (
        (grid.rows.smooth, found.smooth),
        (grid.rows.friction, found.friction),
        (grid.cap, cap[:, 0]),
    ):
        part = np.repeat(old, parts, axis=0)
        part[middle, 1], part[new, 0] = values[: len(middle)], values[len(middle) :]
        part[inner[is_old], 0] = old[of_old, 1]
        part[inner - 1, 2] = part[inner, 0]
        whole.append(part)
    stops = np.zeros(len(ends) + 1, dtype=bool)
    stops[np.append(0, np.cumsum(parts))] = grid.stops
    return TimingGrid(
        np.append(ends, grid.s[-1]), PathRows(whole[0], whole[1], grid.rows.limit), whole[2], stops, grid.most
    )


def _unreached(rows: PathRows, span: float) -> float:
    """`UNREACHED` times the largest x = 2 u span that the rows allow from rest."""
    if not len(rows.limit):
        return ENDLESS
    m, g = np.abs(rows.smooth[..., 0]), np.abs(rows.smooth[..., 2])
    with np.errstate(divide="ignore"):
        u = np.min((rows.limit + g) / m, axis=2)
    return UNREACHED * 2 * span * float(u[np.isfinite(u)].max(initial=0.0))


def _corners(limits: MotionLimits, path: Path) -> Array:
    """Breaks at which joint rates jump: there only rest has a finite acceleration."""
    sides = [path(path.breaks, before=before) for before in (True, False)]
    before, after = (joint_rates(limits.machine, X, V) for X, V, _ in sides)
    jump = np.abs(after - before).max(axis=1)
    return path.breaks[jump > CORNER * (np.abs(after) + np.abs(before)).max(axis=1)]


def _check(limits: MotionLimits, s: Array, rows: PathRows, cap: Array) -> None:
    """Lower `cap` to the x that accelerations and forces allow; `InputError` where there is none, or no upper limit."""
    feasible_batch(rows, cap)
    if np.isnan(cap).any():
        k, end = np.argwhere(np.isnan(cap))[0]
        at_rest = rows.smooth[k, end, -6:, 2]  # g of the force rows, which are last: the forces at rest
        leg = int(np.argmax(np.abs(at_rest) / rows.limit[-6:]))
        unit = "N" if limits.machine.legs.joint == "length" else "N m"
        raise InputError(
            f"the path cannot be followed at s = {s[k]:.6g}: at rest leg {leg + 1} needs "
            f"{abs(at_rest[leg]):.6g} {unit}, allowed {rows.limit[leg - 6]:.6g} {unit}"
        )
    unbound = (cap >= ENDLESS) & ~(np.abs(rows.smooth[..., 0]) > 0).any(axis=2)
    if unbound.any():
        k = int(np.argmax(unbound.any(axis=1)))
        raise InputError(
            f"the motion is unlimited at s = {s[k]:.6g}: specify limits.joint_speed or "
            "limits.joint_acceleration in the machine's file, or a feed"
        )


PASSES = 60
"""Largest number of passes."""
INSTANT = 1e-8
"""Part of the duration below which an interval is not bisected: it is a switch from one limit to another."""
SWITCH = 0.05
"""The same as a part of the tolerance and of the mean time from knot to knot, where no limit is exceeded."""
MOST_INTERVALS, MOST_PER_KNOT = 200_000, 40
"""Largest number of intervals, and for each knot if these are more; where they do not suffice, the motion is slower,
and `TimedPath.within` states the accuracy of the result."""
CHECKS = 3
"""Largest number of passes that look between the grid's places before the grid is accepted."""
FULL = 0.9
"""Part of them after which only switches are refined."""
RESERVE = 0.3
"""Part of the tolerance allowed at the samples, so that the rest covers what lies between."""


@checks_arguments
def time_optimal(
    machine: Machine,
    path: Path,
    *,
    stops: ArrayLike = (),
    tolerance: float = 1e-6,
    progress: Progress = None,
    **limits: Unpack[LimitsGiven],
) -> TimedPath:
    """Compute the time-optimal motion along a path within limits of speed, acceleration and force (Pham and Pham 2018,
    TOPP-RA).

    It begins and ends at rest, and stops at corners, where the joints' rates would jump; where neither accelerations
    nor forces are limited it needs no rest and runs at full speed from begin to end.

    Parameters
    ----------
    machine : Machine
        Its limits apply where arguments are omitted.
    path : Path
        Of the platform in the base.
    stops : (m,) array
        Further parameters at which it rests.
    tolerance : float
        By which the utilisation of the binding limit may fall short of one. Where the grid's samples exceed a limit,
        the whole motion is slowed down accordingly. The work grows with one over its root: for a part program of a
        thousand lines 1e-3 takes seconds.
    progress : callable, optional
        Called with the number of passes done and the largest number there may be.
    **limits
        joint_speed, joint_acceleration, actuator_force, feed, turn_feed, point and wrench, as in `motion_limits`. A
        feed is kept as a constant speed of the tool tip wherever the other limits allow it.

    Returns
    -------
    TimedPath
        A motion; `.limit_utilisation()` shows which limit binds when, `gough.plot.timing` draws it.

    Raises
    ------
    InputError
        Nothing limits the motion somewhere, a leg cannot close on the path, or an actuator cannot hold the machine.

    """
    kept = motion_limits(machine, **limits)
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance {tolerance:g}: expected a number between 0 and 1")
    rests = path.inside("stops", of_shape("stops", stops, "(m,)"))
    return _refined_until(kept, path, rests, tolerance, progress)


def _refined_until(limits: MotionLimits, path: Path, rests: Array, tolerance: float, progress: Progress) -> TimedPath:
    """The time-optimal motion on a grid refined until the deviations are within the tolerance."""
    grid, enough, checks = first_grid(limits, path, rests), RESERVE * tolerance, 0
    found = SpeedProfile.unknown(len(grid.cap))
    most = max(MOST_INTERVALS, MOST_PER_KNOT * len(path.knots))
    # Without limits of accelerations or forces the speed jumps at switches: they are located as instants.
    short = SWITCH * tolerance / (len(path.knots) - 1) if len(grid.rows.limit) else 0.0
    for done in range(PASSES):
        failed = found.solve(grid)
        if progress is not None:
            progress(done, PASSES)
        if failed >= 0:
            if done == PASSES - 1:
                raise InputError(f"no profile within the limits was found past s = {grid.s[failed]:.6g}")
            # A profile may exist that a coarse grid misses, where limits vary sharply: refine about the failure.
            near = np.abs(np.arange(len(grid.cap)) - failed) <= 2
            grid = divided(grid, limits, path, np.where(near, 2**ROUNDS, 1))
            found = SpeedProfile.unknown(len(grid.cap))
            continue
        time, past = durations(grid.s, np.sqrt(found.x), found.u), found.past[:3]
        off = _deviations(time, past, enough, short)
        # Near the largest number of intervals only the largest deviations are refined.
        is_full = len(off) > FULL * most
        cut = max(enough, SUDDEN) if is_full else enough
        # The quarters cost evaluations of the path: only before the grid is accepted.
        if not (off > cut).any() or done == PASSES - 1:
            found.look_between(grid, limits, path)
            past, checks = found.past, checks + 1
            off = _deviations(time, past, enough, short)
        within = float(off.max())
        room = max(0, most - len(off)) // 8  # an interval may be halved three times at once
        if not is_full and int((off > enough).sum()) > room:
            # Switches, whose deviations are larger than SUDDEN, are bisected only once in a pass.
            cut = min(float(np.partition(off, -room - 1)[-room - 1]), SUDDEN)
        if not (off > cut).any() or checks == CHECKS or done == PASSES - 1:
            break
        parts = halvings(off, cut)
        grid, found = divided(grid, limits, path, parts), found.divided(parts)
    if progress is not None:
        progress(PASSES, PASSES)
    # Scaling time by 1 + over: speeds fall with it, accelerations with its square, forces towards those at rest.
    over = float(past[:, ~_is_instant(time, INSTANT)].max(initial=0.0))
    slow = (1 + over) ** -2
    return TimedPath(path, Profile.of(grid.s, found.x * slow, found.u * slow), limits, within + 2 * over)


def _deviations(time: Array, past: Array, enough: float, short: float) -> Array:
    """Deviations (n,) of intervals with durations `time` (n,), from utilisations less one, `past` (k, n); zero at
    switches from one limit to another: instants, and intervals `short` as parts of the duration where none is exceeded.

    Where no limit is exceeded deviations are negligible too if all of them together last for a negligible time.
    """
    # Infinite durations: a grid too coarse for any profile but rest.
    off = np.where(np.isfinite(time), np.abs(past).max(axis=0), 1.0)
    is_kept = (past.max(axis=0) <= enough) & np.isfinite(time)
    off = np.where(_is_instant(time, INSTANT) | (is_kept & _is_instant(time, short)), 0.0, off)
    is_rest = is_kept & (off > enough) & (short > 0.0)
    return np.where(is_rest & _is_instant(time[is_rest].sum(), enough, time), 0.0, off)


def _is_instant(time: ArrayLike, part: float, whole: Array | None = None) -> NDArray[np.bool_]:
    """Whether durations are at most a part of the sum of durations, of those in `whole` where given."""
    of = np.asarray(time if whole is None else whole)
    return np.asarray(time <= part * of[np.isfinite(of)].sum())
