"""What the twelve actuators of two stages hold at rest, by what it is."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.stacked import StackedMachine
from gough.stages.forces import ForceBalance

PARTS = (
    ("of_upper_weight", "end platform and upper legs", style.CYLINDER),
    ("of_lower_weight", "intermediate platform and lower legs", style.BAR),
    ("of_wrench", "applied wrench", style.ACCENT),
)
"""Field of `ForceBalance`, its name in words and its colour."""


@checks_arguments
def force_balance(machine: StackedMachine, result: ForceBalance) -> go.Figure:
    """Actuator forces of both stages at one pose as stacked bars: for the weights above, below, and the wrench.

    Parameters
    ----------
    machine : StackedMachine
    result : ForceBalance
        Of one pose, from `gough.stages.force_balance`.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars [N, or N m of cranks], and a line at each actuator's largest force.

    Raises
    ------
    ShapeError
        More than one pose.

    """
    of_shape("forces", result.forces, "(12,): of one pose")
    units = ["N" if stage.legs.joint == "length" else "N m" for stage in machine.stages]
    legs = [f"leg {leg}" for leg in range(1, 13)]
    figure = go.Figure()
    for key, name, colour in PARTS:
        values = getattr(result, key)
        if not np.any(values):
            continue
        figure.add_bar(
            x=legs,
            y=values,
            name=name,
            marker={"color": colour},
            hovertemplate=f"%{{x}}: %{{y:.5g}} for {name}<extra></extra>",
        )
    if result.largest is not None:
        line = {"symbol": "line-ew", "size": 26, "line": {"color": style.ACCENT, "width": 2}}
        figure.add_scatter(x=legs, y=result.largest, mode="markers", marker=line, name="largest allowed")
    figure.update_xaxes(showgrid=False)
    unit = units[0] if units[0] == units[1] else f"{units[0]} below, {units[1]} above"
    figure.update_yaxes(title=f"actuator force [{unit}]")
    figure.add_vline(x=5.5, line={"color": style.MUTED, "width": 1, "dash": "dot"})
    for x, name in ((2.5, "lower stage"), (8.5, "upper stage")):
        figure.add_annotation(x=x, y=1.0, yref="paper", yanchor="bottom", text=name, showarrow=False)
    figure.update_layout(template=style.TEMPLATE, height=380, barmode="relative", bargap=0.4)
    figure.update_layout(margin={"t": 28}, legend={"y": -0.14, "yanchor": "top"})
    return figure
