"""Compiled equations of solids: constraint rows, efforts of force elements, dense matrices.

The solids are in one array Z (n + 1, 3, 4), the ground last. A row of a joint between the solids i and j is

    Phi = w_a . w_b - c,   w_a = Z_i a_i + Z_j a_j + a_0,   w_b = Z_i b_i + Z_j b_j + b_0

(`gough.multibody.joints`); its 23 numbers in the table are a_i b_i a_j b_j a_0 b_0 c.

The twist of a solid is the velocity of its mass centre and its angular velocity. Twists keep R orthogonal, so the six
orthogonality multipliers of each solid drop out of the equations and are found afterwards.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel, noinline
from gough._linear_algebra import copy
from gough.arrays import Array, Ints, Three

ROW_COLUMNS = 23


class Tables(NamedTuple):
    """Arrays of a system."""

    solids: Ints
    """(m, 2): indices of both solids of each joint row; the ground is n."""
    rows: Array
    """(m, 23): coefficients of each row."""
    centres: Array
    """(n + 1, 3): mass centre OG0 of each solid [m], zero for the ground."""
    inertia: Array
    """(n, 3, 3): inertia about the mass centre [kg m2]."""
    masses: Array
    """(n, 4, 4): `Body.mass_matrix`."""


class JointRows(NamedTuple):
    """Joint rows at a state."""

    phi: Array
    """Phi (m,)."""
    rate: Array
    """Phi' (m,)."""
    J: Array
    """Derivatives by the coordinates of both solids (m, 2, 3, 4)."""
    gamma: Array
    """Right side (m,) of Phi'' = 0, J : Z'' = gamma."""


class SolidMotions(NamedTuple):
    """Velocity quantities of each solid, the ground included."""

    arm: Array
    """R OG0 (n + 1, 3)."""
    omega: Array
    """Angular velocity (n + 1, 3) (2016, eq. 6)."""
    bias: Array
    """Z'' at zero rate of its twist (n + 1, 3, 4): [-W W R OG0 | W W R], W = [omega]x (2017, eq. 4)."""


class Balance(NamedTuple):
    """Mass and force of each solid by its twist."""

    M: Array
    """Inertia about its mass centre in inertial axes (n, 3, 3)."""
    force: Array
    """Applied force, and applied moment less w x J w (n, 1, 6)."""


@inline_norefcount
def carried(Z: Array, i: int, r: int, T: Array, k: int, at: int) -> float:
    """Component r of Z_i h, with the four numbers h at T[k, at:at + 4]."""
    return Z[i, r, 0] * T[k, at] + Z[i, r, 1] * T[k, at + 1] + Z[i, r, 2] * T[k, at + 2] + Z[i, r, 3] * T[k, at + 3]


@noinline
def rows(Z: Array, V: Array, system: Tables) -> JointRows:
    """All joint rows and their derivatives."""
    solids, T = system.solids, system.rows
    m = len(T)
    phi, rate, J, gamma = np.empty(m), np.empty(m), np.empty((m, 2, 3, 4)), np.empty(m)
    for k in range(m):
        i, j = solids[k, 0], solids[k, 1]
        value, first, second = -T[k, 22], 0.0, 0.0
        for r in range(3):
            wa = carried(Z, i, r, T, k, 0) + carried(Z, j, r, T, k, 8) + T[k, 16 + r]
            wb = carried(Z, i, r, T, k, 4) + carried(Z, j, r, T, k, 12) + T[k, 19 + r]
            va = carried(V, i, r, T, k, 0) + carried(V, j, r, T, k, 8)
            vb = carried(V, i, r, T, k, 4) + carried(V, j, r, T, k, 12)
            # Phi = w_a . w_b - c, Phi' = w_a' . w_b + w_a . w_b', gamma = -2 w_a' . w_b': coordinates enter linearly.
            value += wa * wb
            first += va * wb + wa * vb
            second += 2.0 * va * vb
            for c in range(4):
                J[k, 0, r, c] = wb * T[k, c] + wa * T[k, 4 + c]
                J[k, 1, r, c] = wb * T[k, 8 + c] + wa * T[k, 12 + c]
        phi[k], rate[k], gamma[k] = value, first, -second
    return JointRows(phi, rate, J, gamma)


