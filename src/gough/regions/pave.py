"""Branch and bound for pavings: boxes are bounded, and halved where the bounds do not decide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits.interval_search import limit_names
from gough.limits.table import limit_table, margin_values
from gough.machine import Machine
from gough.regions.box_limits import limits_over_cells
from gough.regions.cells import Cells, Motion, is_within, joined, measure_bounds, meets
from gough.regions.displacement_bounds import LegReach, PoseBalls, leg_enclosure, leg_reach, margin_bounds
from gough.regions.paving import INNER, OUTER, UNKNOWN, Bytes, Paving, halved
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

TOGETHER = 1024
"""Boxes that are bounded together."""
FEW = 256
"""Boxes up to which halving runs in the calling process: it is as fast as a cluster's reply."""
TURNING = 1.5
"""Weight of rotations relative to the displacement of joints by them: cones depend on both."""
HOPE = 3.0
"""Bounds of second order, which take ten times as long, are tried where those of first order are no lower than minus so
many times the margin at the centre."""
SMALLEST = 1e-9
"""Displacement of joints, as a part of the machine's size, below which boxes are not halved."""


class PavingTask(NamedTuple):
    """What workers need to classify boxes: machine, region, which limits (k,) count, the legs' reach, and whether
    bounds of second order are worth their time."""

    machine: Machine
    region: PoseRegion
    counted: Bools
    reach: LegReach
    is_sharp: bool

    @classmethod
    def of(cls, machine: Machine, region: PoseRegion, counted: Bools, *, is_sharp: bool = True) -> PavingTask:
        """Return the task with the reach of the legs."""
        return cls(machine, region, counted, leg_reach(machine, frozenset(ignored_names(machine, counted))), is_sharp)


def ignored_names(machine: Machine, counted: Bools) -> tuple[str, ...]:
    """Return names of the limits that do not count."""
    columns = limit_table(machine).columns
    return tuple(column.name for column, counts in zip(columns, counted, strict=True) if not counts)


