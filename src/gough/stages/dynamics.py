"""Dynamics of two stages: equations of motion, forces of a moving base, motions of all bodies.

    M(X) A + B(X, V) = J_qV^T f + F

with the accelerations A = [A_I, A_P], the twelve actuator forces f, the wrenches F = [F_I, F_P] on both platforms, and
the forces B of weight, velocities and friction. They follow from those in V_I and V_UP (`gough.dynamics._two_stages`)
with V_UP = T V, A_UP = T A + the bias of the twists (`gough.stages.frames`).

With I the intermediate platform, w and w' its angular velocity and acceleration, r from its origin to a point that
moves with v_U and a_U in the upper stage's base U, and R = R_BU:

    v = v_I + w x r + R v_U        a = a_I + w' x r + w x (w x r) + 2 w x R v_U + R a_U
    w_B = w + R w_U                w'_B = w' + w x R w_U + R w'_U
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape, six
from gough.dynamics._equations import STATE_NUMBERS, set_pose, set_pose_rate
from gough.dynamics._two_stages import Stack, StackMotions, stack_batch, stack_inverse_batch
from gough.dynamics.bodies import BodyMotion
from gough.dynamics.bodies import body_motions as body_motions_of
from gough.dynamics.bodies import body_motions as body_motions_of_stage
from gough.dynamics.bodies import first_moment as first_moment_of
from gough.dynamics.bodies import first_moment as first_moment_of_stage
from gough.dynamics.equations import bias_wrench as bias_wrench_of_stage
from gough.dynamics.equations import forward_dynamics as forward_dynamics_of_stage
from gough.dynamics.equations import gravity_wrench
from gough.dynamics.equations import inverse_dynamics as inverse_dynamics_of_stage
from gough.dynamics.equations import mass_matrix as mass_matrix_of_stage
from gough.dynamics.model import Drives, PoseBatch, model_of, wrench_at_origin
from gough.dynamics.model import state_rate_of as state_rate_of_of_stage
from gough.dynamics.passive_joints import PassiveJoints
from gough.dynamics.passive_joints import passive_joints as passive_joints_of
from gough.dynamics.passive_joints import passive_joints as passive_joints_of_stage
from gough.kinematics.rates import inverse_jacobian, jacobian
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, common_shape, cross, times
from gough.results import NamedResults
from gough.stacked import StackedMachine
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    transposed_times,
    twelve,
    upper_acceleration,
    upper_base,
    upper_bias,
    upper_map,
    upper_pose,
    upper_twist,
)

FOUND: tuple[tuple[int, ...], ...] = ((13, 12), (12,), ())
"""Trailing shapes of the arrays of `StackMotions`."""


def stack_of(machine: StackedMachine, *, has_friction: bool = True) -> Stack:
    """Return tables of both stages for the kernels; `InputError` names a stage without masses."""
    lower, upper = (model_of(stage, has_friction=has_friction) for stage in machine.stages)
    return Stack(lower, upper, machine.X_IU)


def motions_of(stack: Stack, X: Array, gravity: Array, is_held: bool, **given: Array) -> StackMotions:
    """`stack_batch` at poses (..., 2, 4, 4), with twists, forces and wrenches (..., 12) in this order, broadcast."""

    def run(X: Array, V: Array, f: Array, F: Array, g: Array, *found: Array) -> None:
        stack_batch(stack, X, V, f, F, g, is_held, StackMotions(*found))

    return StackMotions(*PoseBatch(X, X.shape[-3:-2], **given, gravity=gravity).run(run, *FOUND))


def relative_terms(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, *, has_friction: bool = True, drives: Drives = "free"
) -> tuple[Array, Array]:
    """Return M (..., 12, 12) and Q (..., 12) in V_I and V_UP, at poses (..., 2, 4, 4) and twists (..., 2, 6)."""
    stack, none = stack_of(machine, has_friction=has_friction), np.zeros(12)
    given = {"V": flat(V), "force": none, "wrench": none}
    terms = motions_of(stack, X, gravity, drives == "held", **given).terms
    return terms[..., :12, :], terms[..., 12, :]


def terms(
    machine: StackedMachine,
    X: Array,
    V: Array | None = None,
    gravity: Array | None = None,
    *,
    has_friction: bool = True,
    drives: Drives = "free",
) -> tuple[Array, Array]:
    """Return M (..., 12, 12) and B (..., 12) at poses (..., 2, 4, 4) and twists (..., 2, 6); at rest and without weight
    by default."""
    V = np.zeros((2, 6)) if V is None else V
    g = np.zeros(3) if gravity is None else gravity
    M, Q = relative_terms(machine, X, V, g, has_friction=has_friction, drives=drives)
    # With [V_I, V_UP] = T [V_I, V_P]: M becomes T^T M T, and the bias of A_UP adds M bias to the forces.
    T = np.zeros((*X.shape[:-3], 12, 12))
    T[..., range(6), range(6)] = 1.0
    T[..., 6:, :] = upper_map(machine, X)
    return np.swapaxes(T, -1, -2) @ M @ T, transposed_times(T, Q + times(M[..., 6:], upper_bias(machine, X, V)))


def upper_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Return wrenches on both platforms (..., 12) that hold the weight of the bodies of the upper stage."""
    upper, X_UP, X_BU = machine.upper, upper_pose(machine, X), upper_base(machine, X)
    # The upper stage's own gravity wrench holds the end platform; the base of the upper stage carries the whole weight.
    inside = gravity_wrench(upper, X_UP, transposed_times(X_BU[..., :3, :3], gravity))
    needed = transposed_times(upper_map(machine, X), inside)
    needed[..., :6] -= weight_of_upper(machine, X, gravity)
    return np.asarray(needed)


