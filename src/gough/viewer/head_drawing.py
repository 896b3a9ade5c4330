"""A tool head as shapes in the platform's frame: links along its Denavit-Hartenberg parameters, hubs at its joints."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gough.head import Head
from gough.machine import Machine
from gough.plot._legs import leg_radius
from gough.plot._shapes import Ball, Bar, Shape

Array = NDArray[np.float64]

SHORT = 1e-6
"""Links shorter than this part of the machine's size are not drawn."""


def head_shapes(machine: Machine) -> tuple[list[Shape], list[Shape]]:
    """Links and hubs of the machine's head where it stands; nothing without a head."""
    head = machine.head
    if head is None:
        return [], []
    r = float(leg_radius(machine).mean())
    frames = head.frames()
    corners = [machine.platform_centre, frames[0, :3, 3]]
    for k, before in enumerate(frames[:-1]):
        corners += [_elbow(head, k, before), frames[k + 1, :3, 3]]
    corners.append(head.tip()[:3, 3])
    parts = [(a, b) for a, b in pairwise(corners) if np.linalg.norm(b - a) > SHORT * machine.size]
    links: list[Shape] = [Bar(a, b, 1.5 * r) for a, b in parts[:-1]]
    links += [Bar(parts[-1][0], parts[-1][1], 0.9 * r)] if parts else []
    links += [Ball(a, 1.5 * r) for a, _ in parts[1:]]
    places, axes = head.axes(frames)
    hubs: list[Shape] = [Bar(p - 2.0 * r * u, p + 2.0 * r * u, 2.2 * r) for p, u in zip(places, axes, strict=True)]
    return links, hubs


def _elbow(head: Head, k: int, before: Array) -> Array:
    """Where the link k turns from one of its parameters to the other: after a, or in the standard form after d."""
    joint = head.joints[k]
    if head.convention == "modified":
        return np.asarray(before[:3, 3] + joint.a * before[:3, 0])
    moving = [j for j, row in enumerate(head.joints) if row.kind != "fixed"]
    slid = float(head.q[moving.index(k)]) if joint.kind == "prismatic" else 0.0
    return np.asarray(before[:3, 3] + (joint.d + slid) * before[:3, 2])
