"""A progress bar for whatever takes more than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

Made = TypeVar("Made")

PATIENCE = 1.0
"""Time without a sign of life on a terminal [s]."""
LOG_PATIENCE = 5.0
"""The same where nobody watches [s]."""


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


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show after a second `what` is done, with a bar once its total is known; call the value with counts."""
    bar = _Bar(what, total)
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
