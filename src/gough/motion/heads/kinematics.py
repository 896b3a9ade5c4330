"""Platform and tool head together: where the tool's tip is, and how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.head import Head
from gough.kinematics.rates import inverse_jacobian
from gough.limits.margins import Margins, margins
from gough.limits.table import Column
from gough.machine import Machine
from gough.poses import PoseLike, as_transform, checked_matrices, common_shape, inverse_matrices, skew

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


@checks_arguments
def head_pose(machine: Machine, X: PoseLike, joints: ArrayLike | None = None) -> RigidTransform:
    """Pose of the tool's tip in the base: X_BT = X_BP X_PT(q).

    Parameters
    ----------
    machine : Machine
        With a head.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Coordinates q of the head's joints [rad or m]; the present ones if none are given.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        Of the shape to which poses and joints broadcast.

    Raises
    ------
    InputError
        The machine has no head.

    """
    return as_transform(tip_matrices(machine, checked_matrices(X), joints))


@checks_arguments
def platform_under(machine: Machine, tip: PoseLike, joints: ArrayLike | None = None) -> RigidTransform:
    """Pose of the platform that brings the tool's tip to a pose, with the head's joints given: X_BT X_PT(q)^-1.

    Parameters
    ----------
    machine : Machine
        With a head.
    tip : PoseLike, (..., 4, 4)
        Poses X_BT of the tool's tip in the base.
    joints : (..., n) array, optional
        Of the head [rad or m]; the present ones if none are given.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        Of the shape to which tips and joints broadcast.

    Raises
    ------
    InputError
        The machine has no head.

    """
    head, X_BT = head_of(machine), checked_matrices(tip)
    X_PT = head.tip(joints)
    common_shape("tip poses and head joints", X_BT.shape[:-2], X_PT.shape[:-2])
    return as_transform(X_BT @ inverse_matrices(X_PT))


@checks_arguments
def head_jacobian(
    machine: Machine,
    X: PoseLike,
    joints: ArrayLike | None = None,
    *,
    rates: Literal["platform", "legs"] = "platform",
) -> Array:
    """Jacobian of the tool's tip: its twist [v, w] in the base frame is J [V, qd].

    The columns of a revolute joint are [z x (t - o), z], of a prismatic one [z, 0], with z its axis through o and t the
    tip (Craig 1986, section 5.6 f.).

    Parameters
    ----------
    machine : Machine
        With a head of n moving joints.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        [rad or m]; the present ones if none are given.
    rates : "platform" or "legs"
        What the first six columns are for: the platform's twist, or the rates of the legs' joint coordinates.

    Returns
    -------
    (..., 6, 6 + n) array
        With `rates="legs"` NaN where the platform is singular.

    """
    head, X_BP = head_of(machine), checked_matrices(X)
    frames = head.frames(joints)
    common_shape("poses and head joints", X_BP.shape[:-2], frames.shape[:-3])
    links = X_BP[..., None, :, :] @ frames
    tip = (links[..., -1, :, :] @ head.X_NT)[..., :3, 3]
    J = np.zeros((*links.shape[:-3], 6, 6 + len(head.moving)))
    J[..., :3, :3] = J[..., 3:, 3:6] = np.eye(3)
    J[..., :3, 3:6] = -skew(tip - X_BP[..., :3, 3])
    if rates == "legs":
        J[..., :6] = J[..., :6] @ inverse_jacobian(machine, X_BP)
    points, axes = head.axes(links)
    for k, unit in enumerate(head.units):
        z = axes[..., k, :]
        J[..., :3, 6 + k] = np.cross(z, tip - points[..., k, :]) if unit == "rad" else z
        J[..., 3:, 6 + k] = z if unit == "rad" else 0.0
    return J


def head_of(machine: Machine) -> Head:
    """The machine's head; `InputError` where it has none."""
    if machine.head is None:
        raise InputError(f"machine {machine.name!r} has no tool head; describe one under [head] in its file")
    return machine.head


def tip_matrices(machine: Machine, X_BP: Array, joints: ArrayLike | None) -> Array:
    """Poses (..., 4, 4) of the tip in the base."""
    X_PT = head_of(machine).tip(joints)
    common_shape("poses and head joints", X_BP.shape[:-2], X_PT.shape[:-2])
    return np.asarray(X_BP @ X_PT)


@checks_arguments
def head_margins(machine: Machine, X: PoseLike, joints: ArrayLike | None = None) -> Margins:
    """Signed distances to every limit of the machine and of its head's joints.

    Parameters
    ----------
    machine : Machine
        With a head.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Of the head [rad or m]; the present ones if none are given.

    Returns
    -------
    Margins
        The columns of `gough.margins`, then the lowest and highest coordinates of the head's joints, as far as they are
        limited; relative to half a joint's range.

    Raises
    ------
    InputError
        The machine has no head.

    """
    head, own = head_of(machine), margins(machine, X)
    q, columns = head.coordinates(joints), head_columns(machine)
    shape = common_shape("poses and head joints", own.values.shape[:-1], q.shape[:-1])
    values = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in (own.values, joint_margins(columns, q))]
    return Margins(np.concatenate(values, axis=-1), (*own.columns, *(column for _, column in columns)), machine)


def head_columns(machine: Machine) -> list[tuple[int, Column]]:
    """The limits that the head's joints have, each with the joint's place."""
    head = head_of(machine)
    found: list[tuple[int, Column]] = []
    for k, (joint, unit) in enumerate(zip(head.moving, head.units, strict=True)):
        half = (joint.maximum - joint.minimum) / 2
        scale = half if np.isfinite(half) else np.pi if unit == "rad" else machine.size
        for bound, end, is_lower in ((joint.minimum, "lowest", True), (joint.maximum, "highest", False)):
            if np.isfinite(bound):
                name, quantity = f"head {joint.name} {end}", f"head joint {joint.name}"
                found.append((k, Column(name, (), unit, scale, bound, is_lower, quantity)))
    return found


def joint_margins(columns: list[tuple[int, Column]], q: Array) -> Array:
    """Margins (..., c) of head joints q (..., n)."""
    places, bound = [k for k, _ in columns], np.array([column.bound for _, column in columns])
    sign = np.array([1.0 if column.is_lower else -1.0 for _, column in columns])
    return np.asarray((q[..., places] - bound) * sign)
