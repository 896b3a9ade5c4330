"""Spherical joint: one point belongs to both solids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.joint import Array, Joint, Row, coincide, point_of


@checks_arguments
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball in its socket, centred at `point` (3,) [m]. Dumitriu and Margaritescu 2016, eqs. (13) and (14).

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0                              3 rows
    Derivative       rows e_k (1, OA_0)^T of solid i, the opposite of solid j: constant
    Multipliers      the force on the first solid, in inertial axes [N]
    Reactions        X_i = Lambda, Y_i = Lambda OA_0^T on the first solid, the opposite on the second
    """

    kind: ClassVar[str] = "spherical"

    point: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.point, f"point of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        return coincide(self.centre)
