"""`gough view`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

from gough.cli.command import request_of
from gough.cli.options import Options, count, flag

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.stacked import AnyMachine
    from gough.viewer.page import Page

WARNING = (
    "warning: listening on {host}: whoever has the address above, token included, can move the model and open files in "
    "this folder; nothing that is sent is encrypted"
)


def view(
    context: Context,
    machine: Annotated[
        str, Argument(help="Built-in name, path of a machine file, or of a view that was saved (.json).")
    ],
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Listen there; beyond 127.0.0.1 others who have the token can move it.")
    ] = "127.0.0.1",
    port: Annotated[int, count("0 takes any free port.", metavar="NUMBER", low=0, high=65535)] = 0,
    path: Annotated[
        Path | None,
        Option(metavar="FILE", help="A motion to play: a part program, path file, CSV of poses or leg values, or "
               "history (.nc)."),
    ] = None,
    no_browser: Annotated[bool, flag("--no-browser", "Do not open the page, print its address only.")] = False,
) -> None:  # fmt: skip
    """A local web page to move the machine by hand.

    The address that is printed ends with a token, without which requests
    are refused. It runs until Ctrl-C. Needs viser, which the extra `view` installs.
    """
    from gough.errors import InputError
    from gough.loading import load_with_files
    from gough.viewer.saved_view import from_file

    if path is not None and not path.is_file():
        raise InputError(f"cannot read {path}: there is no such file")
    request = request_of(context, machine, Options())
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
    from gough.viewer.fence import Fence
    from gough.viewer.page import view as show

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
    from gough.viewer.guard import listens_locally

    print(one_line(f"{name} is at {address} until Ctrl-C"), flush=True)
    if not listens_locally(host):
        print(WARNING.format(host=host), file=sys.stderr)
