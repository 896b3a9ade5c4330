"""Compiled refinement of real poses with given joint coordinates: Newton's method on SE(3), or least squares."""

from __future__ import annotations

import numpy as np

from gough._compile import kernel
from gough._linear_algebra import eliminate
from gough.arrays import Array
from gough.kinematics._equations import EQUATION_ROWS, D, largest_miss, place_feet, write_equations
from gough.kinematics._motion import copy_pose, orthonormalised, rotate
from gough.kinematics._search import search

MOST_STEPS = 12


@kernel
def polish_batch(code: int, T: Array, q: Array, X: Array, residual: Array) -> None:
    """Refine poses X (n, 4, 4) at joint coordinates q (6,) while Newton steps decrease the largest leg error.

    That error [m] goes into `residual` (n,).
    """
    feet, E, M = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((6, 7))
    Y = np.empty((4, 4))
    place_feet(code, T, q, feet)
    for k in range(X.shape[0]):
        orthonormalised(X[k])
        best = largest_miss(T, X[k], feet, E)
        for _ in range(MOST_STEPS):
            write_equations(T, X[k], feet, E)
            for i in range(6):
                for j in range(7):
                    M[i, j] = E[D + j, i]  # rows D to D + 6 of E are the gradient and the right side
            if eliminate(M, 6, 1) == 0.0:
                break
            # A step on SE(3): the translation adds, the rotation multiplies from the left.
            copy_pose(X[k], Y)
            for j in range(3):
                Y[j, 3] += M[j, 6]
            rotate(Y, M[3, 6], M[4, 6], M[5, 6])
            orthonormalised(Y)
            miss = largest_miss(T, Y, feet, E)
            if not miss < best:  # rounding, or divergence: the pose before stays
                break
            best = miss
            copy_pose(Y, X[k])
        residual[k] = best


@kernel
def seek_batch(code: int, T: Array, size: float, q: Array, X: Array, residual: Array) -> None:
    """Move poses X (n, 4, 4) to local least-squares fits of joint coordinates q (6,), singular or not.

    The largest leg error there [m] goes into `residual` (n,).
    """
    feet, E, M, Y = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((6, 7)), np.empty((4, 4))
    place_feet(code, T, q, feet)
    for k in range(X.shape[0]):
        search(T, size, feet, E, Y, M, X[k])
        orthonormalised(X[k])
        residual[k] = largest_miss(T, X[k], feet, E)
