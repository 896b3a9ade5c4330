"""Compiled equations of motion of the whole machine, about the platform's origin:

    M(X) A + B(X, V) = J_qV^T (f - along) + F

M and B gather the platform and the legs' loads at the platform joints; `along` is what the legs' bodies take along q,
friction with it; f are the actuator forces, F the applied wrench. Inverse dynamics takes the loads at the true
acceleration and needs no M; forward dynamics takes them at A = 0 and solves for A by Cholesky's factors.

States of a simulation are y = (position, unit quaternion x y z w, twist [v, w]), 13 numbers. The quaternion's rate is
half the product of (w, 0) with it, w in base axes; its length is taken out wherever a rotation is made of it, so that
rounding and truncation do not deform the platform.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel
from gough._linear_algebra import Six, cholesky_solve, copy, eliminate, fill
from gough.arrays import Array
from gough.dynamics._loads import add_mass, friction, in_base, inertial, loads, turned_tensor
from gough.dynamics._motion import Model, accelerating, cross, minus, moving, placed, times, turned
from gough.kinematics._rates import is_rounding
from gough.legs.leg import Three

PLATFORM_NUMBERS = 10
"""Of the platform: mass, first moment (3), moments of inertia (3) and products (3) about its origin, in its axes."""


FRAME_NUMBERS = 30
"""Per leg: q, q', q''; then of foot p, p', p'', head b, b', b'', direction u, angular velocity and its rate."""
STATE_NUMBERS = 13


class Work(NamedTuple):
    """Scratch: loads along q (6,), at the platform's origin (6,), on a moving base (6,); J (6, 6), its transpose with a
    right side, or the mass matrix (6, 7); and no acceleration at all (6,)."""

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
    tensor = turned_tensor((P[4], P[5], P[6]), (P[7], P[8], P[9]), x, y, z)
    return turned(X, (P[1], P[2], P[3])), tensor


@inline_norefcount
def take_platform(model: Model, X: Array, V: Array, A: Array, g: Three, wants_mass: bool, work: Work) -> None:
    """The platform's loads into `total`, and its mass into M where wanted."""
    P, M, total = model.P, work.M, work.total
    moment, J = platform_tensor(P, X)
    a = minus((A[0], A[1], A[2]), g)
    f, m = inertial(P[0], moment, J, a, (V[3], V[4], V[5]), (A[3], A[4], A[5]))
    for k in range(3):
        total[k], total[3 + k] = f[k], m[k]
    if wants_mass:
        fill(M, 0.0)
        M[0, 0], M[1, 1], M[2, 2] = P[0], P[0], P[0]
        M[0, 4], M[0, 5], M[1, 5] = moment[2], -moment[1], moment[0]
        M[1, 3], M[2, 3], M[2, 4] = -moment[2], moment[1], -moment[0]
        M[3, 3], M[4, 4], M[5, 5], M[3, 4], M[3, 5], M[4, 5] = J


@inline_norefcount
def take_legs(
    model: Model, X: Array, V: Array, A: Array, g: Three, wants_mass: bool, is_held: bool, work: Work
) -> None:
    """The legs' loads added to `total`, those along q into `along`, J's rows, and their mass added to M."""
    code, T, D, _, is_round = model
    along, total, J = work.along, work.total, work.J
    for i in range(6):
        leg = placed(code, T, D, X, i, is_held)
        frame = in_base(D, i, leg, is_round)
        motion = moving(leg, V)
        acc = accelerating(code, T, i, leg, motion, V, A)
        at_joint, along_q = loads(model, i, leg, motion, acc, frame, g)
        along[i] = along_q + friction(D, i, motion.q_t)
        at_origin = cross(leg.rho, at_joint)
        row = cross(leg.rho, leg.s)
        for k in range(3):
            total[k] += at_joint[k]
            total[3 + k] += at_origin[k]
            J[i, k], J[i, 3 + k] = leg.s[k], row[k]
        if wants_mass:
            add_mass(D, i, leg, frame, work.M)


