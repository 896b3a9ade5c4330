"""Refinement of real poses with given joint coordinates: Newton's method on SE(3), or least squares.

A machine has few poses: helpers of kernels run here as plain Python, which raises where machine code continues with
inf and NaN.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from gough._linear_algebra import eliminate
from gough.arrays import Array
from gough.kinematics._equations import EQUATION_ROWS, D, largest_miss, place_feet, write_equations
from gough.kinematics._motion import copy_pose, orthonormalised, rotate
from gough.kinematics._search import search

MOST_STEPS = 12


@np.errstate(all="ignore")
def polish(code: int, T: Array, q: Array, X: Array, residual: Array) -> None:
    """Refine poses X (n, 4, 4) at joint coordinates q (6,) while Newton steps decrease the largest leg error.

    That error [m] goes into `residual` (n,).
    """
    feet, E, Y = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((4, 4))
    place_feet(code, T, q, feet)
    for k, pose in enumerate(X):
        orthonormalised(pose)
        residual[k] = largest_miss(T, pose, feet, E)
        with suppress(ArithmeticError, ValueError):
            for _ in range(MOST_STEPS):
                _newton_step(T, pose, feet, E, Y)
                miss = largest_miss(T, Y, feet, E)
                if not miss < residual[k]:  # rounding, or divergence: the pose before stays
                    break
                residual[k] = miss
                copy_pose(Y, pose)


def _newton_step(T: Array, X: Array, feet: Array, E: Array, Y: Array) -> None:
    """Set Y to the pose after a step from X; NaN where the equations are singular."""
    write_equations(T, X, feet, E)
    M = np.ascontiguousarray(E[D : D + 7].T)  # the gradient and the right side
    if eliminate(M, 6, 1) == 0.0:
        M[:] = np.nan
    # A step on SE(3): the translation adds, the rotation multiplies from the left.
    copy_pose(X, Y)
    Y[:3, 3] += M[:3, 6]
    rotate(Y, M[3, 6], M[4, 6], M[5, 6])
    orthonormalised(Y)


@np.errstate(all="ignore")
def seek(code: int, T: Array, size: float, q: Array, X: Array, residual: Array) -> None:
    """Move poses X (n, 4, 4) to local least-squares fits of joint coordinates q (6,), singular or not.

    The largest leg error there [m] goes into `residual` (n,).
    """
    feet, E, M, Y = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((6, 7)), np.empty((4, 4))
    place_feet(code, T, q, feet)
    residual[:] = np.nan
    for k, pose in enumerate(X):
        with suppress(ArithmeticError, ValueError):
            search(T, size, feet, E, Y, M, pose)
            orthonormalised(pose)
            residual[k] = largest_miss(T, pose, feet, E)
