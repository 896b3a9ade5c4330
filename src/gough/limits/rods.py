"""The legs at poses: rods, joint coordinates and reach as plain functions of orientation and position.

They are written with NumPy's arithmetic alone, so that they compute with arrays at poses and with Taylor models over
boxes of poses (`gough.regions.models`). With x the vector from a leg's base point to the platform's point, r the
platform joint seen from that point, and e = x + R r,

    |e|^2 = x . x + 2 x . R r + r . r

strut (UPS)    rod d = e
slider (PUS)   q = e . g + branch sqrt(w),  w = (e . g)^2 - |e|^2 + l^2;  d = e - q g
crank (RUS)    h cos q + f sin q = k,  h = e . a, f = e . (n x a), k = (|e|^2 + |a|^2 - l^2) / 2;  d = e - a(q)

The crank's angle is counted from its angle q_c at the boxes' centres: with (h, f) turned by q_c and
w = h^2 + f^2 - k^2, cos = (h k - f s) / (h^2 + f^2), sin = (f k + h s) / (h^2 + f^2), s = branch sqrt(w).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.legs.leg import ANCHOR, ARM, ARM_NORMAL, AXIS, BRANCH, MIDDLE, PLATFORM, ROD
from gough.legs.pus import PUS
from gough.legs.rus import RUS
from gough.legs.ups import UPS

Quantity = Any
"""An array or a `gough.regions.models.Model`; vectors have their components first."""
FAR = 64.0
"""Distance of the platform's point from a joint, in lengths of the leg, beyond which |e|^2 is the square of e itself:
the sum of squares would lose the digits."""


class Pose(NamedTuple):
    """Orientation R (3, 3, n) and position p (3, n) in the base of a platform point `about` (3,) [m].

    `skewness`: the norm of R^T R - 1, which is rounding of the orientation from which others are turned.
    """

    R: Quantity
    p: Quantity
    about: Array
    skewness: float = 0.0

    def turned(self, v: Array) -> Quantity:
        """Return R v in base axes, of vectors (3, ...) in the platform's frame."""
        return np.einsum("ij...,j...->i...", self.R, v)

    def spread(self) -> Pose:
        """Add an axis for the legs in front of the axis of the poses."""
        return self._replace(R=self.R[:, :, None], p=self.p[:, None])


def dot(a: Quantity, b: Quantity) -> Quantity:
    """Return the scalar product of vectors (3, ...)."""
    return (a * b).sum(0)


def cross(a: Quantity, b: Quantity) -> Quantity:
    """Return vector product of vectors (3, ...)."""
    m, n = [1, 2, 0], [2, 0, 1]
    return a[m] * b[n] - a[n] * b[m]


def centre_of(quantity: Quantity) -> Array:
    """Return values at the boxes' centres; of an array itself."""
    return np.asarray(getattr(quantity, "value", quantity))


