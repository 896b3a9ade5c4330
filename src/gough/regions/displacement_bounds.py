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

The limits of each leg bound platform joints and orientations, and exclude boxes that hold no allowed pose. A rod of
length l from a driven point p, in a cone of half-angle a about an axis, has its platform joint no farther along a
direction e than p . e + l cos(max(0, angle(e, axis) - a)). The largest of that over the joint's travel is the support
function of all positions of the platform joint. And where a rod is in a cone of the base and in one of the platform,
the angle between their axes is at most the sum of their half-angles. Both hold for large boxes, and where a leg cannot
close.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools
from gough.legs.leg import MIDDLE, Enclosure
from gough.limits import _margins as layout
from gough.limits.interval_search import icosphere
from gough.limits.table import LimitTable
from gough.machine import Cone, Machine, PlateAngle
from gough.poses import cross
from gough.regions.cells import Motion

SAMPLES = 721
"""Samples of a crank's circle."""
SPARE = 1e-9
"""Part of the machine's size, or in rad, by which supports are widened."""


class Cones(NamedTuple):
    """Cones of one body about the rods: axes (6, 3) and half-angles (6,). Where cranks carry them, `crank` (6, 3) are
    the cranks' axes, and `axis` is at q = 0."""

    axis: Array
    half: Array
    crank: Array | None = None

    def axes_at(self, q: Array) -> Array:
        """Return the axes (..., 6, 3) at joint coordinates (..., 6)."""
        return self.axis if self.crank is None else turned(self.crank, q, self.axis)


class LegReach(NamedTuple):
    """Necessary conditions of allowed poses.

    `support` (6, d) bounds the positions of the platform joints along `directions` (d, 3) in the base [m]; axes `base`
    and `platform` (k, 6, 3) are within `angle` (k, 6) of one another [rad]; `travel` has the ends (6,) of the joints'
    travel, `cones` those of base and platform.
    """

    directions: Array
    support: Array
    base: Array
    platform: Array
    angle: Array
    travel: tuple[Array, Array]
    cones: tuple[tuple[Cones, ...], tuple[Cones, ...]]

    def is_missed(self, machine: Machine, motion: Motion) -> Bools:
        """Find which boxes (n,) have no pose whose platform joints all legs can reach."""
        arms = motion.arms(machine.b_P)
        place = motion.X[:, None, :3, :3] @ motion.region.about + motion.X[:, None, :3, 3]
        least = (place + arms) @ self.directions.T
        least -= motion.moved(np.linalg.norm(machine.b_P - motion.region.about, axis=-1))[..., None]
        missed = (least > self.support).any(axis=(1, 2))
        # The platform's axis turns by no more than the platform: the angle over the box is at least that at its centre
        # less the turn.
        for base, platform, most in zip(self.base, self.platform, self.angle, strict=True):
            cosine = np.sum(base * (platform @ np.swapaxes(motion.X[:, :3, :3], 1, 2)), axis=-1)
            missed |= (np.arccos(np.clip(cosine, -1.0, 1.0)) - motion.turn[:, None] > most).any(axis=1)
        return np.asarray(missed)

    def is_broken(self, machine: Machine, motion: Motion, enclosure: Enclosure) -> Bools:
        """Find which boxes (n,) have no pose at which a leg closes within its travel and its cones."""
        low, high = self.travel
        broken = ~(enclosure.q_low <= high + SPARE) | ~(enclosure.q_high >= low - SPARE)
        for cones in self.cones[0]:
            with np.errstate(invalid="ignore"):
                middle, swing = (enclosure.q_low + enclosure.q_high) / 2, (enclosure.q_high - enclosure.q_low) / 2
            # A crank turns the axis by no more than it turns itself, `swing` from the middle of its range.
            angle = least_angle(cones.axes_at(middle), enclosure) - (0.0 if cones.crank is None else swing)
            broken |= angle > cones.half + SPARE
        for cones in self.cones[1]:
            turned = cones.axis @ np.swapaxes(motion.X[:, :3, :3], 1, 2)
            broken |= least_angle(turned, enclosure) - motion.turn[:, None] > cones.half + SPARE
        return np.asarray(broken.any(axis=1))


def least_angle(axis: Array, enclosure: Enclosure) -> Array:
    """Lower bound of the angles (n, 6) between rods and axes; rods' directions are within `u_shift` of `u`."""
    return np.arccos(np.clip(np.sum(axis * enclosure.u, axis=-1) + enclosure.u_shift, -1.0, 1.0))


def leg_reach(machine: Machine, ignore: frozenset[str] = frozenset()) -> LegReach:
    """Return the reach of the legs of a machine within the limits that count."""
    directions = np.concatenate([np.eye(3), -np.eye(3), icosphere(1).directions])
    limits = machine.limits
    crank = machine.legs.carrier_twist()[:, 3:] if machine.legs.joint == "angle" else None
    base = _cones(limits.base_cone, limits.base_plate, "base", ignore, crank)
    platform = _cones(limits.platform_cone, limits.platform_plate, "platform", ignore)
    hulls = [hull for cones in base for hull in _hulls(machine, ignore, cones)]
    pairs = [(one, other) for one in hulls for other in platform]
    return LegReach(
        directions,
        _supports(machine, ignore, base, directions),
        np.array([one.axis for one, _ in pairs]).reshape(-1, 6, 3),
        np.array([other.axis for _, other in pairs]).reshape(-1, 6, 3),
        np.array([one.half + other.half for one, other in pairs]).reshape(-1, 6) + SPARE,
        _travel(machine, ignore),
        (tuple(base), tuple(platform)),
    )


