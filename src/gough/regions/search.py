"""State of the proof of one region: bounds of each limit, and the boxes that are still undecided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints
from gough.regions.cells import Cells, split_boxes
from gough.regions.descent import FEW_ROUNDS, ROUNDS, local_minimum
from gough.regions.halving import halve_open
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

SMALLEST = 1e-10
"""Displacement of joints, as a part of the machine's size, below which boxes are not halved: rounding decides there."""
LEAST_WEIGHT = 0.01
"""Smallest weight of a coordinate for limits on request, as a part of the displacement of joints by it."""
LEAST_TURN = 0.5
"""Smallest weight of a rotation, as a part of the largest of the three."""

MANY = 128
"""Boxes from which on each is halved once at a time: fewer boxes in all, where more rounds cost little."""


class Tasks(NamedTuple):
    """Boxes (n), and the limits that are to be decided over each: flags (n, k), or one column (n,)."""

    cells: Cells
    limits: NDArray[Any]

    def __len__(self) -> int:
        return len(self.cells)

    def chosen(self, which: Bools) -> Tasks:
        """Some of the tasks."""
        return Tasks(self.cells.chosen(which), self.limits[which])


class Undecided(NamedTuple):
    """Tasks (n) that bounds did not decide, the remaining part of each box, and the gain (n, 6) by halving it along
    each coordinate."""

    tasks: Tasks
    left: Cells
    gain: Array

    def __len__(self) -> int:
        return len(self.tasks)


@dataclass(eq=False)
class Search:
    """Proof of one region: `lower` and `upper` bounds (k,) of the smallest margin of each limit, `places` (k, 6) that
    attain the upper ones, which limits are `counted`, and the number of boxes that were bounded."""

    limits: RegionLimits
    region: PoseRegion
    counted: Bools
    lower: Array = field(init=False)
    upper: Array = field(init=False)
    places: Array = field(init=False)
    boxes: int = 0

    def __post_init__(self) -> None:
        count = len(self.limits.columns)
        self.lower, self.upper = np.full(count, np.inf), np.full(count, np.inf)
        self.places = np.tile(self.region.centre, (count, 1))

    @property
    def broken(self) -> int:
        """Column of the limit that is broken most, relative to its scale; -1 if none is known to be broken."""
        is_broken = self.counted & (self.upper < -self.tolerance)
        return int(np.argmin(np.where(is_broken, self.upper / self.limits.scales, np.inf))) if is_broken.any() else -1

    @cached_property
    def tolerance(self) -> Array:
        """How far below zero margins (k,) may be where their limits hold, see `gough.limits.table.ROUNDING`."""
        return np.array([column.tolerance for column in self.limits.columns])

    @cached_property
    def weight(self) -> Array:
        """Weights of the coordinates (6,), by which boxes are halved: displacements of the platform's joints [m/m,
        m/rad].

        With limits on request relative changes of the inverse Jacobian, but no less than a part of those displacements.
        Rotations about a machine's axis may not change it, but remainders of models grow with all rotations.
        """
        lever = float(np.linalg.norm(self.limits.machine.b_P - self.region.about, axis=-1).max())
        moved = np.repeat([1.0, lever], 3)
        change = self.limits.sensitivity(self.region) if self.limits.requested else moved
        change[3:] = np.maximum(change[3:], LEAST_TURN * change[3:].max())
        scale = change[:3].max()  # the weights are relative: the largest of a position becomes 1, as of displacements
        return np.maximum(change / scale, LEAST_WEIGHT * moved) if 0 < scale < np.inf else moved

    def halve(
        self, tasks: Tasks, evaluate: Callable[[Tasks], Undecided], most: int, halvings: int, fall: float
    ) -> Undecided:
        """Branch and bound until nothing is undecided, a limit is broken, `most` boxes were bounded, or boxes are tiny;
        `evaluate` bounds tasks and returns those that are undecided."""

        def cut(rest: Undecided) -> Tasks:
            times = halvings if len(rest) < MANY else 1
            cells, of = split_boxes(self.region, rest.tasks.cells, rest.left, rest.gain, times, fall)
            return Tasks(cells, rest.tasks.limits[of])

        def is_over(rest: Undecided) -> bool:
            extent = float((rest.tasks.cells.half * self.weight).max())
            return self.broken >= 0 or extent < SMALLEST * self.limits.machine.size

        return halve_open(tasks, evaluate, cut, most - self.boxes, 2**halvings, is_over)

    def sample(self, z: Array) -> None:
        """Evaluate the margins at places (n, 6) of the region, for `upper`."""
        self.record(z, self.limits.margins(self.region.poses(z)))

    def minimise(self, column: int, rounds: int = ROUNDS) -> None:
        """Lower `upper` of a limit to a local minimum near its place."""
        self.sample(local_minimum(self.limits, self.region, self.places[column], column, rounds)[None])

    def descend(self, columns: Ints, most: int) -> None:
        """Minimise, in few rounds, those of some limits whose smallest margins, in their scales, are the lowest known,
        unless a limit is broken already."""
        if self.broken < 0:
            for c in columns[np.argsort((self.upper / self.limits.scales)[columns])][:most]:
                self.minimise(int(c), FEW_ROUNDS)

    def record(self, z: Array, values: Array) -> None:
        """Lower `upper` to the smallest of margins (n, k) at places (n, 6)."""
        if not len(z):
            return
        values = np.where(np.isnan(values), np.inf, values)  # no margin where a leg cannot close: its reach is broken
        at = np.argmin(values, axis=0)
        least = values[at, np.arange(values.shape[1])]
        is_less = least < self.upper
        self.upper[is_less], self.places[is_less] = least[is_less], z[at[is_less]]

    def conclude(self, lower: Array, where: Bools) -> None:
        """Include final lower bounds (n, k) of margins over boxes in `lower`, for boxes and limits `where` (n, k)."""
        self.lower = np.minimum(self.lower, np.where(where, lower, np.inf).min(axis=0, initial=np.inf))
