"""Ranges of pure translations and of pure rotations as solids with eight corners."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.plot import _style as style
from gough.plot._scene import GAP, dots, in_space, line, scene, span, triangles
from gough.present.units import decimals, file_unit, in_file_units
from gough.regions.corners import EDGES, Corners
from gough.regions.corners import corners as corners_of
from gough.stacked import AnyMachine

FACES = ((0, 1, 2, 3), (0, 3, 4, 5), (0, 5, 6, 1), (7, 2, 3, 4), (7, 4, 5, 6), (7, 6, 1, 2))
"""Corners around each of the six sides, counted from 0."""


@checks_arguments
def corners(
    machine: AnyMachine, kind: Literal["translation", "rotation"] = "translation", *, result: Corners | None = None
) -> go.Figure:
    """Corners 1..8 of the volume that pure translations (or rotations) from home reach, with its edges.

    Parameters
    ----------
    machine : Machine
    kind : {"translation", "rotation"}
        What the three axes are: displacements x, y, z, or angles rx, ry, rz.
    result : Corners, optional
        Of `gough.regions.corners`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on the axes. Edges are straight lines between corners, which approximate those of the volume.
        Corners that are NaN are omitted with their edges.

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
    faces = np.array([triangle for a, b, c, d in FACES for triangle in ((a, b, c), (a, c, d))])
    edges = np.array([row for a, b in EDGES for row in (points[a], points[b], GAP)])
    traces = [
        triangles(points, faces, color=style.ACCENT, opacity=0.16, flatshading=True, hoverinfo="skip"),
        line(edges, style.CYLINDER, 4),
        _marks(points, result, digits, unit),
        dots(np.zeros((1, 3)), style.INK, 3, hovertemplate="home<extra></extra>"),
    ]
    box = scene([f"{name} [{unit}]" for name in names], span(np.vstack([points, np.zeros(3)]), 0.08))
    return in_space(traces, height=400, showlegend=False, scene=box)


def _marks(points: Array, result: Corners, digits: int, unit: str) -> go.Scatter3d:
    """Numbered corners, with their places and the limits that end the range there."""
    shown = [
        f"corner {k + 1}<br>({', '.join(f'{value:.{digits}f}' for value in point)}) {unit}<br>{result.binding[k]}"
        for k, point in enumerate(points)
    ]
    return dots(
        points,
        style.ACCENT,
        4,
        mode="markers+text",
        text=[f"<b>{k + 1}</b>" for k in range(8)],
        textposition="top center",
        textfont={"size": 14, "color": style.INK},
        customdata=shown,
        hovertemplate="%{customdata}<extra></extra>",
    )
