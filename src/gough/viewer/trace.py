"""The way of the tool's tip in the scene, rapid moves in another colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.plot import _style as style
from gough.viewer.clips import Clip
from gough.viewer.parts import ACTIVE
from gough.viewer.pieces import Lines, put_up, take_down

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

NODE = f"{ACTIVE}/trace"
RAPID = "#94a3b8"
"""Where nothing is cut."""
STRAIGHT = 1e-4
"""Corners are left out of the line where it stays within this part of its size."""


class Trace:
    """Lines along which the tool goes in a clip that is one of the tool."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene

    def show(self, clip: Clip | None) -> None:
        """Draw the way of another clip, or none."""
        if clip is None or clip.tip is None:
            take_down(self._scene, NODE)
            return
        put_up(self._scene, NODE, traced(clip))


def traced(clip: Clip) -> list[Lines]:
    """The tip's way as lines: with a feed, and in rapid moves."""
    assert clip.tip is not None
    segments = np.stack([clip.tip[:-1], clip.tip[1:]], axis=1)
    rapid = np.zeros(len(clip.tip), dtype=bool) if clip.is_rapid is None else np.asarray(clip.is_rapid, dtype=bool)
    is_rapid = rapid[:-1] & rapid[1:]
    size = float(np.ptp(clip.tip, axis=0).max())
    parts = ((style.AXES[2], segments[~is_rapid]), (RAPID, segments[is_rapid]))
    return [Lines(found, colour) for colour, part in parts if len(found := simplified(part, STRAIGHT * size))]


def simplified(segments: Array, within: float) -> Array:
    """Chains of segments (n, 2, 3) with fewer of them, which leave the old ones by less than `within` [m]."""
    kept = []
    first = 0
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
    way = b - a
    length = float(way @ way)
    along = np.clip((points - a) @ way / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    return float(np.linalg.norm(points - a - along[:, None] * way, axis=1).max())
