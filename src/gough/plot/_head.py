"""The tool head as solids: links along their Denavit-Hartenberg parameters, joints on their axes, the spindle."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gough.head import Head
from gough.machine import Machine
from gough.plot._legs import leg_radius
from gough.plot._solids import Solid, ball, block, tube

Array = NDArray[np.float64]

SHORT = 1e-6
"""Of the machine's size: no link is drawn along shorter ways."""


@dataclass
class HeadDrawing:
    """Solids by what they are [m], base frame: links, joints, and the spindle that ends at the tip."""

    links: list[Solid] = field(default_factory=list)
    joints: list[Solid] = field(default_factory=list)
    spindle: list[Solid] = field(default_factory=list)

    @property
    def all(self) -> list[Solid]:
        """All of them."""
        return [*self.links, *self.joints, *self.spindle]


def head_at(machine: Machine, head: Head, pose: Array) -> HeadDrawing:
    """The head where it stands, on the platform at a pose (4, 4)."""
    drawing, radius = HeadDrawing(), float(leg_radius(machine).mean())
    frames = pose @ head.frames()
    points, axes = head.axes(frames)
    for joint, unit, point, axis in zip(head.moving, head.units, points, axes, strict=True):
        label = f"head joint {joint.name}"
        if unit == "rad":
            half = 2.2 * radius * axis
            drawing.joints.append(tube(point - half, point + half, 1.9 * radius, label=label))
        else:
            drawing.joints.append(block(point, axis, 5.0 * radius, 3.6 * radius, label))
    way = _way(head, frames, pose @ head.tip())
    bars = [(a, b) for a, b in pairwise(way) if np.linalg.norm(b - a) > SHORT * machine.size]
    for start, end in bars[:-1]:
        drawing.links.append(tube(start, end, 1.3 * radius))
        drawing.links.append(ball(end, 1.3 * radius))
    if bars:
        start, end = bars[-1]
        neck = start + 0.75 * (end - start)
        drawing.spindle += [tube(start, neck, 1.9 * radius, 1.3 * radius), tube(neck, end, 1.3 * radius, 0.05 * radius)]
    return drawing


def _way(head: Head, frames: Array, tip: Array) -> Array:
    """Corners (n, 3) of the links: from frame to frame first along a, then along d, or the other way round."""
    corners = [frames[0, :3, 3]]
    for joint, before, after in zip(head.joints, frames[:-1], frames[1:], strict=True):
        if head.convention == "modified":
            corners.append(before[:3, 3] + joint.a * before[:3, 0])
        else:
            corners.append(after[:3, 3] - joint.a * after[:3, 0])
        corners.append(after[:3, 3])
    return np.array([*corners, tip[:3, 3]])
