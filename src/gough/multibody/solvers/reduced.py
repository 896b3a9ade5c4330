"""`reduced`: orthogonality multipliers eliminated solid by solid, joints at once."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gough._linear_algebra import solved
from gough.multibody._dense import coordinates_of, motion_balance, motion_rows
from gough.multibody.solvers.solver import Array, Solution, Solver
from gough.multibody.system import rank_lost


class Reduced(Solver):
    """The saddle equations by the six motions of each solid, 6 n + m of them; Lambda of each solid afterwards.

    R'' = [alpha]x R + [w]x [w]x R solves the orthogonality conditions (2017, eq. 8) whatever alpha is, and the skew
    part of (Y R^T) balances the moments, which leaves Newton's and Euler's equations. Then (2016, eq. 9) gives
    R Lambda = R'' K + m T'' OG0^T - Y. As general as `saddle`, with a third of its equations.
    """

    name: ClassVar[str] = "reduced"

    def solve(self, time: float, Z: Array, V: Array, efforts: Array | None = None) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        n, m = len(s.bodies), len(s.rows)
        F = s.efforts(time, Z, V) if efforts is None else efforts
        M, force = motion_balance(Z, V, F, s.tables)
        _, _, G, g = motion_rows(Z, V, s.tables)
        kept = self.kept_rows(Z, V)
        if len(kept) < m:
            G, g = G[kept], g[kept]
        size = 6 * n + len(kept)
        K = np.zeros((size, size))
        K[: 6 * n, : 6 * n], K[6 * n :, : 6 * n], K[: 6 * n, 6 * n :] = M, G, -G.T
        x, is_regular = solved(K, np.concatenate([force, g]))
        if not is_regular:
            raise rank_lost(s, time)
        multipliers = np.zeros(m)
        multipliers[kept] = x[6 * n :]
        acceleration, Lambda = coordinates_of(Z, V, F, s.tables, x[: 6 * n].reshape(n, 6), multipliers)
        return Solution(acceleration, Lambda, self.all_multipliers(kept, x[6 * n :]))
