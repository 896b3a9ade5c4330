"""What an error of each of the 42 geometric parameters does to the pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.accuracy.accuracy import PARAMETERS, parameter_sensitivity
from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.answer import AXES

SHORT = tuple(
    name.replace("base point ", "base ").replace("platform point ", "platform ").replace("rod length ", "rod ")
    for name in PARAMETERS
)
SIDES = [[0.0, style.AXES[2]], [0.5, "#f3f5f7"], [1.0, style.ACCENT]]
"""Colours of both signs."""


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
    G = of_shape(
        "sensitivity",
        parameter_sensitivity(machine, machine.X_home if X is None else X) if result is None else result,
        "(6, 42): one pose",
    )
    if not np.isfinite(G).all():
        raise InputError("sensitivity: it is not finite there; the pose is singular or a leg cannot close")
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, (part, unit) in enumerate(((slice(0, 3), "µm/µm"), (slice(3, 6), "µrad/µm")), 1):
        figure.add_trace(_colours(G[part], AXES[part], unit, 0.77 - 0.53 * (row - 1)), row=row, col=1)
        figure.update_yaxes(autorange="reversed", showgrid=False, row=row, col=1)
    figure.update_xaxes(showgrid=False, tickangle=-90, tickfont={"size": 10}, dtick=1)
    figure.update_layout(template=style.TEMPLATE, height=420)
    return figure


def _colours(values: Array, axes: Sequence[str] | str, unit: str, middle: float) -> go.Heatmap:
    largest = float(np.nanmax(np.abs(values)))
    return go.Heatmap(
        x=SHORT,
        y=axes,
        z=values.astype(np.float32),
        zmin=-largest,
        zmax=largest,
        colorscale=SIDES,
        colorbar={**style.colour_bar(unit, height=0.46), "y": middle, "nticks": 4},
        xgap=1,
        ygap=1,
        hovertemplate=f"%{{x}} moves %{{y}}: %{{z:.4g}} {unit}<extra></extra>",
    )
