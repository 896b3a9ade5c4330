"""Universal (Cardan, Hooke) joint: one point in common, two axes that stay at a right angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.joint import Array, Joint, Row, coincide, perpendicular, point_of, unit


@checks_arguments
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A cross at `point` (3,) [m]; its arm `first_axis` turns in the first solid, `second_axis` in the second.

    Dumitriu 2017, eqs. (9) and (11), efforts in (12) to (14). The paper writes the condition on the axes of the upper
    joint as ((R_13 - R_2i) u_0) . v_0 = 0, with a direction fixed in the inertial frame; here both axes are carried by
    their solids, which is the same at the start and stays a universal joint however far it moves.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0 and (R_i u_0) . (R_j v_0) = 0        4 rows
    Derivative       e_k (1, OA_0)^T; (R_j v_0) u_0^T in R_i and (R_i u_0) v_0^T in R_j
    Multipliers      the force on the first solid [N], and the torque about both axes' common normal [N m]
    Reactions        X_i = Lambda, Y_i = Lambda OA_0^T + lambda (R_j v_0) u_0^T; X_j = -Lambda,
                     Y_j = -Lambda OA_0^T + lambda (R_i u_0) v_0^T
    """

    kind: ClassVar[str] = "universal"

    point: ArrayLike
    first_axis: ArrayLike
    second_axis: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.point, f"point of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u = unit(self.first_axis, f"first_axis of {self.title}")
        v = unit(self.second_axis, f"second_axis of {self.title}")
        return [*coincide(self.centre), perpendicular(u, v, f"the normal of the cross of {self.title}")]
