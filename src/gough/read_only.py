"""Dataclasses whose arrays are read-only."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, made read-only."""
    array.setflags(write=False)
    return array


class ReadOnly:
    """Base of frozen dataclasses whose arrays are read-only, in copies and after pickling too.

    NumPy loses the read-only flag when it copies or pickles an array, and Numba compiles each kernel again for
    writeable arrays. Arrays of the caller are copied, not frozen. Pickles and copies contain no cached properties.
    """

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and value.flags.writeable:
                # order "K" keeps the memory layout, which is part of the array's type for Numba
                object.__setattr__(self, name, read_only(value.copy(order="K")))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                read_only(value)
