"""Kinematics of two stages: joints, Jacobians, rates and accelerations, from those of each stage.

The upper stage is carried by the intermediate platform, so velocities add up,

    V_P = C J_Vq1 qd_1 + D J_Vq2 qd_2            C = [[1, -[r]x], [0, 1]],  D = diag(R_BU, R_BU)

with r from the intermediate platform's origin to the end platform's. The end platform leaves six of the twelve rates
free: self-motions of the intermediate platform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.frames.euler_rates import euler_rates
from gough.kinematics import inverse as of_stage
from gough.kinematics import rates
from gough.kinematics.inverse import inverse_kinematics as inverse_kinematics_of_stage
from gough.kinematics.rates import inverse_jacobian as inverse_jacobian_of_stage
from gough.kinematics.rates import jacobian as jacobian_of_stage
from gough.kinematics.rates import joint_accelerations as joint_accelerations_of_stage
from gough.kinematics.rates import joint_rates as joint_rates_of_stage
from gough.kinematics.rates import least_jacobian as least_jacobian_of_stage
from gough.kinematics.rates import platform_acceleration as platform_acceleration_of_stage
from gough.kinematics.rates import platform_twist as platform_twist_of_stage
from gough.kinematics.rates import times
from gough.poses import PoseLike, skew
from gough.stacked import StackedMachine
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    twelve,
    upper_acceleration,
    upper_base,
    upper_map,
    upper_pose,
    upper_twist,
)


@inverse_kinematics_of_stage.register(StackedMachine)
@checks_arguments
def inverse_kinematics(machine: StackedMachine, X: PoseLike, *, out: Array | None = None) -> Array:
    """Joint coordinates (..., 12), see `gough.inverse_kinematics`."""
    poses = both_poses(X)
    q = np.empty((*poses.shape[:-3], 12)) if out is None else of_stage.checked_out(out, (*poses.shape[:-3], 12))
    q[..., :6] = of_stage.inverse_kinematics(machine.lower, poses[..., 0, :, :])
    q[..., 6:] = of_stage.inverse_kinematics(machine.upper, upper_pose(machine, poses))
    return q


@jacobian_of_stage.register(StackedMachine)
@checks_arguments
def jacobian(machine: StackedMachine, X: PoseLike, *, sequence: str | None = None) -> Array:
    """J_qV (..., 12, 12), see `gough.jacobian`; finite where the Jacobians of both stages are, at singular poses too.

    With a sequence of axes or a convention, per rates of the angles of both platforms in the base of the lower stage.
    """
    poses = both_poses(X)
    J = np.zeros((*poses.shape[:-3], 12, 12))
    J[..., :6, :6] = rates.jacobian(machine.lower, poses[..., 0, :, :])
    J[..., 6:, :] = rates.jacobian(machine.upper, upper_pose(machine, poses)) @ upper_map(machine, poses)
    if sequence is None:
        return J
    E = euler_rates(poses, sequence).E
    of_platforms = [rates.per_rates_of_angles(J[..., 6 * k : 6 * k + 6], E[..., k, :, :]) for k in (0, 1)]
    return np.concatenate(of_platforms, axis=-1)


@least_jacobian_of_stage.register(StackedMachine)
def least_jacobian(machine: StackedMachine, X: Array) -> Array:
    """S (..., 6, 6) with |S V| the norm of `least_rates`; it exists where a stage is singular too.

    The rates J_qV [V_I, V_P] have the least norm over V_I where they are orthogonal to the columns of V_I: S is the
    projection of the columns of V_P on the orthogonal complement of those, in six coordinates.
    """
    kinds = {stage.legs.joint for stage in machine.stages}
    if len(kinds) > 1:
        raise InputError(f"machine {machine.name!r}: rates of lengths and of angles have no common norm")
    J = jacobian(machine, X)
    complement = np.linalg.qr(J[..., :6], mode="complete")[0][..., 6:]
    return np.asarray(np.swapaxes(complement, -1, -2) @ J[..., 6:])


@inverse_jacobian_of_stage.register(StackedMachine)
@checks_arguments
def inverse_jacobian(machine: StackedMachine, X: PoseLike) -> Array:
    """J_Vq (..., 12, 12), see `gough.kinematics.inverse_jacobian`; NaN in columns of a stage that is singular."""
    poses = both_poses(X)
    J_1 = rates.inverse_jacobian(machine.lower, poses[..., 0, :, :])
    J_2 = rates.inverse_jacobian(machine.upper, upper_pose(machine, poses))
    r = poses[..., 1, :3, 3] - poses[..., 0, :3, 3]
    R = upper_base(machine, poses)[..., None, :3, :3]
    # [[J_1, 0], [C J_1, D J_2]] as above: lower rates move both platforms as one body.
    J = np.zeros((*poses.shape[:-3], 12, 12))
    J[..., :6, :6] = J[..., 6:, :6] = J_1
    J[..., 6:9, :6] -= skew(r) @ J_1[..., 3:, :]
    J[..., 6:, 6:] = (R @ J_2.reshape(*J_2.shape[:-2], 2, 3, 6)).reshape(J_2.shape)
    return J


@joint_rates_of_stage.register(StackedMachine)
@checks_arguments
def joint_rates(machine: StackedMachine, X: PoseLike, V: ArrayLike) -> Array:
    """Joint rates (..., 12) of the twists V (..., 2, 6), see `gough.joint_rates`."""
    return times(jacobian(machine, X), flat(both_six("V", V)), "V")


@platform_twist_of_stage.register(StackedMachine)
@checks_arguments
def platform_twist(machine: StackedMachine, X: PoseLike, qd: ArrayLike) -> Array:
    """Twists (..., 2, 6) of joint rates qd (..., 12), see `gough.platform_twist`."""
    V = times(inverse_jacobian(machine, X), twelve("qd", qd), "qd")
    return V.reshape(*V.shape[:-1], 2, 6)


@joint_accelerations_of_stage.register(StackedMachine)
@checks_arguments
def joint_accelerations(machine: StackedMachine, X: PoseLike, V: ArrayLike, A: ArrayLike) -> Array:
    """Joint accelerations (..., 12) of accelerations A (..., 2, 6), see `gough.kinematics.joint_accelerations`."""
    poses, twist, rate = both_poses(X), both_six("V", V), both_six("A", A)
    lower = rates.joint_accelerations(machine.lower, poses[..., 0, :, :], twist[..., 0, :], rate[..., 0, :])
    V_UP, A_UP = upper_twist(machine, poses, twist), upper_acceleration(machine, poses, twist, rate)
    upper = rates.joint_accelerations(machine.upper, upper_pose(machine, poses), V_UP, A_UP)
    return np.concatenate(np.broadcast_arrays(lower, upper), axis=-1)


@platform_acceleration_of_stage.register(StackedMachine)
@checks_arguments
def platform_acceleration(machine: StackedMachine, X: PoseLike, V: ArrayLike, qdd: ArrayLike) -> Array:
    """Accelerations (..., 2, 6) of joint accelerations qdd (..., 12), see `gough.kinematics.platform_acceleration`."""
    bias = joint_accelerations(machine, X, V, np.zeros((2, 6)))
    return platform_twist(machine, X, twelve("qdd", qdd) - bias)


@checks_arguments
def least_rates(machine: StackedMachine, X: PoseLike, V: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Joint rates of least weighted norm for a twist of the end platform: qd = W^-1 J^T (J W^-1 J^T)^-1 V.

    They minimise the sum of weights * qd^2 among all rates with this twist (Whitney 1969), and determine the twist of
    the intermediate platform, see `gough.platform_twist`.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base of the lower stage, the intermediate one first.
    V : (..., 6) array
        Twist of the end platform's origin in base axes [m/s, rad/s].
    weights : (12,) array, optional
        Above zero. By default one, which needs joints of one kind in both stages, so that rates have a common unit;
        with one over the square of each joint's top speed the norm is that of utilisations.

    Returns
    -------
    (..., 12) array
        The lower stage's first [m/s, or rad/s of cranks]; NaN where a stage is singular.

    Raises
    ------
    InputError
        Lengths in one stage and angles in the other, without weights.
    ShapeError
        Weights that are not twelve numbers above zero, or a twist of another shape.

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
    twist = of_shape("V", V, "(..., 6), of the end platform")
    J = inverse_jacobian(machine, X)[..., 6:, :]
    # With qd = W^-1/2 x this is the pseudoinverse of J W^-1/2.
    scale = 1 / np.sqrt(w)
    is_known = np.asarray(np.isfinite(J).all(axis=(-1, -2)))
    inverse = np.linalg.pinv(np.where(is_known[..., None, None], J * scale, 0.0))
    inverse[~is_known] = np.nan
    return scale * times(inverse, twist, "V")
