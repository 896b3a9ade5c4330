"""Compiled forward kinematics of one machine that remembers where it is: all it needs lies in arrays given once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline_norefcount, kernel
from gough.kinematics._equations import EQUATION_ROWS
from gough.kinematics._forward import NEAR, Way, Work, solve_one, take_start
from gough.kinematics._motion import copy_pose, shift_origin
from gough.legs.leg import Array

State = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array]
"""Numbers (below), the last pose (4, 4) and the answer (4, 4), then scratch for `Way` and `Work`: a plain tuple, which
compiled code takes apart for nothing, where views made at every call would cost a third of it."""

SIZE, PERIOD, CENTRE, RESIDUAL, STEPS = 0, 1, 2, 5, 6
"""Places of the numbers: the machine's, then those of the answer."""


def new_state() -> State:
    """Room for a machine's numbers, its last pose, the answer, and scratch."""
    way = (np.eye(4), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.zeros(6), np.zeros(6))
    work = (np.zeros((4, 6)), np.zeros(6), np.zeros((EQUATION_ROWS, 6)), np.eye(4), np.zeros((6, 7)))
    return (np.zeros(7), np.eye(4), np.eye(4), *way, *work)


@inline_norefcount
def go_on(code: int, T: Array, order: NDArray[np.int64], state: State, q: Array) -> int:
    """The pose that continues the last one while the legs go straight to q (6,), into the answer; its status."""
    numbers, last, X = state[0], state[1], state[2]
    way = Way(state[3], state[4], state[5], state[6], state[7])
    work = Work(state[8], state[9], state[10], state[11], state[12])
    c0, c1, c2 = numbers[CENTRE], numbers[CENTRE + 1], numbers[CENTRE + 2]
    period = numbers[PERIOD]
    copy_pose(last, way.start)
    shift_origin(way.start, c0, c1, c2)
    take_start(code, T, way, work)
    for i in range(6):
        way.q_end[i] = q[order[i]]
        way.dq[i] = way.q_end[i] - way.q_start[i]
        if period > 0.0:
            way.dq[i] -= period * np.rint(way.dq[i] / period)
    status, steps, numbers[RESIDUAL] = solve_one(code, T, numbers[SIZE], way, work, X)
    numbers[STEPS] = steps
    shift_origin(X, -c0, -c1, -c2)
    if status == NEAR:
        copy_pose(X, last)
    return status


@inline_norefcount
def go_on_to_row(
    code: int,
    T: Array,
    order: NDArray[np.int64],
    state: State,
    q: Array,
    k: int,
    X: Array,
    residual: Array,
    steps: NDArray[np.int64],
) -> int:
    """`go_on` to q[k], the answer into row k of X and its evidence."""
    status = go_on(code, T, order, state, q[k])
    copy_pose(state[2], X[k])
    residual[k], steps[k] = state[0][RESIDUAL], int(state[0][STEPS])
    return status


@kernel
def next_pose(code: int, T: Array, order: NDArray[np.int64], state: State, q: Array) -> int:
    """The pose that continues the last one while the legs go straight to q (6,); its status.

    The answer is in the state: the pose state[2], and RESIDUAL and STEPS in state[0]. Only a NEAR one becomes the last
    pose. `T` is the leg table in elimination's order, seen from the platform's centre. Nothing is allocated.
    """
    return go_on(code, T, order, state, q)


@kernel
def next_poses(
    code: int,
    T: Array,
    order: NDArray[np.int64],
    state: State,
    q: Array,
    X: Array,
    residual: Array,
    steps: NDArray[np.int64],
    status: NDArray[np.int64],
) -> None:
    """`next_pose` of joint coordinates q (n, 6) in a row: poses X (n, 4, 4) with their evidence."""
    for k in range(q.shape[0]):
        status[k] = go_on_to_row(code, T, order, state, q, k, X, residual, steps)
