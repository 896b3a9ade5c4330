"""Compiled equations of motion of two stages, one machine on the platform of another.

In axes of the base U, whose origin has the acceleration a_U and which turns with w and alpha, a point at p that moves
with v and a relative to U has, less gravity, the acceleration

    a_U - g + alpha x p + w x (w x p + 2 v) + a

and a body that turns with w_b and alpha_b relative to U turns with w + w_b and alpha + alpha_b + w x w_b. With these
motions the forces of the bodies, and their reduction to platform and drives by virtual work, are those on a base at
rest (`_leg_forces`; Kane and Levinson 1985). Their sum about U's origin is the wrench that the base applies.

The intermediate platform I carries the upper stage's base U. With r from I's origin to the end platform's and
w = R_UB w_I,

    v_UP = R_UB (v_P - v_I - w_I x r)            a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP
    w_UP = R_UB (w_P - w_I)                      alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP

as in `gough.stages.frames`.

In the twists V_I of the intermediate platform and V_UP of the end platform relative to the upper stage's base, in its
axes, the Jacobian has a block for each stage, and

    M(X) [A_I, A_UP] + Q(X, V) = [J_1^T f_1, J_2^T f_2] + F

The lower stage has its own equations (`_equations`). To them the upper stage adds the wrench that its base needs
about I's origin. Its forces are linear in the accelerations: a column of M has the forces of a unit
acceleration, at rest and without weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel, noinline_norefcount
from gough._linear_algebra import cholesky_solve, copy
from gough.arrays import Array, Three
from gough.dynamics._equations import (
    EquationTerms,
    add_leg_forces,
    new_work,
    platform_tensor,
    set_platform_wrench,
    solve_forces,
)
from gough.dynamics._leg_forces import (
    CARRIER_MASS,
    CARRIER_MOMENT,
    CARRIER_TENSOR,
    ROTOR,
    BodyForces,
    LegAcceleration,
    LegPose,
    LegVelocity,
    Model,
    at_joint_and_drive,
    body_forces,
    column,
    cross,
    dot,
    friction,
    inertial_wrench,
    leg_acceleration,
    leg_pose,
    leg_velocity,
    mass_properties,
    minus,
    plus,
    plus_scaled,
    rotated,
    rotated_tensor,
    times,
)
from gough.legs._leg_dispatch import carried


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
def set_platform_wrench_on_base(
    model: Model, X: Array, V: Array, A: Array, base: BaseMotion, work: EquationTerms
) -> None:
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
    model: Model, X: Array, V: Array, A: Array, base: BaseMotion, is_held: bool, work: EquationTerms
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


class Stack(NamedTuple):
    """Tables of two machines, and the pose of the upper one's base in the lower one's platform (4, 4)."""

    lower: Model
    upper: Model
    X_IU: Array


class StackState(NamedTuple):
    """Poses (4, 4) and twists (6,) of both platforms in the base of the lower stage."""

    X_I: Array
    X_P: Array
    V_I: Array
    V_P: Array


class Carrier(NamedTuple):
    """The intermediate platform as carrier: arms from its origin to those of U and of the end platform, its angular
    velocity in axes of the base and in those of U, gravity."""

    to_base: Three
    to_end: Three
    w_I: Three
    w: Three
    g: Three


@inline
def rotated_back(X: Array, a: Three) -> Three:
    """R^T a, with the rotation R of the pose X."""
    return (
        X[0, 0] * a[0] + X[1, 0] * a[1] + X[2, 0] * a[2],
        X[0, 1] * a[0] + X[1, 1] * a[1] + X[2, 1] * a[2],
        X[0, 2] * a[0] + X[1, 2] * a[1] + X[2, 2] * a[2],
    )


@inline
def three(values: Array, k: int) -> Three:
    """Vector values[k:k + 3]."""
    return values[k], values[k + 1], values[k + 2]


@inline
def set_three(values: Array, k: int, a: Three) -> None:
    """Set values[k:k + 3]."""
    values[k], values[k + 1], values[k + 2] = a


@inline_norefcount
def carrier_of(X_IU: Array, state: StackState, g: Three, X_BU: Array, X_UP: Array, V_UP: Array) -> Carrier:
    """The intermediate platform as carrier; sets X_BU, and the end platform's pose X_UP and twist V_UP in U."""
    X_I, X_P, V_I, V_P = state
    # X_BU = X_BI X_IU
    for j in range(4):
        c = rotated(X_I, (X_IU[0, j], X_IU[1, j], X_IU[2, j]))
        X_BU[0, j], X_BU[1, j], X_BU[2, j] = c
    to_base, to_end = (X_BU[0, 3], X_BU[1, 3], X_BU[2, 3]), (X_P[0, 3], X_P[1, 3], X_P[2, 3])
    to_end = minus(to_end, (X_I[0, 3], X_I[1, 3], X_I[2, 3]))
    # X_UP = X_BU^-1 X_BP; until here the last column of X_BU was the arm to U's origin.
    for j in range(3):
        X_BU[j, 3] += X_I[j, 3]
        c = rotated_back(X_BU, (X_P[0, j], X_P[1, j], X_P[2, j]))
        X_UP[0, j], X_UP[1, j], X_UP[2, j] = c
    X_UP[0, 3], X_UP[1, 3], X_UP[2, 3] = rotated_back(X_BU, minus(to_end, to_base))
    w_I = three(V_I, 3)
    v = minus(minus(three(V_P, 0), three(V_I, 0)), cross(w_I, to_end))
    set_three(V_UP, 0, rotated_back(X_BU, v))
    set_three(V_UP, 3, rotated_back(X_BU, minus(three(V_P, 3), w_I)))
    return Carrier(to_base, to_end, w_I, rotated_back(X_BU, w_I), g)


