"""Deviation of interpolation in joint space from straight lines and even turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.checks.arguments import checks_arguments
from gough.plot import _style as style
from gough.present.units import file_unit, in_file_units

if TYPE_CHECKING:
    from gough.motion.joint_space.path import Straightness


@checks_arguments
def straightness(result: Straightness) -> go.Figure:
    """Deviation from the straight lines between via points, and from an even turn, along the path.

    Parameters
    ----------
    result : Straightness
        From `gough.motion.joint_space.path`.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file; dots are the via points, the largest deviation is written beside its place.

    Raises
    ------
    InputError
        The result is of another kind.

    """
    machine = result.machine
    panels = [("from the straight line", "m", result.departure)]
    if result.turn.max() > 1e-12:
        panels.append(("from an even turn", "rad", result.turn))
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.12)
    numbers = np.arange(1.0, len(result.vias) + 1)
    # Via points are evenly spaced on the axis, whatever the path's parameter is there.
    x = np.interp(result.s, result.vias, numbers)
    for row, (name, unit, values) in enumerate(panels, 1):
        place = {"row": row, "col": 1}
        line = {"color": style.ACCENT if row == 1 else style.AXES[2], "width": 2}
        figure.add_scatter(x=x, y=in_file_units(machine, values, unit), line=line, name=name, **place)
        dots = {"mode": "markers", "marker": {"color": style.INK, "size": 6}, "name": "via points"}
        figure.add_scatter(x=numbers, y=np.zeros_like(numbers), **dots, **place)
        title = f"{name} [{file_unit(machine, unit)}]"
        figure.update_yaxes(title=title, exponentformat="power", rangemode="tozero", **place)
    k = int(np.argmax(result.largest))
    peak = float(in_file_units(machine, result.largest[k], "m"))
    figure.add_annotation(
        x=float(np.interp(result.at[k], result.vias, numbers)),
        y=peak,
        text=f"{peak:.4g} {file_unit(machine, 'm')}",
        showarrow=False,
        yshift=12,
        bgcolor=style.TAG,
    )
    figure.update_xaxes(dtick=max(1, len(numbers) // 10))
    figure.update_xaxes(title="via point", row=len(panels), col=1)
    return figure.update_layout(template=style.TEMPLATE, height=110 + 240 * len(panels), showlegend=False)
