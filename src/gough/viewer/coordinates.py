"""The six coordinates of a pose as a controller counts them, and how far their sliders go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.present.units import decimals

HOME, BASE = "home", "base"
BEYOND = 1.15
"""Slider range, as a multiple of the travel: a little more, so that one sees what stops the machine."""
UNLIMITED = np.array([0.4, 1.0])
"""Range where nothing limits it: parts of the machine's size [1], and [rad]."""
DIGITS, STEPS = 3, 100
"""Most decimals of a slider, unless fewer than so many steps were left: small machines have tiny strokes."""


@dataclass(frozen=True, eq=False)
class PoseCoordinates:
    """How six numbers make a pose.

    Attributes
    ----------
    pivot : (3,) array
        Point of the platform that translations move and rotations leave, in the platform frame [m].
    convention : str
        One of `gough.frames.CONVENTIONS`.
    origin : str
        "home": displacement of the pivot and rotation from home; "base": position of the pivot and orientation of the
        platform in the base frame.

    """

    pivot: Array
    convention: str = "pi"
    origin: str = HOME

    @property
    def names(self) -> tuple[str, ...]:
        """Of the six numbers."""
        return ("x", "y", "z", *gough.frames.CONVENTIONS[self.convention].angles)

    def numbers(self, machine: Machine, X: ArrayLike) -> Array:
        """Translation [m] and angles [rad], (6,), of a pose (4, 4)."""
        pose = np.asarray(X, dtype=float)
        if self.origin == HOME:
            shown = gough.frames.displacement(machine, pose, point=self.pivot).as_matrix()
        else:
            shown = pose.copy()
            shown[:3, 3] += pose[:3, :3] @ self.pivot
        return np.concatenate(gough.to_convention(self.convention, shown, degrees=False))

    def pose(self, machine: Machine, numbers: ArrayLike) -> Array:
        """Pose (4, 4) of six numbers [m, rad]."""
        given = np.asarray(numbers, dtype=float)
        D = gough.from_convention(self.convention, given[:3], given[3:], degrees=False).as_matrix()
        if self.origin == HOME:
            return np.asarray(gough.frames.displaced(machine, D, point=self.pivot).as_matrix())
        D[:3, 3] -= D[:3, :3] @ self.pivot
        return D


def pivots(machine: Machine) -> dict[str, Array]:
    """Pivots of the platform by name, in the platform frame [m]; no position twice."""
    named = {
        "point of interest": machine.point_of_interest,
        "platform origin": np.zeros(3),
        "tool": machine.X_PT[:3, 3],
        "platform joints' centre": machine.platform_centre,
    }
    kept: dict[str, Array] = {}
    for name, position in named.items():
        if not any(np.allclose(position, other, atol=1e-9 * machine.size) for other in kept.values()):
            kept[name] = position
    return kept


@lru_cache(maxsize=8)
def pose_range(machine: Machine) -> Array:
    """Half the range of the pose sliders: displacements from home along and about each axis (6,) [m, rad]."""
    unlimited = np.repeat(UNLIMITED * (machine.size, 1.0), 3)
    directions = np.concatenate([np.eye(6), -np.eye(6)])
    farthest = gough.travel(machine, directions).distance.reshape(2, 6).max(axis=0)
    is_known = np.isfinite(farthest) & (farthest > 1e-6 * unlimited)
    return np.where(is_known, np.minimum(BEYOND * np.where(is_known, farthest, 0.0), 2.5 * unlimited), unlimited)


@lru_cache(maxsize=8)
def joint_range(machine: Machine) -> tuple[Array, Array]:
    """Range of the leg sliders: lowest and highest joint coordinates (6,) [m or rad]."""
    half = 0.4 * machine.size if machine.legs.joint == "length" else np.pi
    home = np.nan_to_num(gough.inverse_kinematics(machine, machine.X_home))
    low, high = machine.limits.joint_min, machine.limits.joint_max
    return np.where(np.isfinite(low), low, home - half), np.where(np.isfinite(high), high, home + half)


def slider_digits(machine: Machine, low: float, high: float, si_unit: str) -> int:
    """Decimals of a slider from `low` to `high` in the file's units."""
    needed = np.ceil(np.log10(STEPS / abs(high - low)) - 1e-9)
    return max(min(decimals(machine, si_unit), DIGITS), int(needed))
