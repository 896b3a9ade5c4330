"""Playback: a motion on the machine and in charts; play, pause, speed, scrub."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.viewer.charts import Chart
from gough.viewer.clips import Clip, named_clip, named_clips, quickest, through
from gough.viewer.loop import Loop
from gough.viewer.parts import PLAYING, Ask, by_hand, put
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_coordinates import Reading
from gough.viewer.quantities import Load
from gough.viewer.trace import Trace

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

SCRUBBING = "scrubbing"
"""Who asks when a motion stands still or is scrubbed."""
FRAME = 1 / 40
"""Time between two poses while it plays [s]."""
CHART_LAG = 0.12
"""How far the charts may lag behind [s]."""
NOTHING = "–"
FOUND = "Under the load that was given when it was computed."


class Player:
    """A choice of motions, buttons, a scrubber and two charts.

    Parameters
    ----------
    gui : viser.GuiApi
    mover : Mover
    ask : Ask
    loop : Loop
        The one on which the machine moves.
    background : Loop
        On which is computed what takes long.
    reading : callable
        Gives what the six numbers of a pose mean now.
    load : callable
        Gives what the platform carries.
    trace : Trace
        Draws the tool's way.

    """

    def __init__(
        self,
        gui: viser.GuiApi,
        mover: Mover,
        ask: Ask,
        loop: Loop,
        background: Loop,
        reading: Callable[[], Reading],
        load: Callable[[], Load],
        trace: Trace,
    ) -> None:
        self._ask, self._loop, self._mover, self._reading, self._trace = ask, loop, mover, reading, trace
        self._load = load
        self._recipe: Callable[[], Clip] | None = None
        self.clip: Clip | None = None
        self._poses: list[Array] = []
        self._is_playing, self._now, self._since = False, 0.0, 0.0
        self._choice = gui.add_dropdown("motion", (NOTHING,))
        self._play = gui.add_button("Play")
        self._scrub = gui.add_slider("time [s]", 0.0, 1.0, 0.01, 0.0)
        self._speed = gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
        self._again = gui.add_checkbox("again and again", True)
        self._note = gui.add_markdown("", visible=False)
        self._charts = [Chart(gui, "leg values"), Chart(gui, "position")]
        with gui.add_folder("Remembered poses", expand_by_default=False):
            self._remember = gui.add_button("Remember this pose")
            self._through = gui.add_button("Go through them", disabled=True)
            self._quickest = gui.add_button("Quickest way through them", disabled=True)
            self._forget = gui.add_button("Forget them", color="gray", disabled=True)
        self._choice.on_update(by_hand(lambda _: loop.post("clip", self._chosen)))
        self._play.on_click(by_hand(lambda _: self.toggle()))
        self._scrub.on_update(by_hand(lambda _: loop.post("scrub", self._scrubbed)))
        self._speed.on_update(by_hand(lambda _: loop.post("speed", self._restart)))
        self._remember.on_click(by_hand(lambda _: loop.post("remember", self._add_pose)))
        self._through.on_click(by_hand(lambda _: loop.post("clip", self._go_through)))
        self._quickest.on_click(by_hand(lambda _: background.post("quickest", self._find_quickest)))
        self._forget.on_click(by_hand(lambda _: loop.post("forget", self._forget_poses)))
        key = gui.add_command("Play or pause", hotkey="space")
        key.on_trigger(by_hand(lambda _: self.toggle()))
        self._words: dict[str, str] = {}

    def new_machine(self, mover: Mover) -> None:
        """Offer the motions of another machine."""
        self._mover = mover
        self._forget_poses()
        self._offer(None)
        self.load(None)

    def load_changed(self) -> None:
        """Compute what is loaded anew under another load; files are opened again by hand."""
        key, recipe = self._words.get(self._choice.value), self._recipe
        self._offer(key)
        if recipe is not None and self.clip is not None:
            now, was_playing = self._now, self._is_playing
            self.load(recipe(), recipe)
            self._now = min(now, self.clip.duration)
            self._move_lines()
            if was_playing:
                self.play()

    def _offer(self, key: str | None) -> None:
        """Offer the named motions, with one of them, or none, chosen."""
        self._words = {words: key for key, words in named_clips(self._mover.machine, self._load()).items()}
        self._choice.options = (NOTHING, *self._words)
        put(self._choice, next((words for words, known in self._words.items() if known == key), NOTHING))

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Stop playing when somebody else moves the machine."""
        if askers - {PLAYING, SCRUBBING, "open"}:
            self.pause()

    def load(self, clip: Clip | None, recipe: Callable[[], Clip] | None = None) -> None:
        """Have a clip ready to be played, and how to make it anew where that is known."""
        self.pause()
        self._recipe = recipe
        self._loop.drop("charts")  # a line moved at once in a chart that is new comes before the chart on a slow page
        self.clip, self._now = clip, 0.0
        self._scrub.max = max(round(clip.duration, 2), 0.01) if clip else 1.0
        put(self._scrub, 0.0)
        self._play.disabled = clip is None
        words = "" if clip is None else clip.note
        if clip is not None and clip.name not in self._words:
            words = f"**{clip.name}.** {words}"
        self._note.content, self._note.visible = words, bool(words)
        self._trace.show(clip)
        for chart in self._charts:
            chart.show(self._mover.machine, clip, self._reading())

    def prepare(self, clip: Clip, recipe: Callable[[], Clip] | None = None) -> None:
        """Have a clip ready that is none of those offered, with the machine where it begins."""
        put(self._choice, NOTHING)
        self.load(clip, recipe)
        self._move_machine(clip)

    def begin(self, clip: Clip, recipe: Callable[[], Clip] | None = None) -> None:
        """Play a clip that is none of those offered."""
        self.prepare(clip, recipe)
        self.play()

    def toggle(self) -> None:
        """Play, or pause."""
        self._loop.post("play", self.pause if self._is_playing else self.play)

    def play(self) -> None:
        """Go on from where it is, or from the begin."""
        if self.clip is None:
            return
        if self._now >= self.clip.duration:
            self._now = 0.0
        self._is_playing = True
        self._play.label = "Pause"
        self._restart()
        self._loop.post("frame", self._frame)

    def pause(self) -> None:
        """Stay where it is."""
        if self._is_playing:
            self._is_playing = False
            self._play.label = "Play"
            self._loop.drop("frame")
            self._ask(SCRUBBING, lambda mover: None)

    def _restart(self) -> None:
        """Count time from now."""
        self._since = time.monotonic() - self._now / float(self._speed.value)

    def _frame(self) -> None:
        clip = self.clip
        if not self._is_playing or clip is None:
            return
        self._now = (time.monotonic() - self._since) * float(self._speed.value)
        if self._now >= clip.duration:
            if self._again.value:
                self._now %= max(clip.duration, 1e-9)
                self._restart()
            else:
                self._now = clip.duration
                self.pause()
        self._show_now(clip)
        if self._is_playing:
            self._loop.post("frame", self._frame, FRAME)

    def _show_now(self, clip: Clip) -> None:
        self._move_machine(clip)
        self._loop.post("charts", self._move_lines, CHART_LAG)

    def _move_machine(self, clip: Clip) -> None:
        X, joints = clip.pose_at(self._now), clip.head_at(self._now)

        def move(mover: Mover) -> None:
            if joints is not None:
                mover.turn_head(joints)
            mover.assemble(X)

        self._ask(PLAYING if self._is_playing else SCRUBBING, move)

    def _move_lines(self) -> None:
        if self._is_playing or abs(float(self._scrub.value) - self._now) > 0.02:
            put(self._scrub, round(min(self._now, self._scrub.max), 2))
        for chart in self._charts:
            chart.move(self._now)

    def _scrubbed(self) -> None:
        if self.clip is not None:
            self._now = float(self._scrub.value)
            self._restart()
            self._show_now(self.clip)

    def _chosen(self) -> None:
        words = self._choice.value
        key, mover, X = self._words.get(words), self._mover, self._mover.X
        if key is None:
            self.load(None)
            return

        def make() -> Clip:
            return named_clip(mover.machine, key, self._choice.value, X, self._load())

        self.load(make(), make)

    def _add_pose(self) -> None:
        self._poses.append(self._mover.X.copy())
        self._count_poses()

    def _go_through(self) -> None:
        machine, poses = self._mover.machine, np.array(self._poses)

        def make() -> Clip:
            return through(machine, poses, load=self._load())

        self.begin(make(), make)

    def _find_quickest(self) -> None:
        """In the background: find the quickest way, then play it."""
        clip = quickest(self._mover.machine, np.array(self._poses), self._load()).noted(FOUND)
        self._loop.post("clip", lambda: self.begin(clip))

    def _forget_poses(self) -> None:
        self._poses.clear()
        self._count_poses()

    def _count_poses(self) -> None:
        count = len(self._poses)
        self._through.label = f"Go through them ({count})" if count else "Go through them"
        self._through.disabled = self._quickest.disabled = self._forget.disabled = count == 0
