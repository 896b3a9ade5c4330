"""Kinematics of two stages, differential and forward.

The upper stage is carried by the intermediate platform, so velocities add up,

    V_P = C J_Vq1 qd_1 + D J_Vq2 qd_2            C = [[1, -[r]x], [0, 1]],  D = diag(R_BU, R_BU)

with r from the intermediate platform's origin to the end platform's. The end platform leaves six of the twelve rates
free: self-motions of the intermediate platform.

Stage by stage: the forward kinematics of each stage in turn. As one system: Newton's method on all twelve
leg equations at once, for both poses in the base, with the 12 x 12 Jacobian. They agree to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displaced
from gough.errors import InputError, ShapeError
from gough.frames.euler_rates import euler_rates
from gough.kinematics import inverse as of_stage
from gough.kinematics import rates
from gough.kinematics.certificate import Certificate
from gough.kinematics.forward import ForwardSolution
from gough.kinematics.forward import forward_kinematics as forward_kinematics_of_stage
from gough.kinematics.inverse import inverse_kinematics as inverse_kinematics_of_stage
from gough.kinematics.rates import inverse_jacobian as inverse_jacobian_of_stage
from gough.kinematics.rates import jacobian as jacobian_of_stage
from gough.kinematics.rates import joint_accelerations as joint_accelerations_of_stage
from gough.kinematics.rates import joint_rates as joint_rates_of_stage
from gough.kinematics.rates import least_jacobian as least_jacobian_of_stage
from gough.kinematics.rates import platform_acceleration as platform_acceleration_of_stage
from gough.kinematics.rates import platform_twist as platform_twist_of_stage
from gough.poses import PoseLike, skew, times
from gough.quantity import derived, quantity, result, transform
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    stacked_poses,
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
    """Return joint coordinates (..., 12), see `gough.inverse_kinematics`."""
    poses = both_poses(X)
    q = np.empty((*poses.shape[:-3], 12)) if out is None else of_stage.checked_out(out, (*poses.shape[:-3], 12))
    q[..., :6] = of_stage.inverse_kinematics(machine.lower, poses[..., 0, :, :])
    q[..., 6:] = of_stage.inverse_kinematics(machine.upper, upper_pose(machine, poses))
    return q


@jacobian_of_stage.register(StackedMachine)
@checks_arguments
def jacobian(machine: StackedMachine, X: PoseLike, *, sequence: str | None = None) -> Array:
    """Return J_qV (..., 12, 12), see `gough.jacobian`; finite where the Jacobians of both stages are, at singular poses
    too.

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
    """Return S (..., 6, 6) with |S V| the norm of `least_rates`; it exists where a stage is singular too.

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
    """Return J_Vq (..., 12, 12), see `gough.kinematics.inverse_jacobian`; NaN in columns of a stage that is
    singular."""
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
    """Return joint rates (..., 12) of the twists V (..., 2, 6), see `gough.joint_rates`."""
    return times(jacobian(machine, X), flat(both_six("V", V)), "V")


@platform_twist_of_stage.register(StackedMachine)
@checks_arguments
def platform_twist(machine: StackedMachine, X: PoseLike, qd: ArrayLike) -> Array:
    """Return twists (..., 2, 6) of joint rates qd (..., 12), see `gough.platform_twist`."""
    V = times(inverse_jacobian(machine, X), twelve("qd", qd), "qd")
    return V.reshape(*V.shape[:-1], 2, 6)


@joint_accelerations_of_stage.register(StackedMachine)
@checks_arguments
def joint_accelerations(machine: StackedMachine, X: PoseLike, V: ArrayLike, A: ArrayLike) -> Array:
    """Return joint accelerations (..., 12) of accelerations A (..., 2, 6), see
    `gough.kinematics.joint_accelerations`."""
    poses, twist, rate = both_poses(X), both_six("V", V), both_six("A", A)
    lower = rates.joint_accelerations(machine.lower, poses[..., 0, :, :], twist[..., 0, :], rate[..., 0, :])
    V_UP, A_UP = upper_twist(machine, poses, twist), upper_acceleration(machine, poses, twist, rate)
    upper = rates.joint_accelerations(machine.upper, upper_pose(machine, poses), V_UP, A_UP)
    return np.concatenate(np.broadcast_arrays(lower, upper), axis=-1)


@platform_acceleration_of_stage.register(StackedMachine)
@checks_arguments
def platform_acceleration(machine: StackedMachine, X: PoseLike, V: ArrayLike, qdd: ArrayLike) -> Array:
    """Return accelerations (..., 2, 6) of joint accelerations qdd (..., 12), see
    `gough.kinematics.platform_acceleration`."""
    bias = joint_accelerations(machine, X, V, np.zeros((2, 6)))
    return platform_twist(machine, X, twelve("qdd", qdd) - bias)


@checks_arguments
def least_rates(machine: StackedMachine, X: PoseLike, V: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Compute the joint rates of least weighted norm for a twist of the end platform: qd = W^-1 J^T (J W^-1 J^T)^-1 V.

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
            f"machine {machine.name!r}: rates of lengths and of angles have no common norm; pass weights, such as one "
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


SMALLEST_STEP = 1e-14
"""Largest Newton step that counts as rounding, as a part of the machine's size."""
MOST_NEWTON_STEPS = 50
"""Most Newton steps."""
HALVINGS = 12
"""Most halvings of a Newton step in backtracking."""


