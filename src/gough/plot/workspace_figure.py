"""Workspaces: the boundary at one orientation, that of the dexterous part in it, and the orientations at one position,
coloured by the limit that binds; and projections of a paving in all six coordinates."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.plot import _style as style
from gough.plot._boundary import boundary_figure, mark, shell, surfaces
from gough.plot._scene import up
from gough.poses import PoseLike
from gough.present.units import file_unit, in_file_units
from gough.regions.charts import CONE, ROTVEC
from gough.regions.measure import projected
from gough.regions.paving import INNER, UNKNOWN, Paving
from gough.stacked import AnyMachine
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.rays import orientation_workspace as orientation_workspace_of
from gough.workspaces.workspace import Workspace
from gough.workspaces.workspace import workspace as workspace_of

SAMPLES = 33
"""Columns along x and y of the figures of a workspace."""
XYZ = ("x", "y", "z")
PAIRS = ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))
"""Coordinates along the axes of each panel: positions, then orientations."""
SQUARES = 64
"""Squares along each axis of a panel."""
POSSIBLE, PROVEN = "not ruled out", "allowed, proven"


@checks_arguments
def workspace(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    result: Workspace | Mesh | Paving | None = None,
    side: Literal["all", "lower", "upper"] = "all",
) -> go.Figure:
    """Total, lower or upper envelope of the positions of the point of interest at one orientation.

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
        return _paving(machine, result)
    found = _mesh(machine, orientation, result)

    facing = {"all": None, "lower": -up(machine), "upper": up(machine)}[side]
    traces = surfaces(machine, found, "m", facing)
    traces += [_home(machine)] * (side == "all")
    return boundary_figure(machine, traces, found.vertices, "m", XYZ)


@checks_arguments
def dexterous_workspace(
    machine: AnyMachine, result: DexterousWorkspace | Mesh, *, whole: Workspace | Mesh | None = None
) -> go.Figure:
    """The positions that allow every orientation of a cone, by the limit that binds, in a shell of the workspace.

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
    part, around = result if isinstance(result, Mesh) else result.mesh(), _mesh(machine, None, whole)
    traces = [*surfaces(machine, part, "m"), shell(machine, around, "m", "one orientation"), _home(machine)]
    return boundary_figure(machine, traces, np.concatenate([part.vertices, around.vertices]), "m", XYZ)


@checks_arguments
def orientation_workspace(machine: AnyMachine, *, result: RayWorkspace | Mesh | None = None) -> go.Figure:
    """The allowed orientations at a fixed position of the point of interest, coloured by the limit that binds.

    Points are rotation vectors in base axes: each turns about the axis from the middle towards it, by the angle of its
    distance. Those that are connected with the middle are drawn.

    Parameters
    ----------
    machine : Machine
    result : RayWorkspace or Mesh, optional
        Of `gough.workspaces.orientation_workspace` at one position, or its `mesh()`; computed at home where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Axes in the angles of the machine's file.

    Raises
    ------
    InputError
        Rays of positions, or nothing to draw because no orientation is allowed.

    """
    found = orientation_workspace_of(machine) if result is None else result
    if isinstance(found, RayWorkspace) and not found.is_rotation:
        raise InputError(
            "the figure is of rotations, these rays are of positions; give what orientation_workspace found"
        )
    mesh = found if isinstance(found, Mesh) else found.mesh()

    traces = [*surfaces(machine, mesh, "rad"), mark(machine, np.zeros(3), "rad", "reference")]
    return boundary_figure(machine, traces, mesh.vertices, "rad", ("about x", "about y", "about z"))


def _mesh(machine: AnyMachine, orientation: PoseLike | None, result: Workspace | Mesh | None) -> Mesh:
    """Boundary of a workspace, which is computed for the figure where none is given."""
    if result is not None:
        return result if isinstance(result, Mesh) else result.mesh()
    return workspace_of(machine, orientation, samples=SAMPLES).mesh()


def _home(machine: AnyMachine) -> go.Scatter3d:
    return mark(machine, machine.home_point, "m", "home")


def _paving(machine: AnyMachine, paving: Paving) -> go.Figure:
    """Projections onto pairs of coordinates of the boxes that may hold allowed poses, and of those proven to.

    Colours are the measure of the boxes over each square that are not proven to be without allowed poses, relative to
    the largest; a square is framed where its middle lies under a box that is proven to hold allowed poses only.

    """
    names = _names(machine, paving)
    figure = make_subplots(rows=2, cols=3, horizontal_spacing=0.09, vertical_spacing=0.14)
    inner, unknown = paving.cells(INNER), paving.cells(UNKNOWN)
    for k, pair in enumerate(PAIRS):
        place = {"row": 1 + k // 3, "col": 1 + k % 3}
        edges, most = projected(paving.region, (inner, unknown), pair, SQUARES)
        where = f"{names[pair[0]]}: %{{x:.4g}}, {names[pair[1]]}: %{{y:.4g}}"
        x, y = (_middles(machine, ends, axis) for ends, axis in zip(edges, pair, strict=True))
        _, proven = projected(paving.region, (inner,), pair, SQUARES, edges)
        part = np.where(most > 0, most / max(most.max(), np.finfo(float).tiny), np.nan).T
        title, hover = f"{POSSIBLE}, part of the most", f"{where}<br>{POSSIBLE}: %{{z:.3g}} of the most"
        heat = style.heatmap(x, y, part, title, hover, zmin=0.0, zmax=1.0, showscale=k == 0)
        figure.add_trace(heat, **place)
        figure.add_trace(_proven(x, y, proven, where), **place)
        figure.update_xaxes(title=names[pair[0]], showgrid=False, zeroline=False, **place)
        figure.update_yaxes(title=names[pair[1]], showgrid=False, zeroline=False, **place)
    figure.update_layout(template=style.TEMPLATE, height=620, showlegend=False)
    return figure


def _proven(x: Array, y: Array, proven: Array, where: str) -> go.Scatter:
    """Frames around the squares whose middle is proven to be allowed."""
    j, i = np.nonzero(proven.T)
    return go.Scatter(
        x=x[i],
        y=y[j],
        mode="markers",
        marker={"symbol": "square-open", "size": 4, "color": style.ACCENT},
        hovertemplate=f"{where}<br>{PROVEN}<extra></extra>",
    )


def _names(machine: AnyMachine, paving: Paving) -> list[str]:
    """Titles of the six coordinates with their units."""
    chart = paving.region.chart
    turns = {ROTVEC: ("rotation about x", "about y", "about z"), CONE: ("tilt along a", "along b", "torsion")}.get(
        chart, tuple(f"{name} about {axis}" for name, axis in zip(("first", "second", "third"), chart, strict=False))
    )
    lengths = [f"{axis} [{file_unit(machine, 'm')}]" for axis in "xyz"]
    return [*lengths, *(f"{turn} [{file_unit(machine, 'rad')}]" for turn in turns)]


def _middles(machine: AnyMachine, edges: Array, axis: int) -> Array:
    return in_file_units(machine, (edges[1:] + edges[:-1]) / 2, "m" if axis < 3 else "rad")
