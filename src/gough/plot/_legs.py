"""Legs as solids: guide curves, joints with their yokes and sockets, struts, sliders and cranks.

The shapes follow from a leg's rod and joint: a rod whose length changes is a strut; with a rod of constant length a
joint coordinate that is a length is a slider, and one that is an angle a crank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress

import numpy as np

from gough.arrays import Array
from gough.kinematics.inverse import inverse_kinematics
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.plot._solids import Ball, Bar, Cuboid, Fork, Ring, Shape, Solid, box, joined, perpendicular, tube
from gough.present.units import decimals, file_unit, in_file_units

TURN = np.linspace(-np.pi, np.pi, 73)
"""Crank angles that draw a whole circle [rad]."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of the driven points of six cranks.

    Attributes
    ----------
    points : (6, 72, 3) array
        Points on each circle [m].
    centre, axis : (6, 3) arrays
        Centres [m] and unit normals.
    radius : (6,) array
        Radii [m].
    is_ring : bool
        Whether all circles share a centre: carriages on a ring.

    """

    points: Array
    centre: Array
    axis: Array
    radius: Array
    is_ring: bool


@lru_cache(maxsize=4)
def circles(machine: Machine) -> Circles:
    """Circles of a machine with cranks, cached because animations need them at every instant."""
    # Without the last point, which repeats the first, the mean of the points is the centre.
    points = machine.legs.path(np.full(6, TURN[0]), np.full(6, TURN[-1]), len(TURN))[:, :-1]
    centre = points.mean(axis=1)
    spokes = points - centre[:, None]
    axis = np.cross(spokes[:, 0], spokes[:, len(TURN) // 4])
    is_ring = bool(np.ptp(centre, axis=0).max() < 1e-6 * machine.size)
    radius = np.linalg.norm(spokes[:, 0], axis=-1)
    return Circles(points, centre, axis / np.linalg.norm(axis, axis=-1, keepdims=True), radius, is_ring)


def guide_ends(machine: Machine, q: Array) -> Array:
    """Ends (6, 2, 3) of the guides as drawn: at the limits, or half a rod from the driven point where none are."""
    rod = machine.legs.rod()
    middle, half = np.where(np.isfinite(q), q, 0.0), 0.5 * (np.ones(6) if rod is None else rod)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    low, high = np.where(np.isfinite(low), low, middle - half), np.where(np.isfinite(high), high, middle + half)
    return machine.legs.path(low, high, 2)


def carrying_ends(ends: Array, b_B: Array) -> Array:
    """Points at which a plate carries guides (6, 2, 3): all ends if they lie in one plane, else the six far from the
    platform."""
    # Singular values are the extents along the principal axes: a small third one means a plane.
    spread = np.linalg.svd(ends.reshape(-1, 3) - ends.mean(axis=(0, 1)), compute_uv=False)
    if spread[2] < 0.02 * spread[0]:
        return np.asarray(ends.reshape(-1, 3))
    distance = np.linalg.norm(ends - b_B.mean(axis=0), axis=-1).mean(axis=0)
    return np.asarray(ends[:, int(np.argmax(distance))])


THICKNESS = 0.013
"""Radius of a leg, as a part of the machine's size, where the machine does not give it."""
ROD = 0.7
"""Radius of a rod of constant length, as a part of the leg's."""


@dataclass(frozen=True, eq=False)
class JointAxes:
    """Kinds of a machine's joints, and directions of their fixed parts.

    Attributes
    ----------
    driven, platform : str
        "U" (universal) or "S" (spherical): the joint at the leg's driven point, or at its base, and at the platform.
    base_up, platform_up : (3,) arrays
        Unit vectors from the joints to the plate that carries them, in the frames of base and platform.
    base_pin, platform_pin : (6, 3) arrays
        First axis of universal joints, held by the base (struts only), and by the platform, in their frames.

    """

    driven: str
    platform: str
    base_up: Array
    platform_up: Array
    base_pin: Array
    platform_pin: Array


@lru_cache(maxsize=8)
def joint_axes(machine: Machine) -> JointAxes:
    """Joints by the kind of the machine's legs; pins lie across the leg at home where the file gives no axes."""
    # A kind lists the joints from base to platform: "UPS" with a passive one first, "PUS" with the actuated one.
    kind = machine.leg_kind or machine.legs.kind
    p = machine.legs.driven_points(np.nan_to_num(inverse_kinematics(machine, machine.X_home)))
    b, R = machine.b_home, machine.X_home[:3, :3]
    base_up = plate_normal(machine.legs.rest(), p.mean(axis=0) - b.mean(axis=0), np.eye(3))
    platform_up = plate_normal(b, b.mean(axis=0) - p.mean(axis=0), R)
    along = unit_rows(b - p)
    given = machine.joint_axis
    base_pin = unit_rows(_across(along, base_up) if given is None else np.asarray(given))
    is_strut = machine.legs.rod() is None
    platform_pin = _across(along, platform_up) @ R
    return JointAxes(kind[0 if is_strut else 1], kind[2], base_up, R.T @ platform_up, base_pin, platform_pin)


