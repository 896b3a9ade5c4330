"""Lower and upper bounds of every margin over a neighbourhood of a pose.

A neighbourhood bounds the displacement of each platform joint, of the tool's origin along each axis, and the rotation
of the platform. Joint coordinates and rods' directions then stay within their enclosures (`gough.legs`); every other
margin changes by no more than the displacements and rotations on which it depends:

    cones, plate angles       the rod's rotation, plus that of the body that holds the cone or plate
    clearance                 the larger displacement of foot and head of each leg, summed over the two legs
    tilt                      the platform's rotation; the twist about z, 1 / cos(swing / 2) times that
    singular value            |A - A'|_F of the matrices with rows [u, rho x u] (Weyl 1912; its sign too, since the
                              least singular value is the distance to the nearest singular matrix)

Along a path with bounds of its derivatives, a point at the distance |b| from the platform's origin moves from the
middle of an interval of half width h by no more than the lesser of

    h (|v| + |w| |b|)      and      h |b'| + h^2 / 2 (|a| + |alpha| |b| + |w|^2 |b|)

where b' is its velocity in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions.charts import ROUND_OFF, WIDENED

REFINED = 2
"""Iterations in which bounds of q', u' and u'' sharpen one another."""
ROUNDING = 1e-12
"""Part of each quantity's scale by which bounds are widened: a thousand times the rounding error."""


@dataclass(frozen=True, eq=False)
class PoseBalls:
    """Neighbourhoods of n poses.

    Attributes
    ----------
    X : (n, 4, 4) array
    joints : (n, 6) array
        Largest displacement of each platform joint from its place at X [m].
    tool : (n, 3) array
        Largest displacement of the tool's origin along each axis of the base [m].
    turn : (n,) array
        Largest rotation of the platform [rad].
    stretch : (n, 6) array
        Largest change of each joint coordinate [m or rad]; infinite where the legs' enclosures alone bound it.

    """

    X: Array
    joints: Array
    tool: Array
    turn: Array
    stretch: Array


def leg_enclosure(machine: Machine, balls: PoseBalls) -> Enclosure:
    """Enclosures of the legs near poses."""
    R, p = balls.X[:, :3, :3], balls.X[:, :3, 3]
    return machine.legs.enclosure(p[:, None] + machine.b_P @ np.swapaxes(R, 1, 2), balls.joints)


def margin_bounds(
    machine: Machine, table: LimitTable, balls: PoseBalls, margins: Array, enclosure: Enclosure | None = None
) -> tuple[Array, Array]:
    """Lower and upper bounds (n, k) of every margin near poses, from the margins (n, k) at them and `leg_enclosure`.

    Where a leg cannot close at the pose itself, its reach is bounded, and its joint travel from above; nothing else.
    """
    R = balls.X[:, :3, :3]
    enclosure = leg_enclosure(machine, balls) if enclosure is None else enclosure
    values = np.full((len(R), layout.COLUMNS), np.nan)
    values[:, table.arrays.places] = margins
    low, high = values.copy(), values.copy()
    for place, growth in _growths(machine, table, balls, enclosure, R):
        low[:, place] -= growth
        high[:, place] += growth
    _travel(table, enclosure, balls.stretch, low, high)
    scale = np.array([column.scale for column in table.columns])
    low, high = (bounds[:, table.arrays.places] for bounds in (low, high))
    low = np.where(np.isnan(margins), -np.inf, low - ROUNDING * scale)
    return low, np.where(np.isnan(high), np.inf, high + ROUNDING * scale)


def _travel(table: LimitTable, enclosure: Enclosure, stretch: Array, low: Array, high: Array) -> None:
    """Bounds of joint travel, in place: the tighter ones of the enclosures and the stretch."""
    L = table.arrays.L
    shortest, longest = (slice(first, first + 6) for first in (layout.SHORTEST, layout.LONGEST))
    # Infinite limits have no columns, so that the NaN of infinity minus infinity is not used.
    with np.errstate(invalid="ignore"):
        for place, least, most in (
            (shortest, enclosure.q_low - L[layout.LOW], enclosure.q_high - L[layout.LOW]),
            (longest, L[layout.HIGH] - enclosure.q_high, L[layout.HIGH] - enclosure.q_low),
        ):
            low[:, place] = np.fmax(least, low[:, place] - stretch)
            high[:, place] = np.fmin(most, high[:, place] + stretch)


