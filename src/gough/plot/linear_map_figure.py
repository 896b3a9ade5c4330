"""Error of the linear map between small displacements of platform and joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.kinematics.linear_map import LinearMap
from gough.limits.travel import TravelRow, travel_table
from gough.plot import _style as style
from gough.present.units import file_unit, in_file_units
from gough.quantity import AXES
from gough.stacked import AnyMachine

DECADES = 4
"""Decades of displacements drawn, below the largest."""
SAMPLES = 41
ROUNDING = 1e-13
"""Errors of joints below this, in machine sizes or rad, are rounding, and not drawn."""
EXACT = ", exact"
"""End of the name of an axis without a line."""
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
        Logarithmic, with a column for each stage; the error is the largest of a stage's six legs and of both
        directions. It is a straight line of slope two as long as the second-order terms, which the map omits, dominate.
        Axes along which the map is exact, such as those of parallel rails, have no line and say so in the legend.

    Raises
    ------
    InputError
        The result is no linear map.

    """
    machine = result.machine
    figure = make_subplots(rows=2, cols=len(machine.stages), vertical_spacing=0.2)
    rows = travel_table(machine, result.X)
    for row, (si_unit, name, part) in enumerate(style.PARTS_OF_TWIST, 1):
        for axis in range(6)[part]:
            for col, trace in enumerate(_lines(result, axis, si_unit, _largest(machine, rows[axis], si_unit)), 1):
                figure.add_trace(trace, row=row, col=col)
        shared = {"type": "log", "dtick": 1, "exponentformat": "power", "row": row}
        figure.update_xaxes(title=f"{name} from the map's pose [{file_unit(machine, si_unit)}]", **shared)
        for col, stage in enumerate(machine.stages, 1):
            of_stage = "".join(f", {dim} {col}" for dim in machine.stage_dims)
            title = f"error of a joint{of_stage} [{file_unit(machine, stage.legs.joint_unit)}]"
            figure.update_yaxes(title=title, col=col, **shared)
    figure.update_layout(template=style.TEMPLATE, height=620)
    return figure


def _lines(linear: LinearMap, axis: int, si_unit: str, longest: float) -> Iterator[go.Scatter]:
    """Largest error of the legs of each stage, in both directions of an axis up to `longest` [m or rad]."""
    machine = linear.machine
    steps = longest * np.logspace(-DECADES, 0, SAMPLES)
    both = np.concatenate([steps, -steps])[:, None] * np.eye(6)[axis]
    errors = np.abs(linear.error(both)).reshape(2, SAMPLES, -1, 6).max(axis=(0, 3))
    is_exact = bool((errors <= _rounding(machine)).all())
    name = AXES[axis] + is_exact * EXACT
    for k, stage in enumerate(machine.stages):
        known = np.where(errors[:, k] > _rounding(machine)[k], errors[:, k], np.nan)
        units = file_unit(machine, si_unit), file_unit(machine, stage.legs.joint_unit)
        yield go.Scatter(
            x=in_file_units(machine, steps, si_unit),
            y=in_file_units(machine, known, stage.legs.joint_unit),
            name=name,
            legendgroup=AXES[axis],
            showlegend=k == 0,
            mode="lines",
            line={"color": style.AXES[axis % 3], "dash": "solid" if axis < 3 else "dash"},
            hovertemplate=f"{AXES[axis]}: %{{x:.3g}} {units[0]}, error %{{y:.2g}} {units[1]}<extra></extra>",
        )


def _rounding(machine: AnyMachine) -> Array:
    """Rounding errors of the joints of each stage [m or rad]."""
    return np.array([ROUNDING * (machine.size if stage.legs.joint == "length" else 1.0) for stage in machine.stages])


def _largest(machine: AnyMachine, row: TravelRow, si_unit: str) -> float:
    """The shorter of the two travels along an axis from the map's pose [m or rad]."""
    reach = min(-row.minus, row.plus)
    if np.isfinite(reach) and reach > 0:
        return float(reach)
    return FALLBACK["m"] * machine.size if si_unit == "m" else FALLBACK["rad"]
