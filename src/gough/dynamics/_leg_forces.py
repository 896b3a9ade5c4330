"""Compiled motion of a leg from that of its platform joint, and its inertial forces.

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

By virtual work (Tsai 2000, section 4; Codourey 1998), with J the sum of a leg's inertia tensors, each about its foot or
its head, and mc the first moments of its two bodies about those points, the bodies need

    f_foot = m (p'' - g) + w' x mc + w x (w x mc)        f_head the same with b'' and the head's mass and moment
    moment = mc_foot x (p'' - g) + mc_head x (b'' - g) + J w' + w x J w

and the part that moves with the drive (slider, crank, rotor) needs I q'' - g . (derivative of its first moment by q);
here p' = dp/dq. With w = u x (b' - p' q') / L + spin u and spin as above, the virtual work of these forces is
that of a force at the platform joint b and a force along q.
"""

from __future__ import annotations

from math import tanh
from typing import NamedTuple

from gough._compile import inline, inline_norefcount
from gough.arrays import Array, Six, Three
from gough.legs._leg_dispatch import carried, drive, drive_rate, driven_point, inverse
from gough.legs.leg import PLATFORM

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


class LegMass(NamedTuple):
    """Mass properties of a leg in base axes: first moments of foot and head bodies, tensor xx, yy, zz, xy, xz, yz."""

    foot: Three
    head: Three
    tensor: Six


@inline_norefcount
def mass_properties(D: Array, i: int, leg: LegPose, is_round: bool) -> LegMass:
    """Mass properties of a leg in base axes; those of round bodies do not depend on its rotation about itself."""
    u = leg.u
    if is_round:
        # J = across 1 + (along - across) u u^T
        across, along = D[ROUND_TENSOR, i], D[ROUND_TENSOR + 1, i]
        more = along - across
        tensor = (
            across + more * u[0] * u[0],
            across + more * u[1] * u[1],
            across + more * u[2] * u[2],
            more * u[0] * u[1],
            more * u[0] * u[2],
            more * u[1] * u[2],
        )
        return LegMass(times(D[FOOT_MOMENT + 2, i], u), times(D[HEAD_MOMENT + 2, i], u), tensor)
    # Leg frame: z = u, y along the second axis of the universal joint, u x e; |u x e| = sqrt(1 - c^2).
    y = times(leg.per_sine**0.5, cross(u, leg.e))
    x = cross(y, u)
    foot, head = column(D, FOOT_MOMENT, i), column(D, HEAD_MOMENT, i)
    return LegMass(
        plus_scaled(plus_scaled(times(foot[0], x), foot[1], y), foot[2], u),
        plus_scaled(plus_scaled(times(head[0], x), head[1], y), head[2], u),
        rotated_tensor(column(D, TENSOR, i), column(D, TENSOR + 3, i), x, y, u),
    )


@inline
def rotated_tensor(moments: Three, products: Three, x: Three, y: Three, z: Three) -> Six:
    """R J R^T with the columns x, y, z of R, for J of the moments xx, yy, zz and the elements xy, xz, yz."""
    xx, yy, zz = moments
    xy, xz, yz = products
    a = plus_scaled(plus_scaled(times(xx, x), xy, y), xz, z)
    b = plus_scaled(plus_scaled(times(xy, x), yy, y), yz, z)
    c = plus_scaled(plus_scaled(times(xz, x), yz, y), zz, z)
    return (
        a[0] * x[0] + b[0] * y[0] + c[0] * z[0],
        a[1] * x[1] + b[1] * y[1] + c[1] * z[1],
        a[2] * x[2] + b[2] * y[2] + c[2] * z[2],
        a[0] * x[1] + b[0] * y[1] + c[0] * z[1],
        a[0] * x[2] + b[0] * y[2] + c[0] * z[2],
        a[1] * x[2] + b[1] * y[2] + c[1] * z[2],
    )


