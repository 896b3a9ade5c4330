"""Lagrange's top: a heavy symmetric solid that spins about a fixed point."""

from __future__ import annotations

import numpy as np

from gough.checks.arguments import checks_arguments
from gough.multibody.bodies import Body
from gough.multibody.joints import Spherical
from gough.multibody.system import System

MASS, HEIGHT, RADIUS, GRAVITY = 0.5, 0.08, 0.05, 9.81
"""A disc [kg, m from the point, m]; [m/s2]."""
AXIAL = MASS * RADIUS**2 / 2
"""Moment of inertia about the axis of symmetry [kg m2]."""
TRANSVERSE = MASS * RADIUS**2 / 4 + MASS * HEIGHT**2
"""About an axis across it through the fixed point [kg m2]."""


@checks_arguments
def spinning_top(tilt: float = np.pi / 6) -> System:
    """A disc on a massless pin with its tip at O, z upwards, its axis tilted from z towards x by `tilt` [rad].

    Its nutation is an elliptic function of time, and it can precess steadily (Goldstein, Poole, Safko 2002,
    section 5.7).
    """
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    K = MASS * RADIUS**2 / 4 * (np.eye(3) - np.outer(axis, axis))
    top = Body.from_poinsot("top", MASS, HEIGHT * axis, K)
    return System([top], [Spherical("ground", "top", np.zeros(3), name="O")], gravity=[0.0, 0.0, -GRAVITY])
