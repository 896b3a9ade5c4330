"""Second-order lower bounds of the distance between two legs over boxes of poses.

For points of two segments, e_ab from an end b of the second to an end a of the first, and any vector N,

    distance >= min over the four pairs of ends of  N . e_ab / |N|

since N . e is linear along each segment. n is the direction between the closest points at the box's centre, and
N = n + nu with nu linear in the coordinates and across n, such that N stays across each segment whose closest point is
inside it: then all ends that tie at the centre tie to first order, and the bound loses terms of second order only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.machine import Machine
from gough.regions._placing import ROUND_OFF, WIDENED, WIDER
from gough.regions.cells import Cells, linear_minimum
from gough.regions.motions import Motion
from gough.regions.rods import Rods
from gough.regions.shapes import PoseRegion


def distances(
    machine: Machine,
    region: PoseRegion,
    cells: Cells,
    motion: Motion,
    legs: Rods,
    pairs: NDArray[np.int64],
    enough: Array,
) -> tuple[Array, Array, Array]:
    """Lower bounds (n, k) of the distances of pairs (k, 2) of legs, their gradients (n, k, 6) at the centres, and by
    how much the linear parts may fall before the distances may be below `enough` (k,)."""
    head = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3] + legs.arms
    ends = np.stack([head - legs.length[..., None] * legs.u, head], axis=2)  # (n, 6, 2, 3): foot and head
    gradients = _end_gradients(motion, legs)
    # Bounds of speed and acceleration of the feet, on guides and cranks, and of the heads; struts' feet are fixed.
    reach = np.linalg.norm(machine.b_P - motion.about, axis=-1)
    speed = np.stack([np.linalg.norm(legs.p_q, axis=-1) * legs.q1, motion.speed(reach)], axis=-1)
    foot = np.linalg.norm(legs.p_q, axis=-1) * (legs.q2_high + _spin(machine) * legs.q1**2)
    is_fixed = np.linalg.norm(legs.p_q, axis=-1) == 0
    curve = np.stack([np.where(is_fixed, 0.0, foot), motion.curvature(reach)], axis=-1)
    speed[..., 0] = np.where(is_fixed, 0.0, speed[..., 0])
    i, j = pairs.T
    n, nu, closest = normals(ends, gradients, pairs)
    half = cells.half[:, None] * WIDER
    swing = swing_of(nu, half)
    # Gradient of the distance: that of the closest points, held on their segments, along n.
    own = np.einsum(
        "nkx,nkxc->nkc", n, _between(gradients[:, i], closest[..., 0]) - _between(gradients[:, j], closest[..., 1])
    )
    longest = longest_of(swing)
    level = enough * longest
    least, spare = np.full(swing.shape, np.inf), np.full(swing.shape, np.inf)
    size = np.linalg.norm(ends, axis=-1).max(axis=(1, 2))[:, None]
    for a in (0, 1):
        for b in (0, 1):
            e = ends[:, i, a] - ends[:, j, b]
            gradient = np.einsum("nkx,nkxc->nkc", n, gradients[:, i, a] - gradients[:, j, b])
            gradient += np.einsum("nkx,nkxc->nkc", e, nu)
            bent = curve[:, i, a] + curve[:, j, b]
            apart = np.linalg.norm(gradients[:, i, a] - gradients[:, j, b], axis=-2)  # |de / dz| by each coordinate
            moved = np.minimum(speed[:, i, a] + speed[:, j, b], np.sum(apart * half, axis=-1) + bent) * WIDENED
            drop = (2 * swing * moved + np.sqrt(1 + swing**2) * bent) * WIDENED  # (N . e)'' = 2 nu' . e' + N . e''
            value = np.sum(n * e, axis=-1) - drop / 2 - ROUND_OFF * 8 * size
            lowest = value + linear_minimum(region, cells, gradient)
            least = np.minimum(least, lowest)
            # `spare` counts along `own` for all four pairs of ends: what a pair's own gradient differs is taken off.
            apart = np.sum(np.abs(gradient - own) * half, axis=-1) * WIDENED
            spare = np.minimum(spare, np.where(lowest >= level, np.inf, value - apart - level))
    return np.maximum(least, 0.0) / longest, own, spare


def normals(ends: Array, gradients: Array, pairs: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Directions n (n, k, 3) of pairs (k, 2) of legs with feet and heads `ends` (n, 6, 2, 3) and
    their `gradients` (n, 6, 2, 3, 6); the gradients (n, k, 3, 6) of nu; and the closest points' places (n, k, 2) in
    [0, 1]."""
    i, j = pairs.T
    n, closest, inside = _closest(ends[:, i], ends[:, j])
    return n, _turning(n, ends[:, i], ends[:, j], gradients[:, i], gradients[:, j], inside), closest