@result(slots=True)
class StackedSolution(ForwardSolution):
    """Poses of both platforms (..., 2, 4, 4) with their evidence; the intermediate platform comes first.

    Attributes
    ----------
    stages : (ForwardSolution, ForwardSolution)
        Solution of each stage, with its certificate.

    """

    stages: tuple[ForwardSolution, ForwardSolution]

    @property
    def certificate(self) -> Certificate:
        """Each stage has its own."""
        raise InputError("each stage has its own certificate: .stages[0].certificate, .stages[1].certificate")

    @property
    @derived("", is_listed=False)
    def certified(self) -> NDArray[np.bool_]:
        """Whether the poses of both stages are proven solutions for their joint coordinates."""
        return self.stages[0].certified & self.stages[1].certified


@forward_kinematics_of_stage.register(StackedMachine)
@checks_arguments
def forward_kinematics(
    machine: StackedMachine, q: ArrayLike, *, near: PoseLike | None = None, throw: bool = True
) -> StackedSolution:
    """Return poses of both platforms with joint coordinates q (..., 12), stage by stage, see
    `gough.forward_kinematics`."""
    joints = twelve("joint coordinates", q)
    start = _start(machine, near, joints.shape[:-1])
    starts = start[..., 0, :, :], upper_pose(machine, start)
    lower, upper = (
        forward_kinematics_of_stage(stage, part, near=begin, throw=throw)
        for stage, part, begin in zip(machine.stages, (joints[..., :6], joints[..., 6:]), starts, strict=True)
    )
    return StackedSolution(
        stacked_poses(machine, lower.matrix, upper.matrix),
        np.maximum(lower.residual, upper.residual),
        lower.iterations + upper.iterations,
        np.maximum(lower.status, upper.status),
        machine,
        joints,
        (lower, upper),
    )


@result
class SystemSolution(Result):
    """Poses of both platforms (..., 2, 4, 4), largest residual of a joint coordinate, number of Newton steps, and
    whether the poses satisfy all leg equations to rounding (...); NaN poses where they do not."""

    matrix: Array = transform(has_platforms=True, doc="Poses of both platforms; NaN where not converged.")
    residual: Array = quantity("m or rad", is_headline=True, doc="Largest residual of a joint coordinate.")
    iterations: NDArray[np.int64] = quantity("1", doc="Newton steps taken.")
    converged: NDArray[np.bool_] = quantity(
        "", is_headline=True, doc="Whether the poses satisfy all leg equations to rounding."
    )
    machine: StackedMachine


@checks_arguments
def forward_as_one_system(machine: StackedMachine, q: ArrayLike, *, near: PoseLike | None = None) -> SystemSolution:
    """Compute the poses of both platforms with joint coordinates q, by Newton's method on all twelve leg equations at
    once.

    The steps are halved until the residual falls (Deuflhard 2004, section 2.1). For comparison with
    `gough.forward_kinematics`: it only promises that the poses satisfy the equations.

    Parameters
    ----------
    machine : StackedMachine
    q : (..., 12) array
        Joint coordinates [m, or rad for cranks], the lower stage's first.
    near : PoseLike, (..., 2, 4, 4), optional
        Poses of both platforms to start from; default: home.

    Returns
    -------
    SystemSolution
        NaN poses where `converged` is false: at a singular pose, without descent, or after 50 steps.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    joints = twelve("joint coordinates", q)
    shape = joints.shape[:-1]
    X = np.broadcast_to(_start(machine, near, shape), (*shape, 2, 4, 4)).copy()
    residual, steps, converged = np.empty(shape), np.empty(shape, np.int64), np.empty(shape, bool)
    for k in np.ndindex(shape):
        X[k], residual[k], steps[k], converged[k] = _newton(machine, joints[k], X[k])
    X[~converged] = np.nan
    return SystemSolution(X, residual, steps, converged, machine)


def _start(machine: StackedMachine, near: PoseLike | None, shape: tuple[int, ...]) -> Array:
    """Initial poses of both platforms, one pair (2, 4, 4) or one pair for each of the joint coordinates."""
    return of_shape(
        "near",
        machine.X_home if near is None else both_poses(near),
        f"(2, 4, 4), or {(*shape, 2, 4, 4)}: one pair for each q",
    )


def _newton(machine: StackedMachine, q: Array, X: Array) -> tuple[Array, float, int, bool]:
    """Newton's method with backtracking for both poses (2, 4, 4): the norm of the residuals decreases in every step."""
    gap = q - inverse_kinematics(machine, X)  # NaN where a leg cannot close
    for step in range(MOST_NEWTON_STEPS):
        J = jacobian(machine, X)
        # A step from a Jacobian that is singular to rounding has no correct digits.
        if not np.isfinite(J).all() or np.linalg.cond(J) > 1 / SMALLEST_STEP:
            break
        move = np.asarray(np.linalg.solve(J, gap), dtype=float).reshape(2, 6)
        if np.abs(move).max() < SMALLEST_STEP * max(machine.size, 1.0):
            return X, float(np.abs(gap).max()), step, True
        # Backtracking; NaN residuals, where a leg cannot close, never count as descent.
        part = 1.0
        for _ in range(HALVINGS):
            tried = displaced(X, part * move)
            left = q - inverse_kinematics(machine, tried)
            if np.linalg.norm(left) < np.linalg.norm(gap):
                break
            part *= 0.5
        else:  # no descent: rounding of a solution, or none
            is_rounding = bool(np.abs(gap).max() < 64 * np.finfo(float).eps * max(machine.size, 1.0))
            return X, float(np.abs(gap).max()), step, is_rounding
        X, gap = tried, left
    return X, float(np.abs(gap).max()), MOST_NEWTON_STEPS, False
