"""Checks of values against annotations, as text; names in it are resolved only for values that do not match at once."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import types
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from gough.checks.numbers import described, numbers
from gough.errors import InputError, PoseError, StagesError, nearest

LARGEST_INTEGER = 2**63 - 1
_UNCHECKED = ("Any", "PoseLike")
"""Poses are checked by `gough.poses.checked_matrices`; where one has to be given, None is refused here."""
_ARRAYS = ("ArrayLike", "Array")
_OTHER_MACHINES = {
    "StackedMachine": "has two stages, expected a single machine: use .stages[0] or .stages[1], "
    "or load the name followed by :1 or :2",
    "Machine": "has one stage, expected a machine of two stages, such as double-hexapod",
}
"""Messages for a machine of one stage where two are expected, and the reverse, by its class."""
_WORDS = {
    "Machine": "a machine (gough.load or gough.from_points)",
    "StackedMachine": "a machine of two stages (gough.load)",
    "float": "a number",
    "int": "a whole number",
    "bool": "True or False",
    "str": "text",
    "ArrayLike": "real numbers",
    "Array": "real numbers",
}


def check_of(function: Callable[..., Any], parameter: inspect.Parameter) -> Callable[[Any], Any] | None:
    """Check of a parameter: a function that returns the value to use or raises `InputError`; None for no check."""
    name, text, default = parameter.name, str(parameter.annotation), parameter.default
    tokens = _alternatives(text)
    if tokens == ["PoseLike"] and default is not None:

        def given(value: Any) -> Any:
            if value is None:
                raise PoseError(f"{name}: expected a pose, got None; for home pass the machine's X_home")
            return value

        return given
    if name == "out" or any(token in _UNCHECKED for token in tokens):
        return None
    simple, names = frozenset(tokens), frozenset(token.rpartition(".")[2] for token in tokens if token.isidentifier())
    has_array = not simple.isdisjoint(_ARRAYS)
    seen: set[type] = set()  # classes of Gough whose instances all match: the quickest check for machines

    def check(value: Any) -> Any:
        kind = type(value)
        if kind in seen:
            return value
        if value is default or (value is None and "None" in simple) or kind.__name__ in names:
            if kind is float and value != value:
                raise InputError(f"{name}: nan is not a finite number")
            if kind.__module__.startswith("gough."):
                seen.add(kind)
            if kind is not int or -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
                return value
        if has_array and kind is np.ndarray and value.dtype == np.float64:
            return value
        return _fitted(name, value, tokens, function)

    return check


def fitted(name: str, value: Any, kind: str, function: Callable[..., Any]) -> Any:
    """Return the argument `name` of a function, fitted to the annotation `kind`; `InputError` or `StagesError`
    otherwise.

    For functions that check their arguments themselves, where a value is not of the expected type at once.
    """
    return _fitted(name, value, _alternatives(kind), function)


def _alternatives(text: str) -> list[str]:
    """Parts of a union, the last one first."""
    node: Any = ast.parse(text, mode="eval").body if text.isprintable() and "<" not in text else None
    parts: list[str] = []
    while isinstance(node, ast.BinOp):
        parts.append(ast.unparse(node.right))
        node = node.left
    return [*parts, text if node is None else ast.unparse(node)]


class _Names(dict[str, Any]):
    """Namespace of a module, with names imported under TYPE_CHECKING only."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        for node in ast.walk(ast.parse(inspect.getsource(sys.modules[self["__name__"]]))):
            for alias in getattr(node, "names", ()):
                if name == (getattr(alias, "asname", None) or getattr(alias, "name", None)):
                    is_module = isinstance(node, ast.Import)
                    module = import_module(alias.name if is_module else str(getattr(node, "module", "")))
                    return module if is_module else getattr(module, alias.name)
        raise NameError(name)


def _meaning(text: str, function: Callable[..., Any]) -> Any:
    """Value of one part of an annotation; `Any` where it cannot be evaluated."""
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"": text}), {}, _Names(function.__globals__))[""]
    except (NameError, TypeError, AttributeError, SyntaxError):
        return Any


