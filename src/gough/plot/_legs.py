"""Legs as solids: strut with cylinder and piston, slider on its guide, crank or carriage with its rod.

What is drawn follows from what a leg's rod and joint are: a rod whose length changes is a strut, a length as joint
coordinate is a slider, an angle is a crank.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot._shapes import Ball, Bar, Block, Shape
from gough.plot._units import decimals, file_unit, in_file_units

Array = NDArray[np.float64]

THICKNESS = 0.013
"""Radius of a leg, as a part of the machine's size, where the machine does not give it."""
TURN = np.linspace(-np.pi, np.pi, 73)
"""Crank angles that draw a whole circle [rad]."""


@dataclass
class Drawing:
    """Shapes by what they are, so that each group has one colour; metres, base frame.

    Attributes
    ----------
    heavy, bright, joints, guides : list of Shape
        Cylinders, sliders and cranks; pistons and rods; joints; guides, shafts and rings.
    plate : (n, 3) array
        Points that the base's plate carries.
    numbers : (6, 3) array
        Where the legs' numbers stand.
    open_legs : list of int
        Legs that cannot close at the pose, counted from 1.

    """

    plate: Array
    numbers: Array
    open_legs: list[int]
    heavy: list[Shape] = field(default_factory=list)
    bright: list[Shape] = field(default_factory=list)
    joints: list[Shape] = field(default_factory=list)
    guides: list[Shape] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Leg:
    """One leg at the pose: driven point p, platform joint b, radius, way of the driven point, words."""

    p: Array
    b: Array
    radius: float
    way: Array
    shortest: float
    is_closed: bool
    label: str
    foot_label: str


def leg_radius(machine: Machine) -> Array:
    """Radii (6,) [m] with which legs are drawn: the machine's, or a likely one."""
    given = machine.limits.leg_radius
    return np.full(6, THICKNESS * machine.size) if given is None else given


def draw_legs(machine: Machine, q: Array, b_B: Array) -> Drawing:
    """The legs with joint coordinates q (6,) and platform joints at b_B (6, 3) [m]."""
    is_strut, is_slider = machine.legs.rod() is None, machine.legs.joint == "length"
    way = _way(machine, q)
    p_B = machine.legs.driven_points(np.where(np.isfinite(q), q, 0.0))
    radius = leg_radius(machine)
    drawing = Drawing(
        plate=machine.legs.rest() if is_strut else _guide_ends(way, b_B) if is_slider else _crank_centres(machine, way),
        numbers=0.6 * p_B + 0.4 * b_B,
        open_legs=[int(i) + 1 for i in np.flatnonzero(~np.isfinite(q))],
    )
    on_ring = not is_strut and not is_slider and _has_common_axis(machine, way)
    if on_ring:
        drawing.guides += [Bar(start, end, 0.7 * radius[0]) for start, end in pairwise(way[0])]
    draw = _strut if is_strut else _slider if is_slider else _carriage if on_ring else _crank
    for i in range(6):
        label = f"leg {i + 1}: {_in_words(machine, q[i])}"
        foot = f"base joint {i + 1}<br>{_point(machine, p_B[i])}"
        shortest = float(machine.limits.joint_min[i])
        leg = _Leg(p_B[i], b_B[i], float(radius[i]), way[i], shortest, bool(np.isfinite(q[i])), label, foot)
        draw(drawing, leg)
        drawing.joints.append(Ball(leg.b, 1.25 * leg.radius, f"platform joint {i + 1}<br>{_point(machine, leg.b)}"))
    return drawing


def _strut(drawing: Drawing, leg: _Leg) -> None:
    """Cylinder that holds the piston at its shortest, and the piston out to the platform joint."""
    length = float(np.linalg.norm(leg.b - leg.p))
    part = min(0.92 * leg.shortest / length, 0.92) if np.isfinite(leg.shortest) and leg.shortest > 0 else 0.55
    end = leg.p + part * (leg.b - leg.p)
    drawing.heavy.append(Bar(leg.p, end, leg.radius, label=leg.label))
    drawing.bright.append(Bar(leg.p + 0.98 * (end - leg.p), leg.b, 0.55 * leg.radius, label=leg.label))
    drawing.joints.append(Ball(leg.p, 1.25 * leg.radius, leg.foot_label))


