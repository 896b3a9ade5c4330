"""Joints of the legs as solids: balls and forks that move, sockets and yokes of base and platform that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gough.arrays import Array
from gough.kinematics.inverse import inverse_kinematics
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.plot._guide_curves import circles, guide_ends
from gough.plot._shapes import Ball, Fork
from gough.plot._solids import Solid, box, joined, perpendicular, tube

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
