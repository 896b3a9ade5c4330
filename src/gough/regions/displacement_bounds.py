"""Lower and upper bounds of every margin over boxes of poses by displacements from their centres, for pavings.

Over a box each platform joint and the tool's origin move by no more than a distance, and the platform turns by no more
than an angle. Joint coordinates and rods' directions then stay within their enclosures (`gough.legs`); every other
margin changes by no more than the displacements and rotations on which it depends:

    cones, plate angles       the rod's rotation, plus that of the body that holds the cone or plate
    clearance                 the larger displacement of foot and head of each leg, summed over the two legs
    tilt                      the platform's rotation; the twist about z, 1 / cos(swing / 2) times that
    singular value            |A - A'|_F of the matrices with rows [u, rho x u] (Weyl 1912; its sign too, since the
                              least singular value is the distance to the nearest singular matrix)

These are coarser than the Taylor models of `gough.regions.box_limits`, and take less time over the large boxes of
pavings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions.cells import Motion

ROUNDING = 1e-12
"""Part of each quantity's scale by which bounds are widened: a thousand times the rounding error."""


class PoseBalls(NamedTuple):
    """Neighbourhoods of poses X (n, 4, 4): largest displacements of each platform joint, `joints` (n, 6), and of the
    tool's origin along each axis of the base, `tool` (n, 3) [m], and largest rotations `turn` (n,) [rad]."""

    X: Array
    joints: Array
    tool: Array
    turn: Array

    @classmethod
    def over(cls, machine: Machine, motion: Motion) -> PoseBalls:
        """Of boxes of a region."""
        region = motion.region
        reach = np.linalg.norm(np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]]) - region.about, axis=-1)
        moved = motion.moved(reach)
        along = motion.half[:, :3] @ np.abs(region.directions).T + motion.turn[:, None] * reach[6]
        return cls(motion.X, moved[:, :6], np.minimum(moved[:, 6:], along * (1 + ROUNDING)), motion.turn)


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
    _travel(table, enclosure, low, high)
    scale = np.array([column.scale for column in table.columns])
    low, high = (bounds[:, table.arrays.places] for bounds in (low, high))
    low = np.where(np.isnan(margins), -np.inf, low - ROUNDING * scale)
    return low, np.where(np.isnan(high), np.inf, high + ROUNDING * scale)


def _travel(table: LimitTable, enclosure: Enclosure, low: Array, high: Array) -> None:
    """Bounds of joint travel, in place: those of the enclosures."""
    L = table.arrays.L
    shortest, longest = (slice(first, first + 6) for first in (layout.SHORTEST, layout.LONGEST))
    # Infinite limits have no columns, so that the NaN of infinity minus infinity is not used.
    with np.errstate(invalid="ignore"):
        low[:, shortest], high[:, shortest] = enclosure.q_low - L[layout.LOW], enclosure.q_high - L[layout.LOW]
        low[:, longest], high[:, longest] = L[layout.HIGH] - enclosure.q_high, L[layout.HIGH] - enclosure.q_low


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
