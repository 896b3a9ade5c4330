"""Switches of what is drawn and of whether limits are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gough.viewer.parts import Ask, by_hand, put
from gough.viewer.pose_controller import Mover

if TYPE_CHECKING:
    import viser


class Switches:
    """Check boxes by name.

    Parameters
    ----------
    gui : viser.GuiApi
    mover : Mover
    ask : Ask
    dress : callable
        Draws what the switches say.

    """

    def __init__(self, gui: viser.GuiApi, mover: Mover, ask: Ask, dress: Callable[[], None]) -> None:
        self._ask, self._dress = ask, dress
        self._boxes = {
            "limits": gui.add_checkbox("stop at limits", True),
            "frames": gui.add_checkbox("frames", False),
            "numbers": gui.add_checkbox("leg numbers", True),
            "shadows": gui.add_checkbox("shadows and edges", True, hint="Without a graphics card this is slow."),
        }
        for name, box in self._boxes.items():
            if name == "limits":
                box.on_update(by_hand(lambda _: ask("limits", self._keep)))
            else:
                box.on_update(by_hand(lambda _: dress()))

    def __getitem__(self, name: str) -> bool:
        return bool(self._boxes[name].value)

    def chosen(self) -> dict[str, bool]:
        """All of them by name."""
        return {name: bool(box.value) for name, box in self._boxes.items()}

    def choose(self, wanted: dict[str, bool]) -> None:
        """Set those that are named."""
        for name, value in wanted.items():
            if name in self._boxes:
                put(self._boxes[name], bool(value))
        self._ask("limits", self._keep)
        self._dress()

    def new_machine(self, mover: Mover) -> None:
        """Keep limits, or not, as before."""
        mover.keeps_limits = self["limits"]

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Nothing: switches do not move."""

    def _keep(self, mover: Mover) -> None:
        mover.keeps_limits = self["limits"]
        mover.to(mover.X if mover.refusal is None or mover.refusal.wanted is None else mover.refusal.wanted)
