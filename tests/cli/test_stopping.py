"""Long work shows progress and stops cleanly; a reader that goes away is no error."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.thorough import thorough

from gough.cli import READER_GONE, STOPPED, main
from gough.cli import progress as progress_module
from gough.cli.progress import progress

GOUGH = [sys.executable, "-c", "import sys; from gough.cli import main; sys.exit(main())"]
PATIENCE = 60
"""Before a process that does not answer fails the test [s]."""


def listen_to_ctrl_c():
    """A shell that runs tests in the background makes them deaf to Ctrl-C, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_bar_is_gone_when_the_work_is_done(monkeypatch, capsys):
    """Nothing is written over the answer that comes next."""
    monkeypatch.setattr(progress_module, "LOG_PATIENCE", 0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    seen = []
    with progress("working"):
        wait_until(lambda: seen.append(capsys.readouterr().err) or any("working" in text for text in seen))
    capsys.readouterr()
    time.sleep(0.3)  # Rich renews ten times a second
    assert capsys.readouterr().err == ""


def said(err):
    """The lines of standard error but for progress, which a busy computer shows where a quiet one need not."""
    return [line for line in err.splitlines() if not line.endswith(" ...")]


def test_ctrl_c_stops_with_a_word_and_nothing_written(tmp_path):
    poses = tmp_path / "poses.csv"
    os.mkfifo(poses)
    command = [*GOUGH, "inverse", "hexel", "--csv", str(poses), "-o", str(tmp_path / "q.csv")]
    with (
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - no threads here
        ) as process,
        poses.open("w") as writer,  # opens once the command has begun to read
    ):
        writer.write("x,y,z\n0,0,800\n")
        writer.flush()
        time.sleep(0.5)  # until it waits for more: Python loses a signal that comes just before a read that blocks
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == STOPPED
    assert out == ""
    assert said(err) == ["stopped"]
    assert [path.name for path in tmp_path.iterdir()] == ["poses.csv"]


@pytest.mark.parametrize("rows", [*thorough(1), 5000])  # fits the pipe's buffer, does not
def test_a_closed_pipe_is_quiet(run, tmp_path, rows):
    run("inverse", "hexel")  # so that nothing is left to compile, which would be told
    poses = tmp_path / "poses.csv"
    poses.write_text("x,y,z\n" + "0,0,800\n" * rows)
    command = [*GOUGH, "inverse", "hexel", "--csv", str(poses)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert said(process.stderr.read()) == []
        assert process.wait(PATIENCE) == READER_GONE


BUSY = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"  # minutes in C, deaf to signals, as a kernel is
LATE = 3.0
"""Ctrl-C ends a command within a second; a busy computer adds to that [s]."""


@pytest.mark.parametrize(
    "work",
    [
        "lambda *_: busy()",  # the main thread
        "lambda *_: (setattr(os, 'replace', lambda *_: busy()), write_whole(Path('q.csv'), 'x'))",  # files half done
        *thorough(
            "lambda *_: run_batch(lambda _: busy(), 10**6)",  # threads of the pool
            "lambda *_: ctypes.CFUNCTYPE(None)(wait)()",  # a callback, where Python only prints that it was interrupted
        ),
    ],
)
def test_ctrl_c_ends_what_cannot_hear_it(work, tmp_path):
    program = f"""
import ctypes, hashlib, os, sys, time
from pathlib import Path
import gough.cli.pose_input
from gough.workers import run_batch
from gough.cli import main
from gough.files import write_whole
def busy():
    os.write(1, b"busy\\n")  # at once: lines that are printed by two threads may run into one another
    {BUSY}
def wait():
    os.write(1, b"busy\\n")
    time.sleep(0.3)
    end = time.monotonic() + 600
    while time.monotonic() < end:
        pass
gough.cli.pose_input.read_pose_rows = {work}
sys.exit(main())
"""
    command = [sys.executable, "-c", program, "inverse", "hexel"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - no threads here
    ) as process:
        try:
            assert process.stdout.readline() == "busy\n"
            time.sleep(0.1)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE)
            took = time.monotonic() - sent
        finally:
            process.kill()  # or leaving would wait until it is no longer busy
    assert process.returncode == STOPPED
    assert said(err) == ["stopped"]
    assert took < LATE
    assert list(tmp_path.iterdir()) == []


