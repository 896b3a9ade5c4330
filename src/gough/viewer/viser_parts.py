"""All uses of viser's private parts, each checked by `tests/architecture/test_dependencies.py`.

viser has no argument for the page it serves, for a check of requests, for a script to run, or for the labels under the
ends of a slider that exists.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from gough.present.units import megabytes
from gough.viewer.access import MOST_BYTES, Guard

if TYPE_CHECKING:
    import viser

UNREADABLE = 1007
"""Code for closing a connection whose frames are no messages (RFC 6455, 7.4.1)."""
LONGEST = 4096
"""Longest text that an input holds [characters]."""
MOST_TRANSFERS = 16
"""Largest number of uploads at the same time; the oldest is dropped."""


def page_file() -> Path:
    """Return Viser's page."""
    import viser

    return Path(viser.__file__).parent / "client" / "build" / "index.html"


def make_server(host: str, port: int, root: Path, guard: Guard) -> viser.ViserServer:
    """Return a server of the page in the folder `root` that answers the requests which `guard` accepts."""
    import viser
    from viser import _messages

    reader = _Reader(_messages.Message)
    with _replaced(root, guard, reader), contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label="Gough", verbose=False)
    # Its share button would ask a server on the internet for a tunnel to this machine.
    server._websock_server.unregister_handler(_messages.ShareUrlRequest)
    server._websock_server.unregister_handler(_messages.ShareUrlDisconnect)
    reader.inputs, reader.notify = server.gui._gui_input_handle_from_uuid, partial(notify, server)
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


class _Reader:
    """Reads messages in place of viser's class of messages, and ignores values that an input of the page cannot hold.

    viser assigns to any attribute of an input: such a message would disable that input in all windows.
    """

    def __init__(self, messages: Any) -> None:
        self.inputs: dict[str, Any] = {}
        self.notify: Callable[[str], None] = lambda words: None
        self._messages, self._room = messages, dict[str, int]()
        self._kinds = {kind.__name__: kind for kind in messages.get_subclasses()}

    def deserialize(self, raw: bytes) -> Any:
        """The message in a frame, None for one to ignore; any exception for bytes that are no message."""
        import msgspec

        fields = msgspec.msgpack.decode(raw, type=dict[str, Any])
        kinds = get_type_hints(self._kinds[fields.pop("type")])
        # viser's own reader checks no types: a field that does not convert to its declared type raises here.
        values = [msgspec.convert(value, kinds[name]) for name, value in fields.items()]
        message = self._messages.deserialize(raw)
        checks = {
            "GuiUpdateMessage": self._is_update,
            "FileTransferStartUpload": self._is_upload,
            "FileTransferPart": self._is_part,
        }
        is_valid = checks.get(type(message).__name__, lambda _: _is_finite(values))(message)
        return message if is_valid else None

    def _is_update(self, message: Any) -> bool:
        """Whether the message sets the value of an input, and nothing else of it."""
        handle = self.inputs.get(message.uuid)
        if handle is None or message.updates.keys() != {"value"}:
            return False
        return _fits(message.updates["value"], handle._impl)

    def _is_upload(self, message: Any) -> bool:
        """Whether a file is announced that is no larger than the viewer reads."""
        size, most = message.size_bytes, MOST_BYTES[""]
        if size > most:
            sizes = f"{megabytes(size)}, at most {megabytes(most)} are allowed"
            self.notify(f"The upload of {message.filename[:80]} is refused: it has {sizes}.")
            return False
        if len(self._room) >= MOST_TRANSFERS:
            del self._room[next(iter(self._room))]
        self._room[message.transfer_uuid] = size
        return bool(size >= 0)

    def _is_part(self, message: Any) -> bool:
        """Whether a part belongs to an announced file, and the parts so far are no larger than its announced size."""
        room = self._room.pop(message.transfer_uuid, -1) - len(message.content)
        if room > 0:
            self._room[message.transfer_uuid] = room
        return room >= 0


def _fits(value: Any, state: Any) -> bool:
    """Whether an input can hold a value: of the type of its present one, finite, an option, and between its ends."""
    import msgspec

    now, options = state.value, getattr(state.props, "options", None)
    kind = tuple[tuple(type(part) for part in now)] if isinstance(now, tuple) else type(now)  # type: ignore[misc]
    try:
        converted = msgspec.convert(value, kind)
    except (TypeError, ValueError):
        return False
    low, high = (getattr(state.props, end, None) for end in ("min", "max"))
    return (
        (options is None or value in options)
        and _is_finite(converted)
        and len(str(value)) <= LONGEST
        and (low is None or bool(np.all(np.greater_equal(converted, low))))
        and (high is None or bool(np.all(np.less_equal(converted, high))))
    )


def _is_finite(value: Any) -> bool:
    """Whether all numbers of a nested value are finite."""
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


@contextmanager
def _replaced(root: Path, guard: Guard, reader: _Reader) -> Iterator[None]:
    """Within this context viser makes servers with our page, guard and reader of messages."""
    # viser's server makes both by these names when it starts: the module's attributes are the only way in.
    import websockets.asyncio.server as websockets
    from viser import infra

    connections, serve = infra.WebsockServer, websockets.serve

    def make(*args: Any, **options: Any) -> infra.WebsockServer:
        return connections(*args, **(options | {"http_server_root": root, "message_class": reader}))

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
