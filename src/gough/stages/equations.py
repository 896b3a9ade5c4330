"""The equations of motion of both stages in the twelve coordinates of both platforms:

    M(X) A + B(X, V) = J_qV^T f + F

A = [A_I, A_P] accelerations, f the twelve actuator forces, F = [F_I, F_P] wrenches on both platforms, B what weight and
velocities need, friction with it. They follow from those in V_I and V_UP (`gough.dynamics._two_stages`) with
V_UP = T V, A_UP = T A + the bias of the twists (`gough.stages.frames`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics import equations as of_stage
from gough.dynamics._stack_frames import Stack
from gough.dynamics._two_stages import Motions, stack_batch
from gough.dynamics.arguments import Batch, Drives
from gough.dynamics.bodies import body_motions
from gough.dynamics.model import model_of
from gough.kinematics.rates import times
from gough.machine import Machine
from gough.poses import PoseLike, cross
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, both_six, flat, upper_base, upper_bias, upper_map, upper_pose

FOUND: tuple[tuple[int, ...], ...] = ((13, 12), (12,), ())
"""Trailing shapes of `Motions`."""


def stack_of(machine: StackedMachine, *, has_friction: bool = True) -> Stack:
    """Both stages for the kernels; `InputError` that names the one without masses."""
    lower, upper = (model_of(stage, has_friction=has_friction) for stage in machine.stages)
    return Stack(lower, upper, machine.X_IU)


def motions_of(stack: Stack, X: Array, gravity: Array, is_held: bool, **given: Array) -> Motions:
    """`stack_batch` of poses (..., 2, 4, 4), with twists, forces and wrenches (..., 12) in this order, broadcast."""

    def run(X: Array, V: Array, f: Array, F: Array, g: Array, *found: Array) -> None:
        stack_batch(stack, X, V, f, F, g, is_held, Motions(*found))

    return Motions(*Batch(X, X.shape[-3:-2], **given, gravity=gravity).run(run, *FOUND))


def relative_terms(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, *, has_friction: bool = True, drives: Drives = "free"
) -> tuple[Array, Array]:
    """M (..., 12, 12) and Q (..., 12) in V_I and V_UP, of poses (..., 2, 4, 4) and twists (..., 2, 6)."""
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
    """M (..., 12, 12) and B (..., 12) of poses (..., 2, 4, 4) and twists (..., 2, 6); at rest and without weight where
    they are not given."""
    V = np.zeros((2, 6)) if V is None else V
    g = np.zeros(3) if gravity is None else gravity
    M, Q = relative_terms(machine, X, V, g, has_friction=has_friction, drives=drives)
    T = np.zeros((*X.shape[:-3], 12, 12))
    T[..., range(6), range(6)] = 1.0
    T[..., 6:, :] = upper_map(machine, X)
    T_t = np.swapaxes(T, -1, -2)
    return T_t @ M @ T, times(T_t, Q + times(M[..., 6:], upper_bias(machine, X, V)))


def upper_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """What the weights of the upper stage's bodies need (..., 12), as wrenches on both platforms."""
    upper, X_UP, X_BU = machine.upper, upper_pose(machine, X), upper_base(machine, X)
    inside = of_stage.gravity_wrench(upper, X_UP, times(np.swapaxes(X_BU[..., :3, :3], -1, -2), gravity))
    needed = times(np.swapaxes(upper_map(machine, X), -1, -2), inside)
    needed[..., :6] -= weight_of_upper(machine, X, gravity)
    return np.asarray(needed)


def weight_of_upper(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """Wrench (..., 6) of the upper stage's weight about the intermediate platform's origin, in the base frame."""
    X_BU = upper_base(machine, X)
    mass, moment = first_moment(machine.upper, upper_pose(machine, X))
    arm = X_BU[..., :3, 3] - X[..., 0, :3, 3] + times(X_BU[..., :3, :3], moment) / mass
    weight, arm = np.broadcast_arrays(mass * gravity, arm)
    return np.concatenate([weight, cross(arm, weight)], axis=-1)


def first_moment(stage: Machine, X: Array) -> tuple[float, Array]:
    """Mass of a stage's platform and legs [kg], and their mass times their mass centre (..., 3) in its base [kg m]."""
    model_of(stage)
    assert stage.platform is not None
    mass, body = stage.platform.mass, stage.platform
    moment = mass * (X[..., :3, 3] + X[..., :3, :3] @ body.mass_centre)
    for part in body_motions(stage, X).values() if stage.leg_bodies else ():
        mass += float(part.mass.sum())
        moment = moment + part.mass @ part.mass_centre
    return mass, np.asarray(moment)


def lower_weight(machine: StackedMachine, X: Array, gravity: Array) -> Array:
    """What the weights of the lower stage's bodies need (..., 12), as wrenches on both platforms."""
    below = of_stage.gravity_wrench(machine.lower, X[..., 0, :, :], gravity)
    return np.concatenate([below, np.zeros_like(below)], axis=-1)


@checks_arguments
def mass_matrix(machine: StackedMachine, X: PoseLike, *, drives: Drives = "free") -> Array:
    """Mass matrix M (..., 12, 12), see `gough.dynamics.mass_matrix`: kinetic energy is V^T M V / 2, V = [V_I, V_P]."""
    return terms(machine, both_poses(X), drives=drives)[0]


@checks_arguments
def coriolis_wrench(machine: StackedMachine, X: PoseLike, V: ArrayLike) -> Array:
    """C(X, V) (..., 2, 6), of each platform, see `gough.dynamics.coriolis_wrench`."""
    return _bias(machine, X, both_six("V", V), np.zeros(3))


@checks_arguments
def gravity_wrench(machine: StackedMachine, X: PoseLike, gravity: bool | ArrayLike | None = None) -> Array:
    """G(X) (..., 2, 6), of each platform, see `gough.dynamics.gravity_wrench`."""
    return _bias(machine, X, np.zeros((2, 6)), machine.free_fall(gravity))


def _bias(machine: StackedMachine, X: PoseLike, V: Array, gravity: Array) -> Array:
    B = terms(machine, both_poses(X), V, gravity, has_friction=False)[1]
    return B.reshape(*B.shape[:-1], 2, 6)


@checks_arguments
def kinetic_energy(machine: StackedMachine, X: PoseLike, V: ArrayLike) -> Array:
    """Kinetic energy (...) of all bodies and rotors under V (..., 2, 6) [J], see `gough.dynamics.kinetic_energy`."""
    twist = flat(both_six("V", V))
    return np.asarray(0.5 * np.einsum("...i,...ij,...j->...", twist, mass_matrix(machine, X), twist))


@checks_arguments
def potential_energy(machine: StackedMachine, X: PoseLike, gravity: bool | ArrayLike | None = None) -> Array:
    """Potential energy (...) of the weight of all bodies [J], see `gough.dynamics.potential_energy`."""
    poses, g = both_poses(X), machine.free_fall(gravity)
    X_BU = upper_base(machine, poses)
    mass, moment = first_moment(machine.upper, upper_pose(machine, poses))
    lifted = mass * X_BU[..., :3, 3] + times(X_BU[..., :3, :3], moment)
    return np.asarray(of_stage.potential_energy(machine.lower, poses[..., 0, :, :], g) - np.sum(g * lifted, axis=-1))
