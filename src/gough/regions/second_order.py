"""Second-order bounds of margins over boxes of a region's six coordinates.

Along the straight line from a box's centre c to a place z of it, s in [0, 1], a point of the platform at rho from the
region's point moves with b' = v + w x rho and |b''| <= |rho| (|w'| + |w|^2). For a strut of length q along u,

    q' = u . b'        q'' = u . b'' + q |u'|^2        u' = (b' - q' u) / q

Rods of constant length have linear models with remainders (`gough.regions.rod_joints`). From these follow the
quantities f that limits bound: joint coordinates; cosines and sines of joints' angles, a . u with a fixed to base,
crank or platform; the tool's position, tilt and twist. With F an upper bound of -f'' along these lines, or F / 2 one
of how far f is below its linear part,

    f(z) >= f(c) + grad f (z - c) - F / 2

where the minimum of the linear part over box and region is known (`gough.regions.cells`). Angles are bounded by their
cosines, which are smooth where angles are not.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.poses import cross
from gough.regions._placing import ROUND_OFF, WIDENED
from gough.regions.motions import Expansion, Motion
from gough.regions.rods import Rods


def strokes(machine: Machine, motion: Motion, legs: Rods) -> tuple[Expansion, Expansion]:
    """Joint coordinates q and -q, for both ends of the travel; no bound where a crank may pass +-pi, where q jumps."""
    extent = machine.size + np.linalg.norm(motion.X[:, :3, 3], axis=-1)[:, None]
    error = ROUND_OFF * (extent * np.linalg.norm(legs.gradient[..., :3], axis=-1) + np.abs(legs.q))
    low, high = legs.q2_low, legs.q2_high
    if machine.legs.joint == "angle":
        with np.errstate(invalid="ignore"):
            is_cut = ~(np.abs(legs.q) + legs.q1 + error < np.pi)
        low, high = (np.where(is_cut, np.inf, bound) for bound in (low, high))
    return Expansion(legs.q, legs.gradient, low, error), Expansion(-legs.q, -legs.gradient, high, error)


def directions(machine: Machine, table: LimitTable, motion: Motion, legs: Rods) -> dict[int, Expansion]:
    """Cosines of angles to cones' axes and sines of angles to plates, by their place in the layout."""
    L, G, wanted = table.arrays.L, table.arrays.G, table.arrays.wanted
    R = np.swapaxes(motion.X[:, :3, :3], 1, 2)
    found: dict[int, Expansion] = {}
    if wanted[layout.BASE_CONE]:
        axis = L[layout.BASE_AXIS : layout.BASE_AXIS + 3].T
        holder = machine.legs.carrier_twist()[:, 3:]
        if machine.legs.joint == "angle":
            axis = turned(holder, legs.q, axis)
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


def turned(holder: Array, q: Array, axis: Array) -> Array:
    """Directions (6, 3) turned with their cranks about `holder` by q, (n, 6, 3) (Rodrigues)."""
    along = np.sum(holder * axis, axis=-1, keepdims=True) * holder
    across, normal = axis - along, cross(holder, axis)
    return np.asarray(along + np.cos(q)[..., None] * across + np.sin(q)[..., None] * normal)


def _cosine(
    motion: Motion, legs: Rods, axis: Array, holder: Array | None = None, *, is_carried: bool = False
) -> Expansion:
    """The cosine a . u with a fixed to the base, to a crank that turns about `holder`, or carried by the platform."""
    axis = np.broadcast_to(axis, legs.u.shape)
    value = np.sum(axis * legs.u, axis=-1)
    gradient, turning = np.einsum("nkx,nckx->nkc", axis, legs.u_z), cross(axis, legs.u)
    first, second = np.zeros_like(value), np.zeros_like(value)  # bounds of |a'| and |a''|
    if is_carried:
        gradient[..., 3:] += turning @ motion.W
        first, second = motion.turn[:, None] + first, (motion.bend + motion.turn**2)[:, None] + second
    elif holder is not None and holder.any():
        gradient += np.sum(holder * turning, axis=-1)[..., None] * legs.gradient
        first, second = legs.q1, legs.q2_high + legs.q1**2
    drop = (second + 2 * first * legs.u1 + legs.u2) * WIDENED  # (a . u)'' = a'' . u + 2 a' . u' + a . u''
    extent = np.linalg.norm(motion.X[:, :3, 3], axis=-1)[:, None] + np.abs(legs.arms).max() + legs.length
    by_joint = np.linalg.norm(legs.p_q, axis=-1) / legs.length + (holder is not None)
    joint = by_joint * np.linalg.norm(legs.gradient[..., :3], axis=-1)
    error = ROUND_OFF * (1 + extent * (1 / legs.length + joint))
    return Expansion(value, gradient, drop, error)


