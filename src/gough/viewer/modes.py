"""All assembly modes of the legs' values as ghosts; a click on one, or its button, goes there."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough.plot import _style as style
from gough.viewer.bars import BOX
from gough.viewer.ghost import Ghost
from gough.viewer.loop import Loop
from gough.viewer.parts import ACTIVE, NOBODY, Ask, by_hand
from gough.viewer.pose_controller import Mover

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

SETTLED = 0.35
"""How long the legs must rest before their modes are looked for [s]."""
SAME = 1e-6
"""Entries of two pose matrices that are one mode, lengths in machine sizes."""
ALLOWED, NOT_ALLOWED = style.AXES[1], style.BAR


class Modes:
    """A switch, ghosts of the platform in its other modes, and a choice of them."""

    def __init__(self, server: viser.ViserServer, mover: Mover, ask: Ask, background: Loop) -> None:
        self._server, self._ask, self._background, self._mover = server, ask, background, mover
        self._switch = server.gui.add_checkbox(
            "assembly modes", False, hint="Every pose with these leg values, as ghosts."
        )
        self._words = server.gui.add_html("", visible=False)
        self._choice = server.gui.add_button_group("go to mode", ("–",), visible=False)
        self._ghosts: list[Ghost] = []
        self._found: gough.assembly.AssemblyModes | None = None
        self._switch.on_update(by_hand(lambda _: self.show(self._mover, NOBODY)))
        self._choice.on_click(by_hand(lambda _: self._go(self._choice.value)))

    def new_machine(self, mover: Mover) -> None:
        """Forget the modes of another machine."""
        self._clear()
        self.show(mover, NOBODY)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Look for the modes of the legs' values, once they rest."""
        self._mover = mover
        if not self._switch.value:
            self._clear()
        elif self._found is None or not np.allclose(mover.q, self._found.q, rtol=0, atol=1e-9):
            self._clear()
            self._background.post("modes", self._compute, SETTLED)

    def chosen(self) -> bool:
        """Whether the ghosts are on."""
        return bool(self._switch.value)

    def choose(self, wanted: bool) -> None:
        """Switch the ghosts on or off."""
        self._switch.value = wanted  # type: ignore[misc]
        self.show(self._mover, NOBODY)

    def _compute(self) -> None:
        mover, q = self._mover, self._mover.q.copy()
        if not self._switch.value or not np.isfinite(q).all():
            return
        self._tell("looking for all assembly modes …")
        found = gough.assembly_modes(mover.machine, q)
        if not self._switch.value or mover is not self._mover or not np.allclose(mover.q, q, rtol=0, atol=1e-9):
            return
        assert isinstance(found, gough.assembly.AssemblyModes)
        self._found = found
        here = int(found.within_limits.sum())
        self._tell(
            f"{len(found)} assembly modes with these leg values, {here} of them within all limits; click a ghost."
        )
        self._draw(found)

    def _draw(self, found: gough.assembly.AssemblyModes) -> None:
        machine = self._mover.machine
        for k, X in enumerate(found.matrix):
            colour = ALLOWED if found.within_limits[k] else NOT_ALLOWED
            ghost = Ghost(self._server.scene, f"{ACTIVE}/modes/{k}", colour, 0.4, rods=False)
            ghost.new_machine(machine)
            ghost.show(X)
            ghost.label(str(k + 1))
            assert ghost.plate is not None
            ghost.plate.on_click(by_hand(partial(self._clicked, str(k + 1))))
            self._ghosts.append(ghost)
        self._choice.options = tuple(str(k + 1) for k in range(len(found))) or ("–",)
        self._choice.visible = len(found) > 0

    def _clicked(self, name: str, event: Any) -> None:
        self._go(name)

    def _go(self, name: str) -> None:
        """Put the machine together in another mode, whether its limits allow that or not."""
        if self._found is None or not name.isdigit():
            return
        X = self._found.matrix[int(name) - 1]
        self._ask("mode", lambda mover: mover.assemble(X))

    def _clear(self) -> None:
        self._background.drop("modes")
        self._found = None
        for ghost in self._ghosts:
            ghost.remove()
        self._ghosts.clear()
        self._choice.visible = False
        self._tell("")

    def _tell(self, words: str) -> None:
        self._words.content, self._words.visible = f'<div style="{BOX}">{escape(words)}</div>', bool(words)
