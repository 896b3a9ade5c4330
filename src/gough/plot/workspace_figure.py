"""The workspace at one orientation: its whole boundary, coloured by the limit that binds."""

from __future__ import annotations

import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.plot._boundary import boundary_figure, mark, surfaces
from gough.poses import PoseLike
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import workspace as workspace_of

SAMPLES = 33
"""Columns along x and y of the figures of a workspace."""


@checks_arguments
def workspace(machine: Machine, orientation: PoseLike | None = None, *, mesh: Mesh | None = None) -> go.Figure:
    """Total envelope: where the point of interest can go at one orientation.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose whose rotation is kept; home where none is given.
    mesh : Mesh, optional
        What `gough.workspace(...).mesh()` found, where it is known already.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on the axes, upright as gravity has it; a trace for each limit.

    """
    found = workspace_mesh(machine, orientation) if mesh is None else mesh
    traces = [*surfaces(machine, found, "m"), home_mark(machine)]
    return boundary_figure(machine, traces, found.vertices, "m", ("x", "y", "z"))


def workspace_mesh(machine: Machine, orientation: PoseLike | None = None) -> Mesh:
    """Boundary of the workspace, as fine as the figures show it."""
    return workspace_of(machine, orientation, samples=SAMPLES).mesh()


def home_mark(machine: Machine) -> go.Scatter3d:
    """Home of the point of interest."""
    X = machine.X_home
    return mark(machine, X[:3, :3] @ machine.point_of_interest + X[:3, 3], "m", "home")
