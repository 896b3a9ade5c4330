"""Compiled equations of motion of a machine, about the platform's origin:

    M(X) A + B(X, V) = J_qV^T (f - along) + F

M is the mass matrix of platform and legs. B sums the forces of the platform and those of the legs at the platform
joints, `along` are the forces of the legs along q, friction included, both at A = 0; f are the actuator forces, F the
applied wrench. Forward dynamics solves for A by Cholesky decomposition. Inverse dynamics needs no M: with the forces at
the acceleration A, `total` at the platform's origin and `along`, J_qV^T (f - along) = total - F.

States of a simulation are y = (position, unit quaternion x y z w, twist [v, w]), 13 numbers. The rate of the quaternion
is half the product of (w, 0) with it, w in base axes. Rotation matrices are made of the normalised quaternion, so that
rounding and truncation do not deform the platform.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel
from gough._linear_algebra import cholesky_solve, copy, eliminate, fill
from gough.arrays import Array, Six, Three
from gough.dynamics._leg_forces import (
    Model,
    add_mass,
    cross,
    friction,
    inertial_wrench,
    leg_acceleration,
    leg_inertial_forces,
    leg_pose,
    leg_velocity,
    mass_properties,
    minus,
    rotated,
    rotated_tensor,
    times,
)
from gough.kinematics._rates import is_rounding

PLATFORM_NUMBERS = 10
"""Platform: mass, first moment (3), moments of inertia (3) and products (3) about its origin, in its axes."""
FRAME_NUMBERS = 30
"""Per leg: q, q', q''; then of foot p, p', p'', head b, b', b'', direction u, angular velocity and its rate."""
STATE_NUMBERS = 13


class EquationTerms(NamedTuple):
    """Work arrays: forces along q (6,), at the platform's origin (6,), on a moving base (6,); J (6, 6); its transpose
    with a right side, or the mass matrix (6, 7); zero acceleration (6,)."""

    along: Array
    total: Array
    on_base: Array
    J: Array
    M: Array
    zero: Array


@inline_norefcount
def platform_tensor(P: Array, X: Array) -> tuple[Three, Six]:
    """First moment and inertia tensor of the platform about its origin, in base axes."""
    x, y, z = (X[0, 0], X[1, 0], X[2, 0]), (X[0, 1], X[1, 1], X[2, 1]), (X[0, 2], X[1, 2], X[2, 2])
    tensor = rotated_tensor((P[4], P[5], P[6]), (P[7], P[8], P[9]), x, y, z)
    return rotated(X, (P[1], P[2], P[3])), tensor


@inline_norefcount
def set_platform_wrench(
    model: Model, X: Array, V: Array, A: Array, g: Three, wants_mass: bool, work: EquationTerms
) -> None:
    """Set `total` to the forces of the platform, and M to its mass where wanted."""
    P, M, total = model.P, work.M, work.total
    moment, J = platform_tensor(P, X)
    a = minus((A[0], A[1], A[2]), g)
    f, m = inertial_wrench(P[0], moment, J, a, (V[3], V[4], V[5]), (A[3], A[4], A[5]))
    for k in range(3):
        total[k], total[3 + k] = f[k], m[k]
    if wants_mass:
        # Upper triangle of [[m 1, -[mc]x], [[mc]x, J]].
        fill(M, 0.0)
        M[0, 0], M[1, 1], M[2, 2] = P[0], P[0], P[0]
        M[0, 4], M[0, 5], M[1, 5] = moment[2], -moment[1], moment[0]
        M[1, 3], M[2, 3], M[2, 4] = -moment[2], moment[1], -moment[0]
        M[3, 3], M[4, 4], M[5, 5], M[3, 4], M[3, 5], M[4, 5] = J


