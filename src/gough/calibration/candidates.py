"""Poses out of which those to measure are chosen."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced
from gough.errors import InputError
from gough.kinematics.forward import forward_kinematics
from gough.limits.margins import is_allowed
from gough.machine import Machine

DRAWN = 4000
FAR, TURN = 0.15, 0.3
"""How far from home poses are drawn where joints have no limits: of the machine's size, and [rad]."""


@checks_arguments
def random_poses(machine: Machine, count: int = DRAWN, seed: int = 0) -> Array:
    """Allowed poses all over the workspace, at random.

    Parameters
    ----------
    machine : Machine
    count : int
        Joint coordinates that are drawn between their limits; poses about home where joints have none.
    seed : int

    Returns
    -------
    (n, 4, 4) array
        Those of them at which every limit is kept, at most `count`.

    Raises
    ------
    InputError
        None is.

    """
    rng = np.random.default_rng(seed)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    if np.isfinite(low).all() and np.isfinite(high).all():
        found = forward_kinematics(machine, rng.uniform(low, high, (count, 6)), throw=False)
        X = found.matrix[found.is_near]
    else:
        d = rng.uniform(-1.0, 1.0, (count, 6)) * np.array([FAR * machine.size] * 3 + [TURN] * 3)
        X = displaced(np.tile(machine.X_home, (count, 1, 1)), d)
    X = X[is_allowed(machine, X)]
    if not len(X):
        raise InputError("no pose drawn at random is allowed; give candidates")
    return np.asarray(X)
