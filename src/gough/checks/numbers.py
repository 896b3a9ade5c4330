"""Conversion of arguments to arrays of real numbers, with checks of shapes."""

from __future__ import annotations

import re
import reprlib
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.errors import InputError, ShapeError

LONG = 100
"""Longest text of a value in a message [characters]."""
MOST = 4_000_000
"""Most positions, times or directions of one answer: some hundred numbers of each make gigabytes."""
_NUMBERS = "biuf"
"""Kinds of NumPy's types of real numbers."""


def numbers(what: str, values: Any) -> Array:
    """Return real numbers as float64, uncopied where they are; `InputError` about `what` for other values."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{what}: {int(values.mask.sum())} masked entries; fill them, with NaN if they are unknown")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in _NUMBERS and not (array.dtype == object and _are_numbers(array)):
            raise InputError(f"{what}: expected real numbers, got {described(values)}")
        with np.errstate(over="ignore"):  # long doubles beyond the range of doubles become infinite
            return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{what}: {described(values)} is beyond the range of doubles, 1.8e308") from None
    except InputError:
        raise
    except Exception:  # an object's `__array__` may raise anything
        raise InputError(f"{what}: expected real numbers in rows of one length, got {described(values)}") from None


def of_shape(what: str, values: Any, expected: str) -> Array:
    """Return real numbers in an array of an expected shape; `ShapeError` about `what` for other shapes.

    `expected` is one or several shapes as the message shows them: "(3,)", "(..., 6)", "() or (6,)", "(n, 4, 4), one for
    each time"; a letter matches any length.
    """
    array = numbers(what, values)
    if not _fits(array.shape, expected):
        raise ShapeError.expected(what, expected, array.shape)
    return array


def given_point(point: Any, default: Array, what: str = "point") -> Array:
    """Return a point (3,) [m] as given, or the default; `InputError` for other shapes and numbers that are not
    finite."""
    return default if point is None else finite(what, point, "(3,)")


def finite(what: str, values: Any, expected: str) -> Array:
    """Return finite numbers in an array of an expected shape, as `of_shape` takes it; `InputError` for NaN and
    infinity."""
    given = of_shape(what, values, expected)
    if not np.isfinite(given).all():
        raise InputError(f"{what} {given.tolist()}: expected finite numbers")
    return given


def of_each_joint(what: str, values: Any, count: int, *, may_be_zero: bool = False) -> Array:
    """Return positive finite numbers (count,), given for each joint or as one for all; `InputError` for other
    numbers."""
    given = np.broadcast_to(of_shape(what, values, f"() or ({count},)"), (count,)).copy()
    if not (np.isfinite(given).all() and (given > 0).all() | (may_be_zero & (given >= 0).all())):
        expected = "of zero or more" if may_be_zero else "above zero"
        raise InputError(f"{what} {np.asarray(values).tolist()}: expected finite values {expected}")
    return given


def check_count(what: str, *counts: int) -> None:
    """Raise `InputError` where the product of counts exceeds `MOST`, before memory is allocated for it."""
    if prod(map(int, counts)) > MOST:
        each = " x ".join(str(count) for count in counts)
        raise InputError(f"{what}: {each} are more than {MOST:,}, the most that fit in memory; use fewer")


def six(what: str, values: Any) -> Array:
    """Return real numbers (..., 6): twists, accelerations, wrenches, joint quantities."""
    return of_shape(what, values, "(..., 6)")


@lru_cache(1024)
def _fits(shape: tuple[int, ...], expected: str) -> bool:
    for text in re.findall(r"\(([^()]*)\)", expected):
        lengths = [length.strip() for length in text.split(",") if length.strip()]
        has_leading = lengths[:1] == ["..."]
        # Leading axes, any number of them, come before the lengths given.
        last = shape[max(len(shape) - len(lengths) + 1, 0) :] if has_leading else shape
        wanted = lengths[has_leading:]
        if len(last) == len(wanted) and all(
            length.isalpha() or length == str(k) for length, k in zip(wanted, last, strict=True)
        ):
            return True
    return False


def described(value: Any) -> str:
    """Return a value in a few words, for messages."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}" if value.ndim else described(value.item())
    try:
        words = reprlib.repr(value)
        return f"{words if len(words) < LONG else words[:LONG] + '...'} ({type(value).__name__})"
    except (ValueError, RecursionError):  # an integer with more digits than Python prints
        return f"a value of type {type(value).__name__}"


def _are_numbers(array: NDArray[Any]) -> bool:
    """Whether every object is a real number of Python (integers beyond 64 bits, fractions)."""
    return all(hasattr(value, "__float__") and not isinstance(value, str | bytes | complex) for value in array.flat)
