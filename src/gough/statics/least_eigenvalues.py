"""Lower bounds of the least eigenvalue of symmetric matrices that are linear over a box.

It is concave in the matrix: its minimum is at a corner.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from gough.arrays import Array

MOST_CORNERS = 48 * 2**6
"""Corners that are looked at in one call, of the boxes that need it least."""
CORNERS = np.array(list(product((-1.0, 1.0), repeat=6)))


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