def plate_normal(points: Array, towards: Array, R: Array) -> Array:
    """Unit normal (3,) of the plate that carries points (n, 3), on the side `towards`: that of the points' plane, or,
    where they lie in none, the axis of the plate's frame R nearest to `towards`."""
    # Principal axes of the points: the last one is the normal if the extent along it is small.
    _, spread, axes = np.linalg.svd(points - points.mean(axis=0))
    normal = axes[2] if spread[2] < 0.05 * spread[0] else R[:, np.argmax(np.abs(towards @ R))]
    return np.asarray(normal if normal @ towards >= 0 else -normal)


def platform_points(machine: Machine, X: Array) -> Array:
    """Platform joints (..., 6, 3) [m] in the base frame with the platform at poses (..., 4, 4)."""
    return np.asarray(machine.b_P @ np.swapaxes(X[..., :3, :3], -1, -2) + X[..., None, :3, 3])


def leg_radius(machine: Machine) -> Array:
    """Radii (6,) [m] with which legs are drawn: the machine's, or a likely one."""
    given = machine.limits.leg_radius
    return np.full(6, THICKNESS * machine.size) if given is None else given


def mounts(machine: Machine) -> tuple[list[Solid], list[Solid]]:
    """Yokes and sockets fixed to the base (of struts only), in its frame, and to the platform, in the platform's."""
    axes, r, is_strut = joint_axes(machine), leg_radius(machine), machine.legs.rod() is None
    base = _mounts(axes.driven, machine.legs.rest(), axes.base_up, axes.base_pin, r) if is_strut else []
    end = r if is_strut and axes.platform == "U" else ROD * r
    return base, _mounts(axes.platform, machine.b_P, axes.platform_up, axes.platform_pin, end)


def _mounts(kind: str, points: Array, up: Array, pins: Array, radius: Array) -> list[Solid]:
    return [
        _yoke(point, up, pin, r) if kind == "U" else tube(point, point + 1.4 * r * up, 2.2 * r, sides=12)
        for point, pin, r in zip(points, pins, radius.tolist(), strict=True)
    ]


def _yoke(point: Array, up: Array, pin: Array, r: float) -> Solid:
    """Two cheeks on a plate at `up` with a pin between them; the joint's cross turns on it."""
    # The pin's part in the plate's plane; any direction there if the pin is nearly square to the plate.
    side = unit_rows(pin - (pin @ up) * up) if abs(pin @ up) < 0.9 else perpendicular(up)[0]
    axes = np.stack([side, np.cross(up, side), up], axis=1)
    cheeks = [box(np.array([sign * 2.3, 0.0, 0.0]), np.array([0.6, 2.0, 2.0])) for sign in (-1, 1)]
    foot = box(np.array([0.0, 0.0, 1.1]), np.array([5.2, 2.0, 0.5]))
    parts = [Solid(point + r * part.vertices @ axes.T, part.faces) for part in (*cheeks, foot)]
    return joined([*parts, tube(point - 2.8 * r * side, point + 2.8 * r * side, 0.5 * r, sides=8)])


def driven_joints(
    machine: Machine, q: Array, p_B: Array, b_B: Array, words: list[str]
) -> tuple[list[Ball], list[Fork]]:
    """Balls and forks at the driven points p_B (6, 3) of legs with joint coordinates q (6,)."""
    # The fork's pin is square to the rod and to the joint's other axis: the pin in the base's yoke, the guide, the
    # tangent of the ring, or, of a crank, the direction square to rod and shaft.
    axes, along = joint_axes(machine), b_B - p_B
    if machine.legs.rod() is None:
        other, ball, fork = axes.base_pin, 1.25, 1.0
    elif machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        other, ball, fork = ends[:, 1] - ends[:, 0], 1.9, 1.3
    elif (turns := circles(machine)).is_ring:
        other, ball, fork = np.cross(turns.axis, p_B - turns.centre), 1.9, 1.3
    else:
        other, ball, fork = np.cross(along, turns.axis), 1.5, 1.3
    pins = np.cross(along, other)
    return _joints(axes.driven, p_B, along, pins, leg_radius(machine), words, (ball, 0.9, fork))


