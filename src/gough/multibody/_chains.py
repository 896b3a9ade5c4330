"""Compiled solution leg by leg: chains of solids between hubs.

A hub is a solid that carries the others (a platform); a chain is what hangs between hubs and the ground. Where a chain
has as many joint rows as motions, 6 for each of its solids, its rows A (square), B of the hubs give

    A a = g - B a_hub                         its accelerations follow from those of its hubs
    A^T lambda = M a - f                      its multipliers follow from its accelerations
    (M_hub + X^T M X) a_hub = f_hub + X^T (M a_0 - f),   X = A^-1 B,  a_0 = A^-1 g

with one small decomposition per chain and one of six equations per hub. No mass matrix is inverted, so thin rods and
massless parts are as good as any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline_norefcount, kernel, noinline
from gough._linear_algebra import copy, decompose, solve, solve_transposed
from gough.arrays import Array, Ints
from gough.multibody._rows import (
    Tables,
    balance,
    coordinates,
    motions,
    orthogonality,
    rows,
    rows_by_motions,
)

NOWHERE = -9999
"""Place of the ground."""


class Layout(NamedTuple):
    """Rows and solids of a system, chain after chain."""

    place: Ints
    """(n + 1,): column of a solid in its chain; -1 - column of a hub among the hubs; NOWHERE for the ground."""
    chain_rows: Ints
    """(chains + 1,): where the rows of each chain begin."""
    chain_solids: Ints
    """(chains + 1,): where the solids of each chain begin in `members`."""
    members: Ints
    """Solids, chain after chain."""
    hubs: Ints
    """(h,): the hubs."""


class Loads(NamedTuple):
    """Masses (n, 4, 4) of the solids, and their `Balance`."""

    masses: Array
    M: Array
    force: Array


class Hubs(NamedTuple):
    """Equations H a = h of the hubs' accelerations, (w, w) and (w, 1)."""

    H: Array
    h: Array


@inline_norefcount
def fill(first: int, last: int, place: Ints, solids: Ints, G: Array, g: Array, A: Array, X: Array) -> None:
    """A (s, s) of the rows first..last by their chain's motions, and X (s, width + 1): by its hubs', last column g."""
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
def times_mass(mass: float, M: Array, body: int, X: Array, at: int, column: int, out: Array) -> None:
    """[m a, J alpha] of the six numbers [a, alpha] at X[at:at + 6, column]."""
    x, y, z = X[at + 3, column], X[at + 4, column], X[at + 5, column]
    for r in range(3):
        out[at + r, column] = mass * X[at + r, column]
        out[at + 3 + r, column] = M[body, r, 0] * x + M[body, r, 1] * y + M[body, r, 2] * z


@noinline
def condense(first: int, last: int, layout: Layout, loads: Loads, X: Array, MX: Array, hubs: Hubs) -> None:
    """Add a chain's part X^T M X, X^T (M a_0 - f) to the hubs' equations."""
    masses, M, force = loads
    H, h = hubs
    size, width = X.shape[0], H.shape[0]
    for b in range(first, last):
        body = layout.members[b]
        at = layout.place[body]
        for c in range(width + 1):
            times_mass(masses[body, 0, 0], M, body, X, at, c, MX)
        for r in range(6):
            MX[at + r, width] -= force[body, 0, r]
    for r in range(size):
        for p in range(width):
            x = X[r, p]
            if x != 0.0:
                for c in range(width):
                    H[p, c] += x * MX[r, c]
                h[p, 0] += x * MX[r, width]


@noinline
def accelerate(first: int, last: int, layout: Layout, X: Array, h: Array, a: Array) -> None:
    """Accelerations a (n, 6) of a chain's solids from those of the hubs h (w, 1)."""
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
def react(first: int, last: int, layout: Layout, loads: Loads, a: Array, out: Array) -> None:
    """M a - f of a chain's solids, in the chain's order, out (s,)."""
    masses, M, force = loads
    for b in range(first, last):
        body = layout.members[b]
        at = layout.place[body]
        for r in range(3):
            out[at + r] = masses[body, 0, 0] * a[body, r] - force[body, 0, r]
            x = M[body, r, 0] * a[body, 3] + M[body, r, 1] * a[body, 4] + M[body, r, 2] * a[body, 5]
            out[at + 3 + r] = x - force[body, 0, 3 + r]


@noinline
def solve_hubs(layout: Layout, loads: Loads, hubs: Hubs, a: Array) -> bool:
    """Add the hubs' own mass and load, solve for their accelerations a (n, 6), also left in h; whether regular."""
    masses, M, force = loads
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
def solve_chains(layout: Layout, solids: Ints, G: Array, g: Array, loads: Loads, a: Array, multipliers: Array) -> bool:
    """Accelerations a (n, 6) and multipliers (m,); whether every chain and the hubs are regular."""
    starts, parts, width = layout.chain_rows, layout.chain_solids, 6 * len(layout.hubs)
    chains, size = len(starts) - 1, 0
    for k in range(chains):
        size = max(size, starts[k + 1] - starts[k])
    A, X, MX = np.empty((chains, size, size)), np.empty((chains, size, width + 1)), np.empty((size, width + 1))
    order = np.empty((chains, size), np.int64)
    hubs, x = Hubs(np.zeros((width, width)), np.zeros((width, 1))), np.empty(size)
    for k in range(chains):
        s = starts[k + 1] - starts[k]
        fill(starts[k], starts[k + 1], layout.place, solids, G, g, A[k, :s, :s], X[k, :s])
        if not decompose(A[k, :s, :s], order[k, :s]):
            return False
        solve(A[k, :s, :s], order[k, :s], X[k, :s])
        condense(parts[k], parts[k + 1], layout, loads, X[k, :s], MX, hubs)
    if not solve_hubs(layout, loads, hubs, a):
        return False
    for k in range(chains):
        s = starts[k + 1] - starts[k]
        accelerate(parts[k], parts[k + 1], layout, X[k], hubs.h, a)
        react(parts[k], parts[k + 1], layout, loads, a, x)
        solve_transposed(A[k, :s, :s], order[k, :s], x[:s])
        copy(x[:s], multipliers[starts[k] : starts[k + 1]])
    return True


@kernel
def chain_solution(Z: Array, V: Array, F: Array, system: Tables, layout: Layout) -> tuple[Array, Array, Array, bool]:
    """Z'' (n, 3, 4), Lambda (n, 3, 3), multipliers (m,), and whether every chain could be solved."""
    found, motion = rows(Z, V, system), motions(Z, V, system.centres)
    G, g = rows_by_motions(Z, system.solids, found, motion)
    M, force = balance(Z, F, system.inertia, motion)
    n = len(M)
    a, multipliers = np.empty((n, 6)), np.empty(len(g))
    if not solve_chains(layout, system.solids, G, g, Loads(system.masses, M, force), a, multipliers):
        return np.empty((n, 3, 4)), np.empty((n, 3, 3)), multipliers, False
    acceleration = coordinates(Z, motion, a)
    return acceleration, orthogonality(Z, F, system, found.J, multipliers, acceleration), multipliers, True
