"""The cube-like volume of pure translations or pure rotations, by its eight corners."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments
from gough.limits.corners import EDGES, Corners
from gough.limits.corners import corners as corners_of
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.units import decimals, file_unit, in_file_units

Array = NDArray[np.float64]

FACES = ((0, 1, 2, 3), (0, 3, 4, 5), (0, 5, 6, 1), (7, 2, 3, 4), (7, 4, 5, 6), (7, 6, 1, 2))
"""Corners round each of the six sides, counted from 0."""


@checks_arguments
def corners(
    machine: Machine, kind: Literal["translation", "rotation"] = "translation", *, result: Corners | None = None
) -> go.Figure:
    """Corners 1..8 of the volume that pure translations (or rotations) from home reach, with its edges.

    Parameters
    ----------
    machine : Machine
    kind : {"translation", "rotation"}
        What the three axes are: displacements x, y, z, or angles rx, ry, rz.
    result : Corners, optional
        Of `gough.limits.corners`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on the axes. Edges are straight lines between corners, which the volume's own only approach.
        Corners without a number are left out with their edges.

    Raises
    ------
    InputError
        Another `kind`.

    """
    si_unit, names = ("m", "xyz") if kind == "translation" else ("rad", ("rx", "ry", "rz"))
    result = corners_of(machine, kind) if result is None else result
    points = in_file_units(machine, result.points, si_unit)
    points[~np.isfinite(points).all(axis=1)] = np.nan
    unit, digits = file_unit(machine, si_unit), decimals(machine, si_unit)
    figure = go.Figure([_faces(points), _edges(points), *_marks(points, result, digits, unit)])
    titles = [f"{name} [{unit}]" for name in names]
    scene = style.scene(titles, _spans(points), np.array([0.0, 0.0, 1.0]), 0.32)
    figure.update_layout(template=style.TEMPLATE, height=400, showlegend=False, scene=scene)
    return figure


def _edges(points: Array) -> go.Scatter3d:
    gap = np.full(3, np.nan)
    x, y, z = np.array([row for a, b in EDGES for row in (points[a], points[b], gap)]).T
    return go.Scatter3d(x=x, y=y, z=z, mode="lines", line={"color": style.CYLINDER, "width": 4}, hoverinfo="skip")


def _faces(points: Array) -> go.Mesh3d:
    i, j, k = np.array([triangle for a, b, c, d in FACES for triangle in ((a, b, c), (a, c, d))]).T
    x, y, z = points.T
    return go.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, color=style.ACCENT, opacity=0.16, flatshading=True, hoverinfo="skip")


def _marks(points: Array, result: Corners, digits: int, unit: str) -> list[go.Scatter3d]:
    x, y, z = points.T
    shown = [
        f"corner {k + 1}<br>({', '.join(f'{value:.{digits}f}' for value in point)}) {unit}<br>{result.binding[k]}"
        for k, point in enumerate(points)
    ]
    corner_marks = go.Scatter3d(
        x=x,
        y=y,
        z=z,
        mode="markers+text",
        text=[f"<b>{k + 1}</b>" for k in range(8)],
        textposition="top center",
        textfont={"size": 14, "color": style.INK},
        marker={"size": 4, "color": style.ACCENT},
        customdata=shown,
        hovertemplate="%{customdata}<extra></extra>",
    )
    home = go.Scatter3d(
        x=[0], y=[0], z=[0], mode="markers", marker={"size": 3, "color": style.INK}, hovertemplate="home<extra></extra>"
    )
    return [corner_marks, home]


def _spans(points: Array) -> Array:
    """Lowest and highest value of each axis, (3, 2), around home and all finite corners."""
    finite = np.concatenate([points[np.isfinite(points).all(axis=1)], np.zeros((1, 3))])
    low, high = finite.min(axis=0), finite.max(axis=0)
    pad = 0.08 * (float(np.linalg.norm(high - low)) or 1.0)
    return np.stack([low - pad, high + pad], axis=1)
