"""A parallelogram four-bar linkage with four hinges: three rows too many, and the motion of a simple pendulum."""

from __future__ import annotations

import numpy as np

from gough.checks.arguments import checks_arguments
from gough.multibody.bodies import Body
from gough.multibody.joints import Revolute
from gough.multibody.system import System

CRANK, COUPLER, MASS = 0.3, 0.5, 1.0
"""Length of a crank, of the coupler [m]; mass of each of the three bars [kg]."""
GRAVITY = 9.81


@checks_arguments
def four_bar(angle: float = np.pi / 3, *, drop_redundant: bool = True) -> System:
    """Two equal cranks that hang from the ground and a coupler between them, in the plane of x and y, y upwards.

    The coupler moves without turning, so the angle theta of the cranks from the vertical obeys the simple pendulum's
    equation exactly,

        (2 J + m r^2) theta'' = -(2 m r / 2 + m r) g sin theta,    J = m r^2 / 3

    Four hinges have 20 rows, three bars 18 motions, and one is left: three rows are redundant.

    Parameters
    ----------
    angle : float
        theta at the start [rad].
    drop_redundant : bool
        See `System`.

    """
    foot = np.array([COUPLER, 0.0, 0.0])
    arm = CRANK * np.array([np.sin(angle), -np.cos(angle), 0.0])
    bars = [_rod("crank 1", 0 * foot, arm), _rod("coupler", arm, foot + arm), _rod("crank 2", foot, foot + arm)]
    z = [0.0, 0.0, 1.0]
    joints = [
        Revolute("ground", "crank 1", 0 * foot, z, name="A"),
        Revolute("crank 1", "coupler", arm, z, name="B"),
        Revolute("coupler", "crank 2", foot + arm, z, name="C"),
        Revolute("ground", "crank 2", foot, z, name="D"),
    ]
    return System(bars, joints, gravity=[0.0, -GRAVITY, 0.0], drop_redundant=drop_redundant)


def _rod(name: str, start: np.ndarray, end: np.ndarray) -> Body:
    """A thin homogeneous rod."""
    d = end - start
    return Body.from_poinsot(name, MASS, (start + end) / 2, MASS / 12 * np.outer(d, d))
