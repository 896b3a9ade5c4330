"""Conditioning over a slice of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go

import gough
from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, nearest
from gough.plot.position_map_figure import position_map, slice_figure, slice_through
from gough.poses import PoseLike, checked_matrices
from gough.results import Labelled, Variable
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray

Quantity = Literal["dexterity", "condition_number", "distance_to_singularity", "manipulability"]
TITLES = {
    "dexterity": "dexterity",
    "condition_number": "condition number",
    "distance_to_singularity": "distance to a singularity",
    "manipulability": "manipulability",
}
SAMPLES = 41


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
        A pose whose rotation is kept and through whose point of interest the slice goes; home where none is given.
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
    """Arrays of `gough.singularity.conditioning_map` over the slice of the workspace that goes through a pose (4, 4)
    square to an axis."""
    places = slice_through(_point(machine, pose), across, SAMPLES)
    return gough.singularity.conditioning_map.labelled(machine, pose, **places)


def _point(machine: AnyMachine, pose: Array) -> Array:
    """Position (3,) of the point of interest [m]."""
    return np.asarray(pose[:3, :3] @ machine.point_of_interest + pose[:3, 3])
