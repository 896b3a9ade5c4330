"""The workspace at one orientation: its whole boundary, coloured by the limit that binds."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.plot._boundary import STEEP, boundary_figure, mark, surfaces
from gough.plot._traces import up
from gough.plot.paving_figure import paving_figure
from gough.poses import PoseLike
from gough.regions.paving import Paving
from gough.stacked import AnyMachine
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import Workspace
from gough.workspaces.workspace import workspace as workspace_of

SAMPLES = 33
"""Columns along x and y of the figures of a workspace."""


@checks_arguments
def workspace(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    result: Workspace | Mesh | Paving | None = None,
    side: Literal["all", "lower", "upper"] = "all",
) -> go.Figure:
    """Total, lower or upper envelope: where the point of interest can go at one orientation.

    Parameters
    ----------
    machine : Machine
        Of two stages as `gough.workspace` says: with the machine's `share`.
    orientation : PoseLike, optional
        A pose whose rotation is kept; home where none is given.
    result : Workspace, Mesh or Paving, optional
        Of `gough.workspace`, or its `mesh()` where that is needed more than once; computed where not given. Of a paving
        by `gough.workspace_volume_6d` pairs of its six coordinates are drawn, and where poses are proven to be allowed.
    side : "all", "lower" or "upper"
        The whole boundary, or the part of it that faces downward or upward as gravity has it.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on the axes, upright as gravity has it; a trace for each limit.

    Raises
    ------
    InputError
        No position is allowed at this orientation: there is nothing to draw.

    """
    if isinstance(result, Paving):
        return paving_figure(machine, result)
    found = workspace_mesh(machine, orientation, result)

    def is_of_side(normals: Array) -> Bools:
        rise = normals @ up(machine)
        return np.asarray(rise < STEEP if side == "lower" else rise > -STEEP)

    traces = surfaces(machine, found, "m", None if side == "all" else is_of_side)
    traces += [home_mark(machine)] * (side == "all")
    return boundary_figure(machine, traces, found.vertices, "m", ("x", "y", "z"))


def workspace_mesh(machine: AnyMachine, orientation: PoseLike | None, result: Workspace | Mesh | None) -> Mesh:
    """Boundary of a workspace; where none is given of one as fine as the figures show."""
    if result is not None:
        return result if isinstance(result, Mesh) else result.mesh()
    return workspace_of(machine, orientation, samples=SAMPLES).mesh()


def home_mark(machine: AnyMachine) -> go.Scatter3d:
    """Home of the point of interest."""
    return mark(machine, machine.home_point, "m", "home")
