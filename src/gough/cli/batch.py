"""Batches computed in parts, between which progress is shown and Ctrl-C takes effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from gough.arrays import Array
from gough.cli.progress import progress

Result = TypeVar("Result")

PART = 32768
"""Rows in a part."""


def in_parts(what: str, function: Callable[[Array], Result], batch: Array, single: int = 2) -> Result:
    """`function` of a batch, part by part, as one array or result; an array of `single` dimensions is no batch."""
    if batch.ndim == single:
        with progress(what):
            return function(batch)
    answers, counts = [], []
    with progress(what, len(batch)) as advance:
        for start in range(0, len(batch), PART):
            part = batch[start : start + PART]
            answers.append(function(part))
            counts.append(len(part))
            advance(len(part))
    return answers[0] if len(answers) == 1 else _joined(answers, counts)


def _joined(parts: Sequence[Any], counts: Sequence[int]) -> Any:
    """Arrays as one; or dataclasses as one, whose arrays with as many rows as their part of the batch are joined."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    values = {each.name: [getattr(part, each.name) for part in parts] for each in fields(first)}
    rows = {
        name: np.concatenate(arrays)
        for name, arrays in values.items()
        if all(isinstance(one, np.ndarray) and one.shape[:1] == (n,) for one, n in zip(arrays, counts, strict=True))
    }
    return replace(first, **rows)
