"""Distance joint: a massless rod with a ball at each end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.multibody.joints.joint import Array, Joint, Row, point_of


@checks_arguments
@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """The distance between `first_point` and `second_point` (3,) [m] stays what it is at the start.

    Not in the papers; the points are theirs, OM = T + R OM_0 (2016, eq. 3).

    Constraint       (|d|^2 - L^2) / 2 L = 0,  d = p_j - p_i                                1 row
    Derivative       -(d / L) (1, OA_0)^T in Z_i, (d / L) (1, OB_0)^T in Z_j
    Multiplier       the force in the rod [N], tension negative
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "distance"

    first_point: ArrayLike
    second_point: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.second_point, f"second_point of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        start, end = point_of(self.first_point, f"first_point of {self.title}"), self.centre
        length = float(np.linalg.norm(end - start))
        if length == 0:
            raise InputError(f"{self.title}: the two points coincide; a rod of length zero is a spherical joint")
        first, second = np.zeros((2, 4)), np.zeros((2, 4))
        first[:] = -np.array([1.0, *start])
        second[:] = np.array([1.0, *end])
        scale = np.array([[0.5 / length], [1.0]])
        return [Row(first * scale, second * scale, np.zeros((2, 3)), length / 2, "force in the rod [N]")]
