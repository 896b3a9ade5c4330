"""A command is a function from a request to an answer; the options that many share are added here.

Nothing that computes is imported until a command runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import fields
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
_TYPES, _DECLARED = get_type_hints(Options), {each.name: each.metadata["option"] for each in fields(Options)}


def command(
    *groups: str, machine: str = MACHINE, **defaults: Any
) -> Callable[[Callable[..., Answer | None]], Callable[..., None]]:
    """A command of a machine with the options of some groups, some of them with a default of their own.

    The function gets a `Request` in their place, and its own options as arguments, whose defaults are `typer.Option` or
    `typer.Argument`; its answer is written in the requested format. `machine` is the help of its first argument.
    """

    def decorate(function: Callable[..., Answer | None]) -> Callable[..., None]:
        own = _own_parameters(function)
        names = [name for group in groups for name in GROUPS.get(group, (group,)) if name not in own]

        @wraps(function)
        def run(context: typer.Context, machine: str, **given: Any) -> None:
            from gough.cli.request import Request

            request = Request(context, machine, Options(**{name: given.pop(name) for name in names}))
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


def _own_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments of a function after its request."""
    names, own = vars(inspect.getmodule(function)), list(inspect.signature(function).parameters.values())[1:]
    return {each.name: each.replace(kind=KEYWORD, annotation=eval(each.annotation, names)) for each in own}


def _shared_parameter(name: str, defaults: dict[str, Any]) -> inspect.Parameter:
    declared = copy(_DECLARED[name])
    declared.default = defaults.get(name, declared.default)
    return inspect.Parameter(name, KEYWORD, default=declared, annotation=_TYPES[name])
