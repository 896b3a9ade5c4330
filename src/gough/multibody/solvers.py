"""Solvers of the equations of motion at an instant, and inverse dynamics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough._linear_algebra import solved
from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, RedundantConstraintsError, SolverError, nearest
from gough.multibody._chains import NOWHERE, Layout, chain_solution
from gough.multibody._equations import coordinates_of, motion_balance, motion_rows, rows_of, saddle_equations
from gough.multibody.bodies import named_place
from gough.multibody.system import RANK, State, System, given_motions, independent_rows, rank_lost, scaled
from gough.quantity import quantity, result
from gough.results import Result

ACCELERATIONS = (("1/s2", "1/s2", "1/s2", "m/s2"),) * 3
"""SI units of the entries of [T* | R]''."""


@result
class Solution(Result):
    """Accelerations and multipliers at one instant; in `Motion.solution` with a leading axis of times."""

    BATCH: ClassVar[str] = "time"

    acceleration: Array = quantity(
        ACCELERATIONS, "solid", "axis", "column", frame="inertial", doc="Z'' = [T*'' | R''] of each solid."
    )
    orthogonality: Array = quantity(
        "N m", "solid", "axis", "other_axis", frame="inertial", doc="Symmetric Lambda of each solid (2016, eq. 9)."
    )
    multipliers: Array = quantity(
        "N or N m", "multiplier", is_headline=True,
        doc="Multipliers of the joint rows, + on the first solid of each joint; NaN where undetermined.",
    )  # fmt: skip


class Solver(ABC):
    """Solver of M Z'' = F + Phi_q^T Lambda, Phi'' = 0 for one system, at any of its states."""

    name: ClassVar[str]
    """Name for `solver_for`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.check()

    def check(self) -> None:
        """Raise for a system that this solver cannot solve, with a message that names a remedy."""
        if self.system.redundancy.is_singular:
            raise RedundantConstraintsError(self.system.redundancy.sentence() + " Start from another one.")
        if self.system.redundancy.count and not self.system.drop_redundant:
            raise RedundantConstraintsError(
                self.system.redundancy.sentence()
                + " Remove rows (an in-line joint closes a planar loop with two), or make the system with "
                "drop_redundant=True."
            )

    @abstractmethod
    def solve(self, time: float, Z: Array, V: Array) -> Solution:
        """Solve at a state, for Z and V (n + 1, 3, 4), under the forces at `time` [s].

        Raises
        ------
        NotConvergedError
            In a singular configuration.

        """

    def all_multipliers(self, kept: Ints, values: Array) -> Array:
        """Expand the multipliers of the kept rows to all rows (m,): zero for the others, NaN where undetermined."""
        multipliers = np.zeros(len(self.system.rows))
        multipliers[kept] = values
        # Kept rows that could share their load with redundant rows have arbitrary multipliers.
        multipliers[self.system.redundancy.undetermined] = np.nan
        return multipliers


def kept_rows(system: System, Z: Array, V: Array) -> Ints:
    """Return indices of the joint rows to solve for at a state: independent ones, which are all unless some are
    redundant."""
    if not system.redundancy.count:
        return np.arange(len(system.rows))
    G = motion_rows(Z, V, system.tables)[2]
    return independent_rows(scaled(G, system.size), len(system.rows) - system.redundancy.count)


def refuse_singular_poinsot(system: System, solver: str) -> None:
    """Raise `SolverError` for a method that needs K_G^-1 where a solid has none."""
    singular = [body.name for body in system.bodies if body.is_singular]
    if singular:
        raise SolverError(
            f"solver {solver!r} needs the inverse of every Poinsot matrix; those of "
            f"{', '.join(map(repr, singular))} are singular "
            "(thin rods, plates, parts without mass). Use solver='saddle', or System.regularised(part) to give them a "
            "little thickness"
        )


AUTOMATIC = "auto"
HUB_JOINTS = 3
"""Least number of joints of a hub, such as a platform."""


