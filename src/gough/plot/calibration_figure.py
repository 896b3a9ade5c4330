"""Calibrations: residuals of each leg before and after, by row, and the remaining error of the poses."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.calibration.remaining import remaining_error
from gough.calibration.result import Calibration
from gough.checks.arguments import checks_arguments
from gough.limits.margins import is_allowed
from gough.limits.travel import travel
from gough.machine import Machine
from gough.plot import _style as style
from gough.quantity import LEGS

INSIDE = 1.0 - 1e-6
"""Part of the travel that a map of errors covers: at its very end rounding could put a pose beyond the limit."""
COLOURS = (style.ACCENT, style.CYLINDER, style.AXES[2], style.AXES[1], style.AXES[0], style.MUTED)


@checks_arguments
def calibration(machine: Machine, *, result: Calibration | None = None, samples: int = 13) -> go.Figure:
    """Residuals of the legs after a calibration, or remaining errors of the poses of a calibrated machine.

    Parameters
    ----------
    machine : Machine
        Calibrated; without `result` it is loaded from its file, beside which the covariance lies.
    result : Calibration, optional
        Of `gough.calibrate`: RMS of each leg with the drawing and calibrated, and residuals by row.
    samples : int
        Without `result`: positions along x and along y, in the plane of both through home, between the ends of travel.

    Returns
    -------
    plotly.graph_objects.Figure
        In the unit of length of the machine's file. NaN, of rows that do not measure a whole pose and of positions that
        are not allowed, is omitted.

    Raises
    ------
    InputError
        Without `result`, a machine without a covariance beside its file.

    """
    if result is None:
        return _remaining_error(machine, samples)
    metres, unit = result.nominal.units.metres, result.nominal.units.length
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.12, column_widths=[0.4, 0.6])
    by_leg = {when: result.rms_by_leg(when) for when in ("before", "after")}
    for when, colour in (("before", style.BAR), ("after", style.ACCENT)):
        hover = f"leg %{{x}}, {when}: %{{y:.4g}} {unit}<extra></extra>"
        bars = go.Bar(x=LEGS, y=by_leg[when] / metres, name=f"{when}, RMS", hovertemplate=hover)
        figure.add_trace(bars.update(marker_color=colour), row=1, col=1)
    for i, colour in enumerate(COLOURS):
        trace = go.Scatter(
            x=result.rows_used + 1,
            y=result.residuals[:, i] / metres,
            mode="markers",
            name=f"leg {i + 1}",
            marker={"color": colour, "size": 5},
            hovertemplate=f"leg {i + 1}, row %{{x}}: %{{y:.4g}} {unit}<extra></extra>",
        )
        figure.add_trace(trace, row=1, col=2)
    # Logarithmic where calibration gained more than an order of magnitude: else the bars after it would vanish.
    before, after = (np.nanmedian(by_leg[when]) for when in ("before", "after"))
    scale = "log" if 0 < after < 0.1 * before else "linear"
    figure.update_xaxes(title="leg", showgrid=False, row=1, col=1)
    figure.update_yaxes(title=f"residual, RMS [{unit}]", type=scale, row=1, col=1)
    figure.update_xaxes(title="row", row=1, col=2)
    figure.update_yaxes(title=f"residual [{unit}]", row=1, col=2)
    figure.update_layout(template=style.TEMPLATE, height=360, barmode="group", bargap=0.4)
    return figure


def _remaining_error(machine: Machine, samples: int) -> go.Figure:
    """Standard deviation of the position over the plane of x and y through home, between the ends of travel."""
    metres, unit = machine.units.metres, machine.units.length
    x, y = (_positions(machine, axis, samples) for axis in (0, 1))
    X = np.tile(machine.X_home, (samples, samples, 1, 1))
    X[..., 0, 3], X[..., 1, 3] = x[None, :], y[:, None]
    error = np.full((samples, samples), np.nan)
    allowed = np.asarray(is_allowed(machine, X))
    error[allowed] = remaining_error(machine, X[allowed]).position
    heat = go.Heatmap(
        x=x / metres, y=y / metres, z=error / metres, colorscale=style.SCALE,
        colorbar={"title": f"error [{unit}]"},
        hovertemplate=f"x %{{x:.4g}}, y %{{y:.4g}}: %{{z:.3g}} {unit}<extra></extra>",
    )  # fmt: skip
    figure = go.Figure(heat)
    figure.update_xaxes(title=f"x [{unit}]", showgrid=False)
    figure.update_yaxes(title=f"y [{unit}]", showgrid=False, scaleanchor="x")
    figure.update_layout(template=style.TEMPLATE, height=380)
    return figure


def _positions(machine: Machine, axis: int, samples: int) -> Array:
    """Positions along an axis through home, between the ends of travel [m]."""
    direction = np.eye(6)[axis]
    distance = travel(machine, np.stack([-direction, direction])).distance
    low, high = np.where(np.isfinite(distance), distance, machine.size) * (-1.0, 1.0)
    return np.asarray(machine.X_home[axis, 3] + INSIDE * np.linspace(low, high, samples))