def weight_of_upper(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Return the weight of the upper stage as a wrench (..., 6) about the intermediate platform's origin, in base
    axes."""
    mass, moment = moment_of_upper(machine, X)
    weight, arm = np.broadcast_arrays(mass * gravity, moment / mass)
    return np.concatenate([weight, cross(arm, weight)], axis=-1)


def moment_of_upper(machine: StackedMachine, X: Array) -> tuple[float, Array]:
    """Return the mass [kg] and first moment (..., 3) [kg m] of the upper stage about the intermediate platform's
    origin."""
    X_BU = upper_base(machine, X)
    mass, moment = first_moment_of(machine.upper, upper_pose(machine, X))
    return mass, mass * (X_BU[..., :3, 3] - X[..., 0, :3, 3]) + times(X_BU[..., :3, :3], moment)


@first_moment_of_stage.register(StackedMachine)
def first_moment(machine: StackedMachine, X: Array) -> tuple[float, Array]:
    """Return the mass and first moment of both stages in the base, see `gough.dynamics.bodies.first_moment`."""
    poses = both_poses(X)
    X_BU = upper_base(machine, poses)
    lower, below = first_moment_of(machine.lower, poses[..., 0, :, :])
    upper, above = first_moment_of(machine.upper, upper_pose(machine, poses))
    return lower + upper, np.asarray(below + upper * X_BU[..., :3, 3] + times(X_BU[..., :3, :3], above))


def lower_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Return wrenches on both platforms (..., 12) that hold the weight of the bodies of the lower stage."""
    below = gravity_wrench(machine.lower, X[..., 0, :, :], gravity)
    return np.concatenate([below, np.zeros_like(below)], axis=-1)


@mass_matrix_of_stage.register(StackedMachine)
@checks_arguments
def mass_matrix(machine: StackedMachine, X: PoseLike, *, drives: Drives = "free") -> Array:
    """Return the mass matrix M (..., 12, 12), see `gough.dynamics.mass_matrix`: kinetic energy is V^T M V / 2, V =
    [V_I, V_P]."""
    return terms(machine, both_poses(X), drives=drives)[0]


@bias_wrench_of_stage.register(StackedMachine)
def bias_wrench(machine: StackedMachine, X: PoseLike, V: ArrayLike, gravity: Array) -> Array:
    """Return C(X, V) + G(X) (..., 2, 6), see `gough.dynamics.equations.bias_wrench`."""
    B = terms(machine, both_poses(X), both_six("V", V), gravity, has_friction=False)[1]
    return B.reshape(*B.shape[:-1], 2, 6)


@inverse_dynamics_of_stage.register(StackedMachine)
@checks_arguments
def inverse_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Return the twelve actuator forces of a motion of both platforms, see `gough.inverse_dynamics`.

    The engine of `gough.multibody` agrees to 1e-9.
    """
    poses, stack = both_poses(X), stack_of(machine)
    given = {"V": flat(both_six("V", V)), "A": flat(both_six("A", A)), "wrench": wrenches(poses, wrench, point)}
    batch = PoseBatch(poses, machine.stage_shape, **given, gravity=machine.free_fall(gravity))
    return batch.run(partial(stack_inverse_batch, stack), (12,))[0]


@forward_dynamics_of_stage.register(StackedMachine)
@checks_arguments
def forward_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    force: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Return accelerations (..., 2, 6) of both platforms, M A = J_qV^T f + F - B, see `gough.forward_dynamics`."""
    poses, stack = both_poses(X), stack_of(machine)
    given = {"V": flat(both_six("V", V)), "force": twelve("force", force), "wrench": wrenches(poses, wrench, point)}
    A = motions_of(stack, poses, machine.free_fall(gravity), False, **given).A
    return A.reshape(*A.shape[:-1], 2, 6)


@state_rate_of_of_stage.register(StackedMachine)
def state_rate_of(machine: StackedMachine) -> Callable[[Array, Array, Array, Array, Array], float | None]:
    """See `gough.dynamics.model.state_rate_of`; states of both platforms, concatenated."""
    stack, X, V = stack_of(machine), np.zeros((1, 2, 4, 4)), np.empty((2, 6))
    X[..., 3, 3] = 1.0
    found = StackMotions(*(np.empty((1, *shape)) for shape in FOUND))

    def rate(y: Array, f: Array, F: Array, g: Array, dy: Array) -> float:
        states, rates = y.reshape(2, STATE_NUMBERS), dy.reshape(2, STATE_NUMBERS)
        set_pose(states.T, np.moveaxis(X[0], 0, -1))
        set_pose_rate(states.T, rates.T)
        V[:] = states[:, 7:]
        stack_batch(stack, X, V.reshape(1, 12), f[None], F.reshape(1, 12), g[None], False, found)
        rates[:, 7:] = found.A.reshape(2, 6)
        return float(found.power[0])

    return rate


def wrenches(X: Array, wrench: ArrayLike | None, point: ArrayLike | None = None) -> Array:
    """Return wrenches on both platforms about their origins, concatenated (..., 12); one wrench (6,) acts on the end
    platform.

    The wrench on the end platform is given about `point`, where there is one.
    """
    if wrench is None:
        return np.concatenate([np.zeros(6), wrench_at_origin(X[..., 1, :, :], wrench, point)])
    F = of_shape("wrench", wrench, "(6,), on the end platform, or (..., 2, 6), on both")
    if F.shape == (6,):
        F = np.stack([np.zeros(6), F])
    end = wrench_at_origin(X[..., 1, :, :], F[..., 1, :], point)
    return np.concatenate(np.broadcast_arrays(F[..., 0, :], end), axis=-1)


def forces_of(machine: StackedMachine, X: Array, needed: Array) -> Array:
    """Return actuator forces f (..., 12) with J_qV^T f = `needed`, wrenches on both platforms (..., 12).

    J_qV is block triangular: the upper stage's forces follow from the wrench on the end platform alone, the lower
    stage's from the wrench on the intermediate platform less what the upper ones transmit to it.
    """
    # Wrench on the end platform in axes of the upper stage's base, force and moment as rows.
    X_UP, R_BU = upper_pose(machine, X), upper_base(machine, X)[..., :3, :3]
    in_upper = needed[..., 6:].reshape(*needed.shape[:-1], 2, 3) @ R_BU
    in_upper = in_upper.reshape(*in_upper.shape[:-2], 6)
    f_2 = transposed_times(inverse_jacobian(machine.upper, X_UP), in_upper, "wrench")
    passed_on = transposed_times(jacobian(machine.upper, X_UP) @ upper_map(machine, X)[..., :6], f_2, "wrench")
    f_1 = transposed_times(inverse_jacobian(machine.lower, X[..., 0, :, :]), needed[..., :6] - passed_on, "wrench")
    return np.concatenate(np.broadcast_arrays(f_1, f_2), axis=-1)


@checks_arguments
def moving_base_forces(
    machine: Machine,
    base: tuple[PoseLike, ArrayLike, ArrayLike],
    platform: tuple[PoseLike, ArrayLike, ArrayLike],
    gravity: bool | ArrayLike | None = None,
) -> Array:
    """Compute the actuator forces of a motion on a moving base, such as the upper of two stages, by virtual work over
    all bodies.

    The twists and accelerations of the bodies are inertial ones (Tsai 2000, whose base is at rest).

    Parameters
    ----------
    machine : Machine
        With masses.
    base : tuple of (..., 4, 4), (..., 6), (..., 6)
        Pose, twist [v, w] and acceleration [a, alpha] of the base's frame in inertial axes; batches broadcast.
    platform : tuple of (..., 4, 4), (..., 6), (..., 6)
        The same of the platform's frame in the base, as for `gough.inverse_dynamics`.
    gravity : (3,) array, optional
        Acceleration of free fall in inertial axes [m/s2]; default: the machine's gravity.

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; NaN where a leg cannot close or the pose is singular.

    Raises
    ------
    InputError
        The machine has no masses.
    ShapeError, PoseError
        Arrays of other shapes, or batches that do not broadcast; a matrix that is not a pose.

    """
    X_OB, V_B, A_B = checked_matrices(base[0]), six("V of the base", base[1]), six("A of the base", base[2])
    X_BP, V, A = checked_matrices(platform[0]), six("V", platform[1]), six("A", platform[2])
    batches = (X_OB.shape[:-2], V_B.shape[:-1], A_B.shape[:-1], X_BP.shape[:-2], V.shape[:-1], A.shape[:-1])
    shape = common_shape("base and platform", *batches)
    X_OB, X_BP = (np.broadcast_to(X, (*shape, 4, 4)) for X in (X_OB, X_BP))
    V_B, A_B, V, A = (np.broadcast_to(values, (*shape, 6)) for values in (V_B, A_B, V, A))
    arm, v, w = (times(X_OB[..., :3, :3], part) for part in (X_BP[..., :3, 3], V[..., :3], V[..., 3:]))
    V_P = V_B + np.concatenate([cross(V_B[..., 3:], arm) + v, w], axis=-1)
    stack = StackedMachine(name=machine.name, stages=(machine, machine), X_IU=np.eye(4))
    X_both, V_both = np.stack([X_OB, X_OB @ X_BP], axis=-3), np.stack([V_B, V_P], axis=-2)
    # The base is the intermediate platform of a stack. The rows of V_UP do not depend on the lower stage, for which the
    # machine itself is a placeholder.
    M, Q = relative_terms(stack, X_both, V_both, machine.free_fall(gravity))
    needed = times(M[..., 6:, :], np.concatenate([A_B, A], axis=-1)) + Q[..., 6:]
    return transposed_times(inverse_jacobian(machine, X_BP), needed)


@body_motions_of_stage.register(StackedMachine)
@checks_arguments
def body_motions(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike | None = None,
    A: ArrayLike | None = None,
    *,
    drives: Drives = "free",
) -> NamedResults[BodyMotion]:
    """Return motions of the bodies of both stages' legs in the base, see `gough.dynamics.body_motions`."""
    poses = both_poses(X)
    twist, rate = (np.zeros((2, 6)) if six is None else both_six(name, six) for name, six in (("V", V), ("A", A)))
    own = (poses[..., 0, :, :], twist[..., 0, :], rate[..., 0, :])
    V_UP, A_UP = upper_twist(machine, poses, twist), upper_acceleration(machine, poses, twist, rate)
    lower = body_motions_of(machine.lower, *own, drives=drives)
    upper = body_motions_of(machine.upper, upper_pose(machine, poses), V_UP, A_UP, drives=drives)
    return NamedResults(
        {f"stage 1 {part}": motion for part, motion in lower.items()}
        | {f"stage 2 {part}": _carried(motion, upper_base(machine, poses), *own) for part, motion in upper.items()}
    )


def _carried(motion: BodyMotion, X_BU: Array, X_BI: Array, V_I: Array, A_I: Array) -> BodyMotion:
    """A motion in U as a motion in B, from the motion of the intermediate platform, to which U is fixed."""
    X_BU, p_I, V_I, A_I = X_BU[..., None, :, :], X_BI[..., None, :3, 3], V_I[..., None, :], A_I[..., None, :]
    R, w, w_t = X_BU[..., :3, :3], V_I[..., 3:], A_I[..., 3:]
    centre = times(R, motion.mass_centre) + X_BU[..., :3, 3]
    r, v, turn = centre - p_I, times(R, motion.velocity), times(R, motion.angular_velocity)
    return BodyMotion(
        mass=motion.mass,
        matrix=X_BU @ motion.matrix,
        mass_centre=centre,
        velocity=V_I[..., :3] + cross(w, r) + v,
        acceleration=A_I[..., :3]
        + cross(w_t, r)
        + cross(w, cross(w, r))
        + 2 * cross(w, v)
        + times(R, motion.acceleration),
        angular_velocity=w + turn,
        angular_acceleration=w_t + cross(w, turn) + times(R, motion.angular_acceleration),
        is_assumed=motion.is_assumed,
    )


@passive_joints_of_stage.register(StackedMachine)
@checks_arguments
def passive_joints(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike | None = None,
    A: ArrayLike | None = None,
    *,
    joint_axis: ArrayLike | None = None,
    platform_axis: ArrayLike | None = None,
) -> PassiveJoints:
    """Return the motion in the joints of both stages' legs, see `gough.dynamics.passive_joints`; axes (12, 3), each in
    the base or platform of its stage."""
    poses = both_poses(X)
    twist, rate = (np.zeros((2, 6)) if six is None else both_six(name, six) for name, six in (("V", V), ("A", A)))
    given = {"joint_axis": joint_axis, "platform_axis": platform_axis}
    axes = {name: of_shape(name, each, "(12, 3)").reshape(2, 6, 3) for name, each in given.items() if each is not None}
    V_UP, A_UP = upper_twist(machine, poses, twist), upper_acceleration(machine, poses, twist, rate)
    below = (poses[..., 0, :, :], twist[..., 0, :], rate[..., 0, :])
    lower = passive_joints_of(machine.lower, *below, **{name: each[0] for name, each in axes.items()})
    upper = passive_joints_of(
        machine.upper, upper_pose(machine, poses), V_UP, A_UP, **{name: each[1] for name, each in axes.items()}
    )
    joined = {
        each.name: np.concatenate([getattr(lower, each.name), getattr(upper, each.name)], axis=lower.joint.ndim - 1)
        for each in fields(lower)
        if each.name != "machine" and getattr(lower, each.name) is not None
    }
    return PassiveJoints(**joined, machine=machine)
