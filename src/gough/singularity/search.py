"""Branch and bound over boxes of positions for the smallest singular value that the limits allow.

A box is dropped if an upper bound of some margin is negative, decided if a lower bound of the smallest singular value
is high enough, else halved (Merlet 2006, Parallel Robots, section 6, with intervals). The bounds are those of
`gough.regions`.

Singular poses within the other limits are witnesses, with paths from home to them that keep these limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np

from gough.arrays import Aligned, Array, Bools
from gough.limits._margins import SIDE, SINGULAR_MIN
from gough.limits._paths import TWIST, Path
from gough.limits._travel import intervals_batch
from gough.limits.climb import bisected
from gough.limits.interval_search import limits_for_search, poses_at, search_of, twists_along
from gough.limits.margins import margins
from gough.limits.table import LimitTable, limit_table, walking_length
from gough.machine import Machine
from gough.regions.box_limits import boxes_of_positions, limits_over
from gough.regions.boxes import MOST_LEVELS, Boxes, connected_component, holding, shortest_path
from gough.regions.requested import RegionLimits
from gough.workspaces.descent import Descent, short_searches

SINGULARITY = "singularity"
REGULAR = 1e-12
"""Least singular value above which a pose counts as regular."""
SCOUTS = 16
"""Positions along each side of the region that are sampled first."""
SHARPENED = 0.4
"""Part of `max_boxes` that may go into a sharper bound; the others are for boxes without any bound yet."""
LOWEST = 48
"""Centres of boxes from which short searches start."""
LARGEST_GRAPH = 40_000
"""Most boxes for which connected components are computed before the last round."""


@dataclass(frozen=True, eq=False)
class Leaf(Aligned):
    """Boxes of one level, with a lower bound of the singular value in each, and its value at the centre: infinite where
    that is not allowed."""

    boxes: Boxes
    lower: Array
    sampled: Array


@dataclass(eq=False)
class Search:
    """The region, the limits that count, and the state of the search.

    `least` is the smallest singular value found, `count` the number of boxes bounded so far, `witness` a singular
    position of the point of interest, `path` the corners of a path to it from `home`, which is None where home is not
    allowed or outside the region.
    """

    machine: Machine
    table: LimitTable
    counted: Bools
    R: Array
    within_limits: bool
    rtol: float
    max_boxes: int
    region: tuple[Array, Array]
    home: Array | None = None
    least: float = np.inf
    count: int = 0
    leaves: list[Leaf] = field(default_factory=list)
    witness: Array | None = None
    path: Array | None = None
    part: Literal["all", "home"] = "all"

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of the limits that do not count."""
        pairs = zip(self.table.columns, self.counted, strict=True)
        return tuple(column.name for column, is_counted in pairs if not is_counted)

    @property
    def is_reach(self) -> Bools:
        """Which limits (k,) are the reach of rods, without which there is no pose."""
        return np.array([column.quantity == "reach" for column in self.table.columns])

    @property
    def is_answered(self) -> bool:
        """Whether a singular pose is found, and a path to it from home if home counts."""
        return self.witness is not None and (self.path is not None or self.home is None)

    @property
    def target(self) -> float:
        """Lower bound of the singular value with which a box is decided."""
        is_late = self.count > SHARPENED * self.max_boxes
        return 0.0 if is_late or not np.isfinite(self.least) else self.rtol * self.least

    def state(self, positions: Array) -> tuple[Array, Bools, Array]:
        """Return margins (n, k), whether every limit that counts is kept (n,), signed smallest singular values (n,)."""
        values = margins(self.machine, poses_at(self.machine, self.R, positions)).values
        limits = self.table.arrays.G
        signed = (values[:, -1] + limits[SINGULAR_MIN]) * limits[SIDE]
        with np.errstate(invalid="ignore"):
            allowed = (values[:, self.counted] >= 0).all(axis=1) if self.within_limits else np.isfinite(signed)
        return values, np.asarray(allowed), np.asarray(signed)