@kernel
def rows_of(Z: Array, V: Array, system: Tables) -> JointRows:
    """`rows` for Python callers."""
    return rows(Z, V, system)


@inline_norefcount
def set_wrench(E: Array, k: int, s: int, Z: Array, body: int, arm: Array, out: Array) -> None:
    """out[k, s]: force and moment about the mass centre (6,) of the effort E[k, s] = [X | Y] (3, 4) on a solid.

    The work Y : [dtheta]x R is tau . dtheta with tau the axial vector of Y R^T - R Y^T; `arm` is R OG0.
    """
    f0, f1, f2 = E[k, s, 0, 0], E[k, s, 1, 0], E[k, s, 2, 0]
    # X acts at T*, which is -arm from the mass centre: t = -arm x X + axial(Y R^T - R Y^T).
    t0 = arm[body, 2] * f1 - arm[body, 1] * f2
    t1 = arm[body, 0] * f2 - arm[body, 2] * f0
    t2 = arm[body, 1] * f0 - arm[body, 0] * f1
    for c in range(1, 4):
        y0, y1, y2 = E[k, s, 0, c], E[k, s, 1, c], E[k, s, 2, c]
        r0, r1, r2 = Z[body, 0, c], Z[body, 1, c], Z[body, 2, c]
        t0 += y2 * r1 - y1 * r2
        t1 += y0 * r2 - y2 * r0
        t2 += y1 * r0 - y0 * r1
    out[k, s, 0], out[k, s, 1], out[k, s, 2] = f0, f1, f2
    out[k, s, 3], out[k, s, 4], out[k, s, 5] = t0, t1, t2


@noinline
def motions(Z: Array, V: Array, centres: Array) -> SolidMotions:
    """Velocity quantities of all solids."""
    count = Z.shape[0]
    arm, omega, bias = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3, 4))
    for k in range(count):
        # [w]x is the skew part of R' R^T (2016, eq. 6), whose symmetric part is rounding.
        w0, w1, w2 = 0.0, 0.0, 0.0
        for c in range(1, 4):
            w0 += 0.5 * (V[k, 2, c] * Z[k, 1, c] - V[k, 1, c] * Z[k, 2, c])
            w1 += 0.5 * (V[k, 0, c] * Z[k, 2, c] - V[k, 2, c] * Z[k, 0, c])
            w2 += 0.5 * (V[k, 1, c] * Z[k, 0, c] - V[k, 0, c] * Z[k, 1, c])
        omega[k, 0], omega[k, 1], omega[k, 2] = w0, w1, w2
        square = w0 * w0 + w1 * w1 + w2 * w2
        for r in range(3):
            arm[k, r], bias[k, r, 0] = 0.0, 0.0
        for c in range(1, 4):
            along = w0 * Z[k, 0, c] + w1 * Z[k, 1, c] + w2 * Z[k, 2, c]
            for r in range(3):
                x = omega[k, r] * along - square * Z[k, r, c]  # W W a = w (w . a) - |w|^2 a
                bias[k, r, c] = x
                bias[k, r, 0] -= x * centres[k, c - 1]
                arm[k, r] += Z[k, r, c] * centres[k, c - 1]
    return SolidMotions(arm, omega, bias)


@noinline
def rows_by_motions(Z: Array, solids: Ints, found: JointRows, motion: SolidMotions) -> tuple[Array, Array]:
    """G (m, 2, 6), J by the twists of both solids, and g (m,) of G : accelerations = g."""
    ground, m = Z.shape[0] - 1, len(solids)
    J, arm, bias = found.J, motion.arm, motion.bias
    G, g = np.empty((m, 2, 6)), np.empty(m)
    for k in range(m):
        x = found.gamma[k]
        for side in range(2):
            body = solids[k, side]
            if body == ground:
                continue
            set_wrench(J, k, side, Z, body, arm, G)
            for r in range(3):
                for c in range(4):
                    x -= J[k, side, r, c] * bias[body, r, c]
        g[k] = x
    return G, g


