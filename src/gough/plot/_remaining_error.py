"""How wrong the poses of a calibrated machine may still be, over a plane of positions."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.calibration.remaining import remaining_error as remaining_error_of
from gough.limits.margins import is_allowed
from gough.limits.travel import travel
from gough.machine import Machine
from gough.plot import _style as style

_FINE = 1e-6


def remaining_error(machine: Machine, samples: int) -> go.Figure:
    """Standard deviation of the position over the plane of x and y through home, between the ends of travel."""
    metres, unit = machine.units.metres, machine.units.length
    x, y = (_span(machine, axis, samples) for axis in (0, 1))
    X = np.tile(machine.X_home, (samples, samples, 1, 1))
    X[..., 0, 3], X[..., 1, 3] = x[None, :], y[:, None]
    flat = X.reshape(-1, 4, 4)
    error = np.full(len(flat), np.nan)
    allowed = np.asarray(is_allowed(machine, flat))
    error[allowed] = remaining_error_of(machine, flat[allowed]).position
    error = error.reshape(samples, samples) / metres
    heat = go.Heatmap(
        x=x / metres, y=y / metres, z=error, colorscale=style.SCALE,
        colorbar={"title": f"error [{unit}]"},
        hovertemplate=f"x %{{x:.4g}}, y %{{y:.4g}}: %{{z:.3g}} {unit}<extra></extra>",
    )  # fmt: skip
    figure = go.Figure(heat)
    figure.update_xaxes(title=f"x [{unit}]", showgrid=False)
    figure.update_yaxes(title=f"y [{unit}]", showgrid=False, scaleanchor="x")
    figure.update_layout(template=style.TEMPLATE, height=380)
    return figure


def _span(machine: Machine, axis: int, samples: int) -> Array:
    """Positions along an axis through home, between the ends of travel [m]."""
    ends = []
    for sign in (-1.0, 1.0):
        direction = np.zeros(6)
        direction[axis] = sign
        distance = float(travel(machine, direction).distance)
        ends.append(sign * (distance if np.isfinite(distance) else machine.size))
    return np.asarray(machine.X_home[axis, 3] + (1.0 - _FINE) * np.linspace(ends[0], ends[1], samples))
