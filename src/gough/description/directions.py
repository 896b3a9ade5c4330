"""Directions of a machine file: of any length but zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems

NO_LENGTH = 1e-12
"""Shorter than this a direction says nothing, whatever its unit."""


def unit_directions(vectors: Sequence[Sequence[float]] | None, where: str, problems: Problems) -> Array | None:
    """Six unit vectors (6, 3), or None where the file gives none or one of them has no length."""
    if vectors is None:
        return None
    given = np.array(vectors, dtype=float)
    lengths = np.linalg.norm(given, axis=1)
    short = np.flatnonzero(lengths <= NO_LENGTH)
    problems.add_legs(where, dict.fromkeys(short.tolist(), "a direction of length zero, expected its components"))
    return None if len(short) else given / lengths[:, None]
