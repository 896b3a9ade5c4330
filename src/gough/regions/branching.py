"""Branch and bound: limits over a region are proven on boxes of its coordinates, or refuted by a pose.

Each task (`gough.regions.tasks`) has its own boxes. In a round all boxes of a task are bounded; those where a quantity
may be negative are cut to the part where its minorant is (`gough.regions.minorant`) and halved (Merlet 2006, Parallel
Robots, section 7.4). Poses that may break a limit come from the minimisers of the minorants, and from descents: boxes
that shrink about a place where a quantity is small, each moved to the minimiser of the model over it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints, Progress
from gough.regions.descent import FEW_ROUNDS, ROUNDS, local_minimum
from gough.regions.minorant import Minorant, minorant
from gough.regions.models import variables
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits
from gough.regions.tasks import Task, Values

DRAWN = 64
"""Random places from which descents start."""
DESCENTS = 12
"""Most descents of a task, those from the smallest values."""
FIRST, LAST = 0.5, 0.02
"""Half widths of the first and last boxes of descents."""
SHRINK, PROGRESS = 0.3, 0.05
"""Factor of half widths where a descent gains less than this part of the value."""
AGAIN, MINIMA = 4, 3
"""Number of limits whose margins are minimised, from their smallest known values, each time the number of bounded
boxes has grown by the factor `AGAIN`."""
FEW, SOME = 8, 40
"""Boxes up to which each is halved three times and twice between rounds: more rounds cost more than more boxes."""
LOOKED = 8
"""Boxes with the lowest bounds whose minimisers are looked at in a round."""
TOGETHER = 1024
"""Boxes that are bounded together."""
SMALLEST = 1e-10
"""Displacement of joints, as a part of the machine's size, below which boxes are not halved: rounding decides there."""
REST = 2.0
"""Weight of remainders against mixed terms where boxes are halved: a half has an eighth of those of its coordinate, and
half of these."""
OVERLAP = 1 + 1e-12
"""Factor of half widths of halves."""


class Boxes(NamedTuple):
    """Boxes (d, n) of a task: centres, half widths, the leg or pair (n,) of each, which quantities (k, n) are open,
    and lower bounds (k, n) of their margins."""

    centre: Array
    half: Array
    items: Ints
    open: Bools
    lower: Array

    def chosen(self, which: Bools | Ints | slice) -> Boxes:
        """Return some of the boxes."""
        centre, half, items, is_open, lower = self
        return Boxes(centre[:, which], half[:, which], items[which], is_open[:, which], lower[:, which])


def joined(parts: list[Boxes]) -> Boxes:
    """Return boxes of several sets, one after the other."""
    return Boxes._make(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))


class Bounded(NamedTuple):
    """Bounds over boxes: what the quantities are, their minorants, and lower bounds (k, n) of the margins."""

    values: Values
    least: Minorant
    lower: Array


@dataclass(eq=False)
class Record:
    """What is known of each limit's smallest margin: a proven lower bound, the smallest one that was found (columns,)
    [SI], and its place (d, columns)."""

    lower: Array
    upper: Array
    places: Array

    def found(self, margins: Array, columns: Ints, y: Array) -> None:
        """Include margins (k, n) of limits `columns` (k, n) at places (d, n)."""
        margins = np.where((columns >= 0) & ~np.isnan(margins), margins, np.inf)
        for c in np.unique(columns[margins < np.where(columns >= 0, self.upper[columns], -np.inf)]):
            values = np.where(columns == c, margins, np.inf)
            k = int(np.argmin(values.min(axis=0)))
            self.upper[c], self.places[:, c] = values[:, k].min(), y[:, k]

    def proven(self, margins: Array, columns: Ints, where: Bools) -> None:
        """Include final lower bounds (k, n) over boxes, of quantities `where` (k, n)."""
        where = where & (columns >= 0)
        np.minimum.at(self.lower, columns[where], margins[where])


