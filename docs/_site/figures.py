"""Figures: one copy of plotly.js for the site, on pages with a figure; each is drawn as it comes in sight."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
from sphinx.application import Sphinx

MARK = "figure-frame"
LEAST_HEIGHT = 420


def fragment(figure: go.Figure) -> str:
    """HTML of a figure: its data, and the frame in which `figures.js` draws them."""
    data = json.dumps(json.loads(figure.to_json()), separators=(",", ":")).replace("</", "<\\/")
    height = figure.layout.height or LEAST_HEIGHT
    return f'<div class="{MARK}" style="min-height:{height}px"><script type="application/json">{data}</script></div>'


def _load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if f'class="{MARK}"' in (context.get("body") or ""):
        app.add_js_file("plotly.min.js", priority=600)
        app.add_js_file("figures.js", priority=700)


def setup(app: Sphinx) -> dict[str, bool]:
    """A script that a handler of this event adds is on this page alone."""
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
