"""Bars of all legs of a machine, the lower stage's first: their labels, units and stages."""

from __future__ import annotations

import plotly.graph_objects as go

from gough.plot import _style as style
from gough.present.units import force_unit
from gough.stacked import AnyMachine


def leg_labels(machine: AnyMachine) -> list[str]:
    """Under the bars, counted through both stages."""
    return [f"leg {leg}" for leg in range(1, 1 + 6 * len(machine.stages))]


def force_units(machine: AnyMachine) -> str:
    """Unit of the actuators' forces, in words where those of two stages differ."""
    units = [force_unit(stage) for stage in machine.stages]
    return units[0] if len(set(units)) == 1 else f"{units[0]} below, {units[1]} above"


def name_stages(figure: go.Figure, machine: AnyMachine) -> None:
    """Part the legs of two stages by a line, and name the stages above them."""
    if machine.stage_dims:
        for k, name in enumerate(("lower stage", "upper stage")):
            figure.add_annotation(x=6 * k + 2.5, y=1.0, yref="paper", yanchor="bottom", text=name, showarrow=False)
        figure.add_vline(x=5.5, line={"color": style.MUTED, "width": 1, "dash": "dot"})
        figure.update_layout(margin={"t": 28})
