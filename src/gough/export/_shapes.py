"""What a MuJoCo model shows: legs, plates, guides. Nothing here has mass or touches anything."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.export._xml import Element, added
from gough.machine import Machine

LEG, PLATE, BASE = "0.62 0.68 0.75 1", "0.76 0.25 0.05 1", "0.45 0.5 0.57 1"
"""Colours: red, green, blue, opacity."""
THICK = 0.008
"""Radius of legs where the file gives none, as a part of the machine's size."""
LONGEST = 0.5
"""Of a guide to each side whose travel is not limited, as a part of the machine's size."""


def thickness(machine: Machine) -> Array:
    """Radii with which legs are drawn (6,) [m]."""
    radius = machine.limits.leg_radius
    return np.full(6, THICK * machine.size) if radius is None else radius


def draw_room(root: Element) -> None:
    """A bright room."""
    added(added(root, "visual"), "headlight", ambient="0.45 0.45 0.45", diffuse="0.5 0.5 0.5")
    sky = {"rgb1": "1 1 1", "rgb2": "0.84 0.87 0.91", "width": "64", "height": "64"}
    added(added(root, "asset"), "texture", type="skybox", builtin="gradient", **sky)


def draw_base(world: Element, machine: Machine) -> None:
    """Guides of sliders; of all other legs the base joints or crank centres, joined in a ring."""
    legs, radius = machine.legs, thickness(machine)
    if legs.carrier_twist()[:, :3].any():
        far = LONGEST * machine.size
        low, high = np.maximum(machine.limits.joint_min, -far), np.minimum(machine.limits.joint_max, far)
        for i, (a, b) in enumerate(legs.path(low, high, 2)):
            added(world, "geom", fromto=[*a, *b], size=0.6 * radius[i], rgba=BASE)
        return
    draw_ring(world, legs.carriers(np.zeros(6))[:, :3, 3], radius, BASE)


def draw_ring(parent: Element, points: Array, radius: Array, colour: str = PLATE) -> None:
    """Capsules from joint to joint, round a plate."""
    middle = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(middle)
    order = np.argsort(np.arctan2(middle @ axes[1], middle @ axes[0]))
    for a, b in zip(order, np.roll(order, -1), strict=True):
        if np.linalg.norm(points[a] - points[b]) > 1e-9 * np.linalg.norm(middle):
            added(parent, "geom", fromto=[*points[a], *points[b]], size=radius[a], rgba=colour)


def draw_carrier(body: Element, reach: Array, radius: float) -> None:
    """A crank's arm, or a slider where the foot is the body's origin."""
    if np.linalg.norm(reach) > radius:
        added(body, "geom", fromto=[0, 0, 0, *reach], size=1.3 * radius, rgba=BASE)
    else:
        added(body, "geom", type="sphere", size=1.8 * radius, rgba=BASE)
