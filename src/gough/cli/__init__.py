"""The command line `gough`: one small file per command (parse, call one function, print).

Exit codes: 0 done; 1 an iteration did not converge; 2 the request was wrong (a sentence on standard error says why);
130 stopped with Ctrl-C, or by SIGTERM; 141 the reader of the output closed it.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from gough.errors import READER_GONE as READER_GONE
from gough.errors import STOPPED as STOPPED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. `arguments` are those of the process if not given."""
    _open_closed_streams()
    if arguments is not None:
        return _run(arguments)  # called from a program, which keeps its signal handlers
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the same bits on any number of cores
    from gough.cli.progress import progress, show_compilation
    from gough.cli.stopping import run_until_stopped

    with progress("working"):
        code = run_until_stopped(lambda: _run(None))
    if code != STOPPED:
        show_compilation()
    return code


def run_process() -> NoReturn:
    """Run one command, and end the process by its exit code."""
    try:
        code = main()
    except KeyboardInterrupt:  # before the command is imported
        from gough.cli.stopping import STOP

        code = STOP.leave()
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # its encoding may lack a character
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from gough.cli.app import command
        from gough.cli.options import Process

        given, process = (None, Process.OWN) if arguments is None else (list(arguments), Process.CALLER)
        only = sys.argv[1] if given is None and len(sys.argv) > 1 else ""
        code = command(only)(given, prog_name="gough", standalone_mode=False, obj=process)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = STOPPED
    except (BrokenPipeError, SystemExit):  # Typer exits by itself where a write meets a closed pipe
        return _reader_gone()
    except Exception as error:
        message, code = _sentence(error)
        if not message:
            raise
        print("\n".join(f"error: {line}" for line in message.splitlines()), file=sys.stderr)
    if code == STOPPED and arguments is not None:
        print("stopped", file=sys.stderr)
    return int(code or 0)


class _Closed(io.RawIOBase):
    """A standard stream that the parent process has closed; using it raises `OSError`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.refusal = OSError(errno.EBADF, "it is closed", name)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise self.refusal

    writable, write = readable, readinto


def _open_closed_streams() -> None:
    """Replace closed standard streams, and reserve their file descriptors, which the next files would get."""
    while (lowest := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(lowest, True)
    os.close(lowest)
    for name, words in (("stdin", "standard input"), ("stdout", "standard output")):
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(_Closed(words), write_through=True))
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _sentence(error: Exception) -> tuple[str, int]:
    """The message of an error, a line for each problem, and the exit code; no message for a defect of Gough."""
    from gough.errors import GoughError, in_words, printable

    if isinstance(error, GoughError | OSError):
        return printable(in_words(error)), getattr(error, "exit_code", 2)
    if hasattr(error, "format_message"):  # a usage error, in all versions of Typer
        from gough.cli.app import usage_sentence

        return printable(usage_sentence(error)), 2
    if isinstance(error, MemoryError):
        return f"not enough memory ({error or 'none left'}): use fewer samples, positions or rows", 2
    return "", 1


def _reader_gone() -> int:
    """Exit without a message: what is still buffered would fail again when Python flushes it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return READER_GONE
