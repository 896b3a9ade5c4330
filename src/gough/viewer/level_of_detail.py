"""While the machine moves without a rest: leave out what takes long to draw."""

from __future__ import annotations

import time
from collections.abc import Callable

from gough.viewer.loop import Loop

BRISK = 0.15
"""Two pictures that are closer in time belong to one movement [s]."""
SETTLED = 0.4
"""Time without a movement after which all is drawn again [s]."""


class Haste:
    """Knows whether the machine is in the middle of a movement, on pages that are drawn slowly.

    Parameters
    ----------
    loop : Loop
        On which the machine moves.
    strip : callable
        Is told True when a movement is under way, and False when it is over.

    Attributes
    ----------
    matters : bool
        Whether pages are drawn slowly; else nothing is left out.

    """

    def __init__(self, loop: Loop, strip: Callable[[bool], None]) -> None:
        self._loop, self._strip = loop, strip
        self.matters, self._is_moving, self._last = False, False, -BRISK

    def note(self) -> None:
        """The machine is somewhere else. On the loop."""
        now = time.monotonic()
        if self.matters and not self._is_moving and now - self._last < BRISK:
            self._is_moving = True
            self._strip(True)
        self._last = now
        if self._is_moving:
            self._loop.drop("settled")
            self._loop.post("settled", self._settle, SETTLED)

    def _settle(self) -> None:
        self._is_moving = False
        self._strip(False)
