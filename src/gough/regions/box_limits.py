"""Lower bounds of every margin over given boxes of poses, without search: for pavings and tubes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits.rods import Pose, Quantity
from gough.regions.cells import Cells
from gough.regions.charts import WIDER
from gough.regions.minorant import minorant
from gough.regions.models import ROUND, variables
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion
from gough.regions.tasks import Task

TOGETHER = 2048
"""Boxes times legs that are bounded together."""

STEEPEST = 1e100
"""Slopes from which on nothing is known."""


class BoxLimits(NamedTuple):
    """Lower bounds (n, k) of margins over n boxes [SI], and gradients (n, k, d), by the boxes' coordinates, of
    quantities that grow with the margins: of each limit the one with the lowest bound."""

    lower: Array
    gradient: Array


class Family(NamedTuple):
    """Poses over n boxes with centres and half widths (d, n), and balls of coordinates: `pose_at` takes coordinates (d,
    m) and the number of the box of each."""

    centre: Array
    half: Array
    groups: tuple[Ints, ...]
    pose_at: Callable[[Quantity, Ints], Pose]


@np.errstate(all="ignore")
def limits_over(
    tasks: Sequence[Task], columns: int, family: Family, support: Callable[[Array, Ints], Array] | None = None
) -> BoxLimits:
    """Bounds over the boxes of a family; `support` bounds -slope . y (m,) over them for slopes (d, m) and box numbers,
    where they hold poses of a narrower set."""
    d, n = family.centre.shape
    lower, slope = np.full((n, columns), np.inf), np.zeros((n, columns, d))
    for task in tasks:
        each = max(1, TOGETHER // task.count)
        for first in range(0, n, each):
            box = np.repeat(np.arange(first, min(first + each, n)), task.count)
            i = np.tile(np.arange(task.count), len(box) // task.count)
            centre, half = family.centre[:, box], family.half[:, box]
            values = task.over(family.pose_at(variables(centre, half), box), i)
            f, column = values.f, task.columns[:, i]
            least = minorant(f, centre, half, family.groups).lower
            slopes = f.c[1 : 1 + d]
            if support is not None:
                linear = np.stack([support(row, box) for row in slopes.swapaxes(0, 1)])
                least = np.fmax(least, f.value - linear - f.spread[1] * WIDER - ROUND * f.size)
            margins = values.margins(least)
            margins = np.where(np.isnan(margins), -np.inf, margins)
            for row, number in enumerate(column):
                counts = number >= 0
                b, c, v = box[counts], number[counts], margins[row][counts]
                is_lower = v < lower[b, c]
                b, c = b[is_lower], c[is_lower]
                lower[b, c] = v[is_lower]
                slope[b, c] = slopes[:, row].T[counts][is_lower]
    # Of a leg that may be singular slopes mean nothing.
    return BoxLimits(np.where(np.isposinf(lower), -np.inf, lower), np.where(np.abs(slope) < STEEPEST, slope, 0.0))


@np.errstate(all="ignore")
def limits_over_cells(limits: RegionLimits, region: PoseRegion, cells: Cells, counted: Bools) -> BoxLimits:
    """Bounds of the limits that count (k,) over boxes of a region's six coordinates."""
    chart = Chart.of(region)
    centre, half = (
        each[:, chart.free].T / region.half[chart.free, None] for each in (cells.centre - region.centre, cells.half)
    )
    family = Family(centre, half * WIDER, chart.groups, lambda y, box: chart.pose_at(y))
    found = limits_over(limits.tasks(counted), len(counted), family)
    gradient = np.zeros((*found.lower.shape, 6))
    gradient[..., chart.free] = np.nan_to_num(found.gradient / cells.half[:, None, chart.free], posinf=0.0, neginf=0.0)
    return BoxLimits(found.lower, gradient)
