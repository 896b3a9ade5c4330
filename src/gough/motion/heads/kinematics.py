"""Kinematics of platform and tool head: pose, Jacobian and margins of the tip, and joints that point the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, PoseError
from gough.head import Head
from gough.kinematics.rates import inverse_jacobian
from gough.limits.margins import Margins, margins
from gough.limits.table import Column
from gough.machine import Machine
from gough.poses import PoseLike, as_transform, checked_matrices, common_shape, inverse_matrices, skew

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform
GRAZING = 1e-12
"""Tolerance on unit vectors: rounding must not make an axis at the boundary of the reachable ones unreachable."""


@checks_arguments
def head_pose(machine: Machine, X: PoseLike, joints: ArrayLike | None = None) -> RigidTransform:
    """Compute the pose of the tool's tip in the base: X_BT = X_BP X_PT(q).

    Parameters
    ----------
    machine : Machine
        With a head.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Coordinates q of the head's joints [rad or m]; default: the current joints.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        In the broadcast shape of poses and joints.

    Raises
    ------
    InputError
        The machine has no head.

    """
    return as_transform(tip_matrices(machine, checked_matrices(X), joints))


@checks_arguments
def platform_under(machine: Machine, tip: PoseLike, joints: ArrayLike | None = None) -> RigidTransform:
    """Compute the platform's pose for a pose of the tool's tip and head joints q: X_BP = X_BT X_PT(q)^-1.

    Parameters
    ----------
    machine : Machine
        With a head.
    tip : PoseLike, (..., 4, 4)
        Poses X_BT of the tool's tip in the base.
    joints : (..., n) array, optional
        Joints of the head [rad or m]; default: the current joints.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        In the broadcast shape of tips and joints.

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
    """Compute the Jacobian of the tool's tip: its twist [v, w] in the base frame is J [V, qd].

    The columns of a revolute joint are [z x (t - o), z], of a prismatic one [z, 0], with z its axis through o and t the
    tip (Craig 1986, section 5.6 f.).

    Parameters
    ----------
    machine : Machine
        With a head of n moving joints.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Joints of the head [rad or m]; default: current.
    rates : "platform" or "legs"
        Variables of the first six columns: the platform's twist, or the rates of the legs' joint coordinates.

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
    J[..., :3, 3:6] = -skew(tip - X_BP[..., :3, 3])  # v_T = v_P + w x (t - p)
    if rates == "legs":
        J[..., :6] = J[..., :6] @ inverse_jacobian(machine, X_BP)
    points, axes = head.axes(links)
    for k, unit in enumerate(head.units):
        z = axes[..., k, :]
        J[..., :3, 6 + k] = np.cross(z, tip - points[..., k, :]) if unit == "rad" else z
        J[..., 3:, 6 + k] = z if unit == "rad" else 0.0
    return J


def head_of(machine: Machine) -> Head:
    """Return the machine's head; `InputError` where it has none."""
    if machine.head is None:
        raise InputError(f"machine {machine.name!r} has no tool head; describe one under [head] in its file")
    return machine.head


def tip_matrices(machine: Machine, X_BP: Array, joints: ArrayLike | None) -> Array:
    """Return poses (..., 4, 4) of the tip in the base."""
    X_PT = head_of(machine).tip(joints)
    common_shape("poses and head joints", X_BP.shape[:-2], X_PT.shape[:-2])
    return np.asarray(X_BP @ X_PT)


