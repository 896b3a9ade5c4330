"""3-D scenes and their traces, from arrays of points in the figure's unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType
from scipy.spatial.transform import Rotation

from gough.arrays import Array
from gough.plot._style import GRID, INK, MUTED, TAG, figure
from gough.stacked import AnyMachine

Points = NDArray[np.floating]
Z_AXIS = np.array([0.0, 0.0, 1.0])
GAP = np.full(3, np.nan)
"""Between two lines of one trace: Plotly interrupts a line at NaN."""
TURN = "turn"
"""Name of the menu whose button turns a scene."""
ORBIT, ROUND = 24, 8000.0
"""Frames of a turn, and its time [ms]."""


def line(points: Points, colour: str, width: float, **how: Any) -> go.Scatter3d:
    """A line through points (n, 3), interrupted at NaN; without label and legend entry unless given."""
    x, y, z = points.T
    look = {"mode": "lines", "hoverinfo": None if "hovertemplate" in how else "skip", "showlegend": False}
    return go.Scatter3d(x=x, y=y, z=z, line={"color": colour, "width": width}, **{**look, **how})


def dots(points: Points, colour: str, size: float, **how: Any) -> go.Scatter3d:
    """Markers at points (n, 3)."""
    x, y, z = points.T
    return go.Scatter3d(x=x, y=y, z=z, marker={"color": colour, "size": size}, **{"mode": "markers", **how})


def triangles(points: Points, faces: NDArray[np.integer], **how: Any) -> go.Mesh3d:
    """Triangles (m, 3), given by vertex numbers, between points (n, 3)."""
    (x, y, z), (i, j, k) = points.T, faces.T
    return go.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, **how)


def compact_triangles(points: Array, faces: NDArray[np.integer], **how: Any) -> go.Mesh3d:
    """Triangles in single precision and the shortest integers that number their vertices: large meshes on a page."""
    number = np.uint16 if len(points) < 2**16 else np.uint32
    return triangles(points.astype(np.float32), faces.astype(number), **how)


def vertices_of(trace: go.Mesh3d | go.Scatter3d) -> Array:
    """Vertices (n, 3) of a trace."""
    return np.stack([trace.x, trace.y, trace.z], axis=-1).astype(float)


def tag(place: Array, text: str, size: int, colour: str = INK) -> dict[str, object]:
    """An annotation of a scene at a place (3,): text on a light ground, above all traces."""
    x, y, z = place.tolist()
    look = {"showarrow": False, "bgcolor": TAG, "borderpad": 1, "font": {"size": size, "color": colour}}
    return {"x": x, "y": y, "z": z, "text": text, **look}


def up(machine: AnyMachine) -> Array:
    """Unit vector (3,) against gravity in the base frame; z where there is no gravity."""
    strength = float(np.linalg.norm(machine.gravity))
    return Z_AXIS if strength == 0 else -machine.gravity / strength


def span(points: Array, pad: float = 0.06) -> Array:
    """Lowest and highest values (3, 2) of the finite ones of points (n, 3), padded by a part of their diagonal."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    room = pad * (float(np.linalg.norm(high - low)) or 1.0)
    return np.stack([low - room, high + room], axis=1)


def titles_of_positions(machine: AnyMachine) -> list[str]:
    """Titles of the axes x, y and z with the file's unit of length."""
    return [f"{axis} [{machine.units.length}]" for axis in "xyz"]


def machine_scene(machine: AnyMachine, titles: Sequence[str], limits: Array, rise: float = 0.32) -> dict[str, Any]:
    """A scene over axis limits (3, 2), upright as gravity has it.

    Dragging turns it about the vertical where that is z: Plotly's turntable has no other axis.
    """
    upward = up(machine)
    mode = "turntable" if upward[2] > 0.999 else "orbit"
    return {**scene(titles, limits, upward, rise), "dragmode": mode}


