"""A figure as a page of its own that fills the window, of a desktop or of a phone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go

NARROW = "narrow"
"""Key of `layout.meta` under which a figure keeps the changes of its layout for a narrow window."""
NARROWEST = 340
"""Width of figures in the narrowest windows [pixels]."""
FONT_SIZE = 13
_HEAD = """<meta name="viewport" content="width=device-width, initial-scale=1"><style>body { margin: 0 }</style>"""
_FIT = """
const plot = document.getElementById("{plot_id}"), layout = structuredClone(plot.layout);
const narrow = layout.meta?.narrow, lowest = layout.sliders?.length ? 0.55 : 1; // controls of animations are below
const scenes = Object.keys(layout).filter((key) => /^scene[0-9]*$/.test(key));
const read = (key) => key.replaceAll(/[[]([0-9]+)[]]/g, ".$1").split(".").reduce((part, name) => part?.[name], layout);
const wide = Object.fromEntries(Object.keys(narrow || {}).map((key) => [key, read(key)]));
const fit = () => {
  const width = document.documentElement.clientWidth, isNarrow = width < 700;
  const height = Math.max(innerHeight, lowest * ((isNarrow && narrow?.height) || layout.height || 450));
  const changes = { ...(isNarrow && narrow ? narrow : wide), height, width };
  for (const name of scenes) { // made for a window a third wider than high, smaller where it is narrower
    const [across, high] = ["x", "y"].map((axis) => {
      const [low, top] = changes[`${name}.domain.${axis}`] ?? layout[name].domain?.[axis] ?? [0, 1];
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


def legend_height(names: Iterable[str], size: int = FONT_SIZE, width: int = NARROWEST) -> int:
    """Height of a horizontal legend of these entries in a narrow window [pixels], rather too high than too low.

    Plotly sets entries in columns as wide as the widest, with 45 px for its line or square; letters are 0.57 of their
    size wide.
    """
    widths = [45 + 0.57 * size * len(name) for name in names]
    columns = max(1, int(width / max(widths, default=1)))
    return 8 + (size + 6) * -(-len(widths) // columns)  # rounded up


def with_narrow(figure: go.Figure, layout: dict[str, Any]) -> None:
    """Keep with a figure the changes of its layout, by dotted keys, for windows narrower than 700 px."""
    figure.update_layout(meta={NARROW: layout})
