"""The page's server: where it listens, how it begins and ends, whom it lets in."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gough.errors import InputError
from gough.viewer.site import served

if TYPE_CHECKING:
    import viser

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
PLAIN = "/?plain"
"""What makes the page draw as it does without a graphics card."""


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
    """A server that is up, quiet on the terminal, and asks nothing of the internet."""
    import viser
    from viser import _messages

    check_address(host, port)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # connections that break off are no news
    with contextlib.redirect_stdout(io.StringIO()), served():
        server = viser.ViserServer(host=host, port=port, label="Gough", verbose=False)
    # Its share button would ask a server on the internet for a tunnel to this machine.
    server._websock_server.unregister_handler(_messages.ShareUrlRequest)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(194, 65, 12))
    _let_in_only_own_pages(server, host)
    return server


def address(server: viser.ViserServer, *, plain: bool = False) -> str:
    """Where the page is to be opened on this machine; `plain` draws as without a graphics card."""
    host = server.get_host()
    shown = LOOPBACK if host in EVERYWHERE else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{server.get_port()}{PLAIN if plain else ''}"


def stop_server(server: viser.ViserServer) -> None:
    """Close the page and the sockets; nothing is printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _let_in_only_own_pages(server: viser.ViserServer, host: str) -> None:
    """Turn away pages of other sites that a browser has open: any of them may try addresses on this machine."""
    connections = server._websock_server

    def check(client: viser.infra.WebsockClientConnection) -> None:
        request = connections._live_connections[client.client_id].request
        assert request is not None  # the handshake is over
        origin, asked = request.headers.get("Origin"), request.headers.get("Host", "")
        if origin is not None and not is_own_page(origin, asked, host):
            connections._client_state_from_id.pop(client.client_id, None)
            connections._live_connections.pop(client.client_id, None)
            raise PermissionError(f"a page of {origin} asked for the viewer")

    connections._client_connect_cb.insert(0, check)


def is_own_page(origin: str, asked: str, host: str) -> bool:
    """Whether the page of a request came from this server: same place, under a name of its own."""
    if urlsplit(origin).netloc != asked:
        return False
    # A foreign name that leads to loopback would be the same place, but not our name.
    return not is_loopback(host) or is_loopback(urlsplit(f"//{asked}").hostname or "")
