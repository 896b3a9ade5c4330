"""Bytes that are no message of the page close their connection, and the page goes on for others."""

import logging

import msgspec
import pytest

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


@pytest.mark.parametrize("frame", [b"\x00" * 99, b"\x91" * 5000, exact("NoSuchMessage")])
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
