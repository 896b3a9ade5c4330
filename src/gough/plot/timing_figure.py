"""Utilisation of each limit over time, and the limit that binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.plot import _style as style

if TYPE_CHECKING:
    from gough.motion.joint_space.joint_move import JointMove
    from gough.motion.timing.timed_path import TimedPath


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
SAMPLES = 2001


@checks_arguments
def timing(result: TimedPath | JointMove, samples: int = SAMPLES) -> go.Figure:
    """Utilisation of every limit over time, and a band that names the limit that binds.

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
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.9, 0.1], vertical_spacing=0.04)
    for c in [c for c in range(len(names)) if c not in colour] + bound[::-1]:
        line = {"color": colour.get(c, style.GRID), "width": 2 if c in colour else 1}
        curve = {"name": names[c], "mode": "lines", "line": line, "showlegend": c in colour}
        figure.add_scatter(x=t, y=used[:, c], **curve, row=1, col=1)
    for c in bound:
        figure.add_trace(_band(t, binding == c, names[c], colour[c]), row=2, col=1)
    figure.update_yaxes(title="part of the limit", range=[0, 1.05], tickformat=".0%", row=1, col=1)
    figure.update_yaxes(visible=False, range=[0, 1], row=2, col=1)
    figure.update_xaxes(title="time [s]", row=2, col=1)
    # Reversed, so that the limit that binds longest, which is drawn last, comes first.
    legend = {**style.side_legend(), "traceorder": "reversed"}
    return figure.update_layout(template=style.TEMPLATE, height=460, legend=legend)


def _band(t: Array, is_bound: Bools, name: str, colour: str) -> go.Scatter:
    """The intervals of time in which a limit binds, as rectangles of height one in one filled trace."""
    # First samples of runs, and those after their last, in turn; a run extends halfway to the samples beside it.
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
