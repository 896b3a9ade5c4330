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
from gough.plot._solids import Solid, box, joined, tube

THICKNESS = 0.013
"""Radius of a leg, as a part of the machine's size, where the machine does not give it."""
ROD = 0.7
"""Radius of a rod of constant length, as a part of the leg's."""


@dataclass(frozen=True, eq=False)
class JointAxes:
    """What a machine's joints are, and how their fixed parts are turned.

    Attributes
    ----------
    driven, platform : str
        "U" or "S": the joint at the leg's driven point, or at its base, and the one at the platform.
    base_up, platform_up : (3,) arrays
        From the base's joints to its plate, in the base frame; from the platform's to its plate, in the platform's.
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
    """Joints as the kind of the machine's legs has them; pins lie across the leg at home where no file says more."""
    kind = machine.leg_kind or machine.legs.kind
    p, b, R = _driven_at_home(machine), machine.b_home, machine.X_home[:3, :3]
    base_up = plate_normal(machine.legs.rest(), p.mean(axis=0) - b.mean(axis=0), np.eye(3))
    platform_up = plate_normal(b, b.mean(axis=0) - p.mean(axis=0), R)
    along = unit_rows(b - p)
    given = machine.joint_axis
    base_pin = unit_rows(_across(along, base_up) if given is None else np.asarray(given))
    is_strut = machine.legs.rod() is None
    platform_pin = _across(along, platform_up) @ R
    return JointAxes(kind[0 if is_strut else 1], kind[2], base_up, R.T @ platform_up, base_pin, platform_pin)


def plate_normal(points: Array, towards: Array, R: Array) -> Array:
    """Unit normal (3,) of the plate that carries points (n, 3), on the side `towards`: of the points' plane, or, where
    they have none, the axis of the plate's frame R nearest to `towards`."""
    _, spread, axes = np.linalg.svd(points - points.mean(axis=0))
    normal = axes[2] if spread[2] < 0.05 * spread[0] else R[:, np.argmax(np.abs(towards @ R))]
    return np.asarray(normal if normal @ towards >= 0 else -normal)


def leg_radius(machine: Machine) -> Array:
    """Radii (6,) [m] with which legs are drawn: the machine's, or a likely one."""
    given = machine.limits.leg_radius
    return np.full(6, THICKNESS * machine.size) if given is None else given


def mounts(machine: Machine) -> tuple[list[Solid], list[Solid]]:
    """Yokes and sockets of the base, in its frame, and of the platform, in the platform's."""
    axes, r = joint_axes(machine), leg_radius(machine)
    base = []
    if machine.legs.rod() is None:
        base = _mounts(axes.driven, machine.legs.rest(), axes.base_up, axes.base_pin, r)
    end = r if machine.legs.rod() is None and axes.platform == "U" else ROD * r
    return base, _mounts(axes.platform, machine.b_P, axes.platform_up, axes.platform_pin, end)


def _mounts(kind: str, points: Array, up: Array, pins: Array, radius: Array) -> list[Solid]:
    found = []
    for point, pin, r in zip(points, pins, radius.tolist(), strict=True):
        found.append(_yoke(point, up, pin, r) if kind == "U" else tube(point, point + 1.4 * r * up, 2.2 * r, sides=12))
    return found


def _yoke(point: Array, up: Array, pin: Array, r: float) -> Solid:
    """Two cheeks on a plate at `up` with a pin between them; the joint's cross turns on it."""
    across = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    side = unit_rows(pin - (pin @ up) * up if abs(pin @ up) < 0.9 else across)
    axes = np.stack([side, np.cross(up, side), up], axis=1)
    cheeks = [box(np.array([sign * 2.3, 0.0, 0.0]), np.array([0.6, 2.0, 2.0])) for sign in (-1, 1)]
    foot = box(np.array([0.0, 0.0, 1.1]), np.array([5.2, 2.0, 0.5]))
    parts = [Solid(point + r * part.vertices @ axes.T, part.faces) for part in (*cheeks, foot)]
    return joined([*parts, tube(point - 2.8 * r * side, point + 2.8 * r * side, 0.5 * r, sides=8)])


def driven_joints(
    machine: Machine, q: Array, p_B: Array, b_B: Array, words: list[str]
) -> tuple[list[Ball], list[Fork]]:
    """Balls and forks at the driven points p_B (6, 3) of legs with joint coordinates q (6,)."""
    axes, along = joint_axes(machine), b_B - p_B
    if machine.legs.rod() is None:
        pins, ball, knuckle, size = np.cross(along, axes.base_pin), 1.25, 0.9, 1.0
    elif machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        pins, ball, knuckle, size = np.cross(along, ends[:, 1] - ends[:, 0]), 1.9, 0.9, 1.3
    else:
        turns = circles(machine)
        spokes = np.cross(turns.axis, p_B - turns.centre) if turns.is_ring else np.cross(along, turns.axis)
        pins, ball, knuckle, size = np.cross(along, spokes), 1.9 if turns.is_ring else 1.5, 0.9, 1.3
    return _joints(axes.driven, p_B, along, pins, leg_radius(machine), words, (ball, knuckle, size))


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
    found = [
        Ball(point, (knuckle if kind == "U" else ball) * r, label)
        for point, r, label in zip(points, radius.tolist(), words, strict=True)
    ]
    if kind != "U":
        return found, []
    return found, [
        Fork(point, u, pin, fork * r) for point, u, pin, r in zip(points, along, pins, radius.tolist(), strict=True)
    ]


def _driven_at_home(machine: Machine) -> Array:
    return machine.legs.driven_points(np.nan_to_num(inverse_kinematics(machine, machine.X_home)))


def _across(along: Array, up: Array) -> Array:
    """Unit vectors (6, 3) across legs and `up`; any across the leg where it goes along `up`."""
    found = np.cross(along, up)
    found[np.linalg.norm(found, axis=1) < 0.02] = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    return unit_rows(found)