@checks_arguments
def head_margins(machine: Machine, X: PoseLike, joints: ArrayLike | None = None) -> Margins:
    """Compute the signed distances to every limit of the machine and of its head's joints.

    Parameters
    ----------
    machine : Machine
        With a head.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Joints of the head [rad or m]; default: the current joints.

    Returns
    -------
    Margins
        The columns of `gough.margins`, then the existing lower and upper limits of the head's joints, relative to half
        a joint's range.

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
    """Return columns of the head joints' limits, each with the joint's index."""
    head = head_of(machine)
    found: list[tuple[int, Column]] = []
    for k, (joint, unit) in enumerate(zip(head.moving, head.units, strict=True)):
        half = (joint.maximum - joint.minimum) / 2
        # Margins count in halves of the range; joints without limits in half a turn or the machine's size.
        scale = half if np.isfinite(half) else np.pi if unit == "rad" else machine.size
        for bound, end, is_lower in ((joint.minimum, "lowest", True), (joint.maximum, "highest", False)):
            if np.isfinite(bound):
                name, quantity = f"head {joint.name} {end}", f"head joint {joint.name}"
                found.append((k, Column(name, (), unit, scale, bound, is_lower, quantity)))
    return found


def joint_margins(columns: list[tuple[int, Column]], q: Array) -> Array:
    """Return margins (..., c) of head joints q (..., n)."""
    bound = np.array([column.bound for _, column in columns])
    sign = np.array([1.0 if column.is_lower else -1.0 for _, column in columns])
    return np.asarray((q[..., [k for k, _ in columns]] - bound) * sign)


@checks_arguments
def head_angles(machine: Machine, X: PoseLike, axis: ArrayLike, joints: ArrayLike | None = None) -> Array:
    """Compute the head joints that point the tool along an axis at a fixed orientation of the platform.

    Rot(w1, q1) Rot(w2, q2) a = b with the joints' axes w1, w2, the tool's axis a, all with the joints at zero, and the
    wanted axis b in the platform's frame: subproblem 2 of Paden and Kahan (Murray, Li, Sastry 1994, chapter 3).

    Parameters
    ----------
    machine : Machine
        Its head must have two revolute joints; prismatic ones keep their coordinates.
    X : PoseLike, (..., 4, 4)
        Poses of the platform; only the orientation matters.
    axis : (..., 3) array
        Direction of the tool's z axis in the base frame, of any length but zero.
    joints : (n,) array, optional
        Present coordinates of the head: kept by prismatic joints, and by a joint along which the tool points. `head.q`
        where not given.

    Returns
    -------
    (..., 2, n) array
        Both solutions, angles from -pi to pi; NaN where the head cannot point there. Joint limits are not checked.

    """
    head = head_of(machine)
    turning = [k for k, unit in enumerate(head.units) if unit == "rad"]
    if len(turning) != 2:
        raise InputError(
            f"the head of {machine.name!r} has {len(turning)} revolute joints; the closed form requires two; "
            "use gough.motion.heads.place_tool for other heads"
        )
    present, X_BP, b = head.coordinates(joints), checked_matrices(X), unit_axis(axis)
    shape = common_shape("poses and axes", X_BP.shape[:-2], b.shape[:-1])
    # Axes with the revolute joints at zero; the position of the joints does not matter for a direction.
    zero = np.array(present, dtype=float)
    zero[turning] = 0.0
    w1, w2 = head.axes(head.frames(zero))[1][turning]
    a = head.tip(zero)[:3, 2]
    b = np.einsum("...ji,...j->...i", X_BP[..., :3, :3], b)
    found = np.broadcast_to(present, (*shape, 2, len(present))).copy()
    found[..., turning] = _two_turns(w1, w2, a, b, present[turning])
    return found


def unit_axis(axis: ArrayLike) -> Array:
    """Return the unit vectors (..., 3) of directions of any length but zero."""
    given = of_shape("axis", axis, "(..., 3)")
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if not (length > 0).all() or not np.isfinite(length).all():
        raise PoseError("axis: a direction of length zero, or not finite; expected its components")
    return np.asarray(given / length)


def _two_turns(w1: Array, w2: Array, a: Array, b: Array, present: Array) -> Array:
    """Both pairs of angles (..., 2, 2) with Rot(w1, q1) Rot(w2, q2) a = b, NaN where there are none."""
    c, normal = w1 @ w2, np.cross(w1, w2)
    square = 1.0 - c * c  # |w1 x w2|^2
    if square < GRAZING:
        raise InputError("the head's two revolute joints are parallel: they turn the tool about one axis only")
    # The axis between both rotations, z = Rot(w2, q2) a = Rot(w1, -q1) b = alpha w1 + beta w2 + gamma w1 x w2, has
    # z . w2 = a . w2, z . w1 = b . w1 and |z| = 1.
    alpha, beta = (b @ w1 - c * (w2 @ a)) / square, (w2 @ a - c * (b @ w1)) / square
    squared = (1.0 - alpha**2 - beta**2 - 2 * alpha * beta * c) / square
    gamma = np.sqrt(np.where(squared < -GRAZING, np.nan, np.maximum(squared, 0.0)))
    signed = np.stack([gamma, -gamma], axis=-1)[..., None] * normal
    z = (alpha[..., None] * w1 + beta[..., None] * w2)[..., None, :] + signed
    q2 = _one_turn(w2, a, z, present[1])
    q1 = _one_turn(w1, z, b[..., None, :], present[0])
    both = np.stack([q1, q2], axis=-1)
    return np.where(np.isnan(z).any(axis=-1, keepdims=True), np.nan, both)


def _one_turn(w: Array, start: Array, end: Array, present: float) -> Array:
    """Angle (...) of the rotation about the unit vector w from `start` to `end`; `present` where they lie along w."""
    u, v = start - (start @ w)[..., None] * w, end - (end @ w)[..., None] * w
    angle = np.arctan2(np.sum(w * np.cross(u, v), axis=-1), np.sum(u * v, axis=-1))
    is_undetermined = np.minimum(np.linalg.norm(u, axis=-1), np.linalg.norm(v, axis=-1)) < GRAZING
    return np.where(is_undetermined, present, angle)
