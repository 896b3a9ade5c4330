"""Quantities over time, panel under panel: any, those of all legs, and recorded motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import described
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.motion.recorded.compensation import CompensatedMotion
from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
from gough.plot import _style as style
from gough.present.show import Show
from gough.present.units import file_unit, in_file_units, to_si
from gough.quantity import ALONG_AXES, AXES
from gough.results import Labelled, LabelledArray
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray

COLOURS = (style.ACCENT, style.AXES[2], style.AXES[1], style.CYLINDER, "#9333a8", "#b58900")
"""Colours of the curves of a panel, in their order."""
OVERLAP = 5e-3
"""Part of a panel's range within which curves hide one another: the later one is drawn dashed."""
SAME = 1e-6
"""Part of the largest value within which legs share a curve."""
PANEL, EDGE = 210, 90
"""Height of a panel, and of what is above and below them [pixels]."""
TITLES = {
    "force": "force",
    "power": "power",
    "joint": "joint coordinate",
    "joint_rate": "joint rate",
    "joint_error": "joint error",
}
NEAR = 1 / 6
"""Part of the range between two limits within which one is drawn: of forces and rates a third of the limit."""
LIMITED = {"force": "actuator_force", "joint_rate": "joint_speed"}
"""Quantities whose magnitude is limited, and the limits' names."""


@checks_arguments
def histories(
    time: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]], *, logarithmic: bool = False
) -> go.Figure:
    """Plot curves over time.

    Parameters
    ----------
    time : (k,) array
        [s].
    panels : mapping of title to mapping of curve name to (k,) array
        The title of a panel names its quantity and unit, "angle [rad]". Curves that lie on others are drawn dashed.
    logarithmic : bool
        Draw positive values on logarithmic axes.

    Returns
    -------
    plotly.graph_objects.Figure
        Curves in the units of the panels' titles, over time [s].

    Raises
    ------
    InputError
        No panel, a panel that is not a mapping, or a curve of another length than `time`.

    """
    return _drawn(np.asarray(time, dtype=float), panels, {}, logarithmic=logarithmic)


def _drawn(
    t: Array, panels: Mapping[str, Mapping[str, ArrayLike]], limits: Mapping[str, Array], *, logarithmic: bool = False
) -> go.Figure:
    """Curves over time, with the limits of a panel as dotted lines."""
    if not panels:
        raise InputError("histories: no panel to draw")
    for title, curves in panels.items():
        if not isinstance(curves, Mapping):
            raise InputError(f"panels: {title}: expected a mapping of names to curves, got {described(curves)}")
    # Room for the title of the next panel, in pixels over the height of all panels.
    gap = 0.0 if len(panels) == 1 else 46 / (PANEL * len(panels))
    grid = {"shared_xaxes": True, "vertical_spacing": gap}
    figure = style.panels(len(panels), 1, EDGE + PANEL * len(panels), grid=grid, margin={"t": 32})
    for row, (title, curves) in enumerate(panels.items(), 1):
        # A legend of its own for each panel, next to it.
        legend = "legend" if row == 1 else f"legend{row}"
        for k, (name, y, dash) in enumerate(_dashed(title, curves, t, logarithmic)):
            line = {"color": COLOURS[k % len(COLOURS)], "width": 2, "dash": dash}
            figure.add_trace(go.Scatter(x=t, y=y, name=name, mode="lines", line=line, legend=legend), row=row, col=1)
        for k, limit in enumerate(limits.get(title, ())):
            line = {"color": style.INK, "width": 1.5, "dash": "dot"}
            where = {"x": t[[0, -1]], "y": [limit, limit], "legend": legend, "showlegend": k == 0}
            figure.add_trace(go.Scatter(**where, name="limit", mode="lines", line=line), row=row, col=1)
        top = figure.layout["yaxis" if row == 1 else f"yaxis{row}"].domain[1]
        figure.update_layout({legend: {**style.side_legend(top), "visible": True}})
        style.panel_title(figure, row, title)
    if logarithmic:
        figure.update_yaxes(type="log", exponentformat="power", dtick=4)
    figure.update_xaxes(title="time [s]", row=len(panels), col=1)
    return figure


