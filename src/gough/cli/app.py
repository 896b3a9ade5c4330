"""The commands, registered. Their modules import nothing heavy before they run: `gough --help` is quick."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import cache
from importlib import import_module
from typing import Annotated

import typer

import gough
from gough.cli.export import export

COMMANDS = (
    "machines check new schema report view inverse forward margins modes nearest travel workspace certify singularity "
    "conditioning velocity forces stiffness accuracy calibrate choose capacity frequencies dynamics path simulate "
    "place playback follow"
)
"""In the order of the help; each is the function of its name in the module of its name."""
SINGLE_POSE = frozenset(
    ("inverse", "forward", "margins", "nearest", "travel", "velocity", "forces", "stiffness", "accuracy", "check")
)
"""Commands that answer for one pose, unless a file has more: they begin without the compiler."""
INTERPRETED = 1.0
"""Time for which their kernels may be interpreted [s]; importing the compiler and reading machine code takes about as
long."""

app = typer.Typer(
    help="Hexapods: kinematics, limits and datasheets from one machine file.",
    add_completion=False,
    rich_markup_mode=None,  # plain help: formatting it with Rich takes longer than all the rest
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Process(Enum):
    """Whether a command runs in a process of its own, or is called by a program that goes on."""

    OWN = auto()
    CALLER = auto()


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gough {gough.__version__}")
        raise typer.Exit


@app.callback()
def _gough(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    if context.obj is Process.OWN and context.invoked_subcommand in SINGLE_POSE:
        from gough._compile import interpret_first

        interpret_first(INTERPRETED)
    if context.invoked_subcommand is None:
        print(context.get_help())


for _name in COMMANDS.split():
    app.command()(getattr(import_module(f"gough.cli.{_name}"), _name))
app.add_typer(export, name="export")


@cache
def command() -> Callable[..., int | None]:
    """All commands with their options: making them takes some 50 ms, so once in a process."""
    return typer.main.get_command(app)
