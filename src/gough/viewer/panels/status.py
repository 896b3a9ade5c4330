"""The status beside the machine: verdict, legs and limits, and two buttons after a refusal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.limits.ties import in_words
from gough.present.show import Show
from gough.viewer.panels.bars import leg_bars, limit_bars, verdict
from gough.viewer.panels.inputs import STYLE, block, button, hint
from gough.viewer.stage import Refusal, Stage
from gough.viewer.store import State, Store

if TYPE_CHECKING:
    import viser

SETTLED = 0.25
"""How long a refused pose stays requested before the nearest allowed one is looked for [s]."""


class StatusPanel:
    """Words and bars of the active stage.

    Parameters
    ----------
    gui : viser.GuiApi
    store : Store
    verdict : viser HTML
        Shows the verdict.

    """

    def __init__(self, gui: viser.GuiApi, store: Store, verdict: viser.GuiHtmlHandle) -> None:
        self._verdict, self._heading = verdict, gui.add_html("")
        self._bars = gui.add_html("")
        self._nearest = gui.add_html("", visible=False)
        self._go = gui.add_button("Go to the nearest", visible=False)
        self._stay = gui.add_button("Stay here", visible=False, color="gray")
        self._task = store.task("nearest", is_quick=True, delay=SETTLED)
        self._shown: Stage | None = None
        button(store, self._go, "nearest", _go_to_nearest)
        button(store, self._stay, "stay", lambda state: state.moved(state.stage.accepted(), "stay"))

    def show(self, state: State) -> None:
        """Show a state."""
        stage, refusal = state.stage, state.stage.refusal
        if stage is not self._shown:
            self._shown = stage
            self._heading.content = heading(state)
            self._verdict.content = verdict(stage)
            self._bars.content = leg_bars(stage) + limit_bars(stage.margins)
            self._stay.visible = refusal is not None
            self._go.visible = refusal is not None and refusal.wanted is not None
            if refusal is None or refusal.wanted is None:
                self._task.cancel()
            else:
                machine, wanted = stage.machine, refusal.wanted
                self._task.request(refusal, lambda _: gough.nearest_pose(machine, wanted))
        found = state.results.get("nearest")
        self._nearest.visible = found is not None and found.key is refusal
        if found is not None and found.key is refusal:
            self._nearest.content = block("nearest pose", escape(nearest_sentence(state, found.value)))


def heading(state: State) -> str:
    """The machine's name, and where the end of a stack is."""
    machine, more = state.stage.machine, ""
    if state.machine.stage_dims:
        where = escape(f"end platform at {Show(machine).point(state.end[:3, 3])}")
        more = f'<div title="{escape(hint("end platform"))}">{where}</div>'
    title = state.machine.title if more else machine.title or machine.name
    return f'<div style="{STYLE}"><b style="font-size:1.2em">{escape(title)}</b>{more}</div>'


def nearest_sentence(state: State, found: gough.limits.NearestPose | Exception) -> str:
    """How far the nearest allowed pose is from the requested one."""
    if isinstance(found, Exception):
        return f"No nearest allowed pose: {found}"
    machine = state.stage.machine
    show = Show(machine)
    distance = show.with_unit(np.linalg.norm(found.translation), "m", 3)
    angle = show.with_unit(np.linalg.norm(found.rotation), "rad", 3)
    held = in_words(found.active_limits) or "no limit"
    return f"Nearest allowed pose: {distance} and {angle} from the requested one, held by {held}."


def _go_to_nearest(state: State) -> State:
    refusal: Refusal | None = state.stage.refusal
    if refusal is None or refusal.wanted is None:
        return state
    return state.moved(state.stage.to(gough.nearest_pose(state.stage.machine, refusal.wanted).matrix), "nearest")