def _fitted(name: str, value: Any, tokens: list[str], function: Callable[..., Any]) -> Any:
    """The value as the first matching alternative takes it; arrays last, whose error is the most specific."""
    choices = [choice for token in tokens if token not in _ARRAYS for choice in _choices(_meaning(token, function))]
    for choice in choices:
        try:
            return _one(name, value, choice)
        except _UnfitError:
            continue
    if type(value).__name__ in _OTHER_MACHINES and not _OTHER_MACHINES.keys().isdisjoint(tokens):
        raise StagesError(f"machine {value.name!r} {_OTHER_MACHINES[type(value).__name__]}")
    if any(token in _ARRAYS for token in tokens):
        return value if "Array" in tokens and hasattr(value, "as_matrix") else numbers(name, value)
    known = [word for choice in choices if get_origin(choice) is Literal for word in get_args(choice)]
    if known and isinstance(value, str):
        words = " or ".join(map(repr, known)) if len(known) == 2 else f"one of {', '.join(map(repr, known))}"
        raise InputError(f"{name}: {value!r} is not known, expected {words}.{nearest(value, known)}".rstrip("."))
    raise InputError(f"{name}: expected {_in_words(tokens)}, got {described(value)}")


class _UnfitError(Exception):
    """A value does not match an alternative."""


def _choices(meaning: Any) -> Any:
    origin = get_origin(meaning)
    if origin in (Union, types.UnionType):
        for part in get_args(meaning):
            yield from _choices(part)
    else:
        yield meaning


def _one(name: str, value: Any, choice: Any) -> Any:
    """The value as one alternative takes it, or `_UnfitError`."""
    origin, inner = get_origin(choice), get_args(choice)
    if choice is Any:
        return value
    if choice is float:
        return _scalar(name, value)
    if choice is int:
        return _whole(name, value)
    if choice is bool:
        return _need(value, isinstance(value, bool | np.bool_))
    if choice is None or choice is type(None):
        return _need(value, value is None)
    if origin is Literal:
        return _need(value, any(type(value) is type(word) and value == word for word in inner))
    if origin is tuple and set(inner) == {float}:
        values = _listed(value)
        _need(value, len(values) == len(inner))
        return tuple(_one(name, item, part) for item, part in zip(values, inner, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return _need(value, isinstance(value, Mapping))
    if origin not in (None, np.ndarray) and issubclass(origin, Collection):
        return _items(name, value, origin, inner[0])
    if origin is not None:
        choice = origin
    if choice is Callable:
        return _need(value, callable(value))
    return _need(value, _is_of(value, choice))


def _need(value: Any, fits: bool) -> Any:
    if not fits:
        raise _UnfitError
    return value


def _listed(value: Any) -> list[Any]:
    """Items of a list, tuple, set, array or batch of poses."""
    _need(value, not isinstance(value, str | bytes | Mapping) and hasattr(value, "__len__"))
    try:
        return list(value)
    except TypeError:  # one item that is not a batch
        raise _UnfitError from None


def _items(name: str, value: Any, origin: Any, inner: Any) -> Any:
    """A list, tuple or set, with its items checked if they are of plain classes."""
    items, choices = _listed(value), list(_choices(inner))
    if all(inspect.isclass(choice) for choice in choices):
        for item in items:
            _need(value, any(_fits(name, item, choice) for choice in choices))
    return tuple(items) if origin is tuple else value


def _fits(name: str, value: Any, choice: Any) -> bool:
    try:
        _one(name, value, choice)
    except _UnfitError:
        return False
    return True


def _scalar(name: str, value: Any) -> float:
    _need(value, hasattr(value, "__float__") and not isinstance(value, bool | str | bytes | complex))
    _need(value, getattr(value, "ndim", 0) == 0 and getattr(value, "dtype", np.dtype(float)).kind in "iuf")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"{name}: {described(value)} is not a number between -1.8e308 and 1.8e308") from None
    if number != number:
        raise InputError(f"{name}: nan is not a finite number")
    return number


def _whole(name: str, value: Any) -> int:
    _need(value, hasattr(value, "__index__") and not isinstance(value, bool | np.bool_))
    try:
        number = int(value.__index__())
    except TypeError:  # arrays
        raise _UnfitError from None
    if not -LARGEST_INTEGER <= number <= LARGEST_INTEGER:
        raise InputError(f"{name}: integer exceeds 63 bits")
    return number


def _is_of(value: Any, choice: Any) -> bool:
    """Whether a value is an instance of a class, or has the members of a protocol."""
    if getattr(choice, "_is_protocol", False):
        wanted = {key for key in (*vars(choice), *getattr(choice, "__annotations__", {})) if not key.startswith("_")}
        return all(hasattr(value, key) for key in wanted) and ("__call__" not in vars(choice) or callable(value))
    return isinstance(value, choice)


def _in_words(tokens: list[str]) -> str:
    parts = [_WORDS.get(part, part) for part in reversed(tokens) if part != "None"]
    return " or ".join(parts)
