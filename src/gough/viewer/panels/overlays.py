"""Overlays and assembly modes: switches, and what the background computes for those that are on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import gough
from gough.errors import in_words
from gough.viewer.panels.inputs import Input, block, show_all
from gough.viewer.scene import regions, surfaces
from gough.viewer.scene.ghost import go_to_mode, has_modes
from gough.viewer.scene.pieces import Piece
from gough.viewer.scheduler import by_hand, put
from gough.viewer.store import MODES, Progress, State, Store

if TYPE_CHECKING:
    import viser


SETTLED = 0.3
"""How long the pose must rest before what takes long begins [s]."""
SOON = 0.05
ORIENTED, POSED = "At the current orientation of the platform.", "At this pose."
NAMED = "Of the machine's file, with their verdicts; or the one that the datasheet leads with."
NOTHING, ORIENTATION, POSE = slice(0, 0), slice(0, 3), slice(0, 4)
"""Columns of the pose on which an overlay depends."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of overlay: its label, how it is computed, and on what it depends."""

    label: str
    compute: Callable[..., list[Piece]]
    columns: slice
    delay: float
    hint: str
    has_load: bool = False


KINDS = {
    "workspace": Kind("workspace", surfaces.workspace, ORIENTATION, SETTLED, ORIENTED),
    "singular": Kind("singular surface", surfaces.singular_surface, ORIENTATION, SETTLED, ORIENTED),
    "regions": Kind("proven regions", regions.named_regions, NOTHING, SETTLED, NAMED),
    "velocity": Kind("velocity envelope", surfaces.velocity_envelope, POSE, SOON, POSED),
    "stiffness": Kind("stiffness ellipsoid", surfaces.stiffness_ellipsoid, POSE, SOON, POSED, has_load=True),
}


class OverlaysPanel:
    """Switches, a progress bar, and a choice of assembly modes."""

    def __init__(self, gui: viser.GuiApi, store: Store) -> None:
        self._store = store
        labels = {name: (kind.label, kind.hint) for name, kind in KINDS.items()}
        labels[MODES] = ("assembly modes", "Every pose with these leg values, as ghosts.")
        self._words = gui.add_markdown("", visible=False)
        self._bar = gui.add_progress_bar(0.0, visible=False, animated=True)
        self._switches = [_switch(gui, store, name, *label) for name, label in labels.items()]
        self._modes = gui.add_html("", visible=False)
        self._choice = gui.add_button_group("assembly mode", ("–",), visible=False)
        self._choice.on_click(by_hand(lambda _: go_to_mode(store, self._choice.value)))
        delays = {name: kind.delay for name, kind in KINDS.items()} | {MODES: SETTLED}
        self._tasks = {name: store.task(name, is_quick=False, delay=delay) for name, delay in delays.items()}

    def show(self, state: State) -> None:
        """Show a state, and have computed what it needs."""
        show_all(self._switches, state)
        for name, task in self._tasks.items():
            if name in state.overlays:
                task.request(key_of(state, name), partial(self._compute, name, state))
            else:
                task.cancel()
        said = state.progress.get("overlays", Progress()) if state.overlays else Progress()
        self._words.content, self._words.visible = said.words, bool(said.words)
        self._bar.visible = said.percent is not None
        put(self._bar, said.percent or 0.0)
        words, count = modes_sentence(state)
        self._modes.content, self._modes.visible = block("assembly modes", words), bool(words)
        if count:
            self._choice.options = tuple(str(k + 1) for k in range(count))
        self._choice.visible = count > 0

    def _compute(self, name: str, state: State, check: Callable[[], None]) -> object:
        """In the background: pieces of an overlay, or the assembly modes."""
        machine, stage = state.stage.machine, state.stage
        if name == MODES:
            return gough.assembly_modes(machine, stage.q) if np.isfinite(stage.q).all() else None
        kind, label = KINDS[name], KINDS[name].label

        def progress(done: int, total: int) -> None:
            check()
            if kind.delay == SETTLED:
                self._store.report("overlays", f"computing the {label} …", min(100.0 * done / max(total, 1), 100.0))

        words = ""
        try:
            found = kind.compute(machine, stage.X, progress, **({"load": state.load} if kind.has_load else {}))
            words = "" if found else f"no {label} near home at this orientation"
        except Exception as error:
            words = in_words(error)
            raise
        finally:
            self._store.report("overlays", words)
        return found


def key_of(state: State, name: str) -> Hashable:
    """On what an overlay depends: the machine first, then its head, orientation or pose, legs, load."""
    if name == MODES:
        found = state.results.get(MODES)
        return found.key if found is not None and has_modes(state) else (state.model, state.stage.q.tobytes())
    kind = KINDS[name]
    load = state.load.key if kind.has_load else b""
    return (state.model, state.stage.machine, state.stage.X[:3, kind.columns].round(12).tobytes(), load)


def modes_sentence(state: State) -> tuple[str, int]:
    """What is known of the assembly modes, and how many there are."""
    if MODES not in state.overlays:
        return "", 0
    if not has_modes(state):
        return "looking for all assembly modes …" if np.isfinite(state.stage.q).all() else "", 0
    found = state.results[MODES].value
    here = int(found.within_limits.sum())
    return f"{len(found)} assembly modes with these leg values, {here} of them within all limits; click a ghost.", len(
        found
    )


def _switch(gui: viser.GuiApi, store: Store, name: str, label: str, hint: str) -> Input:
    def change(state: State, is_on: Any) -> State:
        overlays = state.overlays | {name} if is_on else state.overlays - {name}
        return replace(state.without_result(name), overlays=overlays)

    return Input(store, gui.add_checkbox(label, False, hint=hint), lambda state: name in state.overlays, change)
