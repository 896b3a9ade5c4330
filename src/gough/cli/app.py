"""The command line of all commands, or of one, and sentences on what it does not understand.

Modules of commands import nothing heavy before they run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any

import typer

import gough
from gough.cli import accuracy, dynamics, kinematics, limits, machines, motion, pages, regions, statics, workspaces
from gough.cli.options import Process

_FUNCTIONS = (
    machines.machines, machines.check, machines.new, machines.schema, pages.report, pages.view, kinematics.inverse,
    kinematics.forward, kinematics.linear_map, limits.margins, kinematics.modes, limits.nearest, limits.travel,
    limits.corners, workspaces.workspace, workspaces.volume, regions.certify, workspaces.singularity,
    workspaces.conditioning, limits.velocity, statics.forces, statics.stiffness, accuracy.accuracy, accuracy.calibrate,
    accuracy.choose, statics.capacity, dynamics.frequencies, dynamics.dynamics, motion.path, dynamics.simulate,
    motion.place, kinematics.playback, motion.follow, machines.warm,
)  # fmt: skip
"""In the order of the help."""
COMMANDS: dict[str, Callable[..., None]] = {each.__name__.replace("_", "-"): each for each in _FUNCTIONS}
EXPORT = "export"
"""The last command, with commands of its own."""
_PLAIN = {
    5000: "inverse",
    500: "forward linear-map margins velocity forces stiffness accuracy check conditioning capacity frequencies",
    50: "modes travel",
}
PLAIN_ROWS = {name: rows for rows, names in _PLAIN.items() for name in names.split()}
"""Commands whose kernels run as plain Python for inputs of at most this many rows (`travel`: directions), for which
importing the compiler and loading machine code takes longer. All other commands compile their kernels."""


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gough {gough.__version__}")
        raise typer.Exit


def _gough(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.obj is Process.OWN and context.invoked_subcommand in PLAIN_ROWS:
        from gough._compile import run_plain

        run_plain(PLAIN_ROWS[context.invoked_subcommand])
    if context.invoked_subcommand is None:
        print(context.get_help())


def app_of(names: Iterable[str]) -> typer.Typer:
    """Return a command line of some commands."""
    made = typer.Typer(
        help="Hexapods: kinematics, limits and datasheets from one machine file.",
        add_completion=False,
        rich_markup_mode=None,  # plain help: formatting it with Rich takes longer than all the rest
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_gough)
    for name in names:
        if name == EXPORT:
            made.add_typer(machines.export, name=EXPORT)
        else:
            made.command(name)(COMMANDS[name])
    return made


@cache
def app() -> typer.Typer:
    """Return all commands."""
    return app_of((*COMMANDS, EXPORT))


@cache
def command(name: str = "") -> Callable[..., int | None]:
    """Return all commands with their options, or the one of this name; cached, as all of them take 40 ms."""
    is_known = name in (*COMMANDS, EXPORT)
    return typer.main.get_command(app_of([name]) if is_known else app())


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
    """Return one sentence on a usage error of Typer, in words of ours, and where the help is."""
    context = getattr(error, "ctx", None)
    return f"{_complaint(error, context).rstrip('.')}; see {getattr(context, 'command_path', 'gough')} --help"


def _complaint(error: Any, context: Any) -> str:
    from gough.errors import nearest

    params = [] if context is None else context.command.params
    kind, said = type(error).__name__, str(error.format_message())
    if kind == "NoSuchOption":
        meant = _OTHER_OPTIONS.get(error.option_name, "")
        known = [name for each in params for name in each.opts if name.startswith("--")]
        if meant.partition(" ")[0] in known:
            return f"unknown option {error.option_name}; use {meant}"
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
        return f"unexpected argument {found[1]!r} after {before or 'this command'}"
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
