"""A progress bar for whatever takes more than a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Event, Lock, Thread, Timer
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from gough.compilation import COMPILATION

if TYPE_CHECKING:
    from rich.progress import Progress


Made = TypeVar("Made")

PATIENCE = 1.0
"""Time without a sign of life on a terminal [s]."""
LOG_PATIENCE = 5.0
"""The same where nobody watches [s]."""
STEPS = 1000
"""Of a bar."""
LOOKING = 0.1
"""Between two looks at what is being done [s]."""

Listener = Callable[[str, int, int | None], None]
"""Called with what is done, how much of it, and how much there is where that is known."""

_SHOWING = Lock()
"""Held while a bar begins: a process forked meanwhile would wait for ever for modules that this thread imports."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_SHOWING.acquire, after_in_parent=_SHOWING.release, after_in_child=_SHOWING.release)

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class _Bar:
    """A bar on standard error, from when it is shown until it is closed; a line where that is no terminal."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.display: Progress | None = None
        self._printed = ""

    def show(self) -> None:
        with _SHOWING:
            self._begin()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        self._printed = _with_compiling(self.what, is_timed=console.is_terminal)
        if not console.is_terminal:
            self._print()
            return
        self.display = Progress(console=console, transient=True)
        self.display.add_task(self._printed, total=self.total, completed=self.done)
        self.display.start()

    def renew(self, what: str = "") -> None:
        """Say what is done now, where that has changed since it was shown."""
        self.what = what or self.what
        words = _with_compiling(self.what, is_timed=self.display is not None)
        if self._printed in ("", words):
            return
        if self.display is not None:
            self._printed = words
            self.display.update(self.display.task_ids[0], description=words)
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
    """What is done, the kernel that is being compiled for it, and for how long where the line is renewed."""
    if not (now := COMPILATION.now[-1:]):
        return what
    seconds = int(perf_counter() - now[0][1])
    return f"{what}: compiling {now[0][0]}{f', {seconds} s' if is_timed and seconds else ''}"


def show_compilation() -> None:
    """Say on a terminal what was compiled, how long that took, and that it is kept."""
    done = COMPILATION
    if not done.count or not sys.stderr.isatty():
        return
    from gough._kernel_cache import cache_folder

    folder = cache_folder()
    where = f"kept in {folder}" if folder is not None and os.access(folder, os.W_OK) else "which could not be kept"
    kernels = "1 kernel" if done.count == 1 else f"{done.count} kernels"
    sys.stderr.write(f"compiled {kernels} in {done.seconds:.1f} s, {where}\n")


class _Forwarder(_Bar):
    """Passes what a bar would show on to a listener."""

    def __init__(self, what: str, total: int | None, listener: Listener) -> None:
        super().__init__(what, total)
        self._listener = listener
        listener(what, 0, total)

    def show(self) -> None:
        """Nothing: the listener does."""

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
    """Show after a second `what` is done, with a bar once its total is known; call the value with counts."""
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
            timer.join()
            bar.close()


def patience() -> float:
    """Time without a sign of life [s]."""
    return PATIENCE if sys.stderr.isatty() else LOG_PATIENCE


class _Shown:
    """What shows progress now, and when something last did."""

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
    """While this lasts nothing is being done, and no sign of life is due."""
    return _shown_by(None)


@contextmanager
def signs_of_life() -> Iterator[None]:
    """While this lasts, work that shows no progress of its own is reported as soon as it takes long."""
    over = Event()
    _shown.since = monotonic()
    thread = Thread(target=_watch, args=(over,), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(1.0)


def _watch(over: Event) -> None:
    own: _Bar | None = None
    while not over.wait(LOOKING):
        if bars := _shown.bars[-1:]:
            if own is not None:
                own.close()
                own = None
            if bars[0] is not None:
                bars[0].renew()
        elif own is not None:
            own.renew()
        elif monotonic() - _shown.since > patience():
            own = _Bar("working", None)
            own.show()
    if own is not None:
        own.close()


def watched(what: str, function: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """`function(..., progress=...)` with a bar.

    `progress` receives how much is done and of how much; in front of them what is being done, where that changes.
    """
    with progress(what) as advance:
        reached = 0

        def report(*given: Any) -> None:
            nonlocal reached
            *words, done, total = given
            now = int(STEPS * done / total) if total else 0
            if now != reached or words:
                advance(now - reached, STEPS, *words)
                reached = now

        return function(*arguments, **options, progress=report)
