"""Integrals over a workspace at one orientation, and over its boundary, by columns with exact ends, with errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Ints
from gough.limits.interval_search import Intervals, columns_along, limits_for_search, poses_at
from gough.limits.margins import margins
from gough.stacked import AnyMachine
from gough.workspaces.mesh import RANGE
from gough.workspaces.uncertain import Uncertain

BLOCKS, PER_BLOCK = 8, 16
"""Of the places of columns that measure a boundary; each place counts four times, with its mirror images."""
KRONECKER = np.array([0.7548776662466927, 0.5698402909980532])
"""One over the plastic number and its square: multiples of them, without their whole parts, fill a square evenly."""
MEAN_COLUMNS = {1: (64, 80, 96, 120, 160), 2: (10, 13, 16, 19, 22)}
"""Along each side, for means over slices and over bodies: for the error, and the last for the value."""
FEW_NODES, MANY_NODES = 12, 24
"""Along each interval of a column, for the error and for the value."""
BEYOND = 1e-4
"""Of the machine's size: columns begin and end so far beyond what is looked at."""
STEP = 1e-6
"""Of the machine's size, or in rad, for the normals of limits."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns along one axis from feet (n, 3), and what was found, as coordinates along it; each for the same part of
    the cross-section."""

    axis: int
    feet: Array
    found: Intervals

    def ends(self) -> tuple[Array, Ints, Ints]:
        """Positions (m, 3) of all ends, their columns (m,), and what binds there (m,)."""
        column, interval, side = np.nonzero(np.isfinite(self.found.ends))
        places = self.feet[column].copy()
        places[:, self.axis] = self.found.ends[column, interval, side]
        return places, column, self.found.binding[column, interval, side]


def columns_over(
    machine: AnyMachine, R: Array, axis: int, low: Array, high: Array, across: Array, ignore: tuple[str, ...] = ()
) -> Columns:
    """Columns along an axis over the box [low, high] (3,) at places (n, 2) of its cross-section, 0 to 1."""
    feet, arrays = _feet(axis, low, high, across), limits_for_search(machine, ignore)
    return Columns(axis, feet, columns_along(machine, arrays, R, feet, float(high[axis] - low[axis]), axis))


def _feet(axis: int, low: Array, high: Array, across: Array) -> Array:
    """Feet (n, 3) of columns over the box [low, high] (3,) at places (n, 2) of its cross-section, 0 to 1."""
    feet = np.empty((len(across), 3))
    feet[:, axis] = low[axis]
    others = [(axis + 1) % 3, (axis + 2) % 3]
    feet[:, others] = low[others] + across * (high - low)[others]
    return feet


def spread(count: int) -> Array:
    """Points (count, 2) that fill the unit square evenly."""
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * KRONECKER) % 1.0)


Ends: TypeAlias = Callable[[int, Array, float], tuple[Array, Array, Ints, Ints]]
"""From an axis, feet (n, 3) and a height to the rotations (m, 3, 3) and positions (m, 3) at all ends of columns, their
columns (m,) and what binds there (m,)."""


