"""Compiled solution by elimination of chains of solids between hubs.

Hubs are solids with many joints (platforms); chains are the solids between hubs and ground. Where a chain has six joint
rows for each of its solids, these rows, A (square) by its twists and B by those of the hubs, give

    A a = g - B a_hub                         accelerations of the chain, from those of its hubs
    A^T lambda = M a - f                      multipliers of the chain, from its accelerations
    (M_hub + X^T M X) a_hub = f_hub + X^T (M a_0 - f),   X = A^-1 B,  a_0 = A^-1 g

with one small LU decomposition per chain and six equations per hub. No mass matrix is inverted, so thin rods and
massless parts are allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline_norefcount, kernel, noinline
from gough._linear_algebra import copy, decompose, solve, solve_transposed
from gough.arrays import Array, Ints
from gough.multibody._equations import (
    Tables,
    balance,
    coordinates,
    motions,
    orthogonality,
    rows,
    rows_by_motions,
)

NOWHERE = -9999
"""Column of the ground: none."""


class Layout(NamedTuple):
    """Rows and solids of a system, ordered by chain."""

    place: Ints
    """(n + 1,): column of a solid in its chain; -1 - column of a hub among the hubs; NOWHERE for the ground."""
    chain_rows: Ints
    """(chains + 1,): first row of each chain, and the number of rows."""
    chain_solids: Ints
    """(chains + 1,): first index of each chain in `members`, and the number of solids."""
    members: Ints
    """Solids, ordered by chain."""
    hubs: Ints
    """(h,): solids that are hubs."""


class SolidEquations(NamedTuple):
    """Masses (n, 4, 4) of the solids, and their `Balance`."""

    masses: Array
    M: Array
    force: Array


class Hubs(NamedTuple):
    """Equations H a = h of the hubs' accelerations, (w, w) and (w, 1)."""

    H: Array
    h: Array


@inline_norefcount
def chain_rows_of(first: int, last: int, place: Ints, solids: Ints, G: Array, g: Array, A: Array, X: Array) -> None:
    """A (s, s) of the rows first..last by the twists of their chain, and [B, g] (s, width + 1) into X."""
    size, columns = A.shape[0], X.shape[1]
    for r in range(size):
        for c in range(size):
            A[r, c] = 0.0
        for c in range(columns):
            X[r, c] = 0.0
    for k in range(first, last):
        X[k - first, columns - 1] = g[k]
        for side in range(2):
            column = place[solids[k, side]]
            if column >= 0:
                for c in range(6):
                    A[k - first, column + c] = G[k, side, c]
            elif column != NOWHERE:
                for c in range(6):
                    X[k - first, c - 1 - column] = G[k, side, c]


@inline_norefcount
def set_mass_times(mass: float, M: Array, body: int, X: Array, at: int, column: int, out: Array) -> None:
    """[m a, J alpha] of [a, alpha] = X[at:at + 6, column], into the same place of `out`."""
    x, y, z = X[at + 3, column], X[at + 4, column], X[at + 5, column]
    for r in range(3):
        out[at + r, column] = mass * X[at + r, column]
        out[at + 3 + r, column] = M[body, r, 0] * x + M[body, r, 1] * y + M[body, r, 2] * z


@noinline
def add_chain_to_hubs(
    first: int, last: int, layout: Layout, of_solids: SolidEquations, X: Array, MX: Array, hubs: Hubs
) -> None:
    """Add X^T M X and X^T (M a_0 - f) of a chain to the equations of the hubs; MX is scratch."""
    masses, M, force = of_solids
    H, h = hubs
    # MX = M X, with M a_0 - f in its last column.
    size, width = X.shape[0], H.shape[0]
    for b in range(first, last):
        body = layout.members[b]
        at = layout.place[body]
        for c in range(width + 1):
            set_mass_times(masses[body, 0, 0], M, body, X, at, c, MX)
        for r in range(6):
            MX[at + r, width] -= force[body, 0, r]
    for r in range(size):
        for p in range(width):
            x = X[r, p]
            if x != 0.0:  # columns of hubs that the chain does not meet are zero
                for c in range(width):
                    H[p, c] += x * MX[r, c]
                h[p, 0] += x * MX[r, width]


@noinline
def accelerate_chain(first: int, last: int, layout: Layout, X: Array, h: Array, a: Array) -> None:
    """Accelerations a = a_0 - X a_hub (n, 6) of the solids of a chain, from those of the hubs h (w, 1)."""
    width = h.shape[0]
    for b in range(first, last):
        body = layout.members[b]
        at = layout.place[body]
        for r in range(6):
            x = X[at + r, width]
            for c in range(width):
                x -= X[at + r, c] * h[c, 0]
            a[body, r] = x