@noinline
def balance(Z: Array, F: Array, inertia: Array, motion: SolidMotions) -> Balance:
    """Mass and force of all solids under the efforts F (n + 1, 3, 4)."""
    n = len(inertia)
    M, force, effort = np.empty((n, 3, 3)), np.empty((n, 1, 6)), F.reshape(n + 1, 1, 3, 4)
    arm, omega = motion.arm, motion.omega
    for k in range(n):
        # R J R^T
        for r in range(3):
            half0, half1, half2 = 0.0, 0.0, 0.0
            for p in range(3):
                x = Z[k, r, 1 + p]
                half0 += x * inertia[k, p, 0]
                half1 += x * inertia[k, p, 1]
                half2 += x * inertia[k, p, 2]
            for c in range(3):
                M[k, r, c] = half0 * Z[k, c, 1] + half1 * Z[k, c, 2] + half2 * Z[k, c, 3]
        set_wrench(effort, k, 0, Z, k, arm, force)
        w0, w1, w2 = omega[k, 0], omega[k, 1], omega[k, 2]
        # Euler's equation: gyroscopic moment w x h of the angular momentum h.
        h0 = M[k, 0, 0] * w0 + M[k, 0, 1] * w1 + M[k, 0, 2] * w2
        h1 = M[k, 1, 0] * w0 + M[k, 1, 1] * w1 + M[k, 1, 2] * w2
        h2 = M[k, 2, 0] * w0 + M[k, 2, 1] * w1 + M[k, 2, 2] * w2
        force[k, 0, 3] -= w1 * h2 - w2 * h1
        force[k, 0, 4] -= w2 * h0 - w0 * h2
        force[k, 0, 5] -= w0 * h1 - w1 * h0
    return Balance(M, force)


@noinline
def coordinates(Z: Array, motion: SolidMotions, a: Array) -> Array:
    """Z'' (n, 3, 4) of the accelerations [a, alpha] (n, 6): R'' = A R + W W R, A = [alpha]x,
    T'' = a - A R OG0 - W W R OG0 (2017, eq. 4)."""
    arm, bias, out = motion.arm, motion.bias, np.empty((len(a), 3, 4))
    for k in range(len(a)):
        a3, a4, a5 = a[k, 3], a[k, 4], a[k, 5]
        for c in range(1, 4):
            out[k, 0, c] = a4 * Z[k, 2, c] - a5 * Z[k, 1, c] + bias[k, 0, c]
            out[k, 1, c] = a5 * Z[k, 0, c] - a3 * Z[k, 2, c] + bias[k, 1, c]
            out[k, 2, c] = a3 * Z[k, 1, c] - a4 * Z[k, 0, c] + bias[k, 2, c]
        out[k, 0, 0] = a[k, 0] - (a4 * arm[k, 2] - a5 * arm[k, 1]) + bias[k, 0, 0]
        out[k, 1, 0] = a[k, 1] - (a5 * arm[k, 0] - a3 * arm[k, 2]) + bias[k, 1, 0]
        out[k, 2, 0] = a[k, 2] - (a3 * arm[k, 1] - a4 * arm[k, 0]) + bias[k, 2, 0]
    return out


@noinline
def orthogonality(Z: Array, F: Array, system: Tables, J: Array, multipliers: Array, acceleration: Array) -> Array:
    """Lambda (n, 3, 3) of each solid: R Lambda = R'' K + m T'' OG0^T - Y (2016, eq. 9), joint efforts in Y."""
    solids, masses = system.solids, system.masses
    n = len(acceleration)
    E, out = np.empty((n, 3, 3)), np.empty((n, 3, 3))
    for k in range(n):
        for r in range(3):
            for c in range(1, 4):
                x = -F[k, r, c]
                for p in range(4):
                    x += acceleration[k, r, p] * masses[k, p, c]
                E[k, r, c - 1] = x
    for k in range(J.shape[0]):
        for side in range(2):
            body = solids[k, side]
            if body < n:
                for r in range(3):
                    for c in range(3):
                        E[body, r, c] -= multipliers[k] * J[k, side, r, 1 + c]
    # E is R Lambda; Lambda is the symmetric part of R^T E, whose skew part is rounding.
    for k in range(n):
        for r in range(3):
            for c in range(r, 3):
                x = 0.0
                for p in range(3):
                    x += Z[k, p, 1 + r] * E[k, p, c] + Z[k, p, 1 + c] * E[k, p, r]
                out[k, r, c] = 0.5 * x
                out[k, c, r] = 0.5 * x
    return out


