"""Map of the ambiguity at power-up: positions at which several assembly modes are within limits."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

import numpy as np

from gough.arrays import Array
from gough.assembly.assembly_modes import AssemblyModes, assembly_modes
from gough.checks.arguments import checks_arguments
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.poses import PoseLike
from gough.results import Labelled, returns_dataset
from gough.workspaces.position_maps import Grid, Variables, map_over_positions


@returns_dataset
@checks_arguments
def assembly_mode_count_map(
    machine: Machine,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Count the poses that share the joint coordinates of each allowed position at one orientation.

    Where `modes_within_limits` is more than one, a machine that knows only its joint coordinates, as after power-up,
    cannot tell in which of these poses it is.

    Parameters
    ----------
    machine : Machine
    orientation, **grid
        See `gough.workspaces.map_over_positions`; `samples` are 7. Each position takes some milliseconds.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where the position is not allowed: `modes`, all real poses; `modes_within_limits`;
        `nearest_other`, the shift of the platform's centre to the nearest other allowed mode [m], NaN where there is
        none; `complete`, whether the evidence is that all modes were found.

    """
    grid.setdefault("samples", 7)
    return map_over_positions.labelled(machine, partial(_of_poses, machine), orientation, **grid, chunk=CHUNK)


CHUNK = 64
"""Poses between two reports of progress."""
SAME = 1e-6
"""Poses closer than this, in machine sizes and rad, are the mapped pose itself."""
FLAG: dict[str, Any] = {"flag_values": np.array([0.0, 1.0]), "flag_meanings": "no yes"}
"""Attributes of a variable of yes and no (Climate and Forecast conventions, section 3.5)."""


def _of_poses(machine: Machine, X: Array) -> Variables:
    found = assembly_modes(machine, inverse_kinematics(machine, X).reshape(-1, 6)) if len(X) else ()
    assert isinstance(found, tuple)
    counts = np.array([[len(modes), modes.within_limits.sum(), modes.complete] for modes in found], dtype=float)
    counts = counts.reshape(-1, 3)
    nearest = np.array([_nearest_other(machine, modes, pose) for modes, pose in zip(found, X, strict=True)])
    return {
        "modes": ((), counts[:, 0], {"long_name": "poses with the same joint coordinates"}),
        "modes_within_limits": ((), counts[:, 1], {"long_name": "allowed poses with the same joint coordinates"}),
        "nearest_other": ((), nearest, {"units": "m", "long_name": "shift to the nearest other allowed mode"}),
        "complete": ((), counts[:, 2], {"long_name": "whether all modes were found", **FLAG}),
    }


def _nearest_other(machine: Machine, modes: AssemblyModes, X: Array) -> float:
    """Shift of the platform's centre from X (4, 4) to the nearest other allowed mode [m], NaN where there is none."""
    others = modes.matrix[modes.within_limits]
    apart = np.linalg.norm(((others - X) @ np.array([*machine.platform_centre, 1.0]))[:, :3], axis=1)
    turned = np.abs(others - X)[:, :3, :3].max(axis=(1, 2), initial=0.0)
    apart = apart[(apart > SAME * machine.size) | (turned > SAME)]
    return float(apart.min()) if len(apart) else np.nan
