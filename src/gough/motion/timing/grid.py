"""Grids along a path: the limits at the begin, the middle and the end of intervals, each of which can be halved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.errors import InputError
from gough.kinematics.rates import joint_rates
from gough.motion.paths.path import Path
from gough.motion.timing._topp import Rows, feasible_batch
from gough.motion.timing.limits import ENDLESS, MotionLimits, rows_at
from gough.motion.timing.schedules import nearest_index

FIRST, LEAST = 200, 4
"""Intervals to begin with, and the least between two knots."""
CORNER = 1e-9
"""Jumps of joint rates below this part of their size are rounding."""
SAME = 1e-9
"""Part of the path within which a place of rest is at a knot."""
FAR = 1e4
"""How far above what accelerations allow from rest a squared speed counts as unbounded."""
ROUNDS, SUDDEN = 3, 0.01
"""An interval is halved so often in one pass, its error taken to fall by four each time; but only once where the error
is no small one: there one limit takes over from another."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Intervals of a path.

    Attributes
    ----------
    s : (n + 1,) array
        Their ends, counted from the path's begin.
    rows : Rows
        Of (n, 3, r, 3): the limits at the begin, the middle and the end of each.
    cap : (n, 3) array
        Largest squared speeds there.
    stops : (n + 1,) array
        Whether the motion rests at an end.
    most : float
        A squared speed that no motion from rest reaches, where nothing else bounds it.

    """

    s: Array
    rows: Rows
    cap: Array
    stops: NDArray[np.bool_]
    most: float

    @property
    def caps(self) -> Array:
        """Largest squared speeds at the ends (n + 1,): the lesser of both sides, zero at stops."""
        cap = np.concatenate([self.cap[:1, 0], np.minimum(self.cap[:-1, 2], self.cap[1:, 0]), self.cap[-1:, 2]])
        return np.where(self.stops, 0.0, cap)


def first_grid(limits: MotionLimits, path: Path, rests: Array) -> Grid:
    """An even grid that holds all knots and rests. `InputError` where the path cannot be followed."""
    begin, end = path.span
    knots = _with(path.knots, rests)
    count = np.maximum(np.ceil(np.diff(knots) / (end - begin) * FIRST), LEAST).astype(int)
    parts = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(knots[:-1], knots[1:], count, strict=True)]
    s = np.append(np.concatenate(parts), end)
    rows, cap = _stacked(
        [
            rows_at(limits, path, s[:-1]),
            rows_at(limits, path, (s[:-1] + s[1:]) / 2),
            rows_at(limits, path, s[1:], before=True),
        ]
    )
    _check(limits, s, rows, cap)
    most = _unreached(rows, end - begin)
    stops = np.zeros(len(s), dtype=bool)
    if len(rows.limit):
        stops[[0, -1]] = True
        stops[np.searchsorted(s, _corners(limits, path))] = True
        stops[nearest_index(s, rests)] = True
    return Grid(s - begin, rows, np.minimum(cap, most), stops, most)


def _with(knots: Array, places: Array) -> Array:
    """Knots and places together, but for those places that are at a knot."""
    is_new = np.abs(places - knots[nearest_index(knots, places)]) > SAME * (knots[-1] - knots[0])
    return np.union1d(knots, places[is_new])


def refined(grid: Grid, limits: MotionLimits, path: Path, off: Array, tolerance: float) -> Grid:
    """The grid with those intervals halved that are off (n,) by more than the tolerance, once or more often."""
    for _ in range(ROUNDS):
        chosen = off > tolerance
        if not chosen.any():
            break
        grid = _halved(grid, limits, path, chosen)
        off = np.repeat(np.where(chosen, np.where(off > SUDDEN, 0.0, off / 4), 0.0), 1 + chosen)
    return grid


def past_limits(grid: Grid, x: Array, u: Array) -> Array:
    """Largest share of a limit less one at the begins, middles and ends of the intervals (3, n)."""
    found = []
    for place, share in enumerate((0.0, 0.5, 1.0)):
        rows = Rows(grid.rows.smooth[:, place], grid.rows.friction[:, place], grid.rows.limit)
        found.append(_past(rows, grid.cap[:, place], *_between(grid, x, u, share)))
    return np.array(found)


def past_limits_between(grid: Grid, limits: MotionLimits, path: Path, x: Array, u: Array) -> Array:
    """The same at the quarters of the intervals (2, n): places the grid itself doesn't look at."""
    found = []
    for share in (0.25, 0.75):
        s = (1 - share) * grid.s[:-1] + share * grid.s[1:] + path.span[0]
        rows, cap = rows_at(limits, path, s)
        found.append(_past(rows, cap, *_between(grid, x, u, share)))
    return np.array(found)


