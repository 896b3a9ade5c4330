"""Traces of 3-D scenes from arrays of points, and the scene round them."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.arrays import Array
from gough.plot import _style as style
from gough.stacked import AnyMachine

Points = NDArray[np.floating]


def line(points: Points, colour: str, width: float, **how: Any) -> go.Scatter3d:
    """A line through points (n, 3) in the figure's unit, NaN where it has gaps; no label and no legend unless given."""
    x, y, z = points.T
    look = {"mode": "lines", "hoverinfo": None if "hovertemplate" in how else "skip", "showlegend": False}
    return go.Scatter3d(x=x, y=y, z=z, line={"color": colour, "width": width}, **{**look, **how})


def dots(points: Points, colour: str, size: float, **how: Any) -> go.Scatter3d:
    """Markers at points (n, 3) in the figure's unit."""
    x, y, z = points.T
    return go.Scatter3d(x=x, y=y, z=z, marker={"color": colour, "size": size}, **{"mode": "markers", **how})


def triangles(points: Points, faces: NDArray[np.integer], **how: Any) -> go.Mesh3d:
    """Triangles (m, 3) between points (n, 3) in the figure's unit."""
    (x, y, z), (i, j, k) = points.T, faces.T
    return go.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, **how)


def up(machine: AnyMachine) -> Array:
    """Unit vector (3,) against gravity in the base frame; z where there is no gravity."""
    strength = float(np.linalg.norm(machine.gravity))
    return np.array([0.0, 0.0, 1.0]) if strength == 0 else -machine.gravity / strength


def span(points: Array, pad: float = 0.06) -> Array:
    """Lowest and highest values (3, 2) around the finite ones of points (n, 3), with room of part of their diagonal."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    room = pad * (float(np.linalg.norm(high - low)) or 1.0)
    return np.stack([low - room, high + room], axis=1)


def scene(machine: AnyMachine, titles: list[str], limits: Array, rise: float = 0.32) -> dict[str, Any]:
    """A scene over values (3, 2), upright as gravity has it.

    The pointer turns it about the vertical where that is z: Plotly's turntable knows no other.
    """
    upward = up(machine)
    mode = "turntable" if upward[2] > 0.999 else "orbit"
    return {**style.scene(titles, limits, upward, rise), "dragmode": mode}