class Rods:
    """Legs of indices i, (n,) with one for each pose or (6, 1) for all, of the kind `code` with the table T."""

    def __init__(self, code: int, T: Array, i: Ints, pose: Pose) -> None:
        self.code, self.T, self.i, self.pose = code, T, i, pose
        self.b_P = self._row(PLATFORM)
        self.arm = self.b_P - pose.about.reshape(3, *[1] * i.ndim)
        self.turned_arm = pose.turned(self.arm)
        self.x = pose.p - self._row(ANCHOR)

    def _row(self, first: int) -> Array:
        return self.T[first : first + 3, self.i]

    @property
    def rod(self) -> Array:
        """Constant rod lengths [m]; 0 of struts."""
        return self.T[ROD, self.i]

    @cached_property
    def e(self) -> Quantity:
        """From the base point to the platform joint [m]."""
        return self.x + self.turned_arm

    @cached_property
    def square(self) -> Quantity:
        """|e|^2 [m2]."""
        near = np.linalg.norm(centre_of(self.e), axis=0)
        square = dot(self.arm, self.arm)
        if not (np.sqrt(square) < FAR * near).all():
            return dot(self.e, self.e)
        found = dot(self.x, self.x) + dot(self.x, self.turned_arm) * 2.0 + square
        return found.widened(self.pose.skewness * square) if hasattr(found, "widened") else found

    @cached_property
    def w(self) -> Quantity:
        """What the root of the joint coordinate is taken of [m2, m4]: negative where the leg cannot close."""
        if self.code == PUS.code:
            along = self._along
            return along * along - self.square + self.rod**2
        return self.polar - self.k * self.k

    @cached_property
    def _along(self) -> Quantity:
        return dot(self.e, self._row(AXIS))

    @cached_property
    def k(self) -> Quantity:
        """See the module [m2]."""
        return (self.square + (dot(self._row(ARM), self._row(ARM)) - self.rod**2)) * 0.5

    @cached_property
    def _in_plane(self) -> tuple[Quantity, Quantity]:
        """Products of e with the crank at the centres' angle, and with its normal, wherever its zero is [m2]."""
        first, second = self.turned_crank
        return dot(self.e, first), dot(self.e, second)

    @cached_property
    def polar(self) -> Quantity:
        """h^2 + f^2 [m4]."""
        h, f = self._in_plane
        return h * h + f * f

    @cached_property
    def q_centre(self) -> Array:
        """Crank angles at the boxes' centres, within half a turn of the middle of their range [rad]."""
        e, k = centre_of(self.e), centre_of(self.k)
        h, f = dot(e, self._row(ARM)), dot(e, self._row(ARM_NORMAL))
        w = np.maximum(h * h + f * f - k * k, 0.0)  # any angle is as good where the centre is out of reach
        q = np.arctan2(f, h) + self.T[BRANCH, self.i] * np.arctan2(np.sqrt(w), k)
        middle = self.T[MIDDLE, self.i]
        return np.asarray(q - 2 * np.pi * np.round((q - middle) / (2 * np.pi)))

    @cached_property
    def turned_crank(self) -> tuple[Array, Array]:
        """Arm at the centres' angle, and the axis times it [m]."""
        c, s = np.cos(self.q_centre), np.sin(self.q_centre)
        a, b = self._row(ARM), self._row(ARM_NORMAL)
        return c * a + s * b, c * b - s * a

    @cached_property
    def cos_sin(self) -> tuple[Quantity, Quantity]:
        """Cosine and sine of the crank's angle from that at the centres."""
        h, f = self._in_plane
        root, per = np.sqrt(self.w) * self.T[BRANCH, self.i], 1.0 / self.polar
        return (h * self.k - f * root) * per, (f * self.k + h * root) * per

    @cached_property
    def q(self) -> Quantity:
        """Joint coordinate of a slider or crank [m or rad]."""
        if self.code == PUS.code:
            return self._along + np.sqrt(self.w) * self.T[BRANCH, self.i]
        c, s = self.cos_sin
        q = np.arctan2(s, c) + self.q_centre
        middle = self.T[MIDDLE, self.i]
        # No bounds where the angle may pass half a turn from the middle, at which it jumps.
        return q.within(middle - np.pi, middle + np.pi) if hasattr(q, "within") else q

    def closure(self, q: Array) -> tuple[Quantity, Quantity]:
        """Return |b - p(q)|^2 - L(q)^2 at joint coordinates q (n,), zero where the leg closes, and its derivative by
        q."""
        if self.code == UPS.code:
            return self.square - q * q, -2.0 * q
        if self.code == PUS.code:
            along = self._along
            return self.square - along * (2 * q) + (q * q - self.rod**2), (q - along) * 2.0
        c, s, a, b = np.cos(q), np.sin(q), self._row(ARM), self._row(ARM_NORMAL)
        return (self.k - dot(self.e, c * a + s * b)) * 2.0, dot(self.e, s * a - c * b) * 2.0

    @cached_property
    def branch(self) -> Array:
        """+1 or -1, of rods."""
        return self.T[BRANCH, self.i]

    def from_foot(self, e: Quantity) -> Quantity:
        """Return a vector from the base point, seen from the driven point instead [m]."""
        if self.code == UPS.code:
            return e
        if self.code == PUS.code:
            return e - self.q * self._row(AXIS)
        (c, s), (a, b) = self.cos_sin, self.turned_crank
        return e - c * a - s * b

    @cached_property
    def d(self) -> Quantity:
        """From the driven point to the platform joint [m]."""
        return self.from_foot(self.e)

    @cached_property
    def foot(self) -> Quantity:
        """Driven point [m]."""
        return self._row(ANCHOR) - self.from_foot(0.0 * self.turned_arm)

    @cached_property
    def head(self) -> Quantity:
        """Platform joint in the base [m]."""
        return self.pose.p + self.turned_arm

    @cached_property
    def length(self) -> Quantity:
        """Rod length [m]."""
        return np.sqrt(self.square) if self.code == UPS.code else self.rod

    @property
    def per_length(self) -> Quantity:
        """One over it."""
        return 1.0 / self.length

    def moment(self, a: Array) -> Quantity:
        """Return R a x d for points a (3, ...) in the platform's frame: with a x r constant no product of turned
        vectors."""
        from_foot = self.from_foot(self.x)
        return cross(self.pose.turned(a), from_foot) + self.pose.turned(np.cross(a, self.arm, axis=0))

    def along_base(self, a: Array) -> Quantity:
        """Return D . a for directions a (3, ...) in the base."""
        return dot(self.d, a)

    def along_platform(self, a: Array) -> Quantity:
        """Return D . R a for directions a (3, ...) in the platform's frame."""
        turned = self.pose.turned(a)
        found = dot(self.x, turned) + dot(self.arm, a)
        if self.code == UPS.code:
            return found
        if self.code == PUS.code:
            return found - self.q * dot(turned, self._row(AXIS))
        (c, s), (first, second) = self.cos_sin, self.turned_crank
        return found - c * dot(turned, first) - s * dot(turned, second)

    def carried(self, a: Array) -> Quantity:
        """Return directions a (3, ...) of the base that turn with the crank, as they are at q = 0."""
        if self.code != RUS.code:
            return a
        n = self._row(AXIS)
        part = dot(n, a) * n
        across, normal = a - part, np.cross(n, a, axis=0)
        c, s = np.cos(self.q_centre), np.sin(self.q_centre)
        cos, sin = self.cos_sin
        return part + cos * (c * across + s * normal) + sin * (c * normal - s * across)

    @property
    def foot_rate(self) -> Quantity:
        """Velocity of the driven point per rate of the joint coordinate, p' [1 or m]."""
        if self.code == UPS.code:
            return np.zeros((3, *self.i.shape))
        if self.code == PUS.code:
            return self._row(AXIS)
        (c, s), (first, second) = self.cos_sin, self.turned_crank
        return c * second - s * first

    def along_carrier(self, a: Array) -> Quantity:
        """Return D . a for directions a (3, ...) in the base that turn with the crank, as they are at q = 0."""
        if self.code != RUS.code:
            return self.along_base(a)
        n = self._row(AXIS)
        part = dot(n, a) * n
        across, normal = a - part, np.cross(n, a, axis=0)
        c, s = np.cos(self.q_centre), np.sin(self.q_centre)
        first, second = c * across + s * normal, c * normal - s * across
        cos, sin = self.cos_sin
        found = dot(self.e, part) + cos * dot(self.e, first) + sin * dot(self.e, second)
        return found - dot(self._row(ARM), a)

    @cached_property
    def transmission(self) -> Quantity:
        """Rod length times its rate per rate of the joint coordinate along the rod: d . p', of struts |d|."""
        if self.code == UPS.code:
            return self.length
        if self.code == PUS.code:
            return dot(self.d, self._row(AXIS))
        (c, s), (first, second) = self.cos_sin, self.turned_crank
        return dot(self.e, second) * c - dot(self.e, first) * s  # d . (n x a(q)) = e . (n x a(q))
