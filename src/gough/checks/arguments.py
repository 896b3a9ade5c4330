"""`checks_arguments`: arguments of public functions checked against their annotations.

A value that does not match its annotation is an `InputError` before anything is computed. Arrays are converted to
float64, which rejects text, complex numbers, masked entries and ragged lists; NaN passes, as data. Shapes and ranges
are checked by the functions themselves, poses by `gough.poses.checked_matrices`.

Floating-point warnings are silenced where an argument is beyond 1e50 or below 1e-50 in magnitude (results are infinite,
zero or NaN), and arithmetic errors in Gough become an `InputError`. With other arguments they are a defect of Gough, or
of a function that the caller passed, and are left as they are.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np

from gough.checks.annotations import check_of
from gough.errors import InputError, ShapeError

C = TypeVar("C", bound=Callable[..., Any])

FAR = 1e50
"""Magnitude at which the determinant of a Jacobian, six factors, overflows; its reciprocal underflows likewise."""
MANY = 10**6
"""Counts and array sizes from which memory may be exhausted."""
_LIBRARIES = frozenset(("numpy", "scipy", "xarray", "pandas", "plotly", "numba", "contextlib", "functools"))


def checks_arguments(function: C, *, is_compiled: bool = False) -> C:
    """Decorate functions, methods and dataclasses to check arguments against annotations at every call.

    `is_compiled` says that no NumPy arithmetic can warn, and saves the microsecond for handling that.
    """
    if inspect.isclass(function):  # a dataclass is checked where it is made
        function.__init__ = checks_arguments(function.__init__)  # type: ignore[method-assign]
        return function
    checks: dict[int | str, Callable[[Any], Any]] = {}
    is_ready = False

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        nonlocal is_ready
        if not is_ready:  # annotations are parsed at the first call, not at import
            checks.update(_checks(function))
            is_ready = True
        arguments = [checks[k](value) if k in checks else value for k, value in enumerate(given)]
        for name, value in named.items():
            if name in checks:
                named[name] = checks[name](value)
        try:
            if is_compiled or isinstance(np.geterrcall(), _Events):  # within a checked call: its arguments decide
                return function(*arguments, **named)
            with np.errstate(all="call", call=_Events(arguments, named)):
                return function(*arguments, **named)
        except (ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            is_cause = _is_large if isinstance(error, MemoryError) else _is_extreme
            if not (_is_of_gough(_raised_in(error)) and any(map(is_cause, [*arguments, *named.values()]))):
                raise
            raise InputError(
                f"{function.__name__}: cannot be computed with these numbers ({error}); they are too large, too small "
                "or too many"
            ) from error
        except ValueError as error:
            if type(error) is not ValueError or not (_MISFIT.search(str(error)) and _is_of_gough(_raised_in(error))):
                raise
            shapes = ", ".join(f"{name} {value.shape}" for name, value in _arrays_by_name(function, arguments, named))
            raise ShapeError(f"{function.__name__}: the shapes of {shapes} are not compatible") from error

    return call  # type: ignore[return-value]


_MISFIT = re.compile("broadcast|shape mismatch|cannot reshape|mismatch in its core dimension")
"""In messages of NumPy about arrays that are not compatible."""


def _arrays_by_name(
    function: Callable[..., Any], arguments: list[Any], named: dict[str, Any]
) -> Iterable[tuple[str, Any]]:
    """Arrays among the arguments of a call, with the names of their parameters."""
    for name, value in [*zip(inspect.signature(function).parameters, arguments, strict=False), *named.items()]:
        value = value.as_matrix() if hasattr(value, "as_matrix") else value
        if isinstance(value, np.ndarray):
            yield name, value


class _Events:
    """Handler of floating-point events within a checked call: silent for extreme arguments, else as the caller set."""

    def __init__(self, arguments: list[Any], named: dict[str, Any]) -> None:
        self.values = (arguments, named)
        self.modes, self.called = np.geterr(), np.geterrcall()

    @cached_property
    def is_extreme(self) -> bool:
        return any(map(_is_extreme, self.values))

    @cached_property
    def is_unknown(self) -> bool:
        return any(bool(np.any(np.isnan(numbers))) for numbers, _ in _arrays(self.values, _is_far))

    def __call__(self, kind: str, flag: int) -> None:
        if self.is_extreme or (kind == "invalid value" and self.is_unknown):  # LAPACK flags NaN as invalid
            return
        mode = self.modes[_KINDS[kind]]  # type: ignore[literal-required]
        if mode == "call" and callable(self.called):
            self.called(kind, flag)
        elif mode == "raise":
            raise FloatingPointError(f"{kind} encountered")
        elif mode != "ignore":
            warnings.warn(f"{kind} encountered", RuntimeWarning, stacklevel=2)


_KINDS = {"divide by zero": "divide", "overflow": "over", "underflow": "under", "invalid value": "invalid"}


def _raised_in(error: BaseException) -> Iterable[str]:
    """Names of the modules in an error's traceback, the innermost first."""
    names: list[str] = []
    place = error.__traceback__
    while place is not None:
        names.append(place.tb_frame.f_globals.get("__name__", ""))
        place = place.tb_next
    return reversed(names)


def _is_of_gough(modules: Iterable[str]) -> bool:
    """Whether the innermost module outside libraries is Gough's, not that of a function the caller passed."""
    own = (name.partition(".")[0] for name in modules if name != __name__)
    return next((name for name in own if name not in _LIBRARIES), "") == "gough"


def _is_extreme(value: Any) -> bool:
    """Whether a value contains a number beyond `FAR` or below its reciprocal, zero excepted.

    Infinite ones count, except in Gough's objects, where they mean no limit.
    """
    return any(bool(np.any(beyond(numbers))) for numbers, beyond in _arrays(value, _is_far))


def _is_far(numbers: Any) -> Any:
    size = np.abs(numbers)
    return (size > FAR) | ((size > 0) & (size < 1 / FAR))


def _is_finite_far(numbers: Any) -> Any:
    return _is_far(numbers) & np.isfinite(numbers)


def _arrays(value: Any, beyond: Callable[[Any], Any]) -> Iterable[tuple[Any, Callable[[Any], Any]]]:
    """Arrays and numbers in a value, each with its test for extreme numbers."""
    if isinstance(value, int | float | np.number) or (isinstance(value, np.ndarray) and value.dtype.kind in "iuf"):
        yield float(value) if isinstance(value, int) else value, beyond
    elif isinstance(value, str | bytes):
        return
    elif isinstance(value, Mapping):
        yield from _arrays([*value.values()], beyond)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _arrays(item, beyond)
    elif hasattr(value, "as_matrix"):
        yield np.asarray(value.as_matrix()), beyond
    elif type(value).__module__.startswith("gough.") and hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _arrays(getattr(value, name, None), _is_finite_far)


def _is_large(value: Any) -> bool:
    """Whether a count or an array may exhaust the memory."""
    given = (numbers for numbers, beyond in _arrays(value, _is_far) if beyond is _is_far)  # not a machine's
    return any(np.size(numbers) >= MANY or bool(np.any(np.abs(numbers) >= MANY)) for numbers in given)


def _checks(function: Callable[..., Any]) -> dict[int | str, Callable[[Any], Any]]:
    """Checks of the parameters, by position and by name."""
    found: dict[int | str, Callable[[Any], Any]] = {}
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        is_bundle = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        check = None if is_bundle or parameter.annotation is parameter.empty else check_of(function, parameter)
        if check is not None:
            found[parameter.name] = check
            if parameter.kind is not parameter.KEYWORD_ONLY:
                found[place] = check
    return found
