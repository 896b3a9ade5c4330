"""Check of a path against every limit of a machine: proven, refuted with the parameter, or undecided.

The path is a pose of one variable: over an interval margins have lower bounds by Taylor models of its poses
(`gough.motion.path_models`). Where these do not decide the interval is bisected. For uncertain poses see
`gough.motion.tube`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Aligned, Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.dynamics.extremes import extremes
from gough.dynamics.integration import FAR
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.limits.margins import limit_sentence
from gough.limits.table import Column
from gough.machine import Machine
from gough.motion.heads.kinematics import head_columns
from gough.motion.heads.motion import HeadSpline, joint_bounds
from gough.motion.path import Path
from gough.motion.path_models import PathModels
from gough.motion.planned_path import PlannedPath
from gough.motion.smooth import FunctionPath
from gough.motion.timed_path import TimedPath
from gough.motion.tube import Tube
from gough.motion.uncertainty import Uncertainty, UncertaintyLike
from gough.present.show import counted
from gough.present.units import file_unit, in_file_units, percent
from gough.quantity import of_limits, quantity, result
from gough.regions.box_limits import limits_over
from gough.regions.boxes import halve_open
from gough.regions.proof import Verdict, WithVerdict
from gough.regions.requested import RegionLimits, RequestedLimit
from gough.results import Result

MOST_BOXES = 400_000
"""Intervals after which the rest stays undecided."""
SAMPLES = 2001
"""Samples of a path without bounds."""
FEW, PARTS = 32, 8
"""Intervals up to which each is cut into so many parts: more rounds cost more than more intervals."""
MOST_HALVED = 20_000
"""Largest number of intervals that are halved for the smallest margins of a broken part."""
CONFIDENCE = 0.95
"""Probability content of a covariance's ellipsoid."""
PROGRESS_STEPS = 1000
PROVEN, BROKEN, UNDECIDED = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Violation:
    """A part of a path on which a limit is broken, or limits are undecided.

    Attributes
    ----------
    start, end : float
        Where it begins and ends, to the tolerance of the check.
    limits : tuple of str
        The limits concerned: those broken, or those whose bounds do not prove them; the one crossed first is first.
    legs : tuple of int
        The legs of the first limit, counted from 1; none for the tool's limits and singularities.
    worst : float
        Smallest margin of the first limit on this part, in its SI unit; with an uncertainty the smallest found.
    at : float
        Parameter of that margin.
    least, places : (k,) array
        Smallest margins of all limits on this part, in SI, and their parameters; with an uncertainty those found.
    pose : (4, 4) array
        The platform's pose there; with an uncertainty the one near it with that margin.
    sentence : str
        The first limit in words, at its smallest margin.

    """

    start: float
    end: float
    limits: tuple[str, ...]
    legs: tuple[int, ...]
    worst: float
    at: float
    least: Array
    places: Array
    pose: Array
    sentence: str


@dataclass(frozen=True, eq=False)
class BrokenLimit:
    """A limit that is broken somewhere on a path.

    Attributes
    ----------
    name : str
    worst : float
        Its smallest margin, in SI.
    at : float
        Parameter of that margin.
    stretches : tuple of Violation
        Where it is broken.
    sentence : str
        The limit in words, at its smallest margin.

    """

    name: str
    worst: float
    at: float
    stretches: tuple[Violation, ...]
    sentence: str