@inline
def blank() -> Work:
    """Room to work in."""
    return Work(np.empty(6), np.empty(6), np.empty(6), np.empty((6, 6)), np.empty((6, 7)), np.zeros(6))


@inline_norefcount
def accelerate(model: Model, X: Array, V: Array, f: Array, F: Array, g: Three, work: Work, A: Array) -> None:
    """Acceleration A (6,) of the platform under actuator forces f and wrench F; NaN where the mass is not positive."""
    take_platform(model, X, V, work.zero, g, True, work)
    take_legs(model, X, V, work.zero, g, True, False, work)
    for j in range(6):
        A[j] = F[j] - work.total[j]
        for i in range(6):
            A[j] += work.J[i, j] * (f[i] - work.along[i])
    cholesky_solve(work.M, A, 6)


@inline_norefcount
def take_forces(work: Work, J_t: Array, f: Array) -> bool:
    """Forces f (6,) that give the loads `total` and `along`, with J transposed; whether that is regular, else NaN."""
    M = work.M
    for j in range(6):
        for i in range(6):
            M[j, i] = J_t[j, i]
        M[j, 6] = work.total[j]
    is_regular = eliminate(M, 6, 1) != 0.0 and not is_rounding(M, J_t)
    for i in range(6):
        f[i] = M[i, 6] + work.along[i] if is_regular else np.nan
    return is_regular


@kernel
def inverse_batch(model: Model, X: Array, V: Array, A: Array, F: Array, g: Array, f: Array) -> None:
    """Actuator forces f (n, 6) of poses X, twists V, accelerations A and applied wrenches F; NaN where singular."""
    work = blank()
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        take_platform(model, X[k], V[k], A[k], down, False, work)
        take_legs(model, X[k], V[k], A[k], down, False, False, work)
        for j in range(6):
            work.total[j] -= F[k, j]
        take_forces(work, work.J.T, f[k])


@kernel
def forward_batch(model: Model, X: Array, V: Array, f: Array, F: Array, g: Array, A: Array) -> None:
    """Platform accelerations A (n, 6) under actuator forces f (n, 6) and applied wrenches F (n, 6)."""
    work = blank()
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        accelerate(model, X[k], V[k], f[k], F[k], down, work, A[k])


@kernel
def bias_batch(model: Model, X: Array, V: Array, g: Array, B: Array, along: Array) -> None:
    """Loads at A = 0: at the platform's origin B (n, 6) and along q (n, 6), friction in them."""
    work = blank()
    zero = work.zero
    for k in range(X.shape[0]):
        down = g[k, 0], g[k, 1], g[k, 2]
        take_platform(model, X[k], V[k], zero, down, False, work)
        take_legs(model, X[k], V[k], zero, down, False, False, work)
        copy(work.total, B[k])
        copy(work.along, along[k])


@kernel
def mass_batch(model: Model, X: Array, is_held: bool, M: Array) -> None:
    """Mass matrices M (n, 6, 6) about the platform's origin."""
    code, T, D, _, is_round = model
    work = blank()
    zero = work.zero
    for k in range(X.shape[0]):
        take_platform(model, X[k], zero, zero, (0.0, 0.0, 0.0), True, work)
        for i in range(6):
            leg = placed(code, T, D, X[k], i, is_held)
            add_mass(D, i, leg, in_base(D, i, leg, is_round), work.M)
        for i in range(6):
            for j in range(6):
                M[k, i, j] = work.M[min(i, j), max(i, j)]