@inline_norefcount
def add_leg_forces(
    model: Model, X: Array, V: Array, A: Array, g: Three, wants_mass: bool, is_held: bool, work: EquationTerms
) -> None:
    """Add the forces of the legs to `total` and their masses to M; set `along` and the rows of J."""
    code, T, D, _, is_round = model
    along, total, J = work.along, work.total, work.J
    for i in range(6):
        leg = leg_pose(code, T, D, X, i, is_held)
        frame = mass_properties(D, i, leg, is_round)
        motion = leg_velocity(leg, V)
        acc = leg_acceleration(code, T, i, leg, motion, V, A)
        at_joint, along_q = leg_inertial_forces(model, i, leg, motion, acc, frame, g)
        along[i] = along_q + friction(D, i, motion.q_t)
        at_origin = cross(leg.rho, at_joint)
        row = cross(leg.rho, leg.s)  # q' = s . (v + w x rho) = s . v + (rho x s) . w
        for k in range(3):
            total[k] += at_joint[k]
            total[3 + k] += at_origin[k]
            J[i, k], J[i, 3 + k] = leg.s[k], row[k]
        if wants_mass:
            add_mass(D, i, leg, frame, work.M)


@inline
def new_work() -> EquationTerms:
    """Work arrays, uninitialised but for `zero`."""
    return EquationTerms(np.empty(6), np.empty(6), np.empty(6), np.empty((6, 6)), np.empty((6, 7)), np.zeros(6))


@inline_norefcount
def solve_acceleration(
    model: Model, X: Array, V: Array, f: Array, F: Array, g: Three, work: EquationTerms, A: Array
) -> None:
    """Acceleration A (6,) of the platform under actuator forces f and wrench F; NaN where M is not positive."""
    set_platform_wrench(model, X, V, work.zero, g, True, work)
    add_leg_forces(model, X, V, work.zero, g, True, False, work)
    # M A = F - B + J^T (f - along)
    for j in range(6):
        A[j] = F[j] - work.total[j]
        for i in range(6):
            A[j] += work.J[i, j] * (f[i] - work.along[i])
    cholesky_solve(work.M, A, 6)


@inline_norefcount
def solve_forces(work: EquationTerms, J_t: Array, f: Array) -> bool:
    """Solve J^T (f - along) = total for the forces f (6,); whether J is regular, else f is NaN."""
    M = work.M
    for j in range(6):
        for i in range(6):
            M[j, i] = J_t[j, i]
        M[j, 6] = work.total[j]
    # `eliminate` leaves reciprocals of the pivots on the diagonal; `is_rounding` compares them with the columns of J^T.
    is_regular = eliminate(M, 6, 1) != 0.0 and not is_rounding(M, J_t)
    for i in range(6):
        f[i] = M[i, 6] + work.along[i] if is_regular else np.nan
    return is_regular


@kernel
def inverse_batch(model: Model, X: Array, V: Array, A: Array, F: Array, g: Array, f: Array) -> None:
    """Actuator forces f (n, 6) of poses X, twists V, accelerations A and applied wrenches F; NaN where singular."""
    work = new_work()
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        set_platform_wrench(model, X[k], V[k], A[k], down, False, work)
        add_leg_forces(model, X[k], V[k], A[k], down, False, False, work)
        # J^T (f - along) = total - F, with both forces at the acceleration A.
        for j in range(6):
            work.total[j] -= F[k, j]
        solve_forces(work, work.J.T, f[k])


@kernel
def forward_batch(model: Model, X: Array, V: Array, f: Array, F: Array, g: Array, A: Array) -> None:
    """Platform accelerations A (n, 6) under actuator forces f (n, 6) and applied wrenches F (n, 6)."""
    work = new_work()
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        solve_acceleration(model, X[k], V[k], f[k], F[k], down, work, A[k])


@kernel
def bias_batch(model: Model, X: Array, V: Array, g: Array, B: Array, along: Array) -> None:
    """Forces at A = 0: at the platform's origin B (n, 6) and along q (n, 6), friction included."""
    work = new_work()
    zero = work.zero
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        set_platform_wrench(model, X[k], V[k], zero, down, False, work)
        add_leg_forces(model, X[k], V[k], zero, down, False, False, work)
        copy(work.total, B[k])
        copy(work.along, along[k])


@kernel
def mass_batch(model: Model, X: Array, is_held: bool, M: Array) -> None:
    """Mass matrices M (n, 6, 6) about the platform's origin."""
    code, T, D, _, is_round = model
    work = new_work()
    zero = work.zero
    for k in range(X.shape[0]):
        set_platform_wrench(model, X[k], zero, zero, (0.0, 0.0, 0.0), True, work)
        for i in range(6):
            leg = leg_pose(code, T, D, X[k], i, is_held)
            add_mass(D, i, leg, mass_properties(D, i, leg, is_round), work.M)
        for i in range(6):
            for j in range(6):
                M[k, i, j] = work.M[min(i, j), max(i, j)]


