"""The path of a tool by itself: feed moves, rapid moves, and where a limit is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._traces import line, scene

if TYPE_CHECKING:
    import xarray


REFUSED = "#9333a8"
"""Where a limit is broken: no colour of an axis or of the path itself."""
RISE = 1.1
"""Of the eye above the horizon."""
RIM = 0.06


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
    rim = max(RIM * float((high - low).max()), 1e-3 * machine.size / machine.units.metres)
    titles = [f"{name} [{machine.units.length}]" for name in "xyz"]
    box = scene(machine, titles, np.stack([low - rim, high + rim], axis=1), RISE)
    figure.update_layout(template=style.TEMPLATE, height=520, scene=box, showlegend=True)
    return figure


def _segments(tip: Array, where: NDArray[np.bool_], colour: str, width: float, name: str) -> go.Scatter3d:
    """The parts of the path where `where` holds, each with the point it leads to."""
    kept = where.copy()
    kept[1:] |= where[:-1]
    points = np.where(kept[:, None], tip, np.nan)
    return line(points.astype(np.float32), colour, width, name=name, showlegend=None)
