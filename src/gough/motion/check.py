"""Whether a path keeps every limit of a machine, all along: proven, refuted with its place, or left open.

An interval of the path is proven when bounds of every margin over it (`gough.regions.ball_bounds`) are above zero. They
rest on bounds of the path's own derivatives (`Path.rates`): from the middle of an interval of half width h a point at
the distance |b| from the platform's origin moves by no more than the lesser of

    h (|v| + |w| |b|)      and      h |b'| + h^2 / 2 (|a| + |alpha| |b| + |w|^2 |b|)

with b' its velocity in the middle. Intervals that are neither proven nor refuted are halved. Of uncertain poses see
`gough.motion.tube`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array, Bools, Progress
from gough.checks.arguments import checks_arguments
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.limits.margins import margins
from gough.limits.table import LimitTable, limit_table
from gough.machine import Machine
from gough.motion.heads.kinematics import head_columns
from gough.motion.heads.motion import HeadSpline, joint_bounds, margins_along
from gough.motion.path_check import BROKEN, KEPT, OPEN, Intervals, Leaves, PathCheck, verdict
from gough.motion.paths.function import FunctionPath
from gough.motion.paths.path import Path, Rates, carried
from gough.motion.planned_path import PlannedPath
from gough.motion.timing.timed_path import TimedPath
from gough.motion.tube import Tube
from gough.motion.uncertainty import Spreads, Uncertainty, UncertaintyLike
from gough.regions.ball_bounds import PoseBalls, margin_bounds
from gough.regions.halving import halve_open
from gough.regions.motions import ROUND_OFF
from gough.regions.rods import strut_bounds

MOST = 400_000
"""Intervals looked at before the rest is left open."""
SAMPLES = 2001
"""Places looked at on a path of which no bounds are known."""
CONFIDENCE = 0.95
"""Part of all draws with a covariance that are in its ellipsoid."""
PARTS = 1000
"""In which progress counts."""
ROUNDING = 1 + 1e-12


@checks_arguments
def check_path(
    machine: Machine,
    path: Path | TimedPath | Motion,
    *,
    head: HeadSpline | None = None,
    uncertainty: UncertaintyLike | None = None,
    confidence: float = CONFIDENCE,
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
    uncertainty : float, (2,), (k, 3) or (6, 6) array, or callable, optional
        How far the poses may be from the path's; every pose of this tube is checked. The point of interest by a
        distance [m], and turned by an angle [rad] about any axis, both at a time; or (k, 3), these after a parameter of
        the path, linear between (a tracking error that was measured). Or the covariance of displacements [v, w] of the
        point of interest in base axes [m, rad]. Or a function of poses (n, 4, 4) that gives distances (n,), both (n, 2)
        or covariances (n, 6, 6), as of `gough.calibration.pose_covariance`: linear between knots and 64 places more.
    confidence : float
        Of covariances: the part of all draws of a normal distribution that is in the ellipsoid which is checked.
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
        With an `uncertainty` stretches are "broken" where a pose of the tube breaks a limit, and name the worst found.

    Raises
    ------
    InputError
        A head's motion for a machine without a head; an uncertainty below zero, or of a path without bounds; no
        covariance; a confidence that is not between 0 and 1. A path that a limit or a leg stops is a verdict, not an
        error.
    ShapeError
        An uncertainty of another shape.

    """
    if isinstance(path, TimedPath):
        path = path.path
    elif not isinstance(path, Path):
        path = FunctionPath(path, path.span)
    if head is None and isinstance(path, PlannedPath):
        head = path.head
    table, low, high, is_proof = limit_table(machine), *_pieces(path)
    known = None if uncertainty is None else Uncertainty.of(uncertainty, path, confidence)
    tube = None if known is None else Tube(machine, known)
    if tube is not None and not is_proof:
        raise InputError("uncertainty: of this path no bounds are known, so that its tube cannot be proven")
    if known is not None:
        inside = known.s[(known.s > low[0]) & (known.s < high[-1])]
        places = np.unique(np.concatenate([low, high[-1:], inside]))
        low, high = places[:-1], places[1:]
    span, looked, decided = path.span[1] - path.span[0], 0, 0.0
    leaves: list[Leaves] = []

    def judge(intervals: Intervals) -> Leaves:
        nonlocal looked, decided, tube
        low, high = intervals
        if is_proof:
            found, is_fine = _judged(machine, table, path, head, tube, low, high)
        else:
            found, is_fine = _sampled(machine, path, head, low, high), np.zeros(len(low), dtype=bool)
        if tube is not None and (found.state == BROKEN).any():
            tube = replace(tube, tried=0)
        is_leaf = (found.state != OPEN) | (high - low <= tolerance * span) | is_fine
        leaves.append(found[is_leaf])
        looked, decided = looked + len(low), decided + float(np.sum((high - low)[is_leaf]))
        if progress is not None:
            progress(min(PARTS, round(PARTS * decided / span)), PARTS)
        return found[~is_leaf]

    leaves.append(halve_open(Intervals(low, high), judge, Leaves.halves, most, 2))
    beside = () if head is None else tuple(column for _, column in head_columns(machine))
    return verdict(machine, path, table.columns + beside, leaves, looked, is_proof, 4 * tolerance * span, tube)


