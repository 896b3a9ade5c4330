"""How far interpolation in strut space leaves the straight line, drawn."""

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
    """Departure from the straight lines between via points, and from an even turn, along the path.

    Parameters
    ----------
    result : Straightness
        From `gough.motion.joint_space.path`.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file; dots are the via points, the largest departure of all is named.

    Raises
    ------
    InputError
        The result is of another kind.

    """
    m = result.machine
    panels = [("from the straight line", "m", result.departure)]
    if result.turn.max() > 1e-12:
        panels.append(("from an even turn", "rad", result.turn))
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.12)
    numbers = np.arange(1.0, len(result.vias) + 1)
    x = np.interp(result.s, result.vias, numbers)
    for row, (name, unit, values) in enumerate(panels, 1):
        line = {"color": style.ACCENT if row == 1 else style.AXES[2], "width": 2}
        figure.add_trace(go.Scatter(x=x, y=in_file_units(m, values, unit), line=line, name=name), row=row, col=1)
        dots = {"color": style.INK, "size": 6}
        figure.add_trace(
            go.Scatter(x=numbers, y=np.zeros_like(numbers), mode="markers", marker=dots, name="via points"),
            row=row,
            col=1,
        )
        figure.update_yaxes(
            title=f"{name} [{file_unit(m, unit)}]", exponentformat="power", rangemode="tozero", row=row, col=1
        )
    k = int(np.argmax(result.largest))
    peak = float(in_file_units(m, result.largest[k], "m"))
    figure.add_annotation(
        x=float(np.interp(result.at[k], result.vias, numbers)),
        y=peak,
        text=f"{peak:.4g} {file_unit(m, 'm')}",
        showarrow=False,
        yshift=12,
        bgcolor=style.TAG,
    )
    figure.update_xaxes(dtick=max(1, len(numbers) // 10))
    figure.update_xaxes(title="via point", row=len(panels), col=1)
    return figure.update_layout(template=style.TEMPLATE, height=110 + 240 * len(panels), showlegend=False)
