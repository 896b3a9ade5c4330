"""Assembly modes side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.assembly.assembly_modes import AssemblyModes
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._traces import dots, line, triangles, up

ACROSS = 3
MOST = 6
"""Modes drawn: those nearest to home."""
HEIGHT = 300
"""Of a row [px]."""
TITLE = 11
"""Of a picture: three fit side by side on a phone [px]."""
RISE = 0.35
"""Of the eye above the horizon."""
SMALLER = 0.85
"""A scene with others beside it leaves its labels room."""


@checks_arguments
def assembly_modes(machine: Machine, result: AssemblyModes) -> go.Figure:
    """The poses that share one vector of joint coordinates, drawn to one scale side by side, the nearest to home first.

    Parameters
    ----------
    machine : Machine
    result : AssemblyModes
        Of which the first six are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        Rods between driven points and platform joints; the platform in the accent colour where the machine allows the
        pose. Each picture can be turned; the axes carry the unit of the machine's file.

    Raises
    ------
    InputError
        No pose has these joint coordinates.

    """
    count = min(len(result), MOST)
    if count == 0:
        raise InputError("there is no pose with these joint coordinates: nothing to draw")
    across = min(ACROSS, count)
    rows = -(-count // across)
    figure = make_subplots(
        rows=rows,
        cols=across,
        specs=[[{"type": "scene"}] * across] * rows,
        subplot_titles=[_title(result, k) for k in range(count)],
        horizontal_spacing=0.01,
        vertical_spacing=0.08,
    )
    points = [_points(machine, result, k) for k in range(count)]
    span = np.concatenate([np.concatenate(pair) for pair in points])
    for k, (feet, joints) in enumerate(points):
        for trace in _traces(feet, joints, allowed=bool(result.within_limits[k])):
            figure.add_trace(trace, row=k // across + 1, col=k % across + 1)
    layout, box = figure.layout.to_plotly_json(), _scene(machine, span)
    for name in [name for name in layout if name.startswith("scene")]:
        layout[name].update(box)
    for title in layout["annotations"]:
        title["font"]["size"] = TITLE
    return style.figure(
        figure.data, **{**layout, "height": HEIGHT * rows + 40, "showlegend": False, "margin": {"t": 44}}
    )


def _title(modes: AssemblyModes, k: int) -> str:
    return f"mode {k + 1}, side {modes.sides[k]}<br>{modes.verdicts[k]}"


def _points(machine: Machine, modes: AssemblyModes, k: int) -> tuple[Array, Array]:
    """Driven points and platform joints (6, 3) of mode k, in the file's unit."""
    X = modes.matrix[k]
    feet = machine.legs.driven_points(modes.q)
    joints = machine.b_P @ X[:3, :3].T + X[:3, 3]
    return feet / machine.units.metres, joints / machine.units.metres


def _traces(feet: Array, joints: Array, *, allowed: bool) -> list[go.Scatter3d | go.Mesh3d]:
    rods = np.full((18, 3), np.nan)
    rods[0::3], rods[1::3] = feet, joints
    colour = style.ACCENT if allowed else style.BAR
    labels = [f"leg {i + 1}" for i in range(6) for _ in range(3)]
    legs = line(rods, style.CYLINDER, 4, text=labels, hoverinfo="text")
    return [
        _plate(feet, style.BASE),
        _plate(joints, colour),
        legs,
        *(dots(at, style.JOINT, 3, hoverinfo="skip") for at in (feet, joints)),
    ]


def _plate(points: Array, colour: str) -> go.Mesh3d:
    """The joints' hexagon, spanned as a fan round its middle in the order of the angles there."""
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle)[2]
    at = (points - middle) @ axes.T
    corners = np.vstack([points[np.argsort(np.arctan2(at[:, 1], at[:, 0]))], middle])
    ring = np.arange(6)
    fan = np.stack([ring, (ring + 1) % 6, np.full(6, 6)], axis=1)
    return triangles(corners, fan, color=colour, opacity=0.75, hoverinfo="skip", flatshading=True)


def _scene(machine: Machine, points: Array) -> dict[str, Any]:
    """One box for all pictures, seen so that up is against gravity."""
    low, high = points.min(axis=0), points.max(axis=0)
    titles = [f"{name} [{machine.units.length}]" for name in "xyz"]
    rim = 0.05 * (high - low).max()
    scene: dict[str, Any] = style.scene(titles, np.stack([low - rim, high + rim], axis=1), up(machine), RISE)
    scene["aspectratio"] = {axis: SMALLER * ratio for axis, ratio in scene["aspectratio"].items()}
    return scene
