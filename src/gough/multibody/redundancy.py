"""Redundant constraint rows, the multipliers they leave undetermined, and the rank at perturbed configurations.

At a singular configuration the rows have a lower rank than at configurations near it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.displacements import rotations
from gough.multibody._dense import motion_rows
from gough.multibody._rows import Tables
from gough.quantity import quantity, result
from gough.results import Result

RANK = 1e-9
"""Threshold of singular values that count as zero, as a part of the largest."""
PERTURBATION = 0.02
"""Displacement of the solids for the generic rank, as a part of the system's size, and in radians."""
MAX_STEPS = 20
"""Newton steps that close the joints after the perturbation."""
CLOSED = 1e-14
"""Tolerance of closed joints, as a part of the system's size."""


@result
class Redundancy(Result):
    """Redundant rows among the constraints of the joints.

    Attributes
    ----------
    rows : list of str
        Names of `count` rows without which the others imply all.

    """

    count: int = quantity("1", doc="Rows less their rank.")
    rows: list[str]
    undetermined: NDArray[np.bool_] = quantity(
        "", "multiplier", doc="Rows whose multipliers a rigid model does not determine."
    )
    is_singular: bool = quantity(
        "", default=False, doc="Whether fewer rows are redundant at configurations near the start."
    )

    def sentence(self) -> str:
        """Redundant rows and undetermined multipliers, as a sentence."""
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
    """Rows (m, 6 n) normalised to unit length, with angles times `size`, so that singular values are comparable."""
    out = np.array(wide)
    out.reshape(len(wide), -1, 6)[:, :, 3:] /= size
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return out / np.where(lengths > 0, lengths, 1.0)


def find_redundancy(wide: Array, size: float, names: list[str]) -> Redundancy:
    """Redundancy of rows (m, 6 n): rank by singular values, redundant rows by pivoted QR decomposition."""
    from scipy.linalg import svd

    m = len(wide)
    if m == 0:
        return Redundancy(0, [], np.zeros(0, dtype=bool))
    rows = scaled(wide, size)
    left, values, _ = svd(rows, full_matrices=True)
    rank = int((values > RANK * values[0]).sum())
    # A multiplier is undetermined where a self-stress, a null vector of G^T, has a component.
    self_stresses = left[:, rank:]
    kept = independent_rows(rows, rank)
    left_out = sorted(set(range(m)) - set(kept.tolist()))
    undetermined = np.abs(self_stresses).max(axis=1, initial=0.0) > 1e-8
    return Redundancy(m - rank, [names[k] for k in left_out], undetermined)


def independent_rows(rows: Array, rank: int) -> Ints:
    """Indices (rank,) of independent rows of (m, k), by pivoted QR decomposition.

    The rank is that of the start: between the stages of a step, slightly off the constraints, redundant rows look
    independent.
    """
    from scipy.linalg import qr

    _, order = qr(rows.T, mode="r", pivoting=True)
    return np.asarray(np.sort(order[:rank]), dtype=np.int64)


def rank_nearby(Z: Array, tables: Tables, size: float) -> int:
    """Rank of the rows at a closed configuration near Z; 0 where none is found."""
    G = _rows(Z, tables)[1]
    free = np.linalg.svd(scaled(G, size))[2][_rank(G, size) :]
    if not len(free):
        return 0
    # A generic motion that the joints allow to first order, the same at every call.
    motion = np.random.default_rng(1).normal(size=len(free)) @ free
    # The unknowns of Newton's method are lengths in units of `size`, and angles.
    units = np.tile([size, size, size, 1.0, 1.0, 1.0], len(Z) - 1)
    Z = _moved(Z, tables.centres, PERTURBATION * motion / np.abs(motion).max() * units)
    for _ in range(MAX_STEPS):
        phi, G = _rows(Z, tables)
        if np.abs(phi).max() <= CLOSED * max(1.0, size):
            return _rank(G, size)
        Z = _moved(Z, tables.centres, -np.linalg.lstsq(G * units, phi, rcond=RANK)[0] * units)
    return 0


def _rows(Z: Array, tables: Tables) -> tuple[Array, Array]:
    """Phi (m,) and its derivatives G (m, 6 n) by the twists."""
    phi, _, G, _ = motion_rows(Z, np.zeros_like(Z), tables)
    return phi, G


def _rank(G: Array, size: float) -> int:
    values = np.linalg.svd(scaled(G, size), compute_uv=False)
    return int((values > RANK * values[0]).sum())


def _moved(Z: Array, centres: Array, motion: Array) -> Array:
    """Z after displacements `motion` (6 n,) of the solids about their mass centres (n + 1, 3)."""
    step = motion.reshape(-1, 6)
    moved = Z.copy()
    c = centres[:-1]
    centre = np.einsum("kij,kj->ki", Z[:-1, :, 1:], c) + Z[:-1, :, 0] + step[:, :3]
    moved[:-1, :, 1:] = rotations(step[:, 3:]) @ Z[:-1, :, 1:]
    moved[:-1, :, 0] = centre - np.einsum("kij,kj->ki", moved[:-1, :, 1:], c)
    return moved
