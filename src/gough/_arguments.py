"""What public functions are called with: `checks_arguments` holds each argument against its annotation.

A value that cannot be what the annotation says is refused in one sentence, before anything is computed. Arrays come to
the function as float64, so that text, complex numbers, masked entries and ragged lists stop here; NaN passes, as data.
Shapes and ranges are the functions' own matter, poses that of `gough.poses.checked_matrices`. Beneath a checked
function NumPy does not warn: what overflows is infinite or NaN in the answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from gough._annotations import check_of
from gough.errors import InputError

C = TypeVar("C", bound=Callable[..., Any])

_BEYOND = (ArithmeticError, np.linalg.LinAlgError, MemoryError)


def checks_arguments(function: C, *, is_compiled: bool = False) -> C:
    """A function, method or dataclass whose arguments are checked by their annotations at every call.

    Where `is_compiled`, NumPy computes nothing that could warn, and a microsecond is saved.
    """
    if inspect.isclass(function):
        function.__init__ = checks_arguments(function.__init__)  # type: ignore[method-assign]
        return function
    checks: dict[int | str, Callable[[Any], Any]] = {}
    is_ready = False

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        nonlocal is_ready
        if not is_ready:
            checks.update(_checks(function))
            is_ready = True
        arguments = [checks[k](value) if k in checks else value for k, value in enumerate(given)]
        for name, value in named.items():
            if name in checks:
                named[name] = checks[name](value)
        try:
            if is_compiled:
                return function(*arguments, **named)
            with np.errstate(all="ignore"):
                return function(*arguments, **named)
        except _BEYOND as error:
            raise InputError(
                f"{function.__name__}: cannot be computed with these numbers ({error}); they are too large, too small "
                "or too many"
            ) from error

    return call  # type: ignore[return-value]


def _checks(function: Callable[..., Any]) -> dict[int | str, Callable[[Any], Any]]:
    """Check by place and by name of each parameter."""
    found: dict[int | str, Callable[[Any], Any]] = {}
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        is_bundle = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        check = None if is_bundle or parameter.annotation is parameter.empty else check_of(function, parameter)
        if check is not None:
            found[parameter.name] = check
            if parameter.kind is not parameter.KEYWORD_ONLY:
                found[place] = check
    return found
