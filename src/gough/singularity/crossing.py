"""Singular poses within the other limits, and paths from home to them that keep these limits."""

from __future__ import annotations

from itertools import product

import numpy as np

from gough.arrays import Array, Bools
from gough.limits._paths import TWIST, Path
from gough.limits._travel import intervals_batch
from gough.limits.climb import bisected
from gough.limits.interval_search import limits_for_search, poses_at, search_of, twists_along
from gough.limits.table import walking_length
from gough.regions.boxes import shortest_path
from gough.singularity.search import LARGEST_GRAPH, Leaf, Search

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
