"""Certification of a region of positions and orientations: every limit is kept, proven; or refuted, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.limits.interval_search import limits_for_search
from gough.machine import Machine
from gough.regions.branching import Boxes, Search
from gough.regions.placing import Chart
from gough.regions.proof import RegionProof, Verdict
from gough.regions.requested import RegionLimits, RequestedLimit
from gough.regions.shapes import PoseRegion, Region

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
        `gough.accuracy.ResolutionLimit`, which count beside the machine's own.
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
    limits_for_search(machine, ignore)  # raises for names that are no limits
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
