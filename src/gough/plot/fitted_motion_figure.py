"""Recorded motions fitted into a machine: gains over time, and how near the limits come."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
from gough.plot.histories_figure import histories


@checks_arguments
def fitted_motion(result: Mapping[str, FittedMotion], per_axis: PerAxisScale | None = None) -> go.Figure:
    """Gains of fitted motions over time beside what limits on single axes would allow, and their smallest margins.

    Parameters
    ----------
    result : mapping of name to FittedMotion
        The same motion fitted by several methods (`gough.motion.recorded.fit_motion`), at the same times.
    per_axis : PerAxisScale, optional
        From `gough.motion.recorded.per_axis_scale`.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file, over time [s].

    Raises
    ------
    InputError
        No motion to draw.

    """
    if not result:
        raise InputError("fitted_motion: no motion to draw")
    first = next(iter(result.values()))
    gains = {f"coupled, {name}": one.gain for name, one in result.items()}
    if per_axis is not None:
        gains["single axes, safe box"] = np.full_like(first.time, per_axis.safe)
        gains["single axes, each alone"] = np.full_like(first.time, per_axis.alone)
    gains["largest of each instant"] = first.largest
    return histories(
        first.time,
        {
            "gain [1]": gains,
            "smallest relative margin [1]": {f"coupled, {name}": one.margin for name, one in result.items()},
        },
    )
