"""Accuracy at a pose: the platform's smallest step as bars, and effects of geometric errors as colours."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.accuracy.accuracy import Resolution, parameter_names, parameter_sensitivity
from gough.accuracy.accuracy import resolution as resolution_of
from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.show import metric
from gough.quantity import AXES
from gough.stacked import AnyMachine

SHORT = {"base point": "base", "platform point": "platform", "rod length": "rod", "leg length offset": "leg length"}
"""What kinds of parameters are called beside the colours."""
DIVERGING = [[0.0, style.AXES[2]], [0.5, "#f3f5f7"], [1.0, style.ACCENT]]
"""Colour scale of both signs."""


@checks_arguments
def resolution(machine: AnyMachine, X: PoseLike | None = None, *, result: Resolution | None = None) -> go.Figure:
    """Displacement of the point of interest by one step of every joint: worst case, and RMS of independent steps.

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
        size, unit = metric(worst, si_unit, machine.units)
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


@checks_arguments
def sensitivity(machine: Machine, X: PoseLike | None = None, *, result: Array | None = None) -> go.Figure:
    """First-order pose error per error of each geometric parameter, as colours.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; home where none is given.
    result : (6, 42) array, optional
        Of `gough.accuracy.parameter_sensitivity`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Above, translations of the point of interest [µm per µm]; below, rotations [µrad per µm].

    Raises
    ------
    InputError
        A singular pose, or one at which a leg cannot close.

    """
    found = parameter_sensitivity(machine, machine.X_home if X is None else X) if result is None else result
    G = of_shape("sensitivity", found, "(6, 42): one pose")
    if not np.isfinite(G).all():
        raise InputError("sensitivity: it is not finite there; the pose is singular or a leg cannot close")
    names = parameter_names(machine)
    for long, short in SHORT.items():
        names = tuple(name.replace(long, short) for name in names)
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, (si_unit, _, part) in enumerate(style.PARTS_OF_TWIST, 1):
        unit, largest = f"µ{si_unit}/µm", float(np.nanmax(np.abs(G[part])))
        colour_bar = {**style.colour_bar(unit, height=0.46), "y": 0.77 - 0.53 * (row - 1), "nticks": 4}
        heat = go.Heatmap(
            x=names,
            y=AXES[part],
            z=G[part].astype(np.float32),
            zmin=-largest,
            zmax=largest,
            colorscale=DIVERGING,
            colorbar=colour_bar,
            xgap=1,
            ygap=1,
            hovertemplate=f"%{{x}} moves %{{y}}: %{{z:.4g}} {unit}<extra></extra>",
        )
        figure.add_trace(heat, row=row, col=1)
        figure.update_yaxes(autorange="reversed", showgrid=False, row=row, col=1)
    figure.update_xaxes(showgrid=False, tickangle=-90, tickfont={"size": 10}, dtick=1)
    figure.update_layout(template=style.TEMPLATE, height=420)
    return figure
