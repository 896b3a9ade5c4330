"""The look that all figures share: colours, fonts, axes, colour bars, legends; and a figure as a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import environ
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
from numpy.typing import ArrayLike
from plotly.basedatatypes import BaseTraceType
from plotly.subplots import make_subplots

# In Jupyter kernels Plotly's default gives figures for notebooks only: pages that nbconvert writes of them stay blank.
# With "notebook" figures are HTML too, and plotly.js is in the notebook once, so that no network is needed.
if plotly.io.renderers.default == "plotly_mimetype" and "PLOTLY_RENDERER" not in environ:
    plotly.io.renderers.default = "plotly_mimetype+notebook"

ACCENT = "#c2410c"
"""Emphasis: the platform, and the limit that binds."""
INK = "#1f2933"
MUTED = "#64748b"
GRID = "#d5dbe3"
BAR = "#94a3b8"
BASE = "#8795a8"
INTERMEDIATE = "#b98a5e"
"""Both plates of an intermediate platform."""
CYLINDER = "#475569"
PISTON = "#d3dae3"
JOINT = "#27313d"
GUIDE = "#a8b3c2"
TAG = "rgba(255, 255, 255, 0.86)"
"""Behind text on a figure."""
AXES = ("#c8283c", "#2e8b57", "#2563c9")
"""x, y and z of a frame."""

SCALE = "Viridis"
"""Colour scale of quantities over a surface or a map: perceptually uniform, readable with any colour vision."""
PARTS_OF_TWIST = (("m", "translation", slice(0, 3)), ("rad", "rotation", slice(3, 6)))
"""SI unit, name and components of the two panels of a displacement."""

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

_AXIS = {
    "gridcolor": GRID,
    "linecolor": GRID,
    "zerolinecolor": MUTED,
    "zerolinewidth": 1,
    "ticks": "",
    "automargin": True,
    "title": {"standoff": 12},
}
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 13, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": [ACCENT, CYLINDER, AXES[2], AXES[1], BAR],
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "hoverlabel": {"font": {"family": FONT, "size": 13}},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": BAR, "activecolor": ACCENT},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
    }
)


def figure(traces: Sequence[BaseTraceType], **layout: object) -> go.Figure:
    """Traces in the common look; to change the layout of a finished figure takes four times as long."""
    return go.Figure(traces, layout={"template": TEMPLATE, **layout})


def panels(rows: int, cols: int, height: int, *, grid: dict[str, Any] | None = None, **layout: object) -> go.Figure:
    """An empty grid of panels in the common look, to which traces and titles of axes are added.

    `height` is in pixels, `grid` are further arguments of Plotly's `make_subplots`.
    """
    figure = make_subplots(rows=rows, cols=cols, **(grid or {}))
    return figure.update_layout(template=TEMPLATE, height=height, **layout)


def colour_bar(title: str, *, height: float = 0.8) -> dict[str, object]:
    """A slim colour bar; `height` is its part of the figure's."""
    return {
        "title": {"text": title, "side": "top", "font": {"size": 12}},
        "thickness": 12,
        "len": height,
        "outlinewidth": 0,
        "tickfont": {"size": 11},
        "exponentformat": "none",
        "nticks": 6,
        "x": 1.0,
        "xpad": 6,
    }


def alike(items: Iterable[int], are_same: Callable[[int, int], bool]) -> list[list[int]]:
    """Items grouped with the first one that is the same: curves that coincide are drawn once."""
    groups: list[list[int]] = []
    for item in items:
        group = next((group for group in groups if are_same(group[0], item)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def heatmap(x: ArrayLike, y: ArrayLike, values: ArrayLike, title: str, hover: str, **how: Any) -> go.Heatmap:
    """Values (ny, nx) as colours with a bar, blank where they are NaN; `hover` is the label of a place."""
    look = {"colorscale": SCALE, "colorbar": colour_bar(title), "hoverongaps": False}
    z = np.asarray(values, dtype=np.float32)
    return go.Heatmap(x=x, y=y, z=z, hovertemplate=f"{hover}<extra></extra>", **{**look, **how})


def side_legend(top: float = 1.0) -> dict[str, object]:
    """A legend to the right of a panel whose upper edge is at `top` of the figure's height."""
    return {"orientation": "v", "x": 1.01, "xanchor": "left", "y": top, "yanchor": "top"}


def panel_title(figure: go.Figure, row: int, text: str, **how: Any) -> None:
    """A title above the upper left corner of the panel of y axis number `row`, counted from 1."""
    key = "" if row == 1 else str(row)
    left, top = figure.layout[f"xaxis{key}"].domain[0], figure.layout[f"yaxis{key}"].domain[1]
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(text=text, x=left, y=top, **place, **how)


def largest_mark(width: float) -> dict[str, object]:
    """A short line across a bar that marks the largest value allowed; `width` in pixels."""
    return {"symbol": "line-ew", "size": width, "line": {"color": ACCENT, "width": 2}}


_HEAD = """<meta name="viewport" content="width=device-width, initial-scale=1"><style>body { margin: 0 }</style>"""
_FIT = """
const plot = document.getElementById("{plot_id}"), layout = structuredClone(plot.layout);
const scenes = Object.keys(layout).filter((key) => /^scene[0-9]*$/.test(key));
const fit = () => {
  const width = document.documentElement.clientWidth, isNarrow = width < 700;
  const height = Math.max(innerHeight, layout.height ?? 450);
  const changes = { height, width };
  for (const name of scenes) { // made for a window a third wider than high, smaller where it is narrower
    const [across, high] = ["x", "y"].map((axis) => {
      const [low, top] = layout[name].domain?.[axis] ?? [0, 1];
      return top - low;
    });
    const above = (layout.margin?.t ?? 80) + (layout.margin?.b ?? 80);
    const room = isNarrow ? width - 20 : width; // titles of axes do not become smaller
    const smaller = Math.min(1, (across * room) / (1.3 * high * (height - above)));
    for (const axis of "xyz") {
      const size = layout[name].aspectratio?.[axis];
      if (size) changes[`${name}.aspectratio.${axis}`] = smaller * size;
    }
  }
  plot.parentElement.style.height = plot.style.height = `${height}px`; // lower in a narrow window than it was made
  Plotly.relayout(plot, changes);
};
addEventListener("resize", fit);
// Plotly rejects the promise of an animation that another one ends, without a reason.
addEventListener("unhandledrejection", (event) => event.reason === undefined && event.preventDefault());
fit();
"""


def page(figure: go.Figure) -> str:
    """The figure as HTML that needs no network, as wide as the window, and at least as high."""
    html = figure.to_html(include_plotlyjs=True, auto_play=False, post_script=_FIT)
    return str(html).replace("<head>", f"<head>{_HEAD}", 1)
