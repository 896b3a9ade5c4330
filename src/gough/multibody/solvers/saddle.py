"""`saddle`: all equations at once, in the papers' own coordinates."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gough._linear_algebra import solved
from gough.multibody._dense import saddle_equations
from gough.multibody.solvers.solver import Array, Solution, Solver
from gough.multibody.system import rank_lost


class Saddle(Solver):
    """[[M, -Phi_q^T], [Phi_q, 0]] [Z'', Lambda] = [F, -Phi_qq Z' Z'], 18 n + m equations.

    Dumitriu and Margaritescu 2016, eqs. (9), (13), (14), (23), (24); Dumitriu 2017, eqs. (6) to (14). Dense, general,
    and regular for the singular Poinsot matrices of thin rods and plates: nothing is inverted but the whole.
    """

    name: ClassVar[str] = "saddle"

    def solve(self, time: float, Z: Array, V: Array, efforts: Array | None = None) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        n, m = len(s.bodies), len(s.rows)
        F = s.efforts(time, Z, V) if efforts is None else efforts
        K, b = saddle_equations(Z, V, F, s.tables)
        kept = self.kept_rows(Z, V)
        if len(kept) < m:
            use = np.concatenate([np.arange(18 * n), 18 * n + kept])
            K, b = K[np.ix_(use, use)], b[use]
        x, is_regular = solved(K, b)
        if not is_regular:
            raise rank_lost(s, time)
        upper = x[12 * n : 18 * n].reshape(n, 6)
        Lambda = upper[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(n, 3, 3)
        return Solution(x[: 12 * n].reshape(n, 3, 4), Lambda, self.all_multipliers(kept, x[18 * n :]))