def _growths(
    machine: Machine, table: LimitTable, balls: PoseBalls, enclosure: Enclosure, R: Array
) -> list[tuple[slice | int, Array]]:
    """Places of margins, and bounds (n,) or (n, width) of how much each can differ from that at the pose."""
    chord, rod = rod_turns(enclosure)
    twice = np.where(enclosure.is_centred, 1.0, 2.0)
    platform = rod + balls.turn[:, None]
    closes = enclosure.q_low <= enclosure.q_high
    crank = np.where(closes, enclosure.q_high - np.where(closes, enclosure.q_low, 0.0), 0.0)
    holder = rod + crank if machine.legs.joint == "angle" else rod  # a crank turns the joint it holds
    # The larger one of foot and head: a point of the rod moves by a mean of both.
    moved = np.maximum(twice * enclosure.p_shift, balls.joints)
    i, j = table.arrays.pairs.T
    return [
        (slice(layout.REACH, layout.REACH + 6), balls.joints),
        (slice(layout.BASE_CONE, layout.BASE_CONE + 6), holder),
        (slice(layout.PLATFORM_CONE, layout.PLATFORM_CONE + 6), platform),
        (slice(layout.BASE_PLATE, layout.BASE_PLATE + 6), rod),
        (slice(layout.PLATFORM_PLATE, layout.PLATFORM_PLATE + 6), platform),
        (slice(layout.PAIR, layout.PAIR + len(i)), moved[:, i] + moved[:, j]),
        (slice(layout.BOX, layout.BOX + 6), np.repeat(balls.tool, 2, axis=1)),
        (layout.RADIUS, np.linalg.norm(balls.tool[:, :2], axis=1)),
        (layout.TILT, balls.turn),
        (layout.ROTATION, _twist_growth(machine, R, balls.turn)),
        (layout.SINGULARITY, singular_growth(machine, chord, balls.turn)),
    ]


def rod_turns(enclosure: Enclosure) -> tuple[Array, Array]:
    """Bounds of how much the rods' directions differ from those at the pose: chords (n, 6), and angles [rad]."""
    twice = np.where(enclosure.is_centred, 1.0, 2.0)  # not centred: from the pose's direction by way of u
    chord = np.minimum(twice * enclosure.u_shift, 2.0)
    return chord, 2 * np.arcsin(chord / 2)


def _twist_growth(machine: Machine, R: Array, turn: Array) -> Array:
    """Bound of the change of the twist about the base's z axis: at a swing of sigma, 1 / cos(sigma / 2) times the turn.

    The swing is the angle by which R R_home^T tilts the base's z axis; at pi the twist is undefined, and the bound
    infinite.
    """
    cosine = R[:, 2] @ machine.X_home[2, :3]  # of the swing: the zz entry of R R_home^T
    swing = np.arccos(np.clip(cosine, -1.0, 1.0)) + turn
    with np.errstate(divide="ignore"):
        return np.where(swing < np.pi, turn / np.maximum(np.cos(np.minimum(swing, np.pi) / 2), 0.0), np.inf)


def singular_growth(machine: Machine, chord: Array, turn: Array) -> Array:
    """Bound (n,) of the change of the matrix with the rows [u, rho x u], in the Frobenius norm."""
    rho = np.linalg.norm(machine.b_P - machine.platform_centre, axis=1) / machine.characteristic_length
    # |rho x u - rho' x u'| <= |rho| |u - u'| + |rho - rho'|, the latter a chord of the platform's rotation.
    turned = rho * 2 * np.sin(np.minimum(turn, np.pi) / 2)[:, None]
    return np.asarray(np.sqrt(np.sum(chord**2 + (rho * chord + turned) ** 2, axis=1)))