@inline_norefcount
def set_generalised_wrench(F: Array, carrier: Carrier, X_BU: Array, x: Array) -> None:
    """Set x (12,) to the generalised forces of V_I and V_UP of the wrenches F (12,) on both platforms."""
    # Virtual work: V_P = [V_I moved to the end platform] + R_BU V_UP, so the wrench on P also acts on V_I, at its arm.
    f, m = three(F, 6), three(F, 9)
    for j in range(6):
        x[j] = F[j]
    add_wrench(f, m, carrier.to_end, x)
    set_three(x, 6, rotated_back(X_BU, f))
    set_three(x, 9, rotated_back(X_BU, m))


@inline_norefcount
def make_absolute(carrier: Carrier, V_UP: Array, X_BU: Array, x: Array) -> None:
    """Turn x = [A_I, A_UP] into [A_I, A_P], in place."""
    r, w_I, alpha_I = carrier.to_end, carrier.w_I, three(x, 3)
    v, w = three(V_UP, 0), three(V_UP, 3)
    a = rotated(X_BU, plus(three(x, 6), times(2.0, cross(carrier.w, v))))
    swing = plus(cross(alpha_I, r), cross(w_I, cross(w_I, r)))
    set_three(x, 6, plus(plus(three(x, 0), swing), a))
    set_three(x, 9, plus(alpha_I, rotated(X_BU, plus(three(x, 9), cross(carrier.w, w)))))


@inline_norefcount
def set_relative_acceleration(carrier: Carrier, V_UP: Array, X_BU: Array, A: Array, A_UP: Array) -> None:
    """Set A_UP from the accelerations A (12,) of both platforms."""
    r, w_I, alpha_I = carrier.to_end, carrier.w_I, three(A, 3)
    v, w = three(V_UP, 0), three(V_UP, 3)
    swing = plus(cross(alpha_I, r), cross(w_I, cross(w_I, r)))
    a = rotated_back(X_BU, minus(minus(three(A, 6), three(A, 0)), swing))
    set_three(A_UP, 0, minus(a, times(2.0, cross(carrier.w, v))))
    set_three(A_UP, 3, minus(rotated_back(X_BU, minus(three(A, 9), alpha_I)), cross(carrier.w, w)))


ZERO = (0.0, 0.0, 0.0)


