"""How far the linear map of displacements can be trusted."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.analysis.travel import AXES, travel_table
from gough.kinematics.linear_map import LinearMap
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._units import file_unit, in_file_units

DECADES = 4
"""The displacements drawn run down from the largest by this many decades."""
SAMPLES = 41
FALLBACK = {"m": 0.05, "rad": 0.2}
"""Largest displacement drawn where no limit ends the travel: of the machine's size, and in radians."""


def linear_map_error(linear: LinearMap) -> go.Figure:
    """Error of the linear map against the displacement, along and about each axis, in the units of the machine's file.

    Parameters
    ----------
    linear : LinearMap
        As `gough.linear_map` gives it.

    Returns
    -------
    plotly.graph_objects.Figure
        Logarithmic; the error is the largest of the six legs and of both directions. A straight line of slope two is
        the curvature that the map leaves out.

    """
    machine = linear.machine
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.14)
    joint = machine.legs.joint_unit
    for place, (si_unit, title, axes) in enumerate(
        (("m", "translation", range(3)), ("rad", "rotation", range(3, 6))), 1
    ):
        for axis in axes:
            steps = largest(machine, linear, axis) * np.logspace(-DECADES, 0, SAMPLES)
            both = np.concatenate([steps, -steps])[:, None] * np.eye(6)[axis]
            error = np.abs(linear.error(both)).max(axis=1).reshape(2, -1).max(axis=0)
            figure.add_trace(
                go.Scatter(
                    x=in_file_units(machine, steps, si_unit),
                    y=in_file_units(machine, error, joint),
                    name=AXES[axis],
                    mode="lines",
                    line={"color": style.AXES[axis % 3], "dash": "solid" if axis < 3 else "dash"},
                    hovertemplate=f"{AXES[axis]}: %{{x:.3g}} {file_unit(machine, si_unit)}, error %{{y:.2g}} "
                    f"{file_unit(machine, joint)}<extra></extra>",
                ),
                row=1,
                col=place,
            )
        figure.update_xaxes(type="log", title=f"{title} [{file_unit(machine, si_unit)}]", row=1, col=place)
        figure.update_yaxes(type="log", title=f"error of a joint [{file_unit(machine, joint)}]", row=1, col=place)
        figure.update_yaxes(exponentformat="power", row=1, col=place)
    figure.update_layout(template=style.TEMPLATE, height=360, legend={"orientation": "h", "y": 1.12})
    return figure


def largest(machine: Machine, linear: LinearMap, axis: int) -> float:
    """The shorter of the two travels along an axis from the map's pose [m or rad]."""
    row = travel_table(machine, linear.X)[axis]
    reach = min(-row.minus, row.plus)
    if np.isfinite(reach) and reach > 0:
        return float(reach)
    return FALLBACK["m"] * machine.size if axis < 3 else FALLBACK["rad"]
