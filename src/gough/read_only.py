"""Dataclasses whose arrays are read-only."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, from now on read-only."""
    array.setflags(write=False)
    return array


class ReadOnly:
    """Base of frozen dataclasses whose arrays are read-only: in copies and after pickling too.

    NumPy forgets that an array is read-only when it copies or pickles it, and Numba compiles another kernel for arrays
    that are not. A caller's own arrays stay as they are. Cached properties are left out of pickles and copies, which
    compute them anew.
    """

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and value.flags.writeable:
                object.__setattr__(self, name, read_only(value.copy(order="K")))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                read_only(value)
