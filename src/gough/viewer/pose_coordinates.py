"""The six numbers of a pose as a controller counts them: about a pivot, in a convention, from home or in the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

import gough
from gough.machine import Machine

Array = NDArray[np.float64]

HOME, BASE = "home", "base"


@dataclass(frozen=True, eq=False)
class Reading:
    """How six numbers make a pose.

    Attributes
    ----------
    pivot : (3,) array
        Point of the platform that translations move and rotations leave, in the platform frame [m].
    convention : str
        One of `gough.frames.CONVENTIONS`.
    origin : str
        "home": displacement of the pivot and rotation from home; "base": the pivot's place and the platform's
        orientation in the base.

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
    """Points of the platform worth turning about, by name, in the platform frame [m]; no place twice."""
    named = {
        "point of interest": machine.point_of_interest,
        "platform origin": np.zeros(3),
        "tool": machine.X_PT[:3, 3],
        "platform joints' centre": machine.platform_centre,
    }
    kept: dict[str, Array] = {}
    for name, place in named.items():
        if not any(np.allclose(place, other, atol=1e-9 * machine.size) for other in kept.values()):
            kept[name] = place
    return kept
