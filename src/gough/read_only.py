"""Dataclasses whose arrays are read-only, among them the parts of a machine."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
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
    return import_module("gough.present.parts")
