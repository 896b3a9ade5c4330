"""Ghosts of the platform at other poses, and the gizmo that drags and turns it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import gough
from gough.arrays import Array
from gough.limits.ties import listed
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._legs import platform_points
from gough.plot._solids import Bar
from gough.viewer.scene.batch import BROKEN, SolidBatch, quaternions, rgb
from gough.viewer.scene.ground import plates_at_home, view_axes
from gough.viewer.scene.machine import ACTIVE, in_platform, legs_at
from gough.viewer.scheduler import by_hand
from gough.viewer.store import MODES, Computed, State, Store

if TYPE_CHECKING:
    import viser

ALLOWED, NOT_ALLOWED = style.AXES[1], style.BAR
OPACITY = 0.4
LINE, WIDTH, DISTANCE = 0.065, 3.5, 3.2
"""Approximate height of a text in the initial view, in sizes of the machine, its width in heights, and the distance of
the initial camera in sizes."""
SAME = 1e-9
"""Largest difference of leg values that count as equal [m or rad]."""


class Ghost:
    """A platform at a pose, with its legs as solids or as lines.

    Parameters
    ----------
    scene : viser.SceneApi
    name : str
        Name of its node.
    machine : Machine
    colour : str
        "#rrggbb".
    has_rods : bool
        Whether its legs are solids.

    """

    def __init__(
        self, scene: viser.SceneApi, name: str, machine: Machine, colour: str, *, has_rods: bool = True
    ) -> None:
        self._scene, self._name, self._machine, self._colour = scene, name, machine, colour
        self._rods = SolidBatch(scene, f"{name}/rods", colour, opacity=0.6 * OPACITY) if has_rods else None
        self._frame = scene.add_frame(f"{name}/platform", show_axes=False)
        solid = in_platform(machine, plates_at_home(machine)[1])[0]
        self.plate = scene.add_mesh_simple(
            f"{name}/platform/plate",
            np.asarray(solid.vertices),
            solid.faces,
            color=rgb(colour),
            opacity=OPACITY,
            flat_shading=True,
            cast_shadow=False,
        )

    def show(self, X: Array | None, q: Array | None = None) -> None:
        """Show it at a pose (4, 4), or hide it for None; lines begin at the driven points of q (6,), or of the pose."""
        self._frame.visible = X is not None
        if X is None:
            if self._rods is not None:
                self._rods.remove()
            return
        self._frame.wxyz, self._frame.position = quaternions(X[:3, :3]), X[:3, 3]
        if self._rods is not None:
            legs = legs_at(self._machine, X)
            self._rods.show([shape for shape in [*legs.heavy, *legs.bright] if isinstance(shape, Bar)])
            return
        joints = gough.inverse_kinematics(self._machine, X) if q is None else q
        ends = np.stack([self._machine.legs.driven_points(joints), platform_points(self._machine, X)], axis=1)
        self._scene.add_line_segments(
            f"{self._name}/lines", ends, rgb(self._colour), thickness=1.0, thickness_units="screen"
        )

    def label(self, text: str, position: Array) -> None:
        """Write a text at a position (3,) [m]."""
        self._scene.add_label(f"{self._name}/name", text, position=position, anchor="center-center")

    def remove(self) -> None:
        """Remove it from the scene."""
        self._scene.remove_by_name(self._name)


class RefusedGhost:
    """A red ghost at the requested pose, where that is not the shown one."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._ghost: Ghost | None = None
        self._model: Machine | None = None

    def show(self, state: State) -> None:
        """Show a state."""
        stage = state.stage
        refusal = stage.refusal
        # Where limits are not kept the refused pose is the shown one, the same array.
        X = None if refusal is None or refusal.wanted is None or stage.X is refusal.wanted else refusal.wanted
        if self._ghost is not None and self._model is not state.model:
            self._ghost.remove()
            self._ghost = None
        if self._ghost is None and X is not None:
            self._ghost, self._model = Ghost(self._scene, f"{ACTIVE}/wanted", state.model, BROKEN), state.model
        if self._ghost is not None:
            self._ghost.show(X)


