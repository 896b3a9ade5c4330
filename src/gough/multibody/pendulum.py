"""The double pendulum of Dumitriu and Margaritescu 2016."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.multibody.bodies import Body
from gough.multibody.joints import Spherical
from gough.multibody.system import System

MASS, LENGTH, WIDTH, DEPTH = 0.108, 0.2, 0.02, 0.01
"""m [kg], l, a, b [m] of each bar (2016, section 6)."""
GRAVITY = 9.81
"""[m/s2]"""


@checks_arguments
def double_pendulum(phi: float = np.pi / 9, psi: float = np.pi / 18) -> System:
    """Two bars on ball joints, x downwards, in the plane of x and y (2016, section 4).

    Parameters
    ----------
    phi, psi : float
        Angles of "bar 1" and "bar 2" from x at the start [rad]; the paper's are 20 and 10 degrees.

    Returns
    -------
    System
        At rest at the start.

    Raises
    ------
    InputError
        Angles that are no numbers.

    """
    along = np.array([np.cos(phi), np.sin(phi), 0.0])
    bars = [_bar("bar 1", np.zeros(3), phi), _bar("bar 2", LENGTH * along, psi)]
    joints = [
        Spherical("ground", "bar 1", np.zeros(3), name="O"),
        Spherical("bar 1", "bar 2", LENGTH * along, name="H"),
    ]
    return System(bars, joints, gravity=[GRAVITY, 0.0, 0.0])


def _bar(name: str, start: Array, angle: float) -> Body:
    """A homogeneous bar; K_G of 2016, eq. (15)."""
    x, y = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
    z = np.array([0.0, 0.0, 1.0])
    K = MASS / 12 * (LENGTH**2 * np.outer(x, x) + WIDTH**2 * np.outer(y, y) + DEPTH**2 * np.outer(z, z))
    return Body.from_poinsot(name, MASS, start + LENGTH / 2 * x, K)
