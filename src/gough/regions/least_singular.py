"""Lower bounds of the least singular value over boxes of poses that lose nothing to first order.

A has the rows [u, rho x u]. With the orthogonal factor Q of A at the box's centre, for every A

    least singular value of A >= least eigenvalue of sym(Q^T A)

(x^T Q^T A x <= |A x| for unit x), which is concave in A: over a box of the linear part its minimum is at a corner, and
what is left is no more than half of |A''|. Where it is above zero the sign of the determinant stays.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import WIDENED, WIDER
from gough.regions.cells import Cells
from gough.regions.motions import Motion
from gough.regions.rods import Rods

MOST_CORNERS = 48 * 2**6
"""Corners that are looked at in one call, of the boxes that need it least."""
ROUNDING = 1e-12
CORNERS = np.array(list(product((-1.0, 1.0), repeat=6)))


def least_singular_values(
    machine: Machine, cells: Cells, motion: Motion, legs: Rods, enough: float
) -> tuple[Array, Array]:
    """Lower bounds (n,) over boxes, and derivatives (n, 6) at the centres; bounds above `enough` are not sharpened."""
    rho = motion.X[:, :3, :3] @ (machine.b_P - machine.platform_centre).T / machine.characteristic_length
    rho = np.swapaxes(rho, 1, 2)
    A = np.concatenate([legs.u, cross(rho, legs.u)], axis=-1)
    known = np.isfinite(A).all(axis=(1, 2))
    U, sigma, V = np.linalg.svd(np.where(known[:, None, None], A, np.eye(6)))
    S = _symmetric(np.swapaxes(V, 1, 2) @ np.swapaxes(U, 1, 2), _derivatives(motion, legs, rho))
    slope = np.einsum("ni,njik,nk->nj", V[:, -1], S, V[:, -1])
    rest = _remainder(machine, motion, legs) / 2 + ROUNDING
    half = cells.half * WIDER
    least = np.full(len(half), -np.inf)
    is_fine = known & np.isfinite(S).all(axis=(1, 2, 3)) & (rest < sigma[:, -1])
    if is_fine.any():
        P = np.swapaxes(V, 1, 2) @ (sigma[..., None] * V)
        hopeful = sigma[:, -1] - rest - np.sum(np.abs(slope) * half, axis=-1)
        S = S * half[..., None, None]
        least[is_fine] = least_eigenvalues(P[is_fine], S[is_fine], rest[is_fine], hopeful[is_fine], enough)
    return least, slope


def least_eigenvalues(P: Array, S: Array, rest: Array, hopeful: Array, enough: float) -> Array:
    """Lower bounds (n,) of the least eigenvalues of all symmetric P + sum x_j S_j, |x_j| <= 1, with matrices (n, m, m)
    and (n, 6, m, m), less a `rest`. Of the bounds below `enough` the most `hopeful` (n,) are sharpened."""
    least = _by_parts(P, S) - rest
    at = np.flatnonzero((least <= enough) & (hopeful > enough))
    moving = np.flatnonzero(S.any(axis=(0, 2, 3)))
    corners = CORNERS[: 2 ** len(moving), 6 - len(moving) :]
    at = at[np.argsort(-hopeful[at])][: MOST_CORNERS // len(corners)]
    if len(at):
        placed = np.einsum("cj,njik->ncik", corners, S[at][:, moving])
        lowest = np.linalg.eigvalsh(P[at, None] + placed)[..., 0].min(axis=1)
        least[at] = np.maximum(least[at], lowest - rest[at])
    return np.asarray(least)


def _by_parts(P: Array, S: Array) -> Array:
    """Least eigenvalue (n,) of P - sum |S_j|, which is below those of all P + sum x_j S_j with |x_j| <= 1."""
    values, vectors = np.linalg.eigh(S)
    size = (vectors * np.abs(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray(np.linalg.eigvalsh(P - size.sum(axis=1))[:, 0])


def _symmetric(Q_t: Array, A_z: Array) -> Array:
    turned = Q_t[:, None] @ A_z
    return np.asarray((turned + np.swapaxes(turned, -1, -2)) / 2)


def _derivatives(motion: Motion, legs: Rods, rho: Array) -> Array:
    """Of A by the six coordinates (n, 6, 6, 6)."""
    turned = cross(rho[:, None], legs.u_z)
    turned[:, 3:] += cross(cross(np.swapaxes(motion.W, 1, 2)[:, :, None], rho[:, None]), legs.u[:, None])
    return np.concatenate([legs.u_z, turned], axis=-1)


def _remainder(machine: Machine, motion: Motion, legs: Rods) -> Array:
    """Bound (n,) of |A''| in the Frobenius norm."""
    lever = np.linalg.norm(machine.b_P - machine.platform_centre, axis=-1) / machine.characteristic_length
    turn, bend = motion.turn[:, None], (motion.bend + motion.turn**2)[:, None]
    moment = lever * (legs.u2 + 2 * turn * legs.u1 + bend)
    return np.asarray(np.sqrt(np.sum(legs.u2**2 + moment**2, axis=-1)) * WIDENED)
