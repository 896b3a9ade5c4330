"""Declaration of commands: functions from a request to an answer, to which shared options are added.

Nothing that computes is imported before a command runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from gough.cli.options import GROUPS, Options
from gough.present.answer import JSON, NETCDF

if TYPE_CHECKING:
    from gough.cli.request import Array as Array
    from gough.cli.request import Request as Request
    from gough.present.answer import Answer
else:
    Array = Request = Any  # names for annotations: their module is imported when a command runs

TABLES = (".csv", JSON, *NETCDF)
"""Endings of names for tables."""
MACHINE = "Built-in name (see gough machines) or path of a machine file."
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def command(
    *groups: str, machine: str = MACHINE, endings: Sequence[str] = TABLES, **defaults: Any
) -> Callable[[Callable[..., Answer | None]], Callable[..., None]]:
    """A command of a machine with the options of some groups; `defaults` are those of this command.

    The function gets a `Request` with these options, and its own options as arguments: each with a `typer.Option` or
    `typer.Argument` as default, or several as one dataclass whose fields are `option`s. Its answer is written in the
    requested format. `machine` is the help of the first argument, `endings` are those of names for -o.
    """

    def decorate(function: Callable[..., Answer | None]) -> Callable[..., None]:
        own, bundles = _own_parameters(function)
        names = [name for group in groups for name in GROUPS.get(group, (group,)) if name not in own]

        @wraps(function)
        def run(context: typer.Context, machine: str, **given: Any) -> None:
            from gough.cli.request import Request

            # Typer calls with one keyword for each option: shared ones go to the request, others back to dataclasses.
            request = Request(context, machine, Options(**{name: given.pop(name) for name in names}))
            request.check_output(endings)
            for name, kind in bundles.items():
                given[name] = kind(**{each: given.pop(each) for each in _parameters_of(kind)})
            answer = function(request, **given)
            if answer is not None:
                request.write(answer)

        parameters = [
            inspect.Parameter("context", KEYWORD, annotation=typer.Context),
            inspect.Parameter("machine", KEYWORD, annotation=Annotated[str, typer.Argument(help=machine)]),
            *own.values(),
            *(_shared_parameter(name, defaults) for name in names),
        ]
        parameters = [_strict(parameter) for parameter in parameters]
        # Typer declares options by the signature and the annotations.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _own_parameters(function: Callable[..., Any]) -> tuple[dict[str, inspect.Parameter], dict[str, Any]]:
    """The options of a function after its request, and the dataclasses of options, by argument."""
    own: dict[str, inspect.Parameter] = {}
    bundles: dict[str, Any] = {}
    for each in list(inspect.signature(function).parameters.values())[1:]:
        kind: Any = eval(each.annotation, vars(inspect.getmodule(function)))  # a string: annotations are postponed
        if is_dataclass(kind):
            bundles[each.name] = kind
            own |= _parameters_of(kind)
        else:
            own[each.name] = each.replace(kind=KEYWORD, annotation=kind)
    return own, bundles


def _parameters_of(kind: Any) -> dict[str, inspect.Parameter]:
    """The fields of a dataclass, which are options, as parameters."""
    types, declared = get_type_hints(kind), {each.name: each.metadata["option"] for each in fields(kind)}
    return {name: inspect.Parameter(name, KEYWORD, default=declared[name], annotation=types[name]) for name in declared}


def _strict(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter; if a number, with a parser that refuses Python's underscores and other scripts' digits."""
    kind = {float: float, float | None: float, int: int, int | None: int}.get(parameter.annotation)
    if kind is None:
        return parameter
    declared = copy(parameter.default)
    declared.metavar = declared.metavar or "NUMBER"
    declared.parser = partial(_parsed_number, kind, declared.min, declared.max)
    return parameter.replace(default=declared)


def _parsed_number(kind: type, low: float | None, high: float | None, value: Any) -> Any:
    from gough.cli.table import strict_number

    if not isinstance(value, str):
        return value
    try:
        number = strict_number(kind, value)
    except ValueError:
        raise ValueError(f"{value!r} is not a {'whole ' if kind is int else ''}number") from None
    if (low is not None and not number >= low) or (high is not None and not number <= high):
        ends = (f"{word} {end:g}" for word, end in (("at least", low), ("at most", high)) if end is not None)
        raise ValueError(f"{value} is not {' and '.join(ends)}")
    return number


_SHARED = _parameters_of(Options)


def _shared_parameter(name: str, defaults: dict[str, Any]) -> inspect.Parameter:
    declared = copy(_SHARED[name].default)  # other commands keep its default
    declared.default = defaults.get(name, declared.default)
    return _SHARED[name].replace(default=declared)
