"""An articulated tool head: serial joints on the platform, by Denavit-Hartenberg parameters.

Frame H is the mount of the head on the platform, frames 1 to N belong to its links, T is the tool's tip:

    X_PT(q) = X_PH A_1(q_1) ... A_N(q_N) X_NT

    modified (Craig 1986, eq. 3.6)          A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i turns about z of frame i
    standard (Denavit, Hartenberg 1955)     A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)      ... about z of frame i - 1

A revolute joint adds its coordinate to theta, a prismatic one to d; a fixed row has no coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, MachinePart
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, ShapeError
from gough.machine_parts import Body, joined

Convention = Literal["standard", "modified"]
JointKind = Literal["revolute", "prismatic", "fixed"]


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadJoint:
    """One row of Denavit-Hartenberg parameters: a joint and the link it moves.

    Attributes
    ----------
    name : str
    kind : "revolute", "prismatic" or "fixed"
    a, d : float
        [m].
    alpha, theta : float
        [rad].
    minimum, maximum : float
        Of its coordinate [rad or m]; infinite where there is none.
    speed : float
        Top speed [rad/s or m/s]; infinite where not known.
    body : Body or None
        The link, in its frame.

    """

    name: str
    kind: JointKind
    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    minimum: float = -np.inf
    maximum: float = np.inf
    speed: float = np.inf
    body: Body | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Head(MachinePart):
    """Serial joints that carry the tool. `n` below is the number of joints that move.

    Attributes
    ----------
    joints : tuple of HeadJoint
        From the platform outwards, fixed rows included.
    convention : "standard" or "modified"
        Meaning of the parameters, see this module.
    X_PH : (4, 4) array
        Mount of the head: pose of its frame 0 in the platform.
    X_NT : (4, 4) array
        The tool's tip in the last link's frame.
    q : (n,) array
        Present coordinates [rad or m]; `Machine.with_head` changes them.
    carrier : Body or None
        The platform without the head; `Machine.platform` is both together.

    """

    joints: tuple[HeadJoint, ...]
    convention: Convention
    X_PH: Array = field(default_factory=lambda: np.eye(4))
    X_NT: Array = field(default_factory=lambda: np.eye(4))
    q: Array
    carrier: Body | None = None

    @property
    def moving(self) -> tuple[HeadJoint, ...]:
        """The n joints that move."""
        return tuple(joint for joint in self.joints if joint.kind != "fixed")

    @property
    def joint_min(self) -> Array:
        """Lowest coordinates (n,) [rad or m]."""
        return np.array([joint.minimum for joint in self.moving])

    @property
    def joint_max(self) -> Array:
        """Highest coordinates (n,) [rad or m]."""
        return np.array([joint.maximum for joint in self.moving])

    @property
    def joint_speed(self) -> Array:
        """Top speeds (n,) [rad/s or m/s]."""
        return np.array([joint.speed for joint in self.moving])

    @property
    def units(self) -> tuple[str, ...]:
        """SI unit of each of the n coordinates: "rad" or "m"."""
        return tuple("rad" if joint.kind == "revolute" else "m" for joint in self.moving)

    def coordinates(self, q: ArrayLike | None, name: str = "head joints") -> Array:
        """Return coordinates (..., n), checked; default: the current joints."""
        return of_shape(name, self.q if q is None else q, f"(..., {len(self.moving)})")

    def frames(self, q: ArrayLike | None = None) -> Array:
        """Return poses (..., N + 1, 4, 4) of frames 0 to N in the platform, at coordinates q (..., n) [rad or m]."""
        values = self.coordinates(q)
        # k is the index of the next coordinate; fixed rows have none.
        X = np.broadcast_to(self.X_PH, (*values.shape[:-1], 4, 4))
        found, k = [X], 0
        for joint in self.joints:
            theta, d = np.full(values.shape[:-1], joint.theta), np.full(values.shape[:-1], joint.d)
            if joint.kind != "fixed":
                (theta if joint.kind == "revolute" else d)[...] += values[..., k]
                k += 1
            X = X @ link_matrix(self.convention, joint.a, joint.alpha, d, theta)
            found.append(X)
        return np.stack(found, axis=-3)

    def tip(self, q: ArrayLike | None = None) -> Array:
        """Return the pose X_PT (..., 4, 4) of the tool's tip in the platform."""
        return np.asarray(self.frames(q)[..., -1, :, :] @ self.X_NT)

    def axes(self, frames: Array) -> tuple[Array, Array]:
        """Return points on the axes of the moving joints, and the axes' directions, both (..., n, 3), given the
        `frames`."""
        # Joint i moves about z of frame i (modified) or of frame i - 1 (standard); `enumerate` counts from 0.
        first = 0 if self.convention == "standard" else 1
        places = [i + first for i, joint in enumerate(self.joints) if joint.kind != "fixed"]
        at = frames[..., places, :, :]
        return at[..., :3, 3], at[..., :3, 2]

    def platform(self, q: ArrayLike | None = None) -> Body | None:
        """Return the platform and head as one body, with the head held at q (n,); None where the platform's mass is not
        known."""
        if self.carrier is None:
            return None
        frames = self.frames(q)
        if frames.ndim != 3:
            raise ShapeError.expected("head joints", f"({len(self.moving)},)", self.coordinates(q).shape)
        links = zip(self.joints, frames[1:], strict=True)
        return joined([self.carrier, *(joint.body.seen_from(X) for joint, X in links if joint.body is not None)])

    def checked(self, q: ArrayLike) -> Array:
        """Return coordinates (n,), which must be finite; beyond their limits they have negative margins, which is no
        error."""
        values = of_shape("head joints", self.coordinates(q), f"({len(self.moving)},)")
        if not np.isfinite(values).all():
            raise InputError("head joints: a coordinate is not a finite number")
        return values


def link_matrix(convention: Convention, a: float, alpha: float, d: ArrayLike, theta: ArrayLike) -> Array:
    """Return the pose A_i (..., 4, 4) of a link's frame in that of the link before; d and theta (...) [m, rad]."""
    d, theta = numbers("d", d), numbers("theta", theta)
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    A = np.zeros((*np.broadcast_shapes(d.shape, theta.shape), 4, 4))
    A[..., 3, 3] = 1.0
    if convention == "modified":
        A[..., 0, 0], A[..., 0, 1], A[..., 0, 3] = ct, -st, a
        A[..., 1, 0], A[..., 1, 1], A[..., 1, 2], A[..., 1, 3] = st * ca, ct * ca, -sa, -sa * d
        A[..., 2, 0], A[..., 2, 1], A[..., 2, 2], A[..., 2, 3] = st * sa, ct * sa, ca, ca * d
    else:
        A[..., 0, 0], A[..., 0, 1], A[..., 0, 2], A[..., 0, 3] = ct, -st * ca, st * sa, a * ct
        A[..., 1, 0], A[..., 1, 1], A[..., 1, 2], A[..., 1, 3] = st, ct * ca, -ct * sa, a * st
        A[..., 2, 1], A[..., 2, 2], A[..., 2, 3] = sa, ca, d
    return A