class Saddle(Solver):
    """[[M, -Phi_q^T], [Phi_q, 0]] [Z'', Lambda] = [F, -Phi_qq Z' Z'], 18 n + m equations.

    Dumitriu and Margaritescu 2016, eqs. (9), (13), (14), (23), (24); Dumitriu 2017, eqs. (6) to (14). Dense and
    general: no mass matrix is inverted, so thin rods and plates with singular Poinsot matrices are allowed.
    """

    name: ClassVar[str] = "saddle"

    def solve(self, time: float, Z: Array, V: Array) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        n, m = len(s.bodies), len(s.rows)
        F = s.efforts(time, Z, V)
        K, b = saddle_equations(Z, V, F, s.tables)
        kept = kept_rows(s, Z, V)
        if len(kept) < m:
            use = np.concatenate([np.arange(18 * n), 18 * n + kept])
            K, b = K[np.ix_(use, use)], b[use]
        x, is_regular = solved(K, b)
        if not is_regular:
            raise rank_lost(s, time)
        # Each solid's symmetric Lambda from its elements 11, 12, 13, 22, 23, 33.
        upper = x[12 * n : 18 * n].reshape(n, 6)
        Lambda = upper[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(n, 3, 3)
        return Solution(x[: 12 * n].reshape(n, 3, 4), Lambda, self.all_multipliers(kept, x[18 * n :]))


class TwoStep(Solver):
    """Elimination of each solid's Lambda, then a dense system for the multipliers of the joints.

    With B = K_G^-1, an effort [X | Y] on a solid and Y' = Y - X OG0^T, putting R'' = (Y' + R Lambda) B (2016, eq. 12)
    into the orthogonality condition gives the Lyapunov-like equation (2016, eq. 25)

        Lambda B + B Lambda = -2 R'^T R' - B Y'^T R - R^T Y' B

    solved in the principal axes of B, where it is diagonal; then (2016, eq. 24) determines the multipliers of the
    joints. Needs the inverse of every Poinsot matrix.
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

    def solve(self, time: float, Z: Array, V: Array) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        n = len(s.bodies)
        F = s.efforts(time, Z, V)
        _, _, J, gamma = rows_of(Z, V, s.tables)
        kept = kept_rows(s, Z, V)
        J, gamma, pairs = J[kept], gamma[kept], s.joint_solids[kept]
        every: Ints = np.arange(n, dtype=np.int64)
        R, Rd = Z[:-1, :, 1:], V[:-1, :, 1:]
        centripetal = -2 * np.swapaxes(Rd, 1, 2) @ Rd
        free, _ = self.accelerations(every, F[:-1], centripetal, R)
        # Phi_q of each solid and the accelerations that unit multipliers add to `free`, (n, kept, 12) each.
        wide, responses = np.zeros((n + 1, len(kept), 12)), np.zeros((n + 1, len(kept), 12))
        for side in range(2):
            body = pairs[:, side]
            moving = np.flatnonzero(body < n)
            body = np.asarray(body[moving], dtype=np.int64)
            unit, _ = self.accelerations(body, J[moving, side], np.zeros((3, 3)), R)
            wide[body, moving] = J[moving, side].reshape(-1, 12)
            responses[body, moving] = unit.reshape(-1, 12)
        wide, responses = wide[:n], responses[:n]
        # Phi'' = 0: rows (free + columns^T lambda) = gamma. Products solid by solid are too small for the threads of
        # BLAS, which take longer than one product of all.
        matrix = (wide @ np.swapaxes(responses, 1, 2)).sum(axis=0)
        right = gamma - (wide @ free.reshape(n, 12, 1)).sum(axis=0)[:, 0]
        try:
            values = np.asarray(np.linalg.solve(matrix, right), dtype=float)
        except np.linalg.LinAlgError:
            raise rank_lost(s, time) from None
        E = F[:-1] + (values @ wide).reshape(n, 3, 4)
        acceleration, Lambda = self.accelerations(every, E, centripetal, R)
        return Solution(acceleration, Lambda, self.all_multipliers(kept, values))

    def accelerations(self, body: Ints, E: Array, centripetal: Array, R: Array) -> tuple[Array, Array]:
        """Return Z'' (k, 3, 4) and Lambda (k, 3, 3) of the solids `body` (k,) under efforts E (k, 3, 4).

        `centripetal` is -2 R'^T R', the part of equation (25) that depends on velocities.
        """
        c = self.system.centres[body]
        mass = self.system.masses[body, 0, 0]
        B, U, R = self.inverse[body], self.axes[body], R[body]
        Y = E[:, :, 1:] - E[:, :, :1] * c[:, None, :]
        half = np.swapaxes(R, 1, 2) @ Y @ B
        # In the principal axes U of B equation (25) reads Lambda_ij (b_i + b_j) = right_ij.
        right = np.swapaxes(U, 1, 2) @ (centripetal - half - np.swapaxes(half, 1, 2)) @ U
        Lambda = U @ (right / self.sums[body]) @ np.swapaxes(U, 1, 2)
        out = np.empty_like(E)
        out[:, :, 1:] = (Y + R @ Lambda) @ B
        out[:, :, 0] = E[:, :, 0] / mass[:, None] - np.einsum("kij,kj->ki", out[:, :, 1:], c)
        return out, Lambda


class Chains(Solver):
    """Newton's and Euler's equations with each chain of solids eliminated, see `gough.multibody._chains`.

    R'' = [alpha]x R + [w]x [w]x R satisfies the orthogonality conditions (2017, eq. 8) for any alpha, and the skew part
    of Y R^T balances the moments. Then (2016, eq. 9) gives R Lambda = R'' K + m T'' OG0^T - Y.

    For systems of chains between the ground and hubs (solids with three joints or more), each chain with as many joint
    rows as degrees of freedom of its solids: every hexapod, with one platform or several. Each chain takes one small LU
    decomposition, each platform six equations.
    """

    name: ClassVar[str] = "chains"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        rows, self.layout = chain_layout(system)
        self.tables = system.tables_of(rows)
        self.unsorted = np.argsort(rows)

    def check(self) -> None:
        """See `Solver.check`."""
        super().check()
        if self.system.redundancy.count:
            raise SolverError("solver 'chains' does not solve systems with redundant rows; use solver='saddle'")

    def solve(self, time: float, Z: Array, V: Array) -> Solution:
        """See `Solver.solve`."""
        s = self.system
        F = s.efforts(time, Z, V)
        acceleration, Lambda, multipliers, is_regular = chain_solution(Z, V, F, self.tables, self.layout)
        if not is_regular:
            raise rank_lost(s, time)
        return Solution(acceleration, Lambda, multipliers[self.unsorted])


def _chains_and_hubs(system: System) -> tuple[Ints, Ints]:
    """The chain's number of each solid, -1 of hubs and the ground, which comes last; and the hubs.

    Chains are the connected components of the graph of joints without hubs and ground.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(system.bodies)
    pairs = np.array([(system.index(joint.first), system.index(joint.second)) for joint in system.joints], dtype=int)
    hubs = np.flatnonzero(np.bincount(pairs.ravel(), minlength=n + 1)[:n] >= HUB_JOINTS)
    is_cut = np.zeros(n + 1, dtype=bool)
    is_cut[[*hubs, n]] = True
    i, j = pairs.reshape(-1, 2)[~is_cut[pairs].reshape(-1, 2).any(axis=1)].T
    _, chain = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n + 1, n + 1)), directed=False)
    chain[is_cut] = -1
    return chain, hubs


