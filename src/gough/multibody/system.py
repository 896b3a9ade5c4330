"""A system of solids, joints and force elements: tables, counts, redundant rows, initial state, efforts, energy.

At a singular configuration the rows have a lower rank than at configurations near it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import rotations
from gough.errors import InputError, NotConvergedError
from gough.machine_parts import STANDARD_GRAVITY
from gough.multibody._equations import ELEMENT_COLUMNS, ROW_COLUMNS, Tables, efforts, motion_rows, rows_of
from gough.multibody.bodies import Body, ForceElement, Spring, named_place, place_of
from gough.multibody.joints import Joint, Row
from gough.poses import skew
from gough.quantity import quantity, result
from gough.results import Result

RANK = 1e-9
"""Threshold of singular values that count as zero, as a part of the largest."""
PERTURBATION = 0.02
"""Displacement of the solids for the generic rank, as a part of the system's size, and in radians."""
MAX_STEPS = 20
"""Newton steps that close the joints after the perturbation."""
CLOSED = 1e-14
"""Tolerance of closed joints, as a part of the system's size."""


@result
class Redundancy(Result):
    """Redundant rows among the constraints of the joints.

    Attributes
    ----------
    rows : list of str
        Names of `count` rows without which the others imply all.

    """

    count: int = quantity("1", doc="Rows less their rank.")
    rows: list[str]
    undetermined: NDArray[np.bool_] = quantity(
        "", "multiplier", doc="Rows whose multipliers a rigid model does not determine."
    )
    is_singular: bool = quantity(
        "", default=False, doc="Whether fewer rows are redundant at configurations near the start."
    )

    def sentence(self) -> str:
        """Describe redundant rows and undetermined multipliers in one sentence."""
        if not self.count:
            return "No row of a joint is redundant."
        open_rows = int(self.undetermined.sum())
        return (
            f"{self.count} of {len(self.undetermined)} joint rows are redundant: {'; '.join(self.rows)}. Motion is "
            f"determined, {open_rows} multipliers are not."
            + " The start is a singular configuration: away from it fewer rows are redundant."
            * self.is_singular
        )


def scaled(wide: Array, size: float) -> Array:
    """Return rows (m, 6 n) normalised to unit length, with angles times `size`, so that singular values are
    comparable."""
    out = np.array(wide)
    out.reshape(len(wide), -1, 6)[:, :, 3:] /= size
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return out / np.where(lengths > 0, lengths, 1.0)


def find_redundancy(wide: Array, size: float, names: list[str]) -> Redundancy:
    """Return redundancy of rows (m, 6 n): rank by singular values, redundant rows by pivoted QR decomposition."""
    from scipy.linalg import svd

    m = len(wide)
    if m == 0:
        return Redundancy(0, [], np.zeros(0, dtype=bool))
    rows = scaled(wide, size)
    left, values, _ = svd(rows, full_matrices=True)
    rank = int((values > RANK * values[0]).sum())
    # A multiplier is undetermined where a self-stress, a null vector of G^T, has a component.
    self_stresses = left[:, rank:]
    kept = independent_rows(rows, rank)
    left_out = sorted(set(range(m)) - set(kept.tolist()))
    undetermined = np.abs(self_stresses).max(axis=1, initial=0.0) > 1e-8
    return Redundancy(m - rank, [names[k] for k in left_out], undetermined)


def independent_rows(rows: Array, rank: int) -> Ints:
    """Return indices (rank,) of independent rows of (m, k), by pivoted QR decomposition.

    The rank is that of the start: between the stages of a step, slightly off the constraints, redundant rows look
    independent.
    """
    from scipy.linalg import qr

    _, order = qr(rows.T, mode="r", pivoting=True)
    return np.asarray(np.sort(order[:rank]), dtype=np.int64)


