"""Compiled efforts of force elements and gravity."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import inline, kernel
from gough._linear_algebra import copy
from gough.arrays import Array, Ints

Three = tuple[float, float, float]

FORCE, TORQUE, SPRING = 0, 1, 2
COLUMNS = 9
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
