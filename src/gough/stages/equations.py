"""The equations of motion of two stages in the twists of both platforms:

    M(X) A + B(X, V) = J_qV^T f + F

with the accelerations A = [A_I, A_P], the twelve actuator forces f, the wrenches F = [F_I, F_P] on both platforms, and
the forces B of weight, velocities and friction. They follow from those in V_I and V_UP (`gough.dynamics._two_stages`)
with V_UP = T V, A_UP = T A + the bias of the twists (`gough.stages.frames`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics._stack_frames import Stack
from gough.dynamics._two_stages import Motions, stack_batch
from gough.dynamics.arguments import Batch, Drives
from gough.dynamics.bodies import first_moment as first_moment_of
from gough.dynamics.bodies import first_moment as first_moment_of_stage
from gough.dynamics.equations import bias_wrench as bias_wrench_of_stage
from gough.dynamics.equations import gravity_wrench
from gough.dynamics.equations import mass_matrix as mass_matrix_of_stage
from gough.dynamics.model import model_of
from gough.kinematics.rates import times
from gough.poses import PoseLike, cross
from gough.stacked import StackedMachine
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    transposed_times,
    upper_base,
    upper_bias,
    upper_map,
    upper_pose,
)

FOUND: tuple[tuple[int, ...], ...] = ((13, 12), (12,), ())
"""Trailing shapes of the arrays of `Motions`."""


def stack_of(machine: StackedMachine, *, has_friction: bool = True) -> Stack:
    """Tables of both stages for the kernels; `InputError` names a stage without masses."""
    lower, upper = (model_of(stage, has_friction=has_friction) for stage in machine.stages)
    return Stack(lower, upper, machine.X_IU)


def motions_of(stack: Stack, X: Array, gravity: Array, is_held: bool, **given: Array) -> Motions:
    """`stack_batch` at poses (..., 2, 4, 4), with twists, forces and wrenches (..., 12) in this order, broadcast."""

    def run(X: Array, V: Array, f: Array, F: Array, g: Array, *found: Array) -> None:
        stack_batch(stack, X, V, f, F, g, is_held, Motions(*found))

    return Motions(*Batch(X, X.shape[-3:-2], **given, gravity=gravity).run(run, *FOUND))


def relative_terms(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, *, has_friction: bool = True, drives: Drives = "free"
) -> tuple[Array, Array]:
    """M (..., 12, 12) and Q (..., 12) in V_I and V_UP, at poses (..., 2, 4, 4) and twists (..., 2, 6)."""
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
    """M (..., 12, 12) and B (..., 12) at poses (..., 2, 4, 4) and twists (..., 2, 6); at rest and without weight by
    default."""
    V = np.zeros((2, 6)) if V is None else V
    g = np.zeros(3) if gravity is None else gravity
    M, Q = relative_terms(machine, X, V, g, has_friction=has_friction, drives=drives)
    # With [V_I, V_UP] = T [V_I, V_P]: M becomes T^T M T, and the bias of A_UP adds M bias to the forces.
    T = np.zeros((*X.shape[:-3], 12, 12))
    T[..., range(6), range(6)] = 1.0
    T[..., 6:, :] = upper_map(machine, X)
    return np.swapaxes(T, -1, -2) @ M @ T, transposed_times(T, Q + times(M[..., 6:], upper_bias(machine, X, V)))


def upper_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Wrenches on both platforms (..., 12) that hold the weight of the bodies of the upper stage."""
    upper, X_UP, X_BU = machine.upper, upper_pose(machine, X), upper_base(machine, X)
    # The upper stage's own gravity wrench holds the end platform; the base of the upper stage carries the whole weight.
    inside = gravity_wrench(upper, X_UP, transposed_times(X_BU[..., :3, :3], gravity))
    needed = transposed_times(upper_map(machine, X), inside)
    needed[..., :6] -= weight_of_upper(machine, X, gravity)
    return np.asarray(needed)


def weight_of_upper(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Weight of the upper stage as a wrench (..., 6) about the intermediate platform's origin, in base axes."""
    mass, moment = moment_of_upper(machine, X)
    weight, arm = np.broadcast_arrays(mass * gravity, moment / mass)
    return np.concatenate([weight, cross(arm, weight)], axis=-1)


def moment_of_upper(machine: StackedMachine, X: Array) -> tuple[float, Array]:
    """Mass [kg] and first moment (..., 3) [kg m] of the upper stage about the intermediate platform's origin."""
    X_BU = upper_base(machine, X)
    mass, moment = first_moment_of(machine.upper, upper_pose(machine, X))
    return mass, mass * (X_BU[..., :3, 3] - X[..., 0, :3, 3]) + times(X_BU[..., :3, :3], moment)


@first_moment_of_stage.register(StackedMachine)
def first_moment(machine: StackedMachine, X: Array) -> tuple[float, Array]:
    """Mass and first moment of both stages in the base, see `gough.dynamics.bodies.first_moment`."""
    poses = both_poses(X)
    X_BU = upper_base(machine, poses)
    lower, below = first_moment_of(machine.lower, poses[..., 0, :, :])
    upper, above = first_moment_of(machine.upper, upper_pose(machine, poses))
    return lower + upper, np.asarray(below + upper * X_BU[..., :3, 3] + times(X_BU[..., :3, :3], above))


def lower_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Wrenches on both platforms (..., 12) that hold the weight of the bodies of the lower stage."""
    below = gravity_wrench(machine.lower, X[..., 0, :, :], gravity)
    return np.concatenate([below, np.zeros_like(below)], axis=-1)


@mass_matrix_of_stage.register(StackedMachine)
@checks_arguments
def mass_matrix(machine: StackedMachine, X: PoseLike, *, drives: Drives = "free") -> Array:
    """Mass matrix M (..., 12, 12), see `gough.dynamics.mass_matrix`: kinetic energy is V^T M V / 2, V = [V_I, V_P]."""
    return terms(machine, both_poses(X), drives=drives)[0]


@bias_wrench_of_stage.register(StackedMachine)
def bias_wrench(machine: StackedMachine, X: PoseLike, V: ArrayLike, gravity: Array) -> Array:
    """C(X, V) + G(X) (..., 2, 6), see `gough.dynamics.equations.bias_wrench`."""
    B = terms(machine, both_poses(X), both_six("V", V), gravity, has_friction=False)[1]
    return B.reshape(*B.shape[:-1], 2, 6)
