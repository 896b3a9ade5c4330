"""Accelerations under multipliers that are given, not solved for: what the papers integrate over a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.multibody._rows import rows_of
from gough.multibody.solvers.solver import refuse_singular_poinsot
from gough.multibody.system import System

Array = NDArray[np.float64]


class Explicit:
    """Z'' = [X | Y + R Lambda] M^-1 with the joints' efforts in X, Y (2016, eq. 12); needs regular Poinsot matrices."""

    def __init__(self, system: System, what: str) -> None:
        refuse_singular_poinsot(system, what)
        self.system = system
        self.inverse = np.linalg.inv(system.masses)

    def accelerations(self, time: float, Z: Array, V: Array, Lambda: Array, multipliers: Array) -> Array:
        """Z'' (n, 3, 4) at a state, with Lambda (n, 3, 3) and the joints' multipliers (m,)."""
        s = self.system
        E = s.efforts(time, Z, V)
        if len(multipliers):
            J = rows_of(Z, V, s.tables)[2] * multipliers[:, None, None, None]
            np.add.at(E, s.joint_solids, J)
        E[:-1, :, 1:] += Z[:-1, :, 1:] @ Lambda
        return np.asarray(E[:-1] @ self.inverse)