def begin(
    machine: Machine,
    R: Array,
    within_limits: bool,
    ignore: tuple[str, ...],
    rtol: float,
    max_boxes: int,
    region: tuple[Array, Array],
) -> Search:
    """Return the search, after sampling home and a grid of positions of the region."""
    table = limit_table(machine)
    limits_for_search(machine, ignore)  # raises for unknown names
    counted = np.array([column.name not in (*ignore, SINGULARITY) for column in table.columns])
    search = Search(machine, table, counted, R, within_limits, rtol, max_boxes, region)
    low, high = region
    home = machine.home_point
    steps = (np.arange(SCOUTS) + 0.5) / SCOUTS
    scouts = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    positions = np.concatenate([home[None], low + scouts * (high - low)])
    _, allowed, signed = search.state(positions)
    allowed[0] &= bool(((low <= home) & (home <= high)).all())
    if allowed[0] and within_limits:
        search.home = home
    search.least = float(np.abs(signed[allowed]).min(initial=np.inf))
    # Exactly zero: home is singular, or every pose of the orientation.
    is_singular = allowed & (signed == 0)
    if is_singular.any():
        search.witness = positions[int(np.argmax(is_singular))]
        if is_singular[0]:
            search.path = home[None]
    return search


def bounded(search: Search, boxes: Boxes) -> Leaf:
    """Return the boxes that may hold an allowed pose, with their bounds."""
    m, least = search.machine, max(search.target, REGULAR)
    counted = search.counted if search.within_limits else search.is_reach
    is_singular = np.array([column.is_singularity for column in search.table.columns])
    near = boxes_of_positions(search.R, boxes.centres - search.R @ m.point_of_interest, boxes.half)
    limits = RegionLimits.regular(m, least)
    found = limits_over(limits, counted | is_singular, near, proven=is_singular, is_whole=False)
    keep = np.asarray(~found.broken[:, counted].any(axis=1))
    lower = np.maximum(found.lower[:, is_singular][:, 0] + least, 0.0)
    _, allowed, signed = search.state(boxes.centres)
    sampled = np.where(allowed, np.abs(signed), np.inf)
    search.count += len(boxes)
    search.least = min(search.least, float(sampled.min(initial=np.inf)))
    return Leaf(boxes, np.where(lower < REGULAR, 0.0, lower), sampled)[keep]


def keep_undecided(search: Search, leaf: Leaf) -> Leaf:
    """Append the decided boxes to the leaves and return the others."""
    is_decided = ((leaf.lower > 0) & (leaf.lower >= search.target)) | (leaf.boxes.level >= MOST_LEVELS)
    search.leaves.append(leaf[is_decided])
    rest = leaf[~is_decided]
    count = sum(len(part) for part in search.leaves) + len(rest)
    return only_homes_part(search, rest) if search.witness is not None and count < LARGEST_GRAPH else rest


def smallest_found(search: Search) -> float:
    """Return the smallest singular value at the boxes' centres and at the ends of descents from them."""
    parts = [leaf for leaf in search.leaves if np.isfinite(leaf.sampled).any()]
    if not parts or not search.within_limits or search.part == "home":
        return search.least
    values = np.concatenate([leaf.sampled for leaf in parts])
    centres = np.concatenate([leaf.boxes.centres for leaf in parts])
    # Short searches from the centres with the lowest values, then a full descent from the best of their ends.
    order = np.argsort(values, kind="stable")[: min(LOWEST, int(np.isfinite(values).sum()))]
    axes = tuple(np.unique(centres[order, k]) for k in range(3))
    offset = search.R @ search.machine.point_of_interest

    def value(poses: Array) -> Array:
        return np.abs(search.state(poses[:, :3, 3] + offset)[2])

    is_given = np.array([True] * 3)
    descent = Descent(search.machine, value, search.R, 0.0, axes, is_given, np.where(search.counted, 0.0, -np.inf))
    descent.low, descent.high = search.region
    ends = short_searches(descent, np.column_stack([centres[order], np.zeros((len(order), 3))]), 1)
    return min([search.least, *(descent.descend(end)[1] for end in ends)])


def only_homes_part(search: Search, rest: Leaf) -> Leaf:
    """Drop the boxes that are not connected with home, and the witness if it is in one of those."""
    if search.home is None:
        return rest
    # Connected positions are covered by boxes that touch: parts that the graph of boxes separates are separate.
    levels = [*search.leaves, rest]
    chosen = connected_component([leaf.boxes for leaf in levels], search.home)
    if all(part.all() for part in chosen):
        return rest
    *search.leaves, rest = [leaf[part] for leaf, part in zip(levels, chosen, strict=True)]
    search.part = "home"
    levels = [*search.leaves, rest]
    if search.witness is not None and not holding([leaf.boxes for leaf in levels], search.witness).any():
        search.witness = None
    search.least = min(float(leaf.sampled.min(initial=np.inf)) for leaf in levels)
    return rest


