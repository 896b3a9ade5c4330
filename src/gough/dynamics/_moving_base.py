"""Compiled loads of a machine on a base that moves.

In axes of the base U, whose origin has the acceleration a_U and which turns with w and alpha, a point at p that moves
with v and a relative to U has, less gravity, the acceleration

    a_U - g + alpha x p + w x (w x p + 2 v) + a

and what turns with w_b and alpha_b relative to U turns with w + w_b and alpha + alpha_b + w x w_b. The bodies take
forces and moments as on a base at rest (`_loads`), with these motions; virtual work spreads them over platform and
drives as there (Kane and Levinson 1985). Together, about U's origin, they are the wrench that the base must give.
"""

from __future__ import annotations

from typing import NamedTuple

from gough._compile import inline, inline_norefcount
from gough.arrays import Array
from gough.dynamics._equations import Work, platform_tensor
from gough.dynamics._loads import (
    BodyLoads,
    body_loads,
    friction,
    in_base,
    inertial,
    spread,
    turned_tensor,
)
from gough.dynamics._motion import (
    CARRIER_MASS,
    CARRIER_MOMENT,
    CARRIER_TENSOR,
    ROTOR,
    Acceleration,
    Model,
    Motion,
    Place,
    accelerating,
    beside,
    column,
    cross,
    dot,
    moving,
    placed,
    plus,
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
def absolute(base: BaseMotion, p: Three, v: Three, a: Three) -> Three:
    """Acceleration, less gravity, of a point at p that moves with v and a relative to the base."""
    carried_along = plus(cross(base.w_t, p), cross(base.w, beside(cross(base.w, p), 2.0, v)))
    return plus(plus(base.a, carried_along), a)


@inline
def turning_rate(base: BaseMotion, w: Three, w_t: Three) -> Three:
    """Angular acceleration of what turns with w and its rate relative to the base."""
    return plus(plus(base.w_t, w_t), cross(base.w, w))


@inline_norefcount
def leg_loads(
    model: Model, i: int, leg: Place, motion: Motion, acc: Acceleration, base: BaseMotion, b: Three
) -> BodyLoads:
    """Loads of the bodies that turn with leg i, whose platform joint is at b."""
    frame = in_base(model.D, i, leg, model.is_round)
    foot_tt = absolute(base, leg.foot, times(motion.q_t, leg.p_q), acc.p_tt)
    head_tt = absolute(base, b, motion.b_t, acc.b_tt)
    w, w_t = plus(base.w, motion.w), turning_rate(base, motion.w, acc.w_t)
    return body_loads(model.D, i, frame, foot_tt, head_tt, w, w_t)


@inline_norefcount
def carrier_loads(
    model: Model, i: int, leg: Place, motion: Motion, acc: Acceleration, base: BaseMotion
) -> tuple[Three, Three]:
    """Force and moment about the driven point of what moves with the drive of leg i: slider or crank."""
    D = model.D
    x = carried(model.code, model.T, i, leg.q, 1.0, 0.0, 0.0)
    y = carried(model.code, model.T, i, leg.q, 0.0, 1.0, 0.0)
    z, at_zero = cross(x, y), column(D, CARRIER_MOMENT, i)
    first_moment = beside(beside(times(at_zero[0], x), at_zero[1], y), at_zero[2], z)
    tensor = turned_tensor(column(D, CARRIER_TENSOR, i), column(D, CARRIER_TENSOR + 3, i), x, y, z)
    foot_tt = absolute(base, leg.foot, times(motion.q_t, leg.p_q), acc.p_tt)
    w = times(motion.q_t, leg.n)
    w_t = turning_rate(base, w, times(acc.q_tt, leg.n))
    return inertial(D[CARRIER_MASS, i], first_moment, tensor, foot_tt, plus(base.w, w), w_t)


@inline_norefcount
def add_wrench(f: Three, m: Three, p: Three, wrench: Array) -> None:
    """A force at p and a moment, added to a wrench (6,) about the origin."""
    m = plus(m, cross(p, f))
    for k in range(3):
        wrench[k] += f[k]
        wrench[3 + k] += m[k]


@inline_norefcount
def take_platform_on_base(model: Model, X: Array, V: Array, A: Array, base: BaseMotion, work: Work) -> None:
    """The platform's loads into `total`, its wrench on the base into `on_base`."""
    moment, J = platform_tensor(model.P, X)
    p, w = (X[0, 3], X[1, 3], X[2, 3]), (V[3], V[4], V[5])
    a = absolute(base, p, (V[0], V[1], V[2]), (A[0], A[1], A[2]))
    w_t = turning_rate(base, w, (A[3], A[4], A[5]))
    f, m = inertial(model.P[0], moment, J, a, plus(base.w, w), w_t)
    for k in range(6):
        work.total[k] = work.on_base[k] = 0.0
    add_wrench(f, m, (0.0, 0.0, 0.0), work.total)
    add_wrench(f, m, p, work.on_base)


@inline_norefcount
def take_legs_on_base(model: Model, X: Array, V: Array, A: Array, base: BaseMotion, is_held: bool, work: Work) -> None:
    """The legs' loads added to `total` and `on_base`, those along q into `along`, and J's rows."""
    code, T, D = model.code, model.T, model.D
    none = (0.0, 0.0, 0.0)
    for i in range(6):
        leg = placed(code, T, D, X, i, is_held)
        motion = moving(leg, V)
        acc = accelerating(code, T, i, leg, motion, V, A)
        b = leg.rho[0] + X[0, 3], leg.rho[1] + X[1, 3], leg.rho[2] + X[2, 3]
        taken = leg_loads(model, i, leg, motion, acc, base, b)
        at_joint, along = spread(leg, taken)
        force, moment = carrier_loads(model, i, leg, motion, acc, base)
        along += dot(force, leg.p_q) + dot(moment, leg.n) + D[ROTOR, i] * acc.q_tt
        work.along[i] = along + friction(D, i, motion.q_t)
        add_wrench(at_joint, none, leg.rho, work.total)
        add_wrench(taken.head, none, b, work.on_base)
        add_wrench(plus(taken.foot, force), plus(taken.moment, moment), leg.foot, work.on_base)
        row = cross(leg.rho, leg.s)
        for k in range(3):
            work.J[i, k], work.J[i, 3 + k] = leg.s[k], row[k]
