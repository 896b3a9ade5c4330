"""The panels of the page and what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.viewer.export_panel import Keeping
from gough.viewer.files import Files
from gough.viewer.gizmo import Gizmo
from gough.viewer.head_sliders import HeadSliders
from gough.viewer.joint_sliders import JointSliders
from gough.viewer.keyboard import Keyboard
from gough.viewer.load_panel import Asking
from gough.viewer.modes import Modes
from gough.viewer.overlays import Overlays
from gough.viewer.parts import NOBODY, Part, by_hand, put
from gough.viewer.player import Player
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_sliders import PoseSliders
from gough.viewer.stack import Stack
from gough.viewer.state import State
from gough.viewer.status_panel import Telling
from gough.viewer.switches import Switches
from gough.viewer.trace import Trace

if TYPE_CHECKING:
    import viser

    from gough.viewer.clips import Clip
    from gough.viewer.pose_coordinates import Reading
    from gough.viewer.view import View

WIDTH = 330
"""Of the panels on either side [px]."""
STAGES = ("lower stage", "upper stage")


class Layout:
    """All parts: on the left what the machine tells, on the right what one does with it.

    Parameters
    ----------
    view : View
        What they show and ask.

    """

    def __init__(self, view: View) -> None:
        self._view, gui = view, view.server.gui
        mover = view.mover
        panel = gui.add_panel()
        told = panel.add_tab("Machine")
        with told:
            self.telling = Telling(view.server, mover, view.ask, view.slow)
        panel.dock_left()
        panel.set_width(WIDTH)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(WIDTH)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            self._build_move(gui, mover)
        with tabs.add_tab("Load"):
            self.asking = Asking(gui, mover, view.slow, told, lambda: view.stack)
        with tabs.add_tab("Overlays"):
            self.overlays = Overlays(view.server, mover, view.background, lambda: self.asking.load)
            self.modes = Modes(view.server, mover, view.ask, view.background)
        with tabs.add_tab("Play"):
            self.player = Player(
                gui,
                mover,
                view.ask,
                view.loop,
                view.background,
                lambda: self.pose.reading,
                lambda: self.asking.load,
                Trace(view.server.scene),
            )
        with tabs.add_tab("File"):
            self.files = Files(gui, view.loop, view.background, view.open, view.open_clip)
            view.fence.add(self.files.folder)
            self.keeping = Keeping(view.server, view.loop, view.slow, self._shown, view.state, view.restore)
        self._quick: list[Part] = [self.telling, self.gizmo, self.player]
        self._rest: list[Part] = [self.switches, self.pose, self.head, self.joints, self.keyboard, self.asking]
        self._rest += [self.overlays, self.modes]
        self.asking.changed = lambda: view.loop.post("load", self._load_changed)

    def new_machine(self, mover: Mover) -> None:
        """Tell all parts of another machine, or of another stage."""
        for part in (*self._rest, *self._quick):
            part.new_machine(mover)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Let the words, the gizmo and the player follow the machine."""
        for part in self._quick:
            part.show(mover, askers)

    def show_rest(self, mover: Mover, askers: frozenset[str]) -> None:
        """Let sliders and answers follow, which takes a page longer to draw."""
        for part in self._rest:
            part.show(mover, askers)

    def offer_stages(self, stack: Stack) -> None:
        """Let one choose the stage to move, where there are two."""
        self._stage.visible = len(stack.movers) > 1
        put(self._stage, STAGES[stack.place if len(stack.movers) > 1 else 0])

    def restore(self, state: State) -> None:
        """Set all choices as a saved view has them."""
        self.pose.choose(state.reading)
        self.switches.choose(state.switches)
        self.overlays.choose(state.overlays)
        self.modes.choose("modes" in state.overlays)
        self.asking.choose(state.load)

    def _build_move(self, gui: viser.GuiApi, mover: Mover) -> None:
        view = self._view
        self._stage = gui.add_dropdown("in hand", STAGES, visible=False)
        self._stage.on_update(
            by_hand(lambda _: view.loop.post("stage", lambda: view.take(STAGES.index(self._stage.value))))
        )
        home = gui.add_button("Home")
        home.on_click(by_hand(lambda _: view.ask("home", lambda mover: mover.home())))
        self.pose = PoseSliders(gui, mover, view.ask)
        self.head = HeadSliders(gui, mover, view.ask)
        self.joints = JointSliders(gui, mover, view.ask)
        with gui.add_folder("Hand and keys"):
            self.gizmo = Gizmo(view.server, mover, view.ask, lambda: self.pose.reading.pivot)
            self.keyboard = Keyboard(gui, mover, view.ask, lambda: self.pose.reading)
            self.switches = Switches(gui, mover, view.ask, lambda: view.loop.post("dress", view.dress))

    def _load_changed(self) -> None:
        self.overlays.show(self._view.mover, NOBODY)
        self.player.load_changed()

    def _shown(self) -> tuple[Mover, Clip | None, Reading]:
        return self._view.mover, self.player.clip, self.pose.reading
