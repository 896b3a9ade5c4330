"""Forces of a platform whose tool head moves: Newton and Euler's equations from link to link, and over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import six
from gough.dynamics.drive_peaks import peaks
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.histories import SAMPLES, leg_history
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.head import Head
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of, tip_matrices
from gough.motion.heads.motion import HeadMotion, LinkMotion
from gough.poses import PoseLike, checked_matrices, common_shape, wrench_at
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray


JOINT, RATE, EFFORT = {"rad": "rad", "m": "m"}, {"rad": "rad/s", "m": "m/s"}, {"rad": "N m", "m": "N"}
"""Units of a head joint, its rate and what drives it."""


@dataclass(frozen=True, eq=False)
class HeadDynamics(Result):
    """What moves a platform with its head.

    Attributes
    ----------
    force : (..., 6) array
        Of the legs' actuators [N or N m].
    effort : (..., n) array
        Of the head's drives: torque of revolute joints [N m], force of prismatic ones [N]; positive drives them up.
    wrench : (..., 6) array
        [f, m] the head puts on the platform, about the platform's origin in the base frame [N, N m].

    """

    QUANTITIES: ClassVar[Quantities] = {
        "force": ("N or N m", "leg"),
        "effort": ("N or N m", "joint"),
        "wrench": ("N, N m", "component"),
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("force", "effort")

    force: Array
    effort: Array
    wrench: Array


@checks_arguments
def head_dynamics(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    joints: ArrayLike | None = None,
    rates: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
) -> HeadDynamics:
    """Inverse dynamics of platform and head: the forces of legs and head drives for a motion of both.

    The motion of each link follows from the one before (Craig 1986, section 6.5), its force and moment from Newton and
    Euler; summed from the tip inwards they are the efforts of the drives and, at the mount, what the head puts on the
    platform, whose legs then carry it besides their own loads. With the head at rest on the platform the legs' forces
    are those of `gough.inverse_dynamics(machine.with_head(joints), ...)`. Rotors and friction of the head's drives are
    not modelled.

    Parameters
    ----------
    machine : Machine
        With a head, and with masses.
    X, V, A : as in `gough.inverse_dynamics`
        Of the platform: (..., 4, 4), (..., 6), (..., 6).
    joints, rates, accelerations : (..., n) arrays, optional
        Of the head [rad or m, and per s and s2]: its present coordinates, at rest, where not given.
    wrench : (..., 6) array, optional
        [f, m] applied to the tool at its tip, in the base frame [N, N m].
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]; the machine's own where not given.

    Returns
    -------
    HeadDynamics
        `force` is NaN where a leg cannot close or the pose is singular.

    """
    head, X_BP, V, A = head_of(machine), checked_matrices(X), six("V", V), six("A", A)
    q = head.coordinates(joints)
    still = np.zeros(len(head.moving))
    qd = still if rates is None else head.coordinates(rates, "head rates")
    qdd = still if accelerations is None else head.coordinates(accelerations, "head accelerations")
    g = machine.free_fall(gravity)
    F = np.zeros(6) if wrench is None else six("wrench", wrench)
    parts = V, A, q, qd, qdd, F, g
    common_shape("poses and what belongs to them", X_BP.shape[:-2], *(part.shape[:-1] for part in parts))
    efforts, on_platform = _newton_euler(head, X_BP, *parts)
    alone = replace(machine, head=None, platform=head.carrier)
    return HeadDynamics(inverse_dynamics(alone, X_BP, V, A, on_platform, gravity), efforts, on_platform)


def _newton_euler(
    head: Head, X: Array, V: Array, A: Array, q: Array, qd: Array, qdd: Array, F: Array, g: Array
) -> tuple[Array, Array]:
    """Efforts (..., n) of the head's drives, and the wrench (..., 6) on the platform about its origin."""
    frames = X[..., None, :, :] @ head.frames(q)
    points, axes = head.axes(frames)
    link = LinkMotion(V[..., 3:], A[..., 3:], X[..., :3, 3], A[..., :3])
    needed: list[Array] = []  # of each row's body, about the base's origin
    owner: list[int] = []
    k = 0
    for i, joint in enumerate(head.joints):
        if joint.kind != "fixed":
            rates = qd[..., k, None], qdd[..., k, None]
            link = link.after(head.units[k], axes[..., k, :], points[..., k, :], *rates)
            k += 1
        if joint.body is not None:
            R, body = frames[..., i + 1, :3, :3], joint.body
            centre = frames[..., i + 1, :3, 3] + R @ body.mass_centre
            J = R @ body.inertia @ np.swapaxes(R, -1, -2)
            f = body.mass * (link.acceleration_at(centre) - g)
            m = _times(J, link.alpha) + np.cross(link.w, _times(J, link.w))
            needed.append(wrench_at(np.concatenate(np.broadcast_arrays(f, m), axis=-1), -centre))
            owner.append(k)
    tip = (frames[..., -1, :, :] @ head.X_NT)[..., :3, 3]
    needed.append(-wrench_at(np.broadcast_to(F, (*tip.shape[:-1], 6)), -tip))
    owner.append(k)
    efforts = [_along(head, needed, owner, k, points, axes) for k in range(len(head.units))]
    total = np.sum(np.broadcast_arrays(*needed), axis=0)
    return np.stack(efforts, axis=-1), -wrench_at(total, X[..., :3, 3])


def _along(head: Head, needed: list[Array], owner: list[int], k: int, points: Array, axes: Array) -> Array:
    """What joint k must give for all that it carries: along its axis the force, or the moment about it."""
    carried = np.sum(np.broadcast_arrays(*(w for w, own in zip(needed, owner, strict=True) if own > k)), axis=0)
    at_joint = wrench_at(carried, points[..., k, :])
    part = at_joint[..., 3:] if head.units[k] == "rad" else at_joint[..., :3]
    return np.asarray(np.sum(part * axes[..., k, :], axis=-1))


def _times(J: Array, w: Array) -> Array:
    return np.asarray((J @ w[..., None])[..., 0])


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
    return data.assign_attrs(peaks(data))


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
    X, (q, qd, _), head = states[0], joints, head_of(machine)
    limits, tip, of_head = head_margins(machine, X, q), tip_matrices(machine, X, q), ("time", "head")
    mixed, rates, efforts = (", ".join(units[name] for name in head.units) for units in (JOINT, RATE, EFFORT))
    data = leg_history(machine, states, t, found.force).assign(
        tip_pose=(("time", "row", "column"), tip, {"units": "1, m", "long_name": "tool's tip in the base"}),
        tip=(("time", "xyz"), tip[:, :3, 3], {"units": "m"}),
        head_joint=(of_head, q, {"units": mixed}),
        head_rate=(of_head, qd, {"units": rates}),
        head_effort=(of_head, found.effort, {"units": efforts}),
        head_power=(of_head, found.effort * qd, {"units": "W"}),
        margin=(("time", "limit"), limits.values, {"units": "see margin_unit"}),
        margin_unit=("limit", np.array(limits.units, dtype=str)),
    )
    return data.assign_coords(head=[joint.name for joint in head.moving], limit=np.array(limits.names, dtype=str))
