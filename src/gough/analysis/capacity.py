"""Load capacity: how much the actuators can hold at a pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.forces import leg_forces
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LoadCapacity:
    """Largest wrench along directions.

    Attributes
    ----------
    factor : (...) array
        How many times the given wrench can be held [1]; inf where it loads no actuator, 0 where the weight alone is too
        much.
    leg : (...) array
        The leg that reaches its force first, counted from 1; 0 where none does.

    """

    factor: Array
    leg: NDArray[np.intp]


def load_capacity(
    machine: Machine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    gravity: bool | ArrayLike = False,
    actuator_force: ArrayLike | None = None,
) -> LoadCapacity:
    """How many times a wrench can be held before an actuator reaches its force.

    Forces are linear in the load, f = f_weight + factor f_wrench: a leg ends it at (f_max -+ f_weight) / |f_wrench|.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
    wrench : (..., 6) array
        [f, m] on the platform, of its origin, in the base frame [N, N m].
    gravity : bool or (3,) array
        Whether the platform's own weight is held too, see `gough.leg_forces`.
    actuator_force : float or (6,) array, optional
        Largest forces, both ways [N or N m]; the machine's own where not given.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are given.

    """
    given = machine.limits.actuator_force if actuator_force is None else actuator_force
    if given is None:
        raise InputError(
            f"machine {machine.name!r} has no actuator forces (limits.actuator_force); give actuator_force"
        )
    most = np.broadcast_to(np.asarray(given, dtype=float), (6,))
    per_load = leg_forces(machine, X, wrench)
    held = leg_forces(machine, X, np.zeros(6), gravity=gravity)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(per_load == 0, np.inf, (most - np.sign(per_load) * held) / np.abs(per_load))
    each = np.where(
        np.any(np.abs(held) > most, axis=-1, keepdims=True), np.where(np.abs(held) > most, 0.0, np.inf), each
    )
    factor = each.min(axis=-1)
    leg = np.where(np.isfinite(factor), 1 + np.argmin(each, axis=-1), 0)
    return LoadCapacity(np.asarray(factor), np.asarray(leg))


def payload(
    machine: Machine,
    X: PoseLike,
    *,
    gravity: ArrayLike | None = None,
    mass_centre: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
) -> LoadCapacity:
    """Largest payload [kg] the machine can hold at a pose against gravity.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]: another one for another mounting; the machine's own if not
        given. The platform's mass, if known, hangs from it too.
    mass_centre : (3,) array, optional
        Of the payload, in the platform frame [m]; default the point of interest.
    actuator_force : see `load_capacity`.

    Returns
    -------
    LoadCapacity
        Its factor is the payload's mass [kg].

    """
    from gough.poses import as_matrices

    g = np.asarray(machine.gravity if gravity is None else gravity, dtype=float)
    centre = machine.point_of_interest if mass_centre is None else np.asarray(mass_centre, dtype=float)
    arm = as_matrices(X)[..., :3, :3] @ centre
    arm, pull = np.broadcast_arrays(arm, g)
    wrench = np.concatenate([pull, np.cross(arm, pull)], axis=-1)
    own = g if machine.platform is not None else False
    return load_capacity(machine, X, wrench, gravity=own, actuator_force=actuator_force)
