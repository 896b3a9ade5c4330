"""What overlays are made of: surfaces, lines and words in the base frame, put on the scene and taken off together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.viewer.appearance import rgb

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (m, 3) of vertices (n, 3) [m] in one colour, seen through."""

    vertices: Array
    faces: Ints
    colour: str
    opacity: float


@dataclass(frozen=True, eq=False)
class Lines:
    """Segments (n, 2, 3) [m]."""

    segments: Array
    colour: str


@dataclass(frozen=True, eq=False)
class Words:
    """A text at a point (3,) [m]."""

    text: str
    place: Array


Piece = Surface | Lines | Words


def put_up(scene: viser.SceneApi, name: str, pieces: Sequence[Piece]) -> None:
    """Show pieces under a node in place of those that are there."""
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
            scene.add_label(node, piece.text, position=piece.place, anchor="bottom-center")


def take_down(scene: viser.SceneApi, name: str) -> None:
    """Remove what `put_up` showed under a node."""
    if scene.get_handle_by_name(name) is not None:
        scene.remove_by_name(name)
