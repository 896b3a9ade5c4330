"""Progress of long work on standard error: a bar on a terminal, lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Event
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from gough.errors import printable
from gough.workers import in_thread

if TYPE_CHECKING:
    from rich.progress import Progress


Made = TypeVar("Made")

PATIENCE = 1.0
"""Time without output before progress is shown on a terminal [s]."""
LOG_PATIENCE = 5.0
"""The same in a log [s]."""
PERIOD = 0.1
"""Time between two updates of a bar [s]."""
STEPS = 1000
"""Resolution of a bar whose total is given by the work itself."""

Listener = Callable[[str, int, int | None], None]
"""Called with the name of the work, how much of it is done, and the total where that is known."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class _Bar:
    """Work that is being done, and its bar on standard error; a line where that is not a terminal."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.since, self._printed = monotonic(), ""
        self._display: Progress | None = None

    def advance(self, count: int, total: int | None = None, what: str = "") -> None:
        self.done += count
        self.total = self.total if total is None else total
        self.what = what or self.what

    def show_until(self, is_over: Event) -> None:
        """Show what is done, once that takes long and while no part of it has a bar itself."""
        while not is_over.wait(PERIOD):
            if _BARS[-1:] != [self]:
                self._hide()
            elif self._printed or monotonic() - self.since > (PATIENCE if sys.stderr.isatty() else LOG_PATIENCE):
                self._show()
        self._hide()

    def _show(self) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        from gough._compile import Compilation

        console, compiling = Console(stderr=True), ""
        if now := Compilation.now[-1:]:
            seconds = int(perf_counter() - now[0].since) if console.is_terminal else 0
            compiling = f": compiling {now[0].name}{f', {seconds} s' if seconds else ''}"
        words = printable(self.what + compiling)
        if not console.is_terminal and self._printed != self.what:
            print(f"{words} ...", file=sys.stderr, flush=True)
        elif console.is_terminal:
            if self._display is None:
                self._display = Progress(console=console, transient=True)
                self._display.add_task("", total=self.total)
                self._display.start()
            self._display.update(
                self._display.task_ids[0], description=escape(words), completed=self.done, total=self.total
            )
        self._printed = self.what

    def _hide(self) -> None:
        if self._display is not None:
            self._display.stop()
        self.since, self._printed, self._display = monotonic(), "", None


_BARS: list[_Bar | None] = []
"""Work that is being done, the innermost last; None while the program waits for input."""


def show_compilation() -> None:
    """Report on a terminal how many kernels were compiled, how long that took, and where they are kept."""
    compiler: Any = sys.modules.get("gough._compile")  # help imports nothing that computes
    if compiler is None or not compiler.Compilation.count or not sys.stderr.isatty():
        return
    done, folder = compiler.Compilation, compiler.cache_folder()
    where = "which could not be kept" if folder is None else f"kept in {folder}"
    kernels = "1 kernel" if done.count == 1 else f"{done.count} kernels"
    sys.stderr.write(f"compiled {kernels} in {done.seconds:.1f} s, {where}\n")


@contextmanager
def reported_to(listener: Listener) -> Iterator[None]:
    """Report all progress in this thread to a listener instead of the terminal; it may raise, which ends the work."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show the progress of `what` once it takes long, with a bar where its total is known; yields its `advance`."""
    listener, bar, is_over = _LISTENER.get(), _Bar(what, total), Event()
    if listener is None:
        with _innermost(bar):
            showing = in_thread(bar.show_until, is_over)
            try:
                yield bar.advance
            finally:
                is_over.set()
                showing.result()  # raises where the reader of standard error has gone
        return

    def advance(*given: Any) -> None:
        bar.advance(*given)
        listener(bar.what, bar.done, bar.total)

    listener(what, 0, total)
    yield advance


@contextmanager
def _innermost(bar: _Bar | None) -> Iterator[None]:
    _BARS.append(bar)
    try:
        yield
    finally:
        _BARS.remove(bar)


def waiting() -> AbstractContextManager[None]:
    """Suspend progress while the program waits for input."""
    return _innermost(None)


def watched(what: str, function: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """`function(..., progress=...)` with a bar.

    `progress` receives how much is done and the total, before them a new name of the work where that changes.
    """
    with progress(what) as advance:
        reached = 0

        def report(*given: Any) -> None:
            nonlocal reached
            *words, done, total = given
            now = int(STEPS * done / total) if total else 0
            if now != reached or words:  # calls may be far more frequent than the bar's steps
                advance(now - reached, STEPS, *words)
                reached = now

        return function(*arguments, **options, progress=report)
