"""Workspace at fixed orientation: where a point of the platform can go, column by column, with exact ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._compile import run_batch
from gough.analysis._intervals import intervals_batch
from gough.analysis._margins import SINGULAR_MIN, LimitArrays
from gough.analysis.limits import LimitTable, limit_table, walking_length
from gough.errors import InputError, ShapeError, nearest
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

MOST = 8
"""Intervals kept for one column."""
CHUNK = 4096
"""Columns between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """Reachable intervals of the point of interest along the columns of a grid, at one orientation.

    Attributes
    ----------
    x, y : (nx,), (ny,) array
        Places of the columns, which run along z of the base [m].
    ends : (nx, ny, k, 2) array
        Where each of the up to k intervals of a column begins and ends, z ascending [m]; NaN beyond `count`.
    binding : (nx, ny, k, 2) array
        Column of `names` that binds at that end; -1 where the interval ends with the range that was searched.
    count : (nx, ny) array
        Number of intervals of each column.
    names : tuple of str
        Names of the limits.
    R : (3, 3) array
        The orientation.

    """

    x: Array
    y: Array
    ends: Array
    binding: NDArray[np.int64]
    count: NDArray[np.int64]
    names: tuple[str, ...]
    R: Array

    @property
    def lower(self) -> Array:
        """Lowest reachable z of each column (nx, ny) [m]; NaN where there is none."""
        return self.ends[:, :, 0, 0]

    @property
    def upper(self) -> Array:
        """Highest reachable z of each column (nx, ny) [m]; NaN where there is none."""
        last = np.maximum(self.count - 1, 0)
        return np.take_along_axis(self.ends[..., 1], last[..., None], axis=2)[..., 0]

    @property
    def height(self) -> Array:
        """Total length of the intervals of each column (nx, ny) [m]."""
        return np.nan_to_num(self.ends[..., 1] - self.ends[..., 0]).sum(axis=-1)

    @property
    def volume(self) -> float:
        """Volume [m3], by the trapezoidal rule over the columns."""
        return float(np.trapezoid(np.trapezoid(self.height, self.y, axis=1), self.x))

    @property
    def volume_error(self) -> float:
        """Estimated error of the volume [m3]: its difference from the volume with every other column left out.

        It shrinks with the grid's step to the power 3/2 or faster, the part of the boundary that is vertical.
        """
        if min(len(self.x), len(self.y)) < 3:
            return self.volume
        coarse = self.height[::2, ::2]
        half = np.trapezoid(np.trapezoid(coarse, self.y[::2], axis=1), self.x[::2])
        return abs(self.volume - float(half))

    @property
    def dataset(self) -> xarray.Dataset:
        """Everything as an xarray `Dataset` with units in its attributes: `.to_netcdf(file)` writes it."""
        import xarray

        names = np.array([*self.names, "range searched"])
        grid = ("x", "y")
        part = (*grid, "interval", "side")
        return xarray.Dataset(
            {
                "lower": (grid, self.lower, {"units": "m", "long_name": "lowest reachable z"}),
                "upper": (grid, self.upper, {"units": "m", "long_name": "highest reachable z"}),
                "binding_lower": (grid, self.binding[:, :, 0, 0]),
                "binding_upper": (grid, _last(self.binding[..., 1], self.count)),
                "intervals": (part, self.ends, {"units": "m"}),
                "binding": (part, self.binding),
                "count": (grid, self.count),
            },
            coords={"x": ("x", self.x, {"units": "m"}), "y": ("y", self.y, {"units": "m"}), "limit": names},
            attrs={
                "volume_m3": self.volume,
                "volume_error_m3": self.volume_error,
                "rotation": self.R.ravel().tolist(),
                "binding": "index into the coordinate `limit`; -1 is its last entry",
            },
        )


def _last(values: NDArray[Any], count: NDArray[np.int64]) -> NDArray[Any]:
    return np.take_along_axis(values, np.maximum(count - 1, 0)[..., None], axis=2)[..., 0]


