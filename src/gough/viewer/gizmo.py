"""The gizmo: arrows and arcs at the pivot that drag and turn the platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.viewer.batch import quaternions
from gough.viewer.parts import ACTIVE, PLAYING, Ask, by_hand
from gough.viewer.pose_controller import Mover

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

NAME = "gizmo"
SIZE = 0.24
"""Of the machine's size."""
MODES = ("move and turn", "move", "turn", "hidden")


class Gizmo:
    """Sits at the pivot, along the platform's axes; follows the platform unless somebody holds it.

    Parameters
    ----------
    server : viser.ViserServer
    mover : Mover
    ask : Ask
    pivot : callable
        Gives the chosen pivot, in the platform frame [m].

    Attributes
    ----------
    is_held : bool
        Whether somebody drags it.

    """

    def __init__(self, server: viser.ViserServer, mover: Mover, ask: Ask, pivot: Callable[[], Array]) -> None:
        self._ask, self._pivot, self.is_held, self._is_aside = ask, pivot, False, False
        self._scene = server.scene
        self._mode = server.gui.add_dropdown("gizmo", MODES)
        self._mode.on_update(by_hand(lambda _: self.dress()))
        self.new_machine(mover)

    def new_machine(self, mover: Mover) -> None:
        """Make the gizmo in the size of another machine."""
        self._mover = mover
        self.is_held = self._is_aside = False
        self._node = self._scene.add_transform_controls(
            f"{ACTIVE}/gizmo", scale=SIZE * mover.machine.size, line_width=3.0, depth_test=False
        )
        self._node.on_update(by_hand(self._dragged))
        self.dress()
        self._follow(mover)

    def dress(self) -> None:
        """Show the handles that are asked for."""
        mode = self._mode.value
        self._node.disable_axes = self._node.disable_sliders = mode == "turn"
        self._node.disable_rotations = mode == "move"
        self._node.visible = mode != "hidden" and not self._is_aside

    def step_aside(self, wanted: bool) -> None:
        """Be hidden unless somebody holds it, or come back to where the platform is."""
        self._is_aside = wanted and not self.is_held
        if not self._is_aside and not self.is_held:
            self._follow(self._mover)
        self.dress()

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Follow the platform; while a motion plays the way of the tool is to be seen, and no handles."""
        self._mover = mover
        if askers == {PLAYING}:
            self._node.visible = False
            return
        self._node.visible = self._mode.value != "hidden" and not self._is_aside
        if not self.is_held and not self._is_aside:
            self._follow(mover)

    def _follow(self, mover: Mover) -> None:
        self._node.wxyz = quaternions(mover.X[:3, :3])
        self._node.position = mover.X[:3, :3] @ self._pivot() + mover.X[:3, 3]

    def _dragged(self, event: Any) -> None:
        """Ask for the pose that puts the pivot where the gizmo is."""
        self.is_held = event.phase != "end"
        wxyz, place = np.array(self._node.wxyz), np.array(self._node.position)

        def move(mover: Mover) -> None:
            from scipy.spatial.transform import Rotation

            X = np.eye(4)
            X[:3, :3] = Rotation.from_quat(wxyz, scalar_first=True).as_matrix()
            X[:3, 3] = place - X[:3, :3] @ self._pivot()
            mover.to(X)

        self._ask(NAME, move)
