"""The orientation workspace at a fixed position, in rotation vectors."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from scipy.spatial.transform import Rotation

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import poses_at
from gough.machine import Machine
from gough.plot._boundary import boundary_figure, mark, surfaces
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.rays import orientation_workspace as orientation_workspace_of


@checks_arguments
def orientation_workspace(machine: Machine, *, result: RayWorkspace | None = None) -> go.Figure:
    """How the platform can turn about the point of interest at a fixed position, coloured by what binds.

    Each point is a turn about the axis from the middle towards it, in base axes, by the angle of its distance.

    Parameters
    ----------
    machine : Machine
    result : RayWorkspace, optional
        Of `gough.workspaces.orientation_workspace` at one position; computed at home where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Axes in the angles of the machine's file.

    Raises
    ------
    InputError
        Rays of positions, or nothing to draw because no orientation is allowed.

    """
    body = orientation_workspace_of(machine) if result is None else result
    if not body.is_rotation:
        raise InputError(
            "the figure is of rotations, these rays are of positions; give what orientation_workspace found"
        )
    mesh = body.mesh()

    def pose_of(turns: Array) -> Array:
        R = Rotation.from_rotvec(turns).as_matrix() @ body.middle[:3, :3]
        return poses_at(machine, R, np.broadcast_to(body.centre, turns.shape))

    traces = [
        *surfaces(machine, mesh, "rad", pose_of=pose_of),
        mark(machine, np.zeros(3), "rad", "reference orientation"),
    ]
    return boundary_figure(machine, traces, mesh.vertices, "rad", ("about x", "about y", "about z"))
