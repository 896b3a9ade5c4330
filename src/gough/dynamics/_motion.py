"""Compiled kinematics of a leg from the motion of its platform joint: pose, velocity, acceleration.

The platform joint b determines the motion of all bodies of a leg: with q = q(b) its joint coordinate, foot p(q) and
length L(q), d = b - p = L u,

    q'  = s . b'                                    s = dq/db = u / (u . p' + L')
    q'' = s . b'' + (u . (-p'' q'^2) + (|d'|^2 - l'^2) / L - L'' q'^2) / (u . p' + L')        l' = u . d'
    w   = h + spin u                                h = u x d' / L
    w'  = h' + spin' u + spin (w x u)               h' = (u x d'' - 2 l' h) / L

(primes are rates in time, except p', p'', L', L'', which are per q). The spin about the leg's own axis follows from the
universal joint at its foot: w - w_part is normal to e x (u x e) = u - c e, with the joint axes e, fixed to the base,
slider or crank that turns with w_part = n q', and u x e. With c = e . u and the constant k = e . n,

    spin (1 - c^2) = q' (u . n - c k) + c e . h

Without a known axis e the parts of the leg are round and free to turn, and their spin remains zero.

Vectors are tuples of three numbers, which the compiler keeps in registers.
"""

from __future__ import annotations

from typing import NamedTuple

from gough._compile import inline, inline_norefcount
from gough.arrays import Array
from gough.legs._leg_dispatch import carried, drive, drive_rate, driven_point, inverse
from gough.legs.leg import PLATFORM, Three

# Rows of the dynamics table D, one column per leg; built by `gough.dynamics.model`.
INERTIA, TURN, AXIS, VISCOUS, COULOMB, SLIP = 0, 1, 4, 7, 8, 9
FOOT_MASS, FOOT_MOMENT, HEAD_MASS, HEAD_MOMENT, ROUND_TENSOR, TENSOR = 10, 11, 14, 15, 18, 20
CARRIER_MASS, CARRIER_MOMENT, CARRIER_TENSOR, ROTOR = 26, 27, 30, 36
DYNAMICS_ROWS = 37


@inline
def dot(a: Three, b: Three) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Three, b: Three) -> Three:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def plus(a: Three, b: Three) -> Three:
    """Sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def minus(a: Three, b: Three) -> Three:
    """Difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def times(s: float, a: Three) -> Three:
    """Product s a."""
    return s * a[0], s * a[1], s * a[2]


@inline
def plus_scaled(a: Three, s: float, b: Three) -> Three:
    """Sum a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inline_norefcount
def column(T: Array, row: int, i: int) -> Three:
    """Vector of leg i in three consecutive rows of a table."""
    return T[row, i], T[row + 1, i], T[row + 2, i]


@inline_norefcount
def rotated(X: Array, a: Three) -> Three:
    """R a, with the rotation R of the pose X."""
    return (
        X[0, 0] * a[0] + X[0, 1] * a[1] + X[0, 2] * a[2],
        X[1, 0] * a[0] + X[1, 1] * a[1] + X[1, 2] * a[2],
        X[2, 0] * a[0] + X[2, 1] * a[1] + X[2, 2] * a[2],
    )


class Model(NamedTuple):
    """Tables of a machine: kind of legs, geometry T, dynamics D, platform numbers P, whether leg parts are round."""

    code: int
    T: Array
    D: Array
    P: Array
    is_round: bool


class LegPose(NamedTuple):
    """A leg at a pose: arm rho from the platform's origin to the platform joint, direction u, s = dq/db, p_q = p'(q),
    first joint axis e, n = w_part / q'; foot, q, per_length = 1 / L, gain = 1 / (u . p' + L'), c = e . u,
    per_sine = 1 / (1 - c^2) (0 without an axis e), lead = u . n - c k."""

    rho: Three
    u: Three
    s: Three
    p_q: Three
    e: Three
    n: Three
    foot: Three
    q: float
    per_length: float
    gain: float
    c: float
    per_sine: float
    lead: float


@inline_norefcount
def leg_pose(code: int, T: Array, D: Array, X: Array, i: int, is_held: bool) -> LegPose:
    """Leg i at the pose X; with a held drive its foot is fixed and its length varies."""
    rho = rotated(X, column(T, PLATFORM, i))
    b = rho[0] + X[0, 3], rho[1] + X[1, 3], rho[2] + X[2, 3]
    q = inverse(code, T, i, b[0], b[1], b[2])
    px, py, pz, length = driven_point(code, T, i, q)
    gx, gy, gz, stretch = drive(code, T, i, q)
    foot = px, py, pz
    per_length = 1.0 / length
    u = times(per_length, minus(b, foot))
    # A held drive has q' = 0 whatever the platform does: the leg stretches instead.
    gain = 0.0 if is_held else 1.0 / (u[0] * gx + u[1] * gy + u[2] * gz + stretch)
    p_q = (0.0, 0.0, 0.0) if is_held else (gx, gy, gz)
    n = (0.0, 0.0, 0.0) if is_held else column(D, TURN, i)
    e0 = column(D, AXIS, i)  # at q = 0
    e = carried(code, T, i, q, e0[0], e0[1], e0[2])
    c = dot(e, u)
    has_axis = e0[0] * e0[0] + e0[1] * e0[1] + e0[2] * e0[2] > 0.0
    per_sine = 1.0 / (1.0 - c * c) if has_axis else 0.0
    lead = dot(u, n) - c * dot(e, n)
    return LegPose(rho, u, times(gain, u), p_q, e, n, foot, q, per_length, gain, c, per_sine, lead)


class LegVelocity(NamedTuple):
    """Velocities of a leg: platform joint b', d', h = u x u', angular velocity w, u'; q', l', spin, c'."""

    b_t: Three
    d_t: Three
    h: Three
    w: Three
    u_t: Three
    q_t: float
    l_t: float
    spin: float
    c_t: float