@inline
def tensor_times(J: Six, a: Three) -> Three:
    """Product J a."""
    return (
        J[0] * a[0] + J[3] * a[1] + J[4] * a[2],
        J[3] * a[0] + J[1] * a[1] + J[5] * a[2],
        J[4] * a[0] + J[5] * a[1] + J[2] * a[2],
    )


@inline
def inertial_wrench(mass: float, moment: Three, J: Six, a: Three, w: Three, w_t: Three) -> tuple[Three, Three]:
    """Force, and moment about a point P, that accelerate a rigid body of this mass, first moment and tensor about P,
    where P has the acceleration a and the body turns with w and w'."""
    force = plus_scaled(plus(cross(w_t, moment), cross(w, cross(w, moment))), mass, a)
    return force, plus(cross(moment, a), plus(tensor_times(J, w_t), cross(w, tensor_times(J, w))))


class BodyForces(NamedTuple):
    """Forces of the bodies that turn with a leg: forces at its foot and head, and the total moment."""

    foot: Three
    head: Three
    moment: Three


@inline_norefcount
def body_forces(D: Array, i: int, frame: LegMass, foot_tt: Three, head_tt: Three, w: Three, w_t: Three) -> BodyForces:
    """Forces of the bodies that turn with w and w'; accelerations of foot and head are less gravity."""
    # J is the sum of both bodies' tensors, so the head adds only its force and the moment mc_head x b''.
    foot, moment = inertial_wrench(D[FOOT_MASS, i], frame.foot, frame.tensor, foot_tt, w, w_t)
    swing = plus(cross(w_t, frame.head), cross(w, cross(w, frame.head)))
    return BodyForces(foot, plus_scaled(swing, D[HEAD_MASS, i], head_tt), plus(moment, cross(frame.head, head_tt)))


@inline
def at_joint_and_drive(leg: LegPose, taken: BodyForces) -> tuple[Three, float]:
    """The same forces as a force at the platform joint and a force along q, by virtual work."""
    # moment . w = across . (b' - p' q') + about_itself lead q'
    about_itself = leg.per_sine * dot(taken.moment, leg.u)
    across = times(leg.per_length, cross(plus_scaled(taken.moment, about_itself * leg.c, leg.e), leg.u))
    return plus(taken.head, across), dot(minus(taken.foot, across), leg.p_q) + about_itself * leg.lead


@inline_norefcount
def leg_inertial_forces(
    model: Model, i: int, leg: LegPose, motion: LegVelocity, acc: LegAcceleration, frame: LegMass, g: Three
) -> tuple[Three, float]:
    """Inertial force of all bodies of a leg: a force at the platform joint, and a force along q."""
    D = model.D
    taken = body_forces(D, i, frame, minus(acc.p_tt, g), minus(acc.b_tt, g), motion.w, acc.w_t)
    at_joint, along = at_joint_and_drive(leg, taken)
    # Slider or crank: its weight does the work g . lift per q, with lift = m p' + n x (first moment).
    arm = column(D, CARRIER_MOMENT, i)
    arm = carried(model.code, model.T, i, leg.q, arm[0], arm[1], arm[2])
    lift = plus_scaled(cross(leg.n, arm), D[CARRIER_MASS, i], leg.p_q)
    return at_joint, along + D[INERTIA, i] * acc.q_tt - dot(lift, g)


@inline_norefcount
def friction(D: Array, i: int, q_t: float) -> float:
    """Friction of a drive at the rate q': viscous, and Coulomb with its sign smoothed by tanh."""
    return D[VISCOUS, i] * q_t + D[COULOMB, i] * tanh(q_t / D[SLIP, i])


