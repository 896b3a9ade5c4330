"""Plotly figures, one function each; every one returns a `plotly.graph_objects.Figure` with its units on its axes.

Lengths and angles are drawn in the units of the machine's file. Plotly is imported when a figure is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough.plot.corners_figure import corners as corners
    from gough.plot.linear_map_figure import linear_map_error as linear_map_error
    from gough.plot.machine_figure import machine as machine
    from gough.plot.margins_figure import margins as margins
    from gough.plot.travel_figure import travel as travel

_HOME = {
    "corners": "corners_figure",
    "linear_map_error": "linear_map_figure",
    "machine": "machine_figure",
    "margins": "margins_figure",
    "travel": "travel_figure",
}
"""Function -> module that defines it."""

__all__ = [*_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gough.plot' has no attribute {name!r}; it has {', '.join(_HOME)}")
    value = getattr(import_module(f"gough.plot.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
