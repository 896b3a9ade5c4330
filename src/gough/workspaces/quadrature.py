"""Integrals over a workspace at one orientation and over its boundary, by columns with exact ends, with errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Ints
from gough.limits.interval_search import Intervals, columns_along, limits_for_search, poses_at
from gough.limits.margins import margins
from gough.present.show import uncertain
from gough.present.units import PREFIXED
from gough.stacked import AnyMachine
from gough.workspaces.mesh import RANGE

BLOCKS, PER_BLOCK = 8, 16
"""Columns that measure a boundary: blocks of the sequence and points of each; each point has three mirror images."""
KRONECKER = np.array([0.7548776662466927, 0.5698402909980532])
"""1 / p and 1 / p^2 with the plastic number p: the fractional parts of their multiples fill a square evenly."""
MEAN_COLUMNS = {1: (64, 80, 96, 120, 160), 2: (10, 13, 16, 19, 22)}
"""Columns along each side for means over slices and over bodies: the last gives the value, the others its error."""
FEW_NODES, MANY_NODES = 12, 24
"""Nodes along each interval of a column, for the error and for the value."""
BEYOND = 1e-4
"""Columns begin and end this far outside the extent, in machine sizes."""
STEP = 1e-6
"""Step of differences for the normals of limits, in machine sizes or in rad."""
THINNED = (2, 3)
"""Coarser trapezoidal rules, over every k-th column, whose change estimates the error of the rule over all columns."""


@dataclass(frozen=True)
class Uncertain:
    """A number with its estimated error."""

    value: float
    error: float

    @property
    def percent(self) -> str:
        """A fraction with its error in per cent, without the unit."""
        return uncertain(*(part / PREFIXED["%"] for part in (self.value, self.error)))


def over_grid(x: Array, y: Array, values: Array) -> Uncertain:
    """Return the integral of values (nx, ny) over places x (nx,), y (ny,) by the trapezoidal rule, with its estimated
    error.

    The error is estimated from the rules over every second and over every third place, with each possible first place
    and always with the ends: the root mean square of their changes divided by 2 and by 3, as the error falls with the
    step or faster (for bodies as its power 3/2). Their sum is taken, as either alone may be nearly zero by chance. With
    fewer than three places along a side the error is the integral itself.
    """

    def integral(i: Ints, j: Ints) -> float:
        return float(np.trapezoid(np.trapezoid(values[np.ix_(i, j)], y[j], axis=1), x[i]))

    whole = integral(np.arange(len(x)), np.arange(len(y)))
    if min(values.shape) < 3:
        return Uncertain(whole, abs(whole))
    parts = []
    for k in THINNED:
        changes = [integral(i, j) - whole for i in _every(k, len(x)) for j in _every(k, len(y))]
        parts.append(float(np.sqrt(np.mean(np.square(changes)))) / k)
    return Uncertain(whole, sum(parts))


def _every(k: int, count: int) -> list[Ints]:
    """Indices of every k-th of `count` places, with each of the first k as the first, and always both ends."""
    return [np.union1d([0, count - 1], np.arange(first, count, k)) for first in range(k)]


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns along one axis from feet (n, 3), and their intervals, with ends as coordinates along the axis."""

    axis: int
    feet: Array
    found: Intervals

    def ends(self, *, at_limits: bool = False) -> tuple[Array, Ints, Ints]:
        """Return positions (m, 3) of all ends, or of those `at_limits`, their columns (m,), and the limits that bind
        (m,)."""
        chosen = self.found.binding >= 0 if at_limits else np.isfinite(self.found.ends)
        column, interval, side = np.nonzero(chosen)
        places = self.feet[column].copy()
        places[:, self.axis] = self.found.ends[column, interval, side]
        return places, column, self.found.binding[column, interval, side]

    def inside(self, parts: Array) -> tuple[Array, Array]:
        """Return positions (m, k, 3) at parts (k,), 0 to 1, of all intervals, and the lengths (m,) of these."""
        column, interval = np.nonzero(np.isfinite(self.found.ends[..., 0]))
        begin, end = self.found.ends[column, interval].T
        places = np.repeat(self.feet[column][:, None], len(parts), axis=1)
        places[..., self.axis] = begin[:, None] + (end - begin)[:, None] * parts
        return places, end - begin


def columns_over(machine: AnyMachine, R: Array, axis: int, low: Array, high: Array, across: Array) -> Columns:
    """Return columns along an axis over the box [low, high] (3,) at places (n, 2) of its cross-section, 0 to 1."""
    feet, arrays = _feet(axis, low, high, across), limits_for_search(machine)
    return Columns(axis, feet, columns_along(machine, arrays, R, feet, float(high[axis] - low[axis]), axis))