@inline_norefcount
def add_mass(D: Array, i: int, leg: LegPose, frame: LegMass, M: Array) -> None:
    """Add the mass of a leg, reduced to the platform's origin, to the upper triangle of M (6, 6).

    With w = W b', the kinetic energy of the leg is b'^T N b' / 2 at its platform joint, with
    N = I s s^T + m_head 1 + s (W^T k)^T + (W^T k) s^T + W^T [mc_head]x + its transpose + W^T J W and k = mc_foot x p'.
    """
    # I of the drive and of the foot body's mass, which moves with p' q'.
    inertia = D[INERTIA, i] + D[FOOT_MASS, i] * dot(leg.p_q, leg.p_q)
    k = cross(frame.foot, leg.p_q)
    W0, J0 = _angular_velocity_of(leg, frame, (1.0, 0.0, 0.0))
    W1, J1 = _angular_velocity_of(leg, frame, (0.0, 1.0, 0.0))
    W2, J2 = _angular_velocity_of(leg, frame, (0.0, 0.0, 1.0))
    # Elements of W^T [mc]x + its transpose: W_i . (mc x e_j) + W_j . (mc x e_i), with the base axes e.
    c0, c1, c2 = cross(W0, frame.head), cross(W1, frame.head), cross(W2, frame.head)
    # Terms of q' in N: s_i a_j + s_j a_i with a_j = I s_j / 2 + W_j . k.
    a0 = 0.5 * inertia * leg.s[0] + dot(W0, k)
    a1 = 0.5 * inertia * leg.s[1] + dot(W1, k)
    a2 = 0.5 * inertia * leg.s[2] + dot(W2, k)
    s, mass = leg.s, D[HEAD_MASS, i]
    n00 = dot(W0, J0) + 2.0 * s[0] * a0 + 2.0 * c0[0] + mass
    n11 = dot(W1, J1) + 2.0 * s[1] * a1 + 2.0 * c1[1] + mass
    n22 = dot(W2, J2) + 2.0 * s[2] * a2 + 2.0 * c2[2] + mass
    n01 = dot(W0, J1) + s[0] * a1 + s[1] * a0 + c0[1] + c1[0]
    n02 = dot(W0, J2) + s[0] * a2 + s[2] * a0 + c0[2] + c2[0]
    n12 = dot(W1, J2) + s[1] * a2 + s[2] * a1 + c1[2] + c2[1]
    _add_at_origin(leg.rho, (n00, n01, n02), (n01, n11, n12), (n02, n12, n22), M)


@inline
def _angular_velocity_of(leg: LegPose, frame: LegMass, b_t: Three) -> tuple[Three, Three]:
    """Angular velocity of the leg under a velocity of the platform joint, and J times it."""
    q_t = dot(leg.s, b_t)
    h = times(leg.per_length, cross(leg.u, plus_scaled(b_t, -q_t, leg.p_q)))
    w = plus_scaled(h, leg.per_sine * (q_t * leg.lead + leg.c * dot(leg.e, h)), leg.u)
    return w, tensor_times(frame.tensor, w)


@inline_norefcount
def _add_at_origin(rho: Three, row0: Three, row1: Three, row2: Three, M: Array) -> None:
    """Add a symmetric mass at rho, given by its rows, to the upper triangle of M at the origin."""
    # The velocity at rho is v - [rho]x w: blocks N, N [rho]x^T and [rho]x N [rho]x^T.
    B0, B1, B2 = cross(rho, row0), cross(rho, row1), cross(rho, row2)
    M[0, 0] += row0[0]
    M[0, 1] += row0[1]
    M[0, 2] += row0[2]
    M[1, 1] += row1[1]
    M[1, 2] += row1[2]
    M[2, 2] += row2[2]
    for k in range(3):
        M[0, 3 + k] += B0[k]
        M[1, 3 + k] += B1[k]
        M[2, 3 + k] += B2[k]
    D0 = cross(rho, (B0[0], B1[0], B2[0]))
    D1 = cross(rho, (B0[1], B1[1], B2[1]))
    D2 = cross(rho, (B0[2], B1[2], B2[2]))
    M[3, 3] += D0[0]
    M[3, 4] += D1[0]
    M[3, 5] += D2[0]
    M[4, 4] += D1[1]
    M[4, 5] += D2[1]
    M[5, 5] += D2[2]
