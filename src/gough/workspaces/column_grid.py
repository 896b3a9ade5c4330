"""The columns of a workspace: their places over a grid, and their search by the workers of a cluster."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.numbers import check_count
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import Intervals, columns_along, extent, limits_for_search, reach_box
from gough.stacked import AnyMachine

CHUNK = 1024
"""Columns that a worker searches at once."""
Job: TypeAlias = tuple[AnyMachine, LimitArrays, Array, float]
"""Machine, limits, orientation (3, 3) and height of the columns [m]."""


def search_grid(
    machine: AnyMachine,
    R: Array,
    given: tuple[ArrayLike | None, ArrayLike | None, tuple[float, float] | None],
    samples: int,
    ignore: tuple[str, ...],
) -> tuple[Array, Array, tuple[float, float]]:
    """Places along x and y, and the range of z [m]: those given, else over the extent of the workspace."""
    if samples < 2:
        raise InputError(f"workspace: samples {samples}, expected at least 2")
    x, y, z = given
    check_count("columns of the workspace", *(samples if axis is None else np.size(axis) for axis in (x, y)))
    low, high = reach_box(machine, R)
    if (x is None or y is None) and np.isfinite([low, high]).all():
        low, high = extent(machine, limits_for_search(machine, ignore), R)
    xs = _places(x, low[0], high[0], samples, "x")
    ys = _places(y, low[1], high[1], samples, "y")
    low, high = reach_box(machine, R)
    # Slightly beyond the reach, so that a column ends at the limit of the tool's height and not at the range.
    beyond = 1e-6 * machine.size
    bottom, top = low[2] - beyond, high[2] + beyond
    if z is not None:
        bottom, top = max(z[0], bottom), min(z[1], top)
    if not (np.isfinite([bottom, top]).all() and bottom < top):
        raise InputError(f"workspace: z from {bottom:g} to {top:g} m is no range; give z=(low, high)")
    return xs, ys, (float(bottom), float(top))


def column_feet(xs: Array, ys: Array, bottom: float) -> Array:
    """Feet (n, 3) of the columns at places along x and y."""
    return np.stack([*np.meshgrid(xs, ys, indexing="ij"), np.full((len(xs), len(ys)), bottom)], axis=-1).reshape(-1, 3)


def _places(given: ArrayLike | None, low: float, high: float, samples: int, axis: str) -> Array:
    if given is not None:
        return ascending(given, f"workspace: {axis} must be a list of ascending finite numbers [m]")
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"workspace: the legs have no largest length, so {axis} has no range; give {axis}")
    return np.linspace(low, high, samples)


def ascending(given: ArrayLike, message: str) -> Array:
    """Places (n,) that are given; `InputError` with this message unless they are finite and ascend."""
    places = np.asarray(given, dtype=float)
    if places.ndim != 1 or not np.isfinite(places).all() or (np.diff(places) <= 0).any():
        raise InputError(message)
    return places


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
