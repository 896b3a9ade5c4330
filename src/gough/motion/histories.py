"""What the machine does along paths and motions: legs, tool and forces, as xarray data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.histories import leg_columns, platform_columns
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.heads.forces import head_dynamics
from gough.motion.heads.motion import margins_along
from gough.motion.paths.path import Path
from gough.motion.planned_path import PlannedPath
from gough.motion.timing.timed_path import TimedPath
from gough.present.answer import AXES

if TYPE_CHECKING:
    import xarray


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
    s = np.linspace(*path.span, SAMPLES) if at is None else np.asarray(at, dtype=float)
    if isinstance(path, Path) and path.PARAMETER == "s":
        return _of_legs(machine, path(s), s, None, over="s", per="/s_path")
    return _of_legs(machine, path(s), s, None)


def _of_legs(
    machine: Machine,
    states: tuple[Array, Array, Array],
    s: Array,
    force: Array | None,
    over: str = "time",
    per: str = "/s",
) -> xarray.Dataset:
    import xarray

    return xarray.Dataset(
        platform_columns(machine, states, over, per) | leg_columns(machine, states, force, over, per),
        coords={
            over: (over, s, {"units": "s" if over == "time" else "path parameter"}),
            "leg": np.arange(1, 7),
            "component": list(AXES),
        },
        attrs={"machine": machine.name},
    )


@checks_arguments
def path_history(motion: TimedPath, times: ArrayLike | None = None, *, samples: int = 2001) -> xarray.Dataset:
    """What the machine does over time on a timed plan.

    Parameters
    ----------
    motion : TimedPath
        Of a `PlannedPath`, as from `gough.motion.time_path`.
    times : (n,) array, optional
        [s]; where not given, `samples` evenly spread, and the corners.
    samples : int
        Times, corners apart; at least 2.

    Returns
    -------
    xarray.Dataset
        As from `gough.motion.leg_motion`, with `tip` in the base [m], `number` of the line or segment, `is_rapid`,
        `s`, `margin`, the smallest relative one, `allowed`; `head_joint` where a tool head moves along; for machines
        with masses `force` and `power` of the actuators, and `head_effort` of the head's drives.

    Raises
    ------
    InputError
        The motion is of another path than a plan, or fewer than 2 samples.

    """
    plan = motion.path
    if not isinstance(plan, PlannedPath):
        raise InputError("motion: its path is no plan; gough.motion.leg_motion shows the legs along any path")
    check_samples(samples)
    t = np.union1d(np.linspace(*motion.span, samples), motion.breaks) if times is None else np.asarray(times, float)
    states, s = motion(t), motion.parameter(t)
    force, beside = _forces(plan, motion, states, t)
    relative = margins_along(plan.machine, states[0], plan.head, s).relative
    least = np.where(np.isnan(relative), np.inf, relative).min(axis=1)
    segment = plan.segment_at(s)
    data = _of_legs(plan.machine, states, t, force).assign(
        tip=(("time", "axis"), plan.tip(states[0], s), {"units": "m"}),
        number=("time", plan.number[segment]),
        is_rapid=("time", plan.is_rapid[segment]),
        s=("time", s, {"units": "path parameter"}),
        margin=("time", least, {"units": "1", "long_name": "smallest margin, as part of its limit's scale"}),
        allowed=("time", least >= 0),
    )
    return data.assign(beside).assign_coords(axis=list("xyz")).assign_attrs(source=plan.where, duration=motion.duration)


def check_samples(samples: int) -> None:
    """Raise InputError if a history has fewer samples than a begin and an end."""
    if samples < 2:
        raise InputError(f"samples {samples}: a history needs at least 2, the motion's begin and end")


def _forces(
    plan: PlannedPath, motion: TimedPath, states: tuple[Array, Array, Array], t: Array
) -> tuple[Array | None, dict[str, tuple[tuple[str, str], Array, dict[str, str]]]]:
    """Actuator forces (n, 6), None for a machine without masses, and what the plan's head does, if it has one."""
    has_masses = plan.machine.platform is not None
    if plan.head is None:
        return inverse_dynamics(plan.machine, *states) if has_masses else None, {}
    joints = plan.head.along(motion.schedule)(t)
    beside = {"head_joint": (("time", "head"), joints[0], {"units": "rad or m"})}
    if not has_masses:
        return None, beside
    found = head_dynamics(plan.machine, *states, *joints)
    return found.force, beside | {"head_effort": (("time", "head"), found.effort, {"units": "N m or N"})}
