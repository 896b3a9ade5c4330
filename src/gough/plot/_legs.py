"""Legs as solids: strut with cylinder and piston, slider on its guide, crank or carriage with its rod.

The shapes follow from a leg's rod and joint: a rod whose length changes is a strut; with a rod of constant length a
joint coordinate that is a length is a slider, and one that is an angle a crank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.plot._guide_curves import carrying_ends, circles, guide_ends
from gough.plot._joints import ROD, driven_joints, leg_radius, platform_joints, platform_points
from gough.plot._shapes import Ball, Bar, Block, Fork, Ring, Shape
from gough.present.units import decimals, file_unit, in_file_units


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
    guides : sequence of Bar, Block or Ring
        Rails, motors with their shafts, and the ring.

    """

    plate: Array = field(kw_only=True)
    guides: Sequence[Bar | Block | Ring] = field(kw_only=True)

    @property
    def has_round_guides(self) -> bool:
        """Whether guides are shaded smoothly: all but blocks."""
        return not any(isinstance(shape, Block) for shape in self.guides)


def draw_legs(machine: Machine, q: Array, X: Array) -> Drawing:
    """The legs with joint coordinates q (6,) [m or rad] and the platform at a pose (4, 4), and the parts that carry
    them: nothing of struts, rails of sliders, the ring of carriages, motors of cranks."""
    legs, radius = move_legs(machine, q, X), leg_radius(machine)
    if machine.legs.rod() is None:
        return Drawing(**vars(legs), plate=machine.legs.rest(), guides=[])
    if machine.legs.joint == "length":
        ends = guide_ends(machine, q)
        rails = [
            Block(0.5 * (start + end), end - start, float(np.linalg.norm(end - start)), 1.4 * r)
            for (start, end), r in zip(ends, radius.tolist(), strict=True)
        ]
        return Drawing(**vars(legs), plate=carrying_ends(ends, platform_points(machine, X)), guides=rails)
    turns = circles(machine)
    if turns.is_ring:
        ring = Ring(turns.centre[0], turns.axis[0], float(turns.radius[0]), 0.7 * float(radius[0]))
        return Drawing(**vars(legs), plate=turns.points[0], guides=[ring])
    motors: list[Bar | Block | Ring] = []
    for centre, axis, r in zip(turns.centre, turns.axis, radius.tolist(), strict=True):
        # The motor's box behind the crank, and its shaft from the box through the crank.
        motors.append(Block(centre - 3.2 * r * axis, axis, 3.8 * r, 3.6 * r))
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
    return [Block(*each) for each in zip(p_B, along, 4.2 * radius, 2.4 * radius, labels, strict=True)], rods


def _in_words(machine: Machine, q: float) -> str:
    if not np.isfinite(q):
        return "cannot close here"
    unit = machine.legs.joint_unit
    return f"{in_file_units(machine, q, unit):.{decimals(machine, unit)}f} {file_unit(machine, unit)}"


def _point(machine: Machine, point: Array) -> str:
    shown = ", ".join(f"{x:.{decimals(machine, 'm')}f}" for x in in_file_units(machine, point, "m"))
    return f"({shown}) {machine.units.length}"
