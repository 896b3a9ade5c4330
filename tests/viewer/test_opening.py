"""How the page comes into a browser: no command line holds its token."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

import pytest

import gough
from gough.errors import InputError

pytest.importorskip("viser", reason="viser is not installed")
GOUGH = [sys.executable, "-c", "import sys; from gough.cli import main; sys.exit(main())"]
PATIENCE = 60
BROWSER = '#!/bin/sh\nprintf "%s" "$*" > "{told}.part" && mv "{told}.part" "{told}"\n'
"""A browser that writes down its command line."""


def listen_to_ctrl_c():
    """A shell that runs tests in the background makes them deaf to Ctrl-C, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_the_token_is_in_a_private_file_and_in_no_command_line(tmp_path):
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(BROWSER.format(told=told))
    browser.chmod(0o700)
    with subprocess.Popen(
        [*GOUGH, "view", "hexel"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)},
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - no threads here
    ) as process:
        address = process.stdout.readline().split()[3]
        until = time.monotonic() + PATIENCE
        while not told.exists() and time.monotonic() < until:
            time.sleep(0.02)
        command = told.read_text()
        page = Path(unquote(urlsplit(command).path))
        modes = [stat.S_IMODE(place.stat().st_mode) for place in (page.parent, page)]
        text = page.read_text()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    token = address.partition("token=")[2]
    assert len(token) == 32
    assert token not in command
    assert f'content="0;url={address}"' in text
    assert modes == [0o700, 0o600]
    assert not page.parent.exists()
    assert process.returncode == 0


def test_one_call_opens_the_page_and_closing_it_ends_it():
    machine = gough.load("hexel")
    with gough.view(machine, opens_browser=False) as page:
        assert page.view.state.machine is machine
        with urlopen(page.address, timeout=PATIENCE) as answer:
            assert b"<title>Gough" in answer.read()
    with pytest.raises(URLError):
        urlopen(page.address, timeout=PATIENCE)
    with pytest.raises(InputError, match=r"cannot listen on nowhere\.invalid"):
        gough.view(machine, host="nowhere.invalid", opens_browser=False)
