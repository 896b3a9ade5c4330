"""The equations of motion of both stages in the twelve coordinates of both platforms:

    M(X) A + B(X, V) = J_qV^T f + F

A = [A_I, A_P] accelerations, f the twelve actuator forces, F = [F_I, F_P] wrenches on both platforms, B what weight and
velocities need, friction with it. The lower stage's part is that of its own equations (`gough.dynamics`); the upper
stage's comes from all its bodies on their moving base (`gough.stages._bodies`), its rotors and its friction.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics import _motion as layout
from gough.dynamics import equations as of_stage
from gough.dynamics._equations import bias_batch
from gough.dynamics.arguments import Batch, Drives
from gough.dynamics.bodies import body_motions
from gough.dynamics.model import model_of
from gough.kinematics.rates import jacobian, joint_accelerations, times
from gough.machine import Machine
from gough.poses import PoseLike, cross
from gough.stacked import StackedMachine
from gough.stages._bodies import upper_terms
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    upper_base,
    upper_bias,
    upper_map,
    upper_pose,
    upper_twist,
)


def terms(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, *, has_friction: bool = True
) -> tuple[Array, Array]:
    """M (..., 12, 12) and B (..., 12) of poses (..., 2, 4, 4) and twists (..., 2, 6)."""
    shape = np.broadcast_shapes(X.shape[:-3], V.shape[:-2], gravity.shape[:-1])
    X, V = np.broadcast_to(X, (*shape, 2, 4, 4)), np.broadcast_to(V, (*shape, 2, 6))
    model_of(machine.lower)  # says which one has no masses
    M, B = upper_equations(machine, X, V, gravity, has_friction=has_friction)
    M[..., :6, :6] += of_stage.mass_matrix(machine.lower, X[..., 0, :, :])
    B[..., :6] += _lower_bias(machine.lower, X[..., 0, :, :], V[..., 0, :], gravity, has_friction)
    return M, B


def upper_equations(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, *, has_friction: bool = True
) -> tuple[Array, Array]:
    """The upper stage's part of M (..., 12, 12) and B (..., 12): bodies, rotors and friction on their moving base."""
    model_of(machine.upper)
    M, B = upper_terms(machine, X, V, gravity)
    rotors = _rotors(machine.upper)
    J = jacobian(machine.upper, upper_pose(machine, X)) @ upper_map(machine, X)
    J_t = np.swapaxes(J, -1, -2)
    M += J_t @ (rotors[:, None] * J)
    return M, B + times(J_t, _drives(machine, X, V, rotors, has_friction))


def _lower_bias(stage: Machine, X: Array, V: Array, gravity: Array, has_friction: bool) -> Array:
    batch, model = Batch(X, V=V, gravity=gravity), model_of(stage, has_friction=has_friction)
    at_origin, along = batch.run(partial(bias_batch, model), (6,), (6,))
    return np.asarray(at_origin + times(np.swapaxes(jacobian(stage, X), -1, -2), along))


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


def _rotors(stage: Machine) -> Array:
    """Inertia of the rotors, per leg (6,), as the joint coordinate feels it."""
    drives = stage.actuators
    if drives.rotor_inertia is None:
        return np.zeros(6)
    return np.asarray(drives.rotor_inertia * (1.0 if drives.transmission is None else drives.transmission) ** 2)


def _drives(machine: StackedMachine, X: Array, V: Array, rotors: Array, has_friction: bool) -> Array:
    """What rotors and friction of the upper stage take along q (..., 6) while no twist changes."""
    stage, X_UP, V_UP = machine.upper, upper_pose(machine, X), upper_twist(machine, X, V)
    qd = times(jacobian(stage, X_UP), V_UP)
    qdd = joint_accelerations(stage, X_UP, V_UP, upper_bias(machine, X, V))
    D = model_of(stage, has_friction=has_friction).D
    friction = D[layout.VISCOUS] * qd + D[layout.COULOMB] * np.tanh(qd / D[layout.SLIP])
    return np.asarray(rotors * qdd + friction)


@checks_arguments
def mass_matrix(machine: StackedMachine, X: PoseLike, *, drives: Drives = "free") -> Array:
    """Mass matrix M (..., 12, 12), see `gough.dynamics.mass_matrix`: kinetic energy is V^T M V / 2, V = [V_I, V_P]."""
    poses = both_poses(X)
    if drives == "free":
        return terms(machine, poses, np.zeros((2, 6)), np.zeros(3))[0]
    below = of_stage.mass_matrix(machine.lower, poses[..., 0, :, :], drives="held")
    M, _ = upper_terms(machine, poses, np.zeros((*poses.shape[:-2], 6)), np.zeros(3), "held")
    M[..., :6, :6] += below
    return M


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
