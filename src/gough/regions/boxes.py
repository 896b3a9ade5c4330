"""Boxes of positions on nested grids: covers of a region of space that are refined where it is undecided.

The branch-and-bound loop of proofs over paths and workspaces divides the parts that bounds do not decide (Merlet 2006,
Parallel Robots, section 7.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import TypeVar

import numpy as np

from gough.arrays import Array, Bools, Ints

MOST_LEVELS = 18
"""Halvings after which a box is not split again: sides of 4e-6 of those of level 0."""
_CHILDREN = np.array(list(product((0, 1), repeat=3)))
_NEIGHBOURS = np.array(list(product((-1, 0, 1), repeat=3)))


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one level: a regular grid whose sides were halved `level` times.

    Attributes
    ----------
    origin, side : (3,) array
        Lowest corner of the region and sides of the boxes of level 0 [m].
    level : int
    place : (n, 3) array
        Each box's place in the grid of its level.

    """

    origin: Array
    side: Array
    level: int
    place: Ints

    @classmethod
    def of(cls, low: Array, high: Array, along: int = 4) -> Boxes:
        """Return a cover of [low, high] (3,) by nearly cubic boxes, `along` its shortest side, and at most 16 along
        any."""
        extent = np.maximum(high - low, 1e-9 * np.max(high - low))
        count = np.minimum(np.ceil(extent / extent.min() * along), 16).astype(np.int64)
        place = np.stack(np.meshgrid(*(np.arange(k) for k in count), indexing="ij"), axis=-1).reshape(-1, 3)
        return cls(low, extent / count, 0, place)

    def __len__(self) -> int:
        return len(self.place)

    @property
    def half(self) -> Array:
        """Half sides (3,) [m], widened for rounding, so that neighbours overlap."""
        return np.asarray(self.side / 2.0 ** (self.level + 1) * (1 + 1e-9))

    @property
    def centres(self) -> Array:
        """Centres (n, 3) [m]."""
        return np.asarray(self.origin + (self.place + 0.5) * (self.side / 2.0**self.level))

    @property
    def volume(self) -> float:
        """Volume of all boxes together [m3]."""
        return len(self) * float(np.prod(self.side)) / 8.0**self.level

    def __getitem__(self, chosen: Bools | Ints) -> Boxes:
        return replace(self, place=self.place[chosen])

    def halved(self) -> Boxes:
        """Return the eight octants of each box, of the next level."""
        place = (2 * self.place[:, None, :] + _CHILDREN).reshape(-1, 3)
        return replace(self, level=self.level + 1, place=place)


def neighbours(parts: list[Boxes]) -> tuple[Ints, Ints]:
    """Return pairs of boxes that touch, as indices into the concatenated `parts`: boxes of one region, each part
    another level.

    Each box is looked up among those of its own and of coarser levels, so that every pair is found from its finer box.
    """
    first = np.cumsum([0, *(len(part) for part in parts)])
    keys = [_keys(part.place) for part in parts]
    order = [np.argsort(key) for key in keys]
    here, there = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for fine, part in enumerate(parts):
        near = (part.place[:, None, :] + _NEIGHBOURS).reshape(-1, 3)
        me = np.repeat(np.arange(len(part)), len(_NEIGHBOURS))
        for coarse, other in enumerate(parts):
            if other.level > part.level or not len(other):
                continue
            wanted = _keys(near >> (part.level - other.level))  # places of the ancestors in the coarser grid
            at = np.searchsorted(keys[coarse], wanted, sorter=order[coarse])
            at = order[coarse][np.minimum(at, len(other) - 1)]
            meets = keys[coarse][at] == wanted
            here.append(first[fine] + me[meets])
            there.append(first[coarse] + at[meets])
    return np.concatenate(here), np.concatenate(there)


def holding(parts: list[Boxes], point: Array) -> Bools:
    """Find which boxes of all `parts` hold a point (3,)."""
    found = [(np.abs(part.centres - point) <= part.half).all(axis=1) for part in parts]
    return np.concatenate(found) if found else np.zeros(0, dtype=bool)


def connected_component(parts: list[Boxes], start: Array) -> list[Bools]:
    """Find which boxes of each of `parts` are in the connected component of those that hold the point `start`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = np.cumsum([0, *(len(part) for part in parts)])
    here, there = neighbours(parts)
    graph = coo_array((np.ones(len(here)), (here, there)), shape=(first[-1], first[-1]))
    _, label = connected_components(graph, directed=False)
    chosen = np.isin(label, label[holding(parts, start)])
    return [chosen[a:b] for a, b in pairwise(first)]


def shortest_path(parts: list[Boxes], is_open: Bools, start: Array, end: Array) -> Array | None:
    """Return the shortest path (n, 3) from start to end (3,) over the centres of touching boxes that are open; None
    without one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    centres = np.concatenate([part.centres for part in parts])
    begins, ends = np.flatnonzero(holding(parts, start)), np.flatnonzero(holding(parts, end))
    if not (len(begins) and len(ends)):
        return None
    is_open = is_open.copy()
    is_open[[begins[0], ends[0]]] = True  # the ends count as open, whatever is known of their boxes
    here, there = neighbours(parts)
    both = is_open[here] & is_open[there]
    here, there = here[both], there[both]
    length = np.linalg.norm(centres[here] - centres[there], axis=1)
    graph = coo_array((length, (here, there)), shape=(len(centres), len(centres))).tocsr()
    _, before = dijkstra(graph, directed=False, indices=begins[0], return_predecessors=True)
    between, box = [], int(ends[0])
    for _ in range(len(centres)):  # back from the end; SciPy marks boxes without a predecessor by a negative number
        if box < 0 or box == begins[0]:
            break
        box = int(before[box])
        between.append(box)
    return None if box < 0 else np.concatenate([[start], centres[between[:-1][::-1]], [end]])


def _keys(place: Ints) -> Ints:
    """One number for each place: 21 bits a coordinate, shifted by one so that neighbours at -1 have their own."""
    x, y, z = (place + 1).T
    return np.asarray((x << 42) | (y << 21) | z)


Parts = TypeVar("Parts", bound=Sized)
Open = TypeVar("Open", bound=Sized)


def halve_open(
    parts: Parts,
    undecided: Callable[[Parts], Open],
    cut: Callable[[Open], Parts],
    most: int,
    pieces: int,
    is_over: Callable[[Open], bool] = lambda _: False,
) -> Open:
    """Return the parts that are undecided when the search `is_over`, or when more than `most` parts would be evaluated.

    `undecided` evaluates parts, records what it decides and returns the others; `cut` divides each of these into no
    more than `pieces`.
    """
    count = 0
    while True:
        count += len(parts)
        rest = undecided(parts)
        if not len(rest) or count + pieces * len(rest) > most or is_over(rest):
            return rest
        parts = cut(rest)