def measured_shares(
    machine: AnyMachine,
    names: tuple[str, ...],
    extent: tuple[Array, Array],
    bounds: tuple[Array, Array],
    ends: Ends,
    blocks: int = BLOCKS,
) -> dict[str, Uncertain]:
    """Part of the boundary of a body on which each limit binds, the largest first.

    Columns along x, y and z meet the boundary at places whose area, seen along the axis, is that of a column; weighed
    by the normal's component along the axis, as n_x^2 + n_y^2 + n_z^2 = 1, the three families sum to the area itself.
    They are the points of a Kronecker sequence and their mirror images, so that a machine that is symmetric
    about the axes has symmetric shares. The error is the standard error of the mean over blocks of the sequence, which
    errs on the large side as the blocks complete each other.
    """
    beyond, n = BEYOND * machine.size, blocks * PER_BLOCK
    low, high = np.maximum(extent[0] - beyond, bounds[0]), np.minimum(extent[1] + beyond, bounds[1])
    point = spread(n)
    across = np.concatenate([np.abs(np.array(flip) - point) for flip in product((0.0, 1.0), repeat=2)])
    block = np.tile(np.arange(n) // PER_BLOCK, 4)
    areas = np.zeros((blocks, len(names) + 1))
    for axis in range(3):
        R, places, column, binding = ends(axis, _feet(axis, low, high, across), float(high[axis] - low[axis]))
        section = float(np.prod(np.delete(high - low, axis)))
        weight = np.abs(_normals(machine, R, places, binding, axis)[:, axis]) * section
        np.add.at(areas, (block[column], binding + 1), weight)
    return shares_of(areas, (RANGE, *names))


def shares_of(areas: Array, labels: tuple[str, ...]) -> dict[str, Uncertain]:
    """Parts of the whole from areas (blocks, k), the largest first, with their standard errors."""
    blocks, shares = len(areas), areas.sum(axis=0) / areas.sum()
    # Of a ratio of two sums: the spread of the first about its part of the second.
    off = (areas - shares * areas.sum(axis=1, keepdims=True)) / areas.sum(axis=1).mean()
    errors = off.std(axis=0, ddof=1) / np.sqrt(blocks)
    order = [int(k) for k in np.argsort(-shares.round(9), kind="stable") if shares[k] > 0]
    return {labels[k]: Uncertain(float(shares[k]), float(errors[k])) for k in order}


def _normals(m: AnyMachine, R: Array, places: Array, binding: Ints, axis: int) -> Array:
    """Unit normals (m, 3) of the limits that bind at orientations R (m, 3, 3) and places (m, 3); along the axis where
    only the search ended."""
    offsets = STEP * m.size * np.concatenate([np.eye(3), -np.eye(3)])
    poses = poses_at(m, np.repeat(R, 6, axis=0), (places[:, None] + offsets).reshape(-1, 3))
    return slopes_of(m, poses, binding, np.broadcast_to(np.eye(3)[axis], places.shape))


def slopes_of(m: AnyMachine, poses: Array, binding: Ints, otherwise: Array) -> Array:
    """Unit vectors (n, 3) along which the limits (n,) that bind rise fastest, from poses (6 n, 4, 4) a step ahead along
    three axes and a step behind; `otherwise` (n, 3) where none binds, or its slope is not known."""
    values = margins(m, poses).values
    chosen = np.take_along_axis(values.reshape(-1, 6, values.shape[1]), np.maximum(binding, 0)[:, None, None], axis=2)
    both = chosen[..., 0].reshape(-1, 2, 3)
    slope = both[:, 0] - both[:, 1]
    length = np.linalg.norm(slope, axis=1, keepdims=True)
    is_known = np.isfinite(length) & (length > 0) & (binding >= 0)[:, None]
    return np.where(is_known, slope / np.where(is_known, length, 1.0), otherwise)


def mean_over_positions(
    machine: AnyMachine, R: Array, low: Array, high: Array, function: Callable[[Array], Array]
) -> Uncertain:
    """Mean of a quantity of poses (n, 4, 4) over the allowed positions of a box [low, high] (3,) at orientation R.

    A side without extent makes it a slice. Columns at the middles of cells, along each the rule `along_interval` for
    each interval. The error is the largest difference to several numbers of fewer columns with fewer points along each,
    as one alone may agree by chance; both NaN where nothing is allowed.
    """
    wide = [k for k in range(3) if high[k] > low[k]]
    counts = MEAN_COLUMNS[max(1, len(wide) - 1)]
    nodes = [FEW_NODES] * (len(counts) - 1) + [MANY_NODES]
    *few, many = (_mean(machine, R, (low, high), wide, c, n, function) for c, n in zip(counts, nodes, strict=True))
    return Uncertain(many, float(np.abs(np.subtract(few, many)).max()))


def along_interval(count: int) -> tuple[Array, Array]:
    """Nodes and weights (n,) of a rule on -1 to 1: Gauss's in the angle t of x = -cos t, so that quantities may end
    like a root, as what the Jacobian gives does at the end of a leg's reach."""
    u, w = np.polynomial.legendre.leggauss(count)
    t = 0.5 * np.pi * (1 + u)
    return -np.cos(t), 0.5 * np.pi * w * np.sin(t)


def _mean(
    machine: AnyMachine,
    R: Array,
    box: tuple[Array, Array],
    wide: list[int],
    count: int,
    nodes: int,
    function: Callable[[Array], Array],
) -> float:
    axis, (x, weight) = wide[-1], along_interval(nodes)
    cells = [(np.arange(count) + 0.5) / count if k in wide else np.zeros(1) for k in ((axis + 1) % 3, (axis + 2) % 3)]
    across = np.stack(np.meshgrid(*cells, indexing="ij"), axis=-1).reshape(-1, 2)
    family = columns_over(machine, R, axis, *box, across)
    column, interval = np.nonzero(np.isfinite(family.found.ends[..., 0]))
    begin, end = family.found.ends[column, interval].T
    places = np.repeat(family.feet[column][:, None], nodes, axis=1)
    places[..., axis] = 0.5 * (begin + end)[:, None] + 0.5 * (end - begin)[:, None] * x
    values = function(poses_at(machine, R, places.reshape(-1, 3)))
    weights = (0.5 * (end - begin)[:, None] * weight).ravel() * np.isfinite(values)
    total = float(weights.sum())
    return float(np.nan_to_num(values) @ weights) / total if total > 0 else np.nan
