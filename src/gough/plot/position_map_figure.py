"""A quantity over a slice of the workspace, in colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.units import file_unit, in_file_units

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]


@checks_arguments
def position_map(
    machine: Machine,
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
    across = [axis for axis in "xyz" if result.sizes[axis] > 1]
    if len(across) != 2:
        raise InputError("a map is a slice: give x, y or z one place, and the other two several")
    length = machine.units.length
    flat = result.squeeze().transpose(across[1], across[0])
    figure = go.Figure(_colours(machine, flat, across, title, scale))
    for words, place in (marks or {}).items():
        mark = _mark(machine, words, np.asarray(place), across)
        look = {"bgcolor": style.TAG, "borderpad": 2, "font": {"size": 12, "color": style.INK}, "arrowwidth": 1}
        figure.add_trace(mark)
        figure.add_annotation(x=mark.x[0], y=mark.y[0], text=words, ax=24, ay=-28, arrowcolor=style.INK, **look)
    figure.update_xaxes(title=f"{across[0]} [{length}]", showgrid=False, zeroline=False, constrain="domain")
    figure.update_yaxes(
        title=f"{across[1]} [{length}]", showgrid=False, zeroline=False, scaleanchor="x", constrain="domain"
    )
    figure.update_layout(template=style.TEMPLATE, height=420, showlegend=False)
    return figure


def _colours(machine: Machine, flat: xarray.DataArray, across: list[str], title: str, scale: float) -> go.Heatmap:
    x, y = (in_file_units(machine, flat[axis].values, "m") for axis in across)
    unit = file_unit(machine, "m")
    where = f"{across[0]} %{{x:.5g}}, {across[1]} %{{y:.5g}} {unit}"
    return go.Heatmap(
        x=x,
        y=y,
        z=(flat.values / scale).astype(np.float32),
        colorscale=style.SCALE,
        colorbar=style.colour_bar(title),
        hoverongaps=False,
        hovertemplate=f"{where}<br>{title}: %{{z:.4g}}<extra></extra>",
    )


def _mark(machine: Machine, words: str, place: Array, across: list[str]) -> go.Scatter:
    x, y = (in_file_units(machine, [place["xyz".index(axis)]], "m") for axis in across)
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"symbol": "x-thin", "size": 11, "line": {"width": 3, "color": style.ACCENT}},
        hovertemplate=f"{words}<extra></extra>",
    )
