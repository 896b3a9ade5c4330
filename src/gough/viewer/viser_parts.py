"""All uses of viser's private parts, each checked by `tests/architecture/test_dependencies.py`.

viser has no argument for the page it serves, for a check of requests, for a script to run, or for the labels under the
ends of a slider that exists.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.viewer.access import Guard

if TYPE_CHECKING:
    import viser

UNREADABLE = 1007
"""Code for closing a connection whose frames are no messages (RFC 6455, 7.4.1)."""


def page_file() -> Path:
    """Viser's page."""
    import viser

    return Path(viser.__file__).parent / "client" / "build" / "index.html"


def make_server(host: str, port: int, root: Path, guard: Guard) -> viser.ViserServer:
    """A server of the page in the folder `root` that answers the requests which `guard` accepts."""
    import viser
    from viser import _messages

    with _replaced(root, guard), contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label="Gough", verbose=False)
    # Its share button would ask a server on the internet for a tunnel to this machine.
    server._websock_server.unregister_handler(_messages.ShareUrlRequest)
    server._websock_server.unregister_handler(_messages.ShareUrlDisconnect)
    return server


def run_script(client: viser.ClientHandle, script: str) -> None:
    """Run a line of JavaScript in a window."""
    from viser._messages import RunJavascriptMessage

    client.gui._websock_interface.queue_message(RunJavascriptMessage(source=script))


def mark_ends(slider: viser.GuiSliderHandle[float], low: str, high: str) -> None:
    """Write labels under both ends of a slider; viser's own have six decimals, however little room there is."""
    from viser._messages import GuiSliderMark

    slider._marks = (GuiSliderMark(slider.min, low), GuiSliderMark(slider.max, high))


def notify(server: viser.ViserServer, words: str) -> None:
    """Show an error in every window."""
    for client in server.get_clients().values():
        client.add_notification("Error", words, color="red", auto_close_seconds=12.0)


@contextmanager
def _replaced(root: Path, guard: Guard) -> Iterator[None]:
    """Within this context viser makes servers with our page and guard."""
    # viser's server makes both by these names when it starts: the module's attributes are the only way in.
    import websockets.asyncio.server as websockets
    from viser import infra

    connections, serve = infra.WebsockServer, websockets.serve

    def make(*args: Any, **options: Any) -> infra.WebsockServer:
        return connections(*args, **(options | {"http_server_root": root}))

    def guarded(handler: Any, *args: Any, process_request: Any, **options: Any) -> Any:
        def process(connection: Any, request: Any) -> Any:
            refusal = guard.refusal(request)
            if refusal is not None:
                return connection.respond(403, refusal)
            response = process_request(connection, request)
            if response is not None:
                guard.dress(request, response)
            return response

        return serve(_closing(handler), *args, process_request=process, **options)

    infra.WebsockServer = make  # type: ignore[assignment, misc]
    websockets.serve = guarded  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        infra.WebsockServer, websockets.serve = connections, serve  # type: ignore[misc]


def _closing(handler: Any) -> Any:
    """The handler of a connection; frames that cannot be read close it."""
    from websockets.exceptions import ConnectionClosed

    async def handle(connection: Any) -> None:
        try:
            await handler(connection)
        except ConnectionClosed:
            pass
        except Exception:  # any error in a frame from the page must not end the server, or print a traceback
            await connection.close(UNREADABLE, "not a message of the viewer's page")

    return handle