def _dashed(title: str, curves: Mapping[str, ArrayLike], t: Array, logarithmic: bool) -> list[tuple[str, Array, str]]:
    """Name, values and dash of each curve, which is "dash" where a curve before it would be hidden."""
    values = {name: np.asarray(curve, dtype=float) for name, curve in curves.items()}
    for name, y in values.items():
        if y.shape != t.shape:
            raise ShapeError.expected(f"{title}: {name}", str(t.shape), y.shape)
    # Curves are compared as they are drawn, in the scale of the axis.
    heights = {name: np.log10(np.abs(y)) if logarithmic else y for name, y in values.items()}
    span = np.nanmax(list(heights.values())) - np.nanmin(list(heights.values()))
    solid: list[Array] = []
    drawn = []
    for name, y in heights.items():
        is_hidden = any(np.nanmax(np.abs(y - other)) <= OVERLAP * span for other in solid)
        if not is_hidden:
            solid.append(y)
        drawn.append((name, values[name], "dash" if is_hidden else "solid"))
    return drawn


@checks_arguments
def leg_histories(
    machine: AnyMachine, result: xarray.Dataset | Labelled, quantities: Sequence[str] | None = None
) -> go.Figure:
    """Plot quantities of all legs over time in stacked panels, with separate panels for each stage.

    Parameters
    ----------
    machine : Machine
    result : xarray.Dataset
        From `gough.dynamics.motion_forces` or `gough.simulate`.
    quantities : sequence of str, optional
        Of "force", "power", "joint", "joint_rate", "joint_error"; default: force and power, with the error of a
        simulation that follows a motion above them.

    Returns
    -------
    plotly.graph_objects.Figure
        Legs with the same values share a line; joints in the units of the machine's file. Titles say how much of a
        known limit is used, and limits are drawn that the curves exceed or come near.

    Raises
    ------
    InputError
        A quantity that the result does not have, or that has no unit.

    """
    names = list(quantities or ([name for name in ("joint_error",) if name in result] + ["force", "power"]))
    unknown = [name for name in names if name not in TITLES or name not in result]
    if unknown:
        there = ", ".join(name for name in TITLES if name in result)
        raise InputError(f"no history of {unknown[0]!r}, there are {there}")
    panels, limits = {}, {}
    for name in names:
        if "units" not in result[name].attrs:  # xarray before 2025.11 drops attributes in arithmetic
            raise InputError(f"the history of {name!r} has no unit; set it with .assign_attrs(units=...)")
        for k, stage in enumerate(machine.stages):
            word = "torque" if name == "force" and stage.legs.joint == "angle" else TITLES[name]
            values, unit = _of_stage(stage, result[name], k)
            allowed = _allowed(stage, name)
            title = machine.by_stage([""] * k + [f"{word} [{unit}]{_used(stage, name, values, allowed)}"])
            panels[title], limits[title] = _curves(values, 6 * k), _in_reach(values, *allowed)
    # By default Plotly omits the legend of a single curve.
    return _drawn(result["time"].to_numpy().astype(float), panels, limits).update_layout(showlegend=True)


def _allowed(stage: Machine, name: str) -> tuple[Array, Array]:
    """Lowest and highest values (6,) that a stage's file allows, in its units; infinite where it has no limit."""
    most = getattr(stage.limits, LIMITED.get(name, ""), None)
    high = np.full(6, np.inf) if most is None else most
    if name == "force":
        return -high, high
    low, high = (stage.limits.joint_min, stage.limits.joint_max) if name == "joint" else (-high, high)
    return in_file_units(stage, low, stage.legs.joint_unit), in_file_units(stage, high, stage.legs.joint_unit)


def _used(stage: Machine, name: str, values: Array, allowed: tuple[Array, Array]) -> str:
    """How much of a limit the values (n, 6) use, or how far they stay from it, for a title; empty without a limit."""
    low, high = allowed
    room = float(np.fmin.reduce([values - low, high - values], axis=None))  # NaN where a leg cannot close
    if not np.isfinite(room):
        return ""
    if name != "joint":
        return f", {Show(stage).with_unit(np.fmax.reduce(np.abs(values) / high, axis=None), '%', 3)} of the limit"
    si = stage.legs.joint_unit
    distance = Show(stage).with_unit(to_si(stage, abs(room), si), si)
    return f", {distance} {'from' if room >= 0 else 'beyond'} the limit"


