"""Workspaces by rays with exact ends: positions from a centre, and orientations at a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.limits.interval_search import find_intervals, limit_names, limits_for_search, poses_at, twists_along
from gough.limits.sphere import icosphere
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.stacked import AnyMachine
from gough.workspaces.ray_extent import longest
from gough.workspaces.ray_workspace import RayWorkspace

FINEST = 7
"""Level of the finest sphere: 163,842 rays."""


@checks_arguments
def workspace_rays(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    centre: ArrayLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """Where the point of interest can go along rays from a centre, at one orientation or at several.

    The end of a ray is the largest distance up to which every limit is kept (by definition, as in `gough.travel`).

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
        With all intervals of every ray, to rounding; its `mesh()` is the boundary of the part around the centre.

    Raises
    ------
    InputError
        A level outside 0 to 7, a centre that is not finite, or a limit to ignore that the machine does not have.

    """
    X = machine.end_home if orientation is None else checked_matrices(orientation)
    place = _position(machine, centre, "centre")
    R = np.ascontiguousarray(X[..., :3, :3])
    middle = poses_at(machine, R, np.broadcast_to(place, (*R.shape[:-2], 3)))
    lengths = np.array([longest(machine, one, place) for one in R.reshape(-1, 3, 3)])
    return _ray_workspace(machine, middle, place, level, lengths, ignore, progress, is_rotation=False)


@checks_arguments
def orientation_workspace(
    machine: AnyMachine,
    position: ArrayLike | None = None,
    *,
    reference: PoseLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """How the platform can turn about the point of interest at a fixed position (Bonev and Ryu 2001).

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
        In rotation vectors [rad], with the part of all orientations that is allowed (`share`). Ends are exact to
        rounding.

    Raises
    ------
    InputError
        A level outside 0 to 7, a position that is not finite, or a limit to ignore that the machine does not have.

    """
    X = one_pose(reference, machine.end_home, "reference")
    place = _position(machine, position, "position", many=True)
    R = np.broadcast_to(X[:3, :3], (*place.shape[:-1], 3, 3))
    middle = poses_at(machine, R, place)
    lengths = np.full(R[..., 0, 0].size, np.pi)
    return _ray_workspace(machine, middle, place, level, lengths, ignore, progress, is_rotation=True)


def _position(machine: AnyMachine, given: ArrayLike | None, name: str, *, many: bool = False) -> Array:
    place = machine.home_point if given is None else of_shape(name, given, "(..., 3)" if many else "(3,)")
    if not np.isfinite(place).all():
        raise InputError(f"{name} {place.tolist()}: expected finite numbers [m]")
    return place


def _ray_workspace(
    machine: AnyMachine,
    middle: Array,
    centre: Array,
    level: int,
    lengths: Array,
    ignore: tuple[str, ...],
    progress: Progress,
    *,
    is_rotation: bool,
) -> RayWorkspace:
    """Rays of lengths (n,) from all n middles (..., 4, 4)."""
    if not 0 <= level <= FINEST:
        raise InputError(f"level {level}: expected 0 to {FINEST}; each level has four times as many rays")
    rays = icosphere(level).directions
    pose = (*machine.stage_shape, 4, 4)
    leading = middle.shape[: -len(pose)]
    twists = np.tile(twists_along(rays, is_rotation=is_rotation), (len(lengths), 1))
    starts = np.repeat(middle.reshape(-1, *pose), len(rays), axis=0)
    arrays = limits_for_search(machine, ignore)
    found = find_intervals(machine, arrays, starts, twists, np.repeat(lengths, len(rays)), progress)
    shape = (*leading, len(rays))
    return RayWorkspace(
        middle=middle,
        centre=np.broadcast_to(centre, (*leading, 3)).copy(),
        directions=rays,
        ends=found.ends.reshape(*shape, *found.ends.shape[1:]),
        binding=found.binding.reshape(*shape, *found.binding.shape[1:]),
        count=found.count.reshape(shape),
        names=limit_names(machine, ignore),
        is_rotation=is_rotation,
        level=level,
        machine=machine,
        ignore=ignore,
    )
