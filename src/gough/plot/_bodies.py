"""Plates, posts and tool as solids: what carries the joints on either side."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.plot._head import head_at
from gough.plot._joints import leg_radius, plate_normal
from gough.plot._legs import Drawing
from gough.plot._solids import Solid, plate, tube

NEAR = 0.75
"""Frames farther from the joints than this part of the machine's size are left out: they would make it a dot."""


def plates(machine: Machine, drawing: Drawing, b_B: Array, pose: Array) -> tuple[list[Solid], list[Solid]]:
    """Base and platform: a plate on the far side of the joints, and posts to those that do not lie on it."""
    points = drawing.plate
    between = b_B.mean(axis=0) - points.mean(axis=0)
    return _carrier(machine, points, -between, np.eye(3)), _carrier(machine, b_B, between, pose[:3, :3])


def _carrier(machine: Machine, points: Array, towards: Array, R: Array) -> list[Solid]:
    """Plate beyond points (n, 3) as seen along `towards`, and its posts; R is the plate's frame."""
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
    """The tool head in its present joint coordinates, or a tapered spindle from the platform to a tool frame on its far
    side."""
    if machine.head is not None:
        return head_at(machine, machine.head, pose).all
    tip, centre = (pose @ machine.X_PT)[:3, 3], b_B.mean(axis=0)
    reach, outward = tip - centre, centre - machine.legs.rest().mean(axis=0)
    along = float(reach @ outward / np.linalg.norm(outward))
    if not 0.06 * machine.size < along < NEAR * machine.size or along < 0.8 * np.linalg.norm(reach):
        return []
    r = float(leg_radius(machine).mean())
    return [tube(centre, centre + 0.8 * reach, 2.4 * r, 1.6 * r), tube(centre + 0.8 * reach, tip, 1.6 * r, 0.05 * r)]
