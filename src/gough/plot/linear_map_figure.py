"""Error of the linear map between small displacements of platform and joints."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.checks.arguments import checks_arguments
from gough.kinematics.linear_map import LinearMap
from gough.limits.travel import TravelRow, travel_table
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.answer import AXES
from gough.present.units import file_unit, in_file_units

DECADES = 4
"""Decades of displacements drawn, below the largest."""
SAMPLES = 41
FALLBACK = {"m": 0.05, "rad": 0.2}
"""Largest displacement drawn where no limit ends the travel: part of the machine's size, and angle [rad]."""


@checks_arguments
def linear_map_error(result: LinearMap) -> go.Figure:
    """Error of the linear map against the displacement, along and about each axis, in the units of the machine's file.

    Parameters
    ----------
    result : LinearMap
        As `gough.kinematics.linear_map` gives it.

    Returns
    -------
    plotly.graph_objects.Figure
        Logarithmic; the error is the largest of the six legs and of both directions. It is a straight line of slope
        two as long as the second-order terms, which the map omits, dominate.

    Raises
    ------
    InputError
        The result is no linear map.

    """
    machine = result.machine
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.2)
    rows = travel_table(machine, result.X)
    joint = f"error of a joint [{file_unit(machine, machine.legs.joint_unit)}]"
    for row, (si_unit, name, part) in enumerate(style.PARTS_OF_TWIST, 1):
        for axis in range(6)[part]:
            figure.add_trace(_line(result, axis, si_unit, _largest(machine, rows[axis], si_unit)), row=row, col=1)
        shared = {"type": "log", "dtick": 1, "exponentformat": "power", "row": row, "col": 1}
        figure.update_xaxes(title=f"{name} from the map's pose [{file_unit(machine, si_unit)}]", **shared)
        figure.update_yaxes(title=joint, **shared)
    figure.update_layout(template=style.TEMPLATE, height=620)
    return figure


def _line(linear: LinearMap, axis: int, si_unit: str, longest: float) -> go.Scatter:
    """Largest error of a leg for displacements up to `longest` [m or rad] in both directions of an axis."""
    machine, joint = linear.machine, linear.machine.legs.joint_unit
    steps = longest * np.logspace(-DECADES, 0, SAMPLES)
    both = np.concatenate([steps, -steps])[:, None] * np.eye(6)[axis]
    error = np.abs(linear.error(both)).max(axis=1).reshape(2, -1).max(axis=0)
    units = file_unit(machine, si_unit), file_unit(machine, joint)
    return go.Scatter(
        x=in_file_units(machine, steps, si_unit),
        y=in_file_units(machine, error, joint),
        name=AXES[axis],
        mode="lines",
        line={"color": style.AXES[axis % 3], "dash": "solid" if axis < 3 else "dash"},
        hovertemplate=f"{AXES[axis]}: %{{x:.3g}} {units[0]}, error %{{y:.2g}} {units[1]}<extra></extra>",
    )


def _largest(machine: Machine, row: TravelRow, si_unit: str) -> float:
    """The shorter of the two travels along an axis from the map's pose [m or rad]."""
    reach = min(-row.minus, row.plus)
    if np.isfinite(reach) and reach > 0:
        return float(reach)
    return FALLBACK["m"] * machine.size if si_unit == "m" else FALLBACK["rad"]
