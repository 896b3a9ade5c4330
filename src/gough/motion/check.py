"""Whether a path keeps every limit of a machine, all along: proven, refuted with its place, or left open.

An interval of the path is proven when bounds of every margin over it (`gough.regions.ball_bounds`) are above zero. They
rest on bounds of the path's own derivatives (`Path.rates`): from the middle of an interval of half width h a point at
the distance |b| from the platform's origin moves by no more than the lesser of

    h (|v| + |w| |b|)      and      h |b'| + h^2 / 2 (|a| + |alpha| |b| + |w|^2 |b|)

with b' its velocity in the middle. Intervals that are neither proven nor refuted are halved.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.motions import Motion
from gough.kinematics.rates import joint_rates
from gough.limits.margins import margins
from gough.limits.table import LimitTable, limit_table
from gough.machine import Machine
from gough.motion.heads.kinematics import head_columns
from gough.motion.heads.motion import HeadSpline, joint_bounds, margins_along
from gough.motion.path_check import BROKEN, KEPT, OPEN, Leaves, PathCheck, verdict
from gough.motion.paths.function import FunctionPath
from gough.motion.paths.path import Path, Rates, carried
from gough.motion.planned_path import PlannedPath
from gough.motion.timing.timed_path import TimedPath
from gough.regions.ball_bounds import PoseBalls, margin_bounds

Progress = Callable[[int, int], None] | None

MOST = 400_000
"""Intervals looked at before the rest is left open."""
SAMPLES = 2001
"""Places looked at on a path of which no bounds are known."""
PARTS = 1000
"""In which progress counts."""
ROUNDING = 1 + 1e-12


@checks_arguments
def check_path(
    machine: Machine,
    path: Path | TimedPath | Motion,
    *,
    head: HeadSpline | None = None,
    tolerance: float = 1e-9,
    most: int = MOST,
    progress: Progress = None,
) -> PathCheck:
    """Check a path against every limit of a machine, between samples too.

    Travel, reach, cones, plate angles, clearance of legs, box, radius, tilt and rotation of the tool, closeness to a
    singularity: all that `gough.margins` knows.

    Parameters
    ----------
    machine : Machine
    path : Path, TimedPath or Motion
        Of the platform in the base, see `gough.motion.in_frame` for others. Of a timed path its path; any other motion
        in time is sampled.
    head : HeadSpline, optional
        Joints of a tool head that moves along, over the path's parameter, which has their knots: their limits are
        checked besides. A plan's own where none is given.
    tolerance : float
        To which the places are found where a limit is crossed, as part of the span.
    most : int
        Intervals looked at before what is left is called unproven.
    progress : callable, optional
        Called with how many thousandths of the path are decided, and a thousand.

    Returns
    -------
    PathCheck
        "kept" is proven in double precision, with bounds widened by 1e-12 of each limit's scale. A path that touches a
        limit without crossing it is neither proven nor refuted, the place is named. A path of which no bounds are known
        (a function without `rates`, a motion in time) is sampled only, and the verdict says so.

    Raises
    ------
    InputError
        A head's motion for a machine without a head. A path that a limit or a leg stops is a verdict, not an error.

    """
    if isinstance(path, TimedPath):
        path = path.path
    elif not isinstance(path, Path):
        path = FunctionPath(path, path.span)
    if head is None and isinstance(path, PlannedPath):
        head = path.head
    table = limit_table(machine)
    low, high = path.knots[:-1], path.knots[1:]
    is_proof = path.rates(low, high) is not None
    if not is_proof:
        s = path.samples(SAMPLES)
        low, high = s[:-1], s[1:]
    span = path.span[1] - path.span[0]
    leaves: list[Leaves] = []
    looked, decided = 0, 0.0
    while len(low):
        found = _judged(machine, table, path, head, low, high) if is_proof else _sampled(machine, path, head, low, high)
        looked += len(low)
        is_leaf = (found.state != OPEN) | (high - low <= tolerance * span)
        if looked + 2 * int((~is_leaf).sum()) > most:
            is_leaf[:] = True
        leaves.append(found[is_leaf])
        middle = (low + high)[~is_leaf] / 2
        low, high = np.concatenate([low[~is_leaf], middle]), np.concatenate([middle, high[~is_leaf]])
        decided += float(np.sum(leaves[-1].high - leaves[-1].low))
        if progress is not None:
            progress(min(PARTS, round(PARTS * decided / span)), PARTS)
    beside = () if head is None else tuple(column for _, column in head_columns(machine))
    return verdict(machine, path, table.columns + beside, leaves, looked, is_proof, 4 * tolerance * span)


def _judged(
    machine: Machine, table: LimitTable, path: Path, head: HeadSpline | None, low: Array, high: Array
) -> Leaves:
    """What bounds say of intervals (n,)."""
    s, h = (low + high) / 2, (high - low) / 2 * ROUNDING
    X, V, _ = path(s)
    rates = path.rates(low, high)
    assert rates is not None
    values = margins(machine, X).values
    least, most = margin_bounds(machine, table, _balls(machine, X, V, rates, h), values)
    if head is not None:
        own, beside = (values, least, most), joint_bounds(head_columns(machine), head, low, high)
        values, least, most = (np.concatenate(parts, axis=1) for parts in zip(own, beside, strict=True))
    is_kept, is_broken = (least > 0).all(axis=1), (most < 0).any(axis=1)
    state = np.where(is_kept, KEPT, np.where(is_broken, BROKEN, OPEN))
    return Leaves(low, high, s, state, values, least)


def _sampled(machine: Machine, path: Path, head: HeadSpline | None, low: Array, high: Array) -> Leaves:
    """What the ends of intervals (n,) say: kept or broken where both are, open where a limit is crossed between."""
    ends = [margins_along(machine, path(s)[0], head, s).values for s in (low, high)]
    begin, end = ((values >= 0).all(axis=1) for values in ends)
    state = np.where(begin & end, KEPT, np.where(begin != end, OPEN, BROKEN))
    worse = np.asarray(begin & ~end)
    values = np.where(worse[:, None], ends[1], ends[0])
    return Leaves(low, high, np.where(worse, high, low), state, values, values)


def _balls(machine: Machine, X: Array, V: Array, rates: Rates, h: Array) -> PoseBalls:
    """How far everything moves within h of the middle, at the most."""
    R, tool = X[:, :3, :3], machine.X_PT[:3, 3]
    arms = np.concatenate([machine.b_P, tool[None]]) @ np.swapaxes(R, 1, 2)
    length = np.linalg.norm(arms, axis=-1)
    velocity = V[:, None, :3] + np.cross(V[:, None, 3:], arms)
    v, w, a, alpha = (bound[:, None] * ROUNDING for bound in rates)
    speed, bend = v + carried(length, w), a + carried(length, alpha + w**2)
    h = h[:, None]
    first, second = h * speed, h**2 / 2 * bend
    moved = np.minimum(first, h * np.linalg.norm(velocity, axis=-1) + second)
    along = h * np.abs(velocity[:, 6]) + second[:, 6:]
    return PoseBalls(
        X=X,
        joints=moved[:, :6],
        tool=np.minimum(first[:, 6:], along),
        turn=h[:, 0] * w[:, 0],
        stretch=_stretch(machine, X, V, speed[:, :6], bend[:, :6], h, moved[:, :6]),
    )


def _stretch(machine: Machine, X: Array, V: Array, speed: Array, bend: Array, h: Array, moved: Array) -> Array:
    """Most by which a strut's length changes: h |L'| + h^2 / 2 L'' with L'' <= |b''| + |b'|^2 / L. Rods: infinite."""
    if machine.legs.rod() is not None:
        return np.full_like(moved, np.inf)
    b_B = X[:, None, :3, 3] + machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2)
    shortest = np.linalg.norm(b_B - machine.legs.rest(), axis=-1) - moved
    with np.errstate(divide="ignore"):
        curvature = np.where(shortest > 0, bend + speed**2 / np.maximum(shortest, 0.0), np.inf)
    return np.asarray(h * np.abs(joint_rates(machine, X, V)) + h**2 / 2 * curvature)
