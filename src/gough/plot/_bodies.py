"""Plates with their posts, the tool, and the tool head: links along the Denavit-Hartenberg parameters, joints on their
axes, and the spindle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.head import Head
from gough.machine import Machine
from gough.plot._joints import leg_radius, plate_normal
from gough.plot._legs import Drawing
from gough.plot._shapes import Ball, Bar
from gough.plot._solids import Solid, plate, tube

NEAR = 0.75
"""Frames farther from the joints than this part of the machine's size are not drawn: it would shrink to a dot."""
SHORT = 1e-6
"""Part of the machine's size: no link is drawn along shorter offsets."""


def plates(machine: Machine, drawing: Drawing, b_B: Array, pose: Array) -> tuple[list[Solid], list[Solid]]:
    """Solids of the base and of the platform: a plate beyond the joints, and posts to those that do not lie on it."""
    points = drawing.plate
    between = b_B.mean(axis=0) - points.mean(axis=0)
    return _plate(machine, points, -between, np.eye(3)), _plate(machine, b_B, between, pose[:3, :3])


def _plate(machine: Machine, points: Array, towards: Array, R: Array) -> list[Solid]:
    """Plate beyond points (n, 3) as seen along `towards`, and its posts; R is the plate's frame."""
    # The plate lies at the outermost joint, square to its normal; the other joints reach it by posts.
    r = float(leg_radius(machine).mean())
    away = plate_normal(points, towards, R)
    height = points @ away
    on_plate = points + (height.max() - height)[:, None] * away
    posts = [
        tube(joint, foot, r)
        for joint, foot, h in zip(points, on_plate, height, strict=True)
        if height.max() - h > 0.02 * machine.size
    ]
    return [plate(on_plate + 0.8 * r * away, away, max(0.016 * machine.size, 1.2 * r), 2.6 * r), *posts]


def tool(machine: Machine, pose: Array, b_B: Array) -> list[Solid]:
    """A tapered spindle from the platform to a tool frame on its far side; nothing if the machine has a tool head."""
    if machine.head is not None:
        return []
    tip, centre = (pose @ machine.X_PT)[:3, 3], b_B.mean(axis=0)
    reach, outward = tip - centre, centre - machine.legs.rest().mean(axis=0)
    along = float(reach @ outward / np.linalg.norm(outward))
    # A tool frame in the platform, far off, inside the machine or to the side of it is no tip of a spindle.
    if not 0.06 * machine.size < along < NEAR * machine.size or along < 0.8 * np.linalg.norm(reach):
        return []
    r = float(leg_radius(machine).mean())
    return [tube(centre, centre + 0.8 * reach, 2.4 * r, 1.6 * r), tube(centre + 0.8 * reach, tip, 1.6 * r, 0.05 * r)]


@dataclass(frozen=True, eq=False)
class HeadShapes:
    """Bars and balls of a head by their kind, base frame [m]; the spindle, where there is one, ends at the tip."""

    links: list[Bar]
    elbows: list[Ball]
    joints: list[Bar]
    spindle: list[Bar]


def head_shapes(machine: Machine, head: Head, pose: Array, joints: Array | None = None) -> HeadShapes:
    """The head on the platform at a pose (4, 4), with joint coordinates (n,), the present ones by default."""
    radius = float(leg_radius(machine).mean())
    frames = pose @ head.frames(joints)
    hubs = []
    for joint, unit, point, axis in zip(head.moving, head.units, *head.axes(frames), strict=True):
        # Slides are longer and wider than hinges.
        half, wide = (2.2, 1.9) if unit == "rad" else (3.0, 2.4)
        ends = point - half * radius * axis, point + half * radius * axis
        hubs.append(Bar(*ends, wide * radius, f"head joint {joint.name}"))
    # The last bar drawn, which ends at the tip, is the spindle; elbows are at the ends of the others.
    bars = [
        Bar(*_ends(start, end, axis, SHORT * machine.size), 1.3 * radius)
        for start, end, axis, is_drawn in _offsets(head, frames, pose @ head.tip(joints), SHORT * machine.size)
        if is_drawn
    ]
    return HeadShapes(bars[:-1], [Ball(bar.end, 1.3 * radius) for bar in bars[:-1]], hubs, bars[-1:])


def head_solids(machine: Machine, head: Head, pose: Array, joints: Array | None = None) -> dict[str, list[Solid]]:
    """Solids of the head's links, elbows, joints and tapered spindle, by these names.

    All but the elbows have as many vertices at all joint coordinates.
    """
    shapes = head_shapes(machine, head, pose, joints)
    solids = {name: [shape.solid() for shape in getattr(shapes, name)] for name in ("links", "elbows", "joints")}
    solids["spindle"] = []
    for bar in shapes.spindle:
        r, neck = bar.radius / 1.3, bar.start + 0.75 * (bar.end - bar.start)
        solids["spindle"] += [tube(bar.start, neck, 1.9 * r, 1.3 * r), tube(neck, bar.end, 1.3 * r, 0.05 * r)]
    return solids


def _offsets(head: Head, frames: Array, tip: Array, short: float) -> list[tuple[Array, Array, Array, bool]]:
    """Offsets between consecutive frames: start, end, axis, whether it is drawn; at last that to the tip.

    Whether one is drawn does not depend on the joint coordinates: those of slides always are, others if they have a
    length. An animation needs as many bars at all instants.
    """
    found = []
    for joint, before, after in zip(head.joints, frames[:-1], frames[1:], strict=True):
        # Denavit and Hartenberg: first d along the old z axis, then a along the new x axis. Craig's modification: first
        # a along the old x axis, then d along the new z axis.
        is_modified = head.convention == "modified"
        side = before[:3, 0] if is_modified else after[:3, 0]
        ahead = after[:3, 2] if is_modified else before[:3, 2]
        corner = before[:3, 3] + joint.a * side if is_modified else after[:3, 3] - joint.a * side
        across, along = abs(joint.a) > short, joint.kind == "prismatic" or abs(joint.d) > short
        axes = ((side, across), (ahead, along)) if is_modified else ((ahead, along), (side, across))
        found += [(before[:3, 3], corner, *axes[0]), (corner, after[:3, 3], *axes[1])]
    end = frames[-1, :3, 3]
    return [*found, (end, tip[:3, 3], tip[:3, 2], bool(np.linalg.norm(tip[:3, 3] - end) > short))]


def _ends(start: Array, end: Array, axis: Array, short: float) -> tuple[Array, Array]:
    """Ends of a bar, apart even where the offset has no length at present: a bar needs a direction."""
    return (start, end) if np.linalg.norm(end - start) > short else (start, start + short * axis)
