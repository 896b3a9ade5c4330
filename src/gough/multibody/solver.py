"""What all solvers answer: accelerations and all multipliers of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.arrays import Array, Ints
from gough.errors import RedundantConstraintsError, SolverError
from gough.multibody._dense import motion_rows
from gough.multibody.redundancy import independent_rows, scaled
from gough.multibody.system import System, all_names
from gough.results import Quantities, Result


@dataclass(frozen=True, eq=False)
class Solution(Result):
    """Accelerations and multipliers at one instant; of `Motion.solution` with a leading axis of times."""

    QUANTITIES: ClassVar[Quantities] = {
        "acceleration": ("1/s2, m/s2", "solid", "axis", "column"),
        "orthogonality": ("N m", "solid", "row", "other_axis"),
        "multipliers": ("N or N m", "multiplier"),
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("multipliers",)

    BATCH: ClassVar[str] = "time"

    acceleration: Array
    """Z'' = [T*'' | R''] of each solid (n, 3, 4)."""
    orthogonality: Array
    """Symmetric Lambda of each solid (n, 3, 3) [N m] (2016, eq. 9)."""
    multipliers: Array
    """Multipliers of the joints' rows (m,) [N or N m], + on each joint's first solid; NaN where none is determined."""


class Solver(ABC):
    """Solves M Z'' = F + Phi_q^T Lambda, Phi'' = 0 for a system; made once, evaluated at every instant."""

    name: ClassVar[str]
    """What callers name it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.check()

    def check(self) -> None:
        """Refuse a system this solver cannot solve, naming one that can."""
        if self.system.redundancy.is_singular:
            raise RedundantConstraintsError(self.system.redundancy.sentence() + " Start from another one.")
        if self.system.redundancy.count and not self.system.drop_redundant:
            raise RedundantConstraintsError(
                self.system.redundancy.sentence()
                + " Take away rows (an in-line joint closes a planar loop with two), or make the system with "
                "drop_redundant=True."
            )

    @abstractmethod
    def solve(self, time: float, Z: Array, V: Array, efforts: Array | None = None) -> Solution:
        """Solution at a state, Z and V (n + 1, 3, 4).

        `efforts` (n + 1, 3, 4) replaces what the system's weights and loads give.

        Raises
        ------
        NotConvergedError
            In a singular configuration.

        """

    def kept_rows(self, Z: Array, V: Array) -> Ints:
        """Rows of the joints that are solved for: all, or independent ones where the system drops the others."""
        s = self.system
        if not s.redundancy.count:
            return np.arange(len(s.rows))
        wide = motion_rows(Z, V, s.tables)[2]
        return independent_rows(scaled(wide, s.size), len(s.rows) - s.redundancy.count)

    def all_multipliers(self, kept: Ints, values: Array) -> Array:
        """Multipliers of all rows (m,): those kept; NaN where a rigid model leaves them open."""
        multipliers = np.zeros(len(self.system.rows))
        multipliers[kept] = values
        multipliers[self.system.redundancy.undetermined] = np.nan
        return multipliers


def refuse_singular_poinsot(system: System, solver: str) -> None:
    """Both methods of the papers that need K_G^-1 say which solids have none, and what to do."""
    singular = [body.name for body in system.bodies if body.is_singular]
    if singular:
        raise SolverError(
            f"solver {solver!r} needs the inverse of every Poinsot matrix; those of {all_names(singular)} are singular "
            "(thin rods, plates, parts without mass). Use solver='saddle', or System.regularised(part) to give them a "
            "little thickness"
        )