def rank_nearby(Z: Array, tables: Tables, size: float) -> int:
    """Return the rank of the rows at a closed configuration near Z; 0 where none is found."""
    G = _rows(Z, tables)[1]
    free = np.linalg.svd(scaled(G, size))[2][_rank(G, size) :]
    if not len(free):
        return 0
    # A generic motion that the joints allow to first order, the same at every call.
    motion = np.random.default_rng(1).normal(size=len(free)) @ free
    # The unknowns of Newton's method are lengths in units of `size`, and angles.
    units = np.tile([size, size, size, 1.0, 1.0, 1.0], len(Z) - 1)
    Z = _moved(Z, tables.centres, PERTURBATION * motion / np.abs(motion).max() * units)
    for _ in range(MAX_STEPS):
        phi, G = _rows(Z, tables)
        if np.abs(phi).max() <= CLOSED * max(1.0, size):
            return _rank(G, size)
        Z = _moved(Z, tables.centres, -np.linalg.lstsq(G * units, phi, rcond=RANK)[0] * units)
    return 0


def _rows(Z: Array, tables: Tables) -> tuple[Array, Array]:
    """Phi (m,) and its derivatives G (m, 6 n) by the twists."""
    phi, _, G, _ = motion_rows(Z, np.zeros_like(Z), tables)
    return phi, G


def _rank(G: Array, size: float) -> int:
    values = np.linalg.svd(scaled(G, size), compute_uv=False)
    return int((values > RANK * values[0]).sum())


def _moved(Z: Array, centres: Array, motion: Array) -> Array:
    """Z after displacements `motion` (6 n,) of the solids about their mass centres (n + 1, 3)."""
    step = motion.reshape(-1, 6)
    moved = Z.copy()
    c = centres[:-1]
    centre = np.einsum("kij,kj->ki", Z[:-1, :, 1:], c) + Z[:-1, :, 0] + step[:, :3]
    moved[:-1, :, 1:] = rotations(step[:, 3:]) @ Z[:-1, :, 1:]
    moved[:-1, :, 0] = centre - np.einsum("kij,kj->ki", moved[:-1, :, 1:], c)
    return moved


AGREES = 1e-9
"""Largest residual of given twists in the joints, as a part of the largest speed."""


def velocities(bodies: Sequence[Body], tables: Tables, size: float, Z: Array, twists: Mapping[str, ArrayLike]) -> Array:
    """Return V (n, 3, 4) at Z from given twists [v, w] of frame origins.

    `InputError` where the joints do not allow them, or where they do not determine the motion of all solids.
    """
    n = len(bodies)
    wide = motion_rows(Z, np.zeros_like(Z), tables)[2]
    given, wanted = given_motions(bodies, tables.centres, Z, twists)
    rows = np.vstack([wide, given])
    right = np.concatenate([np.zeros(len(wide)), wanted])
    # Angular velocities are counted as speeds at the distance `size`, so that the rank does not depend on units.
    scale = np.tile([1.0, 1.0, 1.0, *[1.0 / size] * 3], n)
    solution, _, rank, _ = np.linalg.lstsq(rows * scale, right, rcond=RANK)
    if rank < 6 * n:
        raise InputError(
            f"the twists of {', '.join(map(repr, twists))} leave {6 * n - rank} motions of the system undetermined; "
            "specify twists of more solids"
        )
    motion = solution * scale
    if np.abs(rows @ motion - right).max() > AGREES * max(1.0, float(np.abs(right).max())):
        raise InputError(f"the joints do not allow these twists of {', '.join(map(repr, twists))} together")
    v, w = np.split(motion.reshape(n, 6), 2, axis=1)
    V = np.empty_like(Z[:-1])
    V[:, :, 1:] = skew(w) @ Z[:-1, :, 1:]  # R' = [w]x R, T' = v - R' OG0 (2016, eq. 8)
    V[:, :, 0] = v - np.einsum("kij,kj->ki", V[:, :, 1:], tables.centres[:-1])
    return V


