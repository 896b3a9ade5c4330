"""Rows of joints that other rows imply: found, named, and what they leave open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.results import Quantities, Result

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

RANK = 1e-9
"""Singular values below this part of the largest count as zero."""


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

    def __str__(self) -> str:
        return self.sentence()

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
