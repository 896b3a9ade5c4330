"""Prismatic joint: a slide that does not turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.cylindrical import Cylindrical
from gough.multibody.joints.joint import Row, across, perpendicular


@checks_arguments
@dataclass(frozen=True, eq=False)
class Prismatic(Cylindrical):
    """A slide along `direction` (3,) through `point` (3,) [m]: Dumitriu 2017, eq. (10), and no turn about the axis.

    Constraint       the four rows of the cylindrical joint and (R_i u) . (R_j v) = 0, u, v across the axis   5 rows
    Derivative       as there, and (R_j v) u^T in R_i, (R_i u) v^T in R_j
    Multipliers      as there, and the torque about the axis [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "prismatic"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u, v = across(self.axis)
        return [*super().rows(), perpendicular(u, v, f"the axis of {self.title}")]
