"""Quantities over a slice of the workspace as colours, and the singular surface of an orientation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go

import gough
from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, nearest
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._boundary import shell
from gough.plot._scene import compact_triangles, dots, in_space, line, machine_scene, span, titles_of_positions
from gough.poses import PoseLike, checked_matrices
from gough.present.units import in_file_units
from gough.results import Labelled, LabelledArray
from gough.singularity.distance import SingularDistance, singular_distance
from gough.singularity.free_regions import SingularityFreeProof
from gough.singularity.surface import SingularMesh, singular_mesh
from gough.singularity.surface import singular_surface as surface_of
from gough.stacked import AnyMachine
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import workspace

if TYPE_CHECKING:
    import xarray

    from gough.workspaces.position_maps import Places

Quantity = Literal["dexterity", "condition_number", "distance_to_singularity", "manipulability"]
TITLES = {
    "dexterity": "dexterity",
    "condition_number": "condition number",
    "distance_to_singularity": "distance to a singularity",
    "manipulability": "manipulability",
}
MAP_SAMPLES = 41


@checks_arguments
def position_map(
    machine: AnyMachine,
    result: xarray.DataArray,
    title: str,
    *,
    scale: float = 1.0,
    marks: dict[str, Array] | None = None,
) -> go.Figure:
    """Plot a quantity over positions, as colours in the plane of the two axes that have more than one place.

    Parameters
    ----------
    machine : Machine
    result : xarray.DataArray
        Over x, y and z [m], one of which has one place: a variable of `gough.workspaces.map_over_positions` and its
        relatives.
    title : str
        Of the colour bar: the quantity with its unit.
    scale : float
        Size in SI of that unit.
    marks : mapping of words to (3,) arrays, optional
        Positions [m] to point out: they are marked where they project onto the slice.

    Returns
    -------
    plotly.graph_objects.Figure
        Both axes to one scale, blank where no pose is allowed.

    Raises
    ------
    InputError
        A result that is not a slice over x, y and z.

    """
    if set(result.dims) != {"x", "y", "z"}:
        raise InputError(
            f"result over {', '.join(map(str, result.dims))}: a map needs x, y and z only; select one value of "
            "the other dimensions"
        )
    axes, values = [result[axis].values for axis in "xyz"], result.transpose(*"xyz").values
    return slice_figure(machine, axes, values, title, scale=scale, marks=marks)


def slice_through(point: Array, across: Literal["x", "y", "z"], samples: int) -> Places:
    """Return keywords of a map over the slice through a point (3,) square to an axis, as `map_over_positions` takes
    them."""
    x, y, z = (float(point[k]) if axis == across else None for k, axis in enumerate("xyz"))
    return {"x": x, "y": y, "z": z, "samples": samples}


def slice_figure(
    machine: AnyMachine,
    axes: Sequence[Array],
    values: Array,
    title: str,
    *,
    scale: float = 1.0,
    marks: dict[str, Array] | None = None,
) -> go.Figure:
    """`position_map` of values (nx, ny, nz) at places along x, y and z [m]."""
    across = [k for k, places in enumerate(axes) if len(places) > 1]
    if len(across) != 2:
        raise InputError("a map is a slice: expected one value of x, y or z, and several of the other two")
    length, names = machine.units.length, ["xyz"[k] for k in across]
    right, upward = (in_file_units(machine, axes[k], "m") for k in across)
    hover = f"{names[0]} %{{x:.5g}}, {names[1]} %{{y:.5g}} {length}<br>{title}: %{{z:.4g}}"
    heat = style.heatmap(right, upward, values.squeeze().T / scale, title, hover)
    figure = style.figure([heat], height=420, showlegend=False)
    for words, place in (marks or {}).items():
        x, y = in_file_units(machine, np.asarray(place)[across], "m")[:, None]
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers",
            marker={"symbol": "x-thin", "size": 11, "line": {"width": 3, "color": style.ACCENT}},
            hovertemplate=f"{words}<extra></extra>",
        )
        look = {"bgcolor": style.TAG, "borderpad": 2, "font": {"size": 12, "color": style.INK}, "arrowwidth": 1}
        figure.add_annotation(x=x[0], y=y[0], text=words, ax=24, ay=-28, arrowcolor=style.INK, **look)
    bare = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(title=f"{names[0]} [{length}]", **bare)
    figure.update_yaxes(title=f"{names[1]} [{length}]", scaleanchor="x", **bare)
    return figure


@checks_arguments
def conditioning_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    quantity: Quantity = "dexterity",
    *,
    across: Literal["x", "y", "z"] = "y",
    result: xarray.Dataset | Labelled | None = None,
) -> go.Figure:
    """Plot a measure of conditioning as colours, over the slice of the workspace through home.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose that gives the rotation, and the point of interest through which the slice is taken; home by default.
    quantity : str
        "dexterity" (one over the condition number), "condition_number", "distance_to_singularity", "manipulability".
    across : {"x", "y", "z"}
        The axis that the slice is square to.
    result : xarray.Dataset, optional
        Result of `gough.singularity.conditioning_map` over a slice; default: computed.

    Returns
    -------
    plotly.graph_objects.Figure
        Blank where no pose is allowed.

    Raises
    ------
    InputError
        No such quantity.

    """
    if quantity not in TITLES:
        raise InputError(f"no quantity {quantity!r}.{nearest(quantity, TITLES)} There are {', '.join(TITLES)}")
    pose = machine.end_home if orientation is None else checked_matrices(orientation)
    title = TITLES[quantity]
    found = conditioning_slice(machine, pose, across) if result is None else result
    values, marks = found[quantity], {"home" if orientation is None else "pose": _point(machine, pose)}
    unit = values.attrs.get("units", "1")
    title += "" if unit == "1" else f" [{unit}]"
    if not isinstance(values, LabelledArray):  # of an xarray.Dataset, whose axes may be in any order
        return position_map(machine, values, title, marks=marks)
    return slice_figure(machine, [found[axis].values for axis in "xyz"], values.values, title, marks=marks)


def conditioning_slice(machine: AnyMachine, pose: Array, across: Literal["x", "y", "z"] = "y") -> Labelled:
    """Return arrays of `gough.singularity.conditioning_map` over the slice of the workspace through a pose (4, 4),
    square to an axis."""
    places = slice_through(_point(machine, pose), across, MAP_SAMPLES)
    return gough.singularity.conditioning_map.labelled(machine, pose, **places)


def _point(machine: AnyMachine, pose: Array) -> Array:
    """Position (3,) of the point of interest [m]."""
    return np.asarray(pose[:3, :3] @ machine.point_of_interest + pose[:3, 3])


WORKSPACE_COLUMNS = 13
"""Columns along x and y of the body that the limits allow."""
BEYOND = 0.15
"""Padding of the picture on each side, as a part of its extent."""
FAR = 2.0
"""The nearest singular position is drawn if it is no farther than this many extents of the workspace."""
WITHOUT = 0.35
"""Half the extent of the picture, as a part of the machine's size, where no limit ends the workspace."""


