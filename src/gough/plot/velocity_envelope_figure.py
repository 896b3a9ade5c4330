"""The velocity envelope at a pose: how fast the tool can go in every direction."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.limits.velocity_envelope import VelocityEnvelope
from gough.limits.velocity_envelope import velocity_envelope as envelope_of
from gough.plot import _style as style
from gough.plot._polytope import surface
from gough.plot._traces import span
from gough.poses import PoseLike
from gough.present.units import file_unit, in_file_units
from gough.stacked import AnyMachine

UP = np.array([0.0, 0.0, 1.0])


@checks_arguments
def velocity_envelope(
    machine: AnyMachine,
    X: PoseLike | None = None,
    motion: Literal["translation", "rotation"] = "translation",
    *,
    result: VelocityEnvelope | None = None,
) -> go.Figure:
    """The polytope of velocities that keep every joint within its speed, coloured by speed (De Sapio 1998, figure 19).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; home where none is given.
    motion : {"translation", "rotation"}
        Velocities of the point of interest without turning, or angular velocities in place.
    result : VelocityEnvelope, optional
        Of `gough.velocity_envelope` at one pose; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file per second.

    Raises
    ------
    InputError
        No joint speeds, or a singular pose, where the envelope has no end.

    """
    envelope = envelope_of(machine, machine.end_home if X is None else X) if result is None else result
    si_unit, names = ("m", ("vx", "vy", "vz")) if motion == "translation" else ("rad", ("wx", "wy", "wz"))
    vertices = in_file_units(machine, envelope.vertices(motion), si_unit)
    unit = f"{file_unit(machine, si_unit)}/s"
    scene = style.scene([f"{name} [{unit}]" for name in names], span(vertices), UP, 0.32)
    traces = surface(vertices, f"speed [{unit}]", f"%{{customdata:.4g}} {unit}")
    return style.figure(traces, height=420, showlegend=False, scene=scene)
