"""Projections of a paving onto pairs of its six coordinates."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.plot import _style as style
from gough.present.units import file_unit, in_file_units
from gough.regions.charts import CONE, ROTVEC
from gough.regions.paving import INNER, UNKNOWN, Paving
from gough.regions.projections import projected
from gough.stacked import AnyMachine

PAIRS = ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))
"""Coordinates along the axes of each panel: positions, then orientations."""
SQUARES = 64
"""Squares along each axis of a panel."""
POSSIBLE, PROVEN = "not ruled out", "allowed, proven"


def paving_figure(machine: AnyMachine, paving: Paving) -> go.Figure:
    """Where a paving may hold allowed poses, and where it is proven to: projected along the other four coordinates.

    Colours are the measure of the boxes over each square that are not proven to be without allowed poses, relative to
    the largest; a square is framed where its middle lies under a box that is proven to hold allowed poses only.

    Parameters
    ----------
    machine : Machine
        Whose file's units are written.
    paving : Paving
        Such as that of `gough.workspace_volume_6d`.

    Returns
    -------
    plotly.graph_objects.Figure
        Blank where all poses are proven to break a limit.

    """
    names = _names(machine, paving)
    figure = make_subplots(rows=2, cols=3, horizontal_spacing=0.09, vertical_spacing=0.14)
    inner, unknown = paving.cells(INNER), paving.cells(UNKNOWN)
    for k, pair in enumerate(PAIRS):
        place = {"row": 1 + k // 3, "col": 1 + k % 3}
        edges, most = projected(paving.region, (inner, unknown), pair, SQUARES)
        where = f"{names[pair[0]]}: %{{x:.4g}}, {names[pair[1]]}: %{{y:.4g}}"
        x, y = (_middles(machine, ends, axis) for ends, axis in zip(edges, pair, strict=True))
        _, proven = projected(paving.region, (inner,), pair, SQUARES, edges)
        part = np.where(most > 0, most / max(most.max(), np.finfo(float).tiny), np.nan).T
        title, hover = f"{POSSIBLE}, part of the most", f"{where}<br>{POSSIBLE}: %{{z:.3g}} of the most"
        heat = style.heatmap(x, y, part, title, hover, zmin=0.0, zmax=1.0, showscale=k == 0)
        figure.add_trace(heat, **place)
        figure.add_trace(_proven(x, y, proven, where), **place)
        figure.update_xaxes(title=names[pair[0]], showgrid=False, zeroline=False, **place)
        figure.update_yaxes(title=names[pair[1]], showgrid=False, zeroline=False, **place)
    figure.update_layout(template=style.TEMPLATE, height=620, showlegend=False)
    return figure


def _proven(x: Array, y: Array, proven: Array, where: str) -> go.Scatter:
    """Frames around the squares whose middle is proven to be allowed."""
    j, i = np.nonzero(proven.T)
    return go.Scatter(
        x=x[i],
        y=y[j],
        mode="markers",
        marker={"symbol": "square-open", "size": 4, "color": style.ACCENT},
        hovertemplate=f"{where}<br>{PROVEN}<extra></extra>",
    )


def _names(machine: AnyMachine, paving: Paving) -> list[str]:
    """Titles of the six coordinates with their units."""
    chart = paving.region.chart
    turns = {ROTVEC: ("rotation about x", "about y", "about z"), CONE: ("tilt along a", "along b", "torsion")}.get(
        chart, tuple(f"{name} about {axis}" for name, axis in zip(("first", "second", "third"), chart, strict=False))
    )
    lengths = [f"{axis} [{file_unit(machine, 'm')}]" for axis in "xyz"]
    return [*lengths, *(f"{turn} [{file_unit(machine, 'rad')}]" for turn in turns)]


def _middles(machine: AnyMachine, edges: Array, axis: int) -> Array:
    return in_file_units(machine, (edges[1:] + edges[:-1]) / 2, "m" if axis < 3 else "rad")
