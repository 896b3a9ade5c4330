"""What a check of a path found: whether limits are kept, where they are broken and where nothing is proven."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.limits.margins import limit_sentence
from gough.limits.table import Column, limit_table
from gough.machine import Machine
from gough.motion.paths.path import Path
from gough.motion.tube import Tube
from gough.present.units import file_unit, in_file_units
from gough.results import Quantities, Result

KEPT, BROKEN, OPEN = 0, 1, 2


class Intervals(NamedTuple):
    """Intervals of a path, from `low` to `high` (n,)."""

    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, eq=False)
class Leaves:
    """Intervals of a path from `low` to `high` (n,), what is known of each, and margins (n, k) at a place s in each,
    with their lower bounds over it."""

    low: Array
    high: Array
    s: Array
    state: Ints
    values: Array
    least: Array

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, chosen: Ints | NDArray[np.bool_]) -> Leaves:
        return Leaves(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def halves(self) -> Intervals:
        """Both halves of each."""
        middle = (self.low + self.high) / 2
        return Intervals(np.concatenate([self.low, middle]), np.concatenate([middle, self.high]))


def together(parts: list[Leaves]) -> Leaves:
    """All of them, in the order of the path."""
    every = Leaves(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Leaves)))
    return every[np.argsort(every.low)]


@dataclass(frozen=True, eq=False)
class Violation:
    """A part of a path on which a limit is broken, or none is proven to be kept.

    Attributes
    ----------
    start, end : float
        Where it begins and ends, to the tolerance of the check.
    limits : tuple of str
        The limits concerned: those broken, or those whose bounds do not prove them; the first to be broken first.
    legs : tuple of int
        The legs of the first of them, counted from 1; none for the tool's limits and singularities.
    worst : float
        Smallest margin of the first limit that was seen on the stretch, in its SI unit.
    at : float
        Where that is.
    pose : (4, 4) array
        The platform's pose there; with an uncertainty the one near it with that margin.
    sentence : str
        The first limit in words, at its worst.

    """

    start: float
    end: float
    limits: tuple[str, ...]
    legs: tuple[int, ...]
    worst: float
    at: float
    pose: Array
    sentence: str


@dataclass(frozen=True, eq=False)
class PathCheck(Result):
    """What is known of a path and a machine's limits.

    Attributes
    ----------
    verdict : {"kept", "broken", "unproven", "sampled"}
        "kept": no limit is broken anywhere; proven. "broken": `broken` says where. "unproven": nothing broken was met,
        and `unproven` says which parts could not be decided. "sampled": nothing broken was met at the places looked at,
        and nothing is proven between them.
    broken, unproven : tuple of Violation
        In the order of the path.
    least : Array
        Smallest margin (k,) seen of each limit, in SI.
    columns : tuple of Column
        The limits.
    looked : int
        Intervals looked at.
    path : Path
    machine : Machine
    uncertainty : (float, float)
        Largest distance [m] and angle [rad] from the path within which poses were checked.
    confidence : float or None
        Of the ellipsoids of a covariance's errors, within which they were.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "least": ("m, rad or 1, of each limit", "limit"),
        "looked": "1",
    }

    verdict: Literal["kept", "broken", "unproven", "sampled"]
    broken: tuple[Violation, ...]
    unproven: tuple[Violation, ...]
    least: Array
    columns: tuple[Column, ...]
    looked: int
    path: Path
    machine: Machine
    uncertainty: tuple[float, float] = (0.0, 0.0)
    confidence: float | None = None

    @property
    def is_kept(self) -> bool:
        """Whether it is proven that every limit is kept."""
        return self.verdict == "kept"

    @property
    def first_crossing(self) -> float | None:
        """Where a limit is first crossed; None if nowhere."""
        return self.broken[0].start if self.broken else None

    @property
    def tightest(self) -> str:
        """Name of the limit that came nearest, measured in its scale."""
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
            return f" or within {100 * self.confidence:.6g} % of its errors, at most {' and '.join(amounts)}"
        return f" or within {' and '.join(amounts)} of it"

    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "kept":
            return f"kept: no limit is crossed anywhere on the path{self._tube}, proven over {self.looked} intervals"
        if self.verdict == "sampled":
            return f"sampled: no limit is crossed at {self.looked + 1} places; between them nothing is proven"
        if self.verdict == "unproven":
            first = self.unproven[0]
            more = f", and {len(self.unproven) - 1} more" if len(self.unproven) > 1 else ""
            return (
                f"unproven: from s = {first.start:.9g} to {first.end:.9g} {first.limits[0]} can neither be proven nor "
                f"refuted ({first.sentence}){more}"
            )
        first = self.broken[0]
        more = f"; {len(self.broken)} such stretches in all" if len(self.broken) > 1 else ""
        return f"broken from s = {first.start:.9g} to {first.end:.9g}: {first.sentence}{more}"


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
    leaves = together(parts)
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
