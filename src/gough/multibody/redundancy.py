"""Redundant constraint rows, the multipliers they leave undetermined, and the rank at perturbed configurations.

A singular start has more rows that imply one another than configurations near it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.displacements import rotations
from gough.multibody._dense import motion_rows
from gough.multibody._rows import Tables
from gough.results import Quantities, Result

RANK = 1e-9
"""Singular values below this part of the largest count as zero."""
AWAY = 0.02
"""How far the solids are moved, part of the system's size, and in radians."""
MOST = 20
CLOSED = 1e-14
"""Rows within this count as closed, part of the system's size."""


@dataclass(frozen=True, eq=False)
class Redundancy(Result):
    """What of the joints' rows says the same thing twice.

    Attributes
    ----------
    count : int
        Rows less their rank.
    rows : list of str
        Rows that could be left out, `count` of them.
    undetermined : (m,) array of bool
        Rows whose multipliers no rigid model determines.
    is_singular : bool
        Whether fewer rows are redundant a little away from the start: it is a singular configuration.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "count": "1",
        "undetermined": ("1", "multiplier"),
        "is_singular": "1",
    }

    count: int
    rows: list[str]
    undetermined: NDArray[np.bool_]
    is_singular: bool = False

    def sentence(self) -> str:
        """What was found, in words."""
        if not self.count:
            return "No row of a joint is redundant."
        open_rows = int(self.undetermined.sum())
        return (
            f"{self.count} of {len(self.undetermined)} joint rows are redundant: {'; '.join(self.rows)}. Motion is "
            f"determined, {open_rows} multipliers are not."
            + " The start is a singular configuration: away from it fewer rows are redundant."
            * self.is_singular
        )


def scaled(wide: Array, size: float) -> Array:
    """Rows (m, 6 n) of length one, angular velocities counted in lengths: their singular values compare."""
    out = np.array(wide)
    out.reshape(len(wide), -1, 6)[:, :, 3:] /= size
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return out / np.where(lengths > 0, lengths, 1.0)


def find_redundancy(wide: Array, size: float, names: list[str]) -> Redundancy:
    """Redundancy of rows (m, 6 n): by singular values, rows to leave out by decomposition with pivots."""
    from scipy.linalg import svd

    m = len(wide)
    if m == 0:
        return Redundancy(0, [], np.zeros(0, dtype=bool))
    rows = scaled(wide, size)
    left, values, _ = svd(rows, full_matrices=True)
    rank = int((values > RANK * values[0]).sum())
    idle = left[:, rank:]
    kept = independent_rows(rows, rank)
    left_out = sorted(set(range(m)) - set(kept.tolist()))
    undetermined = np.abs(idle).max(axis=1, initial=0.0) > 1e-8
    return Redundancy(m - rank, [names[k] for k in left_out], undetermined)


def independent_rows(rows: Array, rank: int) -> Ints:
    """Indices of the `rank` most independent rows of (m, k).

    The rank is that of the start: between the stages of a step, a hair off the constraints, rows that imply one another
    on them look independent.
    """
    from scipy.linalg import qr

    _, order = qr(rows.T, mode="r", pivoting=True)
    return np.asarray(np.sort(order[:rank]), dtype=np.int64)


def rank_nearby(Z: Array, tables: Tables, size: float) -> int:
    """Rank of the rows where a system at Z has moved a little, every joint closed; 0 where it cannot move so."""
    G = _rows(Z, tables)[1]
    free = np.linalg.svd(scaled(G, size))[2][_rank(G, size) :]
    if not len(free):
        return 0
    # Some motion the start allows to first order, the same at every call.
    motion = np.random.default_rng(1).normal(size=len(free)) @ free
    # Metres or radians of each motion where lengths are counted in the system's size.
    units = np.tile([size, size, size, 1.0, 1.0, 1.0], len(Z) - 1)
    Z = _moved(Z, tables.centres, AWAY * motion / np.abs(motion).max() * units)
    for _ in range(MOST):
        phi, G = _rows(Z, tables)
        if np.abs(phi).max() <= CLOSED * max(1.0, size):
            return _rank(G, size)
        Z = _moved(Z, tables.centres, -np.linalg.lstsq(G * units, phi, rcond=RANK)[0] * units)
    return 0


def _rows(Z: Array, tables: Tables) -> tuple[Array, Array]:
    """Phi (m,) and its derivatives by the motions (m, 6 n)."""
    phi, _, G, _ = motion_rows(Z, np.zeros_like(Z), tables)
    return phi, G


def _rank(G: Array, size: float) -> int:
    values = np.linalg.svd(scaled(G, size), compute_uv=False)
    return int((values > RANK * values[0]).sum())


def _moved(Z: Array, centres: Array, motion: Array) -> Array:
    """Z with mass centres (n + 1, 3), the ground's last, shifted and solids turned about them by motion (6 n,)."""
    step = motion.reshape(-1, 6)
    moved = Z.copy()
    c = centres[:-1]
    centre = np.einsum("kij,kj->ki", Z[:-1, :, 1:], c) + Z[:-1, :, 0] + step[:, :3]
    moved[:-1, :, 1:] = rotations(step[:, 3:]) @ Z[:-1, :, 1:]
    moved[:-1, :, 0] = centre - np.einsum("kij,kj->ki", moved[:-1, :, 1:], c)
    return moved
