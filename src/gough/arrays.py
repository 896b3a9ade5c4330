"""Types for annotations, dataclasses of arrays with a common first axis, and read-only ones such as machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Complex: TypeAlias = NDArray[np.complex128]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]
Three: TypeAlias = tuple[float, float, float]
Four: TypeAlias = tuple[float, float, float, float]
Six: TypeAlias = tuple[float, float, float, float, float, float]
Nine: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]

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
        """Return the parts concatenated."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(part._arrays for part in parts), strict=True)))

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, made read-only."""
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


class MachinePart(ReadOnly):
    """Base of the parts of a machine: consoles and notebooks show the numbers that are given, in SI."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign] # else dataclasses write one with every array

    def __repr__(self) -> str:
        return str(_texts_of_parts().one_line_of_part(self))

    def _repr_html_(self) -> str:
        return str(_texts_of_parts().html_of_part(self))


def _texts_of_parts() -> Any:
    """The module that shows parts: of a higher layer, and imported when this is called, so that no import goes up."""
    return import_module("gough.present.results")