def _feet(axis: int, low: Array, high: Array, across: Array) -> Array:
    """Feet (n, 3) of columns over the box [low, high] (3,) at places (n, 2) of its cross-section, 0 to 1."""
    feet = np.empty((len(across), 3))
    feet[:, axis] = low[axis]
    others = [(axis + 1) % 3, (axis + 2) % 3]
    feet[:, others] = low[others] + across * (high - low)[others]
    return feet


def spread(count: int) -> Array:
    """Return points (count, 2) that fill the unit square evenly: a Kronecker sequence."""
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
    blocks: int,
) -> dict[str, Uncertain]:
    """Return the part of the boundary of a body on which each limit binds, the largest first.

    A column of cross-section s meets the boundary in patches of area s / |n_k|, with n_k the normal's component along
    the column's axis k. Weighted by n_k^2 the patches of columns along x, y and z sum to the area, as
    n_x^2 + n_y^2 + n_z^2 = 1. Columns go through the points of a Kronecker sequence and their mirror images, so that a
    machine that is symmetric about the axes has symmetric shares. The error is the standard error of the mean over
    blocks of the sequence; it is an overestimate, as the blocks complement each other.
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
        # n_k^2 times s / |n_k|.
        weight = np.abs(_normals(machine, R, places, binding, axis)[:, axis]) * section
        np.add.at(areas, (block[column], binding + 1), weight)
    return shares_of(areas, (RANGE, *names))


def shares_of(areas: Array, labels: tuple[str, ...]) -> dict[str, Uncertain]:
    """Return parts of the whole from areas (blocks, k), the largest first, with their standard errors."""
    blocks, shares = len(areas), areas.sum(axis=0) / areas.sum()
    # Standard error of a ratio of two sums: the spread of the first about its share of the second.
    off = (areas - shares * areas.sum(axis=1, keepdims=True)) / areas.sum(axis=1).mean()
    errors = off.std(axis=0, ddof=1) / np.sqrt(blocks)
    order = [int(k) for k in np.argsort(-shares.round(9), kind="stable") if shares[k] > 0]
    return {labels[k]: Uncertain(float(shares[k]), float(errors[k])) for k in order}


def _normals(m: AnyMachine, R: Array, places: Array, binding: Ints, axis: int) -> Array:
    """Unit normals (m, 3) of the limits that bind at orientations R (m, 3, 3) and places (m, 3); the axis itself at the
    ends of the range that was searched."""
    offsets = STEP * m.size * np.concatenate([np.eye(3), -np.eye(3)])
    poses = poses_at(m, np.repeat(R, 6, axis=0), (places[:, None] + offsets).reshape(-1, 3))
    return slopes_of(m, poses, binding, np.broadcast_to(np.eye(3)[axis], places.shape))


def slopes_of(m: AnyMachine, poses: Array, binding: Ints, otherwise: Array) -> Array:
    """Return the unit gradients (n, 3) of the margins `binding` (n,), by central differences between poses (6 n, 4, 4),
    a step ahead along three axes and a step behind; `otherwise` (n, 3) where no limit binds or the gradient is
    unknown."""
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
    """Return the mean of a quantity of poses (n, 4, 4) over the allowed positions of a box [low, high] (3,) at
    orientation R.

    A side without extent makes it a slice. Columns go through the middles of cells; the rule `along_interval`
    integrates over each of their intervals. The error is the largest difference from several coarser rules, as one
    alone may agree by chance. Both are NaN where nothing is allowed.
    """
    wide = [k for k in range(3) if high[k] > low[k]]
    counts = MEAN_COLUMNS[max(1, len(wide) - 1)]
    nodes = [FEW_NODES] * (len(counts) - 1) + [MANY_NODES]
    *few, many = (_mean(machine, R, (low, high), wide, c, n, function) for c, n in zip(counts, nodes, strict=True))
    return Uncertain(many, float(np.abs(np.subtract(few, many)).max()))


def along_interval(count: int) -> tuple[Array, Array]:
    """Return nodes and weights (n,) of a rule on -1 to 1: Gauss-Legendre in the angle t of x = -cos t.

    It integrates functions that end like a square root, as those of the Jacobian do at the end of a leg's reach.
    """
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
    """The mean by `count` columns along each side, across the last of the axes `wide`, with so many nodes along each
    interval."""
    axis, (x, weight) = wide[-1], along_interval(nodes)
    cells = [(np.arange(count) + 0.5) / count if k in wide else np.zeros(1) for k in ((axis + 1) % 3, (axis + 2) % 3)]
    across = np.stack(np.meshgrid(*cells, indexing="ij"), axis=-1).reshape(-1, 2)
    family = columns_over(machine, R, axis, *box, across)
    places, length = family.inside(0.5 + 0.5 * x)
    values = function(poses_at(machine, R, places.reshape(-1, 3)))
    weights = (0.5 * length[:, None] * weight).ravel() * np.isfinite(values)
    total = float(weights.sum())
    return float(np.nan_to_num(values) @ weights) / total if total > 0 else np.nan
