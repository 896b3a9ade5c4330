"""Legs over boxes of poses: joint coordinates and rods' directions to first order, with bounds of second derivatives.

Lines go from a box's centre to its places in unit time, as in `gough.regions.second_order`: with f' and f'' a quantity
moves by no more than |f'| and departs from its linear part by no more than |f''| / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Motion
from gough.regions.rod_joints import JointPositions, joint_models

REFINED = 2
"""Iterations in which bounds of q', u' and u'' sharpen one another."""


class Rods(NamedTuple):
    """Six legs over n boxes, expanded about the centres.

    `u` and `length` are the rods' directions and lengths, `q` the joint coordinates, `gradient` (n, 6, 6) theirs,
    `p_q` (n, 6, 3) the derivatives of the driven points by q, `u_z` (n, 6, 6, 3) those of u by the coordinates, the
    coordinate first. Bounds over the box: q1 of |q'|, q2_low and q2_high of -q'' and q'', u1 of |u'|, u2 of |u''|.

    Of struts q and u are the values at the centres. Of rods they are the centres of enclosures, near those values; q of
    a crank is known up to full turns.
    """

    arms: Array
    u: Array
    length: Array
    q: Array
    gradient: Array
    p_q: Array
    q1: Array
    q2_low: Array
    q2_high: Array
    u1: Array
    u2: Array
    u_z: Array


def rods(machine: Machine, motion: Motion, squares: Sequence[Array] = ()) -> Rods:
    """Legs over boxes; NaN where no bound is known. `squares` are lower bounds of those of `rod_joints.reaches`, for
    rods of constant length.

    Poses at which a rod cannot close are not covered.
    """
    arms = motion.arms(machine.b_P)
    reach = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    b = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3] + arms
    joints = JointPositions(motion, b, arms, motion.speed(reach), motion.curvature(reach))
    return _struts(machine, joints) if machine.legs.rod() is None else _rods(machine, joints, squares)


def _struts(machine: Machine, joints: JointPositions) -> Rods:
    """Bounds from balls about the joints first, then refined by `strut_bounds`: u' over the box differs from u' at the
    centre by no more than u''."""
    motion, arms, legs = joints.motion, joints.arms, machine.legs
    d = joints.b - legs.rest()
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    gradient = motion.rows(u, cross(arms, u))
    b_z = _joint_gradients(motion, arms)
    u_z = (b_z - np.sum(b_z * u[:, None], axis=-1, keepdims=True) * u[:, None]) / length[:, None, :, None]
    q_here = np.sum(np.abs(gradient) * motion.half[:, None], axis=-1) * WIDENED
    q1, low, high, u1, u2 = strut_bounds(length, joints.b1, joints.b2, q_here, _longest_sum(u_z, motion.half))
    return Rods(arms, u, length, length, gradient, np.zeros_like(u), q1, low, high, u1, u2, u_z)


def _rods(machine: Machine, joints: JointPositions, squares: Sequence[Array]) -> Rods:
    """With q = q(c) + q_b . (b - b(c)) + rest, the nonlinear part of u l = b - p(q) is bounded by that of
    (1 - p' q_b^T) b'' / 2 - p' rest - p'' q1^2 / 2."""
    motion, arms, legs = joints.motion, joints.arms, machine.legs
    rod, (q, q_b, rest) = np.asarray(legs.rod()), joint_models(machine, joints, squares)
    twist = legs.carrier_twist()
    foot = legs.driven_points(q)
    p_q = twist[:, :3] + cross(twist[:, 3:], foot - legs.carriers(q)[..., :3, 3])
    gradient = motion.rows(q_b, cross(arms, q_b))
    speed, turning, gain = (np.linalg.norm(x, axis=-1) for x in (p_q, twist[:, 3:], q_b))
    q2 = (gain * joints.b2 + 2 * rest) * WIDENED
    q_here = np.sum(np.abs(gradient) * motion.half[:, None], axis=-1)
    q1 = np.minimum(q_here + q2 / 2, gain * joints.b1 + rest) * WIDENED
    u = (joints.b - foot) / rod[:, None]
    u_z = (_joint_gradients(motion, arms) - p_q[:, None] * np.swapaxes(gradient, 1, 2)[..., None]) / rod[:, None]
    # Spectral norm of M = 1 - p' q_b^T: M^T M is 1 across p' and q_b and has two other eigenvalues, whose larger one
    # follows from trace and norm of p' q_b^T. What rounding takes off is added under the inner root.
    along, both = np.sum(p_q * q_b, axis=-1), (speed * gain) ** 2
    square = np.maximum(1 - along + both / 4, 0.0) + ROUND_OFF * (1 + both)
    spread = np.sqrt(1 - along + both / 2 + np.sqrt(both * square))
    u2 = (spread * joints.b2 + 2 * speed * rest + speed * turning * q1**2) / rod * WIDENED
    u1 = np.minimum(_longest_sum(u_z, motion.half) + u2 / 2, (joints.b1 + speed * q1) / rod) * WIDENED
    return Rods(arms, u, np.broadcast_to(rod, q.shape), q, gradient, p_q, q1, q2, q2, u1, u2, u_z)


def _longest_sum(vectors: Array, half: Array) -> Array:
    """Bound (n, 6) of |sum_j z_j v_j| with vectors v (n, 6, 6, 3) and |z_j| <= half (n, 6): the square of the sum is a
    quadratic form in z, whose entries' amounts are added."""
    by_leg = np.swapaxes(vectors * half[:, :, None, None], 1, 2)
    return np.asarray(np.sqrt(np.abs(by_leg @ np.swapaxes(by_leg, -1, -2)).sum(axis=(-1, -2))) * WIDENED)


def strut_bounds(length: Array, b1: Array, b2: Array, q_here: Array, u_here: Array) -> tuple[Array, ...]:
    """Bounds of |q'|, -q'', q'', |u'| and |u''| of struts in unit time about a middle.

    `length`, `q_here` and `u_here` are the struts' lengths there and bounds of |q'| and |u'| there; b1 bounds the
    joints' speeds, and with them their displacements, b2 bounds |b''|. NaN where a strut may have length zero.

    q'' = u . b'' + L |u'|^2 is bounded below by -b2 alone. u'' has a part along u, |u'|^2, and one across it, of
    b'' / L and 2 q' u' / L.
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


def _joint_gradients(motion: Motion, arms: Array) -> Array:
    """Derivatives (n, 6, 6, 3) of the platform joints by the coordinates."""
    b = np.empty((len(arms), 6, 6, 3))
    b[:, :3] = motion.directions.T[:, None]
    b[:, 3:] = cross(np.swapaxes(motion.W, 1, 2)[:, :, None], arms[:, None])
    return b
