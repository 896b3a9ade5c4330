"""Forces of the legs as bars: in total with the limits of the actuators, and by cause."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.present.show import significant
from gough.present.units import force_unit
from gough.stacked import AnyMachine, StackedMachine
from gough.stages.forces import ForceBalance
from gough.statics.capacity import known_forces

PARTS = (
    ("of_upper_weight", "end platform and upper legs", style.CYLINDER),
    ("of_lower_weight", "intermediate platform and lower legs", style.BAR),
    ("of_wrench", "applied wrench", style.ACCENT),
)
"""Field of `ForceBalance`, its name in words and its colour."""
VISIBLE = 20
"""Limits above this many times the largest force are not drawn: the bars would be too short to read."""


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
    legs, unit = _labels(machine), "N" if of_rods else _unit(machine)
    values = of_shape("forces", result, f"({len(legs)},)")
    what = "force of the rod, pushing" if of_rods else "actuator torque" if unit == "N m" else "actuator force"
    figure = go.Figure(
        go.Bar(
            x=legs,
            y=values,
            marker={"color": style.CYLINDER},
            text=[significant(v) for v in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{x}}: %{{y:.5g}} {unit}<extra></extra>",
        )
    )
    most = None if of_rods else known_forces(machine)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if most is not None and most.min() >= VISIBLE * largest:
        most = None
    if most is not None:
        for limit in (most, -most):
            hover = f"%{{x}}: at most %{{y:.5g}} {unit}<extra></extra>"
            figure.add_scatter(x=legs, y=limit, mode="markers", marker=style.largest_mark(44), hovertemplate=hover)
        largest = max(largest, float(most.max()))
    figure.update_xaxes(showgrid=False)
    low = -1.25 * largest if most is not None or values.min() < 0 else 0.0
    high = 1.25 * largest if most is not None or values.max() > 0 else 0.0
    figure.update_yaxes(title=f"{what} [{unit}]", range=[low, high])
    figure.update_layout(template=style.TEMPLATE, height=330, showlegend=False, bargap=0.5)
    _name_stages(figure, machine)
    return figure


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
    legs = _labels(machine)
    figure = go.Figure()
    for key, name, colour in PARTS:
        values = getattr(result, key)
        if np.any(values):
            hover = f"%{{x}}: %{{y:.5g}} for {name}<extra></extra>"
            figure.add_bar(x=legs, y=values, name=name, marker={"color": colour}, hovertemplate=hover)
    if result.largest is not None:
        mark = style.largest_mark(26)
        figure.add_scatter(x=legs, y=result.largest, mode="markers", marker=mark, name="largest allowed")
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title=f"actuator force [{_unit(machine)}]")
    figure.update_layout(template=style.TEMPLATE, height=380, barmode="relative", bargap=0.4)
    figure.update_layout(legend={"y": -0.14, "yanchor": "top"})
    _name_stages(figure, machine)
    return figure


def _labels(machine: AnyMachine) -> list[str]:
    """Names of all legs, the lower stage's first."""
    return [f"leg {leg}" for leg in range(1, 1 + 6 * len(machine.stages))]


def _unit(machine: AnyMachine) -> str:
    """Unit of the actuators' forces, in words where those of two stages differ."""
    units = [force_unit(stage) for stage in machine.stages]
    return units[0] if len(set(units)) == 1 else f"{units[0]} below, {units[1]} above"


def _name_stages(figure: go.Figure, machine: AnyMachine) -> None:
    """Separate the legs of two stages by a line, and name the stages above them."""
    if machine.stage_dims:
        for k, name in enumerate(("lower stage", "upper stage")):
            figure.add_annotation(x=6 * k + 2.5, y=1.0, yref="paper", yanchor="bottom", text=name, showarrow=False)
        figure.add_vline(x=5.5, line={"color": style.MUTED, "width": 1, "dash": "dot"})
        figure.update_layout(margin={"t": 28})