def scene(titles: Sequence[str], limits: Array, upward: Array = Z_AXIS, rise: float = 0.32) -> dict[str, Any]:
    """A 3-D scene with one scale for all axes, in parallel projection, that fits a window a third wider than high.

    Parameters
    ----------
    titles : three axis titles with their units
    limits : (3, 2) array
        Lowest and highest value of each axis.
    upward : (3,) array
        Unit vector that points up on the screen.
    rise : float
        Height of the eye above the horizon, per horizontal distance.

    """
    eye = view_direction(upward, rise)
    side = np.cross(upward, eye) / np.linalg.norm(np.cross(upward, eye))
    extent = np.ptp(limits, axis=1)
    # Width and height of the box as the camera projects it, from its eight corners.
    box = 0.5 * np.array(list(product((-1.0, 1.0), repeat=3))) * extent
    wide, high = np.ptp(box @ side), np.ptp(box @ np.cross(eye, side))
    # Plotly's camera shows a height of 2, of which the axis labels need some.
    ratio = extent * min(1.78 / high, 2.1 / wide)
    ticks = np.where(extent < 0.7 * extent.max(), 3, 5)  # at most; numbers of a short axis would overlap
    return {
        **{f"{name}axis": _axis(*axis) for name, *axis in zip("xyz", titles, limits, ticks, strict=True)},
        "aspectmode": "manual",
        "aspectratio": _xyz(ratio),
        "camera": {"up": _xyz(upward), "eye": _xyz(2.0 * eye), "projection": {"type": "orthographic"}},
    }


def turn_button(scenes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Button that turns the cameras of scenes, by name, once round the axes that point up, in `ORBIT` frames.

    The frames are in the button itself: any page of Plotly's plays them. Pressed again it stops.
    """
    frames = []
    for k in range(1, ORBIT + 1):
        eyes = {
            name: {"camera": {"eye": _turned(box["camera"], 2 * np.pi * k / ORBIT)}} for name, box in scenes.items()
        }
        frames.append({"layout": eyes})
    play = {"frame": {"duration": ROUND / ORBIT, "redraw": True}, "transition": {"duration": 0}, "mode": "immediate"}
    still = {**play, "frame": {"duration": 0, "redraw": False}}
    turn = {"label": "▶ turn", "method": "animate", "args": [frames, play], "args2": [[None], still]}
    place = {"x": 1, "xanchor": "right", "y": 0, "yanchor": "bottom", "pad": {"r": 6, "b": 6}}
    look = {
        "active": -1,
        "showactive": False,
        "font": {"size": 11, "color": MUTED},
        "bgcolor": TAG,
        "bordercolor": GRID,
    }
    return {"name": TURN, "type": "buttons", "buttons": [turn], **place, **look}


def _turned(camera: Mapping[str, Any], angle: float) -> dict[str, float]:
    """The eye of a camera turned about the axis that points up [rad]."""
    eye, axis = (np.array([camera[name][x] for x in "xyz"]) for name in ("eye", "up"))
    return _xyz(Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).apply(eye))


def in_space(traces: Sequence[BaseTraceType], **layout: Any) -> go.Figure:
    """A figure in the common look of a layout with scenes, with the button that turns them."""
    scenes = {name: box for name, box in layout.items() if name.startswith("scene")}
    return figure(traces, updatemenus=[turn_button(scenes)], **layout)


def view_direction(upward: Array, rise: float) -> Array:
    """Unit vector (3,) from the scene to the eye: between +x and -y, `rise` above the horizon."""
    # Horizontal part of the x axis, or of y where x is nearly vertical.
    ahead = np.eye(3)[0] if abs(upward[0]) < 0.9 else np.eye(3)[1]
    ahead = ahead - (ahead @ upward) * upward
    ahead /= np.linalg.norm(ahead)
    turn = np.deg2rad(-52.0)
    direction = np.cos(turn) * ahead + np.sin(turn) * np.cross(upward, ahead) + rise * upward
    return np.asarray(direction / np.linalg.norm(direction))


def _xyz(vector: Array) -> dict[str, float]:
    return dict(zip("xyz", map(float, vector), strict=True))


def _axis(title: str, limits: Array, ticks: int) -> dict[str, object]:
    """One axis in muted colours, without background planes, at most `ticks` numbers."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": MUTED}},
        "range": [float(limits[0]), float(limits[1])],
        "showbackground": False,
        "showspikes": False,
        "gridcolor": GRID,
        "linecolor": GRID,
        "zeroline": False,
        "nticks": int(ticks),
        "exponentformat": "none",
        "separatethousands": True,
        "tickfont": {"size": 10, "color": MUTED},
    }