class StackWork(NamedTuple):
    """Work arrays: those of each stage; X_BU and X_UP (4, 4), V_UP (6,), accelerations A_I and A_UP (6,); M (12, 12)
    and Q in the row below it."""

    lower: EquationTerms
    upper: EquationTerms
    X_BU: Array
    X_UP: Array
    V_UP: Array
    A_I: Array
    A_UP: Array
    M: Array


@inline
def new_stack_work() -> StackWork:
    """Work arrays, uninitialised but for zero accelerations."""
    X_BU, X_UP, V_UP = np.empty((4, 4)), np.empty((4, 4)), np.empty(6)
    return StackWork(new_work(), new_work(), X_BU, X_UP, V_UP, np.zeros(6), np.zeros(6), np.empty((13, 12)))


@noinline_norefcount
def set_upper_forces(upper: Model, carrier: Carrier, V_UP: Array, is_held: bool, work: StackWork) -> None:
    """Forces of the upper stage at the accelerations A_I and A_UP; `on_base` is its wrench about the origin of the
    intermediate platform, in base axes."""
    X_BU, alpha_I, d, w_I = work.X_BU, three(work.A_I, 3), carrier.to_base, carrier.w_I
    # Acceleration of U's origin, at d from I's, less gravity.
    swing = plus(cross(alpha_I, d), cross(w_I, cross(w_I, d)))
    a = rotated_back(X_BU, plus(minus(three(work.A_I, 0), carrier.g), swing))
    base = BaseMotion(a, carrier.w, rotated_back(X_BU, alpha_I))
    set_platform_wrench_on_base(upper, work.X_UP, V_UP, work.A_UP, base, work.upper)
    add_leg_forces_on_base(upper, work.X_UP, V_UP, work.A_UP, base, is_held, work.upper)
    on_base = work.upper.on_base
    f, m = rotated(X_BU, three(on_base, 0)), rotated(X_BU, three(on_base, 3))
    for k in range(6):
        on_base[k] = 0.0
    add_wrench(f, m, d, on_base)


@inline_norefcount
def set_generalised_forces(row: int, work: StackWork) -> None:
    """Set a row of M to the forces of the upper stage as generalised forces of V_I and V_UP: J^T along + total."""
    M, upper = work.M, work.upper
    for j in range(6):
        M[row, j], M[row, 6 + j] = upper.on_base[j], upper.total[j]
        for i in range(6):
            M[row, 6 + j] += upper.J[i, j] * upper.along[i]


@noinline_norefcount
def set_equations(stack: Stack, state: StackState, carrier: Carrier, is_held: bool, work: StackWork) -> None:
    """Set M, and Q in the row below it; the lower stage is added to the upper triangle of M only."""
    M, lower, still = work.M, work.lower, Carrier(carrier.to_base, carrier.to_end, ZERO, ZERO, ZERO)
    for j in range(6):
        work.A_I[j] = work.A_UP[j] = 0.0
    # Columns of M from unit accelerations; M is symmetric, so that they are written as rows.
    for row in range(12):
        unit, j = (work.A_I, row) if row < 6 else (work.A_UP, row - 6)
        unit[j] = 1.0
        set_upper_forces(stack.upper, still, lower.zero, is_held, work)
        set_generalised_forces(row, work)
        unit[j] = 0.0
    set_upper_forces(stack.upper, carrier, work.V_UP, is_held, work)
    set_generalised_forces(12, work)
    set_platform_wrench(stack.lower, state.X_I, state.V_I, lower.zero, carrier.g, True, lower)
    add_leg_forces(stack.lower, state.X_I, state.V_I, lower.zero, carrier.g, True, is_held, lower)
    for i in range(6):
        M[12, i] += lower.total[i]
        for j in range(6):
            M[12, i] += lower.J[j, i] * lower.along[j]
        for j in range(i, 6):
            M[i, j] += lower.M[i, j]


@inline_norefcount
def power_of(V_I: Array, V_P: Array, f: Array, F: Array, work: StackWork) -> float:
    """Power of actuator forces f and wrenches F, (12,) each."""
    power = 0.0
    for j in range(6):
        power += F[j] * V_I[j] + F[6 + j] * V_P[j]
        for i in range(6):
            power += f[i] * work.lower.J[i, j] * V_I[j] + f[6 + i] * work.upper.J[i, j] * work.V_UP[j]
    return power