@result
class PathCheck(WithVerdict, Result):
    """Result of the check of a path against a machine's limits.

    Attributes
    ----------
    broken, undecided : tuple of Violation
        In the order of the path.
    columns : tuple of Column
        The limits.
    path : Path
    machine : Machine
    uncertainty : (float, float)
        Largest distance [m] and angle [rad] from the path within which poses were checked.
    confidence : float or None
        Probability content of the checked ellipsoids, where the uncertainty is a covariance.

    """

    verdict: Verdict = quantity(
        "", is_listed=False,
        doc='"proven": no limit is broken anywhere. "refuted": `broken` says where limits are. "undecided": no broken '
        "limit was found, and `undecided` lists the parts that are not proven; none of a path that is only sampled.",
    )  # fmt: skip
    broken: tuple[Violation, ...]
    undecided: tuple[Violation, ...]
    least: Array = quantity(of_limits, "limit", doc="Smallest margin found of each limit.")
    columns: tuple[Column, ...]
    boxes: int = quantity("1", doc="Number of intervals of the path that were bounded, or sampled.")
    is_sampled: bool = quantity(
        "", is_listed=False, doc="Whether the path has no bounds: nothing is proven between samples."
    )
    path: Path
    machine: Machine
    uncertainty: tuple[float, float] = (0.0, 0.0)
    confidence: float | None = None

    @property
    def first_crossing(self) -> float | None:
        """Parameter at which a limit is first crossed; None if nowhere."""
        return self.broken[0].start if self.broken else None

    @property
    def broken_limits(self) -> tuple[BrokenLimit, ...]:
        """All limits that are broken, in the order in which they are crossed, each at its worst."""
        found: dict[str, list[Violation]] = {}
        for stretch in self.broken:
            for name in stretch.limits:
                found.setdefault(name, []).append(stretch)
        index = {column.name: k for k, column in enumerate(self.columns)}
        return tuple(self._broken_limit(index[name], tuple(stretches)) for name, stretches in found.items())

    def _broken_limit(self, k: int, stretches: tuple[Violation, ...]) -> BrokenLimit:
        column = self.columns[k]
        # The margin of the first limit is that of the worst pose of the tube, where poses are uncertain.
        pairs = [(v.worst, v.at) if v.limits[0] == column.name else (v.least[k], v.places[k]) for v in stretches]
        worst, at = min((float(value), float(place)) for value, place in pairs)
        return BrokenLimit(column.name, worst, at, stretches, limit_sentence(self.machine, column, worst))

    @property
    def tightest(self) -> str:
        """Name of the limit with the smallest margin relative to its scale."""
        relative = self.least / np.array([column.scale for column in self.columns])
        return self.columns[int(np.nanargmin(relative))].name

    @property
    def _tube(self) -> str:
        """The uncertainty in words."""
        if not any(self.uncertainty):
            return ""
        m, pairs = self.machine, zip(self.uncertainty, ("m", "rad"), strict=True)
        amounts = [f"{float(in_file_units(m, value, unit)):.6g} {file_unit(m, unit)}" for value, unit in pairs]
        if self.confidence is not None:
            return f" or within {percent(self.confidence, 6)} of its errors, at most {' and '.join(amounts)}"
        return f" or within {' and '.join(amounts)} of it"

    def sentence(self) -> str:
        """Describe the verdict."""
        if self.verdict == "proven":
            over = f"over {counted(self.boxes, 'interval')}"
            return f"proven: no limit of poses is crossed anywhere on the path{self._tube}, {over}"
        if self.verdict == "refuted":
            first = self.broken[0]
            more = f"; {len(self.broken)} such stretches in all" if len(self.broken) > 1 else ""
            return f"refuted from s = {first.start:.9g} to {first.end:.9g}: {first.sentence}{more}"
        if self.is_sampled:
            return f"undecided: no limit is crossed at {self.boxes + 1} places; between them nothing is proven"
        first = self.undecided[0]
        more = f", and {len(self.undecided) - 1} more" if len(self.undecided) > 1 else ""
        return (
            f"undecided: from s = {first.start:.9g} to {first.end:.9g} {first.limits[0]} can neither be proven nor "
            f"refuted ({first.sentence}){more}"
        )


