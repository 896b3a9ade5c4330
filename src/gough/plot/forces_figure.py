"""Forces of the legs as bars, against what their actuators can hold."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.plot._leg_bars import force_units, leg_labels, name_stages
from gough.stacked import AnyMachine
from gough.statics.capacity import known_forces


@checks_arguments
def leg_forces(machine: AnyMachine, result: ArrayLike, *, of_rods: bool = False) -> go.Figure:
    """Forces of the six legs, of two stages of the twelve.

    Parameters
    ----------
    machine : Machine
    result : (6,) array, (12,) of two stages
        Of the actuators [N, or N m of cranks] as `gough.leg_forces` gives them, or of the rods [N].
    of_rods : bool
        Whether they are those of the rods (`gough.statics.axial_forces`), which have no limit of their own.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars, and a line at each actuator's largest force in both directions where the machine has one that is near
        enough to be seen.

    Raises
    ------
    ShapeError
        Other than six forces, or twelve.

    """
    legs, unit = leg_labels(machine), "N" if of_rods else force_units(machine)
    values = of_shape("forces", result, f"({len(legs)},)")
    what = "force of the rod, pushing" if of_rods else "actuator torque" if unit == "N m" else "actuator force"
    figure = go.Figure(
        go.Bar(
            x=legs,
            y=values,
            marker={"color": style.CYLINDER},
            text=[f"{v:.4g}".replace("-", "−") for v in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{x}}: %{{y:.5g}} {unit}<extra></extra>",
        )
    )
    most = known_forces(machine)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if not of_rods and most is not None and most.min() < 20 * largest:
        figure.add_trace(_limit(legs, most, unit))
        figure.add_trace(_limit(legs, -most, unit))
        largest = max(largest, float(most.max()))
    figure.update_xaxes(showgrid=False)
    is_both = len(figure.data) > 1
    low = -1.25 * largest if is_both or values.min() < 0 else 0.0
    high = 1.25 * largest if is_both or values.max() > 0 else 0.0
    figure.update_yaxes(title=f"{what} [{unit}]", range=[low, high])
    figure.update_layout(template=style.TEMPLATE, height=330, showlegend=False, bargap=0.5)
    name_stages(figure, machine)
    return figure


def _limit(legs: list[str], most: ArrayLike, unit: str) -> go.Scatter:
    return go.Scatter(
        x=legs,
        y=np.asarray(most),
        mode="markers",
        marker={"symbol": "line-ew", "size": 44, "line": {"color": style.ACCENT, "width": 2}},
        hovertemplate=f"%{{x}}: at most %{{y:.5g}} {unit}<extra></extra>",
    )