class ModeGhosts:
    """A ghost in each assembly mode of the leg values; a click assembles the machine there, or reports the reason why
    not."""

    def __init__(self, scene: viser.SceneApi, store: Store) -> None:
        self._scene, self._store = scene, store
        self._ghosts: list[Ghost] = []
        self._shown: Computed | None = None

    def show(self, state: State) -> None:
        """Show a state."""
        found = state.results[MODES] if has_modes(state) else None
        if found is self._shown:
            return
        self._shown = found
        for ghost in self._ghosts:
            ghost.remove()
        self._ghosts = []
        if found is None:
            return
        X, machine = found.value.matrix, state.model
        centres = X[:, :3, :3] @ machine.platform_centre + X[:, :3, 3]
        positions = apart(centres, LINE * machine.size, view_axes(machine), DISTANCE * machine.size)
        self._ghosts = [self._made(machine, found.value, k, positions[k]) for k in range(len(X))]

    def _made(self, machine: Machine, found: gough.assembly.AssemblyModes, k: int, position: Array) -> Ghost:
        colour = ALLOWED if found.within_limits[k] else NOT_ALLOWED
        ghost = Ghost(self._scene, f"{ACTIVE}/modes/{k}", machine, colour, has_rods=False)
        # Of sliders and cranks inverse kinematics would take the legs' own branch, with other joint values.
        ghost.show(found.matrix[k], found.q)
        ghost.label(f"mode {k + 1}", position)
        if found.on_own_branch[k]:
            ghost.plate.on_click(by_hand(lambda _: go_to_mode(self._store, str(k + 1))))
        else:
            ghost.plate.on_click(by_hand(lambda event: _notify(event.client, other_branch([k + 1]))))
        return ghost


def apart(points: Array, line: float, axes: Array, distance: float) -> Array:
    """Return points (k, 3) [m] moved up in a camera's picture until texts of height `line` there do not overlap.

    The camera has the axes (3, 3) as rows, and is at a distance [m] from the middle of the points.
    """
    seen = (points - points.mean(axis=0)) @ axes.T
    # Scale of the pinhole projection, bounded for points near the camera.
    nearer = distance / (distance - np.minimum(seen[:, 2], 0.5 * distance))
    x, y = (seen[:, :2] * nearer[:, None]).T
    order = np.argsort(y, kind="stable")
    for i, k in enumerate(order):  # from the lowest text upwards: each is moved above those placed that it overlaps
        below = order[:i][np.abs(x[order[:i]] - x[k]) < WIDTH * line]
        for height in np.sort(y[below]):
            if abs(height - y[k]) < line:
                y[k] = height + line
    return points + np.outer(y / nearer - seen[:, 1], axes[1])


def has_modes(state: State) -> bool:
    """Test whether the assembly modes of the current leg values are known and shown."""
    found = state.results.get(MODES)
    if MODES not in state.overlays or found is None or not isinstance(found.value, gough.assembly.AssemblyModes):
        return False
    is_same_machine = isinstance(found.key, tuple) and found.key[0] is state.model
    return is_same_machine and np.allclose(state.stage.q, found.value.q, rtol=0, atol=SAME)


def mode_names(state: State) -> tuple[str, ...]:
    """Return numbers from 1 of the modes in which the machine can be assembled, those on the legs' own branch."""
    if not has_modes(state):
        return ()
    # On another branch the pose has other joint values: inverse kinematics and the limits are those of the own one.
    return tuple(str(k + 1) for k in np.flatnonzero(state.results[MODES].value.on_own_branch))


def other_branch(modes: Sequence[int]) -> str:
    """Explain why the machine cannot be assembled in these modes, numbers from 1; empty where there are none."""
    if not modes:
        return ""
    which = f"mode{'s' if len(modes) > 1 else ''} {listed(list(map(str, modes)))}"
    return f"In {which} a leg is on its other branch, for which it is not built: the machine cannot go there."


def _notify(client: viser.ClientHandle, words: str) -> None:
    client.add_notification("Assembly modes", words, auto_close_seconds=12.0)


def go_to_mode(store: Store, name: str) -> None:
    """Assemble the machine in another mode, allowed or not; nothing where its legs cannot be in that mode."""

    def change(state: State) -> State:
        if name not in mode_names(state):
            return state
        return state.moved(state.stage.assembled(state.results[MODES].value.matrix[int(name) - 1]), "mode")

    store.update("mode", change)


HAND = "gizmo"
SIZE = 0.24
"""Length of the arrows, as a part of the machine's size."""
GIZMO_MODES = ("move and turn", "move", "turn", "hidden")


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
        # viser calls the translations axes and sliders: along a line and in a plane.
        self.node.disable_axes = self.node.disable_sliders = state.gizmo == "turn"
        self.node.disable_rotations = state.gizmo == "move"
        self.node.visible = not (state.gizmo == "hidden" or state.is_playing)
        if not (state.is_held or self._store.is_waiting(HAND)):
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