FORCE, TORQUE, SPRING = 0, 1, 2
ELEMENT_COLUMNS = 9
"""Parameters of a force or torque: point, direction; of a spring: point, anchor, (stiffness, length, damping)."""


@inline
def add_force(F: Array, Z: Array, k: int, p: Array, f: Three) -> None:
    """Add a force f on solid k at the point p in inertial axes: X += f, Y += f OM0^T, OM0 = R^T (p - T) (2017, 13)."""
    p0, p1, p2 = p[0] - Z[k, 0, 0], p[1] - Z[k, 1, 0], p[2] - Z[k, 2, 0]
    f0, f1, f2 = f
    F[k, 0, 0] += f0
    F[k, 1, 0] += f1
    F[k, 2, 0] += f2
    for c in range(1, 4):
        x = Z[k, 0, c] * p0 + Z[k, 1, c] * p1 + Z[k, 2, c] * p2
        F[k, 0, c] += f0 * x
        F[k, 1, c] += f1 * x
        F[k, 2, c] += f2 * x


@inline
def add_torque(F: Array, Z: Array, k: int, t: Three) -> None:
    """Add a torque t on solid k: Y += [t]x R / 2."""
    t0, t1, t2 = t
    for c in range(1, 4):
        F[k, 0, c] += 0.5 * (t1 * Z[k, 2, c] - t2 * Z[k, 1, c])
        F[k, 1, c] += 0.5 * (t2 * Z[k, 0, c] - t0 * Z[k, 2, c])
        F[k, 2, c] += 0.5 * (t0 * Z[k, 1, c] - t1 * Z[k, 0, c])


