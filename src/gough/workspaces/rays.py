"""Where a point can go from a centre, and how the platform can turn at a place: rays with exact ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import rotations
from gough.errors import InputError
from gough.limits._margins import LimitArrays
from gough.limits.climb import along_limits, climb
from gough.limits.interval_search import find_intervals, limits_for_search, poses_at, reach_box
from gough.limits.sphere import icosphere
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.workspaces.cone_columns import counted_margins
from gough.workspaces.extent import SIDES, best, starts
from gough.workspaces.ray_workspace import RayWorkspace

FARTHEST = 10.0
"""Rays end at so many machine sizes where the legs' reach does not end them."""
CLIMBS, FINE, TRUST = 3, 1e-6, (1.0, 0.1, 0.01)
"""Of an extent: climbs along each axis in each sense, where they end in parts of the rays' spacing, and the trust
regions of quadratic programming."""
FINEST = 7
"""Level of the finest sphere: 163,842 rays."""


@checks_arguments
def workspace_rays(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    centre: ArrayLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """Where the point of interest can go along rays from a centre, at one orientation or at several.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, (..., 4, 4), optional
        Poses whose rotation is kept; home where none is given.
    centre : (3,) array, optional
        Position of the point of interest from which the rays go [m]; where home has it if not given.
    level : int
        Fineness: there are 10 * 4^level + 2 rays.
    ignore : tuple of str
        Names of limits to leave out.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    RayWorkspace
        With all intervals of every ray, to rounding; its surface is the star-shaped part round the centre.

    Raises
    ------
    InputError
        A level outside 0 to 7, a centre that is not finite, or a limit to ignore that the machine does not have.

    """
    X = machine.X_home if orientation is None else checked_matrices(orientation)
    place = _position(machine, centre, "centre")
    R = np.ascontiguousarray(X[..., :3, :3])
    middle = poses_at(machine, R, np.broadcast_to(place, (*R.shape[:-2], 3)))
    length = _longest(machine, place)
    return _ray_workspace(machine, middle, place, level, length, ignore, progress, is_rotation=False)


@checks_arguments
def orientation_workspace(
    machine: Machine,
    position: ArrayLike | None = None,
    *,
    reference: PoseLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """How the platform can turn about the point of interest at a fixed position.

    An orientation is written as exp(s w) R_reference, a turn by the angle s about the axis w in base axes: its rotation
    vector s w. Rays with s from 0 to pi along all axes meet every orientation once.

    Parameters
    ----------
    machine : Machine
    position : (..., 3) array, optional
        Of the point of interest [m]; where home has it if not given.
    reference : PoseLike, optional
        One pose whose rotation is the middle; home where none is given.
    level : int
        Fineness: there are 10 * 4^level + 2 rays.
    ignore : tuple of str
        Names of limits to leave out.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    RayWorkspace
        In rotation vectors [rad], with the part of all orientations that is allowed (`share`).

    Raises
    ------
    InputError
        A level outside 0 to 7, a position that is not finite, or a limit to ignore that the machine does not have.

    """
    X = one_pose(reference, machine.X_home, "reference")
    place = _position(machine, position, "position", many=True)
    R = np.broadcast_to(X[:3, :3], (*place.shape[:-1], 3, 3))
    middle = poses_at(machine, R, place)
    return _ray_workspace(machine, middle, place, level, np.pi, ignore, progress, is_rotation=True)


def _longest(machine: Machine, place: Array) -> float:
    """Length of rays that leave all that the legs reach at any orientation [m]."""
    low, high = reach_box(machine, np.eye(3))
    # Whatever the orientation, the point is no farther from the platform joints than it is in the platform.
    lever = 2.0 * float(np.linalg.norm(machine.b_P - machine.point_of_interest, axis=1).max())
    far = float(np.linalg.norm(np.maximum(np.abs(low - place), np.abs(high - place)))) + lever
    return far if np.isfinite(far) else FARTHEST * machine.size


def ray_extent(machine: Machine, body: RayWorkspace, ignore: tuple[str, ...] = ()) -> tuple[Array, Array]:
    """Smallest and largest coordinates (3,) of the star-shaped part about one middle: positions [m], or rotation
    vectors [rad].

    From the farthest known directions climbs along each axis turn the ray, and quadratic programming follows the limits
    into their corners; each end is that of a ray, which the part holds.
    """
    rays = _Rays(machine, body, limits_for_search(machine, ignore))
    known = body.radius[:, None] * body.directions
    spacing = float(np.sqrt(4 * np.pi / len(known)))
    signs, axes, first = starts(known, np.full(3, spacing * float(body.radius.max())), CLIMBS)
    along = signs[:, None] * np.eye(3)[axes]
    points, values = rays.turned(first, along, spacing)
    chosen = [best(values, (signs == s) & (axes == k)) for s, k in SIDES]
    points = np.array([rays.followed(points[c], along[c], spacing) for c in chosen])
    ends = points[np.arange(6), [k for _, k in SIDES]] + (0.0 if body.is_rotation else np.tile(body.centre, 2))
    return ends[:3], ends[3:]


@dataclass(frozen=True, eq=False)
class _Rays:
    """Rays from the middle of a ray workspace, as vectors (n, 3) from there."""

    machine: Machine
    body: RayWorkspace
    arrays: LimitArrays

    def ends(self, vectors: Array) -> Array:
        """Ends (n, 3) of the rays along vectors (n, 3): what is allowed from the middle on."""
        size = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.where(size > 0, size, 1.0)
        still, n = np.zeros_like(unit), len(unit)
        twists = np.concatenate([still, unit] if self.body.is_rotation else [unit, still], axis=1)
        length = np.pi if self.body.is_rotation else _longest(self.machine, self.body.centre)
        poses = np.tile(self.body.middle, (n, 1, 1))
        found = find_intervals(self.machine, self.arrays, poses, twists, np.full(n, length))
        return np.where(found.ends[:, 0, 0] == 0.0, found.ends[:, 0, 1], 0.0)[:, None] * unit

    def turned(self, points: Array, along: Array, step: float) -> tuple[Array, Array]:
        """Ends of rays (n, 3) from which turning leads no farther `along` (n, 3), and how far (n,)."""
        first = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), np.finfo(float).tiny)
        u = np.cross(first, np.eye(3)[np.abs(first).argmin(axis=1)])
        v, n = np.cross(first, u), np.arange(len(points))

        def ends(z: Array, which: Ints) -> Array:
            return self.ends(first[which] + z[:, :1] * u[which] + z[:, 1:] * v[which])

        def heights(z: Array, which: Ints) -> Array:
            return np.asarray((ends(z, which) * along[which]).sum(axis=1))

        found, values = climb(heights, np.zeros((len(points), 2)), np.full(len(points), step), FINE)
        return ends(found, n), values

    def followed(self, point: Array, e: Array, spacing: float) -> Array:
        """The end of a ray no less far along e than the end `point`, after following limits."""
        size, box = float(np.linalg.norm(point)), (np.full(3, -np.inf), np.full(3, np.inf))
        h = 1e-6 * (1.0 if self.body.is_rotation else self.machine.size)
        for part in TRUST:
            found = self.ends(along_limits(self._relative, point, e, box, part * spacing * size + h, h)[None])[0]
            point = found if found @ e > point @ e else point
        return point

    def _relative(self, points: Array) -> Array:
        R, place, exact = self.body.middle[:3, :3], self.body.centre, self.arrays._replace(sign_only=False)
        if not self.body.is_rotation:
            return counted_margins(self.machine, exact, R, place + points)
        return counted_margins(self.machine, exact, rotations(points) @ R, np.broadcast_to(place, points.shape))


