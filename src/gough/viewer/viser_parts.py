"""All uses of viser's private parts, each checked by `tests/architecture/test_dependencies.py`.

viser has no argument for the page it serves, for a check of requests or of messages, or for a script to run. A frame
that is not a known message closes its connection; a message whose value an input cannot hold is ignored.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from gough.present.units import megabytes
from gough.viewer.access import Guard

if TYPE_CHECKING:
    import viser

LONGEST = 4096
"""Longest text [characters]."""
MOST_TRANSFERS = 16
"""Largest number of uploads at the same time; the oldest is dropped."""


class Frames:
    """Reads frames in place of viser's class of messages.

    Parameters
    ----------
    theirs : type
        That class, whose `deserialize` makes a message of bytes.
    most_bytes : int
        Largest size of an upload.

    Attributes
    ----------
    input_of : callable
        Value and properties of the input with a key, None where there is none; set once the page has inputs.
    notify : callable
        Receives a sentence about an upload that is refused.

    """

    def __init__(self, theirs: Any, most_bytes: int) -> None:
        self._theirs, self._most_bytes = theirs, most_bytes
        self.input_of: Callable[[str], tuple[Any, Any] | None] = lambda key: None
        self.notify: Callable[[str], None] = lambda words: None
        self._room: dict[str, int] = {}

    def deserialize(self, raw: bytes) -> Any:
        """The message in a frame, None for one to ignore; raises any exception for bytes that are no message."""
        import msgspec

        # viser's own reader checks no types: a field that does not convert to its declared type raises here.
        fields = msgspec.msgpack.decode(raw, type=dict[str, Any])
        hints = _fields(self._theirs)[fields.pop("type")]
        for name, value in fields.items():
            if not _is_finite(msgspec.convert(value, hints[name])):
                return None
        message = self._theirs.deserialize(raw)
        check = {
            "GuiUpdateMessage": self._is_update,
            "FileTransferStartUpload": self._is_upload,
            "FileTransferPart": self._is_part,
        }.get(type(message).__name__)
        return message if check is None or check(message) else None

    def _is_update(self, message: Any) -> bool:
        """Whether the message sets a value, and nothing else, that an input can hold."""
        found = self.input_of(message.uuid)
        return found is not None and message.updates.keys() == {"value"} and fits(message.updates["value"], *found)

    def _is_upload(self, message: Any) -> bool:
        """Whether a file may be sent: to an upload button, and no larger than is read."""
        found = self.input_of(message.source_component_uuid)
        if found is None or not hasattr(found[0], "content"):
            return False
        if message.size_bytes > self._most_bytes:
            sizes = f"{megabytes(message.size_bytes)}, at most {megabytes(self._most_bytes)}"
            self.notify(f"The upload of {message.filename[:80]} is refused: it holds {sizes} are taken.")
            return False
        while len(self._room) >= MOST_TRANSFERS:
            del self._room[next(iter(self._room))]
        self._room[message.transfer_uuid] = message.size_bytes
        return bool(message.size_bytes >= 0)

    def _is_part(self, message: Any) -> bool:
        """Whether a part belongs to an announced file, and all parts so far to its announced size."""
        room = self._room.pop(message.transfer_uuid, -1) - len(message.content)
        if room > 0:
            self._room[message.transfer_uuid] = room
        return room >= 0


def fits(value: Any, now: Any, properties: Any) -> bool:
    """Whether an input that holds `now` can hold `value`."""
    options = getattr(properties, "options", None)
    if options is not None:
        return value in options
    low, high = getattr(properties, "min", None), getattr(properties, "max", None)
    if isinstance(now, tuple):
        if not isinstance(value, list | tuple) or len(value) != len(now):
            return False
        lows, highs = (end if isinstance(end, list | tuple) else [end] * len(now) for end in (low, high))
        return all(fits_between(*each) for each in zip(value, lows, highs, strict=True))
    if isinstance(now, bool):  # before numbers, as a bool is an int
        return isinstance(value, bool)
    if isinstance(now, str):
        return isinstance(value, str) and len(value) <= LONGEST
    return isinstance(now, int | float) and fits_between(value, low, high)


def fits_between(value: Any, low: float | None, high: float | None) -> bool:
    """Whether a value is a finite number from `low` to `high`, None for no end."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return (low is None or value >= low) and (high is None or value <= high)


def _is_finite(value: Any) -> bool:
    """Whether all floats in a nested value are finite."""
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


@cache
def _fields(theirs: Any) -> dict[str, dict[str, Any]]:
    """Types of the fields of every kind of message, by name."""
    return {kind.__name__: get_type_hints(kind) for kind in theirs.get_subclasses()}


UNREADABLE = 1007
"""Code for closing a connection whose frames are no messages (RFC 6455, 7.4.1)."""


def page_file() -> Path:
    """Viser's page."""
    import viser

    return Path(viser.__file__).parent / "client" / "build" / "index.html"


def make_server(host: str, port: int, root: Path, guard: Guard, most_bytes: int) -> viser.ViserServer:
    """A server of the page in the folder `root` that answers the requests which `guard` accepts."""
    import viser
    from viser import _messages

    frames = Frames(_messages.Message, most_bytes)
    with _replaced(root, guard, frames), contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label="Gough", verbose=False)
    frames.input_of = lambda key: _input_of(server, key)
    frames.notify = lambda words: notify(server, words)
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


def _input_of(server: viser.ViserServer, key: str) -> tuple[Any, Any] | None:
    """Value and properties of an input of the page, None where there is no such input."""
    handle = server.gui._gui_input_handle_from_uuid.get(key)
    return None if handle is None else (handle._impl.value, handle._impl.props)


def notify(server: viser.ViserServer, words: str) -> None:
    """Show an error in every window."""
    for client in server.get_clients().values():
        client.add_notification("Error", words, color="red", auto_close_seconds=12.0)


@contextmanager
def _replaced(root: Path, guard: Guard, frames: Frames) -> Iterator[None]:
    """Within this context viser makes servers with our page, guard and reader of frames."""
    # viser's server makes both by these names when it starts: the module's attributes are the only way in.
    import websockets.asyncio.server as websockets
    from viser import infra

    connections, serve = infra.WebsockServer, websockets.serve

    def make(*args: Any, **options: Any) -> infra.WebsockServer:
        return connections(*args, **(options | {"http_server_root": root, "message_class": frames}))

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
