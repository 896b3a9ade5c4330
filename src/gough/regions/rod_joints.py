"""Joint coordinates of sliders and cranks over boxes of poses, and how near their rods are to the end of their reach.

With d from the guide's or the crank's centre to the platform joint, g the guide's direction, l the rod's length, r the
crank's arm and s = +-1 the branch,

    slider   q = g . d + s sqrt(w)              w = l^2 - |e|^2,  e the part of d across the guide
    crank    q = theta + s acos(y)              y = (|d|^2 + r^2 - l^2) / (2 r rho),  rho and theta polar in its plane

A slider closes while |e| <= l, a crank while |d|^2 + r^2 - 2 r rho <= l^2 <= |d|^2 + r^2 + 2 r rho: the squared
distances of the joint from the nearest and the farthest point of the crank's circle. Bounds are of these squares, since
they are smooth where the distances are not.

The derivatives of q are unbounded at the end of the reach. w and y are smooth: over an interval that encloses them,
root and arc cosine differ from their chord by a known amount, however near the end is (affine arithmetic: Stolfi and de
Figueiredo 1997, section 3.9). Poses at which a leg cannot close are not covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ANCHOR, ARM, ARM_NORMAL, AXIS, BRANCH, MIDDLE, ROD
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Expansion, Motion

NARROW = 1e-7
"""Intervals narrower than this get the derivative as slope: rounding would spoil the chord through their ends."""


class JointPositions(NamedTuple):
    """Platform joints over n boxes: positions (n, 6, 3) and arms (n, 6, 3) at the centres, bounds (n, 6) of b', their
    displacement, and of b'', twice their departure from what is linear in the coordinates."""

    motion: Motion
    b: Array
    arms: Array
    b1: Array
    b2: Array

    def along(self, direction: Array) -> Array:
        """Bound (n, 6) of the linear part of the displacements along directions (n, 6, 3) of any length."""
        rows = self.motion.rows(direction, cross(self.arms, direction))
        over_box = np.sum(np.abs(rows) * self.motion.half[:, None], axis=-1)
        return np.asarray(np.minimum(over_box, np.linalg.norm(direction, axis=-1) * self.b1) * WIDENED)

    def square_error(self, d: Array, rod: Array) -> Array:
        """Rounding error (n, 6) of the squares of lengths d (n, 6) and of the rods'."""
        return np.asarray(8 * ROUND_OFF * (d + rod + np.linalg.norm(self.motion.X[:, None, :3, 3], axis=-1)) ** 2)


def reaches(machine: Machine, motion: Motion) -> tuple[tuple[Expansion, float], ...]:
    """Squares (n, 6) that grow with the reach's margin, each with its sign: l - sqrt(-square), or sqrt(square) - l."""
    T = machine.table
    arms = motion.arms(machine.b_P)
    place = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3]
    d, axis = place + arms - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T
    across = d - np.sum(d * axis, axis=-1, keepdims=True) * axis
    rho, far = np.linalg.norm(across, axis=-1), np.linalg.norm(d, axis=-1)
    length = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    b1, b2 = motion.speed(length), motion.curvature(length)
    error = ROUND_OFF * 8 * (far + T[ROD] + np.linalg.norm(motion.X[:, None, :3, 3], axis=-1)) ** 2

    def expansion(value: Array, direction: Array, drop: Array) -> Expansion:
        return Expansion(value, motion.rows(direction, cross(arms, direction)), drop * WIDENED, error)

    if machine.legs.joint == "length":
        return ((expansion(-(rho**2), -2 * across, 2 * (b1**2 + (rho + b1) * b2)), -1.0),)
    r = np.linalg.norm(T[ARM : ARM + 3], axis=0)
    outward = across / np.where(rho > 0, rho, 1.0)[..., None]
    near, away = far**2 + r**2 - 2 * r * rho, far**2 + r**2 + 2 * r * rho
    # (|d|^2)'' = 2 |d'|^2 + 2 d . d''. rho is convex in d, so that rho'' >= -|d''|: no term in |d'|^2 for `away`.
    closer = expansion(-near, -2 * d + 2 * r[:, None] * outward, 2 * b1**2 + 2 * (far + b1 + r) * b2)
    return (
        (closer, -1.0),
        (expansion(away, 2 * d + 2 * r[:, None] * outward, 2 * (far + b1 + r) * b2), 1.0),
    )


def reach_margin(rod: Array, least: Array, sign: float) -> Array:
    """Margin of the reach (n, k) of rods (k,) from lower bounds (n, k) of a square, rounded down."""
    if sign < 0:
        return np.asarray(rod - np.sqrt(np.maximum(-least, 0.0)) * (1 + 1e-15))
    return np.asarray(np.sqrt(np.maximum(least, 0.0)) * (1 - 1e-15) - rod)


