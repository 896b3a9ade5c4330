"""The viewer as a whole: one machine, shared by all windows that look at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.description.parse import only_files
from gough.errors import in_words
from gough.machine import Machine
from gough.stacked import StackedMachine
from gough.viewer.appearance import point
from gough.viewer.fence import Fence
from gough.viewer.files import ReadClip, Tell
from gough.viewer.ground import aim, light
from gough.viewer.layout import Layout
from gough.viewer.level_of_detail import Haste
from gough.viewer.loop import Loop
from gough.viewer.overlays import GivenUp
from gough.viewer.pose_controller import Mover
from gough.viewer.quantities import loaded
from gough.viewer.stack import Stack
from gough.viewer.state import State
from gough.viewer.throttle import Echo
from gough.viewer.window import IS_PLAIN, ask

if TYPE_CHECKING:
    import viser

OPENED = (
    "Forces are as recorded, or with the payload under Load as it was then; the force and moment there are not in them."
)
CAMERA = ("position", "look_at", "up_direction")
FRAME = 1 / 40
"""Least time between two pictures of the machine, its words and bars with it [s]."""
SLIDERS, SLIDERS_PLAIN = 0.05, 0.4
"""The same of sliders and of what else costs a page much to draw, with and without a graphics card [s]."""


class View:
    """The page: its parts, and the loop on which all of them change the machine.

    Parameters
    ----------
    server : viser.ViserServer
        A fresh one.
    machine : Machine or StackedMachine
    source : str
        Name or path under which the machine was loaded; its own name if not given.
    read_clip : callable, optional
        Reads recorded motions from files.
    fence : Fence, optional
        Which files the page may open; those below the folder in which Python runs if not given.

    """

    def __init__(
        self,
        server: viser.ViserServer,
        machine: Machine | StackedMachine,
        source: str | None = None,
        read_clip: ReadClip | None = None,
        fence: Fence | None = None,
    ) -> None:
        self.server, self._read_clip = server, read_clip
        self.fence = Fence([Path.cwd()]) if fence is None else fence
        self.loop = Loop("viewer", self.tell_error)
        self.slow = Loop("viewer, slowly", self.tell_error)
        self.background = Loop("viewer, in the background", self.tell_error)
        self._picture = Echo(self.loop, "picture", self._show, FRAME)
        self._rest = Echo(self.loop, "rest", self._show_rest, SLIDERS)
        self._haste = Haste(self.loop, self._strip)
        self.stack = Stack(server, machine)
        self.parts = Layout(self)
        self._take_over(machine.name if source is None else source)
        server.on_client_connect(self._connected)

    @property
    def mover(self) -> Mover:
        """Of the stage in hand."""
        return self.stack.mover

    def draw_plainly(self) -> None:
        """From now on as software can: no shadows, sliders later, in motion no handles and numbers. On the loop."""
        self._haste.matters, self._rest.period = True, SLIDERS_PLAIN
        self.parts.switches.choose({"shadows": False})

    def stop(self) -> None:
        """End what runs in the background."""
        self.parts.files.stop()
        for loop in (self.background, self.slow, self.loop):
            loop.stop()

    def ask(self, asker: str, action: Callable[[Mover], None]) -> None:
        """Do something with the mover on the loop, and show what came of it."""

        def act() -> None:
            action(self.mover)
            self._note(asker)

        self.loop.post(asker, act)

    def open(self, source: str) -> None:
        """Show the machine of a name or path; the pose is kept where that is what is shown already. On the loop."""
        self._replace(source, self.stack.poses if source == self.parts.files.source else [])

    def open_clip(self, path: Path, tell: Tell) -> None:
        """Make ready the motion that a file holds, unless another machine has come meanwhile. In the background."""
        if self._read_clip is None:
            raise gough.errors.InputError("this viewer was started without a reader for motions; use gough view")
        self.fence.check(path)
        mover = self.mover

        def telling(what: str, done: int, total: int | None) -> None:
            if self.mover is not mover:
                raise GivenUp
            tell(what, done, total)

        machine = loaded(mover.machine, self.parts.asking.load)
        clip = self._read_clip(path, machine, self.parts.pose.reading.convention, telling)
        if clip.force is not None:
            clip = clip.noted(OPENED)
        telling("drawing", 0, None)
        self.loop.post("clip", lambda: self.parts.player.prepare(clip))

    def take(self, place: int) -> None:
        """Take another stage in hand, from 0. On the loop."""
        self.stack.place = place
        self.stack.show()
        self.parts.new_machine(self.mover)
        self._note("stage")

    def dress(self) -> None:
        """Draw what the switches say."""
        switches = self.parts.switches
        light(self.server.scene, shadows=switches["shadows"])
        self.stack.dress(frames=switches["frames"], numbers=switches["numbers"], fine=switches["shadows"])

    def state(self, client: viser.ClientHandle | None = None) -> State:
        """What is shown, with the camera of one window."""
        head, parts = self.mover.machine.head, self.parts
        modes = ["modes"] if parts.modes.chosen() else []
        camera = {} if client is None else {name: getattr(client.camera, name).tolist() for name in CAMERA}
        return State(
            parts.files.source,
            [X.tolist() for X in self.stack.poses],
            [] if head is None else head.q.tolist(),
            parts.pose.chosen(),
            parts.overlays.chosen() + modes,
            parts.switches.chosen(),
            parts.asking.chosen(),
            camera,
        )

    def restore(self, state: State) -> None:
        """Show what a state says. On the loop."""
        poses = [np.array(X) for X in state.poses]
        if state.machine == self.parts.files.source:
            self.stack.go(poses)
            self._note("restore")
        else:
            self._replace(state.machine, poses)
        self.parts.restore(state)
        if self._haste.matters:
            self.draw_plainly()
        if self.mover.machine.head is not None and state.head:
            self.mover.turn_head(state.head)
            self.parts.head.new_machine(self.mover)
            self._note("head")
        if len(state.camera) == 3:
            for client in self.server.get_clients().values():
                aim(client, *(np.array(state.camera[name]) for name in CAMERA))

    def tell_error(self, error: Exception) -> None:
        """Show an error in every window, in the words of the command line."""
        words = in_words(error)
        if not words:
            import traceback

            traceback.print_exception(error)
            words = f"This should not have happened: {type(error).__name__}: {error}"
        for client in self.server.get_clients().values():
            client.add_notification("Error", words, color="red", auto_close_seconds=12.0)

    def _replace(self, source: str, poses: list[np.ndarray]) -> None:
        """Show the machine of a name or path in place of the one that is there."""
        with only_files(self.fence.check):
            machine = gough.load(source)
        self.stack.remove()
        self.stack = Stack(self.server, machine, poses)
        self._take_over(source)

    def _take_over(self, source: str) -> None:
        """Tell all parts of a new machine."""
        self.parts.files.opened(source)
        self.parts.offer_stages(self.stack)
        self.dress()
        self.parts.new_machine(self.mover)
        self._note("open")

    def _connected(self, client: viser.ClientHandle) -> None:
        if ask(client, "gough-is-plain", IS_PLAIN) == "true":
            self.loop.post("plain", self.draw_plainly)

    def _note(self, asker: str) -> None:
        """The machine has moved: show it soon."""
        self._picture.note(asker)
        self._rest.note(asker)

    def _show(self, askers: frozenset[str]) -> None:
        """The machine with its words in one message, so that a page draws once."""
        self._haste.note()
        with self.server.atomic():
            self.stack.show()
            self.parts.show(self.mover, askers)
            if isinstance(self.stack.machine, StackedMachine):
                end = point(self.mover.machine, self.stack.end[:3, 3])
                self.parts.telling.name(self.stack.machine.title, f"end platform at {end}")
        self.server.flush()

    def _strip(self, is_moving: bool) -> None:
        """Leave out the gizmo and the legs' numbers while it moves, or bring them back."""
        self.parts.gizmo.step_aside(is_moving)
        self.stack.show_numbers(self.parts.switches["numbers"] and not is_moving)

    def _show_rest(self, askers: frozenset[str]) -> None:
        self.parts.show_rest(self.mover, askers)
