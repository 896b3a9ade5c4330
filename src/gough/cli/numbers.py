"""Numbers in options: "0, 0, 800"."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from gough.cli.table import number_complaint
from gough.errors import InputError

Array = NDArray[np.float64]


def numbers(option: str, text: str, counts: Collection[int]) -> Array:
    """The numbers of an option, separated by commas or spaces; as many as one of `counts` says."""
    parts = [part.strip() for part in text.split(",")] if "," in text else text.split()
    for position, part in enumerate(parts, 1):
        complaint = number_complaint(part)
        if complaint:
            what = "there is no number" if not part else complaint
            raise InputError(f"{option}: {what} (position {position} of {len(parts)} in {text!r})")
    if len(parts) not in counts:
        expected = " or ".join(map(str, sorted(counts)))
        raise InputError(f"{option}: {len(parts)} numbers in {text!r}, expected {expected}, separated by commas")
    return np.array([float(part) for part in parts])