def least_singular_near(machine: Machine, balls: PoseBalls, enclosure: Enclosure) -> Array:
    """Lower bound (n,) of the least singular value near poses, at least 0; infinite where no pose near it closes.

    From the reference directions of the enclosures, so that it holds where a leg cannot close at the pose itself.
    """
    rho = (machine.b_P - machine.platform_centre) / machine.characteristic_length
    rho = rho @ np.swapaxes(balls.X[:, :3, :3], 1, 2)
    least = np.linalg.svd(np.concatenate([enclosure.u, np.cross(rho, enclosure.u)], axis=-1), compute_uv=False)[:, -1]
    least = least - singular_growth(machine, enclosure.u_shift, balls.turn) - ROUNDING
    closes = (enclosure.q_low <= enclosure.q_high).all(axis=-1)
    return np.where(closes, np.maximum(least, 0.0), np.inf)


class Rates(NamedTuple):
    """Upper bounds (n,) over intervals of a path: of the speed |v| of the frame's origin and the angular speed |w|, per
    s, and of the accelerations |a| and |alpha|, per s squared."""

    v: Array
    w: Array
    a: Array
    alpha: Array


def carried(arm: float | Array, rate: Array) -> Array:
    """Speed at an arm's end from an angular rate: zero without an arm, for an infinite rate too."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(arm) > 0, arm * rate, 0.0)


def balls_along(machine: Machine, X: Array, V: Array, rates: Rates, h: Array) -> PoseBalls:
    """Neighbourhoods of the poses in the middle of intervals that hold the path within h of them."""
    velocity, moved, speed, bend = moved_along(X, V, rates, h, np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]]))
    h = h[:, None]
    along = h * np.abs(velocity[:, 6]) + h**2 / 2 * bend[:, 6:]
    return PoseBalls(
        X=X,
        joints=moved[:, :6],
        tool=np.minimum(h * speed[:, 6:], along),
        turn=h[:, 0] * rates.w * (1 + ROUNDING),
        stretch=_stretch(machine, X, velocity[:, :6], speed[:, :6], bend[:, :6], h),
    )


def moved_along(X: Array, V: Array, rates: Rates, h: Array, points: Array) -> tuple[Array, Array, Array, Array]:
    """Velocities (n, k, 3) of platform points (k, 3) in the middle; bounds (n, k) of their displacements from there, of
    their speeds and of their accelerations."""
    arms = points @ np.swapaxes(X[:, :3, :3], 1, 2)
    length = np.linalg.norm(arms, axis=-1)
    velocity = V[:, None, :3] + np.cross(V[:, None, 3:], arms)
    v, w, a, alpha = (bound[:, None] * (1 + ROUNDING) for bound in rates)
    speed, bend = v + carried(length, w), a + carried(length, alpha + w**2)
    h = h[:, None]
    moved = np.minimum(h * speed, h * np.linalg.norm(velocity, axis=-1) + h**2 / 2 * bend)
    return velocity, moved, speed, bend


def _stretch(machine: Machine, X: Array, velocity: Array, speed: Array, bend: Array, h: Array) -> Array:
    """Bound of the change of a strut's length, by `strut_bounds`; infinite for rods of constant length."""
    if machine.legs.rod() is not None:
        return np.full_like(speed, np.inf)
    d = X[:, None, :3, 3] + machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) - machine.legs.rest()
    length = np.linalg.norm(d, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.sum(velocity * d, axis=-1) / length
        fast = np.linalg.norm(velocity, axis=-1)
        # |u'| in the middle; cancellation in the difference of squares is covered by the rounding term.
        across = np.sqrt(np.maximum(fast**2 - along**2, 0.0) + ROUND_OFF * fast**2) / length
        # `strut_bounds` counts in unit time: the path within h, at h times its speed.
        b1 = np.minimum(h * speed, h * fast + h**2 * bend) * (1 + ROUNDING)
        _, _, q2, _, _ = strut_bounds(length, b1, h**2 * bend, h * np.abs(along), h * across)
    return np.asarray(h * (np.abs(along) + ROUND_OFF * fast) + q2 / 2)


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
