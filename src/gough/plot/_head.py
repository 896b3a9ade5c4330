"""The tool head as solids: links along their Denavit-Hartenberg parameters, joints on their axes, the spindle."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gough.head import Head
from gough.machine import Machine
from gough.plot._legs import leg_radius
from gough.plot._solids import Solid, ball, tube

Array = NDArray[np.float64]

SHORT = 1e-6
"""Of the machine's size: no link is drawn along shorter offsets."""


@dataclass
class HeadDrawing:
    """Solids by what they are [m], base frame: links with their elbows, joints, and the spindle that ends at the tip.

    All but the elbows are tubes, with as many vertices at all joint coordinates.
    """

    links: list[Solid] = field(default_factory=list)
    elbows: list[Solid] = field(default_factory=list)
    joints: list[Solid] = field(default_factory=list)
    spindle: list[Solid] = field(default_factory=list)

    @property
    def all(self) -> list[Solid]:
        """All of them."""
        return [*self.links, *self.elbows, *self.joints, *self.spindle]


def head_at(machine: Machine, head: Head, pose: Array, joints: Array | None = None) -> HeadDrawing:
    """The head on the platform at a pose (4, 4), with joint coordinates (n,), the present ones by default."""
    drawing, radius = HeadDrawing(), float(leg_radius(machine).mean())
    frames = pose @ head.frames(joints)
    points, axes = head.axes(frames)
    for joint, unit, point, axis in zip(head.moving, head.units, points, axes, strict=True):
        half, wide = (2.2, 1.9) if unit == "rad" else (3.0, 2.4)
        ends = point - half * radius * axis, point + half * radius * axis
        drawing.joints.append(tube(*ends, wide * radius, label=f"head joint {joint.name}"))
    bars = [
        _bar(start, end, axis, SHORT * machine.size)
        for start, end, axis, is_drawn in _offsets(head, frames, pose @ head.tip(joints), SHORT * machine.size)
        if is_drawn
    ]
    for start, end in bars[:-1]:
        drawing.links.append(tube(start, end, 1.3 * radius))
        drawing.elbows.append(ball(end, 1.3 * radius))
    if bars:
        start, end = bars[-1]
        neck = start + 0.75 * (end - start)
        drawing.spindle += [tube(start, neck, 1.9 * radius, 1.3 * radius), tube(neck, end, 1.3 * radius, 0.05 * radius)]
    return drawing


def _offsets(head: Head, frames: Array, tip: Array, short: float) -> list[tuple[Array, Array, Array, bool]]:
    """From frame to frame first along a, then along d, or the reverse: start, end, axis, whether it is drawn.

    What is drawn does not depend on the joint coordinates: slides always are, others if they have a length.
    """
    found = []
    for joint, before, after in zip(head.joints, frames[:-1], frames[1:], strict=True):
        is_modified = head.convention == "modified"
        side = before[:3, 0] if is_modified else after[:3, 0]
        ahead = after[:3, 2] if is_modified else before[:3, 2]
        corner = before[:3, 3] + joint.a * side if is_modified else after[:3, 3] - joint.a * side
        across, along = abs(joint.a) > short, joint.kind == "prismatic" or abs(joint.d) > short
        axes = ((side, across), (ahead, along)) if is_modified else ((ahead, along), (side, across))
        found += [(before[:3, 3], corner, *axes[0]), (corner, after[:3, 3], *axes[1])]
    end = frames[-1, :3, 3]
    return [*found, (end, tip[:3, 3], tip[:3, 2], bool(np.linalg.norm(tip[:3, 3] - end) > short))]


def _bar(start: Array, end: Array, axis: Array, short: float) -> tuple[Array, Array]:
    """Its ends, apart even where it has no length at the moment."""
    return (start, end) if np.linalg.norm(end - start) > short else (start, start + short * axis)
