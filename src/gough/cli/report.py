"""`gough report`: the datasheet of a machine as one HTML page, and its summary in the terminal."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gough
from gough.cli import options, path_input

if TYPE_CHECKING:
    from gough.cli.pose_input import Orientation
    from gough.datasheet.build import Report
    from gough.machine import Machine


def report(
    machine: options.Machine,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page to write; NAME.html in this folder if not given."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON instead of a summary.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="One page that prints on one sheet of A4, NAME-summary.html.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    path: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A path for a section of its own: what gough path takes, with its options."),
    ] = None,
    payload: options.Payload = None,
    centre: options.Centre = None,
    inertia: options.Inertia = None,
    timing: path_input.Timing = None,
    work: path_input.Work = None,
    moves: path_input.Moves = "platform",
    feed: path_input.Feed = None,
    rapid: path_input.Rapid = None,
    blend: path_input.Blend = None,
    roll: path_input.Roll = None,
    acceleration: path_input.Acceleration = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
) -> None:
    """Write the datasheet of a machine as an HTML page.

    One file with interactive figures that needs no network. The terminal
    shows the summary.
    """
    from gough.cli.machine import carrying, load_any
    from gough.cli.pose_input import Orientation
    from gough.cli.progress import watched
    from gough.description.load import one_machine
    from gough.files import check_writable
    from gough.present.write import print_json

    m = carrying(load_any(machine), payload, centre, inertia)
    page = Path(f"{m.name}-summary.html" if summary else f"{m.name}.html") if output is None else output
    check_writable(page)
    given = path_input.PathOptions(
        timing=timing, work=work, moves=moves, feed=feed, rapid=rapid, blend=blend, roll=roll, acceleration=acceleration
    )
    orientation = Orientation(sequence, convention)
    followed = {} if path is None else _followed(path, one_machine(m, machine), orientation, given)
    words = {
        "--summary": "" if summary else None,
        "--path": path,
        "--payload": payload,
        "--centre": centre,
        "--inertia": inertia,
        "-o": output,
    }
    made = watched("datasheet", gough.report, m, **followed, summary=summary, command=_command(machine, words))
    made.write(page)
    if as_json:
        print_json({**made.numbers(), "page": str(page)})
    else:
        _print_summary(made, page)
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def _followed(file: str, machine: Machine, orientation: Orientation, given: path_input.PathOptions) -> dict[str, Any]:
    """The path judged and carried out, and what its numbers count, as keywords of `gough.report`."""
    from gough.cli.path import reported

    read = path_input.read_path(file, machine, orientation, given)
    return {"path": reported(read, machine, given), "counts": read.counts}


def _command(machine: str, options: Mapping[str, object]) -> str:
    given = [f"{name} {value}".rstrip() for name, value in options.items() if value is not None]
    return " ".join([f"gough report {machine}", *given])


def _print_summary(made: Report, path: Path) -> None:
    from rich.console import Console

    from gough.datasheet.summary import summary

    # What goes into a file or a pipe is not folded.
    console = Console(width=None if sys.stdout.isatty() else 1000)
    console.print(summary(made))
    console.print(f"\nwrote {path}", markup=False, highlight=False, soft_wrap=True)
