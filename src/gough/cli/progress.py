"""Progress of long work on standard error: a bar on a terminal, lines in a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Timer
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from gough.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress


Made = TypeVar("Made")

PATIENCE = 1.0
"""Time without output before progress is shown on a terminal [s]."""
LOG_PATIENCE = 5.0
"""The same in a log [s]."""
STEPS = 1000
"""Resolution of a bar whose total is given by the work itself."""

Listener = Callable[[str, int, int | None], None]
"""Called with the name of the work, how much of it is done, and the total where that is known."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class _Bar:
    """A bar on standard error, from when it is shown until it is closed; a line where it is no terminal."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.display: Progress | None = None
        self._printed = ""

    def show(self) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        console = Console(stderr=True)
        self._printed = printable(_with_compiling(self.what, is_timed=console.is_terminal))
        if not console.is_terminal:
            self._print()
            return
        self.display = Progress(console=console, transient=True)
        self.display.add_task(escape(self._printed), total=self.total, completed=self.done)
        self.display.start()

    def renew(self, what: str = "") -> None:
        """Show what is done now, where that has changed."""
        self.what = what or self.what
        words = printable(_with_compiling(self.what, is_timed=self.display is not None))
        if self._printed in ("", words):  # not shown yet, or unchanged
            return
        if self.display is not None:
            from rich.markup import escape

            self._printed = words
            self.display.update(self.display.task_ids[0], description=escape(words))
        elif what:
            self._printed = words
            self._print()

    def _print(self) -> None:
        sys.stderr.write(f"{self._printed} ...\n")
        sys.stderr.flush()

    def advance(self, count: int, total: int | None = None, what: str = "") -> None:
        self.done += count
        self.total = self.total if total is None else total
        if self.display is not None and self.display.task_ids:
            self.display.update(self.display.task_ids[0], completed=self.done, total=self.total)
        self.renew(what)

    def close(self) -> None:
        if self.display is not None:
            self.display.stop()


def _with_compiling(what: str, *, is_timed: bool) -> str:
    """The work, the kernel that is being compiled for it, and for how long where the line is updated."""
    from gough._compile import COMPILATION

    if not (now := COMPILATION.now[-1:]):
        return what
    seconds = int(perf_counter() - now[0].since)
    return f"{what}: compiling {now[0].name}{f', {seconds} s' if is_timed and seconds else ''}"


def show_compilation() -> None:
    """Report on a terminal how many kernels were compiled, how long that took, and where they are kept."""
    if not sys.stderr.isatty() or "gough._compile" not in sys.modules:  # help imports nothing that computes
        return
    from gough._compile import COMPILATION, cache_folder

    done = COMPILATION
    if not done.count:
        return
    folder = cache_folder()
    where = f"kept in {folder}" if folder is not None and os.access(folder, os.W_OK) else "which could not be kept"
    kernels = "1 kernel" if done.count == 1 else f"{done.count} kernels"
    sys.stderr.write(f"compiled {kernels} in {done.seconds:.1f} s, {where}\n")


class _Forwarder(_Bar):
    """Reports progress to a listener instead of a bar."""

    def __init__(self, what: str, total: int | None, listener: Listener) -> None:
        super().__init__(what, total)
        self._listener = listener
        listener(what, 0, total)

    def show(self) -> None:
        """Nothing: the listener shows it."""

    def advance(self, count: int, total: int | None = None, what: str = "") -> None:
        super().advance(count, total, what)
        self._listener(self.what, self.done, self.total)


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
    listener = _LISTENER.get()
    bar = _Bar(what, total) if listener is None else _Forwarder(what, total, listener)
    timer = Timer(patience(), bar.show)
    timer.daemon = True
    with _shown_by(bar):
        timer.start()
        try:
            yield bar.advance
        finally:
            timer.cancel()
            timer.join()  # it may be showing the bar just now
            bar.close()


def patience() -> float:
    """Time without output before progress is shown [s]."""
    return PATIENCE if sys.stderr.isatty() else LOG_PATIENCE


class _Shown:
    """Bars of the work that is being done, the innermost last, and the time when one last ended."""

    def __init__(self) -> None:
        self.bars: list[_Bar | None] = []
        self.since = monotonic()


_shown = _Shown()


@contextmanager
def _shown_by(bar: _Bar | None) -> Iterator[None]:
    _shown.bars.append(bar)
    try:
        yield
    finally:
        _shown.bars.remove(bar)
        _shown.since = monotonic()


def waiting() -> AbstractContextManager[None]:
    """While this lasts the program waits for input, and no progress is due."""
    return _shown_by(None)


class SignOfLife:
    """A bar for work without progress of its own, once that takes long; renews the bars of other work."""

    def __init__(self) -> None:
        self._bar: _Bar | None = None
        _shown.since = monotonic()

    def __enter__(self) -> SignOfLife:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def renew(self) -> None:
        """Show what is done now."""
        if bars := _shown.bars[-1:]:
            self.__exit__()
            if bars[0] is not None:  # None while the program waits for input
                bars[0].renew()
        elif self._bar is not None:
            self._bar.renew()
        elif monotonic() - _shown.since > patience():
            self._bar = _Bar("working", None)
            self._bar.show()


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
