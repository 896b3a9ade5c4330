"""The look all figures share: colours, fonts, axes."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

ACCENT = "#c2410c"
"""The one colour that says: look here. The platform, and the limit that binds."""
INK = "#1f2933"
MUTED = "#64748b"
GRID = "#d5dbe3"
BAR = "#94a3b8"
BASE = "#8795a8"
CYLINDER = "#475569"
PISTON = "#d3dae3"
JOINT = "#27313d"
GUIDE = "#a8b3c2"
AXES = ("#c8283c", "#2e8b57", "#2563c9")
"""x, y and z of a frame."""

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


def axis_3d(title: str, span: Sequence[float]) -> dict[str, object]:
    """One axis of a 3-D scene over `span`, quiet enough to leave the stage to the machine."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": MUTED}},
        "range": [float(span[0]), float(span[1])],
        "showbackground": False,
        "showspikes": False,
        "gridcolor": GRID,
        "linecolor": GRID,
        "zeroline": False,
        "nticks": 5,
        "tickfont": {"size": 10, "color": MUTED},
    }
