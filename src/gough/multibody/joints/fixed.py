"""Fixed joint: two solids that move as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.joint import Array, Joint, Row, coincide, perpendicular, point_of


@checks_arguments
@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """A weld; `point` (3,) [m] is where its reaction is given. 2016, eq. (13), and three right angles kept.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0
                     (R_i x) . (R_j y) = (R_i y) . (R_j z) = (R_i z) . (R_j x) = 0                      6 rows
    Derivative       e_k (1, OA_0)^T; (R_j y) x^T in R_i, (R_i x) y^T in R_j and so on
    Multipliers      the force on the first solid [N], three torques about its axes z, x, y [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "fixed"

    point: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.point, f"point of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        x, y, z = np.eye(3)
        return [
            *coincide(self.centre),
            perpendicular(x, y, f"z of {self.title}"),
            perpendicular(y, z, f"x of {self.title}"),
            perpendicular(z, x, f"y of {self.title}"),
        ]
