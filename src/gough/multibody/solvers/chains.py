"""`chains`: leg by leg, between the solids that carry the legs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gough.errors import SolverError
from gough.multibody._chains import NOWHERE, Layout, chain_solution
from gough.multibody.solvers.solver import Array, Ints, Solution, Solver
from gough.multibody.system import System, all_names, rank_lost

MANY = 3
"""A solid with at least this many joints carries others: a hub."""


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