def given_motions(
    bodies: Sequence[Body], centres: Array, Z: Array, twists: Mapping[str, ArrayLike]
) -> tuple[Array, Array]:
    """Return rows (6 k, 6 n) that select the twists of the named solids, and the given twists at their mass centres (6
    k,)."""
    n = len(bodies)
    rows, wanted = np.zeros((6 * len(twists), 6 * n)), np.zeros(6 * len(twists))
    for k, (name, twist) in enumerate(twists.items()):
        body = place_of(name, bodies)
        if body == n:
            raise InputError("the ground does not move; specify twists of other solids")
        V = of_shape(f"twist of {name!r}", twist, "(6,)")
        arm = Z[body, :, 1:] @ (centres[body] - bodies[body].origin)
        rows[6 * k : 6 * k + 6, 6 * body : 6 * body + 6] = np.eye(6)
        wanted[6 * k : 6 * k + 6] = [*(V[:3] + np.cross(V[3:], arm)), *V[3:]]
    return rows, wanted


class Counts(NamedTuple):
    """Sizes of a system's equations, as Dumitriu 2017 counts them."""

    differential: int
    """12 for each solid."""
    orthogonality: int
    """6 for each solid."""
    joints: int
    """Rows of all joints."""
    freedom: int
    """Degrees of freedom at the start: 6 n less the rank of the joint rows."""


class State(NamedTuple):
    """Coordinates of all solids and their rates, (n + 1, 3, 4) each; the ground is the last solid."""

    Z: Array
    """[T* | R] of each solid [m, 1]."""
    V: Array
    """Its time derivative."""


