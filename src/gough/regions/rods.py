"""Legs over boxes of poses: what is sure of their first and second derivatives along straight lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import Enclosure
from gough.machine import Machine
from gough.regions.ball_bounds import rod_turns
from gough.regions.charts import WIDENED
from gough.regions.motions import ROUND_OFF, Motion, cross

PARTS = (0.8, 0.65, 0.5, 0.3)
"""Of the transmission u . p' at a box's centre, below which it is tried to prove that it does not fall."""
REFINED = 2
"""Times that bounds of legs are put into one another."""


class Rods(NamedTuple):
    """Six legs over n boxes: rods' directions and lengths, joint coordinates with their derivatives (n, 6, 6), those of
    the driven points (n, 6, 3), and bounds over the box of q' and q'' (below and above), of u' and of u''; derivatives
    of u by the coordinates (n, 6, 6, 3), the coordinate first."""

    arms: Array
    u: Array
    length: Array
    q: Array
    slope: Array
    p_q: Array
    q1: Array
    q2_low: Array
    q2_high: Array
    u1: Array
    u2: Array
    u_z: Array


def rods(machine: Machine, motion: Motion, q: Array, enclosure: Enclosure, transmission: Array | None = None) -> Rods:
    """Legs at the boxes' centres, and how fast they can change over the boxes; NaN where a leg is open at the centre.

    `transmission` (n, 6): lower bounds of |u . p'| over the boxes, NaN where there is none.
    First bounds from balls about the joints; from them, since u' over the box is no farther than u'' from that at the
    centre, sharper ones, twice.
    """
    legs = machine.legs
    arms = motion.arms(machine.b_P)
    reach = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    place = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3]
    d = place + arms - legs.driven_points(q)
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    b1, b2 = motion.speed(reach), motion.curvature(reach)
    twist = legs.carrier_twist()
    p_q = twist[:, :3] + cross(twist[:, 3:], legs.driven_points(q) - legs.carriers(q)[..., :3, 3])
    along = np.sum(u * p_q, axis=-1) + (1.0 if legs.rod() is None else 0.0)
    slope = motion.rows(u / along[..., None], cross(arms, u) / along[..., None])
    u_z = _direction_slopes(motion, arms, u, length, p_q, slope)
    q_here = np.sum(np.abs(slope) * motion.half[:, None], axis=-1) * WIDENED
    u_here = _most(u_z, motion.half)
    if legs.rod() is None:
        q1, low, high, u1, u2 = _strut_bounds(length, b1, b2, q_here, u_here)
    else:
        speed, turning = np.linalg.norm(p_q, axis=-1), np.linalg.norm(twist[:, 3:], axis=-1)
        least = _least_transmission(enclosure, along, speed, turning)
        least = least if transmission is None else np.fmax(least, transmission)
        rates = _Rates(length, np.abs(along), speed, speed * turning, q_here, u_here * length, b1, b2)
        q1, low, high, u1, u2 = _rod_bounds(rates, least)
    return Rods(arms, u, length, q, slope, p_q, q1, low, high, u1, u2, u_z)


def _most(vectors: Array, half: Array) -> Array:
    """Bound (n, 6) of |sum of z_j times vectors (n, 6, 6, 3)|, |z_j| <= half (n, 6): the square is a quadratic form."""
    by_leg = np.swapaxes(vectors * half[:, :, None, None], 1, 2)
    return np.asarray(np.sqrt(np.abs(by_leg @ np.swapaxes(by_leg, -1, -2)).sum(axis=(-1, -2))) * WIDENED)


def _strut_bounds(length: Array, b1: Array, b2: Array, q_here: Array, u_here: Array) -> tuple[Array, ...]:
    """q', q'' below and above, u' and u'' of struts.

    u'' has parts along u, |u'|^2, and across it, of d'' / L and 2 q' u' / L.
    """
    shortest = length * (1 - ROUND_OFF) - b1
    shortest = np.where(shortest > 0, shortest, np.nan)
    q1, u1 = b1, b1 / shortest * WIDENED
    for _ in range(REFINED):
        high = (b2 + u1**2 * (length + b1)) * WIDENED
        u2 = (b2 / shortest + np.hypot(2 * q1 / shortest * u1, u1**2)) * WIDENED
        q1, u1 = np.fmin(q1, (q_here + high) * WIDENED), np.fmin(u1, (u_here + u2) * WIDENED)
    high = (b2 + u1**2 * (length + b1)) * WIDENED
    u2 = (b2 / shortest + np.hypot(2 * q1 / shortest * u1, u1**2)) * WIDENED
    return q1, b2, high, u1, u2


class _Rates(NamedTuple):
    """What bounds of rods follow from: lengths, |u . p'|, |p'| and |p''| at the centre, q' and d' there at the most,
    and bounds of b' and b'' over the box (n, 6)."""

    length: Array
    along: Array
    speed: Array
    bend: Array
    q_here: Array
    d_here: Array
    b1: Array
    b2: Array

    def under(self, least: Array) -> tuple[Array, Array, Array, Array]:
        """q', d', q'' and d'' while |u . p'| is at least so much."""
        q1, d1 = self.b1 / least * WIDENED, self.b1 * self.speed / least * WIDENED
        for _ in range(REFINED):
            q2 = (self.b2 + self.bend * q1**2 + d1**2 / self.length) / least * WIDENED
            d2 = (self.b2 + self.bend * q1**2 + self.speed * q2) * WIDENED
            q1, d1 = np.fmin(q1, (self.q_here + q2) * WIDENED), np.fmin(d1, (self.d_here + d2) * WIDENED)
        return q1, d1, q2, d2

    def left(self, q1: Array, d1: Array) -> Array:
        """The least |u . p'|: the angle between u and p' changes by no more than |u'| + |q' p''| / |p'|."""
        angle = np.arccos(np.minimum(self.along / self.speed, 1.0))
        most = angle + (d1 / self.length + self.bend / self.speed * q1) * WIDENED
        return self.speed * (np.cos(np.minimum(most, np.pi)) - ROUND_OFF)


def _rod_bounds(rates: _Rates, least: Array) -> tuple[Array, ...]:
    """The same of rods, with a lower bound of |u . p'| where there is one, else NaN.

    Another is a part of that at the centre, if bounds that follow from it leave more: |u . p'| cannot be the first to
    fall below it on the line from the centre.
    """
    for part in PARTS:
        assumed = part * rates.along
        left = rates.left(*rates.under(assumed)[:2])
        least = np.where(left > assumed, np.fmax(least, left), least)
    least = np.fmax(least, rates.left(*rates.under(least)[:2]))
    q1, d1, q2, d2 = rates.under(least)
    return q1, q2, q2, d1 / rates.length * WIDENED, d2 / rates.length * WIDENED


def _direction_slopes(motion: Motion, arms: Array, u: Array, length: Array, p_q: Array, slope: Array) -> Array:
    """Derivatives (n, 6, 6, 3) of the rods' directions by the coordinates."""
    b = np.empty((len(u), 6, 6, 3))
    b[:, :3] = motion.directions.T[:, None]
    b[:, 3:] = cross(np.swapaxes(motion.W, 1, 2)[:, :, None], arms[:, None])
    d = b - p_q[:, None] * np.swapaxes(slope, 1, 2)[..., None]
    along = np.sum(d * u[:, None], axis=-1, keepdims=True)
    return np.asarray((d - along * u[:, None]) / length[:, None, :, None])


def _least_transmission(enclosure: Enclosure, along: Array, speed: Array, is_turning: Array) -> Array:
    """Smallest |u . p'| over each box, NaN where it may be zero: the rod and the path of its foot turn."""
    chord, _ = rod_turns(enclosure)
    with np.errstate(invalid="ignore"):
        swing = np.where(is_turning > 0, np.minimum(enclosure.q_high - enclosure.q_low, np.pi), 0.0)
        least = np.abs(along) - speed * (chord + 2 * np.sin(swing / 2)) - ROUND_OFF * speed
        return np.where(least > 0, least, np.nan)
