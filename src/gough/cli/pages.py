"""Commands that make pages: report, view."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

import gough
from gough.cli.options import (
    PAGES,
    Centre,
    Json,
    MachineName,
    Payload,
    Process,
    Sequences,
    Work,
    count,
    flag,
    request_of,
    text,
    writable,
)

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.stacked import AnyMachine
    from gough.viewer.view import Page


def report(
    context: Context, machine: MachineName,
    target: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="Page: .html, or .pdf (needs Chromium); default: NAME.html."),
    ] = None,
    summary: Annotated[bool, flag("--summary", "Also write a one-page A4 summary, NAME-summary.html.")] = False,
    open_page: Annotated[bool, flag("--open", "Open the page in the browser.")] = False,
    path: Annotated[str | None, text("FILE", "Path for a separate section, in a format of gough path.")] = None,
    work: Work = None, sequence: Sequences = None, payload: Payload = None, centre: Centre = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write the datasheet of a machine as an HTML page.

    A single file with interactive figures that works offline. The terminal
    shows a summary, or with --json the numbers.
    """
    from gough.datasheet.pages import PDF, check_printer
    from gough.datasheet.pages import summary as summary_words
    from gough.files import check_ending, stem_of
    from gough.present.write import print_json, print_words

    request = request_of(context)
    m = request.any_machine
    stem = stem_of(m.name)
    page = Path(f"{stem}-summary.html" if summary else f"{stem}.html") if target is None else target
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
        "-o": target,
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
        print_words([*summary_words(made.sheet), f"\nwrote {page}"])
    if open_page:
        webbrowser.open(page.resolve().as_uri())


WARNING = (
    "warning: listening on {host}: whoever has the address above, token included, can move the model and open files in "
    "this folder; nothing that is sent is encrypted"
)


def view(
    context: Context,
    machine: Annotated[str, Argument(help="Built-in name, machine file, or saved view (.json).")],
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Address; beyond 127.0.0.1, others with the token can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, count("Port; 0 for any free port.", metavar="NUMBER", low=0, high=65535)] = 0,
    path: Annotated[
        Path | None, Option(metavar="FILE", help="Motion to play: part program, path file, CSV, or history (.nc).")
    ] = None,
    no_browser: Annotated[bool, flag("--no-browser", "Print the address without opening the page.")] = False,
) -> None:  # fmt: skip
    """Open a local web page to move the machine interactively.

    The printed address ends with a token; requests without it are rejected.
    The server runs until Ctrl-C. Requires viser (install the extra `view`).
    """
    from gough.errors import InputError
    from gough.loading import load_with_files
    from gough.viewer.saved_view import from_file

    if path is not None and not path.is_file():
        raise InputError(f"cannot read {path}: the file does not exist")
    request = request_of(context)
    saved = from_file(machine) if machine.endswith(".json") else None
    source = machine if saved is None else saved.machine
    read = load_with_files(source)[0]
    page = _page(request, read, source, path, host=host, port=port)
    if saved is not None:
        page.view.store.loop.post("restore", lambda: page.view.restore(saved))
    _serve(page, lambda: _announce(read.name, page.address, host), opens_browser=not no_browser)


def _page(request: Request, machine: AnyMachine, source: str, path: Path | None, **how: Any) -> Page:
    """The page, which may open files of the folders on the command line, with the motion of the options."""
    from gough.cli.clip_input import read_clip
    from gough.viewer.access import Fence
    from gough.viewer.view import view as show

    fence = Fence.around([request.name, source, *([] if path is None else [path])])
    with request.progress("making the page"):
        page = show(machine, opens_browser=False, source=source, fence=fence, read_clip=read_clip, **how)
    if path is not None:
        page.view.files.open_motion(path)
    return page


def _serve(page: Page, announce: Callable[[], None], *, opens_browser: bool) -> None:
    """Announce the page and serve it until Ctrl-C."""
    from gough.cli.progress import waiting
    from gough.cli.stopping import STOP

    try:
        with suppress(KeyboardInterrupt):  # in a program that called the command
            announce()
            if opens_browser:
                page.open_in_browser()
            with waiting():
                STOP.wait()
        print("closed", flush=True)
    finally:
        page.close()


def _announce(name: str, address: str, host: str) -> None:
    """Print the page's address, with a warning where other computers reach it."""
    from gough.errors import one_line
    from gough.viewer.access import listens_locally

    print(one_line(f"{name} is at {address} until Ctrl-C"), flush=True)
    if not listens_locally(host):
        print(WARNING.format(host=host), file=sys.stderr)