@inline_norefcount
def leg_velocity(leg: LegPose, V: Array) -> LegVelocity:
    """Velocities of a leg under the platform's twist V (6,)."""
    b_t = plus((V[0], V[1], V[2]), cross((V[3], V[4], V[5]), leg.rho))
    q_t = dot(leg.s, b_t)
    d_t = plus_scaled(b_t, -q_t, leg.p_q)
    l_t = dot(leg.u, d_t)
    h = times(leg.per_length, cross(leg.u, d_t))
    u_t = cross(h, leg.u)
    # spin (1 - c^2) = q' (u . n - c k) + c e . h
    spin = leg.per_sine * (q_t * leg.lead + leg.c * dot(leg.e, h))
    # c' = e . u' + e' . u with e' = q' n x e
    c_t = dot(leg.e, u_t) + q_t * dot(cross(leg.n, leg.e), leg.u)
    return LegVelocity(b_t, d_t, h, plus_scaled(h, spin, leg.u), u_t, q_t, l_t, spin, c_t)


class LegAcceleration(NamedTuple):
    """Accelerations of a leg: platform joint b'', foot p'', angular acceleration w'; q''."""

    b_tt: Three
    p_tt: Three
    w_t: Three
    q_tt: float


@inline_norefcount
def leg_acceleration(
    code: int, T: Array, i: int, leg: LegPose, motion: LegVelocity, V: Array, A: Array
) -> LegAcceleration:
    """Accelerations of a leg under the platform's twist V and acceleration A, (6,) each."""
    w = V[3], V[4], V[5]
    b_tt = plus((A[0], A[1], A[2]), cross((A[3], A[4], A[5]), leg.rho))
    b_tt = plus(b_tt, cross(w, cross(w, leg.rho)))
    hx, hy, hz, L_qq = drive_rate(code, T, i, leg.q)
    q_t, l_t = motion.q_t, motion.l_t
    square = q_t * q_t
    # q'' = s . b'' + gain ((|d'|^2 - l'^2) / L - q'^2 (u . p'' + L''))
    bend = (dot(motion.d_t, motion.d_t) - l_t * l_t) * leg.per_length
    bend -= square * (leg.u[0] * hx + leg.u[1] * hy + leg.u[2] * hz + L_qq)
    q_tt = dot(leg.s, b_tt) + leg.gain * bend
    p_tt = plus(times(q_tt, leg.p_q), times(square, (hx, hy, hz)))
    # h' = (u x d'' - 2 l' h) / L with d'' = b'' - p''
    h_t = times(leg.per_length, plus_scaled(cross(leg.u, minus(b_tt, p_tt)), -2.0 * l_t, motion.h))
    e_t = times(q_t, cross(leg.n, leg.e))
    # Rate of spin (1 - c^2) = q' (u . n - c k) + c e . h; its left side adds - 2 c c' spin.
    turn = q_tt * leg.lead + q_t * (dot(motion.u_t, leg.n) - motion.c_t * dot(leg.e, leg.n))
    turn += motion.c_t * dot(leg.e, motion.h) + leg.c * (dot(e_t, motion.h) + dot(leg.e, h_t))
    spin_t = leg.per_sine * (turn + 2.0 * leg.c * motion.c_t * motion.spin)
    # w' = h' + spin' u + spin u', where u' = w x u
    w_t = plus_scaled(plus_scaled(h_t, spin_t, leg.u), motion.spin, motion.u_t)
    return LegAcceleration(b_tt, p_tt, w_t, q_tt)
