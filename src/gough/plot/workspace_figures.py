"""Workspaces and ranges of motion: boundaries by the limit that binds, sections of two stages, and corners."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.plot import _style as style
from gough.plot._boundary import boundary_figure, mark, shell, surfaces
from gough.plot._scene import GAP, dots, in_space, line, scene, span, triangles, up
from gough.poses import PoseLike
from gough.present.units import decimals, file_unit, in_file_units
from gough.regions.cells import projected
from gough.regions.charts import CONE, ROTVEC
from gough.regions.corners import EDGES, Corners
from gough.regions.corners import corners as corners_of
from gough.regions.paving import INNER, UNKNOWN, Paving
from gough.stacked import AnyMachine, StackedMachine
from gough.stages.workspace_gain import PositionColumns, WorkspaceGain
from gough.stages.workspace_gain import workspace_gain as gain_of
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.ray_workspace import orientation_workspace as orientation_workspace_of
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
    """Draw the total, lower or upper envelope of the positions of the point of interest at one orientation.

    Parameters
    ----------
    machine : Machine
        For a stack as in `gough.workspace`: with the machine's `share`.
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.
    result : Workspace, Mesh or Paving, optional
        Result of `gough.workspace`, or its `mesh()` if used repeatedly; default: computed. For a paving
        by `gough.workspace_volume_6d`, pairs of its six coordinates are drawn, with proven allowed poses.
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
    """Draw the positions that allow every orientation of a cone, coloured by the limit that binds, in a shell of the
    workspace.

    Parameters
    ----------
    machine : Machine
    result : DexterousWorkspace or Mesh
        Result of `gough.workspaces.dexterous_workspace`, or its `mesh()`.
    whole : Workspace or Mesh, optional
        Result of `gough.workspace`, or its `mesh()`; default: at home's orientation.

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
    """Draw the allowed orientations at a fixed position of the point of interest, coloured by the limit that binds.

    Points are rotation vectors in base axes: each turns about the axis from the middle towards it, by the angle of its
    distance. Those that are connected with the middle are drawn.

    Parameters
    ----------
    machine : Machine
    result : RayWorkspace or Mesh, optional
        Result of `gough.workspaces.orientation_workspace` at one position, or its `mesh()`; default: computed at home.

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
        raise InputError("expected a result of orientation_workspace, got rays of positions")
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
    grid = {"horizontal_spacing": 0.09, "vertical_spacing": 0.14}
    figure = style.panels(2, 3, 620, grid=grid, showlegend=False)
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


LINES = (
    ("both stages", style.CYLINDER, "solid", "rgba(148, 163, 184, 0.35)"),
    ("lower stage alone", style.AXES[2], "solid", "rgba(37, 99, 201, 0.25)"),
    ("upper stage alone", style.ACCENT, "dash", "rgba(0, 0, 0, 0)"),
)
"""Name, colour, dash and filling of each workspace, the largest first."""


@checks_arguments
def workspace_gain(machine: StackedMachine, result: WorkspaceGain | None = None) -> go.Figure:
    """Draw the section through home, across y, of the reach of the end platform's point of interest at home's
    orientation.

    Parameters
    ----------
    machine : StackedMachine
    result : WorkspaceGain, optional
        Result of `gough.stages.workspace_gain`; default: computed.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on its axes, in the unit of the machine's file.

    Raises
    ------
    InputError
        The legs of a stage have no largest length, or its home is not allowed.

    """
    found = gain_of(machine) if result is None else result
    metres, unit = machine.units.metres, machine.units.length
    home = machine.home_point
    lower, upper, both = found.sections
    figure = style.figure([], height=520)
    for (name, colour, dash, filling), columns in zip(LINES, (both, lower, upper), strict=True):
        x, z = _outline(columns)
        line = {"color": colour, "width": 2, "dash": dash}
        figure.add_scatter(
            x=(x + home[0]) / metres, y=(z + home[2]) / metres, name=name, mode="lines", line=line,
            fill="toself", fillcolor=filling, hoverinfo="skip",
        )  # fmt: skip
    mark = {"color": style.INK, "size": 9, "symbol": "cross-thin", "line": {"width": 2}}
    figure.add_scatter(x=[home[0] / metres], y=[home[2] / metres], name="home", mode="markers", marker=mark)
    # The range of x around home, so that home is in the middle; z follows by the equal scale.
    middle, reach = home[0] / metres, 1.05 * float(np.nanmax(np.abs(_outline(both)[0]))) / metres
    figure.update_xaxes(title=f"x [{unit}]", constrain="domain", range=[middle - reach, middle + reach])
    figure.update_yaxes(title=f"z [{unit}]", scaleanchor="x")
    return figure


