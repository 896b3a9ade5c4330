"""Rigid bodies: mass, mass centre and inertia, moved to other frames and joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.read_only import ReadOnly

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Body(ReadOnly):
    """A rigid body.

    Attributes
    ----------
    mass : float
        [kg].
    mass_centre : (3,) array
        In the body's frame [m].
    inertia : (3, 3) array
        About the mass centre, in the axes of the body's frame [kg m2].

    """

    mass: float
    mass_centre: Array
    inertia: Array

    def seen_from(self, X: Array) -> Body:
        """The body in another frame, in which its own has the pose X (4, 4)."""
        R = X[:3, :3]
        return Body(mass=self.mass, mass_centre=R @ self.mass_centre + X[:3, 3], inertia=R @ self.inertia @ R.T)


def joined(bodies: Iterable[Body]) -> Body:
    """One body of several, all given in the same frame (Steiner's theorem about the common mass centre)."""
    parts = list(bodies)
    mass = sum(part.mass for part in parts)
    moment = np.sum([part.mass * part.mass_centre for part in parts], axis=0)
    centre = moment / mass if mass > 0 else parts[0].mass_centre
    inertia = np.zeros((3, 3))
    for part in parts:
        c = part.mass_centre - centre
        inertia += part.inertia + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return Body(mass=float(mass), mass_centre=np.asarray(centre), inertia=inertia)
