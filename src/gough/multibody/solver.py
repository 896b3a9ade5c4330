"""Base class of the solvers, and their result: accelerations and all multipliers of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from gough.arrays import Array, Ints
from gough.errors import RedundantConstraintsError, SolverError
from gough.multibody._dense import motion_rows
from gough.multibody.redundancy import independent_rows, scaled
from gough.multibody.system import System
from gough.quantity import quantity, result
from gough.results import Result

ACCELERATIONS = (("1/s2", "1/s2", "1/s2", "m/s2"),) * 3
"""SI units of the entries of [T* | R]''."""


@result
class Solution(Result):
    """Accelerations and multipliers at one instant; in `Motion.solution` with a leading axis of times."""

    BATCH: ClassVar[str] = "time"

    acceleration: Array = quantity(
        ACCELERATIONS, "solid", "axis", "column", frame="inertial", doc="Z'' = [T*'' | R''] of each solid."
    )
    orthogonality: Array = quantity(
        "N m", "solid", "axis", "other_axis", frame="inertial", doc="Symmetric Lambda of each solid (2016, eq. 9)."
    )
    multipliers: Array = quantity(
        "N or N m", "multiplier", is_headline=True,
        doc="Multipliers of the joint rows, + on the first solid of each joint; NaN where undetermined.",
    )  # fmt: skip


class Solver(ABC):
    """Solver of M Z'' = F + Phi_q^T Lambda, Phi'' = 0 for one system, at any of its states."""

    name: ClassVar[str]
    """Name for `solver_for`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.check()

    def check(self) -> None:
        """Raise for a system that this solver cannot solve; the message names a remedy."""
        if self.system.redundancy.is_singular:
            raise RedundantConstraintsError(self.system.redundancy.sentence() + " Start from another one.")
        if self.system.redundancy.count and not self.system.drop_redundant:
            raise RedundantConstraintsError(
                self.system.redundancy.sentence()
                + " Take away rows (an in-line joint closes a planar loop with two), or make the system with "
                "drop_redundant=True."
            )

    @abstractmethod
    def solve(self, time: float, Z: Array, V: Array) -> Solution:
        """Solution at a state, Z and V (n + 1, 3, 4), under the forces at `time` [s].

        Raises
        ------
        NotConvergedError
            In a singular configuration.

        """

    def all_multipliers(self, kept: Ints, values: Array) -> Array:
        """Multipliers of all rows (m,) from those of the kept rows: zero for the others, NaN where undetermined."""
        multipliers = np.zeros(len(self.system.rows))
        multipliers[kept] = values
        # Kept rows that could share their load with redundant rows have arbitrary multipliers.
        multipliers[self.system.redundancy.undetermined] = np.nan
        return multipliers


def kept_rows(system: System, Z: Array, V: Array) -> Ints:
    """Indices of the joint rows to solve for at a state: independent ones, which are all unless some are redundant."""
    if not system.redundancy.count:
        return np.arange(len(system.rows))
    G = motion_rows(Z, V, system.tables)[2]
    return independent_rows(scaled(G, system.size), len(system.rows) - system.redundancy.count)


def refuse_singular_poinsot(system: System, solver: str) -> None:
    """Raise `SolverError` for a method that needs K_G^-1 where a solid has none."""
    singular = [body.name for body in system.bodies if body.is_singular]
    if singular:
        raise SolverError(
            f"solver {solver!r} needs the inverse of every Poinsot matrix; those of "
            f"{', '.join(map(repr, singular))} are singular "
            "(thin rods, plates, parts without mass). Use solver='saddle', or System.regularised(part) to give them a "
            "little thickness"
        )
