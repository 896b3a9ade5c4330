"""Inverse dynamics: magnitudes of chosen force elements for given accelerations of chosen solids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.multibody._dense import coordinates_of, motion_balance, motion_rows
from gough.multibody.bodies import named_place
from gough.multibody.redundancy import RANK
from gough.multibody.solver import Solution
from gough.multibody.system import State, System
from gough.multibody.velocities import given_motions
from gough.quantity import quantity, result
from gough.results import Result


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
    """Magnitudes of the named force elements under which the named solids accelerate as given.

    The equations of the solver `reduced` with the magnitudes as further unknowns, and the given accelerations as
    further equations (Dumitriu 2017 announces it in its conclusions).

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
        raise InputError(
            f"{len(P)} accelerations are given and {len(unknown)} magnitudes are wanted; there must be as many"
        )
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
            f"the force elements {', '.join(map(repr, force_elements))} cannot give these accelerations, "
            "or not uniquely, or joints have redundant rows"
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
