"""Load capacity by direction: the forces, or the moments, that the actuators can hold."""

from __future__ import annotations

from typing import Literal

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.plot._polytope import surface
from gough.plot._traces import scene, span
from gough.poses import PoseLike
from gough.stacked import AnyMachine
from gough.statics.capacity import load_envelope


@checks_arguments
def load_capacity(
    machine: AnyMachine,
    X: PoseLike | None = None,
    kind: Literal["force", "moment"] = "force",
    *,
    result: ArrayLike | None = None,
) -> go.Figure:
    """The polytope of forces at the point of interest that keep every actuator within its force, coloured by size.

    Parameters
    ----------
    machine : Machine
        With actuator forces, which also hold the weights of platform and legs as far as their masses are known.
        Neither is needed where `result` is given.
    X : PoseLike, optional
        One pose; home where none is given.
    kind : {"force", "moment"}
        Forces without a moment, or pure moments.
    result : (n, 3) array, optional
        Vertices [N or N m], of `gough.statics.load_envelope`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        In N, or N m.

    Raises
    ------
    InputError
        No actuator forces, a singular pose, or weights that alone are too much.

    """
    if result is None:
        result = load_envelope(machine, machine.X_home if X is None else X, kind, gravity=machine.has_weight)
    vertices = of_shape("result", result, "(n, 3)")
    letter, unit = ("f", "N") if kind == "force" else ("m", "N m")
    traces = surface(vertices, f"{kind} [{unit}]", f"%{{customdata:.4g}} {unit}")
    titles = [f"{letter}{axis} [{unit}]" for axis in "xyz"]
    box = scene(machine, titles, span(vertices))
    return style.figure(traces, height=420, showlegend=False, scene=box)