@inline
def add_spring(F: Array, Z: Array, V: Array, on: int, against: int, n: Array, u: float) -> None:
    """Add the force u (k (l - l_0) + c l') of a spring and damper along the line between two points."""
    d, v, p, q = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for r in range(3):
        p[r] = Z[on, r, 0] + Z[on, r, 1] * n[0] + Z[on, r, 2] * n[1] + Z[on, r, 3] * n[2]
        q[r] = Z[against, r, 0] + Z[against, r, 1] * n[3] + Z[against, r, 2] * n[4] + Z[against, r, 3] * n[5]
        v[r] = V[against, r, 0] + V[against, r, 1] * n[3] + V[against, r, 2] * n[4] + V[against, r, 3] * n[5]
        v[r] -= V[on, r, 0] + V[on, r, 1] * n[0] + V[on, r, 2] * n[1] + V[on, r, 3] * n[2]
        d[r] = q[r] - p[r]
    length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    rate = (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / length
    f = u * (n[6] * (length - n[7]) + n[8] * rate) / length
    add_force(F, Z, on, p, (f * d[0], f * d[1], f * d[2]))
    add_force(F, Z, against, q, (-f * d[0], -f * d[1], -f * d[2]))


@kernel
def efforts(Z: Array, V: Array, weight: Array, solids: Ints, table: Array, magnitudes: Array, F: Array) -> None:
    """F (n + 1, 3, 4): weights [m g | m g OG0^T] and all force elements; the last solid is the ground.

    solids (l, 4): kind of the element, solid acted on, solid acted against, carrier of the direction.
    """
    for body in range(len(F)):
        for r in range(3):
            copy(weight[body, r], F[body, r])
    for k in range(len(solids)):
        kind, on, against, carrier = solids[k, 0], solids[k, 1], solids[k, 2], solids[k, 3]
        n, u = table[k], magnitudes[k]
        if kind == SPRING:
            add_spring(F, Z, V, on, against, n, u)
            continue
        # The direction turns with its carrier; the ground as carrier keeps it constant.
        f = np.zeros(3)
        for r in range(3):
            f[r] = u * (Z[carrier, r, 1] * n[3] + Z[carrier, r, 2] * n[4] + Z[carrier, r, 3] * n[5])
        if kind == TORQUE:
            add_torque(F, Z, on, (f[0], f[1], f[2]))
            add_torque(F, Z, against, (-f[0], -f[1], -f[2]))
            continue
        p = np.zeros(3)
        for r in range(3):
            p[r] = Z[on, r, 0] + Z[on, r, 1] * n[0] + Z[on, r, 2] * n[1] + Z[on, r, 3] * n[2]
        add_force(F, Z, on, p, (f[0], f[1], f[2]))
        add_force(F, Z, against, p, (-f[0], -f[1], -f[2]))


@kernel
def saddle_equations(Z: Array, V: Array, F: Array, system: Tables) -> tuple[Array, Array]:
    """Matrix and right side of [[M, -Phi_q^T], [Phi_q, 0]] [Z'', Lambda] = [F, gamma].

    Z'' row by row of each solid (12 n), then six orthogonality multipliers of each solid (11, 12, 13, 22, 23, 33), then
    the joints'.
    """
    solids, masses = system.solids, system.masses
    n, m = len(masses), len(solids)
    _, _, J, gamma = rows(Z, V, system)
    size = 18 * n + m
    K, b = np.zeros((size, size)), np.zeros(size)
    for k in range(n):
        for r in range(3):
            at = 12 * k + 4 * r
            for c in range(4):
                copy(masses[k, c], K[at + c, at : at + 4])
            copy(F[k, r], b[at : at + 4])
        # R^T R = I, halved on the diagonal (2017, eq. 8): columns p, q of R' and R'' in the second derivative.
        row = 12 * n + 6 * k
        for p in range(1, 4):
            for q in range(p, 4):
                for r in range(3):
                    half = 0.5 if p == q else 1.0
                    K[row, 12 * k + 4 * r + p] += half * Z[k, r, q]
                    K[row, 12 * k + 4 * r + q] += half * Z[k, r, p]
                    b[row] -= 2.0 * half * V[k, r, p] * V[k, r, q]
                row += 1
    for k in range(m):
        row = 18 * n + k
        b[row] = gamma[k]
        for side in range(2):
            body = solids[k, side]
            if body < n:
                for r in range(3):
                    for c in range(4):
                        K[row, 12 * body + 4 * r + c] += J[k, side, r, c]
    for row in range(12 * n):
        for column in range(12 * n, size):
            K[row, column] = -K[column, row]
    return K, b


@kernel
def motion_rows(Z: Array, V: Array, system: Tables) -> tuple[Array, Array, Array, Array]:
    """Phi (m,), Phi' (m,), derivatives G by the twists (m, 6 n), and g (m,) of G a = g for the accelerations a."""
    solids = system.solids
    m, n = len(solids), len(Z) - 1
    found = rows(Z, V, system)
    G, g = rows_by_motions(Z, solids, found, motions(Z, V, system.centres))
    wide = np.zeros((m, 6 * n))
    for k in range(m):
        for side in range(2):
            body = solids[k, side]
            if body < n:
                for c in range(6):
                    wide[k, 6 * body + c] += G[k, side, c]
    return found.phi, found.rate, wide, g


@kernel
def motion_balance(Z: Array, V: Array, F: Array, system: Tables) -> tuple[Array, Array]:
    """Mass matrix M (6 n, 6 n) by the twists of the solids, and f (6 n,) of M a = f without joints."""
    n = len(system.inertia)
    M, force = balance(Z, F, system.inertia, motions(Z, V, system.centres))
    wide = np.zeros((6 * n, 6 * n))
    for k in range(n):
        for r in range(3):
            wide[6 * k + r, 6 * k + r] = system.masses[k, 0, 0]
            copy(M[k, r], wide[6 * k + 3 + r, 6 * k + 3 : 6 * k + 6])
    return wide, force.reshape(6 * n)


@kernel
def coordinates_of(
    Z: Array, V: Array, F: Array, system: Tables, accelerations: Array, multipliers: Array
) -> tuple[Array, Array]:
    """Z'' (n, 3, 4) and Lambda (n, 3, 3) from the rates of the twists (n, 6) and the joint multipliers (m,)."""
    out = coordinates(Z, motions(Z, V, system.centres), accelerations)
    return out, orthogonality(Z, F, system, rows(Z, V, system).J, multipliers, out)
