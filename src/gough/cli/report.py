"""`gough report`: the datasheet of a machine as one HTML page, and its summary in the terminal."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.machine import Machine
    from gough.report.build import Report


def report(
    machine: options.Machine,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page to write; NAME.html in this folder if not given."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON instead of a summary.")] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write the datasheet of a machine as an HTML page.

    One file with interactive figures that needs no network. The terminal
    shows the summary.
    """
    from gough.description.load import load
    from gough.files import check_writable, write_whole

    m = load(machine)
    path = Path(f"{m.name}.html") if output is None else output
    check_writable(path)
    made = _build(m, _command(machine, output))
    write_whole(path, made.html())
    if as_json:
        print(json.dumps({**made.numbers(), "page": str(path)}, indent=2, allow_nan=False))
    else:
        _print_summary(made, path)
    if open_page:
        webbrowser.open(path.resolve().as_uri())


def _command(machine: str, output: Path | None) -> str:
    return f"gough report {machine}" + ("" if output is None else f" -o {output}")


def _build(machine: Machine, command: str) -> Report:
    """Compute the sections, with a progress bar on stderr where somebody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from gough.report.build import build
    from gough.report.datasheet import Datasheet
    from gough.report.sections import SECTIONS

    console = Console(stderr=True)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=len(SECTIONS))

        def advance(what: str) -> None:
            bar.update(task, advance=1, description=what)

        return build(Datasheet(machine, command), advance)


def _print_summary(made: Report, path: Path) -> None:
    from rich.console import Console

    from gough.report.summary import summary

    # What goes into a file or a pipe is not folded.
    console = Console(width=None if sys.stdout.isatty() else 1000)
    console.print(summary(made))
    console.print(f"\nwrote {path}", markup=False, highlight=False, soft_wrap=True)
