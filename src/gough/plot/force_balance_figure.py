"""What the twelve actuators of two stages hold at rest, by what it is."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.plot._leg_bars import force_units, leg_labels, name_stages
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
    legs = leg_labels(machine)
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
    figure.update_yaxes(title=f"actuator force [{force_units(machine)}]")
    figure.update_layout(template=style.TEMPLATE, height=380, barmode="relative", bargap=0.4)
    figure.update_layout(legend={"y": -0.14, "yanchor": "top"})
    name_stages(figure, machine)
    return figure
