"""Certification of a region of positions and orientations: every limit is kept, proven; or refuted, or undecided."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Bools, Progress
from gough.checks.arguments import checks_arguments
from gough.limits.interval_search import limits_for_search
from gough.machine import Machine
from gough.regions.cell_bounds import Bounds
from gough.regions.cells import Cells, contracted, linear_minimisers
from gough.regions.limit_by_limit import prove_limit_by_limit
from gough.regions.proof import RegionProof, Verdict
from gough.regions.requested import RegionLimits, RequestedLimit
from gough.regions.search import Search, Tasks, Undecided
from gough.regions.shapes import Region

MOST_BOXES = 100_000
"""Boxes after which the verdict is undecided."""
TOGETHER = 512
"""Boxes that are bounded together."""
INSIDE = 1e-12
"""Distance from the region at which a box's centre still counts as one of its places, for rounding [m, rad]."""
DESCEND_FROM, DESCENTS = 64, 2
"""Boxes after which limits on request are minimised locally, and most of these limits in each round: their minima are
often inside the region, where corners of boxes come near them slowly."""
HALVINGS, FALL = 3, 0.5
"""Halvings of a box before its pieces are bounded; factor of a coordinate's half width by each."""


def search_region(search: Search, max_boxes: int, progress: Progress) -> Cells:
    """The boxes that remain undecided; none where the region is proven, or refuted by the search.

    Limits that have their own boxes are decided first, those of single legs and singularity; all others together.
    """
    region = search.region
    prove_limit_by_limit(search, max_boxes)
    whole = Tasks(Cells(region.centre[None], region.half[None]), search.counted[None])
    if search.broken >= 0 or not search.counted.any():
        return whole.cells.chosen(slice(0))
    last, requested = Bounds(*np.zeros((4, 0))), np.arange(len(search.limits.own.columns), len(search.upper))

    def evaluate(tasks: Tasks) -> Undecided:
        nonlocal last
        cells, is_open = tasks
        bounds = _bounded(search, cells, np.asarray(is_open.any(axis=0)))
        left = is_open & ~(bounds.lower >= -search.tolerance)
        search.conclude(bounds.lower, is_open & ~left)
        _sample_minima(search, cells, bounds, is_open if tasks is whole else left)
        if search.boxes > DESCEND_FROM:
            search.descend(requested[left[:, requested].any(axis=0)], DESCENTS)
        if progress is not None:
            progress(min(search.boxes, max_boxes), max_boxes)
        rest = np.asarray(left.any(axis=1))
        last = Bounds(*(found[rest] for found in bounds))
        return _contracted(search, Tasks(cells, left).chosen(rest), last)

    cells, left = search.halve(whole, evaluate, max_boxes, HALVINGS, FALL).tasks
    search.conclude(last.lower, left)
    return cells.chosen(slice(0 if search.broken >= 0 else None))


def _bounded(search: Search, cells: Cells, wanted: Bools) -> Bounds:
    """Bounds of the limits that are wanted over boxes; records the margins at those centres that are in the region."""
    limits, region = search.limits, search.region
    parts = [slice(first, first + TOGETHER) for first in range(0, len(cells), TOGETHER)]
    found = [limits.bounds(region, cells.chosen(part), wanted) for part in parts]
    bounds = Bounds(*(np.concatenate(each) for each in zip(*found, strict=True)))
    search.boxes += len(cells)
    inside = region.excess(cells.centre) <= INSIDE
    search.record(cells.centre[inside], bounds.values[inside])
    return bounds


def _sample_minima(search: Search, cells: Cells, bounds: Bounds, left: Bools) -> None:
    """Sample undecided limits where they are smallest to first order: in the region, and in the box of their lowest
    bound."""
    columns = np.flatnonzero(left.any(axis=0))
    if not len(columns):
        return
    worst = np.argmin(np.where(left, bounds.lower, np.inf), axis=0)[columns]
    gradient = bounds.gradient[worst, columns]
    corners = cells.centre[worst] - np.sign(gradient) * cells.half[worst]
    search.sample(np.concatenate([linear_minimisers(search.region, gradient), search.region.moved_inside(corners)]))


def _contracted(search: Search, tasks: Tasks, bounds: Bounds) -> Undecided:
    """Undecided boxes without the parts over which their bounds prove the limits."""
    cells, left = tasks
    if not len(cells):
        return Undecided(tasks, cells, cells.half)
    some = np.asarray(left.any(axis=0))
    parts = contracted(search.region, cells, bounds.gradient[:, some], bounds.spare[:, some], left[:, some])
    search.conclude(np.zeros_like(bounds.lower), left)  # over parts that are cut off margins are at least zero
    gain = parts.half * search.weight
    # Where only limits of the orientation are undecided, halving along positions gains nothing.
    gain[~(left & ~search.limits.of_turns).any(axis=1), :3] = 0.0
    return Undecided(tasks, parts, gain)


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
    margins have lower bounds of second order (`gough.regions.second_order`), or of first order where those are better,
    which hold in floating point too. Boxes whose bounds do not decide are halved (Merlet 2006, Parallel Robots, section
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
    limits = RegionLimits.of(machine, also)
    limits_for_search(machine, ignore)  # raises for names that are no limits
    counted = np.array([column.name not in ignore for column in limits.columns])
    searches, left = [], []  # parts of a union one by one: each has to keep every limit
    for part in region.regions:
        search = Search(limits, part, counted.copy())
        left.append(search_region(search, max_boxes, progress))
        searches.append(search)
        if search.broken >= 0:
            break
    return _proof(machine, region, searches, left, ignore)


def _proof(
    machine: Machine, region: Region, searches: list[Search], left: list[Cells], ignore: tuple[str, ...]
) -> RegionProof:
    last = searches[-1]
    c = last.broken
    if c >= 0:
        last.minimise(c)  # a witness that breaks the limit clearly
    upper = np.stack([search.upper for search in searches])
    which = np.argmin(upper, axis=0)
    columns = np.arange(upper.shape[1])
    poses = np.stack([search.region.poses(search.places) for search in searches])[which, columns]
    lower = np.min([search.lower for search in searches], axis=0)
    lower = np.where(np.isposinf(lower), -np.inf, lower)  # of limits that were not bounded
    if len(searches) < len(region.regions):  # refuted before all parts were searched
        lower[:] = -np.inf
    open_count = [len(part) for part in left]
    verdict: Verdict = "refuted" if c >= 0 else "undecided" if any(open_count) else "proven"
    return RegionProof(
        verdict=verdict,
        witness=poses[c] if c >= 0 else None,
        limit=last.limits.columns[c].name if c >= 0 else "",
        lower=np.minimum(lower, upper.min(axis=0)),  # a bound near a sampled margin may differ from it by rounding
        upper=upper.min(axis=0),
        worst=poses,
        columns=last.limits.columns,
        ignored=ignore,
        boxes=sum(search.boxes for search in searches),
        low=np.concatenate([part.centre - part.half for part in left]),
        high=np.concatenate([part.centre + part.half for part in left]),
        parts=np.repeat(np.arange(len(left)), open_count),
        region=region,
        machine=machine,
    )
