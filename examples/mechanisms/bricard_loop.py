"""Bricard's mechanism: six hinges that should leave nothing free, and leave one motion."""

from __future__ import annotations

import numpy as np

from gough.multibody.bodies import Body
from gough.multibody.joints import Revolute
from gough.multibody.system import System

LENGTH, THICKNESS, MASS, GRAVITY = 1.0, 0.1, 1.0, 9.81
"""Of each rod [m, m, kg]; gravity along -y [m/s2]."""

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float) * LENGTH
"""Hinges P0 to P5 at the start, along edges of a cube (6, 3) [m]; the ground is the rod from P5 to P0."""


def bricard() -> System:
    """Five rods of square section and six hinges, each across both its rods (Gonzalez, Dopico, Lugris, Cuadrado 2006,
    benchmark A04 of the IFToMM library).

    30 rows for 30 motions, of which one is left: one row is redundant. Threefold symmetric with twists of 90 degrees:
    its hinge angles are phi and theta in turn, with cos phi + cos theta + cos phi cos theta = 0 (Chen, You, Tarnai
    2005).
    """
    names = [f"rod {k + 1}" for k in range(5)]
    rods = [_bar(names[k], CORNERS[k], CORNERS[k + 1]) for k in range(5)]
    solids = ["ground", *names, "ground"]
    joints = []
    for k in range(6):
        before, after = CORNERS[k] - CORNERS[k - 1], CORNERS[(k + 1) % 6] - CORNERS[k]
        joints.append(Revolute(solids[k], solids[k + 1], CORNERS[k], np.cross(before, after), name=f"P{k}"))
    return System(rods, joints, gravity=[0.0, -GRAVITY, 0.0], drop_redundant=True)


def _bar(name: str, start: np.ndarray, end: np.ndarray) -> Body:
    """A homogeneous bar of square section."""
    d = (end - start) / LENGTH
    across = THICKNESS**2 * (np.eye(3) - np.outer(d, d))
    return Body.from_poinsot(name, MASS, (start + end) / 2, MASS / 12 * (LENGTH**2 * np.outer(d, d) + across))
