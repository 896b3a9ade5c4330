"""How pavings are made: boxes are bounded, and halved where bounds do not decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits.interval_search import limit_names
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.regions.ball_bounds import leg_enclosure, margin_bounds
from gough.regions.cell_bounds import balls_of, bounds_of, margins_at
from gough.regions.cells import Cells, joined, meets, motion_of
from gough.regions.leg_reach import LegReach, leg_reach
from gough.regions.measure import is_within, measure_bounds
from gough.regions.motions import Motion
from gough.regions.paving import INNER, OUTER, UNKNOWN, Bytes, Paving, halved
from gough.regions.shapes import PoseRegion

TOGETHER = 1024
"""Boxes that are bounded together."""
FEW = 256
"""Boxes that are halved in the calling process: it takes no longer than a cluster's answer."""
TURNING = 1.5
"""Times as much as by the displacement of joints it counts that the platform turns: cones see both."""
HOPE = 3.0
"""Times its margin at the centre by which a limit may be broken by the bound of first order, for one of second order to
be tried: it takes ten times as long."""
SMALLEST = 1e-9
"""Part of the machine below which boxes are not halved."""


class PavingTask(NamedTuple):
    """What boxes are judged by: the region's part of a machine's poses, which limits (k,) count, the legs' reach, and
    whether bounds of second order are worth their time."""

    machine: Machine
    region: PoseRegion
    counted: Bools
    reach: LegReach
    is_sharp: bool

    @classmethod
    def of(cls, machine: Machine, region: PoseRegion, counted: Bools, *, is_sharp: bool = True) -> PavingTask:
        """With the reach of the legs."""
        return cls(machine, region, counted, leg_reach(machine, frozenset(ignored_names(machine, counted))), is_sharp)


def ignored_names(machine: Machine, counted: Bools) -> tuple[str, ...]:
    """Names of the limits that do not count."""
    columns = limit_table(machine).columns
    return tuple(column.name for column, counts in zip(columns, counted, strict=True) if not counts)


def limit_names_for_paving(machine: Machine, ignore: tuple[str, ...]) -> tuple[str, ...]:
    """Names of a machine's limits; `InputError` for one to ignore that is none, or that is the reach of a rod."""
    for column in limit_table(machine).columns:
        if column.quantity == "reach" and column.name in ignore:
            raise InputError(f"limit {column.name!r} cannot be ignored here: beyond it the leg cannot close")
    return limit_names(machine, ignore)


@checks_arguments
def enclosing_region(machine: Machine, ignore: tuple[str, ...] = ()) -> PoseRegion:
    """A region that holds every allowed pose of a machine: all orientations, and a box of positions.

    The mean of the platform's joints is no farther from a joint than it is on the platform, and joints are where legs
    reach (`gough.regions.leg_reach`); the tool's origin is in its box.

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
        raise InputError(f"machine {machine.name!r}: the legs have no largest length; give a region")
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
    """What is proven (n,) of boxes."""
    found = np.full(len(cells), OUTER, dtype=np.int8)
    inside = np.flatnonzero(meets(job.region, cells))
    for first in range(0, len(inside), TOGETHER):
        part = inside[first : first + TOGETHER]
        motion = motion_of(job.region, cells.chosen(part))
        reached = ~job.reach.is_missed(job.machine, motion)
        part = part[reached]
        values, low, high = first_order_bounds(job, _chosen(motion, reached))
        found[part] = np.where((low >= 0).all(axis=1), INNER, UNKNOWN)
        found[part[(high < 0).any(axis=1)]] = OUTER
        if job.is_sharp:
            hopeful = (found[part] == UNKNOWN) & ((values >= 0) & (low >= -HOPE * values)).all(axis=1)
            _second_order(job, cells, part[hopeful], found)
    return found


def classify_halves(job: PavingTask, cells: Cells) -> Bytes:
    """What is proven (2 n,) of both halves of boxes."""
    return classify(job, halved_longest(job, cells)[0])


def halved_longest(job: PavingTask, cells: Cells) -> tuple[Cells, Ints]:
    """Both halves of each box, the lower one first, and the coordinates along which they are halved: those that move
    the platform's joints most."""
    axes = np.argmax(cells.half * displacement_weight(job), axis=1)
    return halved(cells, axes), axes


def displacement_weight(job: PavingTask) -> Array:
    """How far joints move along each coordinate (6,) [m/m, m/rad]; rotations count more."""
    far = np.linalg.norm(job.machine.b_P - job.region.about, axis=-1).max()
    return np.repeat([1.0, TURNING * float(far)], 3)


def _second_order(job: PavingTask, cells: Cells, which: Ints, found: Bytes) -> None:
    """Mark those of some boxes that bounds of second order prove to hold allowed poses only."""
    if len(which):
        bounds = bounds_of(job.machine, limit_table(job.machine), job.region, cells.chosen(which), job.counted)
        found[which[(bounds.lower[:, job.counted] >= 0).all(axis=1)]] = INNER


def _chosen(motion: Motion, which: Bools) -> Motion:
    """Some of the boxes."""
    of_boxes = motion._asdict()
    common = {name: of_boxes.pop(name) for name in ("about", "directions")}
    return Motion(**common, **{name: values[which] for name, values in of_boxes.items()})