@checks_arguments
def check_path(
    machine: Machine,
    path: Path | TimedPath | Motion,
    *,
    head: HeadSpline | None = None,
    uncertainty: UncertaintyLike | None = None,
    confidence: float = CONFIDENCE,
    also: Sequence[RequestedLimit] | RequestedLimit = (),
    tolerance: float = 1e-9,
    max_boxes: int = MOST_BOXES,
    progress: Progress = None,
) -> PathCheck:
    """Check a path against every limit of a machine, between samples too.

    Travel, reach, cones, plate angles, clearance of legs, box, radius, tilt and rotation of the tool, distance to a
    singularity: all limits of `gough.margins`.

    Parameters
    ----------
    machine : Machine
    path : Path, TimedPath or Motion
        Path of the platform in the base (others: `gough.motion.in_frame`). For a timed path, its path; any other
        motion in time is sampled.
    head : HeadSpline, optional
        Joints of a moving tool head over the path's parameter, whose knots must be knots of the path: their limits
        are checked too. Default: the head joints of the plan.
    uncertainty : float, (2,), (k, 3) or (6, 6) array, or callable, optional
        Largest deviation of the poses from the path's; every pose of this tube is checked. Displacements of the point
        of interest by a distance [m], together with rotations by an angle [rad] about any axis; or (k, 3), these after
        a parameter of the path, linear between (a measured tracking error). Or the covariance of displacements [v, w]
        of the point of interest in base axes [m, rad]. Or a function of poses (n, 4, 4) that gives distances (n,), both
        (n, 2) or covariances (n, 6, 6), as in `gough.calibration.pose_covariance`: linear between knots and 64 more
        parameters.
    confidence : float
        Of covariances: probability content of the checked ellipsoid of a normal distribution.
    also : RequestedLimit or sequence of RequestedLimit
        Limits on request, as in `gough.certify_region`.
    tolerance : float
        To which crossings of limits are located, as part of the span.
    max_boxes : int
        Most intervals that are bounded; the rest is then undecided.
    progress : callable, optional
        Called with how many thousandths of the path are decided, and a thousand.

    Returns
    -------
    PathCheck
        A proof holds in floating point too, up to the limits' tolerances of rounding. A path that touches a limit
        without crossing it is undecided, the place is named. A path without bounds (a function without `rates`, a
        motion in time) is only sampled: it is refuted or undecided. With an `uncertainty` stretches are broken where a
        pose of the tube breaks a limit, and name the worst found.

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
    known = None if uncertainty is None else Uncertainty.of(uncertainty, path, confidence)
    limits = RegionLimits.of(machine, also)
    tube = None if known is None else Tube(limits, known)
    search = Search(limits, path, head, tube, tolerance * (path.span[1] - path.span[0]), progress)
    if tube is not None and not search.has_bounds:
        raise InputError("uncertainty: of this path no bounds are known, so that its tube cannot be proven")
    intervals = search.intervals(max_boxes)
    broken, undecided = search.violations(intervals)
    with np.errstate(invalid="ignore"):
        least = np.fmin.reduce(intervals.values, axis=0)
    return PathCheck(
        verdict="refuted" if broken else "undecided" if undecided or not search.has_bounds else "proven",
        broken=tuple(broken),
        undecided=tuple(undecided),
        least=least,
        columns=search.columns,
        boxes=search.count,
        is_sampled=not search.has_bounds,
        path=path,
        machine=machine,
        uncertainty=(0.0, 0.0) if tube is None else tube.radii,
        confidence=None if known is None else known.confidence,
    )


@dataclass(frozen=True, eq=False)
class Intervals(Aligned):
    """Evaluated intervals of a path from `low` to `high` (n,), the state of each, margins (n, k) at a parameter s
    within, and lower bounds of the margins over it."""

    low: Array
    high: Array
    s: Array
    state: Ints
    values: Array
    lower: Array

    def parts(self) -> Array:
        """Return begins and ends of the halves of all intervals; for `FEW` or fewer, of smaller parts."""
        count = PARTS if len(self) <= FEW else 2
        ends = np.linspace(self.low, self.high, count + 1)
        return np.stack([ends[:-1].ravel(), ends[1:].ravel()], axis=1)


@dataclass(eq=False)
class Search:
    """Bisection of a path, with its tool head and tube, until intervals are decided or `shortest`."""

    limits: RegionLimits
    path: Path
    head: HeadSpline | None
    tube: Tube | None
    shortest: float
    progress: Progress
    count: int = 0
    """Intervals evaluated."""

    def __post_init__(self) -> None:
        knots, self.machine = self.path.knots, self.limits.machine
        of_head = [] if self.head is None else [column for _, column in head_columns(self.machine)]
        self.columns = (*self.limits.columns, *of_head)
        self.tolerance = np.array([column.tolerance for column in self.columns])
        self.has_bounds = self.path.rates(knots[:-1], knots[1:]) is not None
        self.parts: list[Intervals] = []

    def intervals(self, most: int) -> Intervals:
        """Return the path's intervals in their order, `most` of them evaluated."""
        s = self.path.knots if self.has_bounds else self.path.samples(SAMPLES)
        if self.tube is not None:
            own = self.tube.uncertainty.s
            s = np.union1d(s, own[(own > s[0]) & (own < s[-1])])
        self.parts.append(halve_open(np.stack([s[:-1], s[1:]], axis=1), self.evaluate, Intervals.parts, most, PARTS))
        found = Intervals.joined(self.parts)
        return found[np.argsort(found.low)]

    def evaluate(self, ends: Array) -> Intervals:
        """Return the undecided intervals of those between `ends` (n, 2); the others go to `parts`."""
        low, high = ends.T
        found, is_short = self._bounded(low, high) if self.has_bounds else self._sampled(low, high)
        # The verdict is "refuted" now: no expensive proofs for the remaining parts of the tube.
        if self.tube is not None and (found.state == BROKEN).any():
            self.tube = replace(self.tube, tried=0)
        is_leaf = (found.state != UNDECIDED) | (high - low <= self.shortest) | is_short
        self.parts.append(found[is_leaf])
        self.count += len(low)
        if self.progress is not None:
            decided = sum(float(np.sum(part.high - part.low)) for part in self.parts)
            span = self.path.span[1] - self.path.span[0]
            self.progress(min(PROGRESS_STEPS, round(PROGRESS_STEPS * decided / span)), PROGRESS_STEPS)
        return found[~is_leaf]

    def _bounded(self, low: Array, high: Array, *, is_whole: bool = False) -> tuple[Intervals, Bools]:
        """Intervals (n,) with bounds of all margins, and which are too short for bisection to tighten the bounds."""
        models = PathModels.of(self.path, low, high)
        if self.tube is not None:
            values, lower, broken, is_short = self.tube.around(models, self.tube.uncertainty.over(low, high))
        else:
            every = np.ones(len(self.limits.columns), dtype=bool)
            values, lower, broken, _ = limits_over(self.limits, every, models.family(), is_whole=is_whole)
            broken, is_short = broken & (values < -self.limits.tolerance), np.zeros(len(low), dtype=bool)
        if self.head is not None:
            found, least, most = joint_bounds(head_columns(self.machine), self.head, low, high)
            is_past = most < -self.tolerance[broken.shape[1] :]
            values, lower, broken = np.hstack([values, found]), np.hstack([lower, least]), np.hstack([broken, is_past])
        # Broken where one limit is violated over the whole interval; bisection of its neighbours locates the crossings.
        is_proven = (lower >= -self.tolerance).all(axis=1)
        state = np.where(is_proven, PROVEN, np.where(broken.any(axis=1), BROKEN, UNDECIDED))
        return Intervals(low, high, (low + high) / 2, state, values, lower), is_short

    def _sampled(self, low: Array, high: Array) -> tuple[Intervals, Bools]:
        """Intervals (n,) by their ends: kept or broken where both are, undecided where a limit is crossed between them;
        none is too short."""
        # NaN, where a leg cannot close, compares as broken.
        ends = [self._margins(s) for s in (low, high)]
        begin, end = ((values >= -self.tolerance).all(axis=1) for values in ends)
        state = np.where(begin & end, PROVEN, np.where(begin != end, UNDECIDED, BROKEN))
        takes_end = np.asarray(begin & ~end)
        values = np.where(takes_end[:, None], ends[1], ends[0])
        found = Intervals(low, high, np.where(takes_end, high, low), state, values, values)
        return found, np.zeros(len(low), dtype=bool)

    def _margins(self, s: Array) -> Array:
        """Margins (n, k) at parameters (n,)."""
        X, own = self.path(s)[0], len(self.limits.own.columns)
        found = self.limits.margins(X)
        return found if self.head is None else np.hstack([found, self.head.margins(self.machine, X, s).values[:, own:]])

    def violations(self, intervals: Intervals) -> tuple[list[Violation], list[Violation]]:
        """Return broken and undecided parts of the path; narrow undecided ones next to a broken one belong to it."""
        state = intervals.state.copy()
        # One pose that breaks a limit refutes its interval, however narrow the broken part may be.
        state[(state == UNDECIDED) & (intervals.values < -self.tolerance).any(axis=1)] = BROKEN
        runs = np.split(np.arange(len(state)), np.flatnonzero(np.diff(state)) + 1)
        broken: list[Violation] = []
        undecided: list[Violation] = []
        for k, run in enumerate(runs):
            if state[run[0]] == BROKEN:
                broken.append(self._violation(intervals[run], is_broken=True))
            elif state[run[0]] == UNDECIDED:
                # A crossing is located to the tolerance: the last undecided intervals about it are its edge.
                beside = [state[runs[n][0]] == BROKEN for n in (k - 1, k + 1) if 0 <= n < len(runs)]
                if not (any(beside) and intervals.high[run[-1]] - intervals.low[run[0]] <= 4 * self.shortest):
                    undecided.append(self._violation(intervals[run], is_broken=False))
        if not broken:  # the descent of `Tube.worst` may have found a pose that breaks a limit
            least = {column.name: -column.tolerance for column in self.columns}
            broken = [part for part in undecided if part.worst < least[part.limits[0]]]
            undecided = [part for part in undecided if not part.worst < least[part.limits[0]]]
        return broken, undecided

    def _violation(self, run: Intervals, *, is_broken: bool) -> Violation:
        """The violation on successive intervals."""
        scale = np.array([column.scale for column in self.columns])
        values = run.values if is_broken else self._bounded(run.low, run.high, is_whole=True)[0].lower
        relative = np.where(np.isnan(values), np.inf, values / scale)
        negative = np.where(values < -self.tolerance, relative, np.inf)
        # The limit crossed first: the smallest margin in the first interval with a negative one.
        first = int(np.argmin(negative[int(np.argmax(np.isfinite(negative).any(axis=1)))]))
        is_exact = is_broken and self.tube is None
        least, places = self._least(run) if is_exact else _smallest(run.values, run.s)
        is_other = least < 0 if is_exact else np.isfinite(negative).any(axis=0)
        others = np.flatnonzero(is_other).tolist()
        at, worst = float(places[first]), float(least[first])
        pose = self.path(at)[0]
        if self.tube is not None and first < len(self.limits.columns):
            pose, worst = self.tube.worst(pose, at, first)
        return Violation(
            start=float(run.low[0]),
            end=float(run.high[-1]),
            limits=tuple(self.columns[c].name for c in (first, *(c for c in others if c != first))),
            legs=self.columns[first].legs,
            worst=worst,
            at=at,
            least=least,
            places=places,
            pose=pose,
            sentence=limit_sentence(self.machine, self.columns[first], worst),
        )

    def _least(self, run: Intervals) -> tuple[Array, Array]:
        """Smallest margins (k,) between the knots on successive intervals, NaN left out, and their parameters."""
        low, high = run.low[0], run.high[-1]
        inner = self.path.knots[(self.path.knots > low) & (self.path.knots < high)]
        scale = np.array([column.scale for column in self.columns])

        def relative(s: Array) -> dict[str, Array]:
            found = self._margins(s.ravel()).reshape(*s.shape, -1)
            return {"margin": np.where(np.isnan(found), FAR, np.clip(found / scale, -FAR, FAR))}

        found = extremes(relative, np.array([low, *inner, high]), noise={"margin": [(1.0, 0)]}, most=MOST_HALVED)
        # The check's own places count too: where the budget of the extremes is used up, and at jumps.
        own, where = _smallest(run.values, run.s)
        between = found["margin"].lowest * scale
        is_own = own < between
        return np.where(is_own, own, between), np.where(is_own, where, found["margin"].when_lowest)


def _smallest(values: Array, s: Array) -> tuple[Array, Array]:
    """Smallest of values (n, k) in each column, NaN left out, and its parameter."""
    k = np.where(np.isnan(values), np.inf, values).argmin(axis=0)
    return values[k, np.arange(values.shape[1])], s[k]
