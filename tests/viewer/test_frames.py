"""Bytes that are no message of the page close their connection, and inputs take values that they can hold."""

import logging

import msgspec
import pytest
from tests.viewer.conftest import until

viser = pytest.importorskip("viser", reason="viser is not installed")
PATIENCE = 60
UNREADABLE = 1007
"""Code for closing a connection whose frames are no messages (RFC 6455, 7.4.1)."""


def connected(server, token):
    from websockets.sync.client import connect

    place = f"ws://127.0.0.1:{server.get_port()}/?token={token}"
    return connect(place, subprotocols=[f"viser-v{viser.__version__}"], max_size=None)


def exact(kind, **fields):
    return msgspec.msgpack.encode(fields | {"type": kind})


def test_inputs_take_values_that_they_can_hold_and_other_windows_go_on(view, capfd):
    from gough.viewer.server import token_of

    token = token_of(view.server).partition("=")[2]
    inputs = view.server.gui._gui_input_handle_from_uuid
    by_label = {getattr(handle, "label", ""): (key, handle) for key, handle in inputs.items()}
    (mass, payload), (force, applied), (path, _) = (by_label[name] for name in ("payload [kg]", "force [N]", "path"))
    pivot = next(key for key, handle in inputs.items() if "point of interest" in getattr(handle, "options", ()))
    before = [inputs[key]._impl.value for key in (mass, force, path, pivot)]
    wrong = [(mass, value) for value in (float("nan"), float("inf"), "3", None, [1], {}, -1.0)]
    wrong += [(force, value) for value in ([1, 2], [1, 2, "3"], [1, 2, float("nan")], 5, None, {})]
    wrong += [(path, "x" * 5000), (path, 1), (pivot, "no such pivot"), ("no such input", 1)]
    updates = [(key, {"value": value}) for key, value in wrong]
    updates += [(mass, {name: 5}) for name in ("update_cb", "sync_cb", "removed", "uuid")]
    with connected(view.server, token) as link:
        for key, fields in updates:
            link.send(exact("GuiUpdateMessage", uuid=key, updates=fields))
        link.send(exact("GuiUpdateMessage", uuid=force, updates={"value": [1, 2.5, 3]}))
        assert until(lambda: applied.value == (1.0, 2.5, 3.0))
        link.send(exact("GuiUpdateMessage", uuid=force, updates={"value": [0, 0, 0]}))
        link.send(exact("GuiUpdateMessage", uuid=mass, updates={"value": 2}))
        assert until(lambda: payload.value == 2.0)
        link.send(exact("GuiUpdateMessage", uuid=mass, updates={"value": 0}))
        assert until(lambda: [inputs[key]._impl.value for key in (mass, force, path, pivot)] == before)
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


@pytest.mark.parametrize(
    "frame", [b"\x00" * 99, b"\x91" * 5000, exact("NoSuchMessage"), exact("SceneNodeClickMessage", name=5)]
)
def test_garbage_closes_its_connection_and_leaves_no_trace(view, capfd, caplog, frame):
    from websockets.exceptions import ConnectionClosed

    from gough.viewer.server import token_of

    token = token_of(view.server).partition("=")[2]
    with connected(view.server, token) as link:
        link.send(frame)
        with pytest.raises(ConnectionClosed) as end:
            list(link)
    assert end.value.rcvd.code == UNREADABLE
    with connected(view.server, token) as link:
        assert link.recv(timeout=PATIENCE)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_a_file_larger_than_announced_or_allowed_is_not_received(view):
    from viser import _messages

    from gough.viewer.access import MOST_BYTES
    from gough.viewer.viser_parts import _Reader

    refusals = []
    reader = _Reader(_messages.Message)
    reader.notify = refusals.append
    announced = {"source_component_uuid": "x", "filename": "m.toml", "mime_type": "text/plain", "part_count": 2}

    def begins(name, size):
        frame = exact("FileTransferStartUpload", transfer_uuid=name, size_bytes=size, **announced)
        return reader.deserialize(frame) is not None

    def receives(name, content):
        part = {"source_component_uuid": "x", "transfer_uuid": name, "part_index": 0, "content": content}
        return reader.deserialize(exact("FileTransferPart", **part)) is not None

    assert begins("a", 4)
    assert receives("a", b"123")
    assert not receives("a", b"45"), "one byte more than announced"
    assert not receives("b", b"1"), "never announced"
    assert not begins("c", MOST_BYTES[""] + 1)
    assert [words.partition(":")[0] for words in refusals] == ["The upload of m.toml is refused"]