@checks_arguments
def singular_surface(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    result: SingularityFreeProof | None = None,
    distance: SingularDistance | None = None,
    cells: int = 24,
) -> go.Figure:
    """Draw the singular surface and the positions of the point of interest that all other limits allow.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose: its orientation, and where distance is counted from; default: home.
    result : SingularityFreeProof, optional
        Result of `gough.singularity.free_of_singularities`: its witness is marked.
    distance : SingularDistance, optional
        Result of `gough.singularity.singular_distance`; default: computed.
    cells : int
        Of the grid along the picture's longest side.

    Returns
    -------
    plotly.graph_objects.Figure
        The body that the limits allow (grey), the singular surface (coloured), the pose and its nearest singular one.

    Raises
    ------
    InputError
        A leg cannot close at the pose.

    """
    pose = machine.X_home if orientation is None else checked_matrices(orientation)
    # The surface is one of the platform's origin; what is drawn are positions of the point of interest.
    offset = pose[:3, :3] @ machine.point_of_interest
    near = singular_distance(machine, pose) if distance is None else distance
    body = _body(machine, pose)
    low, high = _shown(machine, pose[:3, 3] + offset, np.empty((0, 3)) if body is None else body.vertices, near)
    pad = BEYOND * (high - low).max()
    mesh = _surface(machine, pose, (low - offset - pad, high - offset + pad), near.position - offset, cells)
    figure = go.Figure()
    if body is not None:
        grey = {"color": style.CYLINDER, "opacity": 0.3}
        figure.add_trace(shell(machine, body, "m", "what the limits allow").update(grey))
    if len(mesh.triangles):
        figure.add_trace(_surface_trace(machine, mesh.vertices + offset, mesh.triangles))
    _mark_places(figure, machine, ("home" if orientation is None else "pose", pose[:3, 3] + offset), near, result)
    limits = np.stack([low - pad, high + pad]) / machine.units.metres
    box = machine_scene(machine, titles_of_positions(machine), span(limits, 0.0))
    return in_space(figure.data, height=520, scene=box)


