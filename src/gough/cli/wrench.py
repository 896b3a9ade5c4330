"""Loads as the command line takes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.cli.numbers import numbers

Array = NDArray[np.float64]


def read_wrench(text: str | None) -> Array | None:
    """Wrench [f, m] (6,) [N, N m] from three or six numbers."""
    if text is None:
        return None
    wrench = np.zeros(6)
    given = numbers("--wrench", text, (3, 6))
    wrench[: len(given)] = given
    return wrench


def force_unit(joint: str) -> str:
    """Unit of an actuator's force for a joint that is a "length" or an "angle"."""
    return "N" if joint == "length" else "N m"
