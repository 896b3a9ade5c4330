"""Quantities over a slice of the workspace, as colours: any, and measures of conditioning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go

import gough
from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, nearest
from gough.plot import _style as style
from gough.poses import PoseLike, checked_matrices
from gough.present.units import in_file_units
from gough.results import Labelled, Variable
from gough.stacked import AnyMachine

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
SAMPLES = 41


@checks_arguments
def position_map(
    machine: AnyMachine,
    result: xarray.DataArray,
    title: str,
    *,
    scale: float = 1.0,
    marks: dict[str, Array] | None = None,
) -> go.Figure:
    """A quantity over positions, as colours in the plane of its two axes that have more than one place.

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
        A result that is no slice over x, y and z.

    """
    if set(result.dims) != {"x", "y", "z"}:
        raise InputError(
            f"result over {', '.join(map(str, result.dims))}: a map needs x, y and z alone; select the rest"
        )
    axes, values = [result[axis].values for axis in "xyz"], result.transpose(*"xyz").values
    return slice_figure(machine, axes, values, title, scale=scale, marks=marks)


def slice_through(point: Array, across: Literal["x", "y", "z"], samples: int) -> Places:
    """Keywords of a map over the slice through a point (3,) square to an axis, as `map_over_positions` takes them."""
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
        raise InputError("a map is a slice: give x, y or z one place, and the other two several")
    length, names = machine.units.length, ["xyz"[k] for k in across]
    right, upward = (in_file_units(machine, axes[k], "m") for k in across)
    hover = f"{names[0]} %{{x:.5g}}, {names[1]} %{{y:.5g}} {length}<br>{title}: %{{z:.4g}}"
    figure = go.Figure(style.heatmap(right, upward, values.squeeze().T / scale, title, hover))
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
    figure.update_layout(template=style.TEMPLATE, height=420, showlegend=False)
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
    """A measure of conditioning in colours, over the slice of the workspace through home.

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
        Of `gough.singularity.conditioning_map` over a slice; computed where not given.

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
    if not isinstance(values, Variable):  # of an xarray.Dataset, whose axes may be in any order
        return position_map(machine, values, title, marks=marks)
    return slice_figure(machine, [found[axis].values for axis in "xyz"], values.values, title, marks=marks)


def conditioning_slice(machine: AnyMachine, pose: Array, across: Literal["x", "y", "z"] = "y") -> Labelled:
    """Arrays of `gough.singularity.conditioning_map` over the slice of the workspace through a pose (4, 4), square to
    an axis."""
    places = slice_through(_point(machine, pose), across, SAMPLES)
    return gough.singularity.conditioning_map.labelled(machine, pose, **places)


def _point(machine: AnyMachine, pose: Array) -> Array:
    """Position (3,) of the point of interest [m]."""
    return np.asarray(pose[:3, :3] @ machine.point_of_interest + pose[:3, 3])
