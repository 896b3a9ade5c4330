"""Units of a MuJoCo model: SI, or others where MuJoCo would refuse the inertias or the forces in SI."""

from __future__ import annotations

from math import floor, log10
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.machine import Machine

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
