"""Playback: a motion on the machine and in charts with a line at now; play, pause, speed, scrub."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.answer import Field
from gough.present.units import file_unit, force_unit, in_file_units
from gough.quantity import LEGS
from gough.viewer.applied_forces import AppliedForces
from gough.viewer.clips import Clip, named_clip, named_clips, quickest, through
from gough.viewer.panels.panel import Panel, hint
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import PoseCoordinates
from gough.viewer.store import State

if TYPE_CHECKING:
    import viser

COLOURS = (style.ACCENT, style.AXES[2], style.AXES[1], "#7c3aed", "#d97706", "#0d8a8a")
"""Of the six legs, and of the first three axes."""
Quantity = Callable[[Machine, Clip, PoseCoordinates], Field]
"""Makes a field of a motion; its value is None where it is not known."""
MOST = 400
"""Samples to which longer motions are thinned, up to twice as many: about the pixels of a chart."""


class TimeChart:
    """One chart, and a choice of what it shows.

    A plot once made is hidden and shown again, never removed: a message still on its way to a removed one is an error
    on the page. Its series cannot change, so there is one plot for each set of names.
    """

    def __init__(self, panel: Panel, first: str) -> None:
        self._gui, loop, key = panel.gui, panel.store.loop, f"chart {id(self)}"
        self._choice = self._gui.add_dropdown("chart", CHOICES, initial_value=first, hint=hint(first))
        self._slot = self._gui.add_folder(None)
        self._made: dict[tuple[str, ...], viser.GuiUplotHandle] = {}
        self._chart: viser.GuiUplotHandle | None = None
        self._now = 0.0
        self._drawn: tuple[object, ...] = ()
        self._choice.on_update(by_hand(lambda _: loop.post(key, lambda: self.show(panel.store.state))))
        panel.add(self.show)

    def show(self, state: State) -> None:
        """Draw the motion of a state with a line at its time, or nothing."""
        drawn = (state.clip, state.pivot, state.convention, state.origin, self._choice.value)
        if drawn != self._drawn:
            self._drawn = drawn
            self._draw(state)
        elif self._chart is not None and state.time != self._now:
            self._now = state.time
            self._chart.data = self._with_line()

    def _draw(self, state: State) -> None:
        self._choice.hint = hint(self._choice.value)
        if self._chart is not None:
            self._chart.visible = False
            self._chart = None
        clip, self._now = state.clip, state.time
        if clip is None:
            return
        found = quantity(state.stage.machine, clip, self._choice.value, state.coordinates)
        every = max(1, len(clip.time) // MOST)
        self._time = (clip.time - clip.time[0])[::every]
        self._names, self._unit = (found[0], found[2]) if found else (("unknown",), "not known here")
        self._values = found[1][::every] if found else np.full((len(self._time), 1), np.nan)
        title = f"{self._choice.value} [{self._unit}]"
        if self._names in self._made:
            self._chart = self._made[self._names]
            self._chart.title, self._chart.data, self._chart.visible = title, self._with_line(), True
        else:
            self._chart = self._made[self._names] = self._new(title)

    def _new(self, title: str) -> viser.GuiUplotHandle:
        with self._slot:
            return self._gui.add_uplot(
                self._with_line(),
                self._series(),
                title=title,
                scales={"x": {"time": False}, "now": {"auto": False, "range": (0.0, 1.0)}},
                axes=({"label": "time [s]", "labelSize": 18, "size": 30}, {"size": 56}),
                legend={"show": True, "live": False},
                height=176,
                padding=(8, 24, 0, 0),  # half a tick's label at the top, and at the right
            )

    def _series(self) -> Any:
        lines = [
            {"label": name, "stroke": colour, "width": 1.6, "points": {"show": False}}
            for name, colour in zip(self._names, COLOURS, strict=False)
        ]
        line = {"label": "now", "stroke": style.INK, "width": 1.2, "scale": "now", "points": {"show": False}}
        return ({"label": "t"}, *lines, line)

    def _with_line(self) -> tuple[Array, ...]:
        """Time, the quantities, and a vertical line at now."""
        # All series of a plot share their times: two more samples at now carry the line, from 0 to 1 on its own scale.
        t, now = self._time, min(max(self._now, 0.0), float(self._time[-1]))
        k = int(np.searchsorted(t, now, side="right"))
        here = [np.interp(now, t, column) for column in self._values.T]
        columns = [np.insert(column, k, (value, value)) for column, value in zip(self._values.T, here, strict=True)]
        line = np.full(len(t) + 2, np.nan)
        line[k : k + 2] = 0.0, 1.0
        return (np.insert(t, k, (now, now)), *columns, line)


def quantity(
    machine: Machine, clip: Clip, choice: str, coordinates: PoseCoordinates
) -> tuple[tuple[str, ...], Array, str] | None:
    """Return names, values (n, k) in the units of the machine's file, and unit of what a chart shows; None if not
    known."""
    found = QUANTITIES[choice](machine, clip, coordinates)
    if found.value is None:
        return None
    values = in_file_units(machine, found.value, str(found.unit))
    return tuple(map(found.head.format, found.labels)), values, file_unit(machine, str(found.unit))


def _pose(part: slice, unit: str) -> Quantity:
    def field(machine: Machine, clip: Clip, coordinates: PoseCoordinates) -> Field:
        numbers = np.array([coordinates.numbers(machine, X) for X in clip.X])
        return Field("pose", numbers[:, part], unit, coordinates.names[part], "{}", "{}")

    return field


def _legs(key: str, value: Callable[[Clip], Array | None], unit: Callable[[Machine], str]) -> Quantity:
    return lambda machine, clip, _: Field(key, value(clip), unit(machine), LEGS, f"{key}{{}}", "leg {}")


QUANTITIES: dict[str, Quantity] = {
    "leg values": _legs("q", lambda clip: clip.q, lambda machine: machine.legs.joint_unit),
    "position": _pose(slice(0, 3), "m"),
    "angles": _pose(slice(3, 6), "rad"),
    "forces": _legs("force", lambda clip: clip.force, force_unit),
    "powers": _legs("power", lambda clip: clip.power, lambda _: "W"),
}
"""Quantities of a motion: a chart shows one, a table has all."""
CHOICES = tuple(QUANTITIES)


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
        self._charts = [TimeChart(panel, "leg values"), TimeChart(panel, "position")]
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
    """Return playing from the current time, from the start once it has ended; or pausing."""
    if state.clip is None:
        return state
    time = 0.0 if not state.is_playing and state.time >= state.clip.duration else state.time
    return replace(state, is_playing=not state.is_playing, time=time)


def advanced(state: State, elapsed: float) -> State:
    """Return a state that plays, after `elapsed` wall time [s]."""
    if state.clip is None:
        return replace(state, is_playing=False)
    now, duration = state.time + elapsed * state.speed, state.clip.duration
    if now >= duration and not state.loops:
        return replace(state.at_time(duration), is_playing=False)
    return state.at_time(now % max(duration, 1e-9) if now >= duration else now)


def begun(state: State, clip: Clip, recipe: Callable[[AppliedForces], Clip] | None = None) -> State:
    """Start a clip outside the list of choices, with the machine at its start."""
    return replace(state.with_clip(clip, recipe), motion=OPENED).at_time(0.0)


def gone_through(state: State) -> State:
    """Return playing a smooth motion through the remembered poses."""
    machine, poses = state.stage.machine, np.array(state.remembered)
    if not len(poses):
        return state

    def make(applied: AppliedForces) -> Clip:
        return through(machine, poses, applied=applied)

    return toggled(begun(state, make(state.applied), make))
