"""Compiled forces of a machine on a base that moves.

In axes of the base U, whose origin has the acceleration a_U and which turns with w and alpha, a point at p that moves
with v and a relative to U has, less gravity, the acceleration

    a_U - g + alpha x p + w x (w x p + 2 v) + a

and a body that turns with w_b and alpha_b relative to U turns with w + w_b and alpha + alpha_b + w x w_b. With these
motions the forces of the bodies, and their reduction to platform and drives by virtual work, are those on a base at
rest (`_inertial_forces`; Kane and Levinson 1985). Their sum about U's origin is the wrench that the base applies.
"""

from __future__ import annotations

from typing import NamedTuple

from gough._compile import inline, inline_norefcount
from gough.arrays import Array
from gough.dynamics._equations import Work, platform_tensor
from gough.dynamics._inertial_forces import (
    BodyForces,
    at_joint_and_drive,
    body_forces,
    friction,
    inertial_wrench,
    mass_properties,
    rotated_tensor,
)
from gough.dynamics._motion import (
    CARRIER_MASS,
    CARRIER_MOMENT,
    CARRIER_TENSOR,
    ROTOR,
    LegAcceleration,
    LegPose,
    LegVelocity,
    Model,
    column,
    cross,
    dot,
    leg_acceleration,
    leg_pose,
    leg_velocity,
    plus,
    plus_scaled,
    times,
)
from gough.legs._leg_dispatch import carried
from gough.legs.leg import Three


class BaseMotion(NamedTuple):
    """Motion of the base in its own axes: acceleration of its origin less gravity, angular velocity and its rate."""

    a: Three
    w: Three
    w_t: Three


@inline
def absolute_acceleration(base: BaseMotion, p: Three, v: Three, a: Three) -> Three:
    """Acceleration, less gravity, of a point at p that moves with v and a relative to the base."""
    # Euler, centrifugal and Coriolis terms: alpha x p + w x (w x p + 2 v)
    carried_along = plus(cross(base.w_t, p), cross(base.w, plus_scaled(cross(base.w, p), 2.0, v)))
    return plus(plus(base.a, carried_along), a)


@inline
def absolute_angular_acceleration(base: BaseMotion, w: Three, w_t: Three) -> Three:
    """Absolute angular acceleration of a body that turns with w and its rate relative to the base."""
    return plus(plus(base.w_t, w_t), cross(base.w, w))


@inline_norefcount
def body_forces_on_base(
    model: Model, i: int, leg: LegPose, motion: LegVelocity, acc: LegAcceleration, base: BaseMotion, b: Three
) -> BodyForces:
    """Forces of the bodies that turn with leg i, whose platform joint is at b."""
    frame = mass_properties(model.D, i, leg, model.is_round)
    foot_tt = absolute_acceleration(base, leg.foot, times(motion.q_t, leg.p_q), acc.p_tt)
    head_tt = absolute_acceleration(base, b, motion.b_t, acc.b_tt)
    w, w_t = plus(base.w, motion.w), absolute_angular_acceleration(base, motion.w, acc.w_t)
    return body_forces(model.D, i, frame, foot_tt, head_tt, w, w_t)


@inline_norefcount
def carrier_wrench_on_base(
    model: Model, i: int, leg: LegPose, motion: LegVelocity, acc: LegAcceleration, base: BaseMotion
) -> tuple[Three, Three]:
    """Force, and moment about the driven point, on the slider or crank of leg i."""
    D = model.D
    # Axes of the carrier that coincide with those of the base at q = 0, in which its table is written.
    x = carried(model.code, model.T, i, leg.q, 1.0, 0.0, 0.0)
    y = carried(model.code, model.T, i, leg.q, 0.0, 1.0, 0.0)
    z, at_zero = cross(x, y), column(D, CARRIER_MOMENT, i)
    first_moment = plus_scaled(plus_scaled(times(at_zero[0], x), at_zero[1], y), at_zero[2], z)
    tensor = rotated_tensor(column(D, CARRIER_TENSOR, i), column(D, CARRIER_TENSOR + 3, i), x, y, z)
    foot_tt = absolute_acceleration(base, leg.foot, times(motion.q_t, leg.p_q), acc.p_tt)
    w = times(motion.q_t, leg.n)
    w_t = absolute_angular_acceleration(base, w, times(acc.q_tt, leg.n))
    return inertial_wrench(D[CARRIER_MASS, i], first_moment, tensor, foot_tt, plus(base.w, w), w_t)


@inline_norefcount
def add_wrench(f: Three, m: Three, p: Three, wrench: Array) -> None:
    """Add a force at p and a moment to a wrench (6,) about the origin."""
    m = plus(m, cross(p, f))
    for k in range(3):
        wrench[k] += f[k]
        wrench[3 + k] += m[k]


@inline_norefcount
def set_platform_wrench_on_base(model: Model, X: Array, V: Array, A: Array, base: BaseMotion, work: Work) -> None:
    """Set `total` and `on_base` to the forces of the platform, about its origin and about that of the base."""
    moment, J = platform_tensor(model.P, X)
    p, w = (X[0, 3], X[1, 3], X[2, 3]), (V[3], V[4], V[5])
    a = absolute_acceleration(base, p, (V[0], V[1], V[2]), (A[0], A[1], A[2]))
    w_t = absolute_angular_acceleration(base, w, (A[3], A[4], A[5]))
    f, m = inertial_wrench(model.P[0], moment, J, a, plus(base.w, w), w_t)
    for k in range(6):
        work.total[k] = work.on_base[k] = 0.0
    add_wrench(f, m, (0.0, 0.0, 0.0), work.total)
    add_wrench(f, m, p, work.on_base)


@inline_norefcount
def add_leg_forces_on_base(
    model: Model, X: Array, V: Array, A: Array, base: BaseMotion, is_held: bool, work: Work
) -> None:
    """Add the forces of the legs to `total` and `on_base`; set `along` and the rows of J."""
    code, T, D = model.code, model.T, model.D
    none = (0.0, 0.0, 0.0)
    for i in range(6):
        leg = leg_pose(code, T, D, X, i, is_held)
        motion = leg_velocity(leg, V)
        acc = leg_acceleration(code, T, i, leg, motion, V, A)
        b = leg.rho[0] + X[0, 3], leg.rho[1] + X[1, 3], leg.rho[2] + X[2, 3]
        taken = body_forces_on_base(model, i, leg, motion, acc, base, b)
        at_joint, along = at_joint_and_drive(leg, taken)
        force, moment = carrier_wrench_on_base(model, i, leg, motion, acc, base)
        # Virtual work of the carrier's forces per q, and the rotor, whose inertia counts for q alone.
        along += dot(force, leg.p_q) + dot(moment, leg.n) + D[ROTOR, i] * acc.q_tt
        work.along[i] = along + friction(D, i, motion.q_t)
        # The platform carries the reduced force at its joint, the base the forces of the bodies themselves.
        add_wrench(at_joint, none, leg.rho, work.total)
        add_wrench(taken.head, none, b, work.on_base)
        add_wrench(plus(taken.foot, force), plus(taken.moment, moment), leg.foot, work.on_base)
        row = cross(leg.rho, leg.s)
        for k in range(3):
            work.J[i, k], work.J[i, 3 + k] = leg.s[k], row[k]
