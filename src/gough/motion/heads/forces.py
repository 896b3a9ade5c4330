"""Inverse dynamics of a platform with a moving tool head, by Newton-Euler recursion; its forces over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import six
from gough.dynamics.drive_peaks import drive_attrs, motion_extremes
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.histories import HISTORY_TIMES, between, check_forces, leg_history
from gough.dynamics.motions import Motion, States
from gough.head import Head
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of, tip_matrices
from gough.motion.heads.motion import HeadMotion, LinkMotion
from gough.poses import PoseLike, checked_matrices, common_shape, wrench_at
from gough.quantity import WRENCH, drive_force, quantity, result
from gough.results import Result

if TYPE_CHECKING:
    import xarray


@result
class HeadDynamics(Result):
    """Drive forces of platform and head."""

    force: Array = quantity(
        drive_force, "leg", is_headline=True, doc="Forces of the legs' actuators, or their torques where joints turn."
    )
    effort: Array = quantity(
        lambda of: tuple("N" if unit == "m" else "N m" for unit in head_of(of.machine).units), "joint",
        is_headline=True,
        doc="Torques of revolute joints of the head, forces of prismatic ones; positive in the sense of increasing "
        "coordinates.",
    )  # fmt: skip
    wrench: Array = quantity(
        WRENCH, "wrench", frame="base", doc="Wrench [f, m] of the head on the platform, about the platform's origin."
    )
    machine: Machine


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
    """Compute the inverse dynamics of platform and head: forces of legs and head drives for a motion of both.

    Newton-Euler recursion (Craig 1986, section 6.5): the motion of each link follows from the one before, its force and
    moment from the equations of Newton and Euler. Their sums from the tip inwards give the efforts of the drives and,
    at the mount, the wrench of the head on the platform, which the legs carry. With the head at rest on the platform
    the legs' forces are those of `gough.inverse_dynamics(machine.with_head(joints), ...)`. Rotors and friction of the
    head's drives are not modelled.

    Parameters
    ----------
    machine : Machine
        With a head, and with masses.
    X, V, A : as in `gough.inverse_dynamics`
        Of the platform: (..., 4, 4), (..., 6), (..., 6).
    joints, rates, accelerations : (..., n) arrays, optional
        Of the head [rad or m, and per s and s2]: default: current coordinates, at rest.
    wrench : (..., 6) array, optional
        [f, m] applied to the tool at its tip, in the base frame [N, N m].
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]; default: the machine's value.

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
    # The platform without the head carries its own masses, and the head's wrench as an applied one.
    alone = replace(machine, head=None, platform=head.carrier)
    force = inverse_dynamics(alone, X_BP, V, A, on_platform, gravity)
    return HeadDynamics(force, efforts, on_platform, machine)


def _newton_euler(
    head: Head, X: Array, V: Array, A: Array, q: Array, qd: Array, qdd: Array, F: Array, g: Array
) -> tuple[Array, Array]:
    """Efforts (..., n) of the head's drives, and the wrench (..., 6) on the platform about its origin."""
    frames = X[..., None, :, :] @ head.frames(q)
    points, axes = head.axes(frames)
    link = LinkMotion(V[..., 3:], A[..., 3:], X[..., :3, 3], A[..., :3])
    needed: list[Array] = []  # wrench that moves each body, about the base's origin, where wrenches simply add
    owner: list[int] = []  # number of moving joints between platform and body
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
            Jw, J_alpha = ((J @ part[..., None])[..., 0] for part in (link.w, link.alpha))
            m = J_alpha + np.cross(link.w, Jw)
            needed.append(wrench_at(np.concatenate(np.broadcast_arrays(f, m), axis=-1), -centre))
            owner.append(k)
    # All joints carry the applied wrench, like that of a body at the tip; negative, as they have to balance it.
    tip = (frames[..., -1, :, :] @ head.X_NT)[..., :3, 3]
    needed.append(-wrench_at(np.broadcast_to(F, (*tip.shape[:-1], 6)), -tip))
    owner.append(k)
    # Joint k carries all bodies beyond it: its effort is the component of their wrench along its axis.
    efforts = []
    for k, unit in enumerate(head.units):
        carried = np.sum(np.broadcast_arrays(*(w for w, own in zip(needed, owner, strict=True) if own > k)), axis=0)
        at_joint = wrench_at(carried, points[..., k, :])
        part = at_joint[..., 3:] if unit == "rad" else at_joint[..., :3]
        efforts.append(np.sum(part * axes[..., k, :], axis=-1))
    total = np.sum(np.broadcast_arrays(*needed), axis=0)
    return np.stack(efforts, axis=-1), -wrench_at(total, X[..., :3, 3])


