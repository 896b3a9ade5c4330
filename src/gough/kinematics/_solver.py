"""Compiled forward kinematics of one machine with its last pose as state, without allocations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, kernel
from gough.arrays import Array, Ints
from gough.kinematics._forward import NEAR, solve_one
from gough.kinematics._joint_path import JointPath, Work, aim, new_path, new_work, take_start
from gough.kinematics._motion import copy_pose, shift_origin
from gough.legs.leg import ROWS

Arrays = tuple[tuple[Array, Ints, Array, Array, Array], tuple[Array, ...], tuple[Array, ...]]
"""Arrays of a `State` as plain tuples: Numba's dispatcher takes 1 us longer for named ones, a third of a call."""

SIZE, PERIOD, CENTRE, RESIDUAL, STEPS = 0, 1, 2, 5, 6
"""Elements of `State.numbers`: of the machine, then of the last solution."""


class State(NamedTuple):
    """A machine and its last pose."""

    T: Array
    """Leg table in pivot order, relative to the platform's centre."""
    order: Ints
    """Pivot order of the legs (6,)."""
    numbers: Array
    """SIZE, PERIOD, CENTRE (3), RESIDUAL, STEPS."""
    last: Array
    """Last pose that continues the path (4, 4)."""
    X: Array
    """Pose of the last call (4, 4)."""
    path: JointPath
    work: Work

    def arrays(self) -> Arrays:
        """The state as an argument of kernels."""
        return (self.T, self.order, self.numbers, self.last, self.X), tuple(self.path), tuple(self.work)


def new_state() -> State:
    """Memory for a machine's numbers, its last pose, the solution, and scratch."""
    return State(np.empty((ROWS, 6)), np.empty(6, np.int64), np.zeros(7), np.eye(4), np.eye(4), new_path(), new_work())


@inline
def named(arrays: Arrays) -> State:
    """Inverse of `State.arrays`."""
    (T, order, numbers, last, X), p, w = arrays
    return State(
        T, order, numbers, last, X, JointPath(p[0], p[1], p[2], p[3], p[4]), Work(w[0], w[1], w[2], w[3], w[4])
    )


@inline_norefcount
def go_on(code: int, state: State, q: Array) -> int:
    """The pose reached from the last one by linear joint-space interpolation to q (6,), into `state.X`; its status."""
    numbers, X, path = state.numbers, state.X, state.path
    c0, c1, c2 = numbers[CENTRE], numbers[CENTRE + 1], numbers[CENTRE + 2]
    # The equations are for the platform's centre; poses given and returned are of its origin.
    copy_pose(state.last, path.start)
    shift_origin(path.start, c0, c1, c2)
    take_start(code, state.T, path, state.work)
    aim(path, q, state.order, numbers[PERIOD])
    status, steps, numbers[RESIDUAL] = solve_one(code, state.T, numbers[SIZE], path, state.work, X)
    numbers[STEPS] = steps
    shift_origin(X, -c0, -c1, -c2)
    if status == NEAR:
        copy_pose(X, state.last)
    return status


@inline_norefcount
def write_row(state: State, k: int, X: Array, residual: Array, steps: Ints) -> None:
    """Copy the last solution to element k of X, residual and steps."""
    copy_pose(state.X, X[k])
    residual[k], steps[k] = state.numbers[RESIDUAL], int(state.numbers[STEPS])


@kernel
def next_pose(code: int, arrays: Arrays, q: Array) -> int:
    """The pose reached from the last one by linear joint-space interpolation to q (6,); its status.

    `code` and `arrays` are `ForwardSolver.state`; the pose is in its `matrix`. Only a NEAR one becomes the last pose.
    Nothing is allocated.
    """
    return go_on(code, named(arrays), q)


@kernel
def next_poses(code: int, arrays: Arrays, q: Array, X: Array, residual: Array, steps: Ints, status: Ints) -> None:
    """`next_pose` of joint coordinates q (n, 6) in a row: poses X (n, 4, 4), residuals, steps and status (n,)."""
    state = named(arrays)
    for k in range(q.shape[0]):
        status[k] = go_on(code, state, q[k])
        write_row(state, k, X, residual, steps)
