"""Overlays and the tool path in the scene: surfaces, lines and text in the base frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array, Ints
from gough.plot import _style as style
from gough.plot._shapes import Ball
from gough.viewer.appearance import rgb
from gough.viewer.clips import Clip
from gough.viewer.scene.batch import Batch
from gough.viewer.scene.machine import ACTIVE
from gough.viewer.store import Result, State

if TYPE_CHECKING:
    import viser


TOOL_PATH = f"{ACTIVE}/tool path"
RAPID = "#94a3b8"
"""Colour of rapid moves."""
TIP = 0.012
"""Radius of the ball at the tool's tip, as a part of the machine's size."""
STRAIGHT = 1e-4
"""Largest deviation of the simplified line, as a part of its size."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (m, 3) of vertices (n, 3) [m] in one translucent colour; its name where a key lists it."""

    vertices: Array
    faces: Ints
    colour: str
    opacity: float
    name: str = ""


@dataclass(frozen=True, eq=False)
class Lines:
    """Segments (n, 2, 3) [m]."""

    segments: Array
    colour: str


@dataclass(frozen=True, eq=False)
class Words:
    """A text at a point (3,) [m]."""

    text: str
    position: Array


Piece = Surface | Lines | Words
Progress = Callable[[int, int], None]
"""Receives the amount done and the total; cancels by an exception."""


class ToolTip:
    """A ball at the tip of the tool, while the path of a motion is drawn."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._ball = Batch(scene, f"{ACTIVE}/tip", style.ACCENT)

    def show(self, state: State) -> None:
        """Show a state."""
        has_tip = state.clip is not None and state.clip.tip is not None
        centre = (state.stage.X @ state.stage.machine.X_PT)[:3, 3]
        self._ball.show([Ball(centre, TIP * state.model.size)] if has_tip else [])


class OverlaysScene:
    """The overlays that are on, and the path of the tool in the motion that can be played."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._shown: dict[str, Result] = {}
        self._clip: Clip | None = None

    def show(self, state: State) -> None:
        """Show a state; an overlay stays until the next one of its name is computed."""
        found = {name: result for name, result in state.results.items() if is_overlay(state, name, result)}
        for name in self._shown.keys() - found.keys():
            take_down(self._scene, f"{ACTIVE}/overlays/{name}")
        for name, result in found.items():
            if self._shown.get(name) is not result:
                put_up(self._scene, f"{ACTIVE}/overlays/{name}", result.value)
        self._shown = found
        if state.clip is not self._clip:
            self._clip = state.clip
            take_down(self._scene, TOOL_PATH)
            if state.clip is not None and state.clip.tip is not None:
                put_up(self._scene, TOOL_PATH, tool_path(state.clip))


def is_overlay(state: State, name: str, result: Result) -> bool:
    """Whether a result holds pieces of an overlay that is on, for the machine that is shown."""
    is_current = isinstance(result.key, tuple) and result.key[0] is state.model
    return name in state.overlays and is_current and isinstance(result.value, list)


def put_up(scene: viser.SceneApi, name: str, pieces: Sequence[Piece]) -> None:
    """Replace the pieces under a node."""
    take_down(scene, name)
    for k, piece in enumerate(pieces):
        node = f"{name}/{k}"
        if isinstance(piece, Surface):
            scene.add_mesh_simple(
                node,
                piece.vertices,
                piece.faces,
                color=rgb(piece.colour),
                opacity=piece.opacity,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
        elif isinstance(piece, Lines):
            scene.add_line_segments(node, piece.segments, rgb(piece.colour), thickness=1.5, thickness_units="screen")
        else:
            scene.add_label(node, piece.text, position=piece.position, anchor="bottom-center")


def take_down(scene: viser.SceneApi, name: str) -> None:
    """Remove the pieces under a node."""
    if scene.get_handle_by_name(name) is not None:
        scene.remove_by_name(name)


def tool_path(clip: Clip) -> list[Lines]:
    """The path of the tip as lines: moves with a feed, and rapid moves."""
    assert clip.tip is not None
    segments = np.stack([clip.tip[:-1], clip.tip[1:]], axis=1)
    rapid = np.zeros(len(clip.tip), dtype=bool) if clip.is_rapid is None else np.asarray(clip.is_rapid, dtype=bool)
    is_rapid = rapid[:-1] & rapid[1:]  # samples at the ends of a rapid move belong to moves with a feed as well
    size = float(np.ptp(clip.tip, axis=0).max())
    parts = ((style.AXES[2], segments[~is_rapid]), (RAPID, segments[is_rapid]))
    return [Lines(found, colour) for colour, part in parts if len(found := simplified(part, STRAIGHT * size))]


def simplified(segments: Array, within: float) -> Array:
    """Fewer segments for the same chains (n, 2, 3), within a distance [m] of the given ones."""
    kept = []
    first = 0
    # Greedy: the current segment from `first` is extended while every corner it skips stays within the distance.
    for k in range(1, len(segments) + 1):
        if k < len(segments) and np.array_equal(segments[k - 1, 1], segments[k, 0]):
            chain = segments[first:k, 1]
            if _off(chain, segments[first, 0], segments[k, 1]) <= within:
                continue
        if np.any(segments[first, 0] != segments[k - 1, 1]):
            kept.append([segments[first, 0], segments[k - 1, 1]])
        first = k
    return np.array(kept).reshape(-1, 2, 3)


def _off(points: Array, a: Array, b: Array) -> float:
    """Largest distance of points (n, 3) from the segment from a to b."""
    segment = b - a
    length = float(segment @ segment)
    along = np.clip((points - a) @ segment / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    return float(np.linalg.norm(points - a - along[:, None] * segment, axis=1).max())
