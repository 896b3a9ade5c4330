"""Singular poses inside the limits, and paths from home to them that keep every limit but the one for singularities."""

from __future__ import annotations

from itertools import product

import numpy as np

from gough.arrays import Array, Bools
from gough.limits._travel import intervals_batch
from gough.limits._walk import TWIST, Path
from gough.limits.interval_search import limits_for_search, poses_at
from gough.limits.table import walking_length
from gough.regions.boxes import shortest_path
from gough.singularity.search import LARGEST_GRAPH, Leaf, Search

SUSPECTS = 2048
"""Boxes of one level in which a crossing is looked for."""
PAIRS = 256
"""Pairs of poses on both sides of a singularity that are brought together."""
AT_ZERO = 1e-9
"""A singular value below this, between poses on either side of a singularity, is one."""
_CORNERS = np.array(list(product((-1, 1), repeat=3)))


def find_crossing(search: Search, leaf: Leaf) -> None:
    """Set the witness: a singular pose, allowed otherwise, between the centre and a corner of a box still open."""
    suspects = leaf[leaf.lower == 0]
    if search.is_answered or not len(suspects.boxes):
        return
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
    _take(search, places)
    if not search.is_answered:
        _walk_there(search, leaf)


def _brought_together(search: Search, ends: Array) -> Array:
    """Pairs of positions (n, 2, 3) on both sides, brought together to rounding; no more than `PAIRS` of them."""
    ends = ends[:: len(ends) // PAIRS + 1].copy()
    first = search.state(ends[:, 0])[2]
    for _ in range(52):
        middle = ends.mean(axis=1)
        is_same = search.state(middle)[2] * first > 0
        ends[is_same, 0] = middle[is_same]
        ends[~is_same, 1] = middle[~is_same]
    return ends


def _take(search: Search, places: Array) -> None:
    """The singular position that a straight path from home reaches, or else the first if there is none yet."""
    if search.home is None:
        search.witness = places[0]
        return
    reached = _keep_the_limits(search, np.broadcast_to(search.home, places.shape), places)
    first = int(np.argmax(reached))
    if reached[first]:
        search.witness, search.path = places[first], np.stack([search.home, places[first]])
    elif search.witness is None:
        search.witness = places[0]


def _walk_there(search: Search, leaf: Leaf) -> None:
    """A path of straight segments over the centres of boxes, where each segment keeps the limits."""
    levels = [*search.leaves, leaf]
    if search.home is None or search.witness is None or sum(len(each.boxes) for each in levels) > LARGEST_GRAPH:
        return
    is_open = np.isfinite(np.concatenate([each.sampled for each in levels]))
    path = shortest_path([each.boxes for each in levels], is_open, search.home, search.witness)
    if path is not None and _keep_the_limits(search, path[:-1], path[1:]).all():
        search.path = path


def _keep_the_limits(search: Search, starts: Array, ends: Array) -> Bools:
    """Whether straight segments between positions (n, 3) keep every limit that counts, exactly (n,)."""
    m, n = search.machine, len(starts)
    length = np.linalg.norm(ends - starts, axis=1)
    direction = np.zeros((n, 6))
    direction[:, :3] = (ends - starts) / np.maximum(length, np.finfo(float).tiny)[:, None]
    found, binding = np.full((n, 1, 2), np.nan), np.full((n, 1, 2), -1, dtype=np.int64)
    count = np.zeros(n, dtype=np.int64)
    intervals_batch(
        limits_for_search(search.machine, search.ignored),
        Path(TWIST, poses_at(m, search.R, starts), m.point_of_interest, direction),
        length,
        np.full(n, 1.0 / walking_length(m)),
        found,
        binding,
        count,
    )
    whole = (found[:, 0, 0] == 0.0) & (found[:, 0, 1] >= length * (1 - 1e-9))
    return np.asarray((count == 1) & whole)
