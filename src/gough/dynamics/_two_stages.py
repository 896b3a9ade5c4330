"""Compiled equations of motion of two stages, one machine on the platform of another.

In the twists V_I of the intermediate platform and V_UP of the end platform relative to the upper stage's base, in its
axes (`_stack_frames`), the Jacobian has a block for each stage, and

    M(X) [A_I, A_UP] + Q(X, V) = [J_1^T f_1, J_2^T f_2] + F

The lower stage has its own equations (`_equations`). To them the upper stage adds the wrench that its base needs
(`_moving_base`), about I's origin. Its forces are linear in the accelerations: a column of M has the forces of a unit
acceleration, at rest and without weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel, noinline_norefcount
from gough._linear_algebra import cholesky_solve, copy
from gough.arrays import Array
from gough.dynamics._equations import (
    Work,
    add_leg_forces,
    new_work,
    set_platform_wrench,
    solve_forces,
)
from gough.dynamics._motion import Model, cross, minus, plus, rotated
from gough.dynamics._moving_base import BaseMotion, add_leg_forces_on_base, add_wrench, set_platform_wrench_on_base
from gough.dynamics._stack_frames import (
    Carrier,
    Stack,
    State,
    carrier_of,
    make_absolute,
    rotated_back,
    set_generalised_wrench,
    set_relative_acceleration,
    three,
)

ZERO = (0.0, 0.0, 0.0)


class StackWork(NamedTuple):
    """Work arrays: those of each stage; X_BU and X_UP (4, 4), V_UP (6,), accelerations A_I and A_UP (6,); M (12, 12)
    and Q in the row below it."""

    lower: Work
    upper: Work
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
def set_equations(stack: Stack, state: State, carrier: Carrier, is_held: bool, work: StackWork) -> None:
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


class Motions(NamedTuple):
    """Outputs of `stack_batch`: M and Q below it (n, 13, 12), accelerations of both platforms (n, 12), power of forces
    and wrenches (n,)."""

    terms: Array
    A: Array
    power: Array


@kernel
def stack_batch(stack: Stack, X: Array, V: Array, f: Array, F: Array, g: Array, is_held: bool, found: Motions) -> None:
    """Equations of motion at poses X (n, 2, 4, 4), accelerations and power of forces f and wrenches F; V, f and F are
    (n, 12)."""
    work = new_stack_work()
    for k in range(X.shape[0]):
        state, down = State(X[k, 0], X[k, 1], V[k, :6], V[k, 6:]), (g[k, 0], g[k, 1], g[k, 2])
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
        state = State(X[k, 0], X[k, 1], V[k, :6], V[k, 6:])
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
