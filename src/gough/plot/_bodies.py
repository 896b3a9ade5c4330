"""Plates of base and platform with their posts, and the tool, as solids."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.plot._joints import leg_radius, plate_normal
from gough.plot._legs import Drawing
from gough.plot._solids import Solid, plate, tube

NEAR = 0.75
"""Frames farther from the joints than this part of the machine's size are not drawn: it would shrink to a dot."""


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
