"""Following a tool path with platform and head: shared out by margins, from one pose of the tool to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.motion._tool_search import ToolSearch
from gough.motion.placement import best_way, pointed
from gough.motion.pointing import unit_axis
from gough.motion.tip import head_of
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]

LARGEST_STEP = 0.05
"""Of a joint's or the roll's range, between two poses of the tool, where no times bound it."""


@dataclass(frozen=True, eq=False)
class ToolTrack:
    """Platform and head along k poses of the tool.

    Attributes
    ----------
    matrix : (k, 4, 4) array
        Poses of the platform in the base.
    joints : (k, n) array
        Of the head [rad or m].
    tip : (k, 4, 4) array
        Poses of the tip in the base.
    margin : (k,) array
        Smallest relative margin over the limits of platform and head.

    """

    matrix: Array
    joints: Array
    tip: Array
    margin: Array

    @property
    def is_allowed(self) -> NDArray[np.bool_]:
        """Where every limit of platform and head is kept (k,)."""
        return np.asarray(self.margin >= 0)


def follow_tool(
    machine: Machine,
    tips: PoseLike | None = None,
    *,
    points: ArrayLike | None = None,
    axes: ArrayLike | None = None,
    time: ArrayLike | None = None,
    start: ArrayLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ToolTrack:
    """Platform poses and head joints along a path of the tool, without jumps.

    The first pose is placed as by `gough.motion.place_tool`, or with the head at `start`; each next one where the
    smallest relative margin is largest among the ways near the one before.

    Parameters
    ----------
    machine : Machine
        With a head.
    tips : PoseLike, (k, 4, 4), optional
        The tool's poses in the base; or
    points, axes : (k, 3) arrays, optional
        its tip [m] and the direction of its z axis, one direction for each point or one for all; then it may roll.
    time : (k,) array, optional
        Increasing [s]: the head's joints then keep their top speeds between the poses. Otherwise no joint, nor the
        roll, goes further than a twentieth of its range from one pose to the next.
    start : (n,) array, optional
        Head joints at the first pose [rad or m].
    progress : callable, optional
        Called with how many poses are done and how many there are.

    Returns
    -------
    ToolTrack
        `margin` is negative at poses that the tool cannot be held in from there.

    """
    targets, has_roll = _targets(machine, tips, points, axes)
    step = _steps(machine, time, len(targets))
    found: list[tuple[Array, Array, Array, float]] = []
    joints, roll = np.zeros(0), 0.0
    for k, target in enumerate(targets):
        search = ToolSearch(machine, target, has_roll)
        if k == 0:
            z, value = _first(search, start)
        else:
            z = search.from_joints(joints, roll)
            reach = np.append(step[k - 1], LARGEST_STEP) if has_roll else step[k - 1]
            reach = np.minimum(reach / search.half if time is not None else reach, 2.0)
            if has_roll:
                reach[-1] = 2 * LARGEST_STEP
            edge = np.append(np.ones(len(joints)), np.inf) if has_roll else np.ones(len(joints))
            z, value = search.climb(z, np.maximum(z - reach, -edge), np.minimum(z + reach, edge))
        joints, rolled = search.split(z)
        roll = float(np.remainder(rolled + np.pi, 2 * np.pi) - np.pi)
        found.append((search.poses(z), joints, search.tips(rolled) if has_roll else target, value))
        if progress is not None:
            progress(k + 1, len(targets))
    matrix, stand, tip, margin = zip(*found, strict=True)
    return ToolTrack(np.array(matrix), np.array(stand), np.array(tip), np.array(margin))


def _first(search: ToolSearch, start: ArrayLike | None) -> tuple[Array, float]:
    head = head_of(search.machine)
    if start is None:
        return best_way(search, [search.from_joints(head.q)])
    z = search.from_joints(head.checked(start))
    fixed = z[: len(head.moving)]
    return search.climb(z, np.append(fixed, -1.0)[: search.count], np.append(fixed, 1.0)[: search.count])


def _targets(
    machine: Machine, tips: PoseLike | None, points: ArrayLike | None, axes: ArrayLike | None
) -> tuple[Array, bool]:
    """Poses (k, 4, 4) of the tip at roll zero, and whether it may roll."""
    if (tips is None) == (points is None) or (points is None) != (axes is None):
        raise InputError("give the tool's poses as `tips`, or its `points` and `axes`")
    if tips is not None:
        X = checked_matrices(tips)
        if X.ndim != 3:
            raise ShapeError.expected("tips", "(k, 4, 4)", X.shape)
        return X, False
    places = np.asarray(points, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3:
        raise ShapeError.expected("points", "(k, 3)", places.shape)
    X = np.tile(np.eye(4), (len(places), 1, 1))
    X[:, :3, 3] = places
    R: Array | None = None
    for k, z in enumerate(np.broadcast_to(unit_axis(axes), places.shape)):  # type: ignore[arg-type]
        R = pointed(machine, z) if R is None else _turned_onto(R, z)
        X[k, :3, :3] = R
    return X, True


def _turned_onto(R: Array, z: Array) -> Array:
    """R turned the shortest way so that its z axis is along the unit vector z: roll zero goes on without a jump."""
    from scipy.spatial.transform import Rotation

    across = np.cross(R[:, 2], z)
    sine = float(np.linalg.norm(across))
    if sine < 1e-15:
        return R
    return np.asarray(Rotation.from_rotvec(np.arctan2(sine, R[:, 2] @ z) / sine * across).as_matrix() @ R)


def _steps(machine: Machine, time: ArrayLike | None, count: int) -> Array:
    """Largest change (k - 1, n) of the head's joints between poses: in their own units with times, else of z."""
    head = head_of(machine)
    if time is None:
        return np.full((max(count - 1, 0), len(head.moving)), 2 * LARGEST_STEP)
    t = np.asarray(time, dtype=float)
    if t.shape != (count,):
        raise ShapeError.expected("time", f"({count},)", t.shape)
    if not (np.diff(t) > 0).all():
        raise InputError("time: times must increase")
    return np.diff(t)[:, None] * head.joint_speed
