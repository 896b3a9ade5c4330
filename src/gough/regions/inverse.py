"""The inverse of the legs' Jacobian at poses, and its Taylor model over boxes.

With G the matrix at poses of a box, C its inverse at the centre, and F = C (G - G_0),

    G^-1 = C - F C + F F C - F F F C (1 + F)^-1 ...

In the remainder W bounds |F|, and an M-matrix bounds the rest: |(1 + F)^-1 F^3 C| <= (1 - W)^-1 W W |F C| (Neumaier
1990, Interval Methods for Systems of Equations, section 3.6). Rows are about the joints' centre in base axes, lengths
in characteristic lengths: well scaled. The result is moved to a platform point afterwards.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.limits import _margins as layout
from gough.limits._margins import LimitArrays
from gough.limits.quantities import all_legs, jacobian
from gough.limits.rods import Pose, Quantity, Rods, cross
from gough.regions.models import ROUND, WIDENED, Model, bounded_solution, centre_of, pairs
from gough.regions.singularity import finite_matrices


def twists(limits: LimitArrays, pose: Pose, point: Array) -> tuple[Rods, Quantity]:
    """All legs, and twists (6, 6, n) of a platform point: components first, then the leg whose rod lengthens by one per
    unit of time and length of the rod, while all others keep their lengths."""
    rods = all_legs(limits, pose)
    T = inverse(jacobian(limits, rods))
    turns = T[3:] * (1 / limits.G[layout.LENGTH])
    centre = limits.G[layout.CENTRE : layout.CENTRE + 3]
    arm = pose.turned((point - centre)[:, None])
    return rods, np.concatenate([T[:3] + cross(turns, arm[:, None]), turns])


def inverse(G: Quantity) -> Quantity:
    """Inverses (k, k, n) of matrices; NaN, or without bounds, where they may be singular."""
    A, finite = finite_matrices(centre_of(G))
    try:
        C: Array = np.asarray(np.linalg.inv(A), dtype=float)
    except np.linalg.LinAlgError:
        C = np.stack([np.linalg.inv(a) if np.linalg.matrix_rank(a) == len(a) else np.full_like(a, np.nan) for a in A])
    C[~finite] = np.nan
    return _over_boxes(G, C) if isinstance(G, Model) else np.moveaxis(C, 0, -1)


def _over_boxes(G: Model, C: Array) -> Model:
    n, (i, j, factor) = G.n, pairs(G.n)
    with np.errstate(all="ignore"):
        F, aC = C[:, None] @ np.moveaxis(G.c, -1, 0), np.abs(C)
        size = aC @ np.moveaxis(G.size, -1, 0)
        # C is an inverse to rounding: E is what is missing, a constant part of F.
        E = np.abs(np.eye(C.shape[1]) - F[:, 0]) + ROUND * size
        F[:, 0] = 0
        FC = F @ C[:, None]
        r = aC @ np.moveaxis(G.r, -1, 0) + ROUND * size
        rC = (r + ROUND * size) @ aC
        T, P, Q = -FC, F[:, 1 : 1 + n], FC[:, 1 : 1 + n]
        T[:, 0] = C
        T[:, 1 + n :] += (P[:, i] @ Q[:, j] + P[:, j] @ Q[:, i]) * factor[:, None, None]
        linear, linear_C = np.abs(P).sum(axis=1), np.abs(Q).sum(axis=1)
        rest, rest_C = (np.abs(X[:, 1 + n :]).sum(axis=1) + e for X, e in ((F, r), (FC, rC)))
        W, WC = (linear + rest + E) * WIDENED, (linear_C + rest_C + E @ aC) * WIDENED
        known = np.isfinite(W).all(axis=(1, 2)) & np.isfinite(WC).all(axis=(1, 2))
        W, WC, E = (np.where(known[:, None, None], X, 0.0) for X in (W, WC, E))
        v, known = bounded_solution(W, W @ W @ WC, known)
        e = rC + linear @ rest_C + rest @ WC + v + (E + E @ W + W @ E) @ aC
        size = np.moveaxis(np.abs(T).sum(axis=1) + size @ aC, 0, -1)
    found = Model(np.ascontiguousarray(np.moveaxis(T, 0, -1)), np.moveaxis(e, 0, -1) + 8 * ROUND * size, size, n)
    return found.unknown_where(~known)
