"""What the page tells while the machine moves: the verdict, the legs, the limits; and the way out of a refusal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.errors import GoughError
from gough.limits.ties import in_words
from gough.viewer.appearance import margin_colour, with_unit
from gough.viewer.bars import BOX, leg_bars, limit_bars, verdict
from gough.viewer.ghost import Ghost
from gough.viewer.loop import Loop
from gough.viewer.parts import ACTIVE, NOBODY, Ask, by_hand
from gough.viewer.pose_controller import Mover

if TYPE_CHECKING:
    import viser

SETTLED = 0.25
"""How long a refused wish stands before its nearest allowed pose is looked for [s]."""


class Telling:
    """Words and bars beside the machine, a ghost of the platform where it was refused, and two ways back."""

    def __init__(self, server: viser.ViserServer, mover: Mover, ask: Ask, slow: Loop) -> None:
        self._gui, self._ask, self._slow = server.gui, ask, slow
        self._ghost = Ghost(server.scene, f"{ACTIVE}/wanted", margin_colour(-1.0), 0.4)
        self._head = server.gui.add_html("")
        self._verdict = server.gui.add_html("")
        self._near = server.gui.add_html("", visible=False)
        self._go = server.gui.add_button("Go to the nearest allowed pose", visible=False)
        self._back = server.gui.add_button("Stay where it stopped", visible=False, color="gray")
        self._bars = server.gui.add_html("")
        self._go.on_click(by_hand(lambda _: ask("nearest", self._go_near)))
        self._back.on_click(by_hand(lambda _: ask("stay", lambda mover: mover.stay())))

    def new_machine(self, mover: Mover) -> None:
        """Write the name of another machine."""
        machine = mover.machine
        self._ghost.new_machine(machine)
        self.name(machine.title or machine.name)
        self.show(mover, NOBODY)

    def name(self, title: str, more: str = "") -> None:
        """Write over all the machine's name, and a line below it."""
        line = f"<div>{escape(more)}</div>" if more else ""
        self._head.content = f'<div style="{BOX}"><b style="font-size:1.2em">{escape(title)}</b>{line}</div>'

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Tell of the pose that is shown."""
        self._verdict.content = verdict(mover)
        self._bars.content = leg_bars(mover) + limit_bars(mover.margins)
        refusal = mover.refusal
        wanted = None if refusal is None else refusal.wanted
        stopped = wanted is not None and mover.X is not wanted
        self._ghost.show(wanted if stopped else None)
        self._back.visible = refusal is not None
        self._go.visible = wanted is not None
        self._near.visible = False
        self._slow.drop("nearest")
        if wanted is not None:
            self._slow.post("nearest", lambda: self._tell_near(mover, wanted), SETTLED)

    def _tell_near(self, mover: Mover, wanted: np.ndarray) -> None:
        """Say how far the nearest allowed pose is, unless the wish has changed meanwhile."""
        try:
            found = gough.nearest_pose(mover.machine, wanted)
        except GoughError as error:
            words = f"No nearest allowed pose: {error}"
        else:
            way = with_unit(mover.machine, float(np.linalg.norm(found.translation)), "m")
            turn = with_unit(mover.machine, float(np.linalg.norm(found.rotation)), "rad")
            held = in_words(found.active_limits) or "no limit"
            words = f"Nearest allowed pose: {way} and {turn} from what was asked, held by {held}."
        if mover.refusal is not None and mover.refusal.wanted is wanted:
            self._near.content = f'<div style="{BOX}">{escape(words)}</div>'
            self._near.visible = True

    def _go_near(self, mover: Mover) -> None:
        if mover.refusal is not None and mover.refusal.wanted is not None:
            mover.to(gough.nearest_pose(mover.machine, mover.refusal.wanted).matrix)
