"""In-line joint: a point of one solid stays on a line of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gough.checks.arguments import checks_arguments
from gough.multibody.joints.cylindrical import Cylindrical
from gough.multibody.joints.joint import Row, across, level


@checks_arguments
@dataclass(frozen=True, eq=False)
class InLine(Cylindrical):
    """A ball of the second solid in a straight groove of the first, through `point` along `direction`.

    The last two rows of Dumitriu 2017, eq. (10). In a planar mechanism it closes a loop without saying again that the
    loop is planar.

    Constraint       (R_i u) . (p_j - p_i) = (R_i v) . (p_j - p_i) = 0, u and v across the line      2 rows
    Derivative       with d = p_j - p_i: d (0, u)^T - (R_i u) (1, OA_0)^T in Z_i, (R_i u) (1, OA_0)^T in Z_j
    Multipliers      two forces across the line [N]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "in-line"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u, v = across(self.axis)
        return [level(u, self.centre, f"u of {self.title}"), level(v, self.centre, f"v of {self.title}")]