SUSPECTS = 2048
"""Most boxes of one level in which a crossing is searched for."""
PAIRS = 256
"""Most pairs of poses on either side of a singularity that are bisected."""
AT_ZERO = 1e-9
"""Singular value below which a pose that is bisected between both signs counts as singular."""
_CORNERS = np.array(list(product((-1, 1), repeat=3)))


def find_crossing(search: Search, leaf: Leaf) -> None:
    """Set the witness: a singular pose, otherwise allowed, between the centre and a corner of an undecided box."""
    suspects = leaf[leaf.lower == 0]
    if search.is_answered or not len(suspects.boxes):
        return
    # Pairs of a centre and a corner at which the determinant has opposite signs, most promising boxes first.
    boxes = suspects.boxes[np.argsort(suspects.sampled)[:SUSPECTS]]
    centres = np.broadcast_to(boxes.centres[:, None], (len(boxes), 8, 3))
    ends = np.stack([centres, centres + _CORNERS * boxes.half], axis=2).reshape(-1, 2, 3)
    signed = search.state(ends.reshape(-1, 3))[2].reshape(-1, 2)
    with np.errstate(invalid="ignore"):
        ends = _brought_together(search, ends[signed[:, 0] * signed[:, 1] < 0])
    _, allowed, signed = search.state(ends.reshape(-1, 3))
    with np.errstate(invalid="ignore"):
        is_found = (allowed & (np.abs(signed) < AT_ZERO)).reshape(-1, 2).all(axis=1)
    places = ends[is_found, 0]
    if not len(places):
        return
    _set_witness(search, places)
    if not search.is_answered:
        _set_path(search, leaf)


def _brought_together(search: Search, ends: Array) -> Array:
    """Pairs of positions (n, 2, 3) on either side of a singularity, bisected to rounding; at most `PAIRS` of them."""
    low, high = np.moveaxis(ends[:: len(ends) // PAIRS + 1], 1, 0)
    first = search.state(low)[2]
    return np.stack(bisected(lambda p: (search.state(p)[2] * first > 0)[:, None], low, high, 52), axis=1)


def _set_witness(search: Search, places: Array) -> None:
    """A singular position that a straight path from home reaches, with the path; or else the first, if none is set."""
    if search.home is None:
        search.witness = places[0]
        return
    reached = _keep_the_limits(search, np.broadcast_to(search.home, places.shape), places)
    first = int(np.argmax(reached))
    if reached[first]:
        search.witness, search.path = places[first], np.stack([search.home, places[first]])
    elif search.witness is None:
        search.witness = places[0]


def _set_path(search: Search, leaf: Leaf) -> None:
    """A path to the witness by straight segments between centres of boxes, if every segment keeps the limits."""
    levels = [*search.leaves, leaf]
    if search.home is None or search.witness is None or sum(len(each.boxes) for each in levels) > LARGEST_GRAPH:
        return
    is_open = np.isfinite(np.concatenate([each.sampled for each in levels]))
    path = shortest_path([each.boxes for each in levels], is_open, search.home, search.witness)
    if path is not None and _keep_the_limits(search, path[:-1], path[1:]).all():
        search.path = path


def _keep_the_limits(search: Search, starts: Array, ends: Array) -> Bools:
    """Whether straight segments between positions (n, 3) keep every limit that counts (n,), by root finding."""
    m, n = search.machine, len(starts)
    length = np.linalg.norm(ends - starts, axis=1)
    direction = twists_along((ends - starts) / np.maximum(length, np.finfo(float).tiny)[:, None])
    found, binding = np.full((n, 1, 2), np.nan), np.full((n, 1, 2), -1, dtype=np.int64)
    count = np.zeros(n, dtype=np.int64)
    limits, speed = limits_for_search(m, search.ignored), np.full(n, 1.0 / walking_length(m))
    intervals_batch(
        search_of(limits),
        Path(TWIST, poses_at(m, search.R, starts), m.point_of_interest, direction),
        length,
        speed,
        found,
        binding,
        count,
    )
    whole = (found[:, 0, 0] == 0.0) & (found[:, 0, 1] >= length * (1 - 1e-9))
    return np.asarray((count == 1) & whole)
