"""Legs as solids: strut with cylinder and piston, slider on its guide, crank or carriage with its rod.

What is drawn follows from what a leg's rod and joint are: a rod whose length changes is a strut, a length as joint
coordinate is a slider, an angle is a crank.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot._solids import Solid, ball, block, tube
from gough.plot._units import decimals, file_unit, in_file_units

Array = NDArray[np.float64]

THICKNESS = 0.013
"""Radius of a leg, as a part of the machine's size, where the machine does not give it."""
TURN = np.linspace(-np.pi, np.pi, 73)
"""Crank angles that draw a whole circle [rad]."""


@dataclass
class Drawing:
    """Solids by what they are, so that each group has one colour.

    Attributes
    ----------
    heavy, bright, joints, guides : list of Solid
        Cylinders, sliders and cranks; pistons and rods; joints; guides and rings.
    plate : list of (3,) array
        Points that the base's plate carries.
    numbers : (6, 3) array
        Where the legs' numbers stand.
    open_legs : list of int
        Legs that cannot close at the pose, counted from 1.

    """

    heavy: list[Solid] = field(default_factory=list)
    bright: list[Solid] = field(default_factory=list)
    joints: list[Solid] = field(default_factory=list)
    guides: list[Solid] = field(default_factory=list)
    plate: list[Array] = field(default_factory=list)
    numbers: Array = field(default_factory=lambda: np.zeros((6, 3)))
    open_legs: list[int] = field(default_factory=list)


def leg_radius(machine: Machine) -> Array:
    """Radii (6,) [m] with which legs are drawn: the machine's, or a likely one."""
    given = machine.limits.leg_radius
    return np.full(6, THICKNESS * machine.size) if given is None else given


def driven_points(machine: Machine, q: Array) -> Array:
    """p(q) of every leg, (6, 3) [m]."""
    return machine.legs.path(q, q, 1)[:, 0]


def draw_legs(machine: Machine, q: Array, b_B: Array) -> Drawing:
    """The legs with joint coordinates q (6,) and platform joints at b_B (6, 3) [m], in metres and the base frame."""
    drawing = Drawing()
    closed = np.isfinite(q)
    drawing.open_legs = [int(i) + 1 for i in np.flatnonzero(~closed)]
    low, high = _drawn_range(machine, q)
    p = driven_points(machine, np.where(closed, q, low))
    if machine.legs.rod() is None:
        draw, drawing.plate = _strut, list(machine.legs.rest())
    elif machine.legs.joint == "length":
        draw, drawing.plate = _slider, _far_ends(machine, low, high, b_B)
    else:
        draw, drawing.plate = _crank, list(_base_circles(machine))
    radius = leg_radius(machine)
    for i in range(6):
        label = f"leg {i + 1}: {_in_words(machine, q[i])}"
        draw(drawing, machine, i, p[i], b_B[i], radius[i], bool(closed[i]), label, (low, high))
        drawing.joints.append(ball(b_B[i], 1.25 * radius[i], f"platform joint {i + 1}<br>{_point(machine, b_B[i])}"))
    drawing.numbers = _number_places(machine, p, b_B, radius)
    return drawing


def _strut(
    drawing: Drawing, machine: Machine, i: int, p: Array, b: Array, r: float, is_closed: bool, label: str, span: object
) -> None:
    """Cylinder that holds the piston at its shortest, and the piston out to the platform joint."""
    length = float(np.linalg.norm(b - p))
    shortest = machine.limits.joint_min[i]
    part = 0.55 if not np.isfinite(shortest) or shortest <= 0 else min(0.92 * shortest / length, 0.92)
    end = p + part * (b - p)
    drawing.heavy.append(tube(p, end, r, label=label))
    drawing.bright.append(tube(p + 0.98 * (end - p), b, 0.55 * r, label=label))
    drawing.joints.append(ball(p, 1.25 * r, f"base joint {i + 1}<br>{_point(machine, p)}"))


def _slider(
    drawing: Drawing,
    machine: Machine,
    i: int,
    p: Array,
    b: Array,
    r: float,
    is_closed: bool,
    label: str,
    span: tuple[Array, Array],
) -> None:
    """Guide over the drawn travel, slider on it, rod."""
    start, end = machine.legs.path(span[0], span[1], 2)[i]
    drawing.guides.append(tube(start, end, 0.6 * r))
    if is_closed:
        drawing.heavy.append(block(p, end - start, 4.2 * r, 3.0 * r, label))
        drawing.bright.append(tube(p, b, 0.75 * r, label=label))
        drawing.joints.append(ball(p, 1.7 * r, f"slider joint {i + 1}<br>{_point(machine, p)}"))


