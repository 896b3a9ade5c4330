"""The page's server: start and stop, its address, the page it serves, and values from a window."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from gough.errors import InputError
from gough.files import temporary_folder
from gough.viewer.access import MOST_BYTES, TOKEN, Guard, listens_locally
from gough.viewer.viser_parts import make_server, page_file, run_script

if TYPE_CHECKING:
    import viser

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
PLAIN = "plain"
"""Query of an address for drawing as without a graphics card."""
PATIENCE = 20.0
"""Longest time to wait for a value from a window [s]."""
IS_PLAIN = "String(window.goughIsPlain)"
"""JavaScript: whether the page draws as without a graphics card, which `page.js` decides."""
STYLES = """[class*="NumberInput"][style*="width: 3rem"] { width: 4.4rem !important; }
.mantine-Flex-root:has([role=slider]) > div:has(> p > label) { width: 4.9em !important; }
.mantine-Slider-markWrapper:first-of-type div:nth-of-type(2) { transform: translate(-0.5rem, 0.03rem) !important; }
.mantine-Slider-markWrapper:last-of-type div:nth-of-type(2) {
  transform: translate(calc(-100% + 0.5rem), 0.03rem) !important; }
.mantine-Select-input { padding-inline-end: 1.6em !important; text-overflow: ellipsis; }
[role=tab] { padding-inline: 0.6em !important; }
.mantine-Flex-root > div:has(> p > label:empty) { display: none; }
.mantine-Flex-root > div:has(> p > label:empty) + div { min-height: 1.4rem; }
.mantine-ScrollArea-content { display: block !important; min-width: 0 !important; width: 100% !important; }
[style*="grid-template-rows"] { grid-template-columns: minmax(0, 1fr); }
div:has(> .gough-verdict) { position: sticky; top: 0; z-index: 100; background: var(--mantine-color-body); }
div[style*="overflow: hidden"]:has(.gough-verdict):not(.mantine-Paper-root) { overflow: clip !important; }
[style*="max-height: 60%"], [style*="max-height: 60%"] .mantine-ScrollArea-content > div { width: 100% !important; }
[style*="max-height: 60%"] .gough-verdict { height: 6.6em !important; }
.mantine-Flex-root:has(.mantine-NumberInput-root ~ .mantine-NumberInput-root):has(label) { flex-wrap: wrap; }
.mantine-Flex-root:has(.mantine-NumberInput-root ~ .mantine-NumberInput-root) > div:not(.mantine-NumberInput-root) {
  flex: 0 0 100% !important; }
.mantine-NumberInput-root ~ .mantine-NumberInput-root [data-position=right],
.mantine-NumberInput-root:has(~ .mantine-NumberInput-root) [data-position=right] { display: none; }
.mantine-NumberInput-root ~ .mantine-NumberInput-root input,
.mantine-NumberInput-root:has(~ .mantine-NumberInput-root) input { padding-inline: 0.4em !important; }
.hints-beside .mantine-Tooltip-tooltip { left: var(--hint-left) !important; translate: 0 2em; }
.hints-beside .mantine-Tooltip-arrow { display: none; }
:root:not(.hints-beside):has(input:focus) .mantine-Tooltip-tooltip { display: none; }"""
"""CSS. Numbers beside sliders have room for ten characters (0.0951754 m is the leg of a small machine), labels leave
room for the sliders, the numbers under their ends stand out a little so that they do not touch, and panels may be
narrow: the scene has two thirds of a window of 1280 px, however wide a chart would be. Long words of a choice end
before its arrows. The verdict stays in place while
the panel scrolls; on a phone the panel is as wide as the window, and four rows hold a refusal. Three numbers of a
vector are below their label and have no buttons: each shows nine characters. Where the scene has room, hints are
beside the panel, level with their fields (`page.js`); elsewhere they are hidden while one types."""
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
    """A running server that prints nothing, sends no requests to the internet, and accepts those with its token."""
    check_address(host, port)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # broken connections are usual: windows are closed
    guard = Guard(listens_locally(host))
    server = make_server(host, port, page_folder(), guard, max(MOST_BYTES.values()))
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(194, 65, 12))
    _guards[server] = guard
    return server


def address(server: viser.ViserServer, *, plain: bool = False, query: str = "") -> str:
    """Address at which the page is opened on this machine, with its token.

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
    """The token as part of a query; empty for a server that `start_server` did not make."""
    guard = _guards.get(server)
    return "" if guard is None else urlencode({TOKEN: guard.token})


def stop_server(server: viser.ViserServer) -> None:
    """Close the page and the sockets; nothing is printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


@cache
def page_folder() -> Path:
    """A folder with viser's page, with our styles and script before its own; removed when the process ends."""
    page = page_file().read_text("utf-8")
    script = (files("gough.viewer") / "page.js").read_text("utf-8")
    page = page.replace("<head>", f"<head><style>{STYLES}</style><script>\n{script}</script>", 1)
    folder = temporary_folder("gough-view-")
    (folder / "index.html").write_text(page.replace("<title>Viser<", "<title>Gough<", 1), "utf-8")
    return folder


def evaluate(client: viser.ClientHandle, question: str, expression: str) -> str | None:
    """Value of a JavaScript expression, a string, in a window; None if the window is gone or has no storage.

    Parameters
    ----------
    client : viser.ClientHandle
    question : str
        Key of the window's storage under which the value returns.
    expression : str

    """
    # viser can run a script but not return its value, and can read storage under a key that it prefixes by itself.
    client.local_storage.set_item(question, "")
    keys = f"Object.keys(localStorage).filter((key) => key.endsWith({question!r}))"
    run_script(client, f"const answer = {expression}; for (const key of {keys}) localStorage.setItem(key, answer);")
    try:
        return client.local_storage.get_item(question, timeout=PATIENCE)
    except (RuntimeError, TimeoutError):
        return None