def _in_reach(values: Array, low: Array, high: Array) -> Array:
    """Limits that values (n, 6) exceed or come near: within `NEAR` of a range, or the curves' if infinite."""
    most, least = np.fmax.reduce(values), np.fmin.reduce(values)
    reach = np.where(np.isfinite(high - low), NEAR * (high - low), np.fmax.reduce(most) - np.fmin.reduce(least))
    above, below = high - most <= reach, least - low <= reach
    return np.unique(np.concatenate([low[below], high[above]]))


def _of_stage(stage: Machine, values: xarray.DataArray | LabelledArray, k: int) -> tuple[Array, str]:
    """Values (n, 6) of the legs of stage k in the units of its file, and their unit."""
    unit = values.attrs["units"].split(" or ")[-k:][0]  # one for each stage where they differ
    return in_file_units(stage, values.to_numpy()[:, 6 * k : 6 * k + 6], unit), file_unit(stage, unit)


def _curves(values: Array, first: int) -> dict[str, Array]:
    """One curve for all legs with the same values (n, 6), named by their numbers, which begin after `first`."""
    near = SAME * np.abs(values).max()
    groups = style.alike(range(6), lambda a, b: bool(np.abs(values[:, a] - values[:, b]).max() <= near))
    return {_name([1 + first + leg for leg in group]): values[:, group[0]] for group in groups}


def _name(legs: list[int]) -> str:
    if len(legs) == 6:
        return f"legs {legs[0]} to {legs[-1]}"
    return f"leg{'s' if len(legs) > 1 else ''} {', '.join(map(str, legs))}"


@checks_arguments
def fitted_motion(result: Mapping[str, FittedMotion], per_axis: PerAxisScale | None = None) -> go.Figure:
    """Plot gains and smallest margins of fitted motions over time, next to gains from limits on single axes.

    Parameters
    ----------
    result : mapping of name to FittedMotion
        The same motion fitted by several methods (`gough.motion.recorded.fit_motion`), at the same times.
    per_axis : PerAxisScale, optional
        From `gough.motion.recorded.per_axis_scale`.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file, over time [s].

    Raises
    ------
    InputError
        No motion to draw.

    """
    if not result:
        raise InputError("fitted_motion: no motion to draw")
    first = next(iter(result.values()))
    gains = {f"coupled, {name}": one.gain for name, one in result.items()}
    if per_axis is not None:
        gains["single axes, safe box"] = np.full_like(first.time, per_axis.safe)
        gains["single axes, each alone"] = np.full_like(first.time, per_axis.alone)
    gains["largest of each instant"] = first.largest
    margins = {f"coupled, {name}": one.margin for name, one in result.items()}
    return histories(first.time, {"gain [1]": gains, "smallest relative margin [1]": margins})


@checks_arguments
def compensated_motion(result: CompensatedMotion) -> go.Figure:
    """Plot the movement of the point of interest in space, held at home and compensated, over time; and the gain.

    Parameters
    ----------
    result : CompensatedMotion
        From `gough.motion.recorded.compensate`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each axis, in the units of the machine's file, then gain and smallest relative margin; gaps where a
        number is NaN.

    """
    machine, fitted = result.machine, result.fitted
    panels = {}
    for k, (axis, unit) in enumerate(zip(AXES, ALONG_AXES, strict=True)):
        panels[f"{axis} [{file_unit(machine, unit)}]"] = {
            "held at home": in_file_units(machine, result.uncompensated[:, k], unit),
            "compensated": in_file_units(machine, result.remaining[:, k], unit),
        }
    panels["gain and smallest relative margin"] = {
        "gain": np.interp(result.time, fitted.time, fitted.gain),
        "margin": np.interp(result.time, fitted.time, fitted.margin),
    }
    return histories(result.time, panels)