def _body(machine: Machine, pose: Array) -> Mesh | None:
    """Positions that all limits but the one for singularities allow; None where these are none, or have no end."""
    try:
        found = workspace(machine, pose, samples=WORKSPACE_COLUMNS, ignore=("singularity",))
    except InputError:
        return None
    return None if found.is_empty else found.mesh()


def _surface(machine: Machine, pose: Array, box: tuple[Array, Array], near: Array, cells: int) -> SingularMesh:
    """Mesh of the surface in a box; if the grid finds none there, on a finer grid around its nearest point."""
    surface = surface_of(machine, pose)
    mesh = singular_mesh(surface, *box, cells=cells)
    if len(mesh.triangles) or mesh.is_everywhere or not np.isfinite(near).all():
        return mesh
    half = 0.1 * (box[1] - box[0]).max()
    return singular_mesh(surface, near - half, near + half, cells=cells)


def _shown(machine: Machine, point: Array, body: Array, near: SingularDistance) -> tuple[Array, Array]:
    """Corners of the picture: around the workspace and the pose, and the nearest singular position if it is near."""
    points = (
        np.concatenate([body, point[None]]) if len(body) else point + WITHOUT * machine.size * np.array([[-1], [1]])
    )
    extent = float(np.ptp(points, axis=0).max())
    if near.upper < FAR * extent:
        points = np.concatenate([points, near.position[None]])
    return points.min(axis=0), points.max(axis=0)


def _surface_trace(machine: Machine, vertices: Array, faces: Ints) -> go.Mesh3d:
    words = "singular surface"
    return compact_triangles(
        vertices / machine.units.metres,
        faces,
        color=style.ACCENT,
        opacity=0.45,
        name=words,
        showlegend=True,
        lighting={"ambient": 0.55, "diffuse": 0.7, "specular": 0.1, "roughness": 0.8},
        hovertemplate=_hover(machine, words),
    )


def _hover(machine: Machine, words: str) -> str:
    """Label of a point: what it is, and its coordinates."""
    return f"{words}<br>%{{x:.5g}}, %{{y:.5g}}, %{{z:.5g}} {machine.units.length}<extra></extra>"


def _mark_places(
    figure: go.Figure,
    machine: Machine,
    start: tuple[str, Array],
    near: SingularDistance,
    proof: SingularityFreeProof | None,
) -> None:
    """The pose, the nearest singular one with a line to it, and a singular pose within the limits."""
    name, point = start
    marks = [(name, point, style.INK)]
    if np.isfinite(near.upper):
        ends = np.stack([point, near.position]) / machine.units.metres
        figure.add_trace(line(ends, style.INK, 3).update(line_dash="dash"))
        marks.append(("nearest singular", near.position, style.ACCENT))
    if proof is not None and proof.witness_point is not None:
        marks.append(("singular within the limits", proof.witness_point, style.ACCENT))
    for words, place, colour in marks:
        point = place[None] / machine.units.metres
        figure.add_trace(dots(point, colour, 5, name=words, hovertemplate=_hover(machine, words)))
