"""Second-order bounds of margins over boxes of a region's six coordinates.

Along the straight line from a box's centre to a place of it, s in [0, 1], a point of the platform at rho from the
point of the region goes with b' = v + w x rho and |b''| <= |rho| (|w'| + |w|^2). A leg closes, |b - p(q)| = L(q), with
u its direction and k = L' + u . p':

    q' = u . b' / k        k q'' = u . b'' - (u . p'') q'^2 + |d'|^2 / L,    d' = (b' - p' q') across u

(struts: k = 1, p = const; rods: L' = 0). Directions follow, u' = d' / L and so on,
and with them what the limits bound: joint coordinates; cosines and sines of joints' angles, a . u with a fixed to base,
crank or platform; the tool's position, tilt and twist. For each such f, with F a bound of -f'' over the box,

    f(z) >= f(c) + grad f (z - c) - F / 2

and the smallest value of the linear part over box and region is known (`gough.regions.cells`). Angles follow from
cosines, which are smooth where angles are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions.ball_bounds import rod_turns
from gough.regions.charts import WIDENED

Array = NDArray[np.float64]

ROUND_OFF = 64 * float(np.finfo(float).eps)
"""Part of the lengths and numbers in it that a computed quantity may be wrong by: some sixty roundings."""

PARTS = (0.8, 0.65, 0.5, 0.3)
"""Of the transmission u . p' at a box's centre, below which it is tried to prove that it does not fall."""
REFINED = 2
"""Times that bounds of legs are put into one another."""


class Motion(NamedTuple):
    """Of n boxes: poses X (n, 4, 4) at their centres, W (n, 3, 3) with w = W dz, half widths (n, 6), and bounds over
    each (n,): how far the region's point goes [m], how far the platform turns [rad], and the angular acceleration of
    straight lines [rad]. `about` (3,) is the point in the platform frame."""

    X: Array
    W: Array
    half: Array
    shift: Array
    turn: Array
    bend: Array
    about: Array

    def arms(self, points_P: Array) -> Array:
        """Vectors (n, k, 3) from the region's point to points (k, 3) of the platform, in base axes."""
        return np.asarray((points_P - self.about) @ np.swapaxes(self.X[:, :3, :3], 1, 2))

    def speed(self, length: Array) -> Array:
        """How far points (k,) at these lengths from the region's point go (n, k) [m]."""
        return np.asarray((self.shift[:, None] + self.turn[:, None] * length) * WIDENED)

    def curvature(self, length: Array) -> Array:
        """The same for their second derivatives (n, k) [m]."""
        return np.asarray((self.bend + self.turn**2)[:, None] * length * WIDENED)

    def rows(self, direction: Array, moment: Array) -> Array:
        """Derivatives (n, k, 6) by the coordinates of what changes by direction . v + moment . w."""
        return np.concatenate([np.broadcast_to(direction, moment.shape), moment @ self.W], axis=-1)


class Part(NamedTuple):
    """Quantities (n, k) that grow with their margins: values, derivatives (n, k, 6) by the coordinates, bounds of minus
    their second derivatives, and how exactly they are computed."""

    value: Array
    slope: Array
    drop: Array
    error: Array


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


