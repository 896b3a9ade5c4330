"""Errors: steps and geometric errors of the platform, residuals of a calibration, and errors of the linear map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from gough.accuracy.accuracy import Resolution, parameter_names, parameter_sensitivity
from gough.accuracy.accuracy import resolution as resolution_of
from gough.arrays import Array
from gough.calibration.remaining import remaining_error
from gough.calibration.result import Calibration
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.kinematics.linear_map import LinearMap
from gough.limits.margins import is_allowed
from gough.limits.travel import TravelRow, travel, travel_table
from gough.machine import Machine
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.show import metric
from gough.present.units import file_unit, in_file_units
from gough.quantity import AXES, LEGS
from gough.stacked import AnyMachine

SHORT = {"base point": "base", "platform point": "platform", "rod length": "rod", "leg length offset": "leg length"}
"""What kinds of parameters are called next to the colours."""
DIVERGING = [[0.0, style.AXES[2]], [0.5, "#f3f5f7"], [1.0, style.ACCENT]]
"""Colour scale of both signs."""


@checks_arguments
def resolution(machine: AnyMachine, X: PoseLike | None = None, *, result: Resolution | None = None) -> go.Figure:
    """Plot the displacement of the point of interest by one step of every joint: worst case, and RMS of independent
    steps.

    Parameters
    ----------
    machine : Machine
        With `actuators.resolution`, unless `result` is passed.
    X : PoseLike, optional
        One pose; default: home.
    result : Resolution, optional
        Result of `gough.accuracy.resolution`; default: computed.

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
    figure = style.panels(1, 2, 330, grid={"horizontal_spacing": 0.14}, barmode="group", bargap=0.4)
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
        figure.update_yaxes(title=f"resolution [{unit}]", rangemode="tozero", row=1, col=col)
        figure.update_xaxes(showgrid=False, row=1, col=col)
    return figure


@checks_arguments
def sensitivity(machine: Machine, X: PoseLike | None = None, *, result: Array | None = None) -> go.Figure:
    """Plot the first-order pose error per error of each geometric parameter, as colours.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; default: home.
    result : (6, 42) array, optional
        Result of `gough.accuracy.parameter_sensitivity`; default: computed.

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
        raise InputError("sensitivity: not finite at this pose; the pose is singular or a leg cannot close")
    names = parameter_names(machine)
    for long, short in SHORT.items():
        names = tuple(name.replace(long, short) for name in names)
    figure = style.panels(2, 1, 420, grid={"shared_xaxes": True, "vertical_spacing": 0.06})
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
    return figure


INSIDE = 1.0 - 1e-6
"""Part of the travel that a map of errors covers: at its very end rounding could put a pose beyond the limit."""
COLOURS = (style.ACCENT, style.CYLINDER, style.AXES[2], style.AXES[1], style.AXES[0], style.MUTED)


@checks_arguments
def calibration(machine: Machine, *, result: Calibration | None = None, samples: int = 13) -> go.Figure:
    """Plot the residuals of the legs after a calibration, or remaining errors of the poses of a calibrated machine.

    Parameters
    ----------
    machine : Machine
        Calibrated; without `result` it is loaded from its file, beside which the covariance lies.
    result : Calibration, optional
        Result of `gough.calibrate`: RMS of each leg with the drawing and calibrated, and residuals by row.
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
        Without `result`, a machine without a covariance next to its file.

    """
    if result is None:
        return _remaining_error(machine, samples)
    metres, unit = result.nominal.units.metres, result.nominal.units.length
    grid = {"horizontal_spacing": 0.12, "column_widths": [0.4, 0.6]}
    figure = style.panels(1, 2, 360, grid=grid, barmode="group", bargap=0.4)
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
    figure = style.figure([heat], height=380)
    figure.update_xaxes(title=f"x [{unit}]", showgrid=False)
    figure.update_yaxes(title=f"y [{unit}]", showgrid=False, scaleanchor="x")
    return figure


def _positions(machine: Machine, axis: int, samples: int) -> Array:
    """Positions along an axis through home, between the ends of travel [m]."""
    direction = np.eye(6)[axis]
    distance = travel(machine, np.stack([-direction, direction])).distance
    low, high = np.where(np.isfinite(distance), distance, machine.size) * (-1.0, 1.0)
    return np.asarray(machine.X_home[axis, 3] + INSIDE * np.linspace(low, high, samples))


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
    """Plot the error of the linear map against the displacement, along and about each axis, in the units of the
    machine's file.

    Parameters
    ----------
    result : LinearMap
        Result of `gough.kinematics.linear_map`.

    Returns
    -------
    plotly.graph_objects.Figure
        Logarithmic, with a column for each stage; the error is the largest of a stage's six legs and of both
        directions. It is a straight line of slope two as long as the second-order terms, which the map omits, dominate.
        Axes along which the map is exact, such as those of parallel rails, have no line, which the legend states.

    Raises
    ------
    InputError
        The result is not a linear map.

    """
    machine = result.machine
    figure = style.panels(2, len(machine.stages), 620, grid={"vertical_spacing": 0.2})
    rows = travel_table(machine, result.X)
    for row, (si_unit, name, part) in enumerate(style.PARTS_OF_TWIST, 1):
        for axis in range(6)[part]:
            for col, trace in enumerate(_lines(result, axis, si_unit, _largest(machine, rows[axis], si_unit)), 1):
                figure.add_trace(trace, row=row, col=col)
        shared = {"type": "log", "dtick": 1, "exponentformat": "power", "row": row}
        figure.update_xaxes(title=f"{name} from the map's pose [{file_unit(machine, si_unit)}]", **shared)
        for col, stage in enumerate(machine.stages, 1):
            of_stage = "".join(f", {dim} {col}" for dim in machine.stage_dims)
            title = f"joint error{of_stage} [{file_unit(machine, stage.legs.joint_unit)}]"
            figure.update_yaxes(title=title, col=col, **shared)
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
