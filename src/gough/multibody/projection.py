"""Return to the constraints after a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.multibody._dense import motion_rows
from gough.multibody._projection import project
from gough.multibody.redundancy import independent_rows, scaled
from gough.multibody.system import State, System, rank_lost

Array = NDArray[np.float64]

WITHIN = 1e-15
"""Where Newton's steps on the joints' rows may stop, part of the system's size."""


class Projection:
    """Brings states to all constraints: R orthogonal, joints closed, velocities that keep both."""

    def __init__(self, system: System, *, is_on: bool = True) -> None:
        self.system, self.is_on = system, is_on

    def state(self, time: float, state: State) -> State:
        """The nearest state on the constraints; the state itself where projection is off."""
        if not self.is_on:
            return state
        s = self.system
        Z, V = state.Z.copy(), state.V.copy()
        tables = s.tables
        if s.redundancy.count:
            wide = motion_rows(Z, V, s.tables)[2]
            kept = independent_rows(scaled(wide, s.size), len(s.rows) - s.redundancy.count)
            tables = s.tables_of(kept)
        if not project(Z, V, tables, s.size, WITHIN * s.size):
            raise rank_lost(s, time)
        return State(Z, V)
