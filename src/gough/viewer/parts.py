"""What the page is made of: parts that show the machine, and some that ask it to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gough.viewer.pose_controller import Mover

Ask = Callable[[str, Callable[[Mover], None]], None]
"""Called with who asks and what the mover shall do; returns at once, the newest wish of each asker counts."""


ACTIVE = "/active"
"""Node of the scene in the base of the stage in hand: gizmo, ghosts and overlays hang there."""
NOBODY: frozenset[str] = frozenset()
"""Who asks when a part is to be shown anew and nothing has moved."""
PLAYING = "player"
"""Who asks while a motion plays."""


class Part(Protocol):
    """A part of the page."""

    def new_machine(self, mover: Mover) -> None:
        """Another machine is shown from now on."""

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """The machine has moved, or has refused to, because of `askers`."""


def by_hand(action: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A callback for viser: does `action` with the event in the order of events; writing a value is no event.

    Coroutines run one after the other where plain functions would be spread over threads.
    """

    async def called(event: Any) -> None:
        if getattr(event, "client_id", None) is not None:
            action(event)

    return called


def put(handle: Any, value: Any) -> None:
    """Write the value of an input of the page; every window shows it."""
    handle.value = value
