"""Compiled projection of positions and velocities onto the constraints."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from gough._compile import inline_norefcount, kernel, noinline
from gough._linear_algebra import decompose, solve
from gough.arrays import Array, Ints
from gough.multibody._equations import Tables, motions, rows, rows_by_motions

MAX_STEPS = 6
"""Most Newton steps; two are enough after a step of an integrator."""


@inline_norefcount
def set_origin(Z: Array, k: int, centres: Array, x0: float, x1: float, x2: float) -> None:
    """Set T of solid k so that its mass centre is at x: T = x - R OG0."""
    Z[k, 0, 0] = x0 - Z[k, 0, 1] * centres[k, 0] - Z[k, 0, 2] * centres[k, 1] - Z[k, 0, 3] * centres[k, 2]
    Z[k, 1, 0] = x1 - Z[k, 1, 1] * centres[k, 0] - Z[k, 1, 2] * centres[k, 1] - Z[k, 1, 3] * centres[k, 2]
    Z[k, 2, 0] = x2 - Z[k, 2, 1] * centres[k, 0] - Z[k, 2, 2] * centres[k, 1] - Z[k, 2, 3] * centres[k, 2]


@inline_norefcount
def centre_component(Z: Array, k: int, centres: Array, r: int) -> float:
    """Component r of the mass centre T + R OG0 of solid k."""
    return Z[k, r, 0] + Z[k, r, 1] * centres[k, 0] + Z[k, r, 2] * centres[k, 1] + Z[k, r, 3] * centres[k, 2]


@noinline
def orthonormalise(Z: Array, centres: Array) -> None:
    """Replace every R by the nearest rotation; mass centres do not move.

    Newton-Schulz iteration R <- R (3 I - R^T R) / 2 for the polar factor; its error squares with each step.
    """
    S = np.empty((3, 3))
    for k in range(Z.shape[0] - 1):
        x0, x1, x2 = (
            centre_component(Z, k, centres, 0),
            centre_component(Z, k, centres, 1),
            centre_component(Z, k, centres, 2),
        )
        for _ in range(3):
            for p in range(3):
                for q in range(3):
                    x = 1.5 if p == q else 0.0
                    for r in range(3):
                        x -= 0.5 * Z[k, r, 1 + p] * Z[k, r, 1 + q]
                    S[p, q] = x
            for r in range(3):
                a, b, c = Z[k, r, 1], Z[k, r, 2], Z[k, r, 3]
                for q in range(3):
                    Z[k, r, 1 + q] = a * S[0, q] + b * S[1, q] + c * S[2, q]
        set_origin(Z, k, centres, x0, x1, x2)


@noinline
def displace(Z: Array, centres: Array, step: Array) -> None:
    """Move mass centres by step[k, :3] and turn by the rotation vectors step[k, 3:] (Rodrigues)."""
    for k in range(Z.shape[0] - 1):
        x0 = centre_component(Z, k, centres, 0) + step[k, 0]
        x1 = centre_component(Z, k, centres, 1) + step[k, 1]
        x2 = centre_component(Z, k, centres, 2) + step[k, 2]
        w0, w1, w2 = step[k, 3], step[k, 4], step[k, 5]
        angle = sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        # Rodrigues: a + sin(angle) / angle w x a + (1 - cos(angle)) / angle^2 w x (w x a)
        s, half = 1.0, 0.5  # limits at zero angle: 1 - cos cancels below 1e-4
        if angle > 1e-4:
            s, half = sin(angle) / angle, (1.0 - cos(angle)) / (angle * angle)
        for c in range(1, 4):
            a0, a1, a2 = Z[k, 0, c], Z[k, 1, c], Z[k, 2, c]
            b0, b1, b2 = w1 * a2 - w2 * a1, w2 * a0 - w0 * a2, w0 * a1 - w1 * a0
            Z[k, 0, c] = a0 + s * b0 + half * (w1 * b2 - w2 * b1)
            Z[k, 1, c] = a1 + s * b1 + half * (w2 * b0 - w0 * b2)
            Z[k, 2, c] = a2 + s * b2 + half * (w0 * b1 - w1 * b0)
        set_origin(Z, k, centres, x0, x1, x2)


@noinline
def least_norm_step(G: Array, solids: Ints, n: int, size: float, right: Array, step: Array) -> bool:
    """Step (n, 6) of least norm with G step = right, angles times `size`; whether the rows have full rank.

    step = G^T (G G^T)^-1 right, with the columns of angles scaled.
    """
    m = G.shape[0]
    wide = np.zeros((m, 6 * n))
    for k in range(m):
        for side in range(2):
            body = solids[k, side]
            if body < n:
                for c in range(6):
                    wide[k, 6 * body + c] += G[k, side, c] / (1.0 if c < 3 else size)
    # S = G G^T, where most elements of a row of G are zero.
    S, x, order = np.zeros((m, m)), np.empty((m, 1)), np.empty(m, np.int64)
    for k in range(m):
        x[k, 0] = right[k]
        for side in range(2):
            body = solids[k, side]
            if body < n:
                for c in range(6 * body, 6 * body + 6):
                    y = wide[k, c]
                    if y != 0.0:
                        for j in range(m):
                            S[k, j] += y * wide[j, c]
    if not decompose(S, order):
        return False
    solve(S, order, x)
    for body in range(n):
        for c in range(6):
            y = 0.0
            for k in range(m):
                y += wide[k, 6 * body + c] * x[k, 0]
            step[body, c] = y / (1.0 if c < 3 else size)
    return True


@noinline
def set_rates(Z: Array, V: Array, centres: Array, omega: Array, speed: Array) -> None:
    """Set V from angular velocities and velocities of the mass centres: R' = [w]x R, T' = v - R' OG0 (2016, eq. 8)."""
    for k in range(Z.shape[0] - 1):
        w0, w1, w2 = omega[k, 0], omega[k, 1], omega[k, 2]
        for c in range(1, 4):
            V[k, 0, c] = w1 * Z[k, 2, c] - w2 * Z[k, 1, c]
            V[k, 1, c] = w2 * Z[k, 0, c] - w0 * Z[k, 2, c]
            V[k, 2, c] = w0 * Z[k, 1, c] - w1 * Z[k, 0, c]
        set_origin(V, k, centres, speed[k, 0], speed[k, 1], speed[k, 2])