def chain_layout(system: System) -> tuple[Ints, Layout]:
    """Return joint rows ordered by chain, and the layout of the chains; `SolverError` where the system has no such
    order."""
    chain, hubs = _chains_and_hubs(system)
    place = np.full(len(chain), NOWHERE, dtype=np.int64)
    for k, hub in enumerate(hubs):
        place[hub] = -1 - 6 * k
    row_chain = chain[system.joint_solids].max(axis=1, initial=-1)
    if (row_chain < 0).any():
        names = [*system.names, "ground"]
        pair = system.joint_solids[np.argmax(row_chain < 0)]
        raise SolverError(
            "solver 'chains' cannot solve a joint between hubs, as between "
            f"{', '.join(repr(names[body]) for body in pair)}; use solver='saddle'"
        )
    # Each chain needs six rows for each of its solids, so that its matrix A is square.
    rows, members, chain_rows, chain_solids = [], [], [0], [0]
    for number in np.unique(chain[chain >= 0]):
        mine = np.flatnonzero(chain == number).tolist()
        own = np.flatnonzero(row_chain == number)
        if len(own) != 6 * len(mine):
            raise SolverError(
                "solver 'chains' needs as many joint rows as motions in each chain; the chain of "
                f"{', '.join(repr(system.names[body]) for body in mine)} has {len(own)} rows for {6 * len(mine)} "
                "motions; use solver='saddle'"
            )
        for k, body in enumerate(mine):
            place[body] = 6 * k
        rows += own.tolist()
        members += mine
        chain_rows.append(len(rows))
        chain_solids.append(len(members))
    if not members:
        raise SolverError("solver 'chains' needs chains of solids between hubs, found none; use solver='saddle'")
    arrays = [np.array(values, dtype=np.int64) for values in (rows, place, chain_rows, chain_solids, members, hubs)]
    return arrays[0], Layout(*arrays[1:])


