"""Figures of examples: what a script writes with `write_html` is drawn on its page, and pictured on its card."""

from __future__ import annotations

import atexit
import builtins
import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
from playwright.sync_api import Page, sync_playwright
from plotly.basedatatypes import BaseFigure

from _site.figures import fragment

FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
WINDOW = {"width": 900, "height": 620}
PATIENCE = 120_000
"""Software draws three dimensions slowly [ms]."""

figures: list[go.Figure] = []
"""Those of the running example since the last code block."""


def _record(figure: go.Figure, *args: Any, **kwargs: Any) -> None:
    figures.append(figure)


def record_figures(conf: dict[str, Any], file: str) -> None:
    """Called before each example: `write_html` and `show` keep the figure for the page."""
    figures.clear()
    builtins.__file__ = file  # examples look for their data beside them
    BaseFigure.write_html = _record
    BaseFigure.show = _record


def _close(browser: Any, playwright: Any) -> None:
    browser.close()
    playwright.stop()


@cache
def _page() -> Page:
    """A page with plotly.js, kept for all figures of this process."""
    playwright = sync_playwright().start()
    path = shutil.which("chromium")
    if path is None:
        raise FileNotFoundError("pictures of figures need Chromium, which is not installed: apt-get install chromium")
    browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
    atexit.register(_close, browser, playwright)
    page = browser.new_page(viewport=WINDOW)
    page.set_default_timeout(PATIENCE)
    page.set_content("<!doctype html><meta charset=utf-8><style>body{margin:0}</style><div id=figure></div>")
    page.add_script_tag(path=Path(plotly.__file__).parent / "package_data" / "plotly.min.js")
    return page


def picture(figure: go.Figure, target: Path) -> None:
    """Picture of a figure, as a browser draws it."""
    page = _page()
    drawn = json.loads(figure.to_json())
    drawn["layout"] |= WINDOW
    draw = """async figure => { await Plotly.newPlot("figure", figure.data, figure.layout, {displayModeBar: false});
        await new Promise(done => setTimeout(done, 150)) }"""
    page.evaluate(draw, drawn)
    page.screenshot(path=target)
    page.evaluate('Plotly.purge("figure")')


def drawn_figures(block: Any, values: dict[str, Any], conf: dict[str, Any]) -> str:
    """ReStructuredText of the figures that a code block has written."""
    parts = []
    for figure in figures:
        target = Path(next(values["image_path_iterator"]))
        target.parent.mkdir(parents=True, exist_ok=True)
        picture(figure, target)
        html = target.with_suffix(".html")
        html.write_text(fragment(figure), encoding="utf-8")
        parts.append(f"\n.. raw:: html\n   :file: {html}\n")
    figures.clear()
    return "\n".join(parts)