def rods(machine: Machine, motion: Motion, q: Array, enclosure: Enclosure) -> Rods:
    """Legs at the boxes' centres, and how fast they can change over the boxes; NaN where a leg is open at the centre.

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
    p_q = twist[:, :3] + np.cross(twist[:, 3:], legs.driven_points(q) - legs.carriers(q)[..., :3, 3])
    along = np.sum(u * p_q, axis=-1) + (1.0 if legs.rod() is None else 0.0)
    slope = motion.rows(u / along[..., None], np.cross(arms, u) / along[..., None])
    u_z = _direction_slopes(motion, arms, u, length, p_q, slope)
    q_here = np.sum(np.abs(slope) * motion.half[:, None], axis=-1) * WIDENED
    u_here = _most(u_z, motion.half)
    if legs.rod() is None:
        q1, low, high, u1, u2 = _strut_bounds(length, b1, b2, q_here, u_here)
    else:
        speed, turning = np.linalg.norm(p_q, axis=-1), np.linalg.norm(twist[:, 3:], axis=-1)
        rates = _Rates(length, np.abs(along), speed, speed * turning, q_here, u_here * length, b1, b2)
        q1, low, high, u1, u2 = _rod_bounds(rates, _least_transmission(enclosure, along, speed, turning))
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
    b[:, :3] = np.eye(3)[:, None]
    b[:, 3:] = np.cross(np.swapaxes(motion.W, 1, 2)[:, :, None], arms[:, None])
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


def strokes(machine: Machine, motion: Motion, legs: Rods) -> tuple[Part, Part]:
    """Joint coordinates, and what they lack of the other end of the travel; they are counted on one side of +-pi."""
    extent = machine.size + np.linalg.norm(motion.X[:, :3, 3], axis=-1)[:, None]
    error = ROUND_OFF * (extent * np.linalg.norm(legs.slope[..., :3], axis=-1) + np.abs(legs.q))
    low, high = legs.q2_low, legs.q2_high
    if machine.legs.joint == "angle":
        with np.errstate(invalid="ignore"):
            is_cut = ~(np.abs(legs.q) + legs.q1 + error < np.pi)
        low, high = (np.where(is_cut, np.inf, bound) for bound in (low, high))
    return Part(legs.q, legs.slope, low, error), Part(-legs.q, -legs.slope, high, error)


def directions(machine: Machine, table: LimitTable, motion: Motion, legs: Rods) -> dict[int, Part]:
    """Cosines of cones' angles and sines of plates' angles, by their place in the layout."""
    L, G, wanted = table.arrays.L, table.arrays.G, table.arrays.wanted
    R = np.swapaxes(motion.X[:, :3, :3], 1, 2)
    found: dict[int, Part] = {}
    if wanted[layout.BASE_CONE]:
        axis = L[layout.BASE_AXIS : layout.BASE_AXIS + 3].T
        holder = machine.legs.carrier_twist()[:, 3:]
        if machine.legs.joint == "angle":
            axis = _turned(holder, legs.q, axis)
        found[layout.BASE_CONE] = _cosine(motion, legs, axis, holder=holder)
    if wanted[layout.PLATFORM_CONE]:
        axis = L[layout.PLATFORM_AXIS : layout.PLATFORM_AXIS + 3].T @ R
        found[layout.PLATFORM_CONE] = _cosine(motion, legs, axis, is_carried=True)
    if wanted[layout.BASE_PLATE]:
        found[layout.BASE_PLATE] = _cosine(motion, legs, G[layout.BASE_NORMAL : layout.BASE_NORMAL + 3])
    if wanted[layout.PLATFORM_PLATE]:
        axis = G[layout.PLATFORM_NORMAL : layout.PLATFORM_NORMAL + 3] @ R
        found[layout.PLATFORM_PLATE] = _cosine(motion, legs, axis[:, None], is_carried=True)
    return found


def _turned(holder: Array, q: Array, axis: Array) -> Array:
    """Directions (6, 3) turned with their cranks (n, 6, 3) (Rodrigues)."""
    along = np.sum(holder * axis, axis=-1, keepdims=True) * holder
    across, normal = axis - along, np.cross(holder, axis)
    return np.asarray(along + np.cos(q)[..., None] * across + np.sin(q)[..., None] * normal)


def _cosine(motion: Motion, legs: Rods, axis: Array, holder: Array | None = None, *, is_carried: bool = False) -> Part:
    """The cosine a . u with a fixed to the base, to a crank that turns about `holder`, or carried by the platform."""
    axis = np.broadcast_to(axis, legs.u.shape)
    value = np.sum(axis * legs.u, axis=-1)
    across = (axis - value[..., None] * legs.u) / legs.length[..., None]
    moment, turning = np.cross(legs.arms, across), np.cross(axis, legs.u)
    by_joint = -np.sum(across * legs.p_q, axis=-1)
    first, second = np.zeros_like(value), np.zeros_like(value)
    if is_carried:
        moment = moment + turning
        first, second = motion.turn[:, None] + first, (motion.bend + motion.turn**2)[:, None] + second
    elif holder is not None and holder.any():
        by_joint = by_joint + np.sum(holder * turning, axis=-1)
        first, second = legs.q1, legs.q2_high + legs.q1**2
    slope = motion.rows(across, moment) + by_joint[..., None] * legs.slope
    drop = (second + 2 * first * legs.u1 + legs.u2) * WIDENED
    extent = np.linalg.norm(motion.X[:, :3, 3], axis=-1)[:, None] + np.abs(legs.arms).max() + legs.length
    joint = np.abs(by_joint) * np.linalg.norm(legs.slope[..., :3], axis=-1)
    error = ROUND_OFF * (1 + extent * (1 / legs.length + joint))
    return Part(value, slope, drop, error)


def tool(table: LimitTable, motion: Motion) -> dict[int, Part]:
    """The tool's position, squared distance from home's axis, cosine of its tilt, and twist, by place in the layout."""
    G, wanted = table.arrays.G, table.arrays.wanted
    found: dict[int, Part] = {}
    if wanted[layout.BOX : layout.TILT].any():
        arm = motion.arms(G[None, layout.TOOL : layout.TOOL + 3])[:, 0]
        at = (motion.X[:, :3, :3] @ G[layout.TOOL : layout.TOOL + 3]) + motion.X[:, :3, 3]
        length = np.linalg.norm(arm, axis=-1)
        speed = (motion.shift + motion.turn * length) * WIDENED
        curve = (motion.bend + motion.turn**2) * length * WIDENED
        error = ROUND_OFF * (np.linalg.norm(at, axis=-1) + length)
        found[layout.BOX] = _box(motion, arm, at, curve, error)
        off = at[:, :2] - G[layout.TOOL_HOME : layout.TOOL_HOME + 2]
        towards = np.concatenate([-2 * off, np.zeros((len(off), 1))], axis=-1)
        far = np.linalg.norm(off, axis=-1)
        drop = 2 * (speed**2 + (far + speed) * curve) * WIDENED
        slope = motion.rows(towards[:, None], np.cross(arm, towards)[:, None])
        found[layout.RADIUS] = Part(-(far**2)[:, None], slope, drop[:, None], (4 * error * (far + error))[:, None])
    if wanted[layout.TILT]:
        z = motion.X[:, :3, :3] @ G[layout.TOOL_AXIS : layout.TOOL_AXIS + 3]
        home = G[layout.TOOL_AXIS_HOME : layout.TOOL_AXIS_HOME + 3]
        slope = motion.rows(np.zeros((1, 1, 3)), np.cross(z, home)[:, None])
        drop = (motion.bend + motion.turn**2)[:, None] * WIDENED
        found[layout.TILT] = Part((z @ home)[:, None], slope, drop, np.full_like(drop, ROUND_OFF))
    return found


def _box(motion: Motion, arm: Array, at: Array, curve: Array, error: Array) -> Part:
    """x, -x, y, -y, z, -z of the tool's origin."""
    sides = np.repeat(np.eye(3), 2, axis=0) * np.tile([1.0, -1.0], 3)[:, None]
    slope = motion.rows(sides, np.cross(arm[:, None], sides))
    return Part(at @ sides.T, slope, np.repeat(curve[:, None], 6, 1), np.repeat(error[:, None], 6, 1))


