"""Ctrl-C ends a command within a second, whatever it is doing.

Python handles a signal between two of its own instructions only: a compiled kernel, or LLVM compiling one, would delay
it. A thread is notified at once, by the file descriptor of `signal.set_wakeup_fd`, and ends the process when the main
thread has not done so in time.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

STOPPED = 130
"""Exit code after Ctrl-C."""
GRACE = 0.6
"""Time for the main thread to end the command by itself [s]."""


class Watch:
    """Exit code and message of the process where a signal ends it."""

    def __init__(self) -> None:
        self.code, self.word = STOPPED, "stopped"
        self._ending = threading.Lock()

    def leave(self) -> None:
        """End the process now, without waiting for its threads: their kernels cannot be interrupted."""
        if not self._ending.acquire(blocking=False):
            threading.Event().wait(GRACE)  # another thread is ending it, and may be blocked
        else:
            with suppress(Exception):
                from gough import files

                files.remove_temporary()
        with suppress(OSError, ValueError):
            ends = "\r\x1b[K\x1b[?25h" if sys.stderr.isatty() else ""  # erases the bar, shows the cursor
            os.write(2, f"{ends}{self.word}\n".encode() if self.word else b"")
        os._exit(self.code)

    def closed(self) -> None:
        """From now on a signal is the regular end: no message, and exit code 0."""
        self.code, self.word = 0, ""


WATCH = Watch()
"""The one of this process."""


@contextmanager
def heard_at_once() -> Iterator[None]:
    """While this lasts, SIGINT and SIGTERM end the process within `GRACE`; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    before, hook = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False), sys.unraisablehook
    sys.unraisablehook = _not_lost(hook)
    threading.Thread(target=_listen, args=(receiver,), name="stopping", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        sys.unraisablehook = hook
        sender.close()  # ends the thread


def _not_lost(hook: Callable[[sys.UnraisableHookArgs], object]) -> Callable[[sys.UnraisableHookArgs], object]:
    """Ends the process where Python would only print a KeyboardInterrupt: in a callback from LLVM."""

    def leave_or_report(what: sys.UnraisableHookArgs) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            WATCH.leave()
        hook(what)

    return leave_or_report


def _listen(receiver: socket.socket) -> None:
    with receiver:
        while heard := receiver.recv(1):
            if heard[0] in (signal.SIGINT, signal.SIGTERM):
                threading.Event().wait(GRACE)
                WATCH.leave()
