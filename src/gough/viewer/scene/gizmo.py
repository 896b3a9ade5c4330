"""The gizmo: arrows and arcs at the pivot that drag and turn the platform."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.machine import Machine
from gough.viewer.scene.batch import quaternions
from gough.viewer.scene.machine import ACTIVE
from gough.viewer.scheduler import by_hand
from gough.viewer.store import State, Store

if TYPE_CHECKING:
    import viser

HAND = "gizmo"
SIZE = 0.24
"""Length of the arrows, as a part of the machine's size."""
MODES = ("move and turn", "move", "turn", "hidden")


class Gizmo:
    """Handles at the pivot along the platform's axes, which follow the platform except while they are dragged."""

    def __init__(self, scene: viser.SceneApi, store: Store) -> None:
        self._scene, self._store = scene, store
        self._model: Machine | None = None
        self.show(store.state)

    def show(self, state: State) -> None:
        """Show a state; no handles while a motion plays, so that the path of the tool is seen."""
        if self._model is not state.model:
            self._make(state)
        is_aside = state.is_moving and not state.is_held
        # viser calls the translations axes and sliders: along a line and in a plane.
        self.node.disable_axes = self.node.disable_sliders = state.gizmo == "turn"
        self.node.disable_rotations = state.gizmo == "move"
        self.node.visible = not (state.gizmo == "hidden" or state.is_playing or is_aside)
        if not (state.is_held or is_aside or self._store.is_waiting(HAND)):
            X = state.stage.X
            self.node.wxyz = quaternions(X[:3, :3])
            self.node.position = X[:3, :3] @ state.coordinates.pivot + X[:3, 3]

    def _make(self, state: State) -> None:
        """Replace the handles by those for the size of another machine."""
        self._model = state.model
        self.node = self._scene.add_transform_controls(
            f"{ACTIVE}/gizmo", scale=SIZE * state.model.size, line_width=3.0, depth_test=False
        )
        self.node.on_update(by_hand(self._dragged))

    def _dragged(self, event: Any) -> None:
        """Move the platform so that its pivot is at the gizmo, with the gizmo's orientation."""
        from scipy.spatial.transform import Rotation

        R = Rotation.from_quat(np.array(self.node.wxyz), scalar_first=True).as_matrix()
        position, is_held = np.array(self.node.position), event.phase != "end"

        def change(state: State) -> State:
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = R, position - R @ state.coordinates.pivot
            return replace(state.moved(state.stage.to(X), HAND), is_held=is_held)

        self._store.update(HAND, change)
