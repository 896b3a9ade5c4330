"""What a search has to prove: limited quantities of legs, of the tool, of pairs of legs, and of the platform."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits import _margins as layout
from gough.limits.quantities import Limited, all_legs, jacobian, leg_limits, tool_limits
from gough.limits.rods import Pose, Quantity, Rods
from gough.limits.table import LimitTable
from gough.regions.clearance import Segment, pair_limits
from gough.regions.singularity import singular_limit

Quantities = Callable[[Ints, Pose], Iterator[Limited]]
"""Limited quantities at poses, of the leg, the pair, ... whose index each pose has."""


class Values(NamedTuple):
    """Quantities (k, n) and what takes each back to its margin."""

    f: Quantity
    limited: list[Limited]

    def margins(self, v: Array) -> Array:
        """Return margins (k, n) of values or of their lower bounds."""
        with np.errstate(all="ignore"):
            return np.stack([each.margin(row) for each, row in zip(self.limited, v, strict=True)])


@dataclass(frozen=True, eq=False)
class Task:
    """Limited quantities that share their boxes.

    `count`: of legs, pairs, ...; `columns` (k, count): the column of the limit that each quantity belongs to, -1 where
    it counts for none. `tolerance`, `scale` (columns,) of the limits [SI].
    """

    quantities: Quantities
    count: int
    columns: Ints
    tolerance: Array
    scale: Array

    def at(self, pose: Pose, i: Ints) -> Values:
        """Evaluate at poses (n,)."""
        with np.errstate(all="ignore"):
            limited = list(self.quantities(i, pose))
            rows = np.broadcast_arrays(*(each.value for each in limited))
            return Values(np.stack(rows), limited)

    def over(self, pose: Pose, i: Ints) -> Values:
        """Return models over boxes (n,) of poses."""
        with np.errstate(all="ignore"):
            limited = list(self.quantities(i, pose))
            nothing = pose.p[0] * 0.0
            return Values(np.stack([nothing + each.value for each in limited]), limited)

    def allowance(self, values: Values, columns: Ints) -> Array:
        """Determine how far below zero quantities (k, n) may be where their limits hold to their tolerance."""
        per = np.stack([np.broadcast_to(each.per_margin, columns.shape[1:]) for each in values.limited])
        return np.asarray(np.where(columns >= 0, self.tolerance[columns] * np.nan_to_num(per), 0.0))


def columns_by_place(table: LimitTable, counted: Bools) -> Ints:
    """Return the columns of the places in the layout of all margins: -1 where a limit does not count (columns,), or
    cannot be broken."""
    places, found = table.arrays.places, np.full(layout.COLUMNS, -1)
    found[places] = np.where(counted & ~unbreakable(table), np.arange(len(places)), -1)
    return found


@np.errstate(all="ignore")
def own_tasks(table: LimitTable, counted: Bools) -> list[Task]:
    """Yield tasks for the limits of a machine that count (columns,)."""
    limits, column_of = table.arrays, columns_by_place(table, counted)
    tolerance = limits.tolerance

    def legs(i: Ints, pose: Pose) -> Rods:
        return Rods(limits.code, limits.T, i, pose)

    def pairs(k: Ints, pose: Pose) -> Iterator[Limited]:
        return pair_limits(limits, k, *(Segment.of(legs(limits.pairs[k, side], pose)) for side in (0, 1)))

    def singular(_: Ints, pose: Pose) -> Iterator[Limited]:
        rods = all_legs(limits, pose)
        yield singular_limit(limits, jacobian(limits, rods), rods.length)

    kinds: list[tuple[Quantities, int, bool]] = [
        (lambda i, pose: leg_limits(limits, legs(i, pose)), 6, True),
        (lambda _, pose: tool_limits(limits, pose), 1, False),
        (pairs, len(limits.pairs), True),
        (singular, 1, False),
    ]
    found = []
    for quantities, count, is_many in kinds:
        if count == 0:
            continue
        places = [
            each.place
            for each in quantities(np.zeros(1, dtype=int), Pose(np.eye(3)[..., None], np.zeros((3, 1)), np.zeros(3)))
        ]
        columns = np.array([column_of[place + np.arange(count) * is_many] for place in places]).reshape(-1, count)
        if (columns >= 0).any():
            found.append(Task(quantities, count, columns, tolerance, 1 / limits.per_scale))
    return found


def unbreakable(table: LimitTable) -> Bools:
    """Find which limits (columns,) no pose breaks: angles of half a turn and more, singularity of a singular home."""
    arrays, found = table.arrays, np.zeros(len(table.columns), dtype=bool)
    for k, (column, place) in enumerate(zip(table.columns, arrays.places, strict=True)):
        if column.unit == "rad" and place >= layout.BASE_CONE:
            found[k] = column.bound <= -np.pi / 2 if column.is_lower else column.bound >= np.pi
        if place == layout.SINGULARITY:
            found[k] = arrays.G[layout.SIDE] == 0 and column.bound <= 0
    return found
