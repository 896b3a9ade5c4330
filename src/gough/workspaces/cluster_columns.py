"""Columns of a workspace, searched by the workers of a cluster."""

from __future__ import annotations

from typing import TypeAlias

from gough.arrays import Array, Progress
from gough.chunks import Chunks
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import Intervals, columns_along
from gough.stacked import AnyMachine

CHUNK = 1024
"""Columns that a worker searches at once."""
Job: TypeAlias = tuple[AnyMachine, LimitArrays, Array, float]
"""Machine, limits, orientation (3, 3) and height of the columns [m]."""


def columns_on_cluster(scheduler: str, common: Job, feet: Array, progress: Progress) -> Intervals:
    """Intervals of columns from feet (n, 3), searched in parts by the workers of a Dask scheduler."""

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(min(done * CHUNK, len(feet)), len(feet))

    with Chunks(_columns, common, scheduler=scheduler) as workers:
        parts = workers.run([feet[first : first + CHUNK] for first in range(0, len(feet), CHUNK)], report)
    most = max(part.ends.shape[1] for part in parts)
    return Intervals.joined([part.padded(most) for part in parts])


def _columns(common: Job, feet: Array) -> Intervals:
    machine, arrays, R, height = common
    return columns_along(machine, arrays, R, feet, height)
