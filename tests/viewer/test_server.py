"""Where the page listens, and how the command begins and ends."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from tests.thorough import thorough

from gough.cli import main

pytest.importorskip("viser", reason="viser is not installed")
GOUGH = [sys.executable, "-c", "import sys; from gough.cli import main; sys.exit(main())"]
PATIENCE = 60


def listen_to_ctrl_c():
    """A shell that runs tests in the background makes them deaf to Ctrl-C, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("name", "end"), [("hexel", signal.SIGINT), *thorough(("double-hexapod", signal.SIGTERM))])
def test_the_command_prints_its_address_serves_the_page_and_closes_when_told(name, end):
    with subprocess.Popen(
        [*GOUGH, "view", name, "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - no threads here
    ) as process:
        first = process.stdout.readline()
        place = re.fullmatch(name + r" is at (http://127\.0\.0\.1:(\d+)/\?token=[\w-]{32}) until Ctrl-C\n", first)
        assert place, first
        port = int(place[2])
        assert b"<html" in urllib.request.urlopen(place[1], timeout=PATIENCE).read()
        process.send_signal(end)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, "closed\n")
    assert all(line.endswith(" ...") for line in err.splitlines())  # progress, where the computer is busy
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
    monkeypatch.setattr("gough.viewer.view.find_spec", lambda name: None)
    assert main(["view", "hexel"]) == 2
    assert (
        capsys.readouterr().err
        == "error: gough view needs viser; install it in a checkout of Gough with: pip install '.[view]'\n"
    )
