"""The dexterous workspace: positions at which the platform can take every orientation of a cone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._arguments import checks_arguments
from gough.analysis._margins import LimitArrays
from gough.analysis.boundary import boundary_mesh, layers
from gough.analysis.cone import OrientationCone
from gough.analysis.limits import limit_table
from gough.analysis.mesh import Mesh
from gough.analysis.search import (
    MOST,
    Intervals,
    Progress,
    columns_along_z,
    find_intervals,
    least_margins,
    limits_for_search,
    poses_at,
)
from gough.analysis.workspace import Workspace, search_grid
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

EXCHANGES = 8
"""Most times that the worst orientation at each end of a column is looked for and taken in."""
SETTLED = 1e-12
"""A relative margin at an end no farther below zero than this is rounding."""
HALVINGS = 9
"""Steps of the search for the worst orientation, each half of the one before."""


@dataclass(frozen=True, eq=False)
class Dexterous:
    """Positions at which every orientation of a cone is allowed.

    Attributes
    ----------
    columns : Workspace
        The body, in the form of the workspace at one orientation: at its ends some orientation of the cone meets the
        limit that binds.
    cone : Cone
    orientations : int
        How many orientations every column was searched at, before the worst ones at its own ends were taken in.
    shortfall : float
        Worst relative margin that a last search over the cone found at the ends, with its sign turned: by how much of
        a limit's scale the true boundary can lie farther in; round-off where the search has caught every limit.

    """

    columns: Workspace
    cone: OrientationCone
    orientations: int
    shortfall: float

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        return self.columns.volume

    @property
    def volume_error(self) -> float:
        """Its estimated error [m3], that of the columns' distance."""
        return self.columns.volume_error

    def mesh(self, progress: Progress = None) -> Mesh:
        """The boundary as a closed mesh; its vertices off the columns are met at the sampled orientations of the cone
        only."""
        w = self.columns
        if not w.count.any():
            raise InputError("no position allows the whole cone: there is no boundary")
        arrays = limits_for_search(limit_table(w.machine), w.ignore)
        R = self.cone.rotations(self.cone.samples())

        def crossing(inside: Array, way: Array, length: Array) -> tuple[Array, Ints]:
            directions = np.concatenate([way, np.zeros_like(way)], axis=1)
            far, binding = length.copy(), np.full(len(way), -1, dtype=np.int64)
            for k, rotation in enumerate(R):
                starts = poses_at(w.machine, rotation, inside)
                found = find_intervals(w.machine, arrays, starts, directions, np.maximum(far, 1e-12))
                end = np.where(found.count > 0, found.ends[:, 0, 1], 0.0)
                nearer = end < far
                binding[nearer] = found.binding[nearer, 0, 1]
                far = np.minimum(far, end)
                if progress is not None:
                    progress(k + 1, len(R))
            return far, binding

        z = layers(w.x, w.y, w.ends)
        return boundary_mesh((w.x, w.y, z), w.z_range, w.contains(z), crossing, w.names)


