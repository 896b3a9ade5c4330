"""Motion compensation: how the platform would move with its base, and what remains."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.motion.recorded.compensation import CompensatedMotion
from gough.plot.histories_figure import histories
from gough.present.answer import AXES
from gough.present.units import file_unit, in_file_units


@checks_arguments
def compensated_motion(result: CompensatedMotion) -> go.Figure:
    """Movement of the point of interest in space, held at home and compensated, over time; and the gain.

    Parameters
    ----------
    result : CompensatedMotion
        From `gough.motion.recorded.compensate`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each axis, in the units of the machine's file, then gain and smallest relative margin; gaps where a
        number is NaN.

    """
    machine, t = result.machine, result.time
    panels = {}
    for k, axis in enumerate(AXES):
        unit = "m" if k < 3 else "rad"
        panels[f"{axis} [{file_unit(machine, unit)}]"] = {
            "held at home": in_file_units(machine, result.uncompensated[:, k], unit),
            "compensated": in_file_units(machine, result.remaining[:, k], unit),
        }
    fitted = result.fitted
    panels["gain and smallest relative margin"] = {
        "gain": np.interp(t, fitted.time, fitted.gain),
        "margin": np.interp(t, fitted.time, fitted.margin),
    }
    return histories(t, panels)
