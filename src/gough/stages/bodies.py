"""Motions of the bodies of both stages' legs: those of the upper stage are carried by the intermediate platform.

With I the intermediate platform, w and w' its angular velocity and acceleration, r from its origin to a point that
moves with v_U and a_U in the upper stage's base U, and R = R_BU:

    v = v_I + w x r + R v_U        a = a_I + w' x r + w x (w x r) + 2 w x R v_U + R a_U
    w_B = w + R w_U                w'_B = w' + w x R w_U + R w'_U
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.dynamics.arguments import Drives
from gough.dynamics.bodies import BodyMotion
from gough.dynamics.bodies import body_motions as body_motions_of
from gough.dynamics.bodies import body_motions as body_motions_of_stage
from gough.dynamics.passive_joints import PassiveJoints
from gough.dynamics.passive_joints import passive_joints as passive_joints_of
from gough.dynamics.passive_joints import passive_joints as passive_joints_of_stage
from gough.kinematics.rates import times
from gough.poses import PoseLike, cross
from gough.results import NamedResults
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, both_six, upper_acceleration, upper_base, upper_pose, upper_twist


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
    """Motions of the bodies of both stages' legs in the base, see `gough.dynamics.body_motions`."""
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
    """Motion in the joints of both stages' legs, see `gough.dynamics.passive_joints`; axes (12, 3), each in the base or
    platform of its stage."""
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
