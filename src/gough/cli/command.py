"""A command is a function from a request to an answer; the options that many share are added here.

Nothing that computes is imported until a command runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.present.answer import Answer

GROUPS: dict[str, dict[str, Any]] = {
    "pose": {
        "at": options.At,
        "angles": options.Angles,
        "quaternion": options.Quaternion,
        "matrix": options.Matrix,
        "sequence": options.Sequence,
        "convention": options.Convention,
    },
    "orientation": {"sequence": options.Sequence, "convention": options.Convention},
    "share": {"share": options.Share},
    "csv": {"csv": options.Csv},
    "map": {
        "as_map": options.Map,
        "samples": options.Samples,
        "x": options.GridX,
        "y": options.GridY,
        "z": options.GridZ,
    },
    "payload": {"payload": options.Payload, "centre": options.Centre, "inertia": options.Inertia},
    "si": {"si": options.Si},
    "output": {"si": options.Si, "as_json": options.Json, "output": options.Output},
}
"""Options by group, in the order of the help."""
FLAGS = ("si", "as_json", "as_map")


def command(*groups: str, samples: int = 15) -> Callable[[Callable[..., Answer | None]], Callable[..., None]]:
    """A command of a machine with the options of some groups; `samples` are those of a map where none are given.

    The function gets a `Request` in their place, and its own arguments; its answer is written in the requested format.
    """
    shared = {name: kind for group in groups for name, kind in GROUPS[group].items()}
    defaults = {name: False if name in FLAGS else samples if name == "samples" else None for name in shared}

    def decorate(function: Callable[..., Answer | None]) -> Callable[..., None]:
        names = vars(inspect.getmodule(function))
        own = {
            name: parameter.replace(annotation=eval(parameter.annotation, names))
            for name, parameter in list(inspect.signature(function).parameters.items())[1:]
        }

        @wraps(function)
        def run(context: typer.Context, machine: str, **given: Any) -> None:
            from gough.cli.request import Request

            request = Request(context, machine, {name: given.pop(name) for name in shared if name not in own})
            answer = function(request, **given)
            if answer is not None:
                request.write(answer)

        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter("context", keyword, annotation=typer.Context),
            inspect.Parameter("machine", keyword, annotation=options.Machine),
            *(parameter.replace(kind=keyword) for parameter in own.values()),
            *(
                inspect.Parameter(name, keyword, default=defaults[name], annotation=kind)
                for name, kind in shared.items()
                if name not in own
            ),
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate
