"""Legs over boxes of poses: how far joint coordinates and directions go, and how far from what is linear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Motion
from gough.regions.rod_joints import Places, joints

REFINED = 2
"""Times that bounds of legs are put into one another."""


class Rods(NamedTuple):
    """Six legs over n boxes: rods' directions and lengths, joint coordinates with derivatives (n, 6, 6), those of the
    driven points (n, 6, 3); over the box bounds q1 and u1 of how far q and u go from these, and of how far from what is
    linear, q2 / 2 (below and above) and u2 / 2; derivatives of u by the coordinates (n, 6, 6, 3), the coordinate first.

    Of struts q and u are those at the centres, of rods numbers and vectors near them; cranks are counted to full turns.
    """

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


def rods(machine: Machine, motion: Motion, squares: Sequence[Array] = ()) -> Rods:
    """Legs over boxes; NaN where nothing is known. `squares` are lowest values of those of `rod_reach`, none of struts.

    Nothing is said of poses where a rod cannot close.
    """
    arms = motion.arms(machine.b_P)
    reach = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    b = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3] + arms
    places = Places(motion, b, arms, motion.speed(reach), motion.curvature(reach))
    return _struts(machine, places) if machine.legs.rod() is None else _rods(machine, places, squares)


def _struts(machine: Machine, places: Places) -> Rods:
    """First bounds from balls about the joints; from them, since u' over the box is no farther than u'' from that at
    the centre, sharper ones, twice."""
    motion, arms, legs = places.motion, places.arms, machine.legs
    d = places.b - legs.rest()
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    slope = motion.rows(u, cross(arms, u))
    b_z = _joint_slopes(motion, arms)
    u_z = (b_z - np.sum(b_z * u[:, None], axis=-1, keepdims=True) * u[:, None]) / length[:, None, :, None]
    q_here = np.sum(np.abs(slope) * motion.half[:, None], axis=-1) * WIDENED
    q1, low, high, u1, u2 = strut_bounds(length, places.b1, places.b2, q_here, _most(u_z, motion.half))
    return Rods(arms, u, length, length, slope, np.zeros_like(u), q1, low, high, u1, u2, u_z)


def _rods(machine: Machine, places: Places, squares: Sequence[Array]) -> Rods:
    """Where q = q(c) + q_b . (b - b(c)) + rest, of u l = b - p(q) (1 - p' q_b) b'' / 2 - p' rest - p'' q1^2 / 2
    is not linear at the most. The norm of 1 - p' q_b is the root of the larger of two eigenvalues."""
    motion, arms, legs = places.motion, places.arms, machine.legs
    rod, (q, q_b, rest) = np.asarray(legs.rod()), joints(machine, places, squares)
    twist = legs.carrier_twist()
    foot = legs.driven_points(q)
    p_q = twist[:, :3] + cross(twist[:, 3:], foot - legs.carriers(q)[..., :3, 3])
    slope = motion.rows(q_b, cross(arms, q_b))
    speed, turning, gain = (np.linalg.norm(x, axis=-1) for x in (p_q, twist[:, 3:], q_b))
    q2 = (gain * places.b2 + 2 * rest) * WIDENED
    q_here = np.sum(np.abs(slope) * motion.half[:, None], axis=-1)
    q1 = np.minimum(q_here + q2 / 2, gain * places.b1 + rest) * WIDENED
    u = (places.b - foot) / rod[:, None]
    u_z = (_joint_slopes(motion, arms) - p_q[:, None] * np.swapaxes(slope, 1, 2)[..., None]) / rod[:, None]
    along, both = np.sum(p_q * q_b, axis=-1), (speed * gain) ** 2  # of p' q_b: its trace, and the square of its norm
    square = np.maximum(1 - along + both / 4, 0.0) + ROUND_OFF * (1 + both)
    spread = np.sqrt(1 - along + both / 2 + np.sqrt(both * square))
    u2 = (spread * places.b2 + 2 * speed * rest + speed * turning * q1**2) / rod * WIDENED
    u1 = np.minimum(_most(u_z, motion.half) + u2 / 2, (places.b1 + speed * q1) / rod) * WIDENED
    return Rods(arms, u, np.broadcast_to(rod, q.shape), q, slope, p_q, q1, q2, q2, u1, u2, u_z)


def _most(vectors: Array, half: Array) -> Array:
    """Bound (n, 6) of |sum of z_j times vectors (n, 6, 6, 3)|, |z_j| <= half (n, 6): the square is a quadratic form."""
    by_leg = np.swapaxes(vectors * half[:, :, None, None], 1, 2)
    return np.asarray(np.sqrt(np.abs(by_leg @ np.swapaxes(by_leg, -1, -2)).sum(axis=(-1, -2))) * WIDENED)


def strut_bounds(length: Array, b1: Array, b2: Array, q_here: Array, u_here: Array) -> tuple[Array, ...]:
    """q', q'' below and above, u' and u'' of struts in unit time about a middle, where they have lengths and bounds of
    q' and u': from how fast joints go, b1, no less than how far, and b2 of |b''|. NaN where a strut may have no length.

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


def _joint_slopes(motion: Motion, arms: Array) -> Array:
    """Derivatives (n, 6, 6, 3) of the platform joints by the coordinates."""
    b = np.empty((len(arms), 6, 6, 3))
    b[:, :3] = motion.directions.T[:, None]
    b[:, 3:] = cross(np.swapaxes(motion.W, 1, 2)[:, :, None], arms[:, None])
    return b
