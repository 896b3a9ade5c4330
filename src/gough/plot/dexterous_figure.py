"""The dexterous part of the workspace inside what can be reached at one orientation."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.plot._boundary import boundary_figure, shell, surfaces
from gough.plot.workspace_figure import home_mark, workspace_mesh
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import Workspace


@checks_arguments
def dexterous_workspace(
    machine: Machine, result: DexterousWorkspace | Mesh, *, whole: Workspace | Mesh | None = None
) -> go.Figure:
    """The positions that allow every orientation of a cone, coloured by what binds, in a shell of the whole workspace.

    Parameters
    ----------
    machine : Machine
    result : DexterousWorkspace or Mesh
        Of `gough.workspaces.dexterous_workspace`, or its `mesh()`.
    whole : Workspace or Mesh, optional
        Of `gough.workspace`, or its `mesh()`; at home's orientation where none is given.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file.

    Raises
    ------
    InputError
        No position allows the whole cone: there is nothing to draw.

    """
    part, around = result if isinstance(result, Mesh) else result.mesh(), workspace_mesh(machine, None, whole)
    traces = [*surfaces(machine, part, "m"), shell(machine, around, "m", "one orientation"), home_mark(machine)]
    shown = np.concatenate([part.vertices, around.vertices])
    return boundary_figure(machine, traces, shown, "m", ("x", "y", "z"))
