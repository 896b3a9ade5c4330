"""Showing what has changed, as often as it is worth it and no oftener."""

from __future__ import annotations

import time
from collections.abc import Callable

from gough.viewer.loop import Loop

Show = Callable[[frozenset[str]], None]


class Echo:
    """Shows at once what changes after a rest, and then once in a period while it goes on changing.

    A page that is sent more than it can draw falls behind the machine; what it is sent last is always the last state.

    Parameters
    ----------
    loop : Loop
        On which it is shown, and noted.
    key : str
        Of its wish on the loop.
    show : callable
        Takes all who have changed something since it was last called.
    period : float
        [s]; also an attribute, that can be changed.

    """

    def __init__(self, loop: Loop, key: str, show: Show, period: float) -> None:
        self._loop, self._key, self._show, self.period = loop, key, show, period
        self._askers: set[str] = set()
        self._last = -period

    def note(self, asker: str) -> None:
        """Somebody has changed something."""
        self._askers.add(asker)
        self._loop.post(self._key, self._now, max(0.0, self._last + self.period - time.monotonic()))

    def _now(self) -> None:
        askers, self._askers = frozenset(self._askers), set()
        self._last = time.monotonic()
        self._show(askers)
