"""Recorded motions: fitted into a machine, and compensated by one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.motion.recorded.compensation import CompensatedMotion
from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
from gough.plot.histories_figure import histories
from gough.present.units import file_unit, in_file_units
from gough.quantity import ALONG_AXES, AXES


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
    margins = {f"coupled, {name}": one.margin for name, one in result.items()}
    return histories(first.time, {"gain [1]": gains, "smallest relative margin [1]": margins})


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
    machine, fitted = result.machine, result.fitted
    panels = {}
    for k, (axis, unit) in enumerate(zip(AXES, ALONG_AXES, strict=True)):
        panels[f"{axis} [{file_unit(machine, unit)}]"] = {
            "held at home": in_file_units(machine, result.uncompensated[:, k], unit),
            "compensated": in_file_units(machine, result.remaining[:, k], unit),
        }
    panels["gain and smallest relative margin"] = {
        "gain": np.interp(result.time, fitted.time, fitted.gain),
        "margin": np.interp(result.time, fitted.time, fitted.margin),
    }
    return histories(result.time, panels)