def _between(grid: Grid, x: Array, u: Array, share: float) -> tuple[Array, Array]:
    """Squared speeds and accelerations (n,) at a share of each interval: u is linear, x' = 2 u."""
    h, rise = np.diff(grid.s), u[:, 1] - u[:, 0]
    return x[:-1] + 2 * h * share * (u[:, 0] + share / 2 * rise), u[:, 0] + share * rise


def _past(rows: Rows, cap: Array, x: Array, u: Array) -> Array:
    """Largest share of a limit less one, at n places: above zero where it is passed."""
    v = np.sqrt(np.maximum(x, 0.0))
    m, c, g = np.moveaxis(rows.smooth, -1, 0)
    value = m * u[:, None] + c * x[:, None] + g
    if rows.friction.shape[1]:
        d, e, k = np.moveaxis(rows.friction, -1, 0)
        value = value + d * v[:, None] + e * np.tanh(k * v[:, None])
    share = np.max(np.abs(value) / rows.limit, axis=1, initial=0.0)
    return np.asarray(np.maximum(share, v / np.sqrt(cap)) - 1.0)


def _halved(grid: Grid, limits: MotionLimits, path: Path, chosen: NDArray[np.bool_]) -> Grid:
    k = np.flatnonzero(chosen)
    low, high = grid.s[k], grid.s[k + 1]
    quarters = np.stack([0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high], axis=1)
    new, new_cap = rows_at(limits, path, quarters.ravel() + path.span[0])
    new_cap = np.minimum(new_cap, grid.most)[:, None]
    feasible_batch(Rows(new.smooth[:, None], new.friction[:, None], new.limit), new_cap)
    first = k + np.arange(len(k))  # place of the first half of each
    parts = []
    for old, found in (
        (grid.rows.smooth, new.smooth),
        (grid.rows.friction, new.friction),
        (grid.cap, new_cap[:, 0]),
    ):
        whole = np.repeat(old, 1 + chosen, axis=0)
        whole[first, 2] = whole[first + 1, 0] = old[k, 1]
        whole[first, 1], whole[first + 1, 1] = found[::2], found[1::2]
        parts.append(whole)
    s = np.insert(grid.s, k + 1, (low + high) / 2)
    stops = np.insert(grid.stops, k + 1, False)
    return Grid(s, Rows(parts[0], parts[1], grid.rows.limit), parts[2], stops, grid.most)


def _unreached(rows: Rows, span: float) -> float:
    """Far above twice the span times the largest acceleration the rows allow anywhere, near rest."""
    if not len(rows.limit):
        return ENDLESS
    m, g = np.abs(rows.smooth[..., 0]), np.abs(rows.smooth[..., 2])
    with np.errstate(divide="ignore"):
        u = np.min((rows.limit + g) / m, axis=2)
    return FAR * 2 * span * float(u[np.isfinite(u)].max(initial=0.0))


def _stacked(places: list[tuple[Rows, Array]]) -> tuple[Rows, Array]:
    rows = [found for found, _ in places]
    smooth, friction = (np.stack([getattr(row, name) for row in rows], axis=1) for name in ("smooth", "friction"))
    return Rows(smooth, friction, rows[0].limit), np.stack([cap for _, cap in places], axis=1)


def _corners(limits: MotionLimits, path: Path) -> Array:
    """Breaks at which joint rates jump."""
    sides = [path(path.breaks, before=before) for before in (True, False)]
    before, after = (joint_rates(limits.machine, X, V) for X, V, _ in sides)
    jump = np.abs(after - before).max(axis=1)
    return path.breaks[jump > CORNER * (np.abs(after) + np.abs(before)).max(axis=1)]


def _check(limits: MotionLimits, s: Array, rows: Rows, cap: Array) -> None:
    """Lower `cap` to what accelerations and forces allow at all; `InputError` where that is nothing, or endless."""
    feasible_batch(rows, cap)
    if np.isnan(cap).any():
        k, end = np.argwhere(np.isnan(cap))[0]
        load = rows.smooth[k, end, -6:, 2]
        leg = int(np.argmax(np.abs(load) / rows.limit[-6:]))
        unit = "N" if limits.machine.legs.joint == "length" else "N m"
        raise InputError(
            f"the path cannot be followed, at s = {s[k]:.6g}: at rest leg {leg + 1} takes {abs(load[leg]):.6g} {unit}, "
            f"allowed {rows.limit[leg - 6]:.6g} {unit}"
        )
    unbound = (cap >= ENDLESS) & ~(np.abs(rows.smooth[..., 0]) > 0).any(axis=2)
    if unbound.any():
        k = int(np.argmax(unbound.any(axis=1)))
        raise InputError(
            f"nothing limits the motion at s = {s[k]:.6g}; give joint_speed, joint_acceleration, feed or turn_feed"
        )
