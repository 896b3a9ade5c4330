"""Types for annotations, and dataclasses of arrays with a common first axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Complex: TypeAlias = NDArray[np.complex128]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]

Progress: TypeAlias = Callable[[int, int], None] | None
"""Called with the amount done and the total; an exception it raises (Ctrl-C) ends the work."""


class Aligned:
    """Base of dataclasses of arrays (n, ...), whose rows belong to the same n items."""

    def __len__(self) -> int:
        return len(self._arrays[0])

    def __getitem__(self, chosen: Indices | Bools | slice) -> Self:
        return type(self)(*(array[chosen] for array in self._arrays))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The parts concatenated."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(part._arrays for part in parts), strict=True)))

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
