"""Where a point can go from a centre, and how the platform can turn at a place: rays with exact ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._arguments import checks_arguments
from gough.analysis.limits import limit_table
from gough.analysis.search import Progress, find_intervals, limits_for_search, poses_at, reach_box
from gough.analysis.sphere import icosphere
from gough.analysis.star import Star
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]

FARTHEST = 10.0
"""Rays end at so many machine sizes where the legs' reach does not end them."""
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
) -> Star:
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
        Names of limits that shall not count.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    Star
        With all intervals of every ray, to rounding; its surface is the star-shaped part round the centre.

    """
    X = machine.X_home if orientation is None else checked_matrices(orientation)
    place = _position(machine, centre, "centre")
    R = np.ascontiguousarray(X[..., :3, :3])
    middle = poses_at(machine, R, np.broadcast_to(place, (*R.shape[:-2], 3)))
    low, high = reach_box(machine, np.eye(3))
    # Whatever the orientation, the point is no farther from the platform joints than it is in the platform.
    lever = 2.0 * float(np.linalg.norm(machine.b_P - machine.point_of_interest, axis=1).max())
    far = float(np.linalg.norm(np.maximum(np.abs(low - place), np.abs(high - place)))) + lever
    length = far if np.isfinite(far) else FARTHEST * machine.size
    return _star(machine, middle, place, level, length, ignore, progress, is_rotation=False)


@checks_arguments
def orientation_workspace(
    machine: Machine,
    position: ArrayLike | None = None,
    *,
    reference: PoseLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> Star:
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
        Names of limits that shall not count.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    Star
        In rotation vectors [rad], with the part of all orientations that is allowed (`share`).

    """
    X = machine.X_home if reference is None else checked_matrices(reference)
    if X.ndim != 2:
        raise ShapeError.expected("reference", "(4, 4), one pose", X.shape)
    place = _position(machine, position, "position", many=True)
    R = np.broadcast_to(X[:3, :3], (*place.shape[:-1], 3, 3))
    middle = poses_at(machine, R, place)
    return _star(machine, middle, place, level, np.pi, ignore, progress, is_rotation=True)


def _position(machine: Machine, given: ArrayLike | None, name: str, *, many: bool = False) -> Array:
    X = machine.X_home
    place = X[:3, :3] @ machine.point_of_interest + X[:3, 3] if given is None else np.asarray(given, dtype=float)
    if place.shape[-1:] != (3,) or (place.ndim > 1 and not many):
        raise ShapeError.expected(name, "(..., 3)" if many else "(3,)", place.shape)
    if not np.isfinite(place).all():
        raise InputError(f"{name} {place.tolist()}: expected finite numbers [m]")
    return place


def _star(
    machine: Machine,
    middle: Array,
    centre: Array,
    level: int,
    length: float,
    ignore: tuple[str, ...],
    progress: Progress,
    *,
    is_rotation: bool,
) -> Star:
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
    arrays = limits_for_search(table, ignore)
    found = find_intervals(machine, arrays, starts, np.tile(twists, (count, 1)), lengths, progress)
    shape = (*leading, len(rays))
    return Star(
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