@noinline
def chain_residual(first: int, last: int, layout: Layout, of_solids: SolidEquations, a: Array, out: Array) -> None:
    """M a - f of the solids of a chain, in its order, into out (s,)."""
    masses, M, force = of_solids
    for b in range(first, last):
        body = layout.members[b]
        at = layout.place[body]
        for r in range(3):
            out[at + r] = masses[body, 0, 0] * a[body, r] - force[body, 0, r]
            x = M[body, r, 0] * a[body, 3] + M[body, r, 1] * a[body, 4] + M[body, r, 2] * a[body, 5]
            out[at + 3 + r] = x - force[body, 0, 3 + r]


@noinline
def solve_hubs(layout: Layout, of_solids: SolidEquations, hubs: Hubs, a: Array) -> bool:
    """Add mass and force of the hubs, solve for their accelerations, into a (n, 6) and h; whether regular."""
    masses, M, force = of_solids
    H, h = hubs
    for k in range(len(layout.hubs)):
        hub = layout.hubs[k]
        for r in range(3):
            H[6 * k + r, 6 * k + r] += masses[hub, 0, 0]
            for c in range(3):
                H[6 * k + 3 + r, 6 * k + 3 + c] += M[hub, r, c]
        for r in range(6):
            h[6 * k + r, 0] += force[hub, 0, r]
    order = np.empty(len(h), np.int64)
    if len(h) > 0:
        if not decompose(H, order):
            return False
        solve(H, order, h)
    for k in range(len(layout.hubs)):
        for r in range(6):
            a[layout.hubs[k], r] = h[6 * k + r, 0]
    return True


@noinline
def solve_chains(
    layout: Layout, solids: Ints, G: Array, g: Array, of_solids: SolidEquations, a: Array, multipliers: Array
) -> bool:
    """Accelerations a (n, 6) and multipliers (m,), in place; whether every chain and the hubs are regular."""
    starts, parts, width = layout.chain_rows, layout.chain_solids, 6 * len(layout.hubs)
    chains, size = len(starts) - 1, 0
    for k in range(chains):
        size = max(size, starts[k + 1] - starts[k])
    A, X, MX = np.empty((chains, size, size)), np.empty((chains, size, width + 1)), np.empty((size, width + 1))
    order = np.empty((chains, size), np.int64)
    hubs, x = Hubs(np.zeros((width, width)), np.zeros((width, 1))), np.empty(size)
    # Elimination: X = A^-1 [B, g] of each chain, and its part of the equations of the hubs.
    for k in range(chains):
        s = starts[k + 1] - starts[k]
        chain_rows_of(starts[k], starts[k + 1], layout.place, solids, G, g, A[k, :s, :s], X[k, :s])
        if not decompose(A[k, :s, :s], order[k, :s]):
            return False
        solve(A[k, :s, :s], order[k, :s], X[k, :s])
        add_chain_to_hubs(parts[k], parts[k + 1], layout, of_solids, X[k, :s], MX, hubs)
    if not solve_hubs(layout, of_solids, hubs, a):
        return False
    # Back substitution with the factors of A kept from the elimination.
    for k in range(chains):
        s = starts[k + 1] - starts[k]
        accelerate_chain(parts[k], parts[k + 1], layout, X[k], hubs.h, a)
        chain_residual(parts[k], parts[k + 1], layout, of_solids, a, x)
        solve_transposed(A[k, :s, :s], order[k, :s], x[:s])
        copy(x[:s], multipliers[starts[k] : starts[k + 1]])
    return True


@kernel
def chain_solution(Z: Array, V: Array, F: Array, system: Tables, layout: Layout) -> tuple[Array, Array, Array, bool]:
    """Z'' (n, 3, 4), Lambda (n, 3, 3), multipliers (m,), and whether the equations are regular."""
    found, motion = rows(Z, V, system), motions(Z, V, system.centres)
    G, g = rows_by_motions(Z, system.solids, found, motion)
    M, force = balance(Z, F, system.inertia, motion)
    n = len(M)
    a, multipliers = np.empty((n, 6)), np.empty(len(g))
    if not solve_chains(layout, system.solids, G, g, SolidEquations(system.masses, M, force), a, multipliers):
        return np.empty((n, 3, 4)), np.empty((n, 3, 3)), multipliers, False
    acceleration = coordinates(Z, motion, a)
    return acceleration, orthogonality(Z, F, system, found.J, multipliers, acceleration), multipliers, True
