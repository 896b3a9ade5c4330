"""The command line of all commands, or of one. Modules of commands import nothing heavy before they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import cache
from importlib import import_module
from typing import Annotated

import typer

import gough

COMMANDS = (
    "machines check new schema report view inverse forward linear-map margins modes nearest travel corners workspace "
    "volume certify singularity conditioning velocity forces stiffness accuracy calibrate choose capacity frequencies "
    "dynamics path simulate place playback follow warm"
)
"""In the order of the help; each is the function of its name in the module of its name, with "_" for "-"."""
EXPORT = "export"
"""The last one, with commands of its own."""
_PLAIN = {
    5000: "inverse",
    500: "forward linear-map margins velocity forces stiffness accuracy check conditioning capacity frequencies",
    50: "modes travel",
}
PLAIN_ROWS = {name: rows for rows, names in _PLAIN.items() for name in names.split()}
"""Commands whose kernels run as plain Python for inputs of at most this many rows (`travel`: directions), for which
importing the compiler and loading machine code takes longer. All other commands compile their kernels."""


class Process(Enum):
    """Whether a command runs in a process of its own, or is called by a program that continues after it."""

    OWN = auto()
    CALLER = auto()


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
    """A command line of some commands, which alone are imported."""
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
        function = name.replace("-", "_")
        module = import_module(f"gough.cli.{function}")
        if name == EXPORT:
            made.add_typer(module.export, name=EXPORT)
        else:
            made.command(name)(getattr(module, function))
    return made


@cache
def app() -> typer.Typer:
    """All commands."""
    return app_of((*COMMANDS.split(), EXPORT))


@cache
def command(name: str = "") -> Callable[..., int | None]:
    """All commands with their options, or the one of this name; cached, as all of them take 40 ms."""
    is_known = name in (*COMMANDS.split(), EXPORT)
    return typer.main.get_command(app_of([name]) if is_known else app())
