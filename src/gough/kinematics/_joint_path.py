"""Compiled joint-space paths of forward kinematics: start, end, and the legs in pivot order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, inline_norefcount, kernel
from gough._linear_algebra import pivot_order
from gough.arrays import Array
from gough.kinematics._equations import EQUATION_ROWS, D, place_feet, write_drives, write_equations
from gough.kinematics._motion import copy_pose, shift_origin
from gough.legs._leg_dispatch import inverse
from gough.legs.leg import PLATFORM, ROWS


class JointPath(NamedTuple):
    """A linear joint-space path: pose of the platform's centre, joint coordinates and equations at its start, joint
    coordinates at its end, and their difference."""

    start: Array
    q_start: Array
    E_start: Array
    q_end: Array
    dq: Array


class Work(NamedTuple):
    """Scratch: feet (4, 6), joint coordinates (6,), equations, a pose, a matrix (6, 7)."""

    feet: Array
    q: Array
    E: Array
    Y: Array
    M: Array


def new_path() -> JointPath:
    """Memory for a path."""
    return JointPath(np.eye(4), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.zeros(6), np.zeros(6))


def new_work() -> Work:
    """Memory for scratch."""
    return Work(np.zeros((4, 6)), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.eye(4), np.zeros((6, 7)))


inline_path, inline_work = inline(new_path), inline(new_work)  # Python calls the functions, kernels these


@inline_norefcount
def take_start(code: int, T: Array, path: JointPath, work: Work) -> None:
    """Joint coordinates and leg equations at the path's start."""
    X = path.start
    for i in range(6):
        b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
        x = X[0, 0] * b0 + X[0, 1] * b1 + X[0, 2] * b2 + X[0, 3]
        y = X[1, 0] * b0 + X[1, 1] * b1 + X[1, 2] * b2 + X[1, 3]
        z = X[2, 0] * b0 + X[2, 1] * b1 + X[2, 2] * b2 + X[2, 3]
        path.q_start[i] = inverse(code, T, i, x, y, z)
    place_feet(code, T, path.q_start, work.feet)
    write_equations(T, X, work.feet, path.E_start)
    write_drives(code, T, path.q_start, path.E_start)


@inline_norefcount
def write_table(table: Array, centre: Array, order: NDArray[np.int64], T: Array) -> None:
    """The leg table with platform joints relative to the platform's centre and the legs in this order, into T."""
    for r in range(ROWS):
        for i in range(6):
            T[r, i] = table[r, order[i]]
    # Poses within the kernels are of the centre.
    for j in range(3):
        for i in range(6):
            T[PLATFORM + j, i] -= centre[j]


@inline
def order_legs(
    code: int, table: Array, centre: Array, path: JointPath, work: Work, order: NDArray[np.int64], T: Array
) -> None:
    """Pivot order of the legs at the path's start, into `order`, and the leg table in that order, into T.

    With it, `factored` eliminates without pivoting at poses nearby.
    """
    # The equations with the legs in their own order give the pivots.
    for i in range(6):
        order[i] = i
    write_table(table, centre, order, T)
    take_start(code, T, path, work)
    for i in range(6):
        for j in range(6):
            work.M[i, j] = path.E_start[D + j, i]
    pivot_order(work.M, order)
    write_table(table, centre, order, T)


@kernel
def prepare_legs(code: int, table: Array, centre: Array, X: Array, order: NDArray[np.int64], T: Array) -> None:
    """Pivot order of the legs at the pose X (4, 4), and the leg table in it, relative to the platform's centre."""
    path, work = inline_path(), inline_work()
    copy_pose(X, path.start)
    shift_origin(path.start, centre[0], centre[1], centre[2])
    order_legs(code, table, centre, path, work, order, T)


@inline_norefcount
def aim(path: JointPath, q: Array, order: NDArray[np.int64], period: float) -> None:
    """Set the path's end to joint coordinates q (6,), by the shorter turn where they have a period."""
    for i in range(6):
        path.q_end[i] = q[order[i]]
        path.dq[i] = path.q_end[i] - path.q_start[i]
        if period > 0.0:  # cranks: angles differ by whole turns
            path.dq[i] -= period * np.rint(path.dq[i] / period)
