"""The viewer as a whole: one machine, shared by all windows that look at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from gough.errors import in_words
from gough.machine import Machine
from gough.viewer.asking import Asking
from gough.viewer.bars import leg_margins
from gough.viewer.gizmo import Gizmo
from gough.viewer.joint_sliders import JointSliders
from gough.viewer.keyboard import Keyboard
from gough.viewer.loop import Loop
from gough.viewer.modes import Modes
from gough.viewer.mover import Mover
from gough.viewer.overlays import Overlays
from gough.viewer.parts import Part, by_hand, put
from gough.viewer.player import Player
from gough.viewer.pose_sliders import PoseSliders
from gough.viewer.scene import MachineScene
from gough.viewer.stand import lay_ground, light, look_at
from gough.viewer.telling import Telling

if TYPE_CHECKING:
    import viser

FOLLOW = 0.05
"""How far sliders may lag behind what moves the machine [s]."""


class View:
    """The page: its parts, and the loop on which all of them change the machine.

    Parameters
    ----------
    server : viser.ViserServer
        A fresh one.
    machine : Machine

    """

    def __init__(self, server: viser.ViserServer, machine: Machine) -> None:
        self.server = server
        self.loop = Loop("viewer", self.tell_error)
        self.slow = Loop("viewer, slowly", self.tell_error)
        self.background = Loop("viewer, in the background", self.tell_error)
        self.mover = Mover(machine)
        lay_ground(server.scene, machine)
        look_at(server, machine)
        self._scene = MachineScene(server.scene, machine)
        self._parts: list[Part] = []
        self._build()
        self.dress()
        for part in self._parts:
            part.new_machine(self.mover)

    def stop(self) -> None:
        """End what runs in the background."""
        self.background.stop()
        self.slow.stop()
        self.loop.stop()

    def ask(self, asker: str, action: Callable[[Mover], None]) -> None:
        """Do something with the mover on the loop, and show what came of it."""

        def act() -> None:
            action(self.mover)
            self._show(asker)

        self.loop.post(asker, act)

    def open(self, machine: Machine, X: ArrayLike | None = None) -> None:
        """Show another machine, at home or at a pose; on the loop."""
        keeps = self.mover.keeps_limits
        self.mover = Mover(machine, X)
        self.mover.keeps_limits = keeps
        self._scene.remove()
        lay_ground(self.server.scene, machine)
        look_at(self.server, machine)
        self._scene = MachineScene(self.server.scene, machine)
        self.dress()
        for part in self._parts:
            part.new_machine(self.mover)
        self._show("open")

    def tell_error(self, error: Exception) -> None:
        """Show an error in every window, in the words of the command line."""
        words = in_words(error)
        if not words:
            import traceback

            traceback.print_exception(error)
            words = f"This should not have happened: {type(error).__name__}: {error}"
        for client in self.server.get_clients().values():
            client.add_notification("Error", words, color="red", auto_close_seconds=12.0)

    def _show(self, asker: str) -> None:
        """The machine and the words at once, the sliders soon."""
        with self.server.atomic():
            self._scene.show(self.mover.X)
            self._scene.colour_legs(leg_margins(self.mover.margins))
        self.telling.show(self.mover, asker)
        self.loop.post("follow", lambda: self._follow(asker), FOLLOW)

    def _follow(self, asker: str) -> None:
        for part in self._parts:
            if part is not self.telling:
                part.show(self.mover, asker)

    def _build(self) -> None:
        """Lay out the panels and fill them."""
        gui = self.server.gui
        gui.main_panel.dock_right()
        gui.main_panel.set_width(330)
        panel = gui.add_panel()
        told = panel.add_tab("Machine")
        with told:
            self.telling = Telling(self.server, self.mover, self.ask, self.slow)
        panel.dock_left()
        panel.set_width(330)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            home = gui.add_button("Home")
            home.on_click(by_hand(lambda _: self.ask("home", lambda mover: mover.home())))
            self.pose = PoseSliders(gui, self.mover, self.ask)
            self.joints = JointSliders(gui, self.mover, self.ask)
            with gui.add_folder("Hand and keys"):
                self.gizmo = Gizmo(self.server, self.mover, self.ask, lambda: self.pose.reading.pivot)
                self.keyboard = Keyboard(gui, self.mover, self.ask, lambda: self.pose.reading)
                self._build_switches()
        with tabs.add_tab("Load"):
            self.asking = Asking(gui, self.mover, self.slow, told)
        with tabs.add_tab("Overlays"):
            self.overlays = Overlays(self.server, self.mover, self.background)
            self.modes = Modes(self.server, self.mover, self.ask, self.background)
        with tabs.add_tab("Play"):
            self.player = Player(gui, self.mover, self.ask, self.loop, lambda: self.pose.reading)
        self._parts += [self.telling, self.pose, self.joints, self.gizmo, self.keyboard]
        self._parts += [self.asking, self.overlays, self.modes, self.player]

    def _build_switches(self) -> None:
        gui = self.server.gui
        self._keeps = gui.add_checkbox("stop at limits", True)
        self._frames = gui.add_checkbox("frames", False)
        self._numbers = gui.add_checkbox("leg numbers", True)
        self._shadows = gui.add_checkbox("shadows", True, hint="Off is quicker without a graphics card.")
        self._keeps.on_update(by_hand(lambda _: self.ask("limits", self._keep)))
        for switch in (self._frames, self._numbers, self._shadows):
            switch.on_update(by_hand(lambda _: self.loop.post("dress", self.dress)))

    def _keep(self, mover: Mover) -> None:
        mover.keeps_limits = self._keeps.value
        mover.to(mover.X if mover.refusal is None or mover.refusal.wanted is None else mover.refusal.wanted)

    def dress(self, *, shadows: bool | None = None) -> None:
        """Draw what the switches say; `shadows` sets its switch."""
        if shadows is not None:
            put(self._shadows, shadows)
        light(self.server.scene, shadows=self._shadows.value)
        self._scene.show_frames(self._frames.value)
        self._scene.show_numbers(self._numbers.value)