@dataclass(eq=False)
class Search:
    """Search of a region for the limits that are `counted`; `boxes` were bounded, `broken` is the column of a limit
    that a pose breaks, or -1."""

    limits: RegionLimits
    chart: Chart
    counted: Bools
    boxes: int = 0
    broken: int = -1

    @cached_property
    def tasks(self) -> list[Task]:
        """What is to be proven."""
        return self.limits.tasks(self.counted)

    @cached_property
    def record(self) -> Record:
        """What is known."""
        k = len(self.limits.columns)
        return Record(np.full(k, np.inf), np.full(k, np.inf), np.zeros((len(self.chart.free), k)))

    @cached_property
    def weight(self) -> Array:
        """Displacements of joints by the coordinates (d,), in sizes of the machine."""
        machine, region = self.limits.machine, self.chart.region
        lever = float(np.linalg.norm(machine.b_P - region.about, axis=-1).max())
        return (region.half * np.repeat([1.0, lever], 3))[self.chart.free] / machine.size

    def run(self, most: int, progress: Progress, places: Array) -> list[Boxes]:
        """Return boxes that are left open when all is proven, a limit is broken, or `most` boxes were bounded; of
        `places` (n, 6), in units of the half widths, margins are computed first."""
        d = len(self.chart.free)
        drawn = np.random.default_rng(0).uniform(-1.5, 1.5, (d, DRAWN))  # moved inside, many are on the boundary
        drawn = self.chart.moved_inside(drawn)
        starts = []
        known = self.chart.moved_inside(places.T[self.chart.free])
        for task in self.tasks:
            whole = self.whole(task)
            self.look(task, whole.centre, whole.items)
            if self.broken < 0 and len(places):
                self.look(task, np.tile(known, task.count), np.repeat(whole.items, len(places)))
            if self.broken >= 0:
                return []
            if d:
                starts.append((task, whole, self.bound(task, whole)))
        if not d:  # a single pose: its margins are known
            self.record.lower[:] = self.record.upper
            return []
        for task, whole, bounded in starts:
            self.descend(task, whole, bounded, drawn)
            if self.broken >= 0:
                return []
        left = [(task, self.halved(task, whole, bounded)) for task, whole, bounded in starts]
        again = AGAIN * DRAWN
        while any(len(boxes.items) for _, boxes in left):
            if self.boxes + sum(len(boxes.items) for _, boxes in left) > most or self.is_tiny(left):
                break
            left = [(task, self.next_round(task, boxes)) for task, boxes in left]
            if progress is not None:
                progress(min(self.boxes, most), most)
            if self.broken < 0 and self.boxes > again:
                again *= AGAIN
                for column in self.open_columns(left)[:MINIMA]:
                    if self.broken < 0:
                        self.minimise_column(column, FEW_ROUNDS)
            if self.broken >= 0:
                return []
        for task, boxes in left:
            self.record.proven(boxes.lower, task.columns[:, boxes.items], boxes.open)
        return [boxes for _, boxes in left if len(boxes.items)]

    def bound_whole(self) -> None:
        """Take bounds over the whole region as the lower ones, where a search was ended by a broken limit."""
        self.record.lower[:] = self.record.upper if not len(self.chart.free) else np.inf
        for task in self.tasks if len(self.chart.free) else ():
            whole = self.whole(task)
            self.record.proven(self.bound(task, whole).lower, task.columns, whole.open)

    @np.errstate(all="ignore")
    def look_at_minimisers(self) -> None:
        """Record margins where models over the whole region are smallest, whether or not limits are broken."""
        for task in self.tasks:
            whole = self.whole(task)
            which, k = np.nonzero(whole.open)
            least = self.bound(task, whole).least
            self.look(task, whole.centre, whole.items)
            self.look(task, self.place(whole, k, least.x[:, which, k]), whole.items[k])

    def whole(self, task: Task) -> Boxes:
        """Return the region as one box for each leg, pair, ..."""
        shape = (len(self.chart.free), task.count)
        unknown = np.full(task.columns.shape, -np.inf)
        return Boxes(np.zeros(shape), np.ones(shape), np.arange(task.count), task.columns >= 0, unknown)

    def open_columns(self, left: list[tuple[Task, Boxes]]) -> list[int]:
        """Return limits that are open in some box, those with the smallest known margins first."""
        found = {
            int(c): self.record.upper[c] / task.scale[c] for task, b in left for c in task.columns[:, b.items][b.open]
        }
        return sorted((c for c in found if c >= 0), key=lambda c: found[c])

    def is_tiny(self, left: list[tuple[Task, Boxes]]) -> bool:
        """Test whether boxes are so small that rounding decides."""
        return any(len(b.items) and (b.half * self.weight[:, None]).max() < SMALLEST for _, b in left)

    def next_round(self, task: Task, boxes: Boxes) -> Boxes:
        """Return boxes of a task that remain undecided."""
        parts = [boxes.chosen(slice(0))]
        for first in range(0, len(boxes.items), TOGETHER):
            part = boxes.chosen(slice(first, first + TOGETHER))
            bounded = self.bound(task, part)
            lower = np.where(part.open, bounded.least.lower, np.inf)
            k = np.argsort(lower.min(axis=0), kind="stable")[:LOOKED]
            which = lower[:, k].argmin(axis=0)
            self.look(task, self.place(part, k, bounded.least.x[:, which, k]), part.items[k])
            if self.broken >= 0:
                return part
            parts.append(self.halved(task, part, bounded))
        return joined(parts)

    def place(self, boxes: Boxes, k: Ints, x: Array) -> Array:
        """Return places (d, n) of the region near those with coordinates x of the boxes k (n,)."""
        return self.chart.moved_inside(boxes.centre[:, k] + boxes.half[:, k] * x)

    def look(self, task: Task, y: Array, i: Ints) -> Array:
        """Return margins (k, n) at places (d, n); ends the search where one is broken."""
        values, columns = task.at(self.chart.pose_at(y), i), task.columns[:, i]
        margins = values.margins(values.f)
        self.record.found(margins, columns, y)
        margins = np.where((columns >= 0) & ~np.isnan(margins), margins, np.inf)
        is_broken = margins < -task.tolerance[columns]
        if is_broken.any():
            f, k = np.unravel_index(
                np.argmin(np.where(is_broken, margins / task.scale[columns], np.inf)), margins.shape
            )
            c = int(columns[f, k])
            pose = self.chart.region.poses(self.chart.coordinates(y[:, k])[None])
            if self.limits.margins(pose)[0, c] < -task.tolerance[c]:
                self.broken = c
        return margins

    def bound(self, task: Task, boxes: Boxes) -> Bounded:
        """Return bounds over boxes."""
        values = task.over(self.chart.pose_at(variables(boxes.centre, boxes.half)), boxes.items)
        least = minorant(values.f, boxes.centre, boxes.half, self.chart.groups)
        self.boxes += len(boxes.items)
        lower = values.margins(least.lower)
        allowed = task.allowance(values, task.columns[:, boxes.items])
        return Bounded(values, least._replace(lower=least.lower + allowed), np.where(np.isnan(lower), -np.inf, lower))

    def descend(self, task: Task, whole: Boxes, bounded: Bounded, drawn: Array) -> None:
        """Look for broken limits from the minimisers of undecided quantities, or from the drawn places."""
        which, j = np.nonzero(whole.open & ~(bounded.least.lower >= 0))
        everything, k = np.nonzero(whole.open)
        y = self.place(whole, k, bounded.least.x[:, everything, k])
        values = self.look(task, y, whole.items[k])[everything, np.arange(len(k))]
        if self.broken >= 0 or not len(j):
            return
        undecided = ~(bounded.least.lower[everything, k] >= 0)
        y, values = y[:, undecided], values[undecided]
        legs, at = np.unique(j, return_inverse=True)
        tried = self.look(task, np.tile(drawn, len(legs)), np.repeat(legs, DRAWN)).reshape(-1, len(legs), DRAWN)[
            which, at
        ]
        best = tried.argmin(axis=1)
        least = tried[np.arange(len(j)), best]
        y, values = np.where(least < values, drawn[:, best], y), np.minimum(values, least)
        scale = task.scale[task.columns[which, j]]
        some = np.argsort(values / scale, kind="stable")[:DESCENTS]
        self.minimise(task, y[:, some], which[some], j[some], values[some])

    def minimise(self, task: Task, y: Array, which: Ints, i: Ints, values: Array) -> None:
        """Descend with quantities `which` (n,) from places (d, n), until boxes are small, or a limit is broken."""
        half = np.full(len(i), FIRST)
        while self.broken < 0 and len(i):
            h = np.tile(half, (len(y), 1))
            z, n = np.clip(y, h - 1, 1 - h), np.arange(len(i))
            f = task.over(self.chart.pose_at(variables(z, h)), i).f
            tried = self.chart.moved_inside(z + h * minorant(f, z, h, self.chart.groups).x[:, which, n])
            found = self.look(task, tried, i)[which, n]
            is_less = found < values
            half = np.where(values - found > PROGRESS * np.abs(values), half, SHRINK * half)
            y, values = np.where(is_less, tried, y), np.minimum(values, found)
            on = half > LAST
            y, which, i, values, half = y[:, on], which[on], i[on], values[on], half[on]

    def minimise_column(self, column: int, rounds: int = ROUNDS) -> None:
        """Descend from the smallest known margin of a limit to a local minimum of `gough.margins`."""
        start = self.chart.coordinates(self.record.places[:, column])
        end = local_minimum(self.limits, self.chart.region, start, column, rounds)
        y = ((end - self.chart.region.centre) / self.chart.region.half)[self.chart.free, None]
        margin = self.limits.margins(self.chart.region.poses(end[None]))[:, column]
        self.record.found(margin[None], np.array([[column]]), y)
        if self.broken < 0 and margin[0] < -self.limits.columns[column].tolerance:
            self.broken = column

    def halved(self, task: Task, boxes: Boxes, bounded: Bounded) -> Boxes:
        """Return halves of boxes in which quantities are open, cut to the parts where these may be negative."""
        least, (values, _, lower) = bounded.least, bounded
        still = boxes.open & ~(least.lower >= 0)
        self.record.proven(lower, task.columns[:, boxes.items], boxes.open & ~still)
        if not still.any():
            return boxes.chosen(slice(0))
        # Where a box is cut its open quantities are not negative.
        low, high = np.where(still, least.low, 1.0).min(axis=1), np.where(still, least.high, -1.0).max(axis=1)
        is_cut = ((low > -1) | (high < 1)).any(axis=0)
        self.record.proven(np.zeros(lower.shape), task.columns[:, boxes.items], still & is_cut)
        worst = np.where(still, least.lower, np.inf).argmin(axis=0)
        n = np.arange(len(worst))
        f = values.f
        assert not isinstance(f, np.ndarray)
        share = (boxes.half * self.weight[:, None]) ** 3
        share /= np.maximum(share.sum(axis=0), 1e-300)
        rest = f.r[worst, n]
        loss = np.where(
            np.isfinite(rest), least.bent[:, worst, n] + REST * np.where(np.isfinite(rest), rest, 0.0) * share, share
        )
        middle, part = (low + high) / 2, (high - low) / 2
        cut = Boxes(boxes.centre + boxes.half * middle, boxes.half * part, boxes.items, still, lower)
        keep = still.any(axis=0) & (part >= 0).all(axis=0)
        cut, loss = cut.chosen(keep), (loss * part**2)[:, keep]
        for _ in range(3 if len(cut.items) <= FEW else 2 if len(cut.items) <= SOME else 1):
            cut, loss = self.split(cut, loss)
        return self.shrunk(cut)

    def split(self, boxes: Boxes, loss: Array) -> tuple[Boxes, Array]:
        """Return both halves of boxes, each across the coordinate with the largest loss, which intersect the region."""
        n = np.arange(len(boxes.items))
        k = np.argmax(loss, axis=0)
        half, loss, step = boxes.half.copy(), loss.copy(), np.zeros_like(boxes.half)
        half[k, n] /= 2
        loss[k, n] /= 4
        step[k, n] = half[k, n]
        half *= OVERLAP
        both = joined([boxes._replace(centre=boxes.centre + sign * step, half=half) for sign in (-1, 1)])
        inside = self.chart.meets(both.centre, both.half)
        return both.chosen(inside), np.tile(loss, 2)[:, inside]

    def shrunk(self, boxes: Boxes) -> Boxes:
        """Return boxes around the parts that are in the region's balls."""
        centre, half = boxes.centre.copy(), boxes.half.copy()
        for ball in self.chart.groups:
            near = np.maximum(np.abs(centre[ball]) - half[ball], 0.0) ** 2
            most = np.sqrt(np.maximum(1 - (near.sum(axis=0) - near), 0.0)) + 1e-9
            low, high = np.maximum(centre[ball] - half[ball], -most), np.minimum(centre[ball] + half[ball], most)
            centre[ball], half[ball] = (low + high) / 2, np.maximum(high - low, 0.0) / 2 * OVERLAP
        return boxes._replace(centre=centre, half=half)
