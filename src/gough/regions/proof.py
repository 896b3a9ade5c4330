"""Certification of a region of positions and orientations: every limit is kept, proven; or refuted, or undecided.

The result has the verdict, and bounds of the smallest margin of each limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.description.geometry import SINGULAR
from gough.limits.interval_search import limits_for_search
from gough.limits.margins import limit_sentence
from gough.limits.table import Column
from gough.machine import Machine
from gough.present.answer import Field, of_result
from gough.present.units import file_unit, rounded
from gough.quantity import ALONG_AXES, derived, of_limits, quantity, result, transform
from gough.regions.branching import Boxes, Search
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits, RequestedLimit
from gough.regions.shapes import PoseRegion, Region
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
        """Tabulate these limits, or all limits that count: proven and found smallest margins."""
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
        """Describe the verdict."""
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


MOST_BOXES = 100_000
"""Boxes after which the verdict is undecided."""


class Part(NamedTuple):
    """A region that was searched, and the boxes that are left (n,)."""

    search: Search
    left: list[Boxes]


@np.errstate(all="ignore")
def search_region(
    limits: RegionLimits, region: PoseRegion, counted: Bools, most: int, progress: Progress, places: Array
) -> Part:
    """Prove or refute the limits that count (columns,) over one region; `places` (n, 6), in units of its half widths
    from its centre, are looked at first."""
    search = Search(limits, Chart.of(region), counted)
    left = search.run(most, progress, places)
    if search.broken >= 0:
        search.minimise_column(search.broken)  # a witness that breaks the limit clearly
        search.bound_whole()
    return Part(search, left)


@checks_arguments
def certify_region(
    machine: Machine,
    region: Region,
    *,
    ignore: tuple[str, ...] = (),
    also: Sequence[RequestedLimit] | RequestedLimit = (),
    max_boxes: int = MOST_BOXES,
    progress: Progress = None,
) -> RegionProof:
    """Prove that every pose of a region keeps every limit, or find one that breaks a limit.

    The limits are those of `gough.margins`: travel, reach, cones, plate angles, clearance of legs, box, radius, tilt
    and twist of the tool, distance to singularity. The region is covered by boxes of its six coordinates; over each,
    limited quantities have lower bounds by Taylor models of second order (`gough.regions.models`), which hold in
    floating point too. Boxes whose bounds do not decide are halved (Merlet 2006, Parallel Robots, section
    7.4).

    Parameters
    ----------
    machine : Machine
    region : PoseRegion or RegionUnion
        See `gough.regions`.
    ignore : tuple of str
        Names of limits that do not count, such as "singularity".
    also : limits on request
        One or more of `gough.regions.SpeedLimit`, `gough.statics.ForceLimit`, `gough.statics.StiffnessLimit` and
        `gough.accuracy.ResolutionLimit`, in addition to the machine's limits.
    max_boxes : int
        Most boxes that are bounded in each part of a union; those that remain then are undecided.
    progress : callable, optional
        Called with the number of boxes bounded so far, and `max_boxes`.

    Returns
    -------
    RegionProof
        "proven", "refuted" with a witness, or "undecided" with the boxes that remain, as for most regions that touch a
        limit without crossing it. A limit holds within its tolerance of rounding (`gough.limits.table.ROUNDING`).

    Raises
    ------
    InputError
        A name in `ignore` that is none of the machine's limits; a limit on request that needs what the machine lacks.

    """
    limits_for_search(machine, ignore)  # raises for names that are not limits
    return certified(RegionLimits.of(machine, also), region, ignore, max_boxes, progress)


def certified(
    limits: RegionLimits,
    region: Region,
    ignore: tuple[str, ...],
    max_boxes: int,
    progress: Progress = None,
    places: Sequence[Array] | None = None,
) -> RegionProof:
    """See `certify_region`; `places` (n, 6) of each part of a union, in units of its half widths from its centre, are
    looked at first."""
    counted = np.array([column.name not in ignore for column in limits.columns])
    parts: list[Part] = []  # of a union one by one: each has to keep every limit
    for part in region.regions:
        known = np.zeros((0, 6)) if places is None else places[len(parts)]
        parts.append(search_region(limits, part, counted, max_boxes, progress, known))
        if parts[-1].search.broken >= 0:
            break
    return _proof(limits, region, parts, counted, ignore)


def _proof(
    limits: RegionLimits, region: Region, parts: list[Part], counted: Bools, ignore: tuple[str, ...]
) -> RegionProof:
    columns = limits.columns
    k = np.arange(len(columns))
    poses = np.stack(
        [part.search.chart.region.poses(part.search.chart.coordinates(part.search.record.places)) for part in parts]
    )
    values = np.stack([limits.margins(found)[k, k] for found in poses])
    values = np.where(np.isnan(values), np.inf, values)  # no margin where a leg cannot close: its reach is broken
    which = np.argmin(values, axis=0)
    upper, poses = values[which, k], poses[which, k]
    c = parts[-1].search.broken
    if len(parts) < len(region.regions):  # refuted before all parts were searched
        lower = np.full(len(columns), -np.inf)
    else:
        lower = np.min([part.search.record.lower for part in parts], axis=0)
        lower = np.where(np.isposinf(lower), -np.inf, lower)  # of limits that were not bounded
    low, high, number = _open_boxes(parts)
    verdict: Verdict = "refuted" if c >= 0 else "undecided" if len(low) else "proven"
    return RegionProof(
        verdict=verdict,
        witness=poses[c] if c >= 0 else None,
        limit=columns[c].name if c >= 0 else "",
        lower=np.minimum(lower, upper),  # a bound near a margin that was found may differ from it by rounding
        upper=upper,
        worst=poses,
        columns=columns,
        ignored=ignore,
        boxes=sum(part.search.boxes for part in parts),
        low=low,
        high=high,
        parts=number,
        region=region,
        machine=limits.machine,
    )


def _open_boxes(parts: list[Part]) -> tuple[Array, Array, Ints]:
    """Ends (n, 6) of the boxes that are left, in the regions' coordinates, and the part that each belongs to."""
    ends = []
    for k, (search, left) in enumerate(parts):
        for boxes in left:
            low, high = (search.chart.coordinates(boxes.centre + sign * boxes.half) for sign in (-1, 1))
            ends.append((low, high, np.full(len(low), k)))
    none = np.zeros((0, 6)), np.zeros((0, 6)), np.zeros(0, dtype=int)
    low, high, number = (np.concatenate(each) for each in zip(*ends, none, strict=True)) if ends else none
    return low, high, number
