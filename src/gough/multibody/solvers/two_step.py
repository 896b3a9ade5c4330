"""`two-step`: the elimination of Dumitriu and Margaritescu 2016, section 5."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gough.multibody._rows import rows_of
from gough.multibody.solvers.solver import Array, Ints, Solution, Solver, refuse_singular_poinsot
from gough.multibody.system import System, rank_lost


class TwoStep(Solver):
    """First Lambda of each solid as a linear function of the joints' multipliers, then those.

    With B = K_G^-1, an effort [X | Y] on a solid and Y' = Y - X OG0^T, putting R'' = (Y' + R Lambda) B (2016, eq. 12)
    into the orthogonality condition gives the Lyapunov-like equation (2016, eq. 25)

        Lambda B + B Lambda = -2 R'^T R' - B Y'^T R - R^T Y' B

    solved in the principal axes of B, where it is diagonal. Needs the inverse of every Poinsot matrix.
    """

    name: ClassVar[str] = "two-step"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        values, axes = np.linalg.eigh([body.poinsot for body in system.bodies])
        self.axes = axes
        self.inverse = np.einsum("kij,kj,klj->kil", axes, 1.0 / values, axes)
        self.sums = 1.0 / values[:, :, None] + 1.0 / values[:, None, :]

    def check(self) -> None:
        """See `Solver.check`."""
        super().check()
        refuse_singular_poinsot(self.system, self.name)

    def solve(self, time: float, Z: Array, V: Array, efforts: Array | None = None) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        n = len(s.bodies)
        F = s.efforts(time, Z, V) if efforts is None else efforts
        _, _, J, gamma = rows_of(Z, V, s.tables)
        kept = self.kept_rows(Z, V)
        J, gamma, pairs = J[kept], gamma[kept], s.joint_solids[kept]
        every: Ints = np.arange(n, dtype=np.int64)
        R, Rd = Z[:-1, :, 1:], V[:-1, :, 1:]
        free = self.accelerations(every, F[:-1], -2 * np.swapaxes(Rd, 1, 2) @ Rd, R)
        wide, answers = np.zeros((len(kept), n + 1, 12)), np.zeros((len(kept), n + 1, 12))
        for side in range(2):
            body = pairs[:, side]
            moving = np.flatnonzero(body < n)
            body = np.asarray(body[moving], dtype=np.int64)
            unit, _ = self.accelerations(body, J[moving, side], np.zeros((3, 3)), R)
            wide[moving, body] = J[moving, side].reshape(-1, 12)
            answers[moving, body] = unit.reshape(-1, 12)
        rows, columns = wide[:, :n].reshape(len(kept), -1), answers[:, :n].reshape(len(kept), -1)
        try:
            values = np.asarray(np.linalg.solve(rows @ columns.T, gamma - rows @ free[0].ravel()), dtype=float)
        except np.linalg.LinAlgError:
            raise rank_lost(s, time) from None
        E = F[:-1] + np.einsum("k,kba->ba", values, wide[:, :n]).reshape(n, 3, 4)
        acceleration, Lambda = self.accelerations(every, E, -2 * np.swapaxes(Rd, 1, 2) @ Rd, R)
        return Solution(acceleration, Lambda, self.all_multipliers(kept, values))

    def accelerations(self, body: Ints, E: Array, curvature: Array, R: Array) -> tuple[Array, Array]:
        """Z'' (k, 3, 4) and Lambda (k, 3, 3) that efforts E (k, 3, 4) give the solids `body` (k,), step one."""
        c = self.system.centres[body]
        mass = self.system.masses[body, 0, 0]
        B, U, R = self.inverse[body], self.axes[body], R[body]
        Y = E[:, :, 1:] - E[:, :, :1] * c[:, None, :]
        half = np.swapaxes(R, 1, 2) @ Y @ B
        right = np.swapaxes(U, 1, 2) @ (curvature - half - np.swapaxes(half, 1, 2)) @ U
        Lambda = U @ (right / self.sums[body]) @ np.swapaxes(U, 1, 2)
        out = np.empty_like(E)
        out[:, :, 1:] = (Y + R @ Lambda) @ B
        out[:, :, 0] = E[:, :, 0] / mass[:, None] - np.einsum("kij,kj->ki", out[:, :, 1:], c)
        return out, Lambda
