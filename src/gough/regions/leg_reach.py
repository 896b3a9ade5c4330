"""What a leg alone leaves its platform joint and the platform's orientation: where no pose of a box can be allowed.

A rod in a cone of half-angle a about its axis, from a driven point p, of length l, has its platform joint no farther
along a direction e than p . e + l cos(max(0, angle(e, axis) - a)); the largest of that over the joint's travel is the
support of all places the joint can have. And a rod in a cone of the base and in one of the platform brings their axes
no farther apart than the sum of their half-angles. Both hold where a leg cannot close, too, and for large boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools
from gough.legs.leg import Enclosure
from gough.limits.sphere import icosphere
from gough.machine import Machine
from gough.regions.motions import Motion
from gough.regions.second_order import turned

SAMPLES = 721
"""Of a crank's circle."""
SPARE = 1e-9
"""Part of the machine's size, or in rad, by which supports are widened."""


class Cones(NamedTuple):
    """Cones in which a body holds the rods: axes (6, 3), at q = 0 where cranks turn them about their own (6, 3), and
    half-angles (6,)."""

    axis: Array
    half: Array
    crank: Array | None = None

    def axes_at(self, q: Array) -> Array:
        """The axes (..., 6, 3) at joint coordinates (..., 6)."""
        return self.axis if self.crank is None else turned(self.crank, q, self.axis)


class LegReach(NamedTuple):
    """Directions (d, 3) in the base, supports (6, d) of the platform joints' places [m]; what orientations keep: axes
    of base and platform (k, 6, 3) within angles (k, 6) [rad]; ends of the travel (6,) and all cones."""

    directions: Array
    support: Array
    base: Array
    platform: Array
    angle: Array
    travel: tuple[Array, Array]
    cones: tuple[tuple[Cones, ...], tuple[Cones, ...]]

    def is_missed(self, machine: Machine, motion: Motion) -> Bools:
        """Which boxes (n,) have no pose whose joints are where all legs can reach."""
        arms = motion.arms(machine.b_P)
        place = motion.X[:, None, :3, :3] @ motion.about + motion.X[:, None, :3, 3]
        least = (place + arms) @ self.directions.T
        least -= motion.speed(np.linalg.norm(machine.b_P - motion.about, axis=-1))[..., None]
        missed = (least > self.support).any(axis=(1, 2))
        for base, platform, most in zip(self.base, self.platform, self.angle, strict=True):
            cosine = np.sum(base * (platform @ np.swapaxes(motion.X[:, :3, :3], 1, 2)), axis=-1)
            missed |= (np.arccos(np.clip(cosine, -1.0, 1.0)) - motion.turn[:, None] > most).any(axis=1)
        return np.asarray(missed)

    def is_broken(self, machine: Machine, motion: Motion, enclosure: Enclosure) -> Bools:
        """Which boxes (n,) leave a leg open, or its joint coordinate or a cone of it broken, wherever it is closed."""
        low, high = self.travel
        broken = ~(enclosure.q_low <= high + SPARE) | ~(enclosure.q_high >= low - SPARE)
        for cones in self.cones[0]:
            with np.errstate(invalid="ignore"):
                middle, swing = (enclosure.q_low + enclosure.q_high) / 2, (enclosure.q_high - enclosure.q_low) / 2
            angle = least_angle(cones.axes_at(middle), enclosure) - (0.0 if cones.crank is None else swing)
            broken |= angle > cones.half + SPARE
        for cones in self.cones[1]:
            turned = cones.axis @ np.swapaxes(motion.X[:, :3, :3], 1, 2)
            broken |= least_angle(turned, enclosure) - motion.turn[:, None] > cones.half + SPARE
        return np.asarray(broken.any(axis=1))


def least_angle(axis: Array, enclosure: Enclosure) -> Array:
    """Smallest angle (n, 6) of rods and axes; rods are no farther from `u` than `u_shift`."""
    return np.arccos(np.clip(np.sum(axis * enclosure.u, axis=-1) + enclosure.u_shift, -1.0, 1.0))