def test_a_letter_the_terminal_lacks_is_no_failure(tmp_path):
    (tmp_path / "mine.toml").write_text("")
    command = [*GOUGH, "machines"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=PATIENCE)
    assert done.returncode == 0
    assert b"hexel" in done.stdout


def test_interrupted_in_between_stops_as_well(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("gough.cli.inputs.read_pose_rows", interrupted)
    assert main(["inverse", "hexel"]) == STOPPED
    assert capsys.readouterr() == ("", "stopped\n")


def wait_until(condition):
    until = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    assert condition()


def test_quick_work_shows_nothing(capsys):
    with progress("thinking", 10) as advance:
        advance(10)
    assert capsys.readouterr() == ("", "")


def test_slow_work_says_what_it_does(monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "LOG_PATIENCE", 0)
    seen = []
    with progress("thinking", 10):
        wait_until(lambda: seen.append(capsys.readouterr().err) or any("thinking" in text for text in seen))
    assert "".join(seen) == "thinking ...\n"


def test_slow_work_shows_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "LOG_PATIENCE", 0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes any output for a terminal
    seen = []
    with progress("thinking", 10) as advance:
        advance(4)
        wait_until(lambda: seen.append(capsys.readouterr().err) or any("40%" in text for text in seen))
    assert "thinking" in "".join(seen)


def test_a_terminal_says_what_is_compiled_and_for_how_long(monkeypatch, capsys):
    from gough._compile import Compilation, Compiling

    monkeypatch.setattr(progress_module, "LOG_PATIENCE", 0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(Compilation, "now", [Compiling("margins_batch", time.perf_counter() - 7.5)])
    seen = []
    with progress("thinking", 10):
        wait_until(lambda: seen.append(capsys.readouterr().err) or any("7 s" in text for text in seen))
    assert "thinking: compiling margins_batch, 7 s" in "".join(seen)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal to write to")
def test_what_was_compiled_is_told_once_and_on_a_terminal_only(tmp_path):
    import pty

    (tmp_path / "_twice.py").write_text("from gough._compile import kernel\ntwice = kernel(lambda x: 2.0 * x)\n")
    call = "from gough.cli import main; import _twice; _twice.twice(1.5); raise SystemExit(main())"
    kept, paths = tmp_path / "kernels", os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "GOUGH_CACHE_DIR": str(kept), "PYTHONPATH": paths}

    def told(ours, theirs):
        with open(ours, "rb", buffering=0) as reader, open(theirs, "wb", buffering=0) as writer:
            subprocess.run([sys.executable, "-c", call, "--version"], stderr=writer, env=environment, check=True)
            writer.write(b"end\n")
            text = b""
            while b"end" not in text:
                text += reader.read(10_000)
        return re.findall("compiled [^\r\n]*", text.decode())  # a busy computer shows progress before it

    (line,) = told(*pty.openpty())
    assert re.fullmatch(rf"compiled 1 kernel in \d+\.\d s, kept in {re.escape(str(kept))}/[0-9a-f]+", line)
    assert told(*pty.openpty()) == [], "it was kept"
    shutil.rmtree(kept)
    assert told(*os.pipe()) == []


def test_commands_show_their_progress_on_standard_error_only(run, monkeypatch):
    monkeypatch.setattr(progress_module, "LOG_PATIENCE", 0)
    quick = run("inverse", "hexel", "--csv", "-", stdin="x,y,z\n" + "0,0,800\n" * 50_000)
    assert "reading standard input ..." in quick.err
    assert "reading" not in quick.out
    assert len(quick.rows) == 50_000


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_killed_command_leaves_the_old_file_or_the_new_one():
    """A part of `python -m tests.kills`."""
    command = [sys.executable, "-W", "ignore:.*fork:DeprecationWarning", "-m", "tests.kills", "8", "export", "path"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ctrl_c_before_the_command_is_imported_has_a_word():
    program = (
        "import gough.cli, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "gough.cli._open_closed_streams = lambda: signal.raise_signal(signal.SIGINT)\n"
        "gough.cli.run_process()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "stopped\n")
