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
from gough.plot._joints import platform_points
from gough.plot._scene import dots, in_space, line, scene, titles_of_positions, triangles, up

COLUMNS = 3
MOST = 6
"""Modes drawn: those nearest to home."""
HEIGHT = 300
"""Height of a row [px]."""
TITLE = 11
"""Size of a title: three fit side by side on a phone [px]."""
RISE = 0.35
"""Height of the eye above the horizon, per distance."""
SMALLER = 0.85
"""Scale of a scene beside others, which leaves room for its labels."""


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
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=[[{"type": "scene"}] * columns] * rows,
        subplot_titles=[f"mode {k + 1}, side {result.sides[k]}<br>{result.verdicts[k]}" for k in range(count)],
        horizontal_spacing=0.01,
        vertical_spacing=0.08,
    )
    points = [_points(machine, result, k) for k in range(count)]
    for k, (feet, joints) in enumerate(points):
        for trace in _traces(feet, joints, allowed=bool(result.within_limits[k])):
            figure.add_trace(trace, row=k // columns + 1, col=k % columns + 1)
    # The layout is taken as a dictionary and made into a new figure: changing it in place validates it again and again.
    layout, box = (
        figure.layout.to_plotly_json(),
        _scene(machine, np.concatenate([np.concatenate(pair) for pair in points])),
    )
    for name in [name for name in layout if name.startswith("scene")]:
        layout[name].update(box)
    for title in layout["annotations"]:
        title["font"]["size"] = TITLE
    return in_space(
        figure.data,
        **{**layout, "height": HEIGHT * rows + 40, "showlegend": False, "margin": {"t": 44, "l": 0, "r": 0, "b": 20}},
    )


def _points(machine: Machine, modes: AssemblyModes, k: int) -> tuple[Array, Array]:
    """Driven points and platform joints (6, 3) of mode k, in the file's unit."""
    feet, joints = machine.legs.driven_points(modes.q), platform_points(machine, modes.matrix[k])
    return feet / machine.units.metres, joints / machine.units.metres


def _traces(feet: Array, joints: Array, *, allowed: bool) -> list[go.Scatter3d | go.Mesh3d]:
    """Plates, rods and joints of a mode."""
    rods = np.full((18, 3), np.nan)  # start, end and a gap for each leg
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
    """The hexagon of the joints, as triangles around its middle."""
    # Joints in the order of their angles about the middle, in the plane of the two largest principal axes.
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle)[2]
    at = (points - middle) @ axes.T
    corners = np.vstack([points[np.argsort(np.arctan2(at[:, 1], at[:, 0]))], middle])
    ring = np.arange(6)
    fan = np.stack([ring, (ring + 1) % 6, np.full(6, 6)], axis=1)
    return triangles(corners, fan, color=colour, opacity=0.75, hoverinfo="skip", flatshading=True)


def _scene(machine: Machine, points: Array) -> dict[str, Any]:
    """The scene of all pictures, around the points (n, 3) of all modes, upright as gravity has it."""
    low, high = points.min(axis=0), points.max(axis=0)
    rim = 0.05 * (high - low).max()
    limits = np.stack([low - rim, high + rim], axis=1)
    box = scene(titles_of_positions(machine), limits, up(machine), RISE)
    box["aspectratio"] = {axis: SMALLER * ratio for axis, ratio in box["aspectratio"].items()}
    return box