def swing_of(nu: Array, half: Array) -> Array:
    """Upper bound (n, k) of |nu| over boxes of half widths (n, 1, 6)."""
    return np.asarray(np.sum(np.linalg.norm(nu, axis=-2) * half, axis=-1) * WIDENED)


def longest_of(swing: Array) -> Array:
    """Upper bound (n, k) of |N|: nu is across n, of length one."""
    return np.asarray(np.sqrt(1 + swing**2) * WIDENED)


def _spin(machine: Machine) -> Array:
    return np.linalg.norm(machine.legs.carrier_twist()[:, 3:], axis=-1)


def _end_gradients(motion: Motion, legs: Rods) -> Array:
    """Derivatives (n, 6, 2, 3, 6) of feet and heads by the coordinates."""
    count = len(motion.X)
    found = np.zeros((count, 6, 2, 3, 6))
    found[:, :, 0] = legs.p_q[..., None] * legs.gradient[:, :, None, :]
    for axis in range(3):
        side = np.eye(3)[axis]
        found[:, :, 1, axis] = motion.rows(side, np.cross(legs.arms, side))
    return found


def _between(ends: Array, part: Array) -> Array:
    """Values (n, k, 3, 6) at a part (n, k) of the segment between those of its ends (n, k, 2, 3, 6)."""
    part = part[..., None, None]
    return np.asarray((1 - part) * ends[:, :, 0] + part * ends[:, :, 1])


def _turning(n: Array, P: Array, Q: Array, P_z: Array, Q_z: Array, inside: NDArray[np.bool_]) -> Array:
    """Derivatives (n, k, 3, 6) of nu by the coordinates, along those segments whose closest point is inside.

    nu is the combination of the segments u and v with u . nu = -u' . n and v . nu = -v' . n, from their Gram matrix:
    it keeps N across both. Where they are nearly parallel nu is zero, which gives a bound too.
    """
    u, v = P[..., 1, :] - P[..., 0, :], Q[..., 1, :] - Q[..., 0, :]
    by_u = np.einsum("nkx,nkxc->nkc", n, P_z[:, :, 1] - P_z[:, :, 0])
    by_v = np.einsum("nkx,nkxc->nkc", n, Q_z[:, :, 1] - Q_z[:, :, 0])
    uu, vv, uv = (np.sum(x * y, axis=-1) for x, y in ((u, u), (v, v), (u, v)))
    uv = np.where(inside.all(axis=-1), uv, 0.0)
    gram = uu * vv - uv**2
    is_sound = gram > 1e-6 * uu * vv  # not nearly parallel
    gram = np.where(is_sound, gram, 1.0)[..., None]
    of_u = np.where(inside[..., :1] & is_sound[..., None], -(vv[..., None] * by_u - uv[..., None] * by_v) / gram, 0.0)
    of_v = np.where(inside[..., 1:] & is_sound[..., None], -(uu[..., None] * by_v - uv[..., None] * by_u) / gram, 0.0)
    return np.asarray(u[..., None] * of_u[..., None, :] + v[..., None] * of_v[..., None, :])


def _closest(P: Array, Q: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Direction from the second to the first, places (n, k, 2) of the closest points on segments (n, k, 2, 3), and
    whether they are inside (Ericson 2005, section 5.1.9)."""
    u, v, w = P[..., 1, :] - P[..., 0, :], Q[..., 1, :] - Q[..., 0, :], P[..., 0, :] - Q[..., 0, :]
    uu, vv, uv, uw, vw = (np.sum(x * y, axis=-1) for x, y in ((u, u), (v, v), (u, v), (u, w), (v, w)))
    gram = uu * vv - uv * uv
    safe = gram > 1e-14 * uu * vv
    s = np.where(safe, np.clip((uv * vw - vv * uw) / np.where(safe, gram, 1.0), 0, 1), 0.0)
    t = (uv * s + vw) / vv
    s = np.where(t < 0, np.clip(-uw / uu, 0, 1), np.where(t > 1, np.clip((uv - uw) / uu, 0, 1), s))
    t = np.clip(t, 0, 1)
    e = w + s[..., None] * u - t[..., None] * v
    length = np.linalg.norm(e, axis=-1, keepdims=True)
    n = np.where(length > 0, e / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])
    places = np.stack([s, t], axis=-1)
    return n, places, (places > 0) & (places < 1)
