"""Batches computed in parts, so that progress shows and Ctrl-C is heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gough.cli.progress import progress

Array = NDArray[np.float64]
Result = TypeVar("Result")

PART = 32768
"""Rows in a part."""


def in_parts(what: str, function: Callable[[Array], Result], batch: Array, single: int) -> list[Result]:
    """`function` of a batch, part by part; an array of `single` dimensions is one part."""
    if batch.ndim == single:
        with progress(what):
            return [function(batch)]
    answers = []
    with progress(what, len(batch)) as advance:
        for start in range(0, len(batch), PART):
            part = batch[start : start + PART]
            answers.append(function(part))
            advance(len(part))
    return answers


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The parts as one array."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
