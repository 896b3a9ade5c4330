"""What comes from the page: garbage closes its connection, and inputs take what they can hold."""

import gc
import logging
import random
import time

import msgspec
import pytest
from tests.viewer.conftest import until

viser = pytest.importorskip("viser", reason="viser is not installed")
PATIENCE = 60
GARBAGE = 200
"""Frames that are sent."""


def connected(server, token):
    from websockets.sync.client import connect

    place = f"ws://127.0.0.1:{server.get_port()}/?token={token}"
    return connect(place, subprotocols=[f"viser-v{viser.__version__}"], max_size=None)


def kinds_of_messages():
    from viser import _messages

    return sorted(kind.__name__ for kind in _messages.Message.get_subclasses())


def random_frame(rng, keys, kinds):
    """Bytes, or a message of some kind with fields of any sort."""
    values = [0, 1.5, -(2**40), float("nan"), "text", "", b"bytes", None, True, [], [1, 2, 3], {"value": []}, *keys]
    if rng.random() < 0.2:
        return rng.randbytes(rng.randrange(60))
    if rng.random() < 0.5:  # as the page writes it, but for the value
        name = rng.choice(["value", "value", "value", "update_cb", "x"])
        return exact("GuiUpdateMessage", uuid=rng.choice(keys), updates={name: rng.choice(values)})
    names = ["uuid", "updates", "name", "wxyz", "position", "transfer_uuid", "content", "value", "fov", "part_index"]
    names += ["source_component_uuid", "part_count", "size_bytes", "filename", "mime_type", "owner", "frequency"]
    fields = {name: rng.choice(values) for name in rng.sample(names, rng.randrange(6))}
    fields |= {"uuid": rng.choice(keys)} if rng.random() < 0.7 else {}
    fields |= {"updates": {rng.choice(["value", "update_cb", "x"]): rng.choice(values)}} if rng.random() < 0.7 else {}
    used = ["GuiUpdateMessage", "FileTransferStartUpload", "FileTransferPart", "ViewerCameraMessage"]
    kind = rng.choice(used if rng.random() < 0.6 else kinds)
    return msgspec.msgpack.encode(fields | {"type": kind})


def exact(kind, **fields):
    return msgspec.msgpack.encode(fields | {"type": kind})


@pytest.mark.thorough
def test_garbage_closes_its_connection_and_leaves_no_trace(view, capfd, caplog):
    from websockets.exceptions import ConnectionClosed

    from gough.viewer.server import token_of

    token = token_of(view.server).partition("=")[2]
    keys, rng = list(view.server.gui._gui_input_handle_from_uuid), random.Random(7)
    before = {key: handle._impl.value for key, handle in view.server.gui._gui_input_handle_from_uuid.items()}
    kinds = kinds_of_messages()
    frames = ["text", b"", b"\x00" * 99, b"\x91" * 5000, *(random_frame(rng, keys, kinds) for _ in range(GARBAGE))]
    codes = []
    while frames:
        with connected(view.server, token) as link:
            try:
                while frames:
                    link.send(frames.pop())
                    pong = link.ping()
                    assert until(lambda pong=pong, link=link: pong.is_set() or link.protocol.close_rcvd is not None)
            except ConnectionClosed as end:
                codes.append(end.rcvd.code)
    assert len(codes) > 10
    assert set(codes) == {1007}
    with connected(view.server, token) as link:  # the page goes on for others
        assert link.recv(timeout=PATIENCE)
    time.sleep(0.3)
    gc.collect()  # asyncio tells of what nobody asked for when it goes
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")
    after = {key: type(handle._impl.value) for key, handle in view.server.gui._gui_input_handle_from_uuid.items()}
    assert after == {key: type(value) for key, value in before.items()}


def test_inputs_take_what_they_can_hold_and_pass_over_the_rest(view):
    from gough.viewer.server import token_of

    token = token_of(view.server).partition("=")[2]
    path, handles = view.files._path, view.server.gui._gui_input_handle_from_uuid.values()
    mass, force = (
        next(each for each in handles if getattr(each, "label", "") == label) for label in ("payload [kg]", "force [N]")
    )
    pivot = next(handle for handle in handles if "point of interest" in getattr(handle, "options", ()))

    def send(link, handle, value, name="value"):
        link.send(exact("GuiUpdateMessage", uuid=handle._impl.uuid, updates={name: value}))

    with connected(view.server, token) as link:
        for value in (-1, float("nan"), float("inf"), "3", None, [1], True, {}):
            send(link, mass, value)
        for value in ([1, 2], [1, 2, "3"], [1, 2, float("nan")], 5, None, {}):
            send(link, force, value)
        send(link, path, "x" * 5000)
        send(link, pivot, "no such pivot")
        send(link, mass, [], name="update_cb")
        send(link, mass, 2)
        send(link, force, [1, 2.5, 3])
        assert until(lambda: force.value == (1.0, 2.5, 3.0))
        assert (mass.value, path.value) == (2.0, "")
        assert pivot.value == "point of interest"
        send(link, mass, 0)
        send(link, force, [0, 0, 0])
        assert until(lambda: force.value == (0.0, 0.0, 0.0))


def test_an_upload_is_no_larger_than_it_was_said_to_be(view):
    from viser import _messages

    from gough.viewer.viser_parts import Frames

    told, upload = [], view.files._motion
    frames = Frames(_messages.Message, most_bytes=1000)
    frames.input_of, frames.notify = lambda key: (upload._impl.value, upload._impl.props), told.append
    start = {"source_component_uuid": "u", "transfer_uuid": "t", "filename": "f", "mime_type": "", "part_count": 3}
    assert frames.deserialize(exact("FileTransferStartUpload", size_bytes=1001, **start)) is None
    assert told == ["The upload of f is refused: it holds 0.001001 MB, at most 0.001 MB are taken."]
    part = {"source_component_uuid": "u", "transfer_uuid": "t"}
    assert frames.deserialize(exact("FileTransferPart", part_index=0, content=b"12", **part)) is None
    assert frames.deserialize(exact("FileTransferStartUpload", size_bytes=5, **start)) is not None
    assert frames.deserialize(exact("FileTransferPart", part_index=0, content=b"123", **part)) is not None
    assert frames.deserialize(exact("FileTransferPart", part_index=1, content=b"456", **part)) is None
    frames.input_of = lambda key: (0.0, None)
    assert frames.deserialize(exact("FileTransferStartUpload", size_bytes=5, **start)) is None
