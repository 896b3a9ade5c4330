"""Jumps of a surface of rays: where one limit's surface turns back under the rays, these go on to that of another, and
a wall along them is between the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Bools, Ints

Rays: TypeAlias = Callable[[Array], tuple[Array, Ints]]
"""Lengths (n,) of rays from the origin along unit vectors (n, 3), and the limits that end them (n,)."""

SMALLEST = 0.05
"""Smallest jump, as a part of the side: less is an edge."""
ROUNDS = 10
"""Bisections of a side: the angle between the rays on both sides of a jump is 1/1024 of the side's."""


def along_jumps(rays: Rays, sides: Array, limits: Ints, triangles: Ints, chosen: Bools) -> tuple[Array, Bools, Bools]:
    """The same as `across_jumps` for the sides (n, 2, 3) of triangles (m, 3): first for those that are `chosen` (n,),
    then for those beside a jump that was found, so that it is followed to its ends; of these only jumps count.

    The range of the search, of limit -1, ends no jump.
    """
    found, is_met, is_jump = sides.copy(), np.zeros(len(sides), dtype=bool), np.zeros(len(sides), dtype=bool)
    is_open = (limits[:, 0] != limits[:, 1]) & (limits >= 0).all(axis=1)
    at = np.flatnonzero(chosen & is_open)
    while len(at):
        found[at], is_met[at], is_jump[at] = across_jumps(rays, sides[at], limits[at])
        is_open[at] = False
        beside = np.unique(triangles[is_jump[triangles].any(axis=1)])
        at = beside[is_open[beside]]
    return found, is_met & chosen | is_jump, is_jump


def across_jumps(rays: Rays, sides: Array, limits: Ints) -> tuple[Array, Bools, Bools]:
    """Ends (n, 2, 3) of the two rays nearest to each other that two limits (n, 2) end, which end those to the ends of
    sides (n, 2, 3); whether no third limit came in between, and whether there is a jump between them.

    The directions between are bisected. A third limit counts as the one whose ray is nearer in length.
    """
    lengths, found = np.linalg.norm(sides, axis=2), limits.copy()
    units, n = sides / lengths[..., None], np.arange(len(sides))
    for _ in range(ROUNDS):
        middle = units.sum(axis=1)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        length, limit = rays(middle)
        is_of = limit[:, None] == limits
        closest = np.abs(lengths - length[:, None]).argmin(axis=1)
        replaced = np.where(is_of.any(axis=1), is_of.argmax(axis=1), closest)
        units[n, replaced], lengths[n, replaced], found[n, replaced] = middle, length, limit
    smallest = SMALLEST * np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1)
    is_met = np.asarray((found == limits).all(axis=1))
    return lengths[..., None] * units, is_met, is_met & (np.abs(lengths[:, 1] - lengths[:, 0]) > smallest)


def nearer(points: Array, limits: Ints) -> Ints:
    """Of the limits (n, 2) of pairs of points (n, 2, 3) that of the one nearer to the origin."""
    return np.asarray(np.take_along_axis(limits, np.linalg.norm(points, axis=2).argmin(axis=1)[:, None], axis=1)[:, 0])


def walled(points: Array, after: Ints, before: Ints, is_jump: Bools, middle: int) -> tuple[Array, Ints, Ints, Ints]:
    """Middle points of triangles whose sides cross jumps, and their walls.

    Parameters
    ----------
    points : (n, 3) array
    after, before : (m, 3) array
        Numbers of the points up to which a corner's part reaches on the side after it and on that before it.
    is_jump : (m, 3) array
        Whether the side after each corner crosses a jump.
    middle : int
        Number of the first triangle's middle point, which those of the others follow; further ones come after them.

    Returns
    -------
    points : (k, 3) array
        The further middle points.
    middles : (m, 3) array
        Numbers of each corner's: one for all, unless two jumps or more meet in the triangle.
    walls : (w, 3) array
        Triangles between the parts of two corners.
    of : (w,) array
        Number, triangle by triangle, of the side that each is at.

    """
    # Corners that no jump parts have the same middle point, that of the first of them: the mean of their cuts at jumps.
    parted = np.flatnonzero(is_jump.sum(axis=1) >= 2)
    at_after, group = is_jump[parted], np.tile(np.arange(3), (len(parted), 1))
    at_before = np.roll(at_after, 1, axis=1)
    joined, free = np.nonzero(~at_after)
    group[joined, (free + 1) % 3] = free
    is_same = (group[:, :, None] == group[:, None]).astype(float)
    sums = at_after[..., None] * points[after[parted]] + at_before[..., None] * points[before[parted]]
    count = (at_after.astype(float) + at_before)[..., None]
    means = (is_same @ sums) / (is_same @ count)
    middles = np.repeat(middle + np.arange(len(after))[:, None], 3, axis=1)
    middles[parted] = middle + len(after) + 3 * np.arange(len(parted))[:, None] + group
    # From one part's cut to the other's, to its middle point, and back to the first part's.
    of = np.flatnonzero(is_jump)
    here, there, its, own = (
        x.ravel()[of] for x in (after, np.roll(before, -1, axis=1), np.roll(middles, -1, axis=1), middles)
    )
    is_wide = its != own
    walls = np.concatenate([np.stack([here, there, its], axis=1), np.stack([here, its, own], axis=1)[is_wide]])
    return means.reshape(-1, 3), middles, walls, np.concatenate([of, of[is_wide]])
