"""Joint coordinates of rods over boxes of poses: linear in the platform joint's place, with rests that stay finite.

With d from the guide's or the crank's centre to the platform joint, and s = +-1 the branch,

    slider   q = g . d + s sqrt(w)              w = l^2 - |e|^2,  e the part of d across the guide
    crank    q = theta + s acos(y)              y = (|d|^2 + r^2 - l^2) / (2 r rho),  rho and theta polar in its plane

have endless derivatives where rods cannot close. w and y are smooth: over the interval that is sure of them the root
and the arc cosine differ from their chord by no more than a known number, however near the end is (affine arithmetic:
Stolfi and de Figueiredo 1997, section 3.9). Where a leg cannot close nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ANCHOR, ARM, ARM_NORMAL, AXIS, BRANCH, ROD
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Motion

NARROW = 1e-7
"""Intervals below it get the derivative in place of the chord, whose ends rounding would not keep apart."""


class Places(NamedTuple):
    """Platform joints over n boxes: where they are at the centres (n, 6, 3), their arms there, how far they go, b1, and
    how far they can be from what is linear, b2 / 2 (n, 6)."""

    motion: Motion
    b: Array
    arms: Array
    b1: Array
    b2: Array

    def along(self, direction: Array) -> Array:
        """How far what is linear of them goes along directions (n, 6, 3) of any length, at the most (n, 6)."""
        rows = self.motion.rows(direction, cross(self.arms, direction))
        over_box = np.sum(np.abs(rows) * self.motion.half[:, None], axis=-1)
        return np.asarray(np.minimum(over_box, np.linalg.norm(direction, axis=-1) * self.b1) * WIDENED)

    def square_error(self, d: Array, rod: Array) -> Array:
        """How exactly the squares of lengths d (n, 6) and of the rods' are computed (n, 6)."""
        return np.asarray(8 * ROUND_OFF * (d + rod + np.linalg.norm(self.motion.X[:, None, :3, 3], axis=-1)) ** 2)


class Joint(NamedTuple):
    """Joint coordinates that are q + q_b . (b - b(c)) but for a rest: numbers (n, 6), gradients (n, 6, 3)."""

    q: Array
    q_b: Array
    rest: Array


def joints(machine: Machine, places: Places, squares: Sequence[Array]) -> Joint:
    """Of sliders or cranks; `squares` are lowest values (n, 6) of those in `gough.regions.rod_reach`. NaN where a leg
    closes nowhere in a box, or nothing is known."""
    return (_slider if machine.legs.joint == "length" else _crank)(machine.table, places, squares)


def _slider(T: Array, places: Places, squares: Sequence[Array]) -> Joint:
    d, g, rod, branch = places.b - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T, T[ROD], T[BRANCH]
    along = np.sum(d * g, axis=-1)
    e = d - along[..., None] * g
    h, b1 = np.linalg.norm(e, axis=-1), places.b1
    error = places.square_error(np.linalg.norm(d, axis=-1), rod)
    w, fall = rod**2 - h**2, places.along(2 * e) + h * places.b2 + error
    low = np.maximum.reduce([w - (fall + b1**2) * WIDENED, rod**2 + squares[0], np.zeros_like(w)])
    high = np.minimum(w + fall * WIDENED, rod**2 - np.maximum(h - b1, 0.0) ** 2 + error)
    low, high = _closing(low, high)
    slope = 1 / (np.sqrt(low) + np.sqrt(high))
    most = (np.sqrt(high) - np.sqrt(low)) ** 2 * slope / 4  # of the root above its chord
    off = slope * b1**2  # |e|^2 has, besides what is linear in b, the square of the change alone
    root = np.sqrt(low) + slope * (w - low) + (most - off) / 2
    rest = ((most + off) / 2 + slope * error + ROUND_OFF * rod) * WIDENED
    return Joint(along + branch * root, g - 2 * (branch * slope)[..., None] * e, rest)


def _crank(T: Array, places: Places, squares: Sequence[Array]) -> Joint:
    """With parts a, c, t of b' along the axis, away from it and about it,

    y'' = ((a^2 - c^2 + t^2) / r - 2 a c (d . n) / (r rho) + y (2 c^2 - t^2) / rho) / rho,   theta'' = -2 c t / rho^2.
    """
    d, n, rod, branch = places.b - T[ANCHOR : ANCHOR + 3].T, T[AXIS : AXIS + 3].T, T[ROD], T[BRANCH]
    r, b1 = np.linalg.norm(T[ARM : ARM + 3], axis=0), places.b1
    x, y = (np.sum(d * T[first : first + 3].T, axis=-1) / r for first in (ARM, ARM_NORMAL))
    rho, far, offset = np.hypot(x, y), np.linalg.norm(d, axis=-1), np.sum(d * n, axis=-1)
    outward = (d - offset[..., None] * n) / rho[..., None]
    nearest = np.where(rho > b1, rho - b1, np.nan)
    cosine = (far**2 + r**2 - rod**2) / (2 * r * rho)
    gradient = (d / r[:, None] - cosine[..., None] * outward) / rho[..., None]
    error = places.square_error(far, rod + r) / (2 * r * rho)
    most = (np.abs(cosine) * rho + far * b1 / r + b1**2 / (2 * r)) / nearest  # of |y|, where the leg is open too
    bend = b1**2 / nearest * (np.hypot(1.0, (np.abs(offset) + b1) / nearest) / r + 2 * most / nearest)
    fall = (places.along(gradient) + np.linalg.norm(gradient, axis=-1) * places.b2 / 2 + bend / 2 + error) * WIDENED
    per = (1 - 1e-12) / (2 * r * (rho + b1))
    low = np.maximum(cosine - fall, np.maximum(squares[1] - rod**2, 0.0) * per - 1)
    high = np.minimum(cosine + fall, 1 - np.maximum(rod**2 + squares[0], 0.0) * per)
    slope, at, off = _arc_chord(*_closing(low, high), cosine)
    rest = (off + np.abs(slope) * (bend / 2 + error) + b1**2 / (2 * nearest**2)) * WIDENED + 8 * ROUND_OFF
    q = np.arctan2(y, x) + branch * at
    q -= 2 * np.pi * np.round(q / (2 * np.pi))
    return Joint(q, cross(n, outward) / rho[..., None] + (branch * slope)[..., None] * gradient, rest)


def _closing(low: Array, high: Array) -> tuple[Array, Array]:
    """An interval; NaN where it is empty."""
    closes = low <= high
    return np.where(closes, low, np.nan), np.where(closes, high, np.nan)


def _arc_chord(low: Array, high: Array, y: Array) -> tuple[Array, Array, Array]:
    """Slope and values at y of a line, and how far the arc cosine is from it between two numbers at the most.

    It is farthest at an end, or where its derivative is the line's slope, which may be any.
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
