"""Legs over boxes of poses as Taylor models: directions, joint coordinates, what drives carry, rows of Jacobians."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.regions.charts import WIDENED
from gough.regions.motions import ROUND_OFF, Motion, cross
from gough.regions.rods import Rods
from gough.regions.taylor import Model, inverse


@dataclass(frozen=True, eq=False)
class LegModels:
    """Models of six legs, and of what the platform carries, over n boxes."""

    machine: Machine
    motion: Motion
    legs: Rods

    @cached_property
    def _q_error(self) -> Array:
        """How exactly joint coordinates are computed (n, 6)."""
        extent = self.machine.size + np.linalg.norm(self.motion.X[:, :3, 3], axis=-1)[:, None]
        return np.asarray(ROUND_OFF * (extent * np.linalg.norm(self.legs.slope[..., :3], axis=-1) + abs(self.legs.q)))

    @cached_property
    def q(self) -> Model:
        """Joint coordinates (n, 6)."""
        rest = np.fmax(self.legs.q2_low, self.legs.q2_high) / 2 + self._q_error
        return Model(self.legs.q, self.legs.slope, rest, self.motion.half)

    @cached_property
    def bent(self) -> Array:
        """How far, in any direction, the rods' directions may be off what is linear (n, 6)."""
        extent = np.linalg.norm(self.motion.X[:, :3, 3], axis=-1)[:, None] + np.abs(self.legs.arms).max()
        off = ROUND_OFF * extent + np.linalg.norm(self.legs.p_q, axis=-1) * self._q_error
        return np.asarray(self.legs.u2 / 2 + 2 * ROUND_OFF + off / self.legs.length)

    @cached_property
    def u(self) -> Model:
        """Directions of the rods (n, 6, 3)."""
        slope = np.moveaxis(self.legs.u_z, 1, -1)
        return Model(self.legs.u, slope, np.repeat(self.bent[..., None], 3, axis=-1), self.motion.half)

    @cached_property
    def length(self) -> Model:
        """Lengths of the rods (n, 6)."""
        rod = self.machine.legs.rod()
        return self.q if rod is None else Model.constant(np.broadcast_to(rod, self.q.value.shape), self.motion.half)

    def carried(self, x: Array) -> Model:
        """Vectors (n, 6, 3) that are x at the boxes' centres and turn with what the drives carry."""
        axis = self.machine.legs.carrier_twist()[:, 3:]
        still = Model.constant(np.broadcast_to(x, (len(self.motion.X), 6, 3)), self.motion.half)
        if not axis.any():
            return still
        turn = Model(np.zeros_like(self.q.value), self.q.slope, self.q.rest, self.motion.half)
        one, zero = np.ones_like(turn.value), np.zeros_like(turn.value)
        sine, cosine = turn.smooth(zero, one, np.minimum(turn.change, one)), turn.smooth(one, zero, one)
        along = np.sum(axis * x, axis=-1, keepdims=True) * axis
        return cosine.column * (x - along) + sine.column * cross(axis, x) + along

    @cached_property
    def foot_rate(self) -> Model:
        """Velocities (n, 6, 3) of the driven points per rate of the joint coordinates."""
        return self.carried(self.legs.p_q)

    @cached_property
    def transmission(self) -> Model:
        """U . p' + L' (n, 6): rates of the joint coordinates are those along the rods, divided by it."""
        if self.machine.legs.rod() is None:
            return Model.constant(np.ones_like(self.q.value), self.motion.half)
        return self.u.dot(self.foot_rate)

    @cached_property
    def transmitted(self) -> Model:
        """Amounts of u . p' + L' (n, 6), whose sign stays where rods close."""
        return self.transmission * np.sign(self.transmission.value)

    def arms(self, points_P: Array) -> Model:
        """Vectors (n, k, 3) that the platform carries, (k, 3) in its frame."""
        x = points_P @ np.swapaxes(self.motion.X[:, :3, :3], 1, 2)
        slope = cross(np.swapaxes(self.motion.W, 1, 2)[:, None], x[:, :, None])
        whole = np.concatenate([np.zeros_like(slope), slope], axis=2)
        length = np.linalg.norm(points_P, axis=-1)
        rest = self.motion.curvature(length) / 2 + ROUND_OFF * length
        rest = np.repeat(rest[..., None], 3, axis=-1)
        return Model(x, np.swapaxes(whole, 2, 3), rest, self.motion.half)

    def moments(self, point: Array) -> Model:
        """R x u (n, 6, 3) with r the platform joints seen from a platform point (3,)."""
        arms, u = self.arms(self.machine.b_P - point), self.u
        straight = Model(u.value, u.slope, np.zeros_like(u.rest), u.half)
        found, far = arms.cross(straight), arms.size**2
        off = self.bent[..., None] * np.sqrt(far.sum(axis=-1, keepdims=True) - far) * WIDENED
        return Model(found.value, found.slope, found.rest + off, u.half)

    def twists(self, point: Array) -> Model:
        """Twists (n, 6 legs, 6) of a platform point per rate along each rod, the others held: the inverse of the rows
        [u, r x u], transposed."""
        A = Model.joined([self.u, self.moments(point)], axis=2)
        size = max(self.machine.characteristic_length, float(np.linalg.norm(point - self.machine.platform_centre)))
        T = inverse(A, np.repeat([size, 1.0], 3))
        return Model(np.swapaxes(T.value, 1, 2), np.swapaxes(T.slope, 1, 2), np.swapaxes(T.rest, 1, 2), T.half)