@checks_arguments
def head_forces(
    machine: Machine,
    motion: Motion,
    head: HeadMotion | ArrayLike,
    times: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
) -> xarray.Dataset:
    """Compute forces and powers of leg and head drives along a motion of platform and head.

    Parameters
    ----------
    machine : Machine
        With a head, and with masses.
    motion : Motion
        Of the platform.
    head : HeadMotion or (n,) array
        Motion of its joints, such as `gough.motion.heads.HeadSpline`; or constant coordinates.
    times : (k,) array, optional
        [s]; default: evenly spaced over the motion's span.
    wrench : (..., 6) array, optional
        Applied to the tool at its tip, in the base frame [N, N m].

    Returns
    -------
    xarray.Dataset
        Over `time`: pose, tip_pose, tip, twist, acceleration, joint, joint_rate, force, power (leg), head_joint,
        head_rate, head_effort, head_power (head), margin (limit, the head's among them); attributes as those of
        `gough.dynamics.motion_forces`. All include the inertial forces of the moving head.

    Raises
    ------
    InputError
        A leg cannot close, or the machine is singular, somewhere on the path.

    """
    t = np.linspace(*motion.span, HISTORY_TIMES) if times is None else np.asarray(times, dtype=float)
    mounted, (X, V, A) = head_of(machine), motion(t)
    F = None if wrench is None else np.asarray(wrench, dtype=float)

    def joints_at(time: Array) -> tuple[Array, Array, Array]:
        if callable(head):
            q, qd, qdd = head(time)
            return mounted.coordinates(q), qd, qdd
        held = np.broadcast_to(mounted.checked(head), (len(time), len(mounted.moving)))
        return held, np.zeros_like(held), np.zeros_like(held)

    def force_at(time: Array, states: States) -> Array:
        at = F if F is None or F.ndim < 2 else between(time, t, F)
        return head_dynamics(machine, *states, *joints_at(time), wrench=at).force

    q, qd, qdd = joints_at(t)
    found = head_dynamics(machine, X, V, A, q, qd, qdd, wrench=F)
    check_forces(machine, motion, t[~np.isfinite(found.force).all(axis=1)])
    knots = np.union1d(getattr(head, "knots", []), t if F is not None and F.ndim > 1 else [])
    extremes = motion_extremes(machine, motion, force_at, span=(float(t.min()), float(t.max())), knots=knots)
    check_forces(machine, motion, [each.undefined for each in extremes.values() if each.undefined is not None])
    limits, tip, of_head = head_margins(machine, X, q), tip_matrices(machine, X, q), ("time", "head")
    efforts = ", ".join("N m" if unit == "rad" else "N" for unit in mounted.units)
    data = leg_history(machine, (X, V, A), t, found.force).assign(
        tip_pose=(("time", "row", "column"), tip, {"units": "1, m", "long_name": "tool's tip in the base"}),
        tip=(("time", "xyz"), tip[:, :3, 3], {"units": "m", "frame": "base"}),
        head_joint=(of_head, q, {"units": ", ".join(mounted.units)}),
        head_rate=(of_head, qd, {"units": ", ".join(f"{unit}/s" for unit in mounted.units)}),
        head_effort=(of_head, found.effort, {"units": efforts}),
        head_power=(of_head, found.effort * qd, {"units": "W"}),
        margin=(("time", "limit"), limits.values, {"units": "see margin_unit"}),
        margin_unit=("limit", np.array(limits.units, dtype=str)),
    )
    data = data.assign_coords(head=[joint.name for joint in mounted.moving], limit=np.array(limits.names, dtype=str))
    return data.assign_attrs(drive_attrs(machine, extremes))
