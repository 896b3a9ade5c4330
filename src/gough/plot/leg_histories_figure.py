"""Histories over time of all legs: forces, powers, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot.histories_figure import histories
from gough.present.units import file_unit, in_file_units
from gough.results import Labelled, Variable
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray


SAME = 1e-6
"""Histories that differ by less than this part of the largest value are drawn as one."""
TITLES = {
    "force": "force",
    "power": "power",
    "joint": "joint coordinate",
    "joint_rate": "joint rate",
    "joint_error": "joint error",
}


@checks_arguments
def leg_histories(
    machine: AnyMachine, result: xarray.Dataset | Labelled, quantities: Sequence[str] | None = None
) -> go.Figure:
    """Quantities of all legs over time, panel under panel, of two stages one for each.

    Parameters
    ----------
    machine : Machine
    result : xarray.Dataset
        From `gough.dynamics.motion_loads` or `gough.simulate`.
    quantities : sequence of str, optional
        Of "force", "power", "joint", "joint_rate", "joint_error"; force and power where not given, with the error of a
        simulation that follows a motion above them.

    Returns
    -------
    plotly.graph_objects.Figure
        Legs that do the same share a line; joints in the units of the machine's file.

    Raises
    ------
    InputError
        A quantity that the result does not have.

    """
    names = list(quantities or ([name for name in ("joint_error",) if name in result] + ["force", "power"]))
    unknown = [name for name in names if name not in TITLES or name not in result]
    if unknown:
        there = ", ".join(name for name in TITLES if name in result)
        raise InputError(f"no history of {unknown[0]!r}, there are {there}")
    panels = {}
    for name in names:
        for k, stage in enumerate(machine.stages):
            values, unit = _in_units(stage, result[name], k)
            panels[machine.by_stage([""] * k + [f"{_title(stage, name)} [{unit}]"])] = _curves(values, 6 * k)
    # By default Plotly omits the legend of a single curve.
    return histories(result["time"].to_numpy(), panels).update_layout(showlegend=True)


def _title(machine: Machine, name: str) -> str:
    return "torque" if name == "force" and machine.legs.joint == "angle" else TITLES[name]


def _curves(values: Array, first: int) -> dict[str, Array]:
    """One curve for all legs that do the same, by their numbers from the `first` on."""
    groups: list[list[int]] = []
    near = SAME * np.abs(values).max()
    for leg in range(6):
        same = (group for group in groups if np.abs(values[:, leg] - values[:, group[0]]).max() <= near)
        group = next(same, None)
        if group is None:
            groups.append([leg])
        else:
            group.append(leg)
    return {_name([first + leg for leg in group]): values[:, group[0]] for group in groups}


def _name(group: list[int]) -> str:
    if len(group) == 6:
        return f"legs {group[0] + 1} to {group[-1] + 1}"
    return f"leg{'s' if len(group) > 1 else ''} {', '.join(str(leg + 1) for leg in group)}"


def _in_units(stage: Machine, values: xarray.DataArray | Variable, k: int) -> tuple[Array, str]:
    """Values (n, 6) of joints of stage k in the units of its file, all others as they are."""
    unit = values.attrs["units"].split(" or ")[-k:][0]  # one for each stage where they differ
    return in_file_units(stage, values.to_numpy()[:, 6 * k : 6 * k + 6], unit), file_unit(stage, unit)