def leg_reach(machine: Machine, ignore: frozenset[str] = frozenset()) -> LegReach:
    """The reach of the legs of a machine within the limits that count."""
    directions = np.concatenate([np.eye(3), -np.eye(3), icosphere(1).directions])
    base, platform = _base_cones(machine, ignore), _platform_cones(machine, ignore)
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
    """Cones fixed to the base that hold those of bodies that turn: about the crank's axis, and about mid-travel."""
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
    else:
        shortest = longest = np.asarray(rod)
        if not np.isfinite([low, high]).all():
            return np.full((6, len(directions)), np.inf)
        feet = legs.path(low, high, SAMPLES if legs.joint == "angle" else 2)
    cosine = np.ones((*feet.shape[:2], len(directions)))
    for each in cones:
        axes = np.broadcast_to(each.axis[:, None], feet.shape)
        if each.crank is not None:
            axes = np.swapaxes(each.axes_at(np.linspace(low, high, SAMPLES, axis=0)), 0, 1)
        angle = np.arccos(np.clip(axes @ directions.T, -1.0, 1.0)) - each.half[:, None, None] - SPARE
        cosine = np.minimum(cosine, np.cos(np.maximum(angle, 0.0)))
    with np.errstate(invalid="ignore"):
        along = np.where(cosine > 0, cosine * longest[:, None, None], cosine * shortest[:, None, None])
    support = (feet @ directions.T + along).max(axis=1)
    if rod is not None and legs.joint == "angle":  # between two samples
        step = (high - low) / (SAMPLES - 1)
        support += (np.linalg.norm(np.diff(feet, axis=1), axis=-1).max(axis=1) + longest * step)[:, None]
    return np.asarray(support + SPARE * machine.size)


def _travel(machine: Machine, ignore: frozenset[str]) -> tuple[Array, Array]:
    """Ends of the legs' travel (6,), as far as they count."""
    found = []
    for ends, names, end in (
        (machine.limits.joint_min, ("shortest", "lowest"), machine.legs.joint_range[0]),
        (machine.limits.joint_max, ("longest", "highest"), machine.legs.joint_range[1]),
    ):
        counts = np.array([not {f"leg {i} {name}" for name in names} & ignore for i in range(1, 7)])
        found.append(np.where(counts & np.isfinite(ends), ends, end))
    return found[0], found[1]


def _base_cones(machine: Machine, ignore: frozenset[str]) -> list[Cones]:
    limits, found = machine.limits, []
    if limits.base_cone is not None:
        half = _counted_half(limits.base_cone.half_angle, "base cone", ignore)
        crank = machine.legs.carrier_twist()[:, 3:] if machine.legs.joint == "angle" else None
        found.append(Cones(limits.base_cone.axis, half, crank))
    if limits.base_plate is not None:
        found.append(_plate_cones(limits.base_plate.normal, limits.base_plate.minimum, "base plate angle", ignore))
    return found


def _platform_cones(machine: Machine, ignore: frozenset[str]) -> list[Cones]:
    limits, found = machine.limits, []
    if limits.platform_cone is not None:
        half = _counted_half(limits.platform_cone.half_angle, "platform cone", ignore)
        found.append(Cones(limits.platform_cone.axis, half))
    if limits.platform_plate is not None:
        plate = limits.platform_plate
        found.append(_plate_cones(plate.normal, plate.minimum, "platform plate angle", ignore))
    return found


def _plate_cones(normal: Array, least: float, name: str, ignore: frozenset[str]) -> Cones:
    """Rods that rise by an angle from a plate are in a cone about its normal."""
    return Cones(np.tile(normal, (6, 1)), _counted_half(np.full(6, np.pi / 2 - least), name, ignore))


def _counted_half(half: Array, name: str, ignore: frozenset[str]) -> Array:
    return np.array([np.pi if f"leg {i + 1} {name}" in ignore else half[i] for i in range(6)])