@kernel
def leg_frames_batch(code: int, T: Array, D: Array, is_held: bool, X: Array, V: Array, A: Array, out: Array) -> None:
    """Motions (n, 6, FRAME_NUMBERS) of the legs at poses X, under twists V and accelerations A."""
    for k in range(X.shape[0]):
        for i in range(6):
            leg = leg_pose(code, T, D, X[k], i, is_held)
            motion = leg_velocity(leg, V[k])
            acc = leg_acceleration(code, T, i, leg, motion, V[k], A[k])
            row = out[k, i]
            row[0], row[1], row[2] = leg.q, motion.q_t, acc.q_tt
            p_t = times(motion.q_t, leg.p_q)
            for j in range(3):
                row[3 + j], row[6 + j], row[9 + j] = leg.foot[j], p_t[j], acc.p_tt[j]
                row[12 + j], row[15 + j], row[18 + j] = X[k, j, 3] + leg.rho[j], motion.b_t[j], acc.b_tt[j]
                row[21 + j] = leg.u[j]
                row[24 + j], row[27 + j] = motion.w[j], acc.w_t[j]


@inline_norefcount
def set_pose(y: Array, X: Array) -> None:
    """Set the pose X (4, 4) of the state y, except its last row."""
    i, j, k, r = y[3], y[4], y[5], y[6]
    s = 2.0 / (i * i + j * j + k * k + r * r)  # 2 for a unit quaternion
    X[0, 0], X[0, 1], X[0, 2] = 1.0 - s * (j * j + k * k), s * (i * j - k * r), s * (i * k + j * r)
    X[1, 0], X[1, 1], X[1, 2] = s * (i * j + k * r), 1.0 - s * (i * i + k * k), s * (j * k - i * r)
    X[2, 0], X[2, 1], X[2, 2] = s * (i * k - j * r), s * (j * k + i * r), 1.0 - s * (i * i + j * j)
    X[0, 3], X[1, 3], X[2, 3] = y[0], y[1], y[2]


def states_of(stage_shape: tuple[int, ...], y: Array) -> tuple[Array, Array]:
    """Poses (..., *stage_shape, 4, 4) and twists (..., *stage_shape, 6) of states y (..., 13 a stage or more)."""
    count = math.prod(stage_shape) * STATE_NUMBERS
    states = np.ascontiguousarray(y[..., :count]).reshape(-1, STATE_NUMBERS)
    X, shape = np.zeros((len(states), 4, 4)), (*y.shape[:-1], *stage_shape)
    set_pose(states.T, np.moveaxis(X, 0, -1))
    X[:, 3, 3] = 1.0
    return X.reshape(*shape, 4, 4), states[:, 7:].reshape(*shape, 6)


@inline_norefcount
def set_pose_rate(y: Array, dy: Array) -> None:
    """Set the rates of position and quaternion of the state y in dy."""
    # (i, j, k, r)' = (a, b, c, 0) (i, j, k, r) / 2 with the angular velocity (a, b, c) in base axes.
    i, j, k, r = y[3], y[4], y[5], y[6]
    a, b, c = y[10], y[11], y[12]
    dy[0], dy[1], dy[2] = y[7], y[8], y[9]
    dy[3], dy[4] = 0.5 * (a * r + b * k - c * j), 0.5 * (b * r + c * i - a * k)
    dy[5], dy[6] = 0.5 * (c * r + a * j - b * i), -0.5 * (a * i + b * j + c * k)


@kernel
def state_rate(model: Model, y: Array, f: Array, F: Array, g: Array, dy: Array) -> None:
    """Rate dy of the state y under actuator forces f, the wrench F and gravity g, (6,), (6,) and (3,)."""
    work, X = new_work(), np.zeros((4, 4))
    set_pose(y, X)
    set_pose_rate(y, dy)
    solve_acceleration(model, X, y[7:13], f, F, (g[0], g[1], g[2]), work, dy[7:13])
