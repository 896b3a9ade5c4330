"""What a calibration left: residuals of each leg before and after, and row by row."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from gough.calibration.result import Calibration
from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._remaining_error import remaining_error

LEGS = ["1", "2", "3", "4", "5", "6"]
_COLOURS = (style.ACCENT, style.CYLINDER, style.AXES[2], style.AXES[1], style.AXES[0], style.MUTED)


@checks_arguments
def calibration(machine: Machine, *, result: Calibration | None = None, samples: int = 13) -> go.Figure:
    """What a calibration left: residuals of the legs, or of a calibrated machine the error of its poses.

    Parameters
    ----------
    machine : Machine
        Calibrated; without `result` it is loaded from its file, beside which the covariance lies.
    result : Calibration, optional
        Of `gough.calibrate`: RMS of each leg with the drawing and calibrated, and what is left over the rows.
    samples : int
        Without `result`: positions along x and along y, in the plane of both through home, between the ends of travel.

    Returns
    -------
    plotly.graph_objects.Figure
        In the unit of length of the machine's file. NaN, of rows that do not measure a whole pose and of positions that
        are not allowed, is left out.

    Raises
    ------
    InputError
        Without `result`, a machine without a covariance beside its file.

    """
    if result is None:
        return remaining_error(machine, samples)
    units = result.nominal.units
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.12, column_widths=[0.4, 0.6])
    by_leg = {when: result.rms_by_leg(when) for when in ("before", "after")}
    for name, colour in (("before", style.BAR), ("after", style.ACCENT)):
        figure.add_trace(_bars(name, by_leg[name] / units.metres, units.length, colour), row=1, col=1)
    rows = result.rows_used + 1
    for i, colour in enumerate(_COLOURS):
        trace = go.Scatter(
            x=rows,
            y=result.residuals[:, i] / units.metres,
            mode="markers",
            name=f"leg {i + 1}",
            marker={"color": colour, "size": 5},
            hovertemplate=f"leg {i + 1}, row %{{x}}: %{{y:.4g}} {units.length}<extra></extra>",
        )
        figure.add_trace(trace, row=1, col=2)
    figure.update_xaxes(title="leg", showgrid=False, row=1, col=1)
    figure.update_yaxes(title=f"residual, RMS [{units.length}]", type=_scale(by_leg), row=1, col=1)
    figure.update_xaxes(title="row", row=1, col=2)
    figure.update_yaxes(title=f"residual [{units.length}]", row=1, col=2)
    figure.update_layout(template=style.TEMPLATE, height=360, barmode="group", bargap=0.4)
    return figure


def _bars(name: str, values: object, unit: str, colour: str) -> go.Bar:
    hover = f"leg %{{x}}, {name}: %{{y:.4g}} {unit}<extra></extra>"
    return go.Bar(x=LEGS, y=values, name=f"{name}, RMS", marker={"color": colour}, hovertemplate=hover)


def _scale(by_leg: dict[str, NDArray[np.float64]]) -> str:
    """Logarithmic where calibration gained more than an order of magnitude."""
    before, after = (np.nanmedian(by_leg[name]) for name in ("before", "after"))
    return "log" if 0 < after < 0.1 * before else "linear"
