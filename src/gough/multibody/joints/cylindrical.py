"""Cylindrical joint: a pin that slides and turns along one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.joint import Array, Joint, Row, across, level, perpendicular, point_of, unit


@checks_arguments
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """Both solids share the line through `point` (3,) [m] along `direction` (3,). Dumitriu 2017, eq. (10).

    The paper keeps ((R_i - R_j) AB_0) . u_0 = 0, which holds the axes parallel until they have swung by a right angle,
    and (R_i u_0) . (T_j - T_i) = 0, which leaves out R_j OA_0 - R_i OA_0: exact while the solids do not turn against
    one another about the axis. The rows here hold for any motion.

    Constraint       (R_i u) . (R_j n) = (R_i v) . (R_j n) = 0, n the axis, u and v across it
                     (R_i u) . (p_j - p_i) = (R_i v) . (p_j - p_i) = 0, p the point on each solid      4 rows
    Derivative       (R_j n) u^T in R_i, (R_i u) n^T in R_j; with d = p_j - p_i: d (0, u)^T - (R_i u) (1, OA_0)^T
                     in Z_i, (R_i u) (1, OA_0)^T in Z_j
    Multipliers      two torques across the axis [N m], two forces across it [N]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "cylindrical"

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

    @property
    def slides(self) -> bool:
        """See `Joint.slides`."""
        return True

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        n = self.axis
        u, v = across(n)
        point = self.centre
        return [
            perpendicular(u, n, f"v of {self.title}"),
            perpendicular(v, n, f"u of {self.title}"),
            level(u, point, f"u of {self.title}"),
            level(v, point, f"v of {self.title}"),
        ]