def _pieces(path: Path) -> tuple[Array, Array, bool]:
    """Where the first intervals begin and end, and whether bounds are known between their ends; else many of them."""
    low, high = path.knots[:-1], path.knots[1:]
    if path.rates(low, high) is not None:
        return low, high, True
    s = path.samples(SAMPLES)
    return s[:-1], s[1:], False


def _judged(
    machine: Machine,
    table: LimitTable,
    path: Path,
    head: HeadSpline | None,
    tube: Tube | None,
    low: Array,
    high: Array,
) -> tuple[Leaves, Bools]:
    """What bounds say of intervals (n,), and which are so short that halves would say no more."""
    s, h = (low + high) / 2, (high - low) / 2 * ROUNDING
    X, V, _ = path(s)
    rates = path.rates(low, high)
    assert rates is not None
    values = margins(machine, X).values
    least, most = margin_bounds(machine, table, _balls(machine, X, V, rates, h), values)
    is_fine = np.zeros(len(s), dtype=bool)
    if tube is not None:
        near = tube.uncertainty.over(low, high)
        values, least, most, is_fine = _around(table, tube, near, X, V, rates, h, values, most)
    if head is not None:
        own, beside = (values, least, most), joint_bounds(head_columns(machine), head, low, high)
        values, least, most = (np.concatenate(parts, axis=1) for parts in zip(own, beside, strict=True))
    is_kept, is_broken = (least > 0).all(axis=1), (most < 0).any(axis=1)
    state = np.where(is_kept, KEPT, np.where(is_broken, BROKEN, OPEN))
    return Leaves(low, high, s, state, values, least), is_fine


def _around(
    table: LimitTable,
    tube: Tube,
    near: Spreads,
    X: Array,
    V: Array,
    rates: Rates,
    h: Array,
    values: Array,
    most: Array,
) -> tuple[Array, Array, Array, Bools]:
    """Margins, their lower bounds over a tube and intervals, and upper bounds along displaced paths in it (n, k); which
    intervals are as short as matters."""
    m, c, least = tube.machine, tube.point, np.full_like(values, -np.inf)
    shift, turn = _moved(X, V, rates, h, c[None])[1][:, 0], h * rates.w * ROUNDING
    at = np.flatnonzero(~(most < 0).any(axis=1))
    if len(at):
        here = near.chosen(at)
        bounds = tube.bounds(X[at], shift[at], turn[at], here)
        least[at] = bounds.lower
        Y, _, found = tube.lowest(X[at], bounds.slope, here)
        there = margins(m, Y).values
        swept = Rates(*(bound[at] for bound in rates))
        _, above = margin_bounds(m, table, _balls(m, Y, *_displaced(X[at], Y, V[at], swept, c), h[at]), there)
        is_open = ~(bounds.lower > 0).all(axis=1) & ~(above < 0).any(axis=1)
        for i, lower in tube.halved(X, shift, turn, near, at[is_open]):
            least[i] = np.maximum(lower, np.finfo(float).tiny)  # no limit is crossed
        values[at], most[at] = np.fmin(values[at], np.fmin.reduce(found, axis=1)), np.fmin(most[at], above)
    return values, least, most, tube.is_wide(shift, turn, near)


