"""Legs over boxes of poses as Taylor models: rods, joint coordinates, bodies on the drives, inverse Jacobians.

Vectors are in the base's axes, or in axes that turn with the platform and agree with the base's at the boxes' centres.
In the latter platform joints are constant, and moments of rods about a platform point are linear in the rods: inverses
of these models have smaller remainders.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gough.arrays import Array, Ints
from gough.legs.leg import ANCHOR, AXIS, PLATFORM, ROD
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.drive_models import arms_at, crank, rows_of, slider
from gough.regions.inverse_models import inverse
from gough.regions.motions import Motion
from gough.regions.taylor import Model


@dataclass(frozen=True, eq=False)
class LegModels:
    """Models of legs, and of vectors on the platform, over n boxes.

    The legs are the machine's six, or those `chosen` (n, k) for each box; `is_in_base` tells the axes of vectors.
    """

    machine: Machine
    motion: Motion
    chosen: Ints | None = None
    is_in_base: bool = False

    @cached_property
    def table(self) -> Array:
        """Table of the legs (ROWS, n, k), see `gough.legs.leg`."""
        chosen = np.arange(6)[None] if self.chosen is None else self.chosen
        return self.machine.table[:, np.broadcast_to(chosen, (len(self.motion.X), chosen.shape[1]))]

    @cached_property
    def in_base(self) -> LegModels:
        """The same models with vectors in the base's axes."""
        return self if self.is_in_base else replace(self, is_in_base=True)

    @cached_property
    def _is_crank(self) -> bool:
        return self.machine.legs.joint == "angle"

    @cached_property
    def q(self) -> Model:
        """Joint coordinates (n, k); cranks' within a quarter turn of `q_centre`."""
        if self.machine.legs.rod() is None:
            return self.length
        if not self.is_in_base:
            return self.in_base.q
        # The sine of a small angle in place of an arc tangent of two models.
        return (
            self.turn[0].arcsine + self.q_centre
            if self._is_crank
            else slider(self.table, self.reach, self.square, self.motion)
        )

    @cached_property
    def reach(self) -> Model:
        """Vectors (n, k, 3) from the anchors to the platform joints."""
        return self.fixed(self.point - rows_of(self.table, ANCHOR)) + self._joints

    @cached_property
    def square(self) -> Model:
        """Squares (n, k) of the lengths of `reach`."""
        return self.square_from(rows_of(self.table, ANCHOR))

    def square_from(self, place: Array) -> Model:
        """Squared distances (n, k) of platform joints from places (n, k, 3).

        With p from there to the region's point and r on to the joint, |p|^2 + |r|^2 + 2 p . r: |r| is constant, so that
        the remainder is that of p . r alone.
        """
        base, r = self.in_base, rows_of(self.table, PLATFORM) - self.motion.about
        p = base.point - place
        return p.dot(p) + p.dot(base._joints) * 2.0 + np.sum(r * r, axis=-1)

    @cached_property
    def _joints(self) -> Model:
        """Vectors (n, k, 3) from the region's point to the platform joints."""
        return self.arms(rows_of(self.table, PLATFORM) - self.motion.about)

    @cached_property
    def _cranks(self) -> tuple[Array, Model, Model]:
        return self.in_base._cranks if not self.is_in_base else crank(self.table, self.reach, self.square, self.motion)

    @property
    def q_centre(self) -> Array:
        """Angles of cranks (n, k) at the boxes' centres; joint coordinates of others."""
        return self._cranks[0] if self._is_crank else self.q.value

    @property
    def turn(self) -> tuple[Model, Model]:
        """Sines and cosines (n, k) of the cranks' angles from `q_centre`."""
        return self._cranks[1:]

    def fixed(self, w: Model) -> Model:
        """Vectors (n, k, 3) given in the base's axes, in the axes of these models."""
        return w if self.is_in_base else self._turned(w, -1.0)

    def constants(self, vectors: Array) -> Model:
        """Constant vectors (k, 3) of the base, as models (n, k, 3)."""
        still = np.broadcast_to(vectors, (len(self.motion.X), *vectors.shape))
        return self.fixed(Model.constant(still, self.motion.half))

    def arms(self, vectors_P: Array) -> Model:
        """Vectors (k, 3) or (n, k, 3) fixed to the platform, given in its frame, as models (n, k, 3)."""
        motion, half = self.motion, self.motion.half
        x = vectors_P @ np.swapaxes(motion.X[:, :3, :3], 1, 2)
        size = np.linalg.norm(x, axis=-1, keepdims=True)
        gradient = np.zeros((*x.shape, 6))
        if not self.is_in_base:
            return Model.linear(x, gradient, np.broadcast_to(ROUND_OFF * size, x.shape), half)
        # exp(v) x with v = W dz is, to second order, x + (v x x) + v (v . x) / 2 - |v|^2 x / 2.
        W, along = motion.W[:, None], x @ motion.W  # columns, and their scalar products with x
        gradient[..., 3:] = np.swapaxes(cross(np.swapaxes(W, -1, -2), x[..., None, :]), -1, -2)
        hessian, outer = np.zeros((*x.shape, 6, 6)), W[..., None] * along[..., None, None, :] / 2
        square = np.swapaxes(motion.W, 1, 2) @ motion.W
        hessian[..., 3:, 3:] = outer + np.swapaxes(outer, -1, -2) - x[..., None, None] * square[:, None, None]
        # Bounds of |v|, and of the angle of D in the rotation exp(v) D.
        t, turn = motion.turn[:, None, None], motion.bend[:, None, None] / 2
        remainder = ((t**3 / 6 + turn) * WIDENED + 4 * ROUND_OFF * (1 + t)) * size
        return Model(x, gradient, hessian, np.broadcast_to(remainder, x.shape), half)

    def _turned(self, w: Model, sense: float) -> Model:
        """Vectors (n, k, 3) rotated with the platform, or with sense -1 back.

        The rotation is exp(v) D with v = W dz and D one by at most |w'| / 2: w + v x w + v x (v x w) / 2, back with -v.
        """
        motion, gradient = self.motion, np.swapaxes(w.gradient, -1, -2)
        W = np.zeros((len(motion.W), 1, 6, 3))  # rows
        W[:, 0, 3:] = sense * np.swapaxes(motion.W, 1, 2)
        first = cross(W, w.value[:, :, None])
        second = cross(W[:, :, :, None], (gradient + first / 2)[:, :, None])  # (n, k, a, b, 3)
        hessian = w.hessian + np.moveaxis(second + np.swapaxes(second, 2, 3), -1, 2)
        bent, change, size = (
            np.linalg.norm(part, axis=-1, keepdims=True) for part in (w.nonlinear_variation, w.change, w.size)
        )
        t, turn = motion.turn[:, None, None], motion.bend[:, None, None] / 2
        remainder = (t * bent + t**2 / 2 * change + (t**3 / 6 + turn) * size) * WIDENED + 4 * ROUND_OFF * (1 + t) * size
        return Model(w.value, np.swapaxes(gradient + first, -1, -2), hessian, w.remainder + remainder, motion.half)

    def along(self, rows: Model, vectors: Array) -> Model:
        """Scalar products (n, 6, k) of rows (n, 6, 6) with twists or wrenches (k, 6) in the base's axes."""
        parts = (self.constants(vectors[:, part]) for part in (slice(3), slice(3, 6)))
        return rows[:, :, None].dot(Model.joined(list(parts), axis=2)[:, None])

    @cached_property
    def rods(self) -> Model:
        """Vectors (n, k, 3) from the driven points to the platform joints."""
        if self.machine.legs.rod() is None:
            return self.reach
        return self.fixed(self.point - self.feet) + self._joints

    def along_rods(self, axis: Array, carrier: str) -> Model:
        """Cosines (n, k) between the rods and directions (n, k, 3) fixed to a `carrier`: base, platform or drive.

        Directions are in the carrier's axes, a drive's as they are at `q_centre`. Scalar products are summed, rather
        than vectors: constant products of fixed vectors then have no remainder.
        """
        base, (scalars, vectors) = self.in_base, self._foot
        if carrier == "drive" and self._is_crank:
            (sine, cosine), n = self.turn, rows_of(self.table, AXIS)
            along = np.sum(n * axis, axis=-1, keepdims=True) * n
            d = base.reach
            found = cosine * d.dot(axis - along) + sine * d.dot(cross(n, axis)) + d.dot(along)
            return (found - np.sum(self._arm * axis, axis=-1)) * (1 / self.table[ROD])
        p = base.point - self.driven(self.q_centre)[0]
        if carrier == "platform":
            a, joint = base.arms(axis), rows_of(self.table, PLATFORM) - self.motion.about
            found = p.dot(a) + np.sum(joint * axis, axis=-1)
            parts = [scalar * a.dot(vector) for scalar, vector in zip(scalars, vectors, strict=True)]
        else:
            found = (p + base._joints).dot(axis)
            parts = [scalar * np.sum(vector * axis, axis=-1) for scalar, vector in zip(scalars, vectors, strict=True)]
        for part in parts:
            found = found - part
        return found * (1 / self.table[ROD])

    def driven(self, q: Array) -> tuple[Array, Array]:
        """Driven points (n, k, 3) at joint coordinates (n, k), and the directions of their motion."""
        anchor, axis = (rows_of(self.table, first) for first in (ANCHOR, AXIS))
        if not self._is_crank:
            return anchor + q[..., None] * axis, np.broadcast_to(axis, anchor.shape)
        arm, normal = arms_at(self.table, q)
        return anchor + arm, normal / np.linalg.norm(normal, axis=-1, keepdims=True)

    @cached_property
    def _foot(self) -> tuple[tuple[Model, ...], tuple[Array, ...]]:
        """Displacements of driven points from those at `q_centre`, as scalars (n, k) times vectors (n, k, 3)."""
        axis = rows_of(self.table, AXIS)
        if not self._is_crank:
            return (self.q - self.q_centre,), (axis,)
        sine, cosine = self.turn
        return (sine, cosine - 1.0), (cross(axis, self._arm), self._arm)

    @cached_property
    def heads(self) -> Model:
        """Platform joints (n, k, 3) in the base's axes."""
        return self.in_base.point + self.in_base._joints

    @cached_property
    def feet(self) -> Model:
        """Driven points (n, k, 3) in the base's axes."""
        moved = self.carried(self._arm) if self._is_crank else self.q.column * rows_of(self.table, AXIS)
        return moved + rows_of(self.table, ANCHOR)

    @cached_property
    def _arm(self) -> Array:
        """Cranks (n, k, 3) at `q_centre`."""
        return arms_at(self.table, self.q_centre)[0]

    @cached_property
    def point(self) -> Model:
        """Positions (n, 1, 3) of the region's point, in the base's axes."""
        motion = self.motion
        place = (motion.X[:, :3, :3] @ motion.about + motion.X[:, :3, 3])[:, None]
        extent = np.linalg.norm(place, axis=-1, keepdims=True) + self.machine.size
        gradient = np.zeros((len(place), 1, 3, 6))
        gradient[:, 0, :, :3] = motion.directions  # exactly linear: the remainder is rounding
        return Model.linear(place, gradient, np.zeros_like(place) + ROUND_OFF * extent, motion.half)

    @cached_property
    def u(self) -> Model:
        """Directions of the rods (n, 6, 3)."""
        return self.rods * self.length.reciprocal.column

    @cached_property
    def length(self) -> Model:
        """Lengths of the rods (n, 6)."""
        if self.machine.legs.rod() is None:
            return self.square.root
        return Model.constant(self.table[ROD], self.motion.half)

    def carried(self, x: Array) -> Model:
        """Vectors (n, k, 3) in the base's axes that are x at the boxes' centres and turn with the drives."""
        if not self._is_crank:
            return Model.constant(np.broadcast_to(x, (*self.table.shape[1:], 3)), self.motion.half)
        axis, (sine, cosine) = rows_of(self.table, AXIS), self.turn
        along = np.sum(axis * x, axis=-1, keepdims=True) * axis
        return cosine.column * (x - along) + sine.column * cross(axis, x) + along

    @cached_property
    def foot_rate(self) -> Model:
        """Velocities (n, k, 3) of the driven points per rate of the joint coordinates."""
        axis = rows_of(self.table, AXIS)
        return self.fixed(self.carried(cross(axis, self._arm) if self._is_crank else axis))

    @cached_property
    def transmission(self) -> Model:
        """Transmission u . p' + L' (n, 6): rates of the joint coordinates are the rods' rates u . b', divided by it."""
        if self.machine.legs.rod() is None:
            return Model.constant(np.ones_like(self.table[ROD]), self.motion.half)
        return self.in_base.u.dot(self.in_base.foot_rate)

    @cached_property
    def transmitted(self) -> Model:
        """Amounts of u . p' + L' (n, 6): its sign is constant over poses at which the rods close."""
        return self.transmission * np.sign(self.transmission.value)

    def moments(self, point: Array, vectors: Model) -> Model:
        """Moments r x vectors (n, 6, 3), r the platform joints seen from a platform point (3,)."""
        return self.arms(self.machine.b_P - point).cross(vectors)

    def twists(self, point: Array) -> Model:
        """Twists (n, 6 legs, 6) of a platform point per rate along each rod, the others held: the transposed inverse of
        the rows [u, r x u], computed from rods of their own length and then scaled by it."""
        A = Model.joined([self.rods, self.moments(point, self.rods)], axis=2)
        # Sizes of the twists' components per unit rate: the arm for velocities, 1 for angular velocities.
        size = max(self.machine.characteristic_length, float(np.linalg.norm(point - self.machine.platform_centre)))
        return inverse(A, np.repeat([size, 1.0], 3)).transposed * self.length.column