def tool(table: LimitTable, motion: Motion) -> dict[int, Expansion]:
    """The tool's position, squared distance from home's axis, cosine of its tilt, and twist, by place in the layout."""
    G, wanted = table.arrays.G, table.arrays.wanted
    found: dict[int, Expansion] = {}
    if wanted[layout.BOX : layout.TILT].any():
        arm = motion.arms(G[None, layout.TOOL : layout.TOOL + 3])[:, 0]
        at = (motion.X[:, :3, :3] @ G[layout.TOOL : layout.TOOL + 3]) + motion.X[:, :3, 3]
        length = np.linalg.norm(arm, axis=-1)
        speed = (motion.shift + motion.turn * length) * WIDENED
        curve = (motion.bend + motion.turn**2) * length * WIDENED
        error = ROUND_OFF * (np.linalg.norm(at, axis=-1) + length)
        found[layout.BOX] = _box(motion, arm, at, curve, error)
        # The squared distance from home's axis in place of the distance, which has no derivative on the axis.
        off = at[:, :2] - G[layout.TOOL_HOME : layout.TOOL_HOME + 2]
        towards = np.concatenate([-2 * off, np.zeros((len(off), 1))], axis=-1)
        far = np.linalg.norm(off, axis=-1)
        drop = 2 * (speed**2 + (far + speed) * curve) * WIDENED
        gradient = motion.rows(towards[:, None], cross(arm, towards)[:, None])
        found[layout.RADIUS] = Expansion(
            -(far**2)[:, None], gradient, drop[:, None], (4 * error * (far + error))[:, None]
        )
    if wanted[layout.TILT]:
        z = motion.X[:, :3, :3] @ G[layout.TOOL_AXIS : layout.TOOL_AXIS + 3]
        home = G[layout.TOOL_AXIS_HOME : layout.TOOL_AXIS_HOME + 3]
        gradient = motion.rows(np.zeros((1, 1, 3)), cross(z, home)[:, None])
        drop = (motion.bend + motion.turn**2)[:, None] * WIDENED
        found[layout.TILT] = Expansion((z @ home)[:, None], gradient, drop, np.full_like(drop, ROUND_OFF))
    return found


def _box(motion: Motion, arm: Array, at: Array, curve: Array, error: Array) -> Expansion:
    """x, -x, y, -y, z, -z of the tool's origin."""
    sides = np.repeat(np.eye(3), 2, axis=0) * np.tile([1.0, -1.0], 3)[:, None]
    gradient = motion.rows(sides, cross(arm[:, None], sides))
    return Expansion(at @ sides.T, gradient, np.repeat(curve[:, None], 6, 1), np.repeat(error[:, None], 6, 1))


def twist(table: LimitTable, motion: Motion) -> tuple[Expansion, Expansion]:
    """Minus the twist about the base's z axis, and the twist: 2 atan2(q_z, q_w) of the quaternion q of R R_home^T.

    The parts change at a rate of at most |w| / 2. With m the length of (q_z, q_w) the second derivative of the twist is
    at most (|w'| + |w|^2 / 2) / m + |w|^2 / (2 m^2).
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
        # m at the centre, less what it falls over the box: q_z^2 + q_w^2 = (1 + D_zz) / 2.
        m = np.sqrt(np.maximum(1 + D[:, 2, 2], 0.0) / 2) * (1 - ROUND_OFF) - motion.turn / 2
        bend, square = motion.bend, motion.turn**2
        drop = np.where(m > 0, (bend + square / 2) / m + square / (2 * m**2), np.inf)[:, None] * WIDENED
        is_cut = ~(np.abs(value) + motion.turn / m < 2 * np.pi)
    drop = np.where(is_cut[:, None], np.inf, drop)
    gradient = motion.rows(np.zeros((1, 1, 3)), moment[:, None])
    error = np.full((n, 1), 4 * np.pi * ROUND_OFF) / np.maximum(m, 1e-3)[:, None]
    return Expansion(-value[:, None], -gradient, drop, error), Expansion(value[:, None], gradient, drop, error)