def platform_joints(
    machine: Machine, R: Array, p_B: Array, b_B: Array, words: list[str]
) -> tuple[list[Ball], list[Fork]]:
    """Balls and forks at the platform joints b_B (6, 3), with the platform turned by R (3, 3)."""
    axes, along, r = joint_axes(machine), p_B - b_B, leg_radius(machine)
    pins = np.cross(along, axes.platform_pin @ R.T)
    return _joints(axes.platform, b_B, along, pins, r, words, (1.25, 0.9 * ROD, ROD))


def _joints(
    kind: str,
    points: Array,
    along: Array,
    pins: Array,
    radius: Array,
    words: list[str],
    sizes: tuple[float, float, float],
) -> tuple[list[Ball], list[Fork]]:
    """Joints of one kind; sizes of a ball, of a universal joint's knuckle, and of its fork, in radii of the leg."""
    ball, knuckle, fork = sizes
    if kind != "U":
        return [Ball(*each) for each in zip(points, ball * radius, words, strict=True)], []
    knuckles = [Ball(*each) for each in zip(points, knuckle * radius, words, strict=True)]
    return knuckles, [Fork(*each) for each in zip(points, along, pins, fork * radius, strict=True)]


def _across(along: Array, up: Array) -> Array:
    """Unit vectors (6, 3) square to legs and `up`; any square to `up` where the leg is parallel to it."""
    found = np.cross(along, up)
    found[np.linalg.norm(found, axis=1) < 0.02] = perpendicular(up)[0]
    return unit_rows(found)


@dataclass(eq=False)
class Moving:
    """The moving parts of six legs, grouped by colour; in the base frame [m].

    Attributes
    ----------
    numbers : (6, 3) array
        Positions of the legs' numbers.
    open_legs : list of int
        Legs that cannot close at the pose, counted from 1.
    heavy, bright : list of Shape
        Cylinders, sliders and cranks; pistons and rods.
    joints, forks : list of Ball, list of Fork
        Balls of spherical joints and knuckles of universal ones; the forks that turn on these.

    """

    numbers: Array
    open_legs: list[int]
    heavy: list[Shape] = field(default_factory=list)
    bright: list[Shape] = field(default_factory=list)
    joints: list[Ball] = field(default_factory=list)
    forks: list[Fork] = field(default_factory=list)


@dataclass(eq=False)
class Drawing(Moving):
    """Six legs with the fixed parts that carry them.

    Attributes
    ----------
    plate : (n, 3) array
        Points at which the base's plate carries them.
    guides : sequence of Bar, Cuboid or Ring
        Rails, motors with their shafts, and the ring.

    """

    plate: Array = field(kw_only=True)
    guides: Sequence[Bar | Cuboid | Ring] = field(kw_only=True)

    @property
    def has_round_guides(self) -> bool:
        """Whether guides are shaded smoothly: all but blocks."""
        return not any(isinstance(shape, Cuboid) for shape in self.guides)


def draw_legs(machine: Machine, q: Array, X: Array) -> Drawing:
    """The legs with joint coordinates q (6,) [m or rad] and the platform at a pose (4, 4), and the parts that carry
    them: nothing of struts, rails of sliders, the ring of carriages, motors of cranks."""
    legs, radius = move_legs(machine, q, X), leg_radius(machine)
    if machine.legs.rod() is None:
        return Drawing(**vars(legs), plate=machine.legs.rest(), guides=[])
    if machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        rails = [
            Cuboid(0.5 * (start + end), end - start, float(np.linalg.norm(end - start)), 1.4 * r)
            for (start, end), r in zip(ends, radius.tolist(), strict=True)
        ]
        return Drawing(**vars(legs), plate=carrying_ends(ends, platform_points(machine, X)), guides=rails)
    turns = circles(machine)
    if turns.is_ring:
        ring = Ring(turns.centre[0], turns.axis[0], float(turns.radius[0]), 0.7 * float(radius[0]))
        return Drawing(**vars(legs), plate=turns.points[0], guides=[ring])
    motors: list[Bar | Cuboid | Ring] = []
    for centre, axis, r in zip(turns.centre, turns.axis, radius.tolist(), strict=True):
        # The motor's box behind the crank, and its shaft from the box through the crank.
        motors.append(Cuboid(centre - 3.2 * r * axis, axis, 3.8 * r, 3.6 * r))
        motors.append(Bar(centre - 1.4 * r * axis, centre + 1.5 * r * axis, 0.9 * r))
    return Drawing(**vars(legs), plate=_under_motors(turns.centre, 5.0 * radius[:, None] * turns.axis), guides=motors)


