"""When work runs: threads with one queue each, rate-limited redraw, background work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any

from gough.errors import in_words

Action = Callable[[], None]


def by_hand(action: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Return a callback for viser that runs `action` with events from windows, in their order."""

    # A coroutine, as viser spreads plain functions over threads, which loses the order of events.
    async def called(event: Any) -> None:
        # Values that the server writes are events too, without a client: they must not change the state again.
        if getattr(event, "client_id", None) is not None:
            action(event)

    return called


class Loop:
    """A thread that runs actions one after the other, always the newest of each key.

    An action is posted under a key; a newer one with the same key replaces one that has not begun, so that no queue
    builds up while a slider is dragged.

    Parameters
    ----------
    name : str
        Of the thread.
    on_error : callable
        Receives what an action raises; the loop goes on.

    """

    def __init__(self, name: str, on_error: Callable[[Exception], None]) -> None:
        self._on_error = on_error
        self._queue: dict[str, tuple[float, Action]] = {}
        self._changed = threading.Condition()
        self._is_open = True
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def post(self, key: str, action: Action, delay: float = 0.0) -> None:
        """Run `action` after `delay` [s]; it replaces a waiting one of this key, and keeps the sooner time."""
        # The sooner time: otherwise a steady stream of posts would put off the action for ever.
        with self._changed:
            due = time.monotonic() + delay
            waiting = self._queue.get(key)
            self._queue[key] = (due if waiting is None else min(due, waiting[0]), action)
            self._changed.notify()

    def drop(self, key: str) -> None:
        """Drop the action that waits under a key."""
        with self._changed:
            self._queue.pop(key, None)

    def is_waiting(self, key: str) -> bool:
        """Test whether an action of this key has not begun yet."""
        return key in self._queue

    def stop(self, patience: float = 2.0) -> None:
        """Begin nothing more, and wait for the running action [s]."""
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
                if not self._queue:
                    self._changed.wait()
                    continue
                key = min(self._queue, key=lambda k: self._queue[k][0])
                wait = self._queue[key][0] - time.monotonic()
                if wait <= 0:
                    return self._queue.pop(key)[1]
                self._changed.wait(wait)
        return None


class Throttle:
    """Rate-limited redraw: at once after a rest, then once in a period while the state goes on changing.

    A page that receives more than it can draw falls behind the machine. A redraw always follows the last change.

    Parameters
    ----------
    loop : Loop
    key : str
        Of its action on the loop.
    show : callable
    period : float
        [s].

    """

    def __init__(self, loop: Loop, key: str, show: Action, period: float) -> None:
        self._loop, self._key, self._show, self._period = loop, key, show, period
        self._last = -period

    def note(self) -> None:
        """Something has changed. On the loop."""
        self._loop.post(self._key, self._now, max(0.0, self._last + self._period - time.monotonic()))

    def _now(self) -> None:
        self._last = time.monotonic()
        self._show()


class Cancelled(Exception):  # noqa: N818 - it is not an error
    """Background work whose result is no longer needed."""


class BackgroundTask:
    """Background work that depends on a key; a request with another key replaces it.

    Parameters
    ----------
    loop : Loop
        The thread on which it runs.
    name : str
        Its key on that loop.
    done : callable
        Receives the key and the result, or an error that concerns the user.
    delay : float
        Time between request and start [s].
    may_lag : bool
        Whether results for older keys are shown too, and requests do not wait until the key rests: for what is shown
        during a movement.

    """

    def __init__(
        self,
        loop: Loop,
        name: str,
        done: Callable[[Hashable, object], None],
        delay: float = 0.0,
        *,
        may_lag: bool = False,
    ) -> None:
        self._loop, self.name, self._done, self._delay, self._may_lag = loop, name, done, delay, may_lag
        self._key: Hashable = None

    def request(self, key: Hashable, compute: Callable[[Action], object]) -> None:
        """Compute the result for a key, unless it is running or done; `compute` takes a check that cancels it.

        The key None needs no result: work under way is given up.
        """
        if key == self._key:
            return
        self._key = key
        if key is None or not self._may_lag:
            self._loop.drop(self.name)  # so that the delay begins again
        if key is None:
            return
        self._loop.post(self.name, lambda: self._run(key, compute), self._delay)

    def _run(self, key: Hashable, compute: Callable[[Action], object]) -> None:
        def check() -> None:
            if self._key is None or not (self._may_lag or self._key == key):
                raise Cancelled

        try:
            found = compute(check)
            check()
        except Cancelled:
            return
        except Exception as error:
            if not in_words(error):
                raise
            found = error
        self._done(key, found)