@checks_arguments
@dataclass(frozen=True, eq=False, repr=False)
class System:
    """Solids, the joints between them, and the force elements on them, all in the inertial frame at the start.

    The equations are those of Dumitriu and Margaritescu 2016 (9), (13), (14) and Dumitriu 2017 (6) to (14),

        M Z'' = F + Phi_q^T Lambda        Phi(Z) = 0

    with the sign of Lambda as in the papers: + on the first solid of each joint.

    Parameters
    ----------
    bodies : sequence of Body
    joints : sequence of Joint
    force_elements : sequence of ForceElement
    gravity : (3,) array
        [m/s2].
    drop_redundant : bool
        By default solvers refuse redundant rows and name them. With True they select independent rows at every
        configuration, and return NaN for multipliers that a rigid model does not determine.

    """

    bodies: Sequence[Body]
    joints: Sequence[Joint] = ()
    force_elements: Sequence[ForceElement] = ()
    gravity: ArrayLike = STANDARD_GRAVITY
    drop_redundant: bool = False

    def __post_init__(self) -> None:
        for key in ("bodies", "joints", "force_elements"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        object.__setattr__(self, "gravity", of_shape("gravity", self.gravity, "(3,)").copy())
        if not self.bodies:
            raise InputError("a system needs at least one solid")
        for what, names in (("solid", self.names), ("joint", self.joint_names)):
            for name in {name for name in names if names.count(name) > 1}:
                raise InputError(f"{what} {name!r} occurs {names.count(name)} times; names must be unique")
        for joint in self.joints:
            if self.index(joint.first) == self.index(joint.second):
                raise InputError(f"{joint.title}: a joint needs two different solids")
        for name in [name for element in self.force_elements for name in element.solids]:
            self.index(name)

    def __repr__(self) -> str:
        return f"<System: {len(self.bodies)} solids, {len(self.joints)} joints of {len(self.rows)} rows>"

    @property
    def names(self) -> list[str]:
        """Names of the solids."""
        return [body.name for body in self.bodies]

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        return [joint.title for joint in self.joints]

    def index(self, name: str) -> int:
        """Return the index of a solid by its name, n for the ground. `InputError` for an unknown name."""
        return place_of(name, self.bodies)

    def joint_index(self, name: str) -> int:
        """Return the index of a joint by its name; `InputError` for an unknown name."""
        return named_place(name, self.joint_names, "joint")

    @cached_property
    def rows(self) -> list[Row]:
        """Constraint rows of all joints, in the order of the joints."""
        return [row for joint in self.joints for row in joint.rows()]

    @cached_property
    def row_slices(self) -> list[slice]:
        """Slice of `rows` that belongs to each joint."""
        ends = np.cumsum([0, *(len(joint.rows()) for joint in self.joints)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    @cached_property
    def row_names(self) -> list[str]:
        """Joint and meaning of the multiplier of each row."""
        parts = zip(self.joints, self.row_slices, strict=True)
        return [f"{joint.title}: {row.multiplier}" for joint, part in parts for row in self.rows[part]]

    @cached_property
    def table(self) -> Array:
        """Rows (m, 23) as kernels read them, see `gough.multibody._equations`."""
        # `Row` flattened: a_i b_i a_j b_j a_0 b_0 c.
        lines = [np.concatenate([*map(np.ravel, row[:3]), [row.value]]) for row in self.rows]
        return np.array(lines).reshape(-1, ROW_COLUMNS)

    @cached_property
    def joint_solids(self) -> Ints:
        """Indices of both solids of each row (m, 2)."""
        pairs = []
        for joint in self.joints:
            pairs += [(self.index(joint.first), self.index(joint.second))] * len(joint.rows())
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def tables(self) -> Tables:
        """Arrays of the system for the kernels."""
        return self.tables_of(slice(None))

    def tables_of(self, rows: slice | Ints) -> Tables:
        """Return `tables` with the selected joint rows only, in the order of the selection."""
        solids, table = self.joint_solids[rows], self.table[rows]
        return Tables(solids, table, self.centres, self.inertia, self.masses)

    @cached_property
    def force_solids(self) -> Ints:
        """Kind of each force element and the indices of its three solids (l, 4)."""
        lines = [(element.code, *map(self.index, element.solids)) for element in self.force_elements]
        return np.array(lines, dtype=np.int64).reshape(-1, 4)

    @cached_property
    def force_table(self) -> Array:
        """Force elements (l, 9) as kernels read them."""
        return np.array([element.row() for element in self.force_elements]).reshape(-1, ELEMENT_COLUMNS)

    @cached_property
    def masses(self) -> Array:
        """`Body.mass_matrix` of each solid (n, 4, 4)."""
        return np.array([body.mass_matrix for body in self.bodies])

    @cached_property
    def inertia(self) -> Array:
        """J about the mass centre of each solid (n, 3, 3) [kg m2]."""
        return np.array([body.inertia for body in self.bodies])

    @cached_property
    def centres(self) -> Array:
        """OG0 of each solid, zero for the ground (n + 1, 3) [m]."""
        return np.array([*(body.mass_centre for body in self.bodies), np.zeros(3)])

    @cached_property
    def weight(self) -> Array:
        """Efforts of gravity (n + 1, 3, 4): X = m g, Y = m g OG0^T (2017, eq. 12)."""
        weight = np.zeros((len(self.bodies) + 1, 3, 4))
        weight[:-1] = np.einsum("i,kj->kij", np.asarray(self.gravity), self.masses[:, 0])
        return weight

    @cached_property
    def size(self) -> float:
        """Largest distance between mass centres and joints [m]: the scale of positions."""
        points = np.array([*self.centres[:-1], *(joint.centre for joint in self.joints)])
        return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0

    @cached_property
    def redundancy(self) -> Redundancy:
        """Redundant joint rows at the start."""
        state = self.state()
        wide = motion_rows(state.Z, state.V, self.tables)[2]
        found = find_redundancy(wide, self.size, self.row_names)
        if found.count:
            # A rank that rises next to the start is that of a singular configuration, not of a redundant mechanism.
            rank = len(self.rows) - found.count
            return replace(found, is_singular=rank_nearby(state.Z, self.tables, self.size) > rank)
        return found

    @property
    def counts(self) -> Counts:
        """Numbers of equations and degrees of freedom."""
        n, m = len(self.bodies), len(self.rows)
        return Counts(12 * n, 6 * n, m, 6 * n - m + self.redundancy.count)

    def state(self, twists: Mapping[str, ArrayLike] | None = None) -> State:
        """Compute the initial state, at rest or with specified twists.

        Parameters
        ----------
        twists : mapping of solid name to (6,) array
            [v, w] of the frame origins of these solids, in inertial axes; the joints determine the other twists.

        Raises
        ------
        InputError
            The joints do not allow these twists, or the twists do not determine the motion of all solids.

        """
        n = len(self.bodies)
        Z, V = np.zeros((n + 1, 3, 4)), np.zeros((n + 1, 3, 4))
        Z[:, :, 1:] = np.eye(3)
        if twists:
            V[:-1] = velocities(self.bodies, self.tables, self.size, Z, twists)
        return State(Z, V)

    def magnitudes(self, time: float) -> Array:
        """Compute the magnitudes (l,) of all force elements at `time` [s]."""
        u = np.array(
            [
                element.magnitude(time) if callable(element.magnitude) else element.magnitude
                for element in self.force_elements
            ]
        )
        if not np.isfinite(u).all():
            element = self.force_elements[int(np.flatnonzero(~np.isfinite(u))[0])]
            raise InputError(f"the magnitude of {element.title!r} is not finite at {time:.6g} s")
        return u

    def efforts(self, time: float, Z: Array, V: Array, magnitudes: Array | None = None) -> Array:
        """Compute the efforts [X | Y] of gravity and force elements on each solid (n + 1, 3, 4) [N, N m]."""
        F = np.empty_like(Z)
        u = self.magnitudes(time) if magnitudes is None else magnitudes
        efforts(Z, V, self.weight, self.force_solids, self.force_table, u, F)
        return F

    def constraints(self, Z: Array, V: Array) -> tuple[Array, Array]:
        """Compute Phi and Phi' of all joint rows (m,) at states (n + 1, 3, 4) [m or 1; per second]."""
        phi, rate, _, _ = rows_of(Z, V, self.tables)
        return phi, rate

    def energy(self, Z: Array, V: Array) -> float:
        """Compute kinetic energy plus potential energy of gravity (zero at O) and of springs of constant magnitude
        [J]."""
        # T = tr(Z' M Z'^T) / 2, one 4 x 4 mass matrix for the three rows of Z; gravity is linear in Z.
        kinetic = 0.5 * float(np.einsum("kri,kij,krj->", V[:-1], self.masses, V[:-1]))
        potential = -float(np.sum(self.weight * Z))
        return kinetic + potential + sum(self._spring_energy(k, Z) for k in range(len(self.force_elements)))

    def _spring_energy(self, k: int, Z: Array) -> float:
        element = self.force_elements[k]
        if not isinstance(element, Spring) or callable(element.magnitude):
            return 0.0
        n, (_, on, against, _) = self.force_table[k], self.force_solids[k]
        ends = Z[against] @ np.array([1.0, *n[3:6]]) - Z[on] @ np.array([1.0, *n[:3]])
        return 0.5 * element.magnitude * element.stiffness * (float(np.linalg.norm(ends)) - element.length) ** 2

    @checks_arguments
    def regularised(self, part: float) -> System:
        """Copy the system, with `Body.regularised` in place of each solid with a singular Poinsot matrix."""
        bodies = [body.regularised(part) if body.is_singular else body for body in self.bodies]
        return System(bodies, self.joints, self.force_elements, np.asarray(self.gravity), self.drop_redundant)


def rank_lost(system: System, time: float) -> NotConvergedError:
    """Return the error for a configuration in which the joint rows lose rank."""
    return NotConvergedError(
        f"at {time:.6g} s the system of {len(system.bodies)} solids is in a singular configuration: its joint rows "
        "lose rank there, or leave a motion without mass; end before it or start elsewhere"
    )
