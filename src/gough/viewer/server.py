"""The page's server: start and stop, its address, and the page it serves."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from gough.errors import InputError
from gough.files import temporary_folder
from gough.viewer.access import TOKEN, Guard, listens_locally
from gough.viewer.viser_parts import make_server, page_file

if TYPE_CHECKING:
    import viser

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
PLAIN = "plain"
"""Query of an address for drawing as without a graphics card; `page.js` asks for it where software draws."""
PATIENCE = 20.0
"""Longest time to wait for a value from a window [s]."""
_guards: WeakKeyDictionary[viser.ViserServer, Guard] = WeakKeyDictionary()


def check_address(host: str, port: int) -> None:
    """`InputError` where nothing can listen at that address; port 0 is any free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port") from None


def start_server(host: str = LOOPBACK, port: int = 0) -> viser.ViserServer:
    """Return a running server that prints nothing, sends no requests to the internet, and accepts those with its
    token."""
    check_address(host, port)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # broken connections are usual: windows are closed
    guard = Guard(listens_locally(host))
    server = make_server(host, port, page_folder(), guard)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(194, 65, 12))
    _guards[server] = guard
    return server


def address(server: viser.ViserServer, *, plain: bool = False, query: str = "") -> str:
    """Return the address at which the page is opened on this machine, with its token.

    Parameters
    ----------
    server : viser.ViserServer
    plain : bool
        Draw as without a graphics card.
    query : str
        More of the query, as `SavedView.link` returns it.

    """
    host = server.get_host()
    shown = LOOPBACK if host in EVERYWHERE else host
    search = "&".join(part for part in (token_of(server), PLAIN if plain else "", query) if part)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{server.get_port()}/{f'?{search}' if search else ''}"


def token_of(server: viser.ViserServer) -> str:
    """Return the token as part of a query; empty for a server that `start_server` did not make."""
    guard = _guards.get(server)
    return "" if guard is None else urlencode({TOKEN: guard.token})


def on_page(server: viser.ViserServer, opened: Callable[[str], None]) -> None:
    """Call `opened` with the query of the address whenever the page is loaded."""
    if server in _guards:
        _guards[server].opened = opened


def stop_server(server: viser.ViserServer) -> None:
    """Close the page and the sockets; nothing is printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


@cache
def page_folder() -> Path:
    """Return a folder with viser's page, with our styles and script before its own; removed when the process ends."""
    page = page_file().read_text("utf-8")
    style, script = ((files("gough.viewer") / name).read_text("utf-8") for name in ("page.css", "page.js"))
    page = page.replace("<head>", f"<head><style>\n{style}</style><script>\n{script}</script>", 1)
    folder = temporary_folder("gough-view-")
    (folder / "index.html").write_text(page.replace("<title>Viser<", "<title>Gough<", 1), "utf-8")
    return folder
