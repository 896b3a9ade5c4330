"""Compiled Levenberg-Marquardt search for any pose that fits the legs, used where the joint path leads to none.

It needs no regular Jacobian and decreases the leg errors at every step; which assembly mode it finds is undetermined.
"""

from __future__ import annotations

from gough._compile import noinline
from gough._linear_algebra import eliminate
from gough.arrays import Array
from gough.kinematics._equations import RIGHT, write_equations
from gough.kinematics._motion import copy_pose, rotate

MAX_SEARCH_STEPS = 80
GOOD_ENOUGH = 1e-26
"""Sum of squares of the scaled leg equations at which Newton's method takes over."""


@noinline
def normal_equations(T: Array, X: Array, feet: Array, size: float, E: Array, M: Array) -> float:
    """J^T J and J^T F of the leg equations in units of the machine's size, into M (6, 7); the sum of squares F^T F."""
    write_equations(T, X, feet, E)
    # Rows 0-2 of E are lengths, rows 3-5 and the right side squares of lengths.
    total = 0.0
    for i in range(6):
        for j in range(3):
            E[j, i] /= size
            E[3 + j, i] /= size * size
        E[RIGHT, i] /= size * size
        total += E[RIGHT, i] * E[RIGHT, i]
    for j in range(6):
        for k in range(7):
            M[j, k] = 0.0
            for i in range(6):
                M[j, k] += E[j, i] * E[k, i]
    return total


@noinline
def search(T: Array, size: float, feet: Array, E: Array, Y: Array, M: Array, X: Array) -> int:
    """Move X to a local minimum of the sum of squared leg equations; returns the steps. E, Y, M: scratch."""
    damping = 1e-3  # for equations of order one; a tenth after a step that succeeds, tenfold after one that fails
    total = normal_equations(T, X, feet, size, E, M)
    for step in range(MAX_SEARCH_STEPS):
        if not total > GOOD_ENOUGH:
            return step
        for j in range(6):
            M[j, j] += damping
        eliminate(M, 6, 1)
        copy_pose(X, Y)
        for j in range(3):
            Y[j, 3] += size * M[j, 6]
        rotate(Y, M[3, 6], M[4, 6], M[5, 6])
        trial = normal_equations(T, Y, feet, size, E, M)
        if trial < total:
            copy_pose(Y, X)
            total = trial
            damping *= 0.1
        else:
            damping = max(10.0 * damping, 1e-12)
            # M is that of the rejected pose.
            normal_equations(T, X, feet, size, E, M)
    return MAX_SEARCH_STEPS
