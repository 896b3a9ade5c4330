"""Legs as solids: strut with cylinder and piston, slider on its guide, crank or carriage with its rod.

What is drawn follows from what a leg's rod and joint are: a rod whose length changes is a strut, a length as joint
coordinate is a slider, an angle is a crank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot._guide_curves import carrying_ends, circles, guide_ends
from gough.plot._shapes import Ball, Bar, Block, Ring, Shape
from gough.present.units import decimals, file_unit, in_file_units

Array = NDArray[np.float64]

THICKNESS = 0.013
"""Radius of a leg, as a part of the machine's size, where the machine does not give it."""


@dataclass
class Moving:
    """What moves of six legs, by what it is, so that each group has one colour; metres, base frame.

    Attributes
    ----------
    numbers : (6, 3) array
        Positions of the legs' numbers.
    open_legs : list of int
        Legs that cannot close at the pose, counted from 1.
    heavy, bright, joints : list of Shape
        Cylinders, sliders and cranks; pistons and rods; joints.

    """

    numbers: Array
    open_legs: list[int]
    heavy: list[Shape] = field(default_factory=list)
    bright: list[Shape] = field(default_factory=list)
    joints: list[Shape] = field(default_factory=list)


@dataclass
class Drawing(Moving):
    """Six legs with what carries them.

    Attributes
    ----------
    plate : (n, 3) array
        Points that the base's plate carries.
    guides : sequence of Bar or Ring
        Guides, shafts and the ring.

    """

    plate: Array = field(kw_only=True)
    guides: Sequence[Bar | Ring] = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class _Leg:
    """One leg at the pose: driven point p, platform joint b, radius, words; what its p moves along and how far."""

    p: Array
    b: Array
    radius: float
    axis: Array
    centre: Array
    shortest: float
    is_closed: bool
    label: str
    foot_label: str


def leg_radius(machine: Machine) -> Array:
    """Radii (6,) [m] with which legs are drawn: the machine's, or a likely one."""
    given = machine.limits.leg_radius
    return np.full(6, THICKNESS * machine.size) if given is None else given


def draw_legs(machine: Machine, q: Array, b_B: Array) -> Drawing:
    """The legs with joint coordinates q (6,) and platform joints at b_B (6, 3) [m], and what carries them."""
    legs, radius = move_legs(machine, q, b_B), leg_radius(machine)
    if machine.legs.rod() is None:
        return Drawing(**vars(legs), plate=machine.legs.rest(), guides=[])
    if machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        guides = [Bar(start, end, 0.6 * r) for (start, end), r in zip(ends, radius.tolist(), strict=True)]
        return Drawing(**vars(legs), plate=carrying_ends(ends, b_B), guides=guides)
    turns = circles(machine)
    if turns.is_ring:
        ring = Ring(turns.centre[0], turns.axis[0], float(turns.radius[0]), 0.7 * float(radius[0]))
        return Drawing(**vars(legs), plate=turns.points[0], guides=[ring])
    shafts = [
        Bar(centre - 2.2 * r * axis, centre + 1.6 * r * axis, 1.8 * r)
        for centre, axis, r in zip(turns.centre, turns.axis, radius.tolist(), strict=True)
    ]
    return Drawing(**vars(legs), plate=turns.centre, guides=shafts)


def move_legs(machine: Machine, q: Array, b_B: Array) -> Moving:
    """What moves of the legs with joint coordinates q (6,) and platform joints at b_B (6, 3) [m]."""
    is_closed = np.isfinite(q)
    p_B = machine.legs.driven_points(np.where(is_closed, q, 0.0))
    drawing = Moving(numbers=0.6 * p_B + 0.4 * b_B, open_legs=[int(i) + 1 for i in np.flatnonzero(~is_closed)])
    radius = leg_radius(machine)
    draw, axis, centre = _kind(machine, q)
    for i in range(6):
        label = f"leg {i + 1}: {_in_words(machine, q[i])}"
        foot = f"base joint {i + 1}<br>{_point(machine, p_B[i])}"
        shortest = float(machine.limits.joint_min[i])
        leg = _Leg(p_B[i], b_B[i], float(radius[i]), axis[i], centre[i], shortest, bool(is_closed[i]), label, foot)
        if machine.legs.rod() is None or leg.is_closed:
            draw(drawing, leg)
        drawing.joints.append(Ball(leg.b, 1.25 * leg.radius, f"platform joint {i + 1}<br>{_point(machine, leg.b)}"))
    return drawing


def _kind(machine: Machine, q: Array) -> tuple[Callable[[Moving, _Leg], None], Array, Array]:
    """How the legs are drawn; axes (6, 3) of what their driven points move along or about, and centres (6, 3)."""
    if machine.legs.rod() is None:
        return _strut, np.zeros((6, 3)), np.zeros((6, 3))
    if machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        return _slider, ends[:, 1] - ends[:, 0], ends.mean(axis=1)
    turns = circles(machine)
    return (_carriage if turns.is_ring else _crank), turns.axis, turns.centre


def _strut(drawing: Moving, leg: _Leg) -> None:
    """Cylinder that holds the piston at its shortest, and the piston out to the platform joint."""
    length = float(np.linalg.norm(leg.b - leg.p))
    part = min(0.92 * leg.shortest / length, 0.92) if np.isfinite(leg.shortest) and leg.shortest > 0 else 0.55
    end = leg.p + part * (leg.b - leg.p)
    drawing.heavy.append(Bar(leg.p, end, leg.radius, label=leg.label))
    drawing.bright.append(Bar(leg.p + 0.98 * (end - leg.p), leg.b, 0.55 * leg.radius, label=leg.label))
    drawing.joints.append(Ball(leg.p, 1.25 * leg.radius, leg.foot_label))


def _slider(drawing: Moving, leg: _Leg) -> None:
    """Slider on its guide, rod."""
    drawing.heavy.append(Block(leg.p, leg.axis, 4.2 * leg.radius, 3.0 * leg.radius, leg.label))
    _rod(drawing, leg)


def _carriage(drawing: Moving, leg: _Leg) -> None:
    """Carriage on the ring that all share, rod."""
    along = np.cross(leg.axis, leg.p - leg.centre)
    drawing.heavy.append(Block(leg.p, along, 4.2 * leg.radius, 3.0 * leg.radius, leg.label))
    _rod(drawing, leg)


def _crank(drawing: Moving, leg: _Leg) -> None:
    """Crank on its shaft, rod."""
    drawing.heavy.append(Bar(leg.centre, leg.p, 1.1 * leg.radius, label=leg.label))
    _rod(drawing, leg)


def _rod(drawing: Moving, leg: _Leg) -> None:
    drawing.bright.append(Bar(leg.p, leg.b, 0.7 * leg.radius, label=leg.label))
    drawing.joints.append(Ball(leg.p, 1.8 * leg.radius, leg.foot_label))


def _in_words(machine: Machine, q: float) -> str:
    if not np.isfinite(q):
        return "cannot close here"
    unit = machine.legs.joint_unit
    return f"{in_file_units(machine, q, unit):.{decimals(machine, unit)}f} {file_unit(machine, unit)}"


def _point(machine: Machine, point: Array) -> str:
    shown = ", ".join(f"{x:.{decimals(machine, 'm')}f}" for x in in_file_units(machine, point, "m"))
    return f"({shown}) {machine.units.length}"
