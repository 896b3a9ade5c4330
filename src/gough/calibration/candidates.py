"""Random poses of the workspace, candidates for measurements."""

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
"""Largest displacement from home of poses of joints without limits, in machine sizes and [rad]."""


@checks_arguments
def random_poses(machine: Machine, count: int = DRAWN, seed: int = 0) -> Array:
    """Random allowed poses of the whole workspace.

    Parameters
    ----------
    machine : Machine
    count : int
        Number of random joint coordinates between their limits; of poses about home where joints have none.
    seed : int

    Returns
    -------
    (n, 4, 4) array
        Those of them that keep every limit.

    Raises
    ------
    InputError
        No pose keeps every limit.

    """
    rng = np.random.default_rng(seed)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    if np.isfinite(low).all() and np.isfinite(high).all():
        found = forward_kinematics(machine, rng.uniform(low, high, (count, 6)), throw=False)
        X = found.matrix[found.is_near]  # in home's assembly mode
    else:
        d = rng.uniform(-1.0, 1.0, (count, 6)) * np.array([FAR * machine.size] * 3 + [TURN] * 3)
        X = displaced(np.tile(machine.X_home, (count, 1, 1)), d)
    X = X[is_allowed(machine, X)]
    if not len(X):
        raise InputError("no pose drawn at random is allowed; give candidates")
    return np.asarray(X)
