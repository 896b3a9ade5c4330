"""A command is a function from a request to an answer; the options that many share are added here.

Nothing that computes is imported until a command runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from gough.cli.options import GROUPS, Options

if TYPE_CHECKING:
    from gough.cli.request import Array as Array
    from gough.cli.request import Request as Request
    from gough.present.answer import Answer
else:
    Array = Request = Any  # names for annotations: their module is imported when a command runs

MACHINE = "Built-in name (see gough machines) or path of a machine file."
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def command(
    *groups: str, machine: str = MACHINE, **defaults: Any
) -> Callable[[Callable[..., Answer | None]], Callable[..., None]]:
    """A command of a machine with the options of some groups, some of them with a default of their own.

    The function gets a `Request` in their place, and its own options as arguments, whose defaults are `typer.Option` or
    `typer.Argument`; or several as one, a dataclass of fields that are `option`s. Its answer is written in the
    requested format. `machine` is the help of its first argument.
    """

    def decorate(function: Callable[..., Answer | None]) -> Callable[..., None]:
        own, bundles = _own_parameters(function)
        names = [name for group in groups for name in GROUPS.get(group, (group,)) if name not in own]

        @wraps(function)
        def run(context: typer.Context, machine: str, **given: Any) -> None:
            from gough.cli.request import Request

            request = Request(context, machine, Options(**{name: given.pop(name) for name in names}))
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
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _own_parameters(function: Callable[..., Any]) -> tuple[dict[str, inspect.Parameter], dict[str, Any]]:
    """The options of a function that follow its request; and the classes of those that come as one, by argument."""
    own: dict[str, inspect.Parameter] = {}
    bundles: dict[str, Any] = {}
    for each in list(inspect.signature(function).parameters.values())[1:]:
        kind: Any = eval(each.annotation, vars(inspect.getmodule(function)))
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


_SHARED = _parameters_of(Options)


def _shared_parameter(name: str, defaults: dict[str, Any]) -> inspect.Parameter:
    declared = copy(_SHARED[name].default)
    declared.default = defaults.get(name, declared.default)
    return _SHARED[name].replace(default=declared)
