"""Ctrl-C ends a command within a second, whatever it is doing.

Python raises KeyboardInterrupt in the main thread, between two of its own instructions: a compiled kernel, or LLVM
compiling one, would delay it. The command therefore runs in a thread that does not outlive the process, and the main
thread waits for it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from threading import Event, current_thread, main_thread

from gough.errors import STOPPED
from gough.workers import in_thread

GRACE = 0.6
"""Time within which a command that was waiting for the signal may finish [s]."""
PERIOD = 0.1
"""Time within which a signal is noticed on systems that do not interrupt a thread that waits [s]."""


class Stop:
    """Whether a signal ends this process, with which exit code and message."""

    def __init__(self) -> None:
        self.is_due, self.grace = Event(), 0.0
        self.code, self.word = STOPPED, "stopped"

    def wait(self) -> None:
        """Wait for the signal, which is then the regular end: no message, and exit code 0."""
        self.grace = GRACE
        self.is_due.wait()
        self.code, self.word = 0, ""

    def leave(self) -> int:
        """Remove temporary files, end workers and print the message as the last word; the exit code."""
        from gough import files, workers

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who cannot wait presses it again
        last, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # the thread of the command goes on until Python ends
            os.dup2(null, stream)
        files.end_writing()
        workers.end_all()
        with suppress(OSError, ValueError):
            ends = "\r\x1b[K\x1b[?25h" if os.isatty(last) else ""  # erases the bar, shows the cursor
            os.write(last, f"{ends}{self.word}\n".encode() if self.word else b"")
        return self.code


STOP = Stop()
"""The one of this process."""


def run_until_stopped(command: Callable[[], int]) -> int:
    """Run a command until it ends or SIGINT or SIGTERM comes; the exit code."""
    if current_thread() is not main_thread():
        return command()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    done = in_thread(command)
    try:
        while not wait([done], PERIOD).done:
            pass
    except KeyboardInterrupt:
        STOP.is_due.set()
        with suppress(KeyboardInterrupt):
            wait([done], STOP.grace)
        return STOP.leave()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late: the answer is there
    return done.result()