def first_order_bounds(job: PavingTask, motion: Motion) -> tuple[Array, Array, Array]:
    """Margins (n, k) of the limits that count at boxes' centres, and their lower and upper bounds over the boxes."""
    machine, table = job.machine, limit_table(job.machine)
    balls = balls_of(machine, motion)
    with np.errstate(invalid="ignore", over="ignore"):
        enclosure = leg_enclosure(machine, balls)
        values = margins_at(table, motion.X)
        low, high = margin_bounds(machine, table, balls, values, enclosure)
        high[job.reach.is_broken(machine, motion, enclosure)] = -np.inf
    return values[:, job.counted], low[:, job.counted], high[:, job.counted]


class Tree:
    """A paving that grows: boxes are numbered as they come."""

    def __init__(self) -> None:
        self.count, self.status, self.split = 0, list[Bytes](), list[tuple[Ints, Ints, int]]()

    def grown(self, status: Bytes) -> Ints:
        """Numbers of new boxes with this status."""
        self.status.append(status)
        self.count += len(status)
        return np.arange(self.count - len(status), self.count)

    def halve(self, numbers: Ints, axes: Ints) -> None:
        """Boxes are halved along axes; their halves are the next boxes to come."""
        self.split.append((numbers, axes, self.count))

    def paving(self, job: PavingTask) -> Paving:
        """The paving as it is now."""
        axis, child = np.full(self.count, -1, dtype=np.int8), np.zeros(self.count, dtype=np.int32)
        for numbers, axes, first in self.split:
            axis[numbers] = axes
            child[numbers] = first + 2 * np.arange(len(numbers))
        status = np.concatenate(self.status)
        status[axis >= 0] = UNKNOWN
        ignored = ignored_names(job.machine, job.counted)
        return Paving(job.region, status, axis, child, job.machine.name, ignored)


class Paver:
    """Makes a paving: all open boxes are halved together, where the boxes run out the largest of them."""

    def __init__(self, job: PavingTask, workers: Chunks[PavingTask, Cells, Bytes]) -> None:
        self.job, self.workers, self.tree = job, workers, Tree()
        self.inner: list[Cells] = []
        whole = Cells(job.region.centre[None], job.region.half[None])
        self.numbers, self.cells = self._open(whole, classify(job, whole))

    @property
    def paving(self) -> Paving:
        """The paving as it is now."""
        return self.tree.paving(self.job)

    @property
    def candidates(self) -> Cells:
        """Boxes that may hold allowed poses."""
        return joined([*self.inner, self.cells])

    @property
    def is_over(self) -> bool:
        """Whether no box can be halved any more."""
        least = SMALLEST * self.job.machine.size
        return not len(self.cells) or bool((self.cells.half * displacement_weight(self.job)).max() < least)

    def grow(self, max_boxes: int, most_open: float = np.inf, progress: Progress = None) -> None:
        """Halve boxes until there are so many, or more than `most_open` that are open."""
        while not self.is_over and len(self.cells) <= most_open and (room := (max_boxes - self.tree.count) // 2) > 0:
            self._halve(room)
            if progress is not None:
                progress(min(self.tree.count, max_boxes), max_boxes)

    def _halve(self, most: int) -> None:
        """Halve the boxes that are open, no more than so many, while workers judge the halves of the next ones."""
        now, left = self._largest(most)
        numbers, cells = self.numbers[now], self.cells.chosen(now)
        parts = [slice(first, first + TOGETHER) for first in range(0, len(cells), TOGETHER)]
        chunks = [cells.chosen(part) for part in parts]
        run = self.workers.results if len(cells) > FEW else self._here
        kept = [(self.numbers[left], self.cells.chosen(left))]
        for part, chunk, status in zip(parts, chunks, run(chunks), strict=True):
            halves, axes = halved_longest(self.job, chunk)
            self.tree.halve(numbers[part], axes)
            kept.append(self._open(halves, status))
        self.numbers, self.cells = np.concatenate([each for each, _ in kept]), joined([each for _, each in kept])

    def _here(self, chunks: list[Cells]) -> Iterator[Bytes]:
        return (classify_halves(self.job, chunk) for chunk in chunks)

    def _largest(self, most: int) -> tuple[Ints | slice, Ints | slice]:
        """Which open boxes are the largest, no more than so many, and the others."""
        if len(self.cells) <= most:
            return slice(None), slice(0)
        order = np.argsort(-measure_bounds(self.job.region, self.cells)[1], kind="stable")
        return np.sort(order[:most]), np.sort(order[most:])

    def _open(self, cells: Cells, status: Bytes) -> tuple[Ints, Cells]:
        """Which of new boxes are open, with their numbers."""
        numbers, is_inner = self.tree.grown(status), status == INNER
        is_inner[is_inner] = is_within(self.job.region, cells.chosen(is_inner))
        self.inner.append(cells.chosen(is_inner))
        is_open = (status != OUTER) & ~is_inner  # what lies across the region's boundary has no sharp measure
        return numbers[is_open], cells.chosen(is_open)