def _hulls(machine: Machine, ignore: frozenset[str], cones: Cones) -> list[Cones]:
    """Cones fixed to the base that enclose those carried by cranks: about the crank's axis in both senses, and about
    the axis at mid-travel."""
    if cones.crank is None:
        return [cones]
    gamma = np.arccos(np.clip(np.sum(cones.axis * cones.crank, axis=-1), -1.0, 1.0))
    low, high = _travel(machine, ignore)
    middle = Cones(cones.axes_at((low + high) / 2), cones.half + (high - low) / 2)
    return [Cones(cones.crank, cones.half + gamma), Cones(-cones.crank, cones.half + np.pi - gamma), middle]


def _supports(machine: Machine, ignore: frozenset[str], cones: list[Cones], directions: Array) -> Array:
    legs, rod = machine.legs, machine.legs.rod()
    low, high = _travel(machine, ignore)
    if rod is None:
        shortest, longest = low, high
        feet = legs.path(np.zeros(6), np.zeros(6), 1)
    else:  # the support along a guide is largest at an end; a crank's circle is sampled
        shortest = longest = np.asarray(rod)
        if not np.isfinite([low, high]).all():
            return np.full((6, len(directions)), np.inf)
        feet = legs.path(low, high, SAMPLES if legs.joint == "angle" else 2)
    # Largest cosine of the rod with each direction: 1, or at the cone's edge where the direction is outside.
    cosine = np.ones((*feet.shape[:2], len(directions)))
    for each in cones:
        axes = np.broadcast_to(each.axis[:, None], feet.shape)
        if each.crank is not None:
            axes = np.swapaxes(each.axes_at(np.linspace(low, high, SAMPLES, axis=0)), 0, 1)
        angle = np.arccos(np.clip(axes @ directions.T, -1.0, 1.0)) - each.half[:, None, None] - SPARE
        cosine = np.minimum(cosine, np.cos(np.maximum(angle, 0.0)))
    # Where the rod can only point away from a direction the shortest one reaches farthest.
    with np.errstate(invalid="ignore"):
        along = np.where(cosine > 0, cosine * longest[:, None, None], cosine * shortest[:, None, None])
    support = (feet @ directions.T + along).max(axis=1)
    if rod is not None and legs.joint == "angle":  # between two samples: the feet's step, and the cones' rotation
        step = (high - low) / (SAMPLES - 1)
        support += (np.linalg.norm(np.diff(feet, axis=1), axis=-1).max(axis=1) + longest * step)[:, None]
    return np.asarray(support + SPARE * machine.size)


def _travel(machine: Machine, ignore: frozenset[str]) -> tuple[Array, Array]:
    """Lower and upper ends (6,) of the joints' travel; the whole range of the joint where a limit does not count."""
    found = []
    for ends, names, end in (
        (machine.limits.joint_min, ("shortest", "lowest"), machine.legs.joint_range[0]),
        (machine.limits.joint_max, ("longest", "highest"), machine.legs.joint_range[1]),
    ):
        counts = np.array([not {f"leg {i} {name}" for name in names} & ignore for i in range(1, 7)])
        found.append(np.where(counts & np.isfinite(ends), ends, end + machine.table[MIDDLE]))
    return found[0], found[1]


def _cones(
    cone: Cone | None, plate: PlateAngle | None, side: str, ignore: frozenset[str], crank: Array | None = None
) -> list[Cones]:
    """Cones of the base or the platform; a plate's minimum angle is a cone about its normal."""

    def half(angles: Array, name: str) -> Array:
        return np.where([f"leg {i} {side} {name}" in ignore for i in range(1, 7)], np.pi, angles)

    found = [] if cone is None else [Cones(cone.axis, half(cone.half_angle, "cone"), crank)]
    if plate is not None:
        found.append(Cones(np.tile(plate.normal, (6, 1)), half(np.pi / 2 - plate.minimum, "plate angle")))
    return found


def turned(holder: Array, q: Array, axis: Array) -> Array:
    """Return directions (6, 3) turned with their cranks about `holder` by q, (n, 6, 3) (Rodrigues)."""
    along = np.sum(holder * axis, axis=-1, keepdims=True) * holder
    across, normal = axis - along, cross(holder, axis)
    return np.asarray(along + np.cos(q)[..., None] * across + np.sin(q)[..., None] * normal)


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
        """Build the balls of boxes of a region."""
        region = motion.region
        reach = np.linalg.norm(np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]]) - region.about, axis=-1)
        moved = motion.moved(reach)
        along = motion.half[:, :3] @ np.abs(region.directions).T + motion.turn[:, None] * reach[6]
        return cls(motion.X, moved[:, :6], np.minimum(moved[:, 6:], along * (1 + ROUNDING)), motion.turn)


def leg_enclosure(machine: Machine, balls: PoseBalls) -> Enclosure:
    """Return enclosures of the legs near poses."""
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
    _leg_travel(table, enclosure, low, high)
    scale = np.array([column.scale for column in table.columns])
    low, high = (bounds[:, table.arrays.places] for bounds in (low, high))
    low = np.where(np.isnan(margins), -np.inf, low - ROUNDING * scale)
    return low, np.where(np.isnan(high), np.inf, high + ROUNDING * scale)


def _leg_travel(table: LimitTable, enclosure: Enclosure, low: Array, high: Array) -> None:
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
    """Return bounds of how much the rods' directions differ from those at the pose: chords (n, 6), and angles [rad]."""
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
