"""Sentences on command lines that name no command, no option or no value that there is."""

from __future__ import annotations

import re
from typing import Any

_ROLL_PITCH_YAW = "--at X,Y,Z,ROLL,PITCH,YAW --sequence xyz"
_OTHER_OPTIONS = {
    **dict.fromkeys(("--rpy", "--roll", "--pitch", "--yaw", "--euler"), _ROLL_PITCH_YAW),
    "--ypr": "--at X,Y,Z,YAW,PITCH,ROLL --sequence ZYX",
    "--angles": "--at X,Y,Z,A,B,C",
    "--quaternion": "--at X,Y,Z,QX,QY,QZ,QW",
    "--matrix": "--csv FILE, with columns m00 to m33",
    **dict.fromkeys(("--pose", "--pos", "--position", "--xyz"), "--at X,Y,Z"),
    "--mass": "--payload KG --centre X,Y,Z",
    "--com": "--centre X,Y,Z",
}
"""Options by other names that users try, and what they are here."""
_NO_COMMAND = re.compile(r"No such command '(.*?)'", re.DOTALL)
_TOO_MANY = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)


def usage_sentence(error: Any) -> str:
    """One sentence on a usage error of Typer, in words of ours, and where the help is."""
    context = getattr(error, "ctx", None)
    return f"{_complaint(error, context)}; see {getattr(context, 'command_path', 'gough')} --help"


def _complaint(error: Any, context: Any) -> str:
    from gough.errors import nearest

    params = [] if context is None else context.command.params
    kind, said = type(error).__name__, str(error.format_message())
    if kind == "NoSuchOption":
        meant = _OTHER_OPTIONS.get(error.option_name, "")
        known = [name for each in params for name in each.opts if name.startswith("--")]
        if meant.partition(" ")[0] in known:
            return f"unknown option {error.option_name}; here it is {meant}"
        return f"unknown option {error.option_name}.{nearest(error.option_name, known)}"
    if kind == "MissingParameter":
        expected = getattr(error.param, "help", None)
        return f"{_name(error.param)} is missing" + (f": {expected.rstrip('.')}" if expected else "")
    if kind == "BadOptionUsage":
        return f"{error.option_name} {'needs a' if 'requires' in said else 'takes no'} value"
    if found := _NO_COMMAND.match(said):
        commands = [] if context is None else context.command.list_commands(context)
        return f"unknown command {found[1]!r}.{nearest(found[1], commands)}"
    if found := _TOO_MANY.match(said):
        before = ", ".join(_name(each) for each in params if each.param_type_name == "argument")
        return f"nothing is expected behind {before or 'this command'}, here is {found[1]!r}"
    return _bad_value(error) or said.rstrip(".")


def _bad_value(error: Any) -> str:
    """A value that is not what an option takes; "" where the error does not say."""
    cause, param = error.__cause__, getattr(error, "param", None)
    if param is None or not hasattr(cause, "errors"):
        return ""
    from gough.description.problems import complaint, not_a_choice

    detail = cause.errors()[0]
    choices = (
        ", ".join(re.findall(r"'[^']*'", str(detail["ctx"]["error"]).partition(" is not one of ")[2]))
        if (detail["type"] == "value_error")
        else ""
    )
    return f"{_name(param)}: {not_a_choice(detail['input'], choices) if choices else complaint(detail)}"


def _name(param: Any) -> str:
    """An option as typed, an argument as the help has it."""
    return str(param.opts[-1] if param.param_type_name == "option" else param.name)