def joint_models(machine: Machine, joints: JointPositions, squares: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Values q (n, 6), gradients q_b (n, 6, 3) by the platform joints, and remainders (n, 6) of the joint coordinates
    of sliders or cranks: |q(b) - q - q_b . (b - b(c))| <= rest.

    `squares` are lower bounds (n, 6) of those of `reaches`. NaN where a leg closes nowhere in a box, and where no bound
    is known.
    """
    return (_slider if machine.legs.joint == "length" else _crank)(machine.table, joints, squares)


def _slider(T: Array, joints: JointPositions, squares: Sequence[Array]) -> tuple[Array, Array, Array]:
    d, g, rod, branch = joints.b - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T, T[ROD], T[BRANCH]
    along = np.sum(d * g, axis=-1)
    e = d - along[..., None] * g
    h, b1 = np.linalg.norm(e, axis=-1), joints.b1
    error = joints.square_error(np.linalg.norm(d, axis=-1), rod)
    # Enclosure of w over the box: from its expansion at the centre, from that of the squares, from |e| >= h - b1.
    w, fall = rod**2 - h**2, joints.along(2 * e) + h * joints.b2 + error
    low = np.maximum.reduce([w - (fall + b1**2) * WIDENED, rod**2 + squares[0], np.zeros_like(w)])
    high = np.minimum(w + fall * WIDENED, rod**2 - np.maximum(h - b1, 0.0) ** 2 + error)
    low, high = _nonempty(low, high)
    slope = 1 / (np.sqrt(low) + np.sqrt(high))
    most = (np.sqrt(high) - np.sqrt(low)) ** 2 * slope / 4  # of the root above its chord, where the slopes agree
    off = slope * b1**2  # |e|^2 is quadratic in b: beside its linear part there is the square of the change alone
    # The root lies between chord and chord + most, w between its linear part - b1^2 and that part: centre both ranges.
    root = np.sqrt(low) + slope * (w - low) + (most - off) / 2
    rest = ((most + off) / 2 + slope * error + ROUND_OFF * rod) * WIDENED
    return along + branch * root, g - 2 * (branch * slope)[..., None] * e, rest


def _crank(T: Array, joints: JointPositions, squares: Sequence[Array]) -> tuple[Array, Array, Array]:
    """With parts a, c, t of b' along the axis, away from it and about it,

    y'' = ((a^2 - c^2 + t^2) / r - 2 a c (d . n) / (r rho) + y (2 c^2 - t^2) / rho) / rho,   theta'' = -2 c t / rho^2.
    """
    d, n, rod, branch = joints.b - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T, T[ROD], T[BRANCH]
    r, b1 = np.linalg.norm(T[ARM : ARM + 3], axis=0), joints.b1
    x, y = (np.sum(d * T[first : first + 3].T, axis=-1) / r for first in (ARM, ARM_NORMAL))
    rho, far, offset = np.hypot(x, y), np.linalg.norm(d, axis=-1), np.sum(d * n, axis=-1)
    outward = (d - offset[..., None] * n) / rho[..., None]
    nearest = np.where(rho > b1, rho - b1, np.nan)  # smallest rho over the box; theta has no bound if it may be zero
    cosine = (far**2 + r**2 - rod**2) / (2 * r * rho)
    gradient = (d / r[:, None] - cosine[..., None] * outward) / rho[..., None]
    error = joints.square_error(far, rod + r) / (2 * r * rho)
    most = (np.abs(cosine) * rho + far * b1 / r + b1**2 / (2 * r)) / nearest  # of |y|, also where the leg is open
    # Bound of |y''|: the norms of its quadratic form's parts in (a, c, t), with |b'| <= b1 and rho >= nearest.
    bend = b1**2 / nearest * (np.hypot(1.0, (np.abs(offset) + b1) / nearest) / r + 2 * most / nearest)
    fall = (joints.along(gradient) + np.linalg.norm(gradient, axis=-1) * joints.b2 / 2 + bend / 2 + error) * WIDENED
    per = (1 - 1e-12) / (2 * r * (rho + b1))  # rounded down: what the squares leave of y's range [-1, 1]
    low = np.maximum(cosine - fall, np.maximum(squares[1] - rod**2, 0.0) * per - 1)
    high = np.minimum(cosine + fall, 1 - np.maximum(rod**2 + squares[0], 0.0) * per)
    slope, at, off = _arc_cosine_chord(*_nonempty(low, high), cosine)
    rest = (off + np.abs(slope) * (bend / 2 + error) + b1**2 / (2 * nearest**2)) * WIDENED + 8 * ROUND_OFF
    q = np.arctan2(y, x) + branch * at
    q -= 2 * np.pi * np.round((q - T[MIDDLE]) / (2 * np.pi))
    return q, cross(n, outward) / rho[..., None] + (branch * slope)[..., None] * gradient, rest


def _nonempty(low: Array, high: Array) -> tuple[Array, Array]:
    """Intervals; NaN where they are empty: there the leg closes nowhere in the box."""
    closes = low <= high
    return np.where(closes, low, np.nan), np.where(closes, high, np.nan)


def _arc_cosine_chord(low: Array, high: Array, y: Array) -> tuple[Array, Array, Array]:
    """Slope and value at y of a line, and the largest distance of the arc cosine from it over [low, high].

    The distance is extreme at an end, or where the derivative -1 / sqrt(1 - y^2) is the line's slope. This holds for a
    line of any slope, so that rounding of the slope does no harm.
    """
    ends, middle = (np.arccos(low), np.arccos(high)), (low + high) / 2
    is_narrow = high - low < NARROW
    slope = np.where(is_narrow, -1 / np.sqrt(1 - middle**2), (ends[1] - ends[0]) / np.where(is_narrow, 1.0, high - low))
    steepest = np.sqrt(np.maximum(1 - 1 / slope**2, 0.0))
    off = [np.zeros_like(low), ends[1] - ends[0] - slope * (high - low)]
    for place in (steepest, -steepest):
        inside = np.clip(place, low, high)
        off.append(np.arccos(inside) - ends[0] - slope * (inside - low))
    least, most = np.minimum.reduce(off), np.maximum.reduce(off)
    return slope, ends[0] + slope * (y - low) + (least + most) / 2, (most - least) / 2
