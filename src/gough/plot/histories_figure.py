"""Quantities over time, panel under panel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import described
from gough.errors import InputError, ShapeError
from gough.plot import _style as style

COLOURS = (style.ACCENT, style.AXES[2], style.AXES[1], style.CYLINDER, "#9333a8", "#b58900")
"""Of the curves of a panel, one after the other."""
SAME = 5e-3
"""Curves closer than this part of the panel's range lie on one another: the later one is drawn dashed."""
PANEL, EDGE = 210, 90
"""Height of a panel, and of what is above and below them [pixels]."""


@checks_arguments
def histories(
    time: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]], *, logarithmic: bool = False
) -> go.Figure:
    """Curves over time.

    Parameters
    ----------
    time : (k,) array
        [s].
    panels : mapping of title to mapping of curve name to (k,) array
        The title of a panel names its quantity and unit, "angle [rad]". Curves that lie on others are drawn dashed.
    logarithmic : bool
        Draw positive values on logarithmic axes.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file, over time [s].

    Raises
    ------
    InputError
        No panel, a panel that is no mapping, or a curve of another length than `time`.

    """
    t = np.asarray(time, dtype=float)
    if not panels:
        raise InputError("histories: no panel to draw")
    for title, curves in panels.items():
        if not isinstance(curves, Mapping):
            raise InputError(f"panels: {title}: expected a mapping of names to curves, got {described(curves)}")
    gap = 0.0 if len(panels) == 1 else 46 / (PANEL * len(panels))
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=gap)
    for row, (title, curves) in enumerate(panels.items(), 1):
        legend = "legend" if row == 1 else f"legend{row}"
        for k, (name, y, dash) in enumerate(_dashed(title, curves, t, logarithmic)):
            line = {"color": COLOURS[k % len(COLOURS)], "width": 2, "dash": dash}
            figure.add_trace(go.Scatter(x=t, y=y, name=name, mode="lines", line=line, legend=legend), row=row, col=1)
        top = figure.layout["yaxis" if row == 1 else f"yaxis{row}"].domain[1]
        figure.update_layout({legend: {"orientation": "v", "x": 1.01, "xanchor": "left", "y": top, "yanchor": "top"}})
        figure.add_annotation(
            text=title, x=0, y=top, xref="paper", yref="paper", xanchor="left", yanchor="bottom", showarrow=False
        )
    if logarithmic:
        figure.update_yaxes(type="log", exponentformat="power", dtick=4)
    figure.update_xaxes(title="time [s]", row=len(panels), col=1)
    figure.update_layout(template=style.TEMPLATE, height=EDGE + PANEL * len(panels), margin={"t": 32})
    return figure


def _dashed(title: str, curves: Mapping[str, ArrayLike], t: Array, logarithmic: bool) -> list[tuple[str, Array, str]]:
    """Name, values and dash of each curve: whether it lies on another is seen in the scale of the axis."""
    values = {name: np.asarray(curve, dtype=float) for name, curve in curves.items()}
    for name, y in values.items():
        if y.shape != t.shape:
            raise ShapeError.expected(f"{title}: {name}", str(t.shape), y.shape)
    heights = {name: np.log10(np.abs(y)) if logarithmic else y for name, y in values.items()}
    span = np.nanmax(list(heights.values())) - np.nanmin(list(heights.values()))
    solid: list[Array] = []
    drawn = []
    for name, y in heights.items():
        is_hidden = any(np.nanmax(np.abs(y - other)) <= SAME * span for other in solid)
        if not is_hidden:
            solid.append(y)
        drawn.append((name, values[name], "dash" if is_hidden else "solid"))
    return drawn