def _displaced(X: Array, Y: Array, V: Array, rates: Rates, point: Array) -> tuple[Array, Rates]:
    """Twists (n, 6) at Y, and bounds of the rates, of the path through X displaced by what leads from X to Y: its point
    goes as before, about which it is turned."""
    R, R_Y = X[:, :3, :3], Y[:, :3, :3]
    w = (R_Y @ np.swapaxes(R, 1, 2) @ V[:, 3:, None])[..., 0]
    v = V[:, :3] + np.cross(V[:, 3:], R @ point) - np.cross(w, R_Y @ point)
    lever = 2 * float(np.linalg.norm(point))
    faster = carried(lever, rates.w), carried(lever, rates.alpha + rates.w**2)
    return np.concatenate([v, w], axis=1), Rates(rates.v + faster[0], rates.w, rates.a + faster[1], rates.alpha)


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
    velocity, moved, speed, bend = _moved(X, V, rates, h, np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]]))
    h = h[:, None]
    along = h * np.abs(velocity[:, 6]) + h**2 / 2 * bend[:, 6:]
    return PoseBalls(
        X=X,
        joints=moved[:, :6],
        tool=np.minimum(h * speed[:, 6:], along),
        turn=h[:, 0] * rates.w * ROUNDING,
        stretch=_stretch(machine, X, velocity[:, :6], speed[:, :6], bend[:, :6], h),
    )


def _moved(X: Array, V: Array, rates: Rates, h: Array, points: Array) -> tuple[Array, Array, Array, Array]:
    """Velocities (n, k, 3) of platform points (k, 3) in the middle; how far they go from there at the most (n, k), and
    bounds of their speeds and accelerations (n, k)."""
    arms = points @ np.swapaxes(X[:, :3, :3], 1, 2)
    length = np.linalg.norm(arms, axis=-1)
    velocity = V[:, None, :3] + np.cross(V[:, None, 3:], arms)
    v, w, a, alpha = (bound[:, None] * ROUNDING for bound in rates)
    speed, bend = v + carried(length, w), a + carried(length, alpha + w**2)
    h = h[:, None]
    moved = np.minimum(h * speed, h * np.linalg.norm(velocity, axis=-1) + h**2 / 2 * bend)
    return velocity, moved, speed, bend


def _stretch(machine: Machine, X: Array, velocity: Array, speed: Array, bend: Array, h: Array) -> Array:
    """Most by which a strut's length changes, as `gough.regions.rods` bounds it. Rods: infinite."""
    if machine.legs.rod() is not None:
        return np.full_like(speed, np.inf)
    d = X[:, None, :3, 3] + machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) - machine.legs.rest()
    length = np.linalg.norm(d, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.sum(velocity * d, axis=-1) / length
        fast = np.linalg.norm(velocity, axis=-1)
        across = np.sqrt(np.maximum(fast**2 - along**2, 0.0) + ROUND_OFF * fast**2) / length
        b1 = np.minimum(h * speed, h * fast + h**2 * bend) * ROUNDING
        _, _, q2, _, _ = strut_bounds(length, b1, h**2 * bend, h * np.abs(along), h * across)
    return np.asarray(h * (np.abs(along) + ROUND_OFF * fast) + q2 / 2)