def _outline(columns: PositionColumns) -> tuple[Array, Array]:
    """Closed outlines (x, z) of a section, separated by NaN: along the lower ends of intervals, back along the upper
    ones."""
    x, intervals = columns.x, columns.ends[:, 0]
    # A run is a chain of overlapping intervals in neighbouring columns, as (x, low, high). An interval continues the
    # first open run that it overlaps; runs that no interval of the next column continues are closed.
    runs: list[list[tuple[float, float, float]]] = []
    open_runs: list[list[tuple[float, float, float]]] = []
    for place, column in zip(x.tolist(), intervals, strict=True):
        here = [(place, float(low), float(high)) for low, high in column if np.isfinite(low)]
        following: list[list[tuple[float, float, float]]] = []
        for part in here:
            before = next((run for run in open_runs if run[-1][1] <= part[2] and part[1] <= run[-1][2]), None)
            if before is None:
                before = []
                runs.append(before)
            else:
                open_runs.remove(before)
            before.append(part)
            following.append(before)
        open_runs = following
    points: list[tuple[float, float]] = []
    for run in runs:
        up, down = [(p, low) for p, low, _ in run], [(p, high) for p, _, high in reversed(run)]
        points += [*up, *down, up[0], (np.nan, np.nan)]
    array = np.array(points)
    return array[:, 0], array[:, 1]


FACES = ((0, 1, 2, 3), (0, 3, 4, 5), (0, 5, 6, 1), (7, 2, 3, 4), (7, 4, 5, 6), (7, 6, 1, 2))
"""Corners around each of the six sides, counted from 0."""


@checks_arguments
def corners(
    machine: AnyMachine, kind: Literal["translation", "rotation"] = "translation", *, result: Corners | None = None
) -> go.Figure:
    """Draw corners 1..8 of the volume that pure translations (or rotations) from home reach, with its edges.

    Parameters
    ----------
    machine : Machine
    kind : {"translation", "rotation"}
        What the three axes are: displacements x, y, z, or angles rx, ry, rz.
    result : Corners, optional
        Result of `gough.regions.corners`; default: computed.

    Returns
    -------
    plotly.graph_objects.Figure
        Equal scales on the axes. Edges are straight lines between corners, which approximate those of the volume.
        Corners that are NaN are omitted with their edges.

    Raises
    ------
    InputError
        Another `kind`.

    """
    si_unit, names = ("m", "xyz") if kind == "translation" else ("rad", ("rx", "ry", "rz"))
    result = corners_of(machine, kind) if result is None else result
    points = in_file_units(machine, result.points, si_unit)
    points[~np.isfinite(points).all(axis=1)] = np.nan
    unit, digits = file_unit(machine, si_unit), decimals(machine, si_unit)
    faces = np.array([triangle for a, b, c, d in FACES for triangle in ((a, b, c), (a, c, d))])
    edges = np.array([row for a, b in EDGES for row in (points[a], points[b], GAP)])
    traces = [
        triangles(points, faces, color=style.ACCENT, opacity=0.16, flatshading=True, hoverinfo="skip"),
        line(edges, style.CYLINDER, 4),
        _marks(points, result, digits, unit),
        dots(np.zeros((1, 3)), style.INK, 3, hovertemplate="home<extra></extra>"),
    ]
    box = scene([f"{name} [{unit}]" for name in names], span(np.vstack([points, np.zeros(3)]), 0.08))
    return in_space(traces, height=400, showlegend=False, scene=box)


def _marks(points: Array, result: Corners, digits: int, unit: str) -> go.Scatter3d:
    """Numbered corners, with their places and the limits that end the range there."""
    shown = [
        f"corner {k + 1}<br>({', '.join(f'{value:.{digits}f}' for value in point)}) {unit}<br>{result.binding[k]}"
        for k, point in enumerate(points)
    ]
    return dots(
        points,
        style.ACCENT,
        4,
        mode="markers+text",
        text=[f"<b>{k + 1}</b>" for k in range(8)],
        textposition="top center",
        textfont={"size": 14, "color": style.INK},
        customdata=shown,
        hovertemplate="%{customdata}<extra></extra>",
    )