def _position(machine: Machine, given: ArrayLike | None, name: str, *, many: bool = False) -> Array:
    place = machine.home_point if given is None else of_shape(name, given, "(..., 3)" if many else "(3,)")
    if not np.isfinite(place).all():
        raise InputError(f"{name} {place.tolist()}: expected finite numbers [m]")
    return place


def _ray_workspace(
    machine: Machine,
    middle: Array,
    centre: Array,
    level: int,
    length: float,
    ignore: tuple[str, ...],
    progress: Progress,
    *,
    is_rotation: bool,
) -> RayWorkspace:
    """Rays from all middles (..., 4, 4)."""
    if not 0 <= level <= FINEST:
        raise InputError(f"level {level}: expected 0 to {FINEST}; each level has four times as many rays")
    table = limit_table(machine)
    rays = icosphere(level).directions
    leading = middle.shape[:-2]
    count = int(np.prod(leading, dtype=int))
    still = np.zeros_like(rays)
    twists = np.concatenate([still, rays] if is_rotation else [rays, still], axis=1)
    starts = np.repeat(middle.reshape(-1, 4, 4), len(rays), axis=0)
    lengths = np.full(len(starts), length)
    arrays = limits_for_search(machine, ignore)
    found = find_intervals(machine, arrays, starts, np.tile(twists, (count, 1)), lengths, progress)
    shape = (*leading, len(rays))
    return RayWorkspace(
        middle=middle,
        centre=np.broadcast_to(centre, (*leading, 3)).copy(),
        directions=rays,
        ends=found.ends.reshape(*shape, *found.ends.shape[1:]),
        binding=found.binding.reshape(*shape, *found.binding.shape[1:]),
        count=found.count.reshape(shape),
        names=tuple(column.name for column in table.columns),
        is_rotation=is_rotation,
        level=level,
    )
