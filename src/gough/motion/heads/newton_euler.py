"""Forces of a platform whose tool head moves: Newton and Euler's equations from link to link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.arguments import gravity_of, six
from gough.dynamics.inverse import inverse_dynamics
from gough.head import Head
from gough.machine import Machine
from gough.motion.heads.kinematics import head_of
from gough.poses import PoseLike, checked_matrices, common_shape, wrench_at

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadDynamics:
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
    gravity: ArrayLike | None = None,
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
    g = gravity_of(machine, gravity)
    F = np.zeros(6) if wrench is None else six("wrench", wrench)
    parts = V, A, q, qd, qdd, F, g
    common_shape("poses and what belongs to them", X_BP.shape[:-2], *(part.shape[:-1] for part in parts))
    efforts, on_platform = _newton_euler(head, X_BP, *parts)
    alone = replace(machine, head=None, platform=head.carrier)
    return HeadDynamics(inverse_dynamics(alone, X_BP, V, A, on_platform, gravity), efforts, on_platform)


@dataclass
class LinkMotion:
    """A link in the base frame: angular velocity and acceleration, a point of it and that point's acceleration."""

    w: Array
    alpha: Array
    point: Array
    a: Array

    def acceleration_at(self, point: Array) -> Array:
        """Of the link's point there (..., 3)."""
        arm = point - self.point
        return self.a + np.cross(self.alpha, arm) + np.cross(self.w, np.cross(self.w, arm))

    def after(self, unit: str, axis: Array, through: Array, qd: Array, qdd: Array) -> LinkMotion:
        """The next link, which a joint about or along an axis through a point moves."""
        w, alpha, a = self.w, self.alpha, self.acceleration_at(through)
        if unit == "rad":
            alpha = alpha + axis * qdd + np.cross(w, axis * qd)
            w = w + axis * qd
        else:
            a = a + axis * qdd + 2 * np.cross(w, axis * qd)
        return LinkMotion(w, alpha, through, a)


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