@inline_norefcount
def solve_accelerations(carrier: Carrier, f: Array, F: Array, work: StackWork, A: Array) -> None:
    """Accelerations A (12,) of both platforms under actuator forces f and wrenches F, (12,) each, from M and Q; NaN
    where M is not positive. M is overwritten."""
    set_generalised_wrench(F, carrier, work.X_BU, A)
    # M [A_I, A_UP] = [J_1^T f_1, J_2^T f_2] + F - Q
    for j in range(6):
        A[j], A[6 + j] = A[j] - work.M[12, j], A[6 + j] - work.M[12, 6 + j]
        for i in range(6):
            A[j] += work.lower.J[i, j] * f[i]
            A[6 + j] += work.upper.J[i, j] * f[6 + i]
    cholesky_solve(work.M, A, 12)
    make_absolute(carrier, work.V_UP, work.X_BU, A)


class StackMotions(NamedTuple):
    """Outputs of `stack_batch`: M and Q below it (n, 13, 12), accelerations of both platforms (n, 12), power of forces
    and wrenches (n,)."""

    terms: Array
    A: Array
    power: Array


@kernel
def stack_batch(
    stack: Stack, X: Array, V: Array, f: Array, F: Array, g: Array, is_held: bool, found: StackMotions
) -> None:
    """Equations of motion at poses X (n, 2, 4, 4), accelerations and power of forces f and wrenches F; V, f and F are
    (n, 12)."""
    work = new_stack_work()
    for k in range(X.shape[0]):
        state, down = StackState(X[k, 0], X[k, 1], V[k, :6], V[k, 6:]), (g[k, 0], g[k, 1], g[k, 2])
        carrier = carrier_of(stack.X_IU, state, down, work.X_BU, work.X_UP, work.V_UP)
        set_equations(stack, state, carrier, is_held, work)
        for i in range(13):
            for j in range(12):
                found.terms[k, i, j] = work.M[min(i, j), max(i, j)] if i < 12 else work.M[i, j]
        found.power[k] = power_of(state.V_I, state.V_P, f[k], F[k], work)
        solve_accelerations(carrier, f[k], F[k], work, found.A[k])


@kernel
def stack_inverse_batch(stack: Stack, X: Array, V: Array, A: Array, F: Array, g: Array, f: Array) -> None:
    """Actuator forces f (n, 12) of poses, twists, accelerations and wrenches; NaN where a stage is singular.

    Where the upper stage is singular the forces of the lower one are NaN too.
    """
    work, x = new_stack_work(), np.empty(12)
    upper, lower = work.upper, work.lower
    for k in range(X.shape[0]):
        state = StackState(X[k, 0], X[k, 1], V[k, :6], V[k, 6:])
        down = g[k, 0], g[k, 1], g[k, 2]
        carrier = carrier_of(stack.X_IU, state, down, work.X_BU, work.X_UP, work.V_UP)
        copy(A[k, :6], work.A_I)
        set_relative_acceleration(carrier, work.V_UP, work.X_BU, A[k], work.A_UP)
        set_generalised_wrench(F[k], carrier, work.X_BU, x)
        # Forces of the upper stage first: the lower one carries their wrench on the intermediate platform.
        set_upper_forces(stack.upper, carrier, work.V_UP, False, work)
        set_platform_wrench(stack.lower, state.X_I, state.V_I, work.A_I, down, False, lower)
        add_leg_forces(stack.lower, state.X_I, state.V_I, work.A_I, down, False, False, lower)
        for j in range(6):
            upper.total[j] -= x[6 + j]
            lower.total[j] += upper.on_base[j] - x[j]
        is_regular = True
        for at in range(6, -1, -6):
            stage = upper if at else lower
            if not is_regular:  # the lower stage cannot carry undefined forces: NaN there too
                stage.total[0] = np.nan
            is_regular = solve_forces(stage, stage.J.T, f[k, at : at + 6])
