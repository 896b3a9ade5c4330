"""Jacobians of a machine of two stages: 6 x 12 from joint rates to the end platform, 12 x 12 with both platforms.

The upper stage is carried by the intermediate platform, so velocities add up,

    V_P = C J_Vq1 qd_1 + D J_Vq2 qd_2            C = [[1, -[r]x], [0, 1]],  D = diag(R_BU, R_BU)

with r from the intermediate platform's origin to the end platform's. Six of the twelve rates are free: motions of the
intermediate platform under an end platform that stands still.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.kinematics.rates import inverse_jacobian
from gough.kinematics.rates import jacobian as stage_jacobian
from gough.kinematics.rates import joint_accelerations as stage_accelerations
from gough.poses import PoseLike, common_shape, skew
from gough.stacked import StackedMachine
from gough.stages.frames import (
    both_poses,
    both_six,
    twelve,
    upper_acceleration,
    upper_base,
    upper_map,
    upper_pose,
    upper_twist,
)

Array = NDArray[np.float64]


@checks_arguments
def jacobian(machine: StackedMachine, X: PoseLike) -> Array:
    """Analytic Jacobian J_Vq: twist of the end platform [v, w] = J_Vq qd.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base.

    Returns
    -------
    (..., 6, 12) array
        Of the end platform's origin, in base axes; columns 0-5 per rate of the lower stage's joints, 6-11 of the upper
        one's. NaN where a stage is singular to rounding or a leg cannot close.

    """
    poses = both_poses(X)
    J_1 = inverse_jacobian(machine.lower, poses[..., 0, :, :])
    J_2 = inverse_jacobian(machine.upper, upper_pose(machine, poses))
    r = poses[..., 1, :3, 3] - poses[..., 0, :3, 3]
    R = upper_base(machine, poses)[..., None, :3, :3]
    carried = J_1.copy()
    carried[..., :3, :] -= skew(r) @ J_1[..., 3:, :]
    turned = (R @ J_2.reshape(*J_2.shape[:-2], 2, 3, 6)).reshape(J_2.shape)
    return np.concatenate([carried, turned], axis=-1)


@checks_arguments
def joint_jacobian(machine: StackedMachine, X: PoseLike) -> Array:
    """J_qV (..., 12, 12): the twelve joint rates from the twists of both platforms [V_I, V_P]; always finite where
    both stages' are, so it tells forces at singular poses too (f @ J_qV are wrenches on both platforms)."""
    poses = both_poses(X)
    J = np.zeros((*poses.shape[:-3], 12, 12))
    J[..., :6, :6] = stage_jacobian(machine.lower, poses[..., 0, :, :])
    J[..., 6:, :] = stage_jacobian(machine.upper, upper_pose(machine, poses)) @ upper_map(machine, poses)
    return J


@checks_arguments
def joint_rates(machine: StackedMachine, X: PoseLike, V: ArrayLike) -> Array:
    """Joint rates (..., 12) of the twists V (..., 2, 6) of both platforms."""
    twist = both_six("V", V)
    return _times(joint_jacobian(machine, X), twist.reshape(*twist.shape[:-2], 12), "V")


@checks_arguments
def twists(machine: StackedMachine, X: PoseLike, qd: ArrayLike) -> Array:
    """Twists of both platforms (..., 2, 6) of joint rates qd (..., 12); NaN where a stage is singular."""
    rates = twelve("qd", qd)
    poses = both_poses(X)
    V_I = _times(inverse_jacobian(machine.lower, poses[..., 0, :, :]), rates[..., :6], "qd")
    V_P = _times(jacobian(machine, poses), rates, "qd")
    return np.stack([V_I, V_P], axis=-2)


@checks_arguments
def least_rates(machine: StackedMachine, X: PoseLike, V: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Joint rates of least norm that move the end platform with a twist: qd = W^-1 J^T (J W^-1 J^T)^-1 V.

    Of all rates that give the twist V they have the least sum of weights * qd^2 (Whitney 1969); they fix how the
    intermediate platform moves, see `twists`.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
    V : (..., 6) array
        Twist of the end platform's origin in base axes [m/s, rad/s].
    weights : (12,) array, optional
        Above zero. Without them, both stages must have joints of one sort, so that their rates have a common unit; one
        over the square of each joint's top speed makes parts of top speeds out of them.

    """
    kinds = {stage.legs.joint for stage in machine.stages}
    if weights is None and len(kinds) > 1:
        raise InputError(
            f"machine {machine.name!r}: rates of lengths and of angles have no common norm; give weights, such as one "
            "over each joint's top speed squared"
        )
    w = np.ones(12) if weights is None else np.asarray(weights, dtype=float)
    if w.shape != (12,) or not (np.isfinite(w) & (w > 0)).all():
        raise ShapeError(f"weights: expected twelve numbers above zero, got {np.array2string(w, threshold=12)}")
    twist = np.asarray(V, dtype=float)
    if twist.shape[-1:] != (6,):
        raise ShapeError.expected("V", "(..., 6), of the end platform", twist.shape)
    J = jacobian(machine, X)
    scale = 1 / np.sqrt(w)
    is_known = np.asarray(np.isfinite(J).all(axis=(-1, -2)))
    inverse = np.linalg.pinv(np.where(is_known[..., None, None], J * scale, 0.0))
    inverse[~is_known] = np.nan
    return scale * _times(inverse, twist, "V")


@checks_arguments
def joint_accelerations(machine: StackedMachine, X: PoseLike, V: ArrayLike, A: ArrayLike) -> Array:
    """Joint accelerations (..., 12) of accelerations A (..., 2, 6) of both platforms at twists V (..., 2, 6)."""
    poses, twist, rate = both_poses(X), both_six("V", V), both_six("A", A)
    lower = stage_accelerations(machine.lower, poses[..., 0, :, :], twist[..., 0, :], rate[..., 0, :])
    V_UP, A_UP = upper_twist(machine, poses, twist), upper_acceleration(machine, poses, twist, rate)
    upper = stage_accelerations(machine.upper, upper_pose(machine, poses), V_UP, A_UP)
    return np.concatenate(np.broadcast_arrays(lower, upper), axis=-1)


def _times(J: Array, values: Array, name: str) -> Array:
    common_shape(f"poses and {name}", J.shape[:-2], values.shape[:-1])
    return np.asarray((J @ values[..., None])[..., 0])
