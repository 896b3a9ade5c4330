"""The viewer in one call: a page for a machine, which runs until it is closed."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.files import remove_folder, temporary_folder
from gough.machine import Machine
from gough.stacked import StackedMachine
from gough.viewer.fence import Fence

if TYPE_CHECKING:
    from gough.viewer.view import View


REDIRECT = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Gough</title>
<meta http-equiv="refresh" content="0;url={address}"></head>
<body><a href="{address}">Open the viewer</a></body></html>
"""


class Page:
    """A page that is open; `close` it, or use it in a `with` statement.

    Attributes
    ----------
    view : View
        Moves the machine and gives what is shown.
    address : str
        Address of the page, with the token that every request needs.

    """

    def __init__(self, view: View, address: str) -> None:
        self.view, self.address, self._browser = view, address, ExitStack()

    def __repr__(self) -> str:
        return f"<Page of {self.view.state.machine.name!r} at {self.address}>"

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_in_browser(self) -> None:
        """Open the page in the browser, without the token in its command line."""
        self._browser.enter_context(opened(self.address))

    def wait(self) -> None:
        """Return only by an exception, as Ctrl-C raises it."""
        threading.Event().wait()

    def close(self) -> None:
        """Close the page, its server and its threads."""
        from gough.viewer.server import stop_server

        self._browser.close()
        self.view.stop()
        stop_server(self.view.server)


@checks_arguments
def view(
    machine: Machine | StackedMachine,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    is_plain: bool = False,
    opens_browser: bool = True,
    source: str | None = None,
    fence: Fence | None = None,
    read_clip: Callable[..., Any] | None = None,
) -> Page:
    """Show a machine on a local web page, where one moves and loads it; returns while the page stays open.

    Parameters
    ----------
    machine : Machine or StackedMachine
    host, port : str, int
        Address on which the page's server listens; port 0 is any free one. Beyond this computer others who have the
        address can move the model.
    is_plain : bool
        Draw as without a graphics card.
    opens_browser : bool
        Open the page in the browser.
    source : str, optional
        Name or path under which the machine was loaded, so that the page reads the file again when it changes.
    fence : Fence, optional
        Which files the page may open; those below the current folder if not given.
    read_clip : callable, optional
        Reads motions from files, as `gough view` does; without it the page plays none.

    Returns
    -------
    Page
        `.address`, `.view`, `.wait()` and `.close()`.

    Raises
    ------
    InputError
        Where viser is not installed (the extra `view`), or nothing can listen at that address.

    """
    if find_spec("viser") is None:
        raise InputError("gough view needs viser; install it in a checkout of Gough with: pip install '.[view]'")
    from gough.viewer.server import address, start_server
    from gough.viewer.view import View

    server = start_server(host, port)
    shown = View(server, machine, source, read_clip, Fence([Path.cwd()]) if fence is None else fence)
    if is_plain:
        shown.draw_plainly()
    page = Page(shown, address(server, plain=is_plain))
    if opens_browser:
        page.open_in_browser()
    return page


@contextmanager
def opened(address: str) -> Iterator[None]:
    """Open an address in the browser, by a page in a private folder that redirects there and is removed at the end."""
    # Every user of a computer can read command lines, and the address has the token.
    folder = temporary_folder("gough-view-")
    try:
        page = folder / "gough-view.html"
        page.touch(mode=0o600)
        page.write_text(REDIRECT.format(address=escape(address)), "utf-8")
        webbrowser.open(page.as_uri())
        yield
    finally:
        remove_folder(folder)
