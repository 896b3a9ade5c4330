"""Parameters of public functions, those among them that a table of keywords describes."""

import inspect
import re


def parameters(function):
    """By name; keywords of `**grid: Unpack[Grid]` as keyword-only parameters without a default."""
    found = dict(inspect.signature(function).parameters)
    for bundle in [each for each in found.values() if each.kind is each.VAR_KEYWORD]:
        kind = re.fullmatch(r"Unpack\[(\w+)\]", str(bundle.annotation))
        names = vars(inspect.getmodule(inspect.unwrap(function)))[kind[1]].__annotations__ if kind else ()
        found |= {name: inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=...) for name in names}
    return found
