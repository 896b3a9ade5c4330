"""The bodies of the upper stage on its moving base: the wrenches they need, on both platforms.

In axes of U, the upper stage's base, which moves with twist (v_U, w) and acceleration (a_U, alpha): a body whose mass
centre is at c and moves with v, a, w_b, alpha_b relative to U has, in inertial space,

    velocity      v_U + w x c + v                       acceleration  a_U + alpha x c + w x (w x c) + 2 w x v + a
    turning at    w + w_b                               and           alpha + alpha_b + w x w_b

It needs the force f = m (acceleration - g) and the moment n = J alpha' + w' x J w', with its absolute alpha' and w'.
With its partial velocities K (6, 12) per twist of both platforms, virtual work gives tau = sum of K^T [f, n] and the
mass matrix sum of K^T diag(m, J) K (Kane and Levinson 1985; for parallel robots Tsai 2000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.dynamics.arguments import Drives
from gough.dynamics.bodies import body_motions
from gough.kinematics.rates import times
from gough.machine import Machine
from gough.poses import cross, skew
from gough.stacked import StackedMachine
from gough.stages.frames import upper_base, upper_bias, upper_map, upper_pose, upper_twist


class Bodies(NamedTuple):
    """All bodies of the upper stage, b of them, relative to U and in its axes; w and u are each (..., b, 3)."""

    mass: Array
    """(b,)"""
    J: Array
    """(..., b, 3, 3) about the mass centres."""
    centre: Array
    velocity: Array
    acceleration: Array
    turning: Array
    turning_rate: Array
    partial: Array
    """(..., b, 6, 6): velocity and turning per V_UP."""


def upper_terms(
    machine: StackedMachine, X: Array, V: Array, gravity: Array, drives: Drives = "free"
) -> tuple[Array, Array]:
    """Mass matrix (..., 12, 12) of the upper bodies, and the wrenches they need (..., 12) without acceleration."""
    state = upper_pose(machine, X), upper_twist(machine, X, V), upper_bias(machine, X, V)
    bodies = _bodies(machine.upper, *state, drives)
    K = _carried(machine, X, bodies.centre) + bodies.partial @ upper_map(machine, X)[..., None, :, :]
    f, n = _needed(machine, X, V, gravity, bodies)
    K_v, K_w = K[..., :3, :], K[..., 3:, :]
    M = np.einsum("b,...bki,...bkj->...ij", bodies.mass, K_v, K_v) + np.einsum(
        "...bki,...bkj->...ij", K_w, bodies.J @ K_w
    )
    return M, np.einsum("...bki,...bk->...i", K_v, f) + np.einsum("...bki,...bk->...i", K_w, n)


def _needed(machine: StackedMachine, X: Array, V: Array, gravity: Array, bodies: Bodies) -> tuple[Array, Array]:
    """Forces and moments (..., b, 3) of the bodies while neither platform's twist changes."""
    X_BI, X_BU = X[..., 0, :, :], upper_base(machine, X)
    R_UB = np.swapaxes(X_BU[..., :3, :3], -1, -2)
    w_I, d = V[..., 0, 3:], X_BU[..., :3, 3] - X_BI[..., :3, 3]
    w = times(R_UB, w_I)[..., None, :]
    felt = times(R_UB, cross(w_I, cross(w_I, d)) - gravity)[..., None, :]
    a = felt + cross(w, cross(w, bodies.centre)) + 2 * cross(w, bodies.velocity) + bodies.acceleration
    turning = w + bodies.turning
    turning_rate = bodies.turning_rate + cross(w, bodies.turning)
    spin = cross(turning, times(bodies.J, turning))
    return bodies.mass[:, None] * a, times(bodies.J, turning_rate) + spin


def _carried(machine: StackedMachine, X: Array, centre: Array) -> Array:
    """Partial velocities (..., b, 6, 12) of points of U, as the intermediate platform carries them, in axes of U."""
    X_BU = upper_base(machine, X)
    R_UB = np.swapaxes(X_BU[..., :3, :3], -1, -2)
    d = X_BU[..., :3, 3] - X[..., 0, :3, 3]
    K = np.zeros((*centre.shape[:-1], 6, 12))
    K[..., :3, :3] = K[..., 3:, 3:6] = R_UB[..., None, :, :]
    K[..., :3, 3:6] = -(R_UB @ skew(d))[..., None, :, :] - skew(centre) @ R_UB[..., None, :, :]
    return K


def _bodies(stage: Machine, X: Array, V: Array, A: Array, drives: Drives) -> Bodies:
    """All bodies of a stage in its own base, under V and A and under each unit twist."""
    shape = np.broadcast_shapes(X.shape[:-2], V.shape[:-1], A.shape[:-1])
    X = np.broadcast_to(X, (*shape, 4, 4))
    V_all = np.concatenate(
        [np.broadcast_to(V, (*shape, 6))[..., None, :], np.broadcast_to(np.eye(6), (*shape, 6, 6))], axis=-2
    )
    A_all = np.zeros_like(V_all)
    A_all[..., 0, :] = A
    parts = [_platform(stage, X, V_all, A_all)]
    moved = body_motions(stage, X[..., None, :, :], V_all, A_all, drives=drives) if stage.leg_bodies else {}
    for name, part in moved.items():
        R = part.matrix[..., 0, :, :3, :3]
        J = R @ stage.leg_bodies[name].inertia @ np.swapaxes(R, -1, -2)
        motion = part.velocity, part.acceleration, part.angular_velocity, part.angular_acceleration
        parts.append(_part(part.mass, J, part.mass_centre[..., 0, :, :], motion))
    return Bodies(*(np.concatenate(column, axis=a) for column, a in zip(zip(*parts, strict=True), _AXES, strict=True)))


_AXES = (0, -3, -2, -2, -2, -2, -2, -3)
"""Axis of the bodies in each field of `Bodies`."""


def _part(mass: Array, J: Array, centre: Array, motion: tuple[Array, Array, Array, Array]) -> Bodies:
    """Bodies (..., b) from motions (..., 7, b, 3): the real one, then those of the unit twists."""
    velocity, acceleration, turning, turning_rate = motion
    partial = np.concatenate([velocity[..., 1:, :, :], turning[..., 1:, :, :]], axis=-1)  # (..., twist, b, 6)
    return Bodies(
        mass,
        J,
        centre,
        velocity[..., 0, :, :],
        acceleration[..., 0, :, :],
        turning[..., 0, :, :],
        turning_rate[..., 0, :, :],
        np.moveaxis(partial, -3, -1),
    )


def _platform(stage: Machine, X: Array, V: Array, A: Array) -> Bodies:
    """The stage's platform as one body."""
    assert stage.platform is not None
    body, R = stage.platform, X[..., :3, :3]
    arm = (R @ body.mass_centre)[..., None, :]
    w, w_t = V[..., 3:], A[..., 3:]
    motion = (
        V[..., :3] + cross(w, arm),
        A[..., :3] + cross(w_t, arm) + cross(w, cross(w, arm)),
        w,
        w_t,
    )
    J = R @ body.inertia @ np.swapaxes(R, -1, -2)
    centre = X[..., None, :3, 3] + arm
    v, a, w, w_t = (values[..., None, :] for values in motion)
    return _part(np.array([body.mass]), J[..., None, :, :], centre, (v, a, w, w_t))
