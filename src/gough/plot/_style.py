"""The look all figures share: colours, fonts, axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from gough.arrays import Array

ACCENT = "#c2410c"
"""The one colour that says: look here. The platform, and the limit that binds."""
INK = "#1f2933"
MUTED = "#64748b"
GRID = "#d5dbe3"
BAR = "#94a3b8"
BASE = "#8795a8"
INTERMEDIATE = "#b98a5e"
"""Both plates of an intermediate platform: on the lower legs, below the upper legs."""
CYLINDER = "#475569"
PISTON = "#d3dae3"
JOINT = "#27313d"
GUIDE = "#a8b3c2"
TAG = "rgba(255, 255, 255, 0.86)"
"""Behind text on a figure."""
AXES = ("#c8283c", "#2e8b57", "#2563c9")
"""x, y and z of a frame."""

SCALE = "Viridis"
"""Of quantities over a surface or a map: even to the eye, on light and dark, for all kinds of colour vision."""

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
    """Traces in the common look; the layout of a figure that exists already takes four times as long to change.

    Plotly has validated the traces, and would again, with all of the template: most of what a figure takes. Tests
    validate whole figures (`tests/datasheet/test_page.py`), Plotly what is changed in one later.
    """
    return _validating(go.Figure(traces, layout={"template": TEMPLATE, **layout}, _validate=False))


def _validating(made: go.Figure) -> go.Figure:
    for part in (made, made.layout, *made.data):
        part._validate = True
    return made


def parts(made: go.Figure) -> tuple[dict[str, Any], ...]:
    """What `of_parts` makes the same figure of; frames, which no page shows, are left out.

    Plotly's own pickles take ten times as long, and change the order of what is in them.
    """
    figure: Any = made
    grid = {name: getattr(figure, name) for name in ("_grid_str", "_grid_ref")}
    return grid, figure._layout, *figure._data


def of_parts(grid: dict[str, Any], layout: dict[str, Any], *traces: dict[str, Any]) -> go.Figure:
    """The figure that `parts` were taken from."""
    kinds = [{"type": trace["type"]} for trace in traces]
    made: Any = _validating(go.Figure({"data": kinds, "layout": {}, **grid}, _validate=False))
    for part, given in zip((made._layout, *made._data), (layout, *traces), strict=True):
        part.clear()
        part.update(given)
    return made


def scene(titles: Sequence[str], span: Array, upward: Array, rise: float) -> dict[str, object]:
    """A 3-D scene with one scale for all axes, seen without perspective, that fits a window a third wider than high.

    Parameters
    ----------
    titles : three axis titles with their units
    span : (3, 2) array
        Lowest and highest value of each axis.
    upward : (3,) array
        Unit vector that points up on the screen.
    rise : float
        How far above the horizon the eye is, per distance.

    """
    eye = view_direction(upward, rise)
    side = np.cross(upward, eye) / np.linalg.norm(np.cross(upward, eye))
    extent = np.ptp(span, axis=1)
    box = 0.5 * np.array(list(product((-1.0, 1.0), repeat=3))) * extent
    wide, high = np.ptp(box @ side), np.ptp(box @ np.cross(eye, side))
    # Plotly's camera shows a height of 2; labels need some of it.
    ratio = extent * min(1.78 / high, 2.1 / wide)
    ticks = np.where(extent < 0.7 * extent.max(), 3, 5)  # at most; numbers of a short axis would overlap
    return {
        **{f"{name}axis": _axis_3d(*axis) for name, *axis in zip("xyz", titles, span, ticks, strict=True)},
        "aspectmode": "manual",
        "aspectratio": _xyz(ratio),
        "camera": {"up": _xyz(upward), "eye": _xyz(2.0 * eye), "projection": {"type": "orthographic"}},
    }


def view_direction(upward: Array, rise: float) -> Array:
    """Unit vector (3,) towards the eye: from between +x and -y, `rise` above the horizon."""
    ahead = np.eye(3)[0] if abs(upward[0]) < 0.9 else np.eye(3)[1]
    ahead = ahead - (ahead @ upward) * upward
    ahead /= np.linalg.norm(ahead)
    turn = np.deg2rad(-52.0)
    direction = np.cos(turn) * ahead + np.sin(turn) * np.cross(upward, ahead) + rise * upward
    return np.asarray(direction / np.linalg.norm(direction))


def _xyz(vector: Array) -> dict[str, float]:
    return dict(zip("xyz", map(float, vector), strict=True))


def _axis_3d(title: str, span: Array, ticks: int) -> dict[str, object]:
    """One axis, quiet enough to leave the stage to the machine."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": MUTED}},
        "range": [float(span[0]), float(span[1])],
        "showbackground": False,
        "showspikes": False,
        "gridcolor": GRID,
        "linecolor": GRID,
        "zeroline": False,
        "nticks": int(ticks),
        "exponentformat": "none",
        "separatethousands": True,
        "tickfont": {"size": 10, "color": MUTED},
    }


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
