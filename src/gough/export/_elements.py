"""Elements of XML files, and numbers in the units of other programs."""

from __future__ import annotations

from math import floor, log10
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.arrays import Array
from gough.machine import Machine

Element = ElementTree.Element
LEG, PLATE, BASE = "0.62 0.68 0.75 1", "0.76 0.25 0.05 1", "0.45 0.5 0.57 1"
"""Colours: red, green, blue, opacity."""
THICK = 0.008
"""Radius of legs where the file gives none, as a part of the machine's size."""
LONGEST = 0.5
"""Length of a guide with unlimited travel, to each side, as a part of the machine's size."""


def added(parent: Element, tag: str, **attributes: Any) -> Element:
    """A new child; numbers are written with 15 digits, arrays as lists, None not at all."""
    given = {
        key: value
        if isinstance(value, str)
        else " ".join(f"{number:.15g}" for number in np.ravel(np.asarray(value, dtype=float)) + 0.0)  # no negative zero
        for key, value in attributes.items()
        if value is not None
    }
    return ElementTree.SubElement(parent, tag, given)


def thickness(machine: Machine) -> Array:
    """Radii (6,) at which the legs are drawn [m]."""
    radius = machine.limits.leg_radius
    return np.full(6, THICK * machine.size) if radius is None else radius


def draw_room(root: Element) -> None:
    """Bright light and a bright background."""
    added(added(root, "visual"), "headlight", ambient="0.45 0.45 0.45", diffuse="0.5 0.5 0.5")
    sky = {"rgb1": "1 1 1", "rgb2": "0.84 0.87 0.91", "width": "64", "height": "64"}
    added(added(root, "asset"), "texture", type="skybox", builtin="gradient", **sky)


def draw_base(world: Element, machine: Machine) -> None:
    """Guides of sliders; a ring of base joints or crank centres for all other legs."""
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
    # In the order of their angles in the plane that fits the points best.
    middle = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(middle)
    order = np.argsort(np.arctan2(middle @ axes[1], middle @ axes[0]))
    for a, b in zip(order, np.roll(order, -1), strict=True):
        # Joints at one point, of legs that meet, would make a capsule of no length, which MuJoCo refuses.
        if np.linalg.norm(points[a] - points[b]) > 1e-9 * np.linalg.norm(middle):
            added(parent, "geom", fromto=[*points[a], *points[b]], size=radius[a], rgba=colour)


def draw_carrier(body: Element, reach: Array, radius: float) -> None:
    """A crank's arm, or a ball for a slider, whose foot is at the origin of its body."""
    if np.linalg.norm(reach) > radius:
        added(body, "geom", fromto=[0, 0, 0, *reach], size=1.3 * radius, rgba=BASE)
    else:
        added(body, "geom", type="sphere", size=1.8 * radius, rgba=BASE)


LEAST = 1e-14
"""Smallest mass and moment of inertia that MuJoCo takes with a margin: it refuses 1e-15, whatever the unit."""
MOST = 1e9
"""Largest control that is written: MuJoCo takes 1e10 for a simulation that has become unstable."""
LENGTHS = ("pos", "fromto", "size", "anchor")


def in_units_that_mujoco_takes(root: ElementTree.Element, machine: Machine) -> str:
    """Rewrite the numbers of a model in SI, where MuJoCo needs it, and return a sentence that states the units.

    The units are the powers of ten in which the machine's size and the platform's mass lie between 1 and 10.
    """
    least = min(min(_least_inertia(each), _numbers(each, "mass")[0]) for each in root.iter("inertial"))
    key = next(root.iter("key"))
    if least >= LEAST and np.abs(_numbers(key, "ctrl")).max() <= MOST:
        return "SI units."
    assert machine.platform is not None
    L, M = (10.0 ** -floor(log10(each)) for each in (machine.size, machine.platform.mass))
    is_slide = machine.legs.joint == "length"
    q = L if is_slide else 1.0
    force = M * L**2 / q  # along a slide a force, about a hinge a moment: work over the joint's unit
    for element in root.iter():
        factors = {**dict.fromkeys(LENGTHS, L), "gravity": L, "mass": M, "diaginertia": M * L**2}
        factors |= {"fullinertia": M * L**2, "ctrlrange": force, "forcerange": force}
        factors |= {"kp": force / q, "kv": force / q}
        if element.get("name", "").startswith("q"):
            factors |= {"range": q, "ref": q, "damping": force / q, "frictionloss": force, "armature": force / q}
        for name, factor in factors.items():
            if name in element.attrib:
                _write(element, name, factor)
    slides = _slides(len(_numbers(key, "qpos")), machine) if is_slide else []
    _write(key, "qpos", np.array([L if k < 3 or k in slides else 1.0 for k in range(len(_numbers(key, "qpos")))]))
    _write(key, "ctrl", q if root.find(".//position") is not None else force)
    work = "N" if is_slide else "N m"
    return f"Units: lengths in {1 / L:g} m, masses in {1 / M:g} kg, {work} of the joints in {1 / force:g} {work}."


def _slides(count: int, machine: Machine) -> list[int]:
    """Places of the driven slides among `count` numbers of qpos: the last of each strut's, the first of others."""
    each = (count - 7) // 6
    return [7 + each * i + (each - 1 if machine.legs.rod() is None else 0) for i in range(6)]


def _least_inertia(inertial: ElementTree.Element) -> float:
    if "diaginertia" in inertial.attrib:
        return float(_numbers(inertial, "diaginertia").min())
    xx, yy, zz, xy, xz, yz = _numbers(inertial, "fullinertia")
    return float(np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0])


def _numbers(element: ElementTree.Element, key: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(element.attrib[key].split(), dtype=float)


def _write(element: ElementTree.Element, key: str, factor: Any) -> None:
    element.set(key, " ".join(f"{number:.15g}" for number in _numbers(element, key) * factor))
