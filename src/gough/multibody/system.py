"""A system of solids, joints and force elements: kernel tables, equation counts, initial state, efforts, energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, NotConvergedError
from gough.multibody import _force_elements, _rows
from gough.multibody._dense import motion_rows
from gough.multibody.bodies import Body, named_place, place_of
from gough.multibody.force_elements import ForceElement, Spring
from gough.multibody.joint import Joint, Row
from gough.multibody.redundancy import Redundancy, find_redundancy, rank_nearby
from gough.multibody.velocities import velocities

STANDARD_GRAVITY = (0.0, 0.0, -9.80665)
"""[m/s2]"""


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
    """Solids, the joints between them, and the force elements on them, all given in the inertial frame at the start.

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
                raise InputError(f"{what} {name!r} is there {names.count(name)} times; names must differ")
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
        """Index of a solid by its name; that of the ground is n. `InputError` for an unknown name."""
        return place_of(name, self.bodies)

    def joint_index(self, name: str) -> int:
        """Index of a joint by its name; `InputError` for an unknown name."""
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
        """Rows (m, 23) as kernels read them, see `gough.multibody._rows`."""
        # `Row` flattened: a_i b_i a_j b_j a_0 b_0 c.
        lines = [np.concatenate([*map(np.ravel, row[:3]), [row.value]]) for row in self.rows]
        return np.array(lines).reshape(-1, _rows.COLUMNS)

    @cached_property
    def joint_solids(self) -> Ints:
        """Indices of both solids of each row (m, 2)."""
        pairs = []
        for joint in self.joints:
            pairs += [(self.index(joint.first), self.index(joint.second))] * len(joint.rows())
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def tables(self) -> _rows.Tables:
        """Arrays of the system for the kernels."""
        return self.tables_of(slice(None))

    def tables_of(self, rows: slice | Ints) -> _rows.Tables:
        """`tables` with the selected joint rows only, in the given order."""
        solids, table = self.joint_solids[rows], self.table[rows]
        return _rows.Tables(solids, table, self.centres, self.inertia, self.masses)

    @cached_property
    def force_solids(self) -> Ints:
        """Kind of each force element and the indices of its three solids (l, 4)."""
        lines = [(element.code, *map(self.index, element.solids)) for element in self.force_elements]
        return np.array(lines, dtype=np.int64).reshape(-1, 4)

    @cached_property
    def force_table(self) -> Array:
        """Force elements (l, 9) as kernels read them."""
        return np.array([element.row() for element in self.force_elements]).reshape(-1, _force_elements.COLUMNS)

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
            # A rank that rises beside the start is that of a singular configuration, not of a redundant mechanism.
            rank = len(self.rows) - found.count
            return replace(found, is_singular=rank_nearby(state.Z, self.tables, self.size) > rank)
        return found

    @property
    def counts(self) -> Counts:
        """Numbers of equations and degrees of freedom."""
        n, m = len(self.bodies), len(self.rows)
        return Counts(12 * n, 6 * n, m, 6 * n - m + self.redundancy.count)

    def state(self, twists: Mapping[str, ArrayLike] | None = None) -> State:
        """Initial state, at rest or with given twists.

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
        """Magnitudes (l,) of all force elements at `time` [s]."""
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
        """Efforts [X | Y] of gravity and force elements on each solid (n + 1, 3, 4) [N, N m]."""
        F = np.empty_like(Z)
        u = self.magnitudes(time) if magnitudes is None else magnitudes
        _force_elements.efforts(Z, V, self.weight, self.force_solids, self.force_table, u, F)
        return F

    def constraints(self, Z: Array, V: Array) -> tuple[Array, Array]:
        """Phi and Phi' of all joint rows (m,), of states (n + 1, 3, 4) [m or 1; per second]."""
        phi, rate, _, _ = _rows.rows_of(Z, V, self.tables)
        return phi, rate

    def energy(self, Z: Array, V: Array) -> float:
        """Kinetic energy plus potential energy of gravity (zero at O) and of springs of constant magnitude [J]."""
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
        """Copy of the system in which `Body.regularised` replaces each solid with a singular Poinsot matrix."""
        bodies = [body.regularised(part) if body.is_singular else body for body in self.bodies]
        return System(bodies, self.joints, self.force_elements, np.asarray(self.gravity), self.drop_redundant)


def rank_lost(system: System, time: float) -> NotConvergedError:
    """Error for a configuration in which the joint rows lose rank."""
    return NotConvergedError(
        f"at {time:.6g} s the system of {len(system.bodies)} solids is in a singular configuration: its joint rows "
        "lose rank there, or leave a motion without mass; end before it or start elsewhere"
    )
