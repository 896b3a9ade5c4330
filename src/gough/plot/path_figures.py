"""Paths: that of the tool, deviations of joint-space paths from straight lines, and utilisation of limits over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._scene import line, machine_scene, titles_of_positions, turn_button
from gough.present.units import file_unit, in_file_units

if TYPE_CHECKING:
    import xarray

    from gough.motion.joint_space.joint_motion import JointMove
    from gough.motion.joint_space.path import Straightness
    from gough.motion.timed_path import TimedPath

REFUSED = "#9333a8"
"""Colour where a limit is broken, unlike those of axes and path."""
RISE = 1.1
"""Height of the eye above the horizon, per distance."""
RIM = 0.06
"""Part of the path's largest extent by which the scene is larger."""
COLOURS = (
    style.ACCENT,
    style.AXES[2],
    style.AXES[1],
    "#9333a8",
    "#b58900",
    "#0e7490",
    style.CYLINDER,
    "#be185d",
    "#65a30d",
    "#7c5c3b",
)
"""Colours of the limits that bind, in the order of the time for which they do."""
SAMPLES = 2001


@checks_arguments
def tool_path(machine: Machine, result: xarray.Dataset) -> go.Figure:
    """Draw the path of the tool's tip in the base: feed and rapid moves apart, and the places of broken limits.

    Parameters
    ----------
    machine : Machine
    result : xarray.Dataset
        From `gough.motion.path_history`: it needs `tip` and `allowed`, and has `is_rapid` where there are
        rapid moves.

    Returns
    -------
    plotly.graph_objects.Figure
        To scale, seen from above, in the unit of the machine's file.

    Raises
    ------
    InputError
        The result lacks `tip` or `allowed`.

    """
    missing = [name for name in ("tip", "allowed") if name not in result]
    if missing:
        raise InputError(f"tool_path: the data have no {' and no '.join(missing)}")
    tip = result["tip"].to_numpy() / machine.units.metres
    rapid = result["is_rapid"].to_numpy() if "is_rapid" in result else np.zeros(len(tip), dtype=bool)
    refused = ~result["allowed"].to_numpy()
    kinds = (
        ("rapid", rapid, style.BAR, 2),
        ("with a feed", ~rapid, style.ACCENT, 4),
        ("a limit is broken", refused, REFUSED, 8),
    )
    figure = go.Figure(
        [_segments(tip, where, colour, width, name) for name, where, colour, width in kinds if where.any()]
    )
    low, high = tip.min(axis=0), tip.max(axis=0)
    # At least a little of the machine's size: a path without length would have a scene without extent.
    rim = max(RIM * float((high - low).max()), 1e-3 * machine.size / machine.units.metres)
    box = machine_scene(machine, titles_of_positions(machine), np.stack([low - rim, high + rim], axis=1), RISE)
    figure.update_layout(
        template=style.TEMPLATE, height=520, scene=box, showlegend=True, updatemenus=[turn_button({"scene": box})]
    )
    return figure


def _segments(tip: Array, where: Bools, colour: str, width: float, name: str) -> go.Scatter3d:
    """The parts of the path where `where` holds, each up to the point after it, so that no gap shows."""
    kept = where.copy()
    kept[1:] |= where[:-1]
    points = np.where(kept[:, None], tip, np.nan)
    return line(points.astype(np.float32), colour, width, name=name, showlegend=None)


