"""Section of the workspaces of two stages: both together, and each alone."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.plot import _style as style
from gough.stacked import StackedMachine
from gough.stages.workspace_gain import Columns, WorkspaceGain
from gough.stages.workspace_gain import workspace_gain as gain_of

LINES = (
    ("both stages", style.CYLINDER, "solid", "rgba(148, 163, 184, 0.35)"),
    ("lower stage alone", style.AXES[2], "solid", "rgba(37, 99, 201, 0.25)"),
    ("upper stage alone", style.ACCENT, "dash", "rgba(0, 0, 0, 0)"),
)
"""Name, colour, dash and filling of each workspace, the largest first."""


@checks_arguments
def workspace_gain(machine: StackedMachine, result: WorkspaceGain | None = None) -> go.Figure:
    """Section through home, across y, of where the end platform's point of interest can go at home's orientation.

    Parameters
    ----------
    machine : StackedMachine
    result : WorkspaceGain, optional
        Of `gough.stages.workspace_gain`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on its axes, in the unit of the machine's file.

    Raises
    ------
    InputError
        The legs of a stage have no largest length, or its home is refused.

    """
    found = gain_of(machine) if result is None else result
    metres, unit = machine.units.metres, machine.units.length
    home = machine.home_point
    lower, upper, both = found.sections
    figure = go.Figure()
    for (name, colour, dash, filling), columns in zip(LINES, (both, lower, upper), strict=True):
        x, z = _outline(columns)
        line = {"color": colour, "width": 2, "dash": dash}
        figure.add_scatter(
            x=(x + home[0]) / metres, y=(z + home[2]) / metres, name=name, mode="lines", line=line,
            fill="toself", fillcolor=filling, hoverinfo="skip",
        )  # fmt: skip
    mark = {"color": style.INK, "size": 9, "symbol": "cross-thin", "line": {"width": 2}}
    figure.add_scatter(x=[home[0] / metres], y=[home[2] / metres], name="home", mode="markers", marker=mark)
    # The range of x around home, so that home is in the middle; z follows by the equal scale.
    middle, reach = home[0] / metres, 1.05 * float(np.nanmax(np.abs(_outline(both)[0]))) / metres
    figure.update_xaxes(title=f"x [{unit}]", constrain="domain", range=[middle - reach, middle + reach])
    figure.update_yaxes(title=f"z [{unit}]", scaleanchor="x")
    figure.update_layout(template=style.TEMPLATE, height=520)
    return figure


def _outline(columns: Columns) -> tuple[Array, Array]:
    """Closed outlines (x, z) of a section, separated by NaN: along the lower ends of intervals, back along the upper
    ones."""
    x, intervals = columns.x, columns.ends[:, 0]
    # A run is a chain of overlapping intervals in neighbouring columns, as (x, low, high). An interval continues the
    # first open run that it overlaps; runs that no interval of the next column continues are closed.
    runs: list[list[tuple[float, float, float]]] = []
    open_runs: list[list[tuple[float, float, float]]] = []
    for place, column in zip(x.tolist(), intervals, strict=True):
        here = [(place, float(low), float(high)) for low, high in column if np.isfinite(low)]
        following: list[list[tuple[float, float, float]]] = []
        for part in here:
            before = next((run for run in open_runs if run[-1][1] <= part[2] and part[1] <= run[-1][2]), None)
            if before is None:
                before = []
                runs.append(before)
            else:
                open_runs.remove(before)
            before.append(part)
            following.append(before)
        open_runs = following
    points: list[tuple[float, float]] = []
    for run in runs:
        up, down = [(p, low) for p, low, _ in run], [(p, high) for p, _, high in reversed(run)]
        points += [*up, *down, up[0], (np.nan, np.nan)]
    array = np.array(points)
    return array[:, 0], array[:, 1]
