"""Revolute joint: a hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.joint import Array, Joint, Row, across, coincide, perpendicular, point_of, unit


@checks_arguments
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge at `point` (3,) [m] about `direction` (3,): Dumitriu 2017, eq. (11) for the point, (10) for the axis.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0
                     (R_i u) . (R_j n) = (R_i v) . (R_j n) = 0, n the axis, u and v across it           5 rows
    Derivative       e_k (1, OA_0)^T; (R_j n) u^T in R_i, (R_i u) n^T in R_j
    Multipliers      the force on the first solid [N], two torques across the axis [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "revolute"

    point: ArrayLike
    direction: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.point, f"point of {self.title}")

    @property
    def axis(self) -> Array:
        """See `Joint.axis`."""
        return unit(self.direction, f"direction of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        n = self.axis
        u, v = across(n)
        return [
            *coincide(self.centre),
            perpendicular(u, n, f"v of {self.title}"),
            perpendicular(v, n, f"u of {self.title}"),
        ]
