"""Whether a path keeps every limit of a machine, all along: proven, refuted with its place, or left open.

An interval of the path is proven when bounds of every margin over it (`gough.regions.ball_bounds`) are above zero. They
rest on bounds of the path's own derivatives (`Path.rates`). Intervals that are neither proven nor refuted are halved.
Of uncertain poses see `gough.motion.tube`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gough.arrays import Aligned, Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.limits.margins import limit_sentence, margins
from gough.limits.table import Column, LimitTable, limit_table
from gough.machine import Machine
from gough.motion.heads.kinematics import head_columns
from gough.motion.heads.motion import HeadSpline, joint_bounds, margins_along
from gough.motion.path import Path
from gough.motion.path_check import PathCheck, Violation
from gough.motion.planned_path import PlannedPath
from gough.motion.smooth import FunctionPath
from gough.motion.timed_path import TimedPath
from gough.motion.tube import Tube, margins_around
from gough.motion.uncertainty import Uncertainty, UncertaintyLike
from gough.regions.ball_bounds import ROUNDING, balls_along, margin_bounds
from gough.regions.halving import halve_open

MOST = 400_000
"""Intervals looked at before the rest is left open."""
SAMPLES = 2001
"""Places looked at on a path of which no bounds are known."""
CONFIDENCE = 0.95
"""Part of all draws with a covariance that are in its ellipsoid."""
PARTS = 1000
"""In which progress counts."""
KEPT, BROKEN, OPEN = 0, 1, 2


class Intervals(NamedTuple):
    """Intervals of a path, from `low` to `high` (n,)."""

    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, eq=False)
class Leaves(Aligned):
    """Intervals of a path from `low` to `high` (n,), what is known of each, and margins (n, k) at a place s in each,
    with their lower bounds over it."""

    low: Array
    high: Array
    s: Array
    state: Ints
    values: Array
    least: Array

    def halves(self) -> Intervals:
        """Both halves of each."""
        middle = (self.low + self.high) / 2
        return Intervals(np.concatenate([self.low, middle]), np.concatenate([middle, self.high]))


def verdict(
    machine: Machine,
    path: Path,
    columns: tuple[Column, ...],
    parts: list[Leaves],
    looked: int,
    is_proof: bool,
    seam: float,
    tube: Tube | None = None,
) -> PathCheck:
    """The check's result from its intervals; open ones narrower than `seam` beside a broken one belong to it."""
    leaves = Leaves.joined(parts)
    leaves = leaves[np.argsort(leaves.low)]
    state = leaves.state.copy()
    # A place where a limit is broken refutes the interval about it, however narrow the broken part may be.
    state[(state == OPEN) & (leaves.values < 0).any(axis=1)] = BROKEN
    runs = np.split(np.arange(len(state)), np.flatnonzero(np.diff(state)) + 1)
    broken: list[Violation] = []
    unproven: list[Violation] = []
    for k, run in enumerate(runs):
        if state[run[0]] == BROKEN:
            broken.append(_stretch(machine, path, columns, leaves[run], tube, is_broken=True))
        elif state[run[0]] == OPEN:
            beside = [state[runs[n][0]] == BROKEN for n in (k - 1, k + 1) if 0 <= n < len(runs)]
            if not (any(beside) and leaves.high[run[-1]] - leaves.low[run[0]] <= seam):
                unproven.append(_stretch(machine, path, columns, leaves[run], tube, is_broken=False))
    if not broken:  # descent in a tube may find what breaks a limit
        broken = [stretch for stretch in unproven if stretch.worst < 0]
        unproven = [stretch for stretch in unproven if not stretch.worst < 0]
    fine = "kept" if is_proof else "sampled"
    found = "broken" if broken else "unproven" if unproven else fine
    with np.errstate(invalid="ignore"):
        least = np.fmin.reduce(leaves.values, axis=0)
    radii, confidence = ((0.0, 0.0), None) if tube is None else (tube.radii, tube.uncertainty.confidence)
    stretches = tuple(broken), tuple(unproven)
    return PathCheck(
        found, stretches[0], stretches[1], least, columns, looked, path, machine, radii, confidence  # type: ignore[arg-type]
    )  # fmt: skip


def _stretch(
    machine: Machine,
    path: Path,
    columns: tuple[Column, ...],
    leaves: Leaves,
    tube: Tube | None,
    *,
    is_broken: bool,
) -> Violation:
    """One run of intervals."""
    scale = np.array([column.scale for column in columns])
    judged = leaves.values if is_broken else leaves.least
    relative = np.where(np.isnan(judged), np.inf, judged / scale)
    concerned = np.where(relative < 0, relative, np.inf)
    entry = concerned[int(np.argmax(np.isfinite(concerned).any(axis=1)))]
    first = int(np.argmin(entry))
    others = [int(c) for c in np.flatnonzero(np.isfinite(concerned).any(axis=0)) if c != first]
    place = int(np.nanargmin(np.where(np.isnan(leaves.values[:, first]), np.inf, leaves.values[:, first])))
    at, worst = float(leaves.s[place]), float(leaves.values[place, first])
    pose = path(at)[0]
    if tube is not None and first < len(limit_table(machine).columns):
        pose, worst = tube.worst(pose, at, first)
    return Violation(
        start=float(leaves.low[0]),
        end=float(leaves.high[-1]),
        limits=tuple(columns[c].name for c in (first, *others)),
        legs=columns[first].legs,
        worst=worst,
        at=at,
        pose=pose,
        sentence=limit_sentence(machine, columns[first], worst),
    )


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
    s, h = (low + high) / 2, (high - low) / 2 * (1 + ROUNDING)
    X, V, _ = path(s)
    rates = path.rates(low, high)
    assert rates is not None
    values = margins(machine, X).values
    least, most = margin_bounds(machine, table, balls_along(machine, X, V, rates, h), values)
    is_fine = np.zeros(len(s), dtype=bool)
    if tube is not None:
        near = tube.uncertainty.over(low, high)
        values, least, most, is_fine = margins_around(table, tube, near, X, V, rates, h, values, most)
    if head is not None:
        own, beside = (values, least, most), joint_bounds(head_columns(machine), head, low, high)
        values, least, most = (np.concatenate(parts, axis=1) for parts in zip(own, beside, strict=True))
    is_kept, is_broken = (least > 0).all(axis=1), (most < 0).any(axis=1)
    state = np.where(is_kept, KEPT, np.where(is_broken, BROKEN, OPEN))
    return Leaves(low, high, s, state, values, least), is_fine


def _sampled(machine: Machine, path: Path, head: HeadSpline | None, low: Array, high: Array) -> Leaves:
    """What the ends of intervals (n,) say: kept or broken where both are, open where a limit is crossed between."""
    ends = [margins_along(machine, path(s)[0], head, s).values for s in (low, high)]
    begin, end = ((values >= 0).all(axis=1) for values in ends)
    state = np.where(begin & end, KEPT, np.where(begin != end, OPEN, BROKEN))
    worse = np.asarray(begin & ~end)
    values = np.where(worse[:, None], ends[1], ends[0])
    return Leaves(low, high, np.where(worse, high, low), state, values, values)