SOLVERS: dict[str, type[Solver]] = {cls.name: cls for cls in (Saddle, TwoStep, Chains)}
"""Solvers at an instant, by name; `gough.multibody.simulation` solves for whole steps."""


@checks_arguments
def solver_for(system: System, name: str = AUTOMATIC) -> Solver:
    """Select the named solver for a system, or the fastest one that applies: `chains`, else `saddle`.

    Parameters
    ----------
    system : System
    name : str
        One of `gough.multibody.SOLVERS`, or "auto".

    Returns
    -------
    Solver
        For states of this system.

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
            return solver_for(system, "saddle")
    if name not in SOLVERS:
        known = [*SOLVERS, AUTOMATIC]
        raise InputError(f"unknown solver {name!r}, expected {', '.join(known)}.{nearest(name, known)}")
    return SOLVERS[name](system)


@result
class Forces(Result):
    """Magnitudes of force elements under which solids accelerate as prescribed, of `inverse_dynamics`."""

    magnitudes: Array = quantity("N or N m", "load", doc="Magnitudes of the chosen elements, in their order.")
    solution: Solution
    """Accelerations and all multipliers under these forces."""


@checks_arguments
def inverse_dynamics(
    system: System,
    accelerations: Mapping[str, ArrayLike],
    force_elements: Sequence[str],
    state: State | None = None,
    time: float = 0.0,
) -> Forces:
    """Compute the magnitudes of the named force elements for specified accelerations of the named solids.

    Newton's and Euler's equations with the magnitudes as further unknowns, and the given accelerations as further
    equations (Dumitriu 2017 announces it in its conclusions).

    Parameters
    ----------
    system : System
    accelerations : mapping of solid name to (6,) array
        [a, alpha] of those solids' frame origins, time derivatives of v and w in inertial axes.
    force_elements : sequence of str
        Names of those whose magnitudes are unknown; their own magnitudes are ignored.
    state : State, optional
        Default: at rest at the start.
    time : float
        For elements that depend on time [s].

    Returns
    -------
    Forces
        Magnitudes by element, with the accelerations and multipliers.

    Raises
    ------
    InputError
        These elements cannot give the accelerations, or not uniquely.

    """
    Z, V = system.state() if state is None else state
    unknown = [
        named_place(name, [element.title for element in system.force_elements], "force element")
        for name in force_elements
    ]
    F, unit = _efforts(system, time, Z, V, unknown)
    P, right = _prescribed(system, Z, V, accelerations)
    if len(P) != len(unknown):
        raise InputError(f"{len(P)} accelerations for {len(unknown)} unknown magnitudes; the numbers must be equal")
    n, m = len(system.bodies), len(system.rows)
    x = _solved(system, Z, V, F, unit, P, right, force_elements)
    multipliers, magnitudes = x[6 * n : 6 * n + m], x[6 * n + m :]
    total = F + np.einsum("k,kbij->bij", magnitudes, unit)
    answer = coordinates_of(Z, V, total, system.tables, x[: 6 * n].reshape(n, 6), multipliers)
    return Forces(magnitudes, Solution(*answer, multipliers))


def _solved(
    system: System, Z: Array, V: Array, F: Array, unit: Array, P: Array, right: Array, force_elements: Sequence[str]
) -> Array:
    """Accelerations by twists (6 n,), multipliers (m,), magnitudes (k,), concatenated.

    [[M, -G^T, -B^T], [G, 0, 0], [P, 0, 0]] [a, lambda, u] = [force, g, right], B (k, 6 n) of unit magnitudes.
    """
    n, m, k = len(system.bodies), len(system.rows), len(P)
    M, force = motion_balance(Z, V, F, system.tables)
    still = np.zeros_like(V)  # no gyroscopic moments in the columns of unit magnitudes
    B = np.array([motion_balance(Z, still, E, system.tables)[1] for E in unit])
    _, _, G, g = motion_rows(Z, V, system.tables)
    K = np.zeros((6 * n + m + k, 6 * n + m + k))
    K[: 6 * n] = np.hstack([M, -G.T, -B.T])
    K[6 * n : 6 * n + m, : 6 * n], K[6 * n + m :, : 6 * n] = G, P
    if np.linalg.matrix_rank(_balanced(K), tol=RANK) < len(K):
        raise InputError(
            f"the force elements {', '.join(map(repr, force_elements))} cannot produce these accelerations "
            "uniquely, or joints have redundant rows"
        )
    return np.linalg.solve(K, np.concatenate([force, g, right]))


def _balanced(K: Array) -> Array:
    """K with rows and columns scaled to about unit length, which makes its rank independent of units."""
    out = np.array(K)
    for _ in range(3):
        for axis in (0, 1):
            lengths = np.linalg.norm(out, axis=axis, keepdims=True)
            out /= np.where(lengths > 0, lengths, 1.0)
    return out


def _efforts(system: System, time: float, Z: Array, V: Array, unknown: list[int]) -> tuple[Array, Array]:
    """Efforts (n + 1, 3, 4) without the unknown magnitudes, and those of a unit of each (k, n + 1, 3, 4)."""
    known = system.magnitudes(time)
    known[unknown] = 0.0
    F = system.efforts(time, Z, V, known)
    # `efforts` is affine in the magnitudes; its constant part is the weight.
    units = [system.efforts(time, Z, V, np.eye(len(system.force_elements))[k]) - system.weight for k in unknown]
    return F, np.array(units)


def _prescribed(system: System, Z: Array, V: Array, given: Mapping[str, ArrayLike]) -> tuple[Array, Array]:
    """Rows (6 k, 6 n) that select the given solids, and the given accelerations at their mass centres (6 k,)."""
    rows, right = given_motions(system.bodies, system.centres, Z, given)
    for k, name in enumerate(given):
        body = system.index(name)
        arm = system.centres[body] - system.bodies[body].origin
        # The mass centre has the centripetal acceleration [w]x [w]x R arm besides that of the frame's origin.
        W = V[body, :, 1:] @ Z[body, :, 1:].T
        right[6 * k : 6 * k + 3] += W @ W @ Z[body, :, 1:] @ arm
    return rows, right
