"""A thread that does what the page asks for, one thing after the other, always the newest wish of each kind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

Action = Callable[[], None]


class Loop:
    """Does actions on a thread of its own, so that state has one writer and a quick hand leaves no queue behind.

    An action is posted under a key; a newer one with the same key takes the place of one that has not begun.

    Parameters
    ----------
    name : str
        Of the thread.
    on_error : callable
        Told of what an action raises; the loop goes on.

    """

    def __init__(self, name: str, on_error: Callable[[Exception], None]) -> None:
        self._on_error = on_error
        self._wishes: dict[str, tuple[float, Action]] = {}
        self._changed = threading.Condition()
        self._is_open = True
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def post(self, key: str, action: Action, delay: float = 0.0) -> None:
        """Do `action` after `delay` [s]; a waiting one of this key is dropped, but its time is kept if sooner."""
        with self._changed:
            due = time.monotonic() + delay
            waiting = self._wishes.get(key)
            self._wishes[key] = (due if waiting is None else min(due, waiting[0]), action)
            self._changed.notify()

    def drop(self, key: str) -> None:
        """Forget what is posted under a key."""
        with self._changed:
            self._wishes.pop(key, None)

    def stop(self, patience: float = 2.0) -> None:
        """Begin nothing more, and wait for what is being done [s]."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(patience)

    def _run(self) -> None:
        while (action := self._next()) is not None:
            try:
                action()
            except Exception as error:
                self._on_error(error)

    def _next(self) -> Action | None:
        """Wait for the action that is due first; None once stopped."""
        with self._changed:
            while self._is_open:
                if not self._wishes:
                    self._changed.wait()
                    continue
                key = min(self._wishes, key=lambda k: self._wishes[k][0])
                wait = self._wishes[key][0] - time.monotonic()
                if wait <= 0:
                    return self._wishes.pop(key)[1]
                self._changed.wait(wait)
        return None
