"""Where the page listens, and how the command begins and ends."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from gough.cli import main

pytest.importorskip("viser", reason="viser is not installed")
GOUGH = [sys.executable, "-c", "import sys; from gough.cli import main; sys.exit(main())"]
PATIENCE = 60


def listen_to_ctrl_c():
    """A shell that runs tests in the background makes them deaf to Ctrl-C, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("name", ["hexel", "double-hexapod"])
def test_the_command_prints_its_address_serves_the_page_and_closes_on_ctrl_c(name):
    with subprocess.Popen(
        [*GOUGH, "view", name, "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - no threads here
    ) as process:
        first = process.stdout.readline()
        place = re.fullmatch(name + r" is at http://127\.0\.0\.1:(\d+) until Ctrl-C\n", first)
        assert place, first
        port = int(place[1])
        assert b"<html" in urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=PATIENCE).read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "closed\n", "")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def test_a_port_that_is_taken_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["view", "hexel", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "Address already in use; choose another --host or --port" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_told(host, capsys):
    assert main(["view", "hexel", "--no-browser", "--host", host]) == 2
    assert f"cannot listen on {host}, port 0" in capsys.readouterr().err


def test_a_machine_that_does_not_exist_starts_nothing(capsys):
    assert main(["view", "hexle", "--no-browser"]) == 2
    assert "no machine 'hexle'" in capsys.readouterr().err


def test_without_viser_it_says_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setattr("gough.cli.view.find_spec", lambda name: None)
    assert main(["view", "hexel"]) == 2
    assert capsys.readouterr().err == "error: gough view needs viser; install it with: pip install 'gough[view]'\n"


def test_only_own_pages_are_let_in():
    from gough.viewer.server import is_own_page

    assert is_own_page("http://127.0.0.1:8000", "127.0.0.1:8000", "127.0.0.1")
    assert is_own_page("http://localhost:8000", "localhost:8000", "127.0.0.1")
    assert not is_own_page("http://elsewhere.example", "127.0.0.1:8000", "127.0.0.1")
    assert not is_own_page("http://127.0.0.1:9000", "127.0.0.1:8000", "127.0.0.1")
    assert not is_own_page("http://elsewhere.example:8000", "elsewhere.example:8000", "127.0.0.1")
    assert is_own_page("http://lab.example:8000", "lab.example:8000", "0.0.0.0")


def test_the_page_of_another_site_is_turned_away():
    import viser
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    from gough.viewer.server import start_server, stop_server

    server = start_server()
    try:
        place, protocol = f"127.0.0.1:{server.get_port()}", f"viser-v{viser.__version__}"
        with connect(f"ws://{place}", subprotocols=[protocol], origin=f"http://{place}") as own:
            assert own.recv(timeout=PATIENCE)
        with (
            connect(f"ws://{place}", subprotocols=[protocol], origin="http://elsewhere.example") as other,
            pytest.raises(ConnectionClosed),
        ):
            other.recv(timeout=PATIENCE)
    finally:
        stop_server(server)
