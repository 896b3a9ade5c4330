"""Solvers of the equations at an instant: all at once, step by step, by motions, leg by leg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gough._linear_algebra import solved
from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, SolverError, nearest
from gough.multibody._chains import NOWHERE, Layout, chain_solution
from gough.multibody._dense import coordinates_of, motion_balance, motion_rows, saddle_equations
from gough.multibody._rows import rows_of
from gough.multibody.solver import Solution, Solver, refuse_singular_poinsot
from gough.multibody.system import System, all_names, rank_lost

AUTOMATIC = "auto"
MANY = 3
"""A solid with at least this many joints carries others: a hub."""


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


class Chains(Solver):
    """The equations of `reduced`, solved along the system's structure: see `gough.multibody._chains`.

    For systems whose solids hang in chains between the ground and hubs (solids with three joints or more), each chain
    with as many joint rows as motions: every hexapod, one platform or several. A chain is solved by one small
    decomposition, a platform by six equations.
    """

    name: ClassVar[str] = "chains"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        rows, self.layout = layout_of(system)
        self.tables = system.tables_of(rows)
        self.back = np.argsort(rows)

    def check(self) -> None:
        """See `Solver.check`."""
        super().check()
        if self.system.redundancy.count:
            raise SolverError("solver 'chains' does not solve systems with redundant rows; use solver='reduced'")
        layout_of(self.system)

    def solve(self, time: float, Z: Array, V: Array, efforts: Array | None = None) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        F = s.efforts(time, Z, V) if efforts is None else efforts
        acceleration, Lambda, multipliers, is_regular = chain_solution(Z, V, F, self.tables, self.layout)
        if not is_regular:
            raise rank_lost(s, time)
        return Solution(acceleration, Lambda, multipliers[self.back])


def layout_of(system: System) -> tuple[Ints, Layout]:
    """The system's rows, chain after chain, with their places; or why they cannot be ordered so."""
    n = len(system.bodies)
    pairs = [(system.index(joint.first), system.index(joint.second)) for joint in system.joints]
    degree = np.bincount(np.array(pairs, dtype=int).ravel(), minlength=n + 1)
    hubs = np.flatnonzero(degree[:n] >= MANY)
    chain = _components(n, pairs, {*hubs.tolist(), n})
    place = np.full(n + 1, NOWHERE, dtype=np.int64)
    for k, hub in enumerate(hubs):
        place[hub] = -1 - 6 * k
    row_chain = np.array([_chain_of(pair, chain, system) for pair in system.joint_solids.tolist()], dtype=int)
    rows, members, chain_rows, chain_solids = [], [], [0], [0]
    for number in sorted(set(chain.values())):
        mine = [body for body in range(n) if chain.get(body) == number]
        own = np.flatnonzero(row_chain == number)
        if len(own) != 6 * len(mine):
            raise SolverError(
                "solver 'chains' needs as many joint rows as motions in each chain; the chain of "
                f"{all_names(system.names[body] for body in mine)} has {len(own)} rows for {6 * len(mine)} motions; "
                "use solver='reduced'"
            )
        for k, body in enumerate(mine):
            place[body] = 6 * k
        rows += own.tolist()
        members += mine
        chain_rows.append(len(rows))
        chain_solids.append(len(members))
    if not members:
        raise SolverError(
            "solver 'chains' needs chains of solids between hubs; here there is none. Use solver='reduced'"
        )
    return _ints(rows), Layout(place, _ints(chain_rows), _ints(chain_solids), _ints(members), _ints(hubs))


def _ints(values: Sequence[int] | Ints) -> Ints:
    return np.array(values, dtype=np.int64)


def _components(n: int, pairs: list[tuple[int, int]], cut: set[int]) -> dict[int, int]:
    """Number of the chain each solid outside `cut` belongs to: its smallest member."""
    chain = {body: body for body in range(n) if body not in cut}
    changed = True
    while changed:
        changed = False
        for a, b in pairs:
            if a in chain and b in chain and chain[a] != chain[b]:
                chain[a] = chain[b] = min(chain[a], chain[b])
                changed = True
    return chain


def _chain_of(pair: list[int], chain: dict[int, int], system: System) -> int:
    """The chain a row belongs to."""
    for body in pair:
        if body in chain:
            return chain[body]
    names = [*system.names, "ground"]
    raise SolverError(
        f"solver 'chains' cannot solve a joint between hubs, as between {all_names(names[body] for body in pair)}; use "
        "solver='reduced'"
    )


SOLVERS: dict[str, type[Solver]] = {cls.name: cls for cls in (Saddle, TwoStep, Reduced, Chains)}
"""Those that answer at an instant, by name; `gough.multibody.shooting` works on whole steps."""


@checks_arguments
def solver_for(system: System, name: str = AUTOMATIC) -> Solver:
    """The named solver for a system, or the quickest that applies: `chains`, else `reduced`.

    Parameters
    ----------
    system : System
    name : str
        One of `gough.multibody.SOLVERS`, or "auto".

    Returns
    -------
    Solver
        For states of that system.

    Raises
    ------
    InputError
        No solver has this name.
    SolverError
        The solver does not apply to this system; the message names one that does.

    """
    if name == AUTOMATIC:
        try:
            return solver_for(system, "chains")
        except SolverError:
            return solver_for(system, "reduced")
    if name not in SOLVERS:
        known = [*SOLVERS, AUTOMATIC]
        raise InputError(f"there is no solver {name!r}, only {', '.join(known)}.{nearest(name, known)}")
    return SOLVERS[name](system)
