"""Playback: a motion on the machine and in charts; play, pause, speed, scrub."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gough.viewer.clips import Clip, named_clip, named_clips, quickest, through
from gough.viewer.loads import Load
from gough.viewer.panels.charts import Chart
from gough.viewer.panels.inputs import Choice, Input, button, field_input, hint, show_all
from gough.viewer.scheduler import by_hand
from gough.viewer.store import Shows, State, Store

if TYPE_CHECKING:
    import viser

FRAME = 1 / 40
"""Time between two poses while it plays [s]."""
NOTHING = "–"
FOUND = "Under the load that was given when it was computed."
SAME = 0.02
"""Times that are one for a scrubber at rest [s]."""


class PlayerPanel:
    """A choice of motions, buttons, a scrubber and two charts."""

    def __init__(self, gui: viser.GuiApi, store: Store) -> None:
        self._store, self._last, self._is_running = store, 0.0, False
        self._offered: tuple[object, dict[str, str]] = (None, {})
        offered = gui.add_dropdown("motion", (NOTHING,), hint=hint("motion"))
        motion = Choice(store, offered, self._options, lambda state: state.motion, self._chosen)
        self._play = gui.add_button("Play")
        self._scrubber = gui.add_slider("time [s]", 0.0, 1.0, 0.01, 0.0, hint=hint("time"))
        scrubbed = Input(store, self._scrubber, self._scrubbed, State.at_time)
        speed = field_input(store, gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0, hint=hint("speed")), "speed")
        loops = field_input(store, gui.add_checkbox("loop", True), "loops")
        self._note = gui.add_markdown("", visible=False)
        self._inputs: list[Shows] = [motion, scrubbed, speed, loops]
        self._charts = [Chart(gui, store, "leg values"), Chart(gui, store, "position")]
        self._add_remembered(gui)
        self._play.on_click(by_hand(lambda _: store.update("play", toggled)))
        key = gui.add_command("Play or pause", hotkey="space")
        key.on_trigger(by_hand(lambda _: store.update("play", toggled)))

    def show(self, state: State) -> None:
        """Show a state, and go on playing."""
        clip, count = state.clip, len(state.remembered)
        self._scrubber.max = max(round(clip.duration, 2), 0.01) if clip else 1.0
        show_all(self._inputs, state)
        self._play.label, self._play.disabled = "Pause" if state.is_playing else "Play", clip is None
        self._note.content = note(state)
        self._note.visible = bool(self._note.content)
        self._through.label = f"Go through them ({count})" if count else "Go through them"
        self._through.disabled = self._quickest.disabled = self._forget.disabled = count == 0
        show_all(self._charts, state)

    def keep_playing(self, state: State) -> None:
        """Begin to move the machine once a state plays."""
        if state.is_playing and not self._is_running:
            self._is_running, self._last = True, time.monotonic()
            self._store.scheduler.loop.post("frame", self._frame)

    def _frame(self) -> None:
        """The machine at the next instant; on the loop."""
        now, state = time.monotonic(), self._store.state
        elapsed, self._last = now - self._last, now
        self._is_running = state.is_playing
        if state.is_playing:
            self._store.set(advanced(state, elapsed))
            self._store.scheduler.loop.post("frame", self._frame, FRAME)

    def _options(self, state: State) -> dict[str, str | None]:
        """The named motions of the machine under the load, kept until one of these changes."""
        key = (state.model, state.load_inputs)
        if key != self._offered[0]:
            self._offered = key, named_clips(state.stage.machine, state.load)
        return {NOTHING: None} | {words: name for name, words in self._offered[1].items()}

    def _chosen(self, state: State, motion: str | None) -> State:
        """With a named motion, or none; mode shapes are those about the current pose."""
        if motion is None:
            return replace(state.with_clip(None), motion=None)
        machine, X = state.stage.machine, state.stage.X

        def make(load: Load) -> Clip:
            return named_clip(machine, motion, self._offered[1].get(motion, motion), X, load)

        return replace(state.with_clip(make(state.load), make), motion=motion)

    def _scrubbed(self, state: State) -> float:
        """What the scrubber shows: at rest where it was put, unless the motion is elsewhere."""
        shown, clip = float(self._scrubber.value), state.clip
        if clip is not None and not state.is_playing and abs(shown - state.time) <= SAME:
            return shown
        return round(min(state.time, float(self._scrubber.max)), 2)

    def _add_remembered(self, gui: viser.GuiApi) -> None:
        store = self._store
        with gui.add_folder("Remembered poses", expand_by_default=False):
            remember = gui.add_button("Remember this pose")
            self._through = gui.add_button("Go through them", disabled=True)
            self._quickest = gui.add_button("Quickest motion through them", disabled=True)
            self._forget = gui.add_button("Forget them", color="gray", disabled=True)
        button(store, remember, "remember", lambda s: replace(s, remembered=(*s.remembered, s.stage.X.copy())))
        button(store, self._through, "clip", gone_through)
        button(store, self._forget, "forget", lambda state: replace(state, remembered=()))
        self._quickest.on_click(by_hand(lambda _: store.scheduler.background.post("quickest", self._find_quickest)))

    def _find_quickest(self) -> None:
        """In the background: find the quickest motion, then play it, unless another machine has come meanwhile."""
        state = self._store.state
        clip = quickest(state.stage.machine, np.array(state.remembered), state.load).noted(FOUND)
        self._store.update("clip", lambda now: toggled(begun(now, clip)) if now.model is state.model else now)


def toggled(state: State) -> State:
    """Playing from where it is, or from the begin; or pausing."""
    if state.clip is None:
        return state
    time = 0.0 if not state.is_playing and state.time >= state.clip.duration else state.time
    return replace(state, is_playing=not state.is_playing, time=time)


def advanced(state: State, elapsed: float) -> State:
    """A state that plays, so much wall time later [s]."""
    if state.clip is None:
        return replace(state, is_playing=False)
    now, duration = state.time + elapsed * state.speed, state.clip.duration
    if now >= duration and not state.loops:
        return replace(state.at_time(duration), is_playing=False)
    return state.at_time(now % max(duration, 1e-9) if now >= duration else now)


def begun(state: State, clip: Clip, recipe: Callable[[Load], Clip] | None = None) -> State:
    """With a clip that is none of those offered, the machine where it begins."""
    return replace(state.with_clip(clip, recipe), motion=None).at_time(0.0)


def gone_through(state: State) -> State:
    """Playing a smooth motion through the remembered poses."""
    machine, poses = state.stage.machine, np.array(state.remembered)
    if not len(poses):
        return state

    def make(load: Load) -> Clip:
        return through(machine, poses, load=load)

    return toggled(begun(state, make(state.load), make))


def note(state: State) -> str:
    """What one should know of the motion."""
    if state.clip is None:
        return ""
    return state.clip.note if state.motion is not None else f"**{state.clip.name}.** {state.clip.note}"
