"""Forces and powers along a motion of platform and tool head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.histories import COMPONENTS, SAMPLES, peaks
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import joint_rates
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of, tip_matrices
from gough.motion.heads.newton_euler import HeadDynamics, head_dynamics
from gough.motion.heads.spline import HeadMotion

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]


@checks_arguments
def head_loads(
    machine: Machine,
    motion: Motion,
    head: HeadMotion | ArrayLike,
    times: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
) -> xarray.Dataset:
    """Forces and powers of the legs' and the head's drives along a motion of platform and head.

    Parameters
    ----------
    machine : Machine
        With a head, and with masses.
    motion : Motion
        Of the platform.
    head : HeadMotion or (n,) array
        Of its joints, such as `gough.motion.heads.HeadSpline`; or where the head is held.
    times : (k,) array, optional
        [s]; evenly spread over the motion's span where not given.
    wrench : (..., 6) array, optional
        Applied to the tool at its tip, in the base frame [N, N m].

    Returns
    -------
    xarray.Dataset
        Over `time`: pose, tip_pose, tip, twist, acceleration, joint, joint_rate, force, power (leg), head_joint,
        head_rate, head_effort, head_power (head), margin (limit, the head's among them); attributes as those of
        `gough.dynamics.motion_loads`. The inertial forces of the moving head are in all of them.

    Raises
    ------
    InputError
        A leg cannot close, or the machine is singular, somewhere on the path.

    """
    t = np.linspace(*motion.span, SAMPLES) if times is None else np.asarray(times, dtype=float)
    states, joints = motion(t), _joints(machine, head, t)
    found = head_dynamics(machine, *states, *joints, wrench=wrench)
    bad = ~np.isfinite(found.force).all(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        why = (margins(machine, states[0][k]).sentences() or ["the pose is singular"])[0]
        raise InputError(f"the motion cannot be carried out, at {t[k]:.6g} s: {why}")
    data = _dataset(machine, t, states, joints, found)
    data.attrs |= peaks(data)
    return data


def _joints(machine: Machine, head: HeadMotion | ArrayLike, t: Array) -> tuple[Array, Array, Array]:
    if callable(head):
        q, qd, qdd = head(t)
        return head_of(machine).coordinates(q), qd, qdd
    q = np.broadcast_to(head_of(machine).checked(head), (len(t), len(head_of(machine).moving)))
    return q, np.zeros_like(q), np.zeros_like(q)


def _dataset(
    machine: Machine,
    t: Array,
    states: tuple[Array, Array, Array],
    joints: tuple[Array, Array, Array],
    found: HeadDynamics,
) -> xarray.Dataset:
    import xarray

    (X, V, A), (q, qd, _), head = states, joints, head_of(machine)
    limits = head_margins(machine, X, q)
    leg, of_head, component = ("time", "leg"), ("time", "head"), ("time", "component")
    unit, rate = machine.legs.joint_unit, joint_rates(machine, X, V)
    tip = tip_matrices(machine, X, q)
    mixed = {"units": ", ".join(head.units)}
    fields: dict[str, Any] = {
        "pose": (("time", "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
        "tip_pose": (("time", "row", "column"), tip, {"units": "1, m", "long_name": "tool's tip in the base"}),
        "tip": (("time", "xyz"), tip[:, :3, 3], {"units": "m"}),
        "twist": (component, V, {"units": "m/s, rad/s"}),
        "acceleration": (component, A, {"units": "m/s2, rad/s2"}),
        "joint": (leg, inverse_kinematics(machine, X), {"units": unit}),
        "joint_rate": (leg, rate, {"units": f"{unit}/s"}),
        "force": (leg, found.force, {"units": "N" if unit == "m" else "N m"}),
        "power": (leg, found.force * rate, {"units": "W"}),
        "head_joint": (of_head, q, mixed),
        "head_rate": (of_head, qd, {"units": ", ".join(f"{name}/s" for name in head.units)}),
        "head_effort": (of_head, found.effort, {"units": ", ".join(_EFFORT[name] for name in head.units)}),
        "head_power": (of_head, found.effort * qd, {"units": "W"}),
        "margin": (("time", "limit"), limits.values, {"units": "see margin_unit"}),
        "margin_unit": ("limit", np.array(limits.units, dtype=str)),
    }
    coords = {
        "time": ("time", t, {"units": "s"}),
        "leg": np.arange(1, 7),
        "head": [joint.name for joint in head.moving],
        "component": list(COMPONENTS),
        "limit": np.array(limits.names, dtype=str),
    }
    return xarray.Dataset(fields, coords, {"machine": machine.name})


_EFFORT = {"rad": "N m", "m": "N"}