def limit_names_for_paving(machine: Machine, ignore: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of a machine's limits; raises `InputError` where `ignore` has a name that is none, or the reach of a
    rod."""
    for column in limit_table(machine).columns:
        if column.quantity == "reach" and column.name in ignore:
            raise InputError(f"limit {column.name!r} cannot be ignored here: beyond it the leg cannot close")
    return limit_names(machine, ignore)


@checks_arguments
def enclosing_region(machine: Machine, ignore: tuple[str, ...] = ()) -> PoseRegion:
    """Build a region that contains every allowed pose of a machine: all orientations, and a box of positions.

    The mean of the platform's joints is at a fixed distance from each, whose positions the leg's reach bounds
    (by definition |b - p| = L, `gough.regions.displacement_bounds`); the tool's origin is in its box.

    Parameters
    ----------
    machine : Machine
    ignore : tuple of str
        Names of limits that do not count.

    Returns
    -------
    PoseRegion
        Of the mean of the platform's joints, about home's orientation.

    Raises
    ------
    InputError
        The legs have no largest length; a name in `ignore` that is none of the machine's limits, or a rod's reach.

    """
    limit_names_for_paving(machine, ignore)
    reach, middle = leg_reach(machine, frozenset(ignore)), machine.platform_centre
    arm = np.linalg.norm(machine.b_P - middle, axis=1)[:, None]
    high, low = (reach.support[:, :3] + arm).min(axis=0), -(reach.support[:, 3:6] + arm).min(axis=0)
    tool = float(np.linalg.norm(machine.X_PT[:3, 3] - middle))
    for k, axis in enumerate("xyz"):
        if f"tool {axis} min" not in ignore:
            low[k] = max(low[k], machine.limits.box[k, 0] - tool)
        if f"tool {axis} max" not in ignore:
            high[k] = min(high[k], machine.limits.box[k, 1] + tool)
    if not np.isfinite([low, high]).all():
        raise InputError(f"machine {machine.name!r}: the legs have no largest length; specify a region")
    half = np.maximum(high - low, 1e-9 * machine.size) / 2 * (1 + 1e-9)
    return PoseRegion(
        centre=np.concatenate([(low + high) / 2, np.zeros(3)]),
        half=np.concatenate([half, np.full(3, np.pi)]),
        groups=((0,), (1,), (2,), (3, 4, 5)),
        about=middle,
        reference=machine.X_home[:3, :3],
        name="all poses",
    )


def classify(job: PavingTask, cells: Cells) -> Bytes:
    """Return status (n,) of boxes: INNER, OUTER or UNKNOWN."""
    found = np.full(len(cells), OUTER, dtype=np.int8)
    inside = np.flatnonzero(meets(job.region, cells))
    for first in range(0, len(inside), TOGETHER):
        part = inside[first : first + TOGETHER]
        motion = Motion.over(job.region, cells.chosen(part))
        reached = ~job.reach.is_missed(job.machine, motion)  # the cheapest test comes first
        part = part[reached]
        values, low, high = first_order_bounds(job, motion.chosen(reached))
        found[part] = np.where((low >= 0).all(axis=1), INNER, UNKNOWN)
        found[part[(high < 0).any(axis=1)]] = OUTER
        if job.is_sharp:
            hopeful = part[(found[part] == UNKNOWN) & ((values >= 0) & (low >= -HOPE * values)).all(axis=1)]
            if len(hopeful):
                limits = RegionLimits.of(job.machine)
                lower = limits_over_cells(limits, job.region, cells.chosen(hopeful), job.counted, is_whole=False).lower
                found[hopeful[(lower[:, job.counted] >= 0).all(axis=1)]] = INNER
    return found


def classify_halves(job: PavingTask, cells: Cells) -> Bytes:
    """Return status (2 n,) of both halves of boxes."""
    return classify(job, halved_longest(job, cells)[0])


def halved_longest(job: PavingTask, cells: Cells) -> tuple[Cells, Ints]:
    """Return both halves of each box, the lower one first, and the coordinates along which they are halved: those with
    the largest displacement of the platform's joints."""
    axes = np.argmax(cells.half * displacement_weight(job), axis=1)
    return halved(cells, axes), axes


def displacement_weight(job: PavingTask) -> Array:
    """Return the displacement of joints per change of each coordinate (6,) [m/m, m/rad]; rotations count more."""
    far = np.linalg.norm(job.machine.b_P - job.region.about, axis=-1).max()
    return np.repeat([1.0, TURNING * float(far)], 3)


def first_order_bounds(job: PavingTask, motion: Motion) -> tuple[Array, Array, Array]:
    """Return margins (n, k) of the limits that count at boxes' centres, and their lower and upper bounds over the
    boxes."""
    machine, table = job.machine, limit_table(job.machine)
    balls = PoseBalls.over(machine, motion)
    with np.errstate(invalid="ignore", over="ignore"):
        enclosure = leg_enclosure(machine, balls)
        values = margin_values(machine, motion.X)
        low, high = margin_bounds(machine, table, balls, values, enclosure)
        high[job.reach.is_broken(machine, motion, enclosure)] = -np.inf  # no pose of the box closes within its limits
    return values[:, job.counted], low[:, job.counted], high[:, job.counted]


class Paver:
    """Makes a paving: halves all undecided boxes together, and only the largest of them where boxes run out.

    Boxes are numbered in the order in which they are made; both halves of a box have consecutive numbers.
    """

    def __init__(self, job: PavingTask, workers: Chunks[PavingTask, Cells, Bytes]) -> None:
        self.job, self.workers = job, workers
        self.count, self.status, self.splits = 0, list[Bytes](), list[tuple[Ints, Ints, int]]()
        self.inner: list[Cells] = []
        whole = Cells(job.region.centre[None], job.region.half[None])
        self.numbers, self.cells = self._added(whole, classify(job, whole))

    @property
    def paving(self) -> Paving:
        """The paving as it is now."""
        axis, child = np.full(self.count, -1, dtype=np.int8), np.zeros(self.count, dtype=np.int32)
        for numbers, axes, first in self.splits:
            axis[numbers] = axes
            child[numbers] = first + 2 * np.arange(len(numbers))
        status = np.concatenate(self.status)
        status[axis >= 0] = UNKNOWN
        ignored = ignored_names(self.job.machine, self.job.counted)
        return Paving(self.job.region, status, axis, child, self.job.machine.name, ignored)

    @property
    def candidates(self) -> Cells:
        """Boxes that may hold allowed poses."""
        return joined([*self.inner, self.cells])

    @property
    def is_over(self) -> bool:
        """Whether no box can be halved any more."""
        least = SMALLEST * self.job.machine.size
        return not len(self.cells) or bool((self.cells.half * displacement_weight(self.job)).max() < least)

    def grow(self, max_boxes: int, max_undecided: float = np.inf, progress: Progress = None) -> None:
        """Halve boxes until there are `max_boxes` in all, or more than `max_undecided` that are undecided."""
        while not self.is_over and len(self.cells) <= max_undecided and (room := (max_boxes - self.count) // 2) > 0:
            self._halve(room)
            if progress is not None:
                progress(min(self.count, max_boxes), max_boxes)

    def _halve(self, most: int) -> None:
        """Halve no more than `most` of the undecided boxes, the largest, while workers classify the halves."""
        now, later = self._largest(most)
        numbers, cells = self.numbers[now], self.cells.chosen(now)
        parts = [slice(first, first + TOGETHER) for first in range(0, len(cells), TOGETHER)]
        chunks = [cells.chosen(part) for part in parts]
        here = (classify_halves(self.job, chunk) for chunk in chunks)
        found = self.workers.results(chunks) if len(cells) > FEW else here
        kept = [(self.numbers[later], self.cells.chosen(later))]
        for part, chunk, status in zip(parts, chunks, found, strict=True):
            halves, axes = halved_longest(self.job, chunk)
            self.splits.append((numbers[part], axes, self.count))
            kept.append(self._added(halves, status))
        self.numbers, self.cells = np.concatenate([each for each, _ in kept]), joined([each for _, each in kept])

    def _largest(self, most: int) -> tuple[Ints | slice, Ints | slice]:
        """Which undecided boxes have the largest measures, no more than `most`, and which are the others."""
        if len(self.cells) <= most:
            return slice(None), slice(0)
        order = np.argsort(-measure_bounds(self.job.region, self.cells)[1], kind="stable")
        return np.sort(order[:most]), np.sort(order[most:])

    def _added(self, cells: Cells, status: Bytes) -> tuple[Ints, Cells]:
        """Number new boxes; the numbers and boxes of those that are undecided."""
        numbers = np.arange(self.count, self.count + len(status))
        self.status.append(status)
        self.count += len(status)
        is_inner = status == INNER
        is_inner[is_inner] = is_within(self.job.region, cells.chosen(is_inner))
        self.inner.append(cells.chosen(is_inner))
        # An inner box across the region's boundary stays undecided: the bounds of its measure differ until it is
        # halved.
        is_undecided = (status != OUTER) & ~is_inner
        return numbers[is_undecided], cells.chosen(is_undecided)