@checks_arguments
def dexterous_workspace(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    tilt: float,
    roll: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: tuple[float, float] | None = None,
    samples: int = 25,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> Dexterous:
    """Positions of the point of interest at which every orientation of a cone about a given one is allowed.

    Each column is searched at orientations spread over the cone, with exact ends, and the intervals intersected. Then
    the worst orientation of the whole cone is looked for at each end, from the worst sampled one on, and the column
    searched again with it: the exchange method for constraints without number (Blankenship and Falk 1976), which
    converges to the boundary where the least margin over the cone is zero. A limit broken only between the samples and
    nowhere near the worst of them could be missed: `shortfall` tells what a last search found.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        One pose whose rotation is the cone's middle; home where none is given.
    tilt : float
        Half-angle of the cone of the platform's z axis [rad].
    roll : float
        Turn about that axis, both ways [rad].
    x, y, z, samples, ignore
        As for `gough.workspace`.
    progress : callable, optional
        Called with the number of orientations done and of all.

    Returns
    -------
    Dexterous

    """
    X = machine.X_home if orientation is None else checked_matrices(orientation)
    if X.ndim != 2:
        raise ShapeError.expected("orientation", "(4, 4), one pose", X.shape)
    if not (0 <= tilt <= np.pi and 0 <= roll <= np.pi):
        raise InputError(f"dexterous workspace: tilt {tilt:g} and roll {roll:g} rad, expected 0 to pi")
    cone = OrientationCone(float(tilt), float(roll), np.ascontiguousarray(X[:3, :3]))
    arrays = limits_for_search(limit_table(machine), ignore)
    xs, ys, z_range = search_grid(machine, cone.R, (x, y, z), samples, ignore)
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    places = cone.samples()
    found = _at_all(machine, arrays, cone.rotations(places), grid, z_range, progress)
    found, shortfall = _settled(machine, arrays, cone, grid, z_range, found)
    shape, most = (len(xs), len(ys)), max(1, int(found.count.max()))
    columns = Workspace(
        x=xs,
        y=ys,
        ends=found.ends[:, :most].reshape(*shape, most, 2),
        binding=found.binding[:, :most].reshape(*shape, most, 2),
        count=found.count.reshape(shape),
        names=tuple(column.name for column in limit_table(machine).columns),
        R=cone.R,
        z_range=z_range,
        machine=machine,
        ignore=ignore,
    )
    return Dexterous(columns, cone, len(places), shortfall)


def _settled(
    machine: Machine,
    arrays: LimitArrays,
    cone: OrientationCone,
    grid: Array,
    z_range: tuple[float, float],
    found: Intervals,
) -> tuple[Intervals, float]:
    """`found` with the worst orientations at its ends taken in until they change nothing; the shortfall left."""
    shortfall = 0.0
    for k in range(EXCHANGES + 1):
        columns, ends = _ends(found)
        if not len(ends):
            break
        worst, least = _worst(machine, arrays, cone, np.column_stack([grid[columns], ends]), cone.samples())
        shortfall = max(0.0, -float(least.min()))
        late = least < -SETTLED
        if k == EXCHANGES or not late.any():
            break
        found = _exchanged(machine, arrays, cone, grid, z_range, found, columns[late], worst[late])
    return found, shortfall


def _at_all(
    machine: Machine,
    arrays: LimitArrays,
    rotations: Array,
    grid: Array,
    z_range: tuple[float, float],
    progress: Progress,
) -> Intervals:
    """What the columns have in common at all rotations (k, 3, 3)."""
    found = _whole(len(grid), z_range)
    for k, R in enumerate(rotations):
        left = np.flatnonzero(found.count)
        if len(left):
            _take_in(machine, arrays, np.broadcast_to(R, (len(left), 3, 3)), grid, z_range, found, left)
        if progress is not None:
            progress(k + 1, len(rotations))
    return found


def _whole(columns: int, z_range: tuple[float, float]) -> Intervals:
    """The whole range, one interval in each column, with room for more."""
    ends = np.full((columns, MOST, 2), np.nan)
    ends[:, 0] = z_range
    return Intervals(ends, np.full((columns, MOST, 2), -1, dtype=np.int64), np.ones(columns, dtype=np.int64))


def _take_in(
    machine: Machine,
    arrays: LimitArrays,
    R: Array,
    grid: Array,
    z_range: tuple[float, float],
    found: Intervals,
    columns: Ints,
) -> None:
    """Intersect columns (m,) of `found`, in place, with their intervals at rotations R (m, 3, 3)."""
    low = np.nanmin(found.ends[columns, :, 0], axis=1)
    high = np.nanmax(found.ends[columns, :, 1], axis=1)
    feet = np.column_stack([grid[columns], low])
    here = columns_along_z(machine, arrays, R, feet, np.maximum(high - low, 1e-12 * (z_range[1] - z_range[0])))
    before = Intervals(found.ends[columns], found.binding[columns], found.count[columns])
    common = intersection(before, here)
    found.ends[columns], found.binding[columns], found.count[columns] = common.ends, common.binding, common.count


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """Common parts of the intervals of n paths, at most `MOST`; an end keeps the limit of the list it comes from."""
    n, p, q = len(a.count), a.ends.shape[1], b.ends.shape[1]
    first, second = a.ends[:, :, None], b.ends[:, None]
    low, high = np.maximum(first[..., 0], second[..., 0]), np.minimum(first[..., 1], second[..., 1])
    ends = np.stack([low, high], axis=-1).reshape(n, p * q, 2)
    from_b = np.stack([second[..., 0] > first[..., 0], second[..., 1] < first[..., 1]], axis=-1)
    binding = np.where(from_b, b.binding[:, None], a.binding[:, :, None]).reshape(n, p * q, 2)
    with np.errstate(invalid="ignore"):
        empty = ~(ends[..., 0] <= ends[..., 1])
    ends[empty], binding[empty] = np.nan, -1
    order = np.argsort(ends[..., 0], axis=1, kind="stable")[:, :MOST, None]  # NaN last
    kept = np.take_along_axis(ends, order, axis=1), np.take_along_axis(binding, order, axis=1)
    room = ((0, 0), (0, MOST - order.shape[1]), (0, 0))
    return Intervals(
        np.pad(kept[0], room, constant_values=np.nan),
        np.pad(kept[1], room, constant_values=-1),
        np.minimum((~empty).sum(axis=1), MOST),
    )


def _ends(found: Intervals) -> tuple[Ints, Array]:
    """Column and height of every end at which a limit binds."""
    column, interval, side = np.nonzero(found.binding >= 0)
    return column, found.ends[column, interval, side]


def _worst(
    machine: Machine, arrays: LimitArrays, cone: OrientationCone, positions: Array, samples: Array
) -> tuple[Array, Array]:
    """Place of the cone (n, 3) with the smallest relative margin at positions (n, 3), and that margin (n,)."""
    exact = arrays._replace(sign_only=False)

    def least(places: Array) -> Array:
        poses = poses_at(machine, cone.rotations(places), np.broadcast_to(positions[:, None], places.shape))
        return least_margins(machine, exact, poses.reshape(-1, 4, 4))[0].reshape(places.shape[:-1])

    values = least(np.broadcast_to(samples, (len(positions), *samples.shape)))
    rows = np.arange(len(positions))
    worst, value = samples[values.argmin(axis=1)], values.min(axis=1)
    around = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in ((-1, 0, 1) if cone.roll else (0,))])
    step = cone.spacing
    for _ in range(HALVINGS):
        step = 0.5 * step
        places = cone.kept(worst[:, None] + around * step)
        values = least(places)
        best = values.argmin(axis=1)
        better = values[rows, best] < value
        worst = np.where(better[:, None], places[rows, best], worst)
        value = np.minimum(value, values[rows, best])
    return worst, value


def _exchanged(
    machine: Machine,
    arrays: LimitArrays,
    cone: OrientationCone,
    grid: Array,
    z_range: tuple[float, float],
    found: Intervals,
    columns: Ints,
    worst: Array,
) -> Intervals:
    """`found` with each column searched at the worst orientations (n, 3) of its ends, one after the other."""
    turn = np.zeros(len(columns), dtype=np.int64)  # which end of its column it is
    turn[1:] = np.arange(1, len(columns)) - np.searchsorted(columns, columns[1:])
    rotations = cone.rotations(worst)
    for k in range(int(turn.max(initial=0)) + 1):
        chosen = (turn == k) & (found.count[columns] > 0)
        if chosen.any():
            _take_in(machine, arrays, rotations[chosen], grid, z_range, found, columns[chosen])
    return found
