"""What is known of a path and the limits: where they are broken or not proven, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.limits.table import Column
from gough.machine import Machine
from gough.motion.path import Path
from gough.present.answer import OF_EACH_LIMIT
from gough.present.units import file_unit, in_file_units, percent
from gough.results import Quantities, Result


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

    QUANTITIES: ClassVar[Quantities] = {"least": (OF_EACH_LIMIT, "limit"), "looked": "1"}

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
            return f" or within {percent(self.confidence, 6)} of its errors, at most {' and '.join(amounts)}"
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
