"""`gough view`."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from importlib.util import find_spec
from typing import Annotated

import typer

from gough.cli import options


def view(
    machine: options.Machine,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Listen there; beyond 127.0.0.1 others can move the machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="NUMBER", min=0, max=65535, help="0 takes any free port.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page, print its address only.")] = (
        False
    ),
) -> None:
    """Open a local web page to move the machine and see its limits.

    It runs until Ctrl-C. Needs viser, which the extra `view` installs.
    """
    from gough.errors import InputError

    if find_spec("viser") is None:
        raise InputError("gough view needs viser; install it with: pip install 'gough[view]'")
    from gough.description.load import load
    from gough.viewer.server import address, is_loopback, start_server, stop_server
    from gough.viewer.view import View

    loaded = load(machine)
    server = start_server(host, port)
    page = View(server, loaded)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        print(f"{loaded.name} is at {address(server)} until Ctrl-C", flush=True)
        if not is_loopback(host):
            print(
                f"warning: listening on {host}: everyone who can reach this machine can move the model and open "
                "machine files that you can read; there is no password",
                file=sys.stderr,
            )
        if not no_browser:
            webbrowser.open(address(server))
        threading.Event().wait()
    except KeyboardInterrupt:
        print("closed", flush=True)
    finally:
        page.stop()
        stop_server(server)