def workspace(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: tuple[float, float] | None = None,
    samples: int = 49,
    ignore: tuple[str, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Workspace:
    """Where the point of interest can go at a fixed orientation: exact intervals of z over a grid in x and y.

    Along each column the ends are found by root finding on the margins of every limit, not by stepping; where a
    column has several intervals (voids, detached parts) all are kept.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose whose rotation is kept; home where none is given.
    x, y : array, optional
        Places of the columns [m]; `samples` over what the legs can reach where not given.
    z : (low, high), optional
        Range to search [m]; what the legs can reach where not given.
    samples : int
        Columns along x and y where those are not given.
    ignore : tuple of str
        Names of limits that shall not count, such as "singularity".
    progress : callable, optional
        Called with the number of columns done and of all.

    Returns
    -------
    Workspace

    Raises
    ------
    InputError
        The legs have no largest length and no range is given.

    """
    X = machine.X_home if orientation is None else as_matrices(orientation)
    if X.ndim != 2:
        raise ShapeError.expected("orientation", "(4, 4), one pose", X.shape)
    X = X.copy()
    low, high = reach_box(machine, X[:3, :3])
    xs = _places(x, low[0], high[0], samples, "x")
    ys = _places(y, low[1], high[1], samples, "y")
    bottom, top = (low[2], high[2]) if z is None else (max(z[0], low[2]), min(z[1], high[2]))
    if not (np.isfinite([bottom, top]).all() and bottom < top):
        raise InputError(f"workspace: z from {bottom:g} to {top:g} m is no range; give z=(low, high)")
    interest = X[:3, :3] @ machine.point_of_interest
    starts = np.broadcast_to(X, (len(xs) * len(ys), 4, 4)).copy()
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    starts[:, :2, 3] = grid - interest[:2]
    starts[:, 2, 3] = bottom - interest[2]
    ends, binding, count = _search(machine, limit_table(machine), ignore, starts, top - bottom, progress)
    most = max(1, int(min(count.max(initial=0), MOST)))
    shape = (len(xs), len(ys))
    return Workspace(
        x=xs,
        y=ys,
        ends=bottom + ends[:, :most].reshape(*shape, most, 2),
        binding=binding[:, :most].reshape(*shape, most, 2),
        count=count.reshape(shape),
        names=tuple(column.name for column in limit_table(machine).columns),
        R=X[:3, :3],
    )


def _search(
    machine: Machine,
    limits: LimitTable,
    ignore: tuple[str, ...],
    starts: Array,
    length: float,
    progress: Callable[[int, int], None] | None,
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Intervals along +z from each start, over `length` [m]."""
    total = len(starts)
    arrays = limits_for_search(limits, ignore)
    ends = np.full((total, MOST, 2), np.nan)
    binding = np.full((total, MOST, 2), -1, dtype=np.int64)
    count = np.zeros(total, dtype=np.int64)
    direction = np.broadcast_to(np.eye(6)[2], (total, 6)).copy()
    lengths, speed = np.full(total, length), np.full(total, 1.0 / walking_length(machine))
    code, table, point = machine.legs.code, machine.table, machine.point_of_interest
    for first in range(0, total, CHUNK):
        chunk = slice(first, min(first + CHUNK, total))

        def solve(s: slice, c: slice = chunk) -> None:
            part = slice(c.start + s.start, c.start + s.stop)
            intervals_batch(
                code,
                table,
                arrays,
                starts[part],
                point,
                direction[part],
                lengths[part],
                speed[part],
                ends[part],
                binding[part],
                count[part],
            )

        run_batch(solve, chunk.stop - chunk.start, from_count=64)
        if progress is not None:
            progress(chunk.stop, total)
    return ends, binding, count


def limits_for_search(table: LimitTable, ignore: tuple[str, ...] = ()) -> LimitArrays:
    """The limits with their cheaper equals (`LimitArrays.sign_only`) where a search may use them.

    An ignored limit stays in its column, so that indices keep their meaning, but as not a number, which searches skip.
    """
    names = [column.name for column in table.columns]
    for name in ignore:
        if name not in names:
            raise InputError(f"no limit {name!r} to ignore.{nearest(name, names)} This machine has {', '.join(names)}")
    weight = np.array([np.nan if name in ignore else 1.0 for name in names])
    arrays = table.arrays
    sign_only = bool(arrays.G[SINGULAR_MIN] == 0.0)
    return arrays._replace(sign_only=sign_only, per_scale=arrays.per_scale * weight)


def reach_box(machine: Machine, R: Array) -> tuple[Array, Array]:
    """Lowest and highest coordinates (3,) the point of interest can have at orientation R [m]; infinite if unbounded.

    The platform joint of a leg is within its longest rod of a driven point: the intersection of six boxes, and of the
    tool's own box.
    """
    limits, legs = machine.limits, machine.legs
    offset = R @ machine.point_of_interest - machine.b_P @ R.T
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    rod = legs.rod()
    longest = limits.joint_max if rod is None else rod
    q_low = np.where(np.isfinite(limits.joint_min), limits.joint_min, legs.joint_range[0])
    q_high = np.where(np.isfinite(limits.joint_max), limits.joint_max, legs.joint_range[1])
    if rod is None or (np.isfinite(q_low).all() and np.isfinite(q_high).all()):
        feet = legs.path(np.where(np.isfinite(q_low), q_low, 0.0), np.where(np.isfinite(q_high), q_high, 0.0), 65)
        slack = np.linalg.norm(np.diff(feet, axis=1), axis=-1).max(axis=1)  # a bow between two samples
        low = np.max(feet.min(axis=1) - (longest + slack)[:, None] + offset, axis=0)
        high = np.min(feet.max(axis=1) + (longest + slack)[:, None] + offset, axis=0)
    tool = R @ (machine.X_PT[:3, 3] - machine.point_of_interest)
    return np.maximum(low, limits.box[:, 0] - tool), np.minimum(high, limits.box[:, 1] - tool)


def _places(given: ArrayLike | None, low: float, high: float, samples: int, axis: str) -> Array:
    if given is not None:
        places = np.asarray(given, dtype=float)
        if places.ndim != 1 or not np.isfinite(places).all() or (np.diff(places) <= 0).any():
            raise InputError(f"workspace: {axis} must be a list of ascending finite numbers [m]")
        return places
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"workspace: the legs have no largest length, so {axis} has no range; give {axis}")
    return np.linspace(low, high, samples)
