"""The path of a tool: feed moves, rapid moves, and where a limit is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._scene import line, machine_scene, titles_of_positions

if TYPE_CHECKING:
    import xarray


REFUSED = "#9333a8"
"""Colour where a limit is broken, unlike those of axes and path."""
RISE = 1.1
"""Height of the eye above the horizon, per distance."""
RIM = 0.06
"""Part of the path's largest extent by which the scene is larger."""


@checks_arguments
def tool_path(machine: Machine, result: xarray.Dataset) -> go.Figure:
    """The path of the tool's tip in the base: feed and rapid moves apart, and where a limit is broken.

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
    figure.update_layout(template=style.TEMPLATE, height=520, scene=box, showlegend=True)
    return figure


def _segments(tip: Array, where: Bools, colour: str, width: float, name: str) -> go.Scatter3d:
    """The parts of the path where `where` holds, each up to the point after it, so that no gap shows."""
    kept = where.copy()
    kept[1:] |= where[:-1]
    points = np.where(kept[:, None], tip, np.nan)
    return line(points.astype(np.float32), colour, width, name=name, showlegend=None)
