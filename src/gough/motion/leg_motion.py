"""Leg displacements, rates and accelerations along paths and motions, as an xarray data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.histories import COMPONENTS
from gough.dynamics.motions import Motion
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import joint_accelerations, joint_rates
from gough.machine import Machine
from gough.motion.paths.path import Path

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

SAMPLES = 301
"""Places looked at where the caller names none."""


@checks_arguments
def leg_motion(machine: Machine, path: Path | Motion, at: ArrayLike | None = None) -> xarray.Dataset:
    """What the legs do along a path or a motion: the inverse Jacobian (De Sapio 1998) and its rate.

    Parameters
    ----------
    machine : Machine
    path : Path or Motion
        A path over its parameter s, or a motion over time.
    at : (n,) array, optional
        Parameters, or times [s]; evenly spread where not given.

    Returns
    -------
    xarray.Dataset
        Over `s` or `time`: pose (row, column), twist, acceleration (component), joint, joint_rate, joint_acceleration
        (leg, counted from 1), each with its unit; per s for a path. NaN where a leg cannot close.

    """
    import xarray

    s = np.linspace(*path.span, SAMPLES) if at is None else np.asarray(at, dtype=float)
    X, V, A = path(s)
    over, per = ("s", "/s_path") if isinstance(path, Path) else ("time", "/s")
    leg, component, unit = (over, "leg"), (over, "component"), machine.legs.joint_unit
    return xarray.Dataset(
        {
            "pose": ((over, "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
            "twist": (component, V, {"units": f"m{per}, rad{per}"}),
            "acceleration": (component, A, {"units": f"m{per}2, rad{per}2"}),
            "joint": (leg, inverse_kinematics(machine, X), {"units": unit}),
            "joint_rate": (leg, joint_rates(machine, X, V), {"units": f"{unit}{per}"}),
            "joint_acceleration": (leg, joint_accelerations(machine, X, V, A), {"units": f"{unit}{per}2"}),
        },
        coords={
            over: (over, s, {"units": "s" if over == "time" else "path parameter"}),
            "leg": np.arange(1, 7),
            "component": list(COMPONENTS),
        },
        attrs={"machine": machine.name},
    )