def _crank(
    drawing: Drawing, machine: Machine, i: int, p: Array, b: Array, r: float, is_closed: bool, label: str, span: object
) -> None:
    """Crank on its shaft, or a carriage where all cranks turn about one point; rod."""
    circle = _circles(machine)[i]
    centre = circle[:-1].mean(axis=0)
    normal = np.cross(circle[0] - centre, circle[len(circle) // 4] - centre)
    normal /= np.linalg.norm(normal)
    if has_common_axis(machine):
        if i == 0:
            drawing.guides.extend(tube(a, c, 0.7 * r) for a, c in zip(circle, circle[1:], strict=False))
        if is_closed:
            drawing.heavy.append(block(p, np.cross(normal, p - centre), 4.2 * r, 3.0 * r, label))
    else:
        drawing.guides.append(tube(centre - 2.2 * r * normal, centre + 1.6 * r * normal, 1.8 * r))
        if is_closed:
            drawing.heavy.append(tube(centre, p, 1.1 * r, label=label))
    if is_closed:
        drawing.bright.append(tube(p, b, 0.7 * r, label=label))
        drawing.joints.append(ball(p, 1.5 * r, f"crank joint {i + 1}<br>{_point(machine, p)}"))


def has_common_axis(machine: Machine) -> bool:
    """Whether all cranks turn about one point: carriages on a ring."""
    centres = _circles(machine)[:, :-1].mean(axis=1)
    return bool(np.ptp(centres, axis=0).max() < 1e-6 * machine.size)


def _circles(machine: Machine) -> Array:
    return machine.legs.path(np.full(6, TURN[0]), np.full(6, TURN[-1]), len(TURN))


def _base_circles(machine: Machine) -> Array:
    circles = _circles(machine)
    return circles[0, :-1] if has_common_axis(machine) else circles[:, :-1].mean(axis=1)


def _drawn_range(machine: Machine, q: Array) -> tuple[Array, Array]:
    """Travel that guides are drawn over: the limits, or half a rod about q where there are none."""
    rod = machine.legs.rod()
    half = np.full(6, np.pi) if machine.legs.joint == "angle" or rod is None else 0.5 * rod
    middle = np.where(np.isfinite(q), q, 0.0)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    return np.where(np.isfinite(low), low, middle - half), np.where(np.isfinite(high), high, middle + half)


def _far_ends(machine: Machine, low: Array, high: Array, b_B: Array) -> list[Array]:
    """What carries the guides: all their ends where these lie in one plane, else those far from the platform."""
    ends = machine.legs.path(low, high, 2)
    spread = np.linalg.svd(ends.reshape(-1, 3) - ends.mean(axis=(0, 1)), compute_uv=False)
    if spread[2] < 0.02 * spread[0]:
        return list(ends.reshape(-1, 3))
    distance = np.linalg.norm(ends - b_B.mean(axis=0), axis=-1).mean(axis=0)
    return list(ends[:, int(np.argmax(distance))])


def _number_places(machine: Machine, p: Array, b_B: Array, radius: Array) -> Array:
    """Beside the legs, on the outside."""
    middle = 0.62 * p + 0.38 * b_B
    outward = middle - 0.5 * (p.mean(axis=0) + b_B.mean(axis=0))
    rod = (b_B - p) / np.maximum(np.linalg.norm(b_B - p, axis=1, keepdims=True), np.finfo(float).tiny)
    outward -= np.sum(outward * rod, axis=1, keepdims=True) * rod
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(middle + (2.0 * radius[:, None] + 0.03 * machine.size) * outward)


def _in_words(machine: Machine, q: float) -> str:
    if not np.isfinite(q):
        return "cannot close here"
    unit = machine.legs.joint_unit
    return f"{in_file_units(machine, q, unit):.{decimals(machine, unit)}f} {file_unit(machine, unit)}"


def _point(machine: Machine, point: Array) -> str:
    shown = ", ".join(f"{x:.{decimals(machine, 'm')}f}" for x in in_file_units(machine, point, "m"))
    return f"({shown}) {machine.units.length}"