def _under_motors(centres: Array, back: Array) -> Array:
    """Points at which the base's plate carries motors: cranks' centres (6, 3), and, if those lie in their plane, the
    motors' rear ends."""
    ends = np.concatenate([centres, centres - back])
    spread = np.linalg.svd(ends - ends.mean(axis=0), compute_uv=False)
    return ends if spread[2] < 0.01 * spread[0] else centres


def move_legs(machine: Machine, q: Array, X: Array) -> Moving:
    """Moving parts of the legs with joint coordinates q (6,) [m or rad] and the platform at a pose (4, 4).

    Of a leg that cannot close (NaN), nothing but the platform joint is drawn; a strut is drawn at any length.
    """
    is_closed, b_B = np.isfinite(q), platform_points(machine, X)
    p_B = machine.legs.driven_points(np.where(is_closed, q, 0.0))
    drawing = Moving(numbers=0.6 * p_B + 0.4 * b_B, open_legs=[int(i) + 1 for i in np.flatnonzero(~is_closed)])
    is_strut = machine.legs.rod() is None
    is_drawn = is_closed | is_strut
    labels = [f"leg {i}: {_in_words(machine, value)}" for i, value in enumerate(q, 1)]
    heavy, bright = _struts(machine, p_B, b_B, labels) if is_strut else _rods(machine, q, p_B, b_B, labels)
    drawing.heavy += compress(heavy, is_drawn)
    drawing.bright += compress(bright, is_drawn)
    feet = [f"base joint {i + 1}<br>{_point(machine, p)}" for i, p in enumerate(p_B)]
    heads = [f"platform joint {i + 1}<br>{_point(machine, b)}" for i, b in enumerate(b_B)]
    lower, lower_forks = driven_joints(machine, q, p_B, b_B, feet)
    upper, upper_forks = platform_joints(machine, X[:3, :3], p_B, b_B, heads)
    # `compress` ends with the shorter: spherical joints have no forks.
    drawing.joints += [*compress(lower, is_drawn), *upper]
    drawing.forks += [*compress(lower_forks, is_drawn), *compress(upper_forks, is_drawn)]
    return drawing


def _struts(machine: Machine, p_B: Array, b_B: Array, labels: list[str]) -> tuple[Sequence[Shape], Sequence[Shape]]:
    """Cylinders, and pistons out to the platform joints, of legs from p_B to b_B (6, 3) [m]."""
    radius, shortest = leg_radius(machine), machine.limits.joint_min
    length = np.linalg.norm(b_B - p_B, axis=1)
    # A cylinder has a constant length, 0.92 of the shortest leg; a leg that is shorter still shortens it.
    part = np.where(np.isfinite(shortest) & (shortest > 0), np.minimum(0.92 * shortest / length, 0.92), 0.55)
    ends = p_B + part[:, None] * (b_B - p_B)
    cylinders = [Bar(*each) for each in zip(p_B, ends, radius, labels, strict=True)]
    # A piston begins inside its cylinder, so that no gap shows.
    pistons = [Bar(*each) for each in zip(p_B + 0.98 * (ends - p_B), b_B, 0.55 * radius, labels, strict=True)]
    return cylinders, pistons


def _rods(
    machine: Machine, q: Array, p_B: Array, b_B: Array, labels: list[str]
) -> tuple[Sequence[Shape], Sequence[Shape]]:
    """Carriages or cranks, and rods of constant length, of legs with joint coordinates q (6,) [m or rad]."""
    radius = leg_radius(machine)
    rods = [Bar(*each) for each in zip(p_B, b_B, ROD * radius, labels, strict=True)]
    if machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        along = ends[:, 1] - ends[:, 0]
    elif (turns := circles(machine)).is_ring:
        along = np.cross(turns.axis, p_B - turns.centre)  # tangent of the ring
    else:
        return [Bar(*each) for each in zip(turns.centre, p_B, 1.1 * radius, labels, strict=True)], rods
    return [Cuboid(*each) for each in zip(p_B, along, 4.2 * radius, 2.4 * radius, labels, strict=True)], rods


def _in_words(machine: Machine, q: float) -> str:
    if not np.isfinite(q):
        return "cannot close here"
    unit = machine.legs.joint_unit
    return f"{in_file_units(machine, q, unit):.{decimals(machine, unit)}f} {file_unit(machine, unit)}"


def _point(machine: Machine, point: Array) -> str:
    shown = ", ".join(f"{x:.{decimals(machine, 'm')}f}" for x in in_file_units(machine, point, "m"))
    return f"({shown}) {machine.units.length}"
