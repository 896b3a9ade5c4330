"""Result of the certification of a region: verdict, and bounds of the smallest margin of each limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.description.home import SINGULAR
from gough.limits.margins import limit_sentence
from gough.limits.table import Column
from gough.machine import Machine
from gough.present.answer import Field, of_result
from gough.present.units import file_unit, rounded
from gough.quantity import ALONG_AXES, derived, of_limits, quantity, result, transform
from gough.regions.shapes import Region
from gough.results import Result

Verdict = Literal["proven", "refuted", "undecided"]
RESOLUTION_DIGITS = 4
"""Significant digits of margins of resolutions, too small for the decimals of other lengths and angles."""


class WithVerdict:
    """Common part of proofs of regions, paths and workspaces."""

    verdict: Verdict

    @property
    @derived("", is_listed=False)
    def is_proven(self) -> bool:
        """Whether what the limits require holds at every pose, proven."""
        return self.verdict == "proven"


@result
class RegionProof(WithVerdict, Result):
    """Verdict on a machine's limits over a region of poses, with bounds of the smallest margin of each limit.

    Attributes
    ----------
    columns : tuple of Column
        The limits.
    ignored : tuple of str
        Limits that do not count.
    region : PoseRegion or RegionUnion
    machine : Machine

    """

    verdict: Verdict = quantity(
        "", is_listed=False,
        doc='"proven": every pose of the region keeps every limit. "refuted": `witness` breaks `limit`. "undecided": '
        "neither within the given number of boxes; those that remain are between `low` and `high`.",
    )  # fmt: skip
    witness: Array | None = transform(
        doc="A pose of the region that breaks `limit`: the smallest margin that local descent finds."
    )
    limit: str = quantity("", is_listed=False, doc='The limit that the witness breaks; "" of other verdicts.')
    lower: Array = quantity(
        of_limits, "limit", label="proven",
        doc="Proven lower bound of the smallest margin of each limit over the region; -inf where it is unknown.",
    )  # fmt: skip
    upper: Array = quantity(
        of_limits, "limit", label="found", doc="Smallest margin of each limit that was found at a pose of the region."
    )
    worst: Array = transform("limit", is_listed=False, doc="Poses of `upper`.")
    columns: tuple[Column, ...]
    ignored: tuple[str, ...]
    boxes: int = quantity("1", doc="Number of boxes that were bounded.")
    low: Array = quantity(
        ALONG_AXES, "box", "coordinate",
        doc="Lowest corners of the boxes left undecided, in the coordinates of the regions in `parts`.",
    )  # fmt: skip
    high: Array = quantity(ALONG_AXES, "box", "coordinate", doc="Their highest corners.")
    parts: NDArray[np.int64] = quantity(
        "1", "box", is_listed=False, doc="Which region of a union each of the boxes belongs to."
    )
    region: Region
    machine: Machine

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the limits."""
        return tuple(column.name for column in self.columns)

    @property
    @derived("", is_listed=False)
    def is_singular(self) -> bool:
        """Whether a singular pose was found in the region (det J = 0 to rounding), which breaks no limit where home is
        singular too."""
        k = self.names.index("singularity")
        return bool(abs(self.upper[k] + self.columns[k].bound) <= SINGULAR)

    @property
    @derived(lambda of: [[unit] for unit in of_limits(of)], "limit", "end", is_listed=False)
    def bounds(self) -> Array:
        """Lower and upper bound of the smallest margin of each limit over the region (k, 2), in SI."""
        return np.stack([self.lower, self.upper], axis=-1)

    @property
    def tightest(self) -> str:
        """Name of the limit whose smallest margin is smallest in its scale, as far as found."""
        scale = np.array([column.scale for column in self.columns])
        counted = np.array([name not in self.ignored for name in self.names])
        return self.names[int(np.argmin(np.where(counted, self.upper / scale, np.inf)))]

    def table_of(self, which: Sequence[int] | None = None) -> tuple[list[str], list[Field]]:
        """Rows and columns of a table of these limits, or of all that count: proven and found smallest margins."""
        if which is None:
            which = [c for c, name in enumerate(self.names) if name not in self.ignored]
        rows = [self.columns[c] for c in which]
        digits = [RESOLUTION_DIGITS if row.name.endswith("resolution") else None for row in rows]
        how: dict[str, Any] = {"unit": [row.unit for row in rows], "labels": (), "row_digits": digits}
        proven, found = of_result(self, "lower", "upper", **how)
        known = np.where(np.isfinite(self.lower), self.lower, np.nan)
        columns = [replace(proven, value=known[which]), replace(found, value=self.upper[which])]
        return [row.name for row in rows], columns

    @property
    def _place(self) -> str:
        """Position of the witness, in words."""
        if self.witness is None:
            return ""
        place = ", ".join(rounded(self.machine, float(x), "m") for x in self.witness[:3, 3])
        return f" at ({place}) {file_unit(self.machine, 'm')}"

    def sentence(self) -> str:
        """The verdict in words."""
        c = self.names.index(self.limit or self.tightest)
        words = limit_sentence(self.machine, self.columns[c], float(self.upper[c]))
        but = f" but {', '.join(self.ignored)}" if self.ignored else ""
        if self.verdict == "proven":
            singular = ", but some are singular: the legs do not hold the platform there" * self.is_singular
            kept = f"every pose of the region keeps every limit{but}{singular}"
            return f"proven: {kept}; the tightest is {self.tightest} ({words})"
        if self.verdict == "refuted":
            return f"refuted: {self.limit} is broken ({words}){self._place}"
        return (
            f"undecided: {len(self.low)} boxes are left after {self.boxes}; the tightest is {self.tightest} ({words})"
        )
