"""Legs over boxes of poses as Taylor models: rods, joint coordinates, what drives carry, columns of inverse Jacobians.

Vectors are in the base's axes, or in axes that turn with the platform and are the base's at the boxes' centres. There
platform joints stay, and moments of rods about a platform point are linear in them: less is dropped of inverses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ANCHOR
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.drive_models import better, crank, slider
from gough.regions.inverse_models import inverse
from gough.regions.motions import Motion
from gough.regions.rods import Rods
from gough.regions.taylor import Model


@dataclass(frozen=True, eq=False)
class LegModels:
    """Models of six legs, and of what the platform carries, over n boxes."""

    machine: Machine
    motion: Motion
    legs: Rods
    is_in_base: bool = False

    @cached_property
    def in_base(self) -> LegModels:
        """The same in the base's axes."""
        return self if self.is_in_base else LegModels(self.machine, self.motion, self.legs, is_in_base=True)

    @cached_property
    def _q_error(self) -> Array:
        """How exactly joint coordinates are computed (n, 6)."""
        extent = self.machine.size + np.linalg.norm(self.motion.X[:, :3, 3], axis=-1)[:, None]
        return np.asarray(ROUND_OFF * (extent * np.linalg.norm(self.legs.slope[..., :3], axis=-1) + abs(self.legs.q)))

    @cached_property
    def q(self) -> Model:
        """Joint coordinates (n, 6); those of cranks are linear."""
        if self.machine.legs.rod() is None:
            return self.length
        if not self.is_in_base:
            return self.in_base.q
        rest = np.fmax(self.legs.q2_low, self.legs.q2_high) / 2 + self._q_error
        linear = Model.linear(self.legs.q, self.legs.slope, rest, self.motion.half)
        return linear if self.machine.legs.joint == "angle" else better(slider(self.machine.table, self._reach), linear)

    @cached_property
    def _reach(self) -> Model:
        """Vectors (n, 6, 3), in the base's axes, from guides and cranks' centres to the platform joints."""
        arms = self.arms(self.machine.b_P - self.motion.about)
        return self.point - self.machine.table[ANCHOR : ANCHOR + 3].T + arms

    @cached_property
    def turn(self) -> tuple[Model, Model]:
        """Sines and cosines (n, 6) of how far cranks are from those of `legs`."""
        if not self.is_in_base:
            return self.in_base.turn
        turn = self.q - self.legs.q
        one, zero = np.ones_like(turn.value), np.zeros_like(turn.value)
        linear = turn.smooth(zero, one, zero, one), turn.smooth(one, zero, -one, np.minimum(turn.change, one))
        found = crank(self.machine.table, self._reach, self.legs.q)
        return better(found[0], linear[0]), better(found[1], linear[1])

    def fixed(self, w: Model) -> Model:
        """Vectors (n, k, 3) that are given in the base's axes."""
        return w if self.is_in_base else self._turned(w, -1.0)

    def constants(self, vectors: Array) -> Model:
        """Vectors (k, 3) of the base (n, k, 3)."""
        still = np.broadcast_to(vectors, (len(self.motion.X), *vectors.shape))
        return self.fixed(Model.constant(still, self.motion.half))

    def arms(self, vectors_P: Array) -> Model:
        """Vectors (k, 3) that the platform carries (n, k, 3)."""
        x = vectors_P @ np.swapaxes(self.motion.X[:, :3, :3], 1, 2)
        rest = np.broadcast_to(ROUND_OFF * np.linalg.norm(x, axis=-1, keepdims=True), x.shape)
        found = Model.linear(x, np.zeros((*x.shape, 6)), rest, self.motion.half)
        return self._turned(found, 1.0) if self.is_in_base else found

    def _turned(self, w: Model, sense: float) -> Model:
        """Vectors (n, k, 3) turned with the platform, or with sense -1 back.

        Of exp(v) D, v = W dz and D a turn by half of |w'| at the most: w + v x w + v x (v x w) / 2, back with -v.
        """
        motion, slope = self.motion, np.swapaxes(w.slope, -1, -2)
        W = np.zeros((len(motion.W), 1, 6, 3))  # rows
        W[:, 0, 3:] = sense * np.swapaxes(motion.W, 1, 2)
        first = cross(W, w.value[:, :, None])
        second = cross(W[:, :, :, None], (slope + first / 2)[:, :, None])  # (n, k, a, b, 3)
        curve = w.curve + np.moveaxis(second + np.swapaxes(second, 2, 3), -1, 2)
        bent, change, size = (np.linalg.norm(part, axis=-1, keepdims=True) for part in (w.bent, w.change, w.size))
        t, turn = motion.turn[:, None, None], motion.bend[:, None, None] / 2
        rest = (t * bent + t**2 / 2 * change + (t**3 / 6 + turn) * size) * WIDENED + 4 * ROUND_OFF * (1 + t) * size
        return Model(w.value, np.swapaxes(slope + first, -1, -2), curve, w.rest + rest, motion.half)

    def along(self, rows: Model, vectors: Array) -> Model:
        """Scalar products (n, 6, k) of rows (n, 6, 6) with twists or wrenches (k, 6) in the base's axes."""
        parts = (self.constants(vectors[:, part]) for part in (slice(3), slice(3, 6)))
        return rows[:, :, None].dot(Model.joined(list(parts), axis=2)[:, None])

    @cached_property
    def rods(self) -> Model:
        """Vectors (n, 6, 3) from the driven points to the platform joints."""
        motion, legs = self.motion, self.machine.legs
        if legs.rod() is None:
            return self.fixed(self.point - legs.rest()) + self.arms(self.machine.b_P - motion.about)
        foot, twist = legs.driven_points(self.legs.q), legs.carrier_twist()
        arm = foot - legs.carriers(self.legs.q)[..., :3, 3]
        moved = self.carried(arm) - arm + (self.q - self.legs.q).column * twist[:, :3]
        return self.fixed(self.point - (moved + foot)) + self.arms(self.machine.b_P - motion.about)

    @cached_property
    def point(self) -> Model:
        """Positions (n, 1, 3) of the region's point, in the base's axes."""
        motion = self.motion
        place = (motion.X[:, :3, :3] @ motion.about + motion.X[:, :3, 3])[:, None]
        extent = np.linalg.norm(place, axis=-1, keepdims=True) + self.machine.size
        slope = np.zeros((len(place), 1, 3, 6))
        slope[:, 0, :, :3] = motion.directions
        return Model.linear(place, slope, np.zeros_like(place) + ROUND_OFF * extent, motion.half)

    @cached_property
    def u(self) -> Model:
        """Directions of the rods (n, 6, 3)."""
        return self.rods * self.length.reciprocal.column

    @cached_property
    def length(self) -> Model:
        """Lengths of the rods (n, 6)."""
        rod = self.machine.legs.rod()
        if rod is None:
            return self.rods.dot(self.rods).root
        return Model.constant(np.broadcast_to(rod, self.legs.q.shape), self.motion.half)

    def carried(self, x: Array) -> Model:
        """Vectors (n, 6, 3) in the base's axes that are x at the boxes' centres and turn with what the drives carry."""
        axis = self.machine.legs.carrier_twist()[:, 3:]
        still = Model.constant(np.broadcast_to(x, (len(self.motion.X), 6, 3)), self.motion.half)
        if not axis.any():
            return still
        sine, cosine = self.turn
        along = np.sum(axis * x, axis=-1, keepdims=True) * axis
        return cosine.column * (x - along) + sine.column * cross(axis, x) + along

    @cached_property
    def foot_rate(self) -> Model:
        """Velocities (n, 6, 3) of the driven points per rate of the joint coordinates."""
        return self.fixed(self.carried(self.legs.p_q))

    @cached_property
    def transmission(self) -> Model:
        """U . p' + L' (n, 6): rates of the joint coordinates are those along the rods, divided by it."""
        if self.machine.legs.rod() is None:
            return Model.constant(np.ones_like(self.legs.q), self.motion.half)
        return self.in_base.u.dot(self.in_base.foot_rate)

    @cached_property
    def transmitted(self) -> Model:
        """Amounts of u . p' + L' (n, 6), whose sign stays where rods close."""
        return self.transmission * np.sign(self.transmission.value)

    def moments(self, point: Array, vectors: Model) -> Model:
        """Moments r x vectors (n, 6, 3), r the platform joints seen from a platform point (3,)."""
        return self.arms(self.machine.b_P - point).cross(vectors)

    def twists(self, point: Array) -> Model:
        """Twists (n, 6 legs, 6) of a platform point per rate along each rod, the others held: the inverse of the rows
        [u, r x u], transposed; that of the rods themselves, times their lengths."""
        A = Model.joined([self.rods, self.moments(point, self.rods)], axis=2)
        size = max(self.machine.characteristic_length, float(np.linalg.norm(point - self.machine.platform_centre)))
        T = inverse(A, np.repeat([size, 1.0], 3))
        value, slope, curve, rest = (np.swapaxes(part, 1, 2) for part in (T.value, T.slope, T.curve, T.rest))
        return Model(value, slope, curve, rest, T.half) * self.length.column
