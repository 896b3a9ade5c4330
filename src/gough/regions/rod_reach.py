"""Second-order bounds of how far rods of constant length are from where they cannot close.

With d from the guide's or the crank's centre to the platform joint: a slider closes while |e| <= l, e the part of d
across its guide; a crank of arm r while the distances of the joint to the nearest and farthest points of its circle,

    |d|^2 + r^2 -+ 2 r rho,    rho the part of d across the axis,

have roots on both sides of l. The squares are smooth where the distances are not.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ANCHOR, ARM, AXIS, ROD
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Motion, Part


def reaches(machine: Machine, motion: Motion) -> tuple[tuple[Part, float], ...]:
    """Squares (n, 6) that grow with the reach, with the sign of theirs: l - sqrt(-square), or sqrt(square) - l."""
    T = machine.table
    arms = motion.arms(machine.b_P)
    place = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3]
    d, axis = place + arms - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T
    across = d - np.sum(d * axis, axis=-1, keepdims=True) * axis
    rho, far = np.linalg.norm(across, axis=-1), np.linalg.norm(d, axis=-1)
    length = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    b1, b2 = motion.speed(length), motion.curvature(length)
    error = ROUND_OFF * 8 * (far + T[ROD] + np.linalg.norm(motion.X[:, None, :3, 3], axis=-1)) ** 2

    def part(value: Array, direction: Array, drop: Array) -> Part:
        return Part(value, motion.rows(direction, cross(arms, direction)), drop * WIDENED, error)

    if machine.legs.joint == "length":
        return ((part(-(rho**2), -2 * across, 2 * (b1**2 + (rho + b1) * b2)), -1.0),)
    r = np.linalg.norm(T[ARM : ARM + 3], axis=0)
    outward = across / np.where(rho > 0, rho, 1.0)[..., None]
    near, away = far**2 + r**2 - 2 * r * rho, far**2 + r**2 + 2 * r * rho
    # (|d|^2)'' = 2 |d'|^2 + 2 d . d'', rho'' >= -|d''|; rho is convex in d
    closer = part(-near, -2 * d + 2 * r[:, None] * outward, 2 * b1**2 + 2 * (far + b1 + r) * b2)
    return ((closer, -1.0), (part(away, 2 * d + 2 * r[:, None] * outward, 2 * (far + b1 + r) * b2), 1.0))


def reach_of(rod: Array, least: Array, sign: float) -> Array:
    """The reach (n, k) of rods (k,) from the lowest value (n, k) of a square."""
    if sign < 0:
        return np.asarray(rod - np.sqrt(np.maximum(-least, 0.0)) * (1 + 1e-15))
    return np.asarray(np.sqrt(np.maximum(least, 0.0)) * (1 - 1e-15) - rod)