@kernel
def leg_frames_batch(code: int, T: Array, D: Array, is_held: bool, X: Array, V: Array, A: Array, out: Array) -> None:
    """Motions (n, 6, FRAME_NUMBERS) of the legs at poses X, under twists V and accelerations A."""
    for k in range(X.shape[0]):
        for i in range(6):
            leg = placed(code, T, D, X[k], i, is_held)
            motion = moving(leg, V[k])
            acc = accelerating(code, T, i, leg, motion, V[k], A[k])
            row = out[k, i]
            row[0], row[1], row[2] = leg.q, motion.q_t, acc.q_tt
            p_t = times(motion.q_t, leg.p_q)
            for j in range(3):
                row[3 + j], row[6 + j], row[9 + j] = leg.foot[j], p_t[j], acc.p_tt[j]
                row[12 + j], row[15 + j], row[18 + j] = X[k, j, 3] + leg.rho[j], motion.b_t[j], acc.b_tt[j]
                row[21 + j] = leg.u[j]
                row[24 + j], row[27 + j] = motion.w[j], acc.w_t[j]


@inline_norefcount
def take_pose(y: Array, X: Array) -> None:
    """Pose X (4, 4) of the state y (its last row is left as it is)."""
    i, j, k, r = y[3], y[4], y[5], y[6]
    s = 2.0 / (i * i + j * j + k * k + r * r)
    X[0, 0], X[0, 1], X[0, 2] = 1.0 - s * (j * j + k * k), s * (i * j - k * r), s * (i * k + j * r)
    X[1, 0], X[1, 1], X[1, 2] = s * (i * j + k * r), 1.0 - s * (i * i + k * k), s * (j * k - i * r)
    X[2, 0], X[2, 1], X[2, 2] = s * (i * k - j * r), s * (j * k + i * r), 1.0 - s * (i * i + j * j)
    X[0, 3], X[1, 3], X[2, 3] = y[0], y[1], y[2]


@kernel
def poses_batch(y: Array, X: Array) -> None:
    """Poses X (n, 4, 4) of states y (n, 13 or more)."""
    for k in range(y.shape[0]):
        take_pose(y[k], X[k])
        X[k, 3, 0], X[k, 3, 1], X[k, 3, 2], X[k, 3, 3] = 0.0, 0.0, 0.0, 1.0


def states_of(stage_shape: tuple[int, ...], y: Array) -> tuple[Array, Array]:
    """Poses (..., *stage_shape, 4, 4) and twists (..., *stage_shape, 6) of states y (..., 13 a stage or more)."""
    count = math.prod(stage_shape) * STATE_NUMBERS
    states = np.ascontiguousarray(y[..., :count]).reshape(-1, STATE_NUMBERS)
    X, shape = np.empty((len(states), 4, 4)), (*y.shape[:-1], *stage_shape)
    poses_batch(states, X)
    return X.reshape(*shape, 4, 4), states[:, 7:].reshape(*shape, 6)


@inline_norefcount
def take_pose_rate(y: Array, dy: Array) -> None:
    """Rates of position and quaternion of the state y, into dy."""
    i, j, k, r = y[3], y[4], y[5], y[6]
    a, b, c = y[10], y[11], y[12]
    dy[0], dy[1], dy[2] = y[7], y[8], y[9]
    dy[3], dy[4] = 0.5 * (a * r + b * k - c * j), 0.5 * (b * r + c * i - a * k)
    dy[5], dy[6] = 0.5 * (c * r + a * j - b * i), -0.5 * (a * i + b * j + c * k)


@kernel
def pose_rates_batch(y: Array, dy: Array) -> None:
    """Rates of positions and quaternions of states y (n, 13), into dy (n, 13)."""
    for k in range(y.shape[0]):
        take_pose_rate(y[k], dy[k])


@kernel
def state_rate(model: Model, y: Array, f: Array, F: Array, g: Array, dy: Array) -> None:
    """Rate dy of the state y under actuator forces f, the wrench F and gravity g, (6,), (6,) and (3,)."""
    work, X = blank(), np.zeros((4, 4))
    take_pose(y, X)
    take_pose_rate(y, dy)
    accelerate(model, X, y[7:13], f, F, (g[0], g[1], g[2]), work, dy[7:13])
