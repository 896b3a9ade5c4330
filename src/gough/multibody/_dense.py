"""Compiled assembly of the dense equations, in the twelve coordinates of each solid and in its twist."""

from __future__ import annotations

import numpy as np

from gough._compile import kernel
from gough._linear_algebra import copy
from gough.arrays import Array
from gough.multibody._rows import Tables, balance, coordinates, motions, orthogonality, rows, rows_by_motions


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
