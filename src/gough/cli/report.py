"""`gough report`: the datasheet of a machine as one HTML page, and its summary in the terminal."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Any

from typer import Context, Option

import gough
from gough.cli.app import Process
from gough.cli.command import request_of
from gough.cli.options import (
    PAGES,
    Centre,
    Json,
    MachineName,
    Options,
    Payload,
    Sequences,
    Work,
    flag,
    text,
    writable,
)


def report(
    context: Context, machine: MachineName,
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="The page to write: .html, or .pdf where Chromium is installed; "
               "NAME.html here if not given."),
    ] = None,
    summary: Annotated[bool, flag("--summary", "One page that prints on one sheet of A4, NAME-summary.html.")] = False,
    open_page: Annotated[bool, flag("--open", "Open the page in the browser.")] = False,
    path: Annotated[str | None, text("FILE", "A path for a section of its own: what gough path takes.")] = None,
    work: Work = None, sequence: Sequences = None, payload: Payload = None, centre: Centre = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write the datasheet of a machine as an HTML page.

    One file with interactive figures that needs no network. The terminal
    shows the summary, or with --json the numbers.
    """
    from gough.datasheet.printing import PDF, check_printer
    from gough.datasheet.summary import summary as summary_words
    from gough.files import check_ending, stem_of
    from gough.present.write import print_json, print_words

    given = Options(work=work, sequence=sequence, payload=payload, centre=centre, as_json=as_json)
    request = request_of(context, machine, given)
    m = request.any_machine
    stem = stem_of(m.name)
    page = Path(f"{stem}-summary.html" if summary else f"{stem}.html") if output is None else output
    check_ending(page, (*PAGES, PDF), f"gough report {request.name} --json > FILE.json for the numbers")
    writable(page)
    if page.suffix.lower() == PDF:
        check_printer()
    # The command line that makes this page again is printed on it.
    typed = {
        "--summary": "" if summary else None,
        "--path": path,
        "--payload": payload,
        "--centre": centre,
        "-o": output,
    }
    words = [f"{name} {value}".rstrip() for name, value in typed.items() if value is not None]
    line = " ".join([f"gough report {request.name}", *words])
    processes = None if request.context.obj is Process.OWN else 1  # no others when called from a program
    followed = None
    if path is not None:
        from gough.cli.path_input import read_path, reported

        followed = reported(read_path(path, request), request)
    options: dict[str, Any] = {"summary": summary, "command": line, "processes": processes}
    made = request.watched("datasheet", gough.report, m, path=followed, **options)
    made.write(page)
    if as_json:
        print_json({**made.numbers(m.units), "page": str(page)})
    else:
        print_words([*summary_words(made), f"\nwrote {page}"])
    if open_page:
        webbrowser.open(page.resolve().as_uri())
