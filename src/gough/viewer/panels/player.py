"""Playback: a motion on the machine and in charts; play, pause, speed, scrub."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gough.viewer.applied_forces import AppliedForces
from gough.viewer.clips import Clip, named_clip, named_clips, quickest, through
from gough.viewer.panels.charts import Chart
from gough.viewer.panels.panel import Panel, hint
from gough.viewer.scheduler import by_hand
from gough.viewer.store import State

FRAME = 1 / 40
"""Time between two poses while it plays [s]."""
NOTHING = "–"
OPENED = "opened"
"""Key of a motion that is none of those offered: of a file, or through remembered poses."""
FOUND = "Under the load that was given when it was computed."
SAME = 0.02
"""Difference of times that the scrubber, which has two decimals, does not show [s]."""


class PlayerPanel:
    """A choice of motions, buttons, a scrubber, two charts, and remembered poses."""

    def __init__(self, panel: Panel) -> None:
        gui, self._store, self._last, self._is_running = panel.gui, panel.store, 0.0, False
        self._offered: tuple[object, dict[str, str]] = (None, {})
        panel.choice("motion", self._options, lambda state: state.motion, self._chosen, hint("motion"))
        panel.button(
            "Play",
            "play",
            toggled,
            label=lambda state: "Pause" if state.is_playing else "Play",
            disabled=lambda state: state.clip is None,
        )
        self._scrubber = gui.add_slider("time [s]", 0.0, 1.0, 0.01, 0.0, hint=hint("time"))
        panel.follow(self._scrubber, max=lambda state: max(round(state.clip.duration, 2), 0.01) if state.clip else 1.0)
        panel.bind(self._scrubber, self._scrubbed, State.at_time)
        panel.field(gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0, hint=hint("speed")), "speed")
        panel.field(gui.add_checkbox("loop", True), "loops")
        words = gui.add_markdown("", visible=False)
        panel.follow(
            words,
            content=lambda state: state.clip.note if state.clip else "",
            visible=lambda state: state.clip is not None and bool(state.clip.note),
        )
        self._charts = [Chart(panel, "leg values"), Chart(panel, "position")]
        self._add_remembered(panel)
        key = gui.add_command("Play or pause", hotkey="space")
        key.on_trigger(by_hand(lambda _: self._store.update("play", toggled)))

    def keep_playing(self, state: State) -> None:
        """Begin to move the machine once a state plays."""
        if state.is_playing and not self._is_running:
            self._is_running, self._last = True, time.monotonic()
            self._store.loop.post("frame", self._frame)

    def _frame(self) -> None:
        """Move the machine to where the motion is now. On the loop."""
        now, state = time.monotonic(), self._store.state
        # By the wall clock: motions play at their speed, with fewer frames where drawing is slow.
        elapsed, self._last = now - self._last, now
        self._is_running = state.is_playing
        if state.is_playing:
            self._store.set(advanced(state, elapsed))
            self._store.loop.post("frame", self._frame, FRAME)

    def _options(self, state: State) -> dict[str, str | None]:
        """An opened motion, and the named ones of the machine under the load, kept until one of these changes."""
        key = (state.model, state.force_inputs)
        if key != self._offered[0]:
            self._offered = key, named_clips(state.stage.machine, state.applied)
        opened = {state.clip.name: OPENED} if state.clip is not None and state.motion == OPENED else {}
        return {NOTHING: None} | opened | {words: name for name, words in self._offered[1].items()}

    def _chosen(self, state: State, motion: str | None) -> State:
        """With a named motion, or none; mode shapes are those about the current pose."""
        if motion == OPENED:
            return state
        if motion is None:
            return replace(state.with_clip(None), motion=None)
        machine, X = state.stage.machine, state.stage.X

        def make(applied: AppliedForces) -> Clip:
            return named_clip(machine, motion, self._offered[1].get(motion, motion), X, applied)

        return replace(state.with_clip(make(state.applied), make), motion=motion)

    def _scrubbed(self, state: State) -> float:
        """Time that the scrubber shows."""
        # At rest it keeps the value that was typed, which may have more decimals.
        shown, clip = float(self._scrubber.value), state.clip
        if clip is not None and not state.is_playing and abs(shown - state.time) <= SAME:
            return shown
        return round(min(state.time, float(self._scrubber.max)), 2)

    def _add_remembered(self, panel: Panel) -> None:
        def has_none(state: State) -> bool:
            return not state.remembered

        def go_label(state: State) -> str:
            return f"Go through them ({len(state.remembered)})" if state.remembered else "Go through them"

        with panel.gui.add_folder("Remembered poses", expand_by_default=False):
            panel.button(
                "Remember this pose",
                "remember",
                lambda state: replace(state, remembered=(*state.remembered, state.stage.X.copy())),
            )
            panel.button("Go through them", "clip", gone_through, label=go_label, disabled=has_none)
            quickest = panel.gui.add_button("Quickest motion through them")
            panel.follow(quickest, disabled=has_none)
            panel.button(
                "Forget them", "forget", lambda state: replace(state, remembered=()), color="gray", disabled=has_none
            )
        background = self._store.background
        quickest.on_click(by_hand(lambda _: background.post("quickest", self._find_quickest)))

    def _find_quickest(self) -> None:
        """In the background: find the quickest motion, then play it, unless another machine has come meanwhile."""
        state = self._store.state
        clip = quickest(state.stage.machine, np.array(state.remembered), state.applied).noted(FOUND)
        self._store.update("clip", lambda now: toggled(begun(now, clip)) if now.model is state.model else now)


def toggled(state: State) -> State:
    """Playing from the current time, from the start once it has ended; or pausing."""
    if state.clip is None:
        return state
    time = 0.0 if not state.is_playing and state.time >= state.clip.duration else state.time
    return replace(state, is_playing=not state.is_playing, time=time)


def advanced(state: State, elapsed: float) -> State:
    """A state that plays, after `elapsed` wall time [s]."""
    if state.clip is None:
        return replace(state, is_playing=False)
    now, duration = state.time + elapsed * state.speed, state.clip.duration
    if now >= duration and not state.loops:
        return replace(state.at_time(duration), is_playing=False)
    return state.at_time(now % max(duration, 1e-9) if now >= duration else now)


def begun(state: State, clip: Clip, recipe: Callable[[AppliedForces], Clip] | None = None) -> State:
    """With a clip that is none of those offered, and the machine at its start."""
    return replace(state.with_clip(clip, recipe), motion=OPENED).at_time(0.0)


def gone_through(state: State) -> State:
    """Playing a smooth motion through the remembered poses."""
    machine, poses = state.stage.machine, np.array(state.remembered)
    if not len(poses):
        return state

    def make(applied: AppliedForces) -> Clip:
        return through(machine, poses, applied=applied)

    return toggled(begun(state, make(state.applied), make))
