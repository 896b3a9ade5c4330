"""`gough report`: the datasheet of a machine as one HTML page, and its summary in the terminal."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from typer import Option

import gough
from gough.cli.app import Process
from gough.cli.command import Request, command
from gough.cli.options import PAGES, writable


@command("as_json", "payload", "path", "orientation")
def report(
    request: Request,
    output: Path | None = Option(
        None,
        "--output",
        "-o",
        metavar="FILE",
        help="The page to write: .html, or .pdf where Chromium is installed; NAME.html here if not given.",
    ),
    summary: bool = Option(False, "--summary", help="One page that prints on one sheet of A4, NAME-summary.html."),
    open_page: bool = Option(False, "--open", help="Open the page in the browser."),
    path: str | None = Option(
        None, metavar="FILE", help="A path for a section of its own: what gough path takes, with its options."
    ),
) -> None:
    """Write the datasheet of a machine as an HTML page.

    One file with interactive figures that needs no network. The terminal
    shows the summary, or with --json the numbers.
    """
    from gough.datasheet.printing import PDF, check_printer
    from gough.datasheet.summary import summary as summary_words
    from gough.files import check_ending, stem_of
    from gough.present.write import print_json, print_words

    m, given = request.any_machine, request.options
    stem = stem_of(m.name)
    page = Path(f"{stem}-summary.html" if summary else f"{stem}.html") if output is None else output
    check_ending(page, (*PAGES, PDF), f"gough report {request.name} --json > FILE.json for the numbers")
    writable(page)
    if page.suffix.lower() == PDF:
        check_printer()
    # The command line that makes this page again is printed on it.
    typed: dict[str, Any] = {"--payload": given.payload, "--centre": given.centre, "--inertia": given.inertia}
    typed = {"--summary": "" if summary else None, "--path": path, **typed, "-o": output}
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
    if given.as_json:
        print_json({**made.numbers(), "page": str(page)})
    else:
        print_words([*summary_words(made), f"\nwrote {page}"])
    if open_page:
        webbrowser.open(page.resolve().as_uri())
