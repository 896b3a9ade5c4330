"""Workspace at fixed orientation: allowed positions of a platform point along columns, with exact ends."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits._margins import LimitArrays
from gough.limits.interval_search import (
    Intervals,
    columns_along,
    extent,
    limit_names,
    limits_for_search,
    reach_box,
)
from gough.poses import PoseLike, one_pose
from gough.present.answer import Field, csv_columns
from gough.quantity import derived, quantity, result
from gough.stacked import AnyMachine
from gough.workspaces.body import Body
from gough.workspaces.extent import Extent, columns_extent, search_bounds
from gough.workspaces.levels import Axes, Levels, levels_of
from gough.workspaces.limit_mesh import mesh_of_columns
from gough.workspaces.mesh import Mesh
from gough.workspaces.quadrature import BLOCKS, Columns, Uncertain, measured_shares, over_grid

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
    """Return places along x and y, and the range of z [m]: those given, else over the extent of the workspace."""
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
        raise InputError(f"workspace: z from {bottom:g} to {top:g} m is empty; specify z=(low, high)")
    return xs, ys, (float(bottom), float(top))


def column_feet(xs: Array, ys: Array, bottom: float) -> Array:
    """Return feet (n, 3) of the columns at places along x and y."""
    return np.stack([*np.meshgrid(xs, ys, indexing="ij"), np.full((len(xs), len(ys)), bottom)], axis=-1).reshape(-1, 3)


def _places(given: ArrayLike | None, low: float, high: float, samples: int, axis: str) -> Array:
    if given is not None:
        return ascending(given, f"workspace: {axis} must be a list of ascending finite numbers [m]")
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"workspace: the legs have no largest length, so {axis} is unbounded; specify {axis}")
    return np.linspace(low, high, samples)


def ascending(given: ArrayLike, message: str) -> Array:
    """Return places (n,) that are given; `InputError` with this message unless they are finite and ascend."""
    places = np.asarray(given, dtype=float)
    if places.ndim != 1 or not np.isfinite(places).all() or (np.diff(places) <= 0).any():
        raise InputError(message)
    return places


def columns_on_cluster(scheduler: str, common: Job, feet: Array, progress: Progress) -> Intervals:
    """Return intervals of columns from feet (n, 3), searched in parts by the workers of a Dask scheduler."""

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


Kind = TypeVar("Kind", bound="Workspace")


@result
class Workspace(Body):
    """Reachable intervals of the point of interest along the columns of a grid, at one orientation.

    Attributes
    ----------
    z_range : ``(low, high)``
        The range that was searched [m].
    machine : Machine
    ignore : tuple of str
        Limits that were ignored.
    bounds : ``(low, high)``, (3,) arrays
        Corners of the box to which searches are confined [m]: the given ranges, else what the legs can reach.

    """

    SHARE_BLOCKS: ClassVar[int] = BLOCKS
    NOTHING: ClassVar[str] = "no position is allowed at this orientation"

    x: Array = quantity("m", "x", frame="base", doc="Places of the columns along x; they run along z of the base.")
    y: Array = quantity("m", "y", frame="base", doc="Places of the columns along y.")
    ends: Array = quantity(
        "m", "x", "y", "interval", "end", frame="base",
        doc="Both ends of each of the up to k intervals of a column, z ascending; NaN beyond `count`.",
    )  # fmt: skip
    binding: NDArray[np.int64] = quantity(
        "1", "x", "y", "interval", "end", is_listed=False,
        doc="Index in `names` of the limit that binds at that end; -1 at an end of the range that was searched.",
    )  # fmt: skip
    count: NDArray[np.int64] = quantity("1", "x", "y", doc="Number of intervals of each column.")
    names: tuple[str, ...] = quantity("", "limit", is_listed=False, doc="Names of the limits.")
    R: Array = quantity("1", "axis", "other_axis", frame="base", is_listed=False, doc="The orientation.")
    z_range: tuple[float, float]
    machine: AnyMachine
    ignore: tuple[str, ...]
    bounds: tuple[Array, Array]

    def facts(self) -> dict[str, str]:
        """Return the volume, and the number of columns that meet the workspace."""
        several = int((self.count > 1).sum())
        note = f"; {several} of them in several intervals" if several else ""
        inside = f"{int((self.count > 0).sum())} of {self.count.size} are inside somewhere{note}"
        return {**super().facts(), "columns": inside}

    def rows(self) -> list[Field]:
        """Return the intervals as fields, a row for each."""
        (i, j), ends, limits = self.intervals
        return [
            *csv_columns("m", x=self.x[i], y=self.y[j], lower=ends[:, 0], upper=ends[:, 1]),
            *csv_columns(lower_limit=limits[:, 0], upper_limit=limits[:, 1]),
        ]

    @property
    @derived("m", "x", "y", is_listed=False)
    def lower(self) -> Array:
        """Lowest reachable z of each column (nx, ny) [m]; NaN where there is none."""
        return self.ends[:, :, 0, 0]

    @property
    @derived("m", "x", "y", is_listed=False)
    def upper(self) -> Array:
        """Highest reachable z of each column (nx, ny) [m]; NaN where there is none."""
        return _last(self.ends[..., 1], self.count)

    @property
    @derived("m", "x", "y", is_listed=False)
    def height(self) -> Array:
        """Total length of the intervals of each column (nx, ny) [m]."""
        return np.nan_to_num(self.ends[..., 1] - self.ends[..., 0]).sum(axis=-1)

    @property
    @derived("m3")
    def volume(self) -> float:
        """Volume of all positions of the point of interest that are allowed, parts detached from home included, by the
        trapezoidal rule over the columns."""
        return over_grid(self.x, self.y, self.height).value

    @property
    @derived("m3")
    def volume_error(self) -> float:
        """Estimated error of the volume V: R_2 / 2 + R_3 / 3, where R_k is the root mean square of V_k - V over the
        trapezoidal rules with every k-th column along x and along y, from each of the first k on, the first and the
        last always among them (`gough.workspaces.quadrature.over_grid`)."""
        return over_grid(self.x, self.y, self.height).error

    @cached_property
    def extent(self) -> Extent:
        """Farthest allowed positions along the axes, exact to rounding, within `bounds` (`gough.workspaces.extent`)."""
        self.check_boundary()
        return columns_extent(self.machine, self.R, self.bounds, (self.x, self.y, self.ends), self.ignore)

    @cached_property
    def boundary_share(self) -> dict[str, Uncertain]:
        """Part of the boundary on which each limit binds, the largest first (`gough.workspaces.quadrature`)."""
        extent = self.extent.low, self.extent.high
        return measured_shares(self.machine, self.names, extent, self.bounds, self._ends, self.SHARE_BLOCKS)

    def _ends(self, axis: int, feet: Array, height: float) -> tuple[Array, Array, Ints, Ints]:
        """Ends of columns along an axis, in the form of `gough.workspaces.quadrature.Ends`."""
        arrays = limits_for_search(self.machine, self.ignore)
        found = columns_along(self.machine, arrays, self.R, feet, height, axis)
        places, column, binding = Columns(axis, feet, found).ends()
        return np.broadcast_to(self.R, (len(places), 3, 3)), places, column, binding

    @checks_arguments
    def mesh(self, progress: Progress = None) -> Mesh:
        """Build the boundary as a closed triangle mesh, as fine as the columns, sharp where limits meet.

        Its vertices are found by root finding: on one limit along the edges of a grid, on two or three limits at the
        edges and corners of the boundary. The mesh ends where the range that was searched does.
        """
        self.check_boundary()
        if min(self.count.shape) < 2:
            raise InputError(f"a mesh needs at least 2 x 2 columns, got {len(self.x)} x {len(self.y)}")
        return mesh_of_columns((self.x, self.y, self.ends), self.z_range, self._levels_on, self.names, progress)

    def _levels_on(self, axes: Axes) -> Levels:
        """Levels of the limits at points in the grid with nodes at places along x, y and z."""
        levels_at = levels_of(self.machine, limits_for_search(self.machine, self.ignore))
        return Levels(levels_at, self.R[None], lambda points: np.ones((len(points), 1), dtype=bool))


def _last(values: NDArray[Any], count: NDArray[np.int64]) -> NDArray[Any]:
    return np.take_along_axis(values, np.maximum(count - 1, 0)[..., None], axis=2)[..., 0]


@checks_arguments
def workspace(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: tuple[float, float] | None = None,
    samples: int = 49,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
    scheduler: str | None = None,
) -> Workspace:
    """Compute the allowed positions of the point of interest at a fixed orientation: exact intervals of z over a grid
    in x and y.

    The constant-orientation workspace (De Sapio 1998, "Workspace Envelope"; Merlet 2006).
    Along each column the ends are found by root finding on the margins of all limits; where a column has several
    intervals (voids, detached parts) all are kept.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.
    x, y : array, optional
        Places of the columns [m]; default `samples` over the extent of the workspace, which a coarse search finds
        (`gough.limits.interval_search.extent`).
    z : (low, high), optional
        Range to search [m]; default what the legs can reach.
    samples : int
        Columns along x and y, if x and y are not specified.
    ignore : tuple of str
        Names of limits to leave out, such as "singularity".
    progress : callable, optional
        Called with the number of columns done and of all.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers search the columns; default all cores of this machine.

    Returns
    -------
    Workspace
        Columns with exact ends of their intervals [m] and the limits that bind there; the volume [m3] with its error.

    Raises
    ------
    InputError
        The legs have no largest length and no range is given; no cluster at the scheduler's address.

    """
    X = one_pose(orientation, machine.end_home)
    R = np.ascontiguousarray(X[:3, :3])
    arrays = limits_for_search(machine, ignore)
    xs, ys, (bottom, top) = search_grid(machine, R, (x, y, z), samples, ignore)
    feet = column_feet(xs, ys, bottom)
    if scheduler is None:
        found = columns_along(machine, arrays, R, feet, top - bottom, progress=progress)
    else:
        found = columns_on_cluster(scheduler, (machine, arrays, R, top - bottom), feet, progress)
    bounds = search_bounds(machine, R, (x, y, z))
    return workspace_of(Workspace, machine, found, (xs, ys), z_range=(bottom, top), R=R, ignore=ignore, bounds=bounds)


def workspace_of(
    kind: type[Kind], machine: AnyMachine, found: Intervals, axes: tuple[Array, Array], **fields: Any
) -> Kind:
    """Return a workspace of this kind from the intervals of the columns at places along x and y, and its other
    fields."""
    shape = (len(axes[0]), len(axes[1]))
    ends, binding = found.ends.reshape(*shape, -1, 2), found.binding.reshape(*shape, -1, 2)
    count, names = found.count.reshape(shape), limit_names(machine, fields["ignore"])
    return kind(*axes, ends, binding, count, names, machine=machine, **fields)