def _slider(drawing: Drawing, leg: _Leg) -> None:
    """Guide over the drawn travel, slider on it, rod."""
    drawing.guides.append(Bar(leg.way[0], leg.way[-1], 0.6 * leg.radius))
    if leg.is_closed:
        drawing.heavy.append(Block(leg.p, leg.way[-1] - leg.way[0], 4.2 * leg.radius, 3.0 * leg.radius, leg.label))
        _rod(drawing, leg)


def _carriage(drawing: Drawing, leg: _Leg) -> None:
    """Carriage on the ring that all share, rod."""
    if leg.is_closed:
        centre, normal = _circle(leg.way)
        along = np.cross(normal, leg.p - centre)
        drawing.heavy.append(Block(leg.p, along, 4.2 * leg.radius, 3.0 * leg.radius, leg.label))
        _rod(drawing, leg)


def _crank(drawing: Drawing, leg: _Leg) -> None:
    """Shaft, crank, rod."""
    centre, normal = _circle(leg.way)
    drawing.guides.append(Bar(centre - 2.2 * leg.radius * normal, centre + 1.6 * leg.radius * normal, 1.8 * leg.radius))
    if leg.is_closed:
        drawing.heavy.append(Bar(centre, leg.p, 1.1 * leg.radius, label=leg.label))
        _rod(drawing, leg)


def _rod(drawing: Drawing, leg: _Leg) -> None:
    drawing.bright.append(Bar(leg.p, leg.b, 0.7 * leg.radius, label=leg.label))
    drawing.joints.append(Ball(leg.p, 1.6 * leg.radius, leg.foot_label))


def _way(machine: Machine, q: Array) -> Array:
    """Way of the driven points (6, n, 3): a whole circle, or a guide between its limits, or half a rod each way."""
    rod = machine.legs.rod()
    if machine.legs.joint == "angle":
        return _turns(machine)
    middle, half = np.where(np.isfinite(q), q, 0.0), 0.5 * (np.ones(6) if rod is None else rod)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    low, high = np.where(np.isfinite(low), low, middle - half), np.where(np.isfinite(high), high, middle + half)
    return machine.legs.path(low, high, 2)


@lru_cache(maxsize=4)
def _turns(machine: Machine) -> Array:
    """Whole turns of the cranks (6, n, 3), kept: pictures in motion ask again and again."""
    return machine.legs.path(np.full(6, TURN[0]), np.full(6, TURN[-1]), len(TURN))


def _circle(way: Array) -> tuple[Array, Array]:
    """Centre (3,) and unit normal (3,) of a crank's circle (n, 3), which ends where it starts."""
    centre = way[:-1].mean(axis=0)
    normal = np.cross(way[0] - centre, way[len(way) // 4] - centre)
    return centre, normal / np.linalg.norm(normal)


def _has_common_axis(machine: Machine, way: Array) -> bool:
    """Whether all cranks turn about one point: carriages on a ring."""
    centres = way[:, :-1].mean(axis=1)
    return bool(np.ptp(centres, axis=0).max() < 1e-6 * machine.size)


def _crank_centres(machine: Machine, way: Array) -> Array:
    """What the base's plate carries: the shafts, or the ring."""
    return np.asarray(way[0, :-1] if _has_common_axis(machine, way) else way[:, :-1].mean(axis=1))


def _guide_ends(way: Array, b_B: Array) -> Array:
    """What carries the guides: all their ends where these lie in one plane, else those far from the platform."""
    ends = way[:, [0, -1]]
    spread = np.linalg.svd(ends.reshape(-1, 3) - ends.mean(axis=(0, 1)), compute_uv=False)
    if spread[2] < 0.02 * spread[0]:
        return np.asarray(ends.reshape(-1, 3))
    distance = np.linalg.norm(ends - b_B.mean(axis=0), axis=-1).mean(axis=0)
    return np.asarray(ends[:, int(np.argmax(distance))])


def _in_words(machine: Machine, q: float) -> str:
    if not np.isfinite(q):
        return "cannot close here"
    unit = machine.legs.joint_unit
    return f"{in_file_units(machine, q, unit):.{decimals(machine, unit)}f} {file_unit(machine, unit)}"


def _point(machine: Machine, point: Array) -> str:
    shown = ", ".join(f"{x:.{decimals(machine, 'm')}f}" for x in in_file_units(machine, point, "m"))
    return f"({shown}) {machine.units.length}"
