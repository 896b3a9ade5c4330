"""The platform's smallest step along and about each axis, as bars."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.accuracy.accuracy import Resolution
from gough.accuracy.accuracy import resolution as resolution_of
from gough.checks.arguments import checks_arguments
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.answer import AXES
from gough.present.show import metric
from gough.stacked import AnyMachine


@checks_arguments
def resolution(machine: AnyMachine, X: PoseLike | None = None, *, result: Resolution | None = None) -> go.Figure:
    """What one step of every joint does to the point of interest: at worst, and as independent steps.

    Parameters
    ----------
    machine : Machine
        With `actuators.resolution`, if `result` is not given.
    X : PoseLike, optional
        One pose; home where none is given.
    result : Resolution, optional
        Of `gough.accuracy.resolution`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Two panels: translation and rotation, each in the metric unit that fits.

    Raises
    ------
    InputError
        No resolution of the actuators.

    """
    result = resolution_of(machine, machine.X_home if X is None else X) if result is None else result
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.14)
    for col, (si_unit, _, part) in enumerate(style.PARTS_OF_TWIST, 1):
        worst, rms = result.worst_case[part], result.rms[part]
        size, unit = metric(worst, si_unit)
        for values, name, colour in ((worst, "worst case", style.BAR), (rms, "RMS", style.CYLINDER)):
            bars = go.Bar(
                x=AXES[part],
                y=np.asarray(values) / size,
                name=name,
                legendgroup=name,  # one entry of the legend for both panels
                showlegend=col == 1,
                marker={"color": colour},
                hovertemplate=f"{name} along or about %{{x}}: %{{y:.4g}} {unit}<extra></extra>",
            )
            figure.add_trace(bars, row=1, col=col)
        figure.update_yaxes(title=f"step [{unit}]", rangemode="tozero", row=1, col=col)
        figure.update_xaxes(showgrid=False, row=1, col=col)
    figure.update_layout(template=style.TEMPLATE, height=330, barmode="group", bargap=0.4)
    return figure