@checks_arguments
def straightness(result: Straightness) -> go.Figure:
    """Plot the deviation from the straight lines between via points, and from an even turn, along the path.

    Parameters
    ----------
    result : Straightness
        From `gough.motion.joint_space.path`.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file; dots are the via points, the largest deviation is written next to its place.

    Raises
    ------
    InputError
        The result is of another kind.

    """
    machine = result.machine
    panels = [("deviation from the line", "m", result.departure)]
    if result.turn.max() > 1e-12:
        panels.append(("deviation from an even rotation", "rad", result.turn))
    grid = {"shared_xaxes": True, "vertical_spacing": 0.12}
    figure = style.panels(len(panels), 1, 110 + 240 * len(panels), grid=grid, showlegend=False)
    numbers = np.arange(1.0, len(result.vias) + 1)
    # Via points are evenly spaced on the axis, whatever the path's parameter is there.
    x = np.interp(result.s, result.vias, numbers)
    for row, (name, unit, values) in enumerate(panels, 1):
        place = {"row": row, "col": 1}
        line = {"color": style.ACCENT if row == 1 else style.AXES[2], "width": 2}
        figure.add_scatter(x=x, y=in_file_units(machine, values, unit), line=line, name=name, **place)
        dots = {"mode": "markers", "marker": {"color": style.INK, "size": 6}, "name": "via points"}
        figure.add_scatter(x=numbers, y=np.zeros_like(numbers), **dots, **place)
        title = f"{name} [{file_unit(machine, unit)}]"
        figure.update_yaxes(title=title, exponentformat="power", rangemode="tozero", **place)
    k = int(np.argmax(result.largest))
    peak = float(in_file_units(machine, result.largest[k], "m"))
    figure.add_annotation(
        x=float(np.interp(result.at[k], result.vias, numbers)),
        y=peak,
        text=f"{peak:.4g} {file_unit(machine, 'm')}",
        showarrow=False,
        yshift=12,
        bgcolor=style.TAG,
    )
    figure.update_xaxes(dtick=max(1, len(numbers) // 10))
    figure.update_xaxes(title="via point", row=len(panels), col=1)
    return figure


@checks_arguments
def timing(result: TimedPath | JointMove, samples: int = SAMPLES) -> go.Figure:
    """Plot the utilisation of every limit over time, and a band that names the limit that binds.

    Parameters
    ----------
    result : TimedPath or JointMove
        From `gough.motion.time_optimal`, `gough.motion.jerk_limited` or `gough.motion.joint_space.joint_move`.
    samples : int
        Number of times, evenly spaced.

    Returns
    -------
    plotly.graph_objects.Figure
        Limits that bind somewhere have colours, the band below is coloured by the one that binds; others are grey.

    Raises
    ------
    InputError
        The result is of another kind.

    """
    data = result.limit_utilisation(np.linspace(*result.span, samples))
    t, used = data["time"].to_numpy(), data["utilisation"].to_numpy()
    names = [str(name) for name in data["limit"].to_numpy()]
    binding = np.argmax(used, axis=1)
    # Limits in the order of the time for which they bind, the longest first; those that never bind stay grey.
    order = [int(c) for c in np.argsort(-np.bincount(binding, minlength=len(names)), kind="stable")]
    bound = [c for c in order if (binding == c).any()]
    colour = {c: COLOURS[k % len(COLOURS)] for k, c in enumerate(bound)}
    # The legend is reversed, so that the limit that binds longest, which is drawn last, comes first.
    legend = {"traceorder": "reversed", "y": -0.12, "yanchor": "top"}
    grid = {"shared_xaxes": True, "row_heights": [0.9, 0.1], "vertical_spacing": 0.04}
    figure = style.panels(2, 1, 500, grid=grid, legend=legend)
    for c in [c for c in range(len(names)) if c not in colour] + bound[::-1]:
        line = {"color": colour.get(c, style.GRID), "width": 2 if c in colour else 1}
        curve = {"name": names[c], "mode": "lines", "line": line, "showlegend": c in colour}
        figure.add_scatter(x=t, y=used[:, c], **curve, row=1, col=1)
    for c in bound:
        figure.add_trace(_band(t, binding == c, names[c], colour[c]), row=2, col=1)
    figure.update_yaxes(title="limit utilisation", range=[0, 1.05], tickformat=".0%", row=1, col=1)
    figure.update_yaxes(visible=False, range=[0, 1], row=2, col=1)
    figure.update_xaxes(title="time [s]", row=2, col=1)
    return figure


def _band(t: Array, is_bound: Bools, name: str, colour: str) -> go.Scatter:
    """The intervals of time in which a limit binds, as rectangles of height one in one filled trace."""
    # First samples of runs, and those after their last, in turn; a run extends halfway to the samples next to it.
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_bound.astype(int), [0]])))
    ends = np.concatenate([[t[0]], (t[1:] + t[:-1]) / 2, [t[-1]]])
    x: list[float | None] = []
    y: list[float | None] = []
    for first, last in zip(ends[edges[::2]], ends[edges[1::2]], strict=True):
        x += [first, first, last, last, None]
        y += [0, 1, 1, 0, None]
    return go.Scatter(
        x=x,
        y=y,
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=colour,
        name=name,
        hoverinfo="name",
        hoveron="fills",
        showlegend=False,
    )
