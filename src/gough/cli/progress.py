"""A progress bar for whatever takes more than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

Made = TypeVar("Made")

PATIENCE = 1.0
"""Time without a sign of life on a terminal [s]."""
LOG_PATIENCE = 5.0
"""The same where nobody watches [s]."""

Tell = Callable[[str, int, int | None], None]
"""Called with what is done, how much of it, and how much there is where that is known."""

_LISTENER: ContextVar[Tell | None] = ContextVar("listener", default=None)


class _Bar:
    """A bar on standard error, from when it is shown until it is closed; a line where that is no terminal."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.display: Progress | None = None

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        if not console.is_terminal:
            print(f"{self.what} ...", file=sys.stderr)
            return
        self.display = Progress(console=console, transient=True)
        self.display.add_task(self.what, total=self.total, completed=self.done)
        self.display.start()

    def advance(self, count: int, total: int | None = None) -> None:
        self.done += count
        self.total = self.total if total is None else total
        if self.display is not None and self.display.task_ids:
            self.display.update(self.display.task_ids[0], completed=self.done, total=self.total)


class _Told(_Bar):
    """Tells a listener what a bar would show."""

    def __init__(self, what: str, total: int | None, tell: Tell) -> None:
        super().__init__(what, total)
        self._tell = tell
        tell(what, 0, total)

    def show(self) -> None:
        """Nothing: the listener does."""

    def advance(self, count: int, total: int | None = None) -> None:
        super().advance(count, total)
        self._tell(self.what, self.done, self.total)


@contextmanager
def told_to(listener: Tell) -> Iterator[None]:
    """Tell a listener, in place of the terminal, of all progress in this thread; it may raise, which ends the work."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show after a second `what` is done, with a bar once its total is known; call the value with counts."""
    listener = _LISTENER.get()
    bar = _Bar(what, total) if listener is None else _Told(what, total, listener)
    timer = Timer(PATIENCE if sys.stderr.isatty() else LOG_PATIENCE, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.advance
    finally:
        timer.cancel()
        timer.join()
        if bar.display is not None:
            bar.display.stop()


def watched(what: str, function: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """`function(..., progress=...)` with a bar, where it tells how much is done and of how much."""
    with progress(what) as advance:
        done = 0

        def tell(now: int, total: int) -> None:
            nonlocal done
            advance(now - done, total)
            done = now

        return function(*arguments, **options, progress=tell)