def twist(table: LimitTable, motion: Motion) -> tuple[Part, Part]:
    """Twist about the base's z axis, and minus it: 2 atan2 of two parts of the quaternion, which go with |w| / 2.

    With m the length of (q_z, q_w) it has a second derivative of no more than (|w'| + |w|^2 / 2) / m + |w|^2 / (2 m^2).
    """
    G = table.arrays.G
    D = motion.X[:, :3, :3] @ G[layout.R_HOME : layout.R_HOME + 9].reshape(3, 3).T
    n = len(D)
    sine, cosine = D[:, 1, 0] - D[:, 0, 1], 1 + np.trace(D, axis1=1, axis2=2)
    value = 2 * np.arctan2(sine, cosine)
    scale = np.hypot(sine, cosine)
    # d sine = w . e, d cosine = -w . f with f the axial vector of D
    f = np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=-1)
    e = np.stack([-D[:, 2, 0], -D[:, 2, 1], D[:, 0, 0] + D[:, 1, 1]], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        moment = 2 * (cosine[:, None] * e + sine[:, None] * f) / (scale**2)[:, None]
        m = np.sqrt(np.maximum(1 + D[:, 2, 2], 0.0) / 2) * (1 - ROUND_OFF) - motion.turn / 2
        bend, square = motion.bend, motion.turn**2
        drop = np.where(m > 0, (bend + square / 2) / m + square / (2 * m**2), np.inf)[:, None] * WIDENED
        is_cut = ~(np.abs(value) + motion.turn / m < 2 * np.pi)
    drop = np.where(is_cut[:, None], np.inf, drop)
    slope = motion.rows(np.zeros((1, 1, 3)), moment[:, None])
    error = np.full((n, 1), 4 * np.pi * ROUND_OFF) / np.maximum(m, 1e-3)[:, None]
    return Part(-value[:, None], -slope, drop, error), Part(value[:, None], slope, drop, error)