@noinline
def project_positions(Z: Array, V: Array, system: Tables, size: float, tolerance: float) -> bool:
    """Orthonormalise every R, then take Newton steps of least norm on the joint rows until the largest residual is
    within `tolerance` or no longer halves; whether the rows have full rank."""
    centres, n = system.centres, len(Z) - 1
    step = np.zeros((n, 6))
    orthonormalise(Z, centres)
    last = np.inf
    for _ in range(MAX_STEPS):
        found = rows(Z, V, system)
        worst = 0.0
        for k in range(len(found.phi)):
            worst = max(worst, abs(found.phi[k]))
        if worst <= tolerance or worst >= 0.5 * last:
            break
        last = worst
        G, _ = rows_by_motions(Z, system.solids, found, motions(Z, V, centres))
        if not least_norm_step(G, system.solids, n, size, -found.phi, step):
            return False
        displace(Z, centres, step)
    return True


@kernel
def project(Z: Array, V: Array, system: Tables, size: float, tolerance: float) -> bool:
    """Project Z and V (n + 1, 3, 4) onto all constraints, in place: positions, then the least change of velocities.

    Returns whether the rows have full rank.
    """
    centres, n = system.centres, len(Z) - 1
    speed, step = np.empty((n, 3)), np.zeros((n, 6))
    # Twists are kept while R changes: rates that were consistent with the old R are not with the new one.
    omega = motions(Z, V, centres).omega
    for k in range(n):
        for r in range(3):
            speed[k, r] = centre_component(V, k, centres, r)
    if not project_positions(Z, V, system, size, tolerance):
        return False
    set_rates(Z, V, centres, omega, speed)
    if len(system.solids) == 0:
        return True
    # The least change of the twists that makes Phi' = G twist zero.
    found = rows(Z, V, system)
    motion = motions(Z, V, centres)
    G, _ = rows_by_motions(Z, system.solids, found, motion)
    if not least_norm_step(G, system.solids, n, size, -found.rate, step):
        return False
    for k in range(n):
        for r in range(3):
            speed[k, r] += step[k, r]
            motion.omega[k, r] += step[k, 3 + r]
    set_rates(Z, V, centres, motion.omega, speed)
    return True
