"""The lower envelope of the workspace at one orientation."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.plot._boundary import STEEP, boundary_figure, surfaces
from gough.plot.machine_figure import up
from gough.plot.workspace_figure import workspace_mesh
from gough.poses import PoseLike
from gough.workspaces.mesh import Mesh


@checks_arguments
def workspace_lower(machine: Machine, orientation: PoseLike | None = None, *, mesh: Mesh | None = None) -> go.Figure:
    """Lower envelope: the part of the workspace's boundary that faces downward as gravity has it.

    The parameters and the axes are those of `gough.plot.workspace`.
    """
    found = workspace_mesh(machine, orientation) if mesh is None else mesh
    normals = found.normals
    rise = normals @ up(machine) / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    traces = surfaces(machine, found, "m", rise < STEEP)
    return boundary_figure(machine, traces, found.vertices, "m", ("x", "y", "z"))
