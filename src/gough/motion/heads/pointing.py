"""Pointing the tool with the head alone: closed form for two turning joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, PoseError, ShapeError
from gough.machine import Machine
from gough.motion.heads.kinematics import head_of
from gough.poses import PoseLike, checked_matrices, common_shape

Array = NDArray[np.float64]

GRAZING = 1e-12
"""Of a unit vector: an axis this close to the end of what can be pointed at counts as there, rounding allowed."""


@checks_arguments
def head_angles(machine: Machine, X: PoseLike, axis: ArrayLike, joints: ArrayLike | None = None) -> Array:
    """Head joints that point the tool along an axis while the platform keeps its orientation.

    Rot(w1, q1) Rot(w2, q2) a = b with the joints' axes w1, w2, the tool's axis a, all with the joints at zero, and the
    wanted axis b in the platform's frame: subproblem 2 of Paden and Kahan (Murray, Li, Sastry 1994, section 3.3).

    Parameters
    ----------
    machine : Machine
        Its head must have two revolute joints; prismatic ones keep their coordinates.
    X : PoseLike, (..., 4, 4)
        Poses of the platform, of which only the orientation counts.
    axis : (..., 3) array
        Direction of the tool's z axis in the base frame, of any length but zero.
    joints : (n,) array, optional
        Present coordinates of the head: of prismatic joints, and of a joint that turns nothing, because the tool
        points along it. `head.q` where not given.

    Returns
    -------
    (..., 2, n) array
        Both solutions, turns within half a turn of zero; NaN where the head cannot point there. Limits are not asked.

    """
    head = head_of(machine)
    turning = [k for k, unit in enumerate(head.units) if unit == "rad"]
    if len(turning) != 2:
        raise InputError(
            f"the head of {machine.name!r} has {len(turning)} revolute joints; the closed form is for two, "
            "gough.motion.heads.place_tool finds joints of any head"
        )
    present, X_BP, b = head.coordinates(joints), checked_matrices(X), unit_axis(axis)
    shape = common_shape("poses and axes", X_BP.shape[:-2], b.shape[:-1])
    zero = np.array(present, dtype=float)
    zero[turning] = 0.0
    w1, w2 = head.axes(head.frames(zero))[1][turning]
    a = head.tip(zero)[:3, 2]
    b = np.einsum("...ji,...j->...i", X_BP[..., :3, :3], b)
    found = np.broadcast_to(present, (*shape, 2, len(present))).copy()
    found[..., turning] = _two_turns(w1, w2, a, b, present[turning])
    return found


def unit_axis(axis: ArrayLike) -> Array:
    """Unit vectors (..., 3) of directions of any length but zero."""
    given = np.asarray(axis, dtype=float)
    if given.shape[-1:] != (3,):
        raise ShapeError.expected("axis", "(..., 3)", given.shape)
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if not (length > 0).all() or not np.isfinite(length).all():
        raise PoseError("axis: a direction of length zero, or not finite; expected its components")
    return np.asarray(given / length)


def _two_turns(w1: Array, w2: Array, a: Array, b: Array, present: Array) -> Array:
    """Both pairs of angles (..., 2, 2) with Rot(w1, q1) Rot(w2, q2) a = b, NaN where there are none."""
    c, across = w1 @ w2, np.cross(w1, w2)
    rest = 1.0 - c * c
    if rest < GRAZING:
        raise InputError("the head's two revolute joints are parallel: they turn the tool about one axis only")
    along1, along2 = (b @ w1 - c * (w2 @ a)) / rest, (w2 @ a - c * (b @ w1)) / rest
    squared = (1.0 - along1**2 - along2**2 - 2 * along1 * along2 * c) / rest
    third = np.sqrt(np.where(squared < -GRAZING, np.nan, np.maximum(squared, 0.0)))
    signed = np.stack([third, -third], axis=-1)[..., None] * across
    middle = (along1[..., None] * w1 + along2[..., None] * w2)[..., None, :] + signed
    q2 = _one_turn(w2, a, middle, present[1])
    q1 = _one_turn(w1, middle, b[..., None, :], present[0])
    both = np.stack([q1, q2], axis=-1)
    return np.where(np.isnan(middle).any(axis=-1, keepdims=True), np.nan, both)


def _one_turn(w: Array, start: Array, end: Array, present: float) -> Array:
    """Angle (...) about the unit vector w that turns `start` to `end`; `present` where both lie along w."""
    u, v = start - (start @ w)[..., None] * w, end - (end @ w)[..., None] * w
    angle = np.arctan2(np.sum(w * np.cross(u, v), axis=-1), np.sum(u * v, axis=-1))
    lost = np.minimum(np.linalg.norm(u, axis=-1), np.linalg.norm(v, axis=-1)) < GRAZING
    return np.where(lost, present, angle)
