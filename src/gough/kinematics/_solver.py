"""Compiled forward kinematics of one machine that remembers where it is: all it needs lies in arrays given once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import inlined, kernel, lean
from gough.kinematics._equations import EQUATION_ROWS
from gough.kinematics._forward import NEAR, Way, Work, solve_one, take_start
from gough.kinematics._motion import copy_pose, shift_origin
from gough.legs.leg import Array

# Places in the state: numbers of the machine, the last pose and the answer, then scratch for `Way` and `Work`.
SIZE, PERIOD, CENTRE, RESIDUAL, STEPS, LAST = 0, 1, 2, 5, 6, 7
ANSWER = LAST + 16
START = ANSWER + 16
Q_START = START + 16
E_START = Q_START + 6
Q_END = E_START + 6 * EQUATION_ROWS
DQ = Q_END + 6
FEET = DQ + 6
Q = FEET + 24
E = Q + 6
Y = E + 6 * EQUATION_ROWS
M = Y + 16
STATE = M + 42


@inlined
def pose_at(state: Array, place: int) -> Array:
    """A pose in the state, (4, 4), not copied."""
    return state[place : place + 16].reshape((4, 4))


@inlined
def way_in(state: Array) -> Way:
    """Where the start of a way and its end are kept."""
    return Way(
        pose_at(state, START),
        state[Q_START : Q_START + 6],
        state[E_START:Q_END].reshape((EQUATION_ROWS, 6)),
        state[Q_END : Q_END + 6],
        state[DQ : DQ + 6],
    )


@inlined
def work_in(state: Array) -> Work:
    """Where the scratch is kept."""
    return Work(
        state[FEET:Q].reshape((4, 6)),
        state[Q : Q + 6],
        state[E:Y].reshape((EQUATION_ROWS, 6)),
        pose_at(state, Y),
        state[M : M + 42].reshape((6, 7)),
    )


@lean
def go_on(
    code: int,
    T: Array,
    order: NDArray[np.int64],
    state: Array,
    way: Way,
    work: Work,
    last: Array,
    q: Array,
    k: int,
    X: Array,
) -> int:
    """The pose X that continues the last one while the legs go straight to q[k]; its status."""
    c0, c1, c2 = state[CENTRE], state[CENTRE + 1], state[CENTRE + 2]
    period = state[PERIOD]
    copy_pose(last, way.start)
    shift_origin(way.start, c0, c1, c2)
    take_start(code, T, way, work)
    for i in range(6):
        way.q_end[i] = q[k, order[i]]
        way.dq[i] = way.q_end[i] - way.q_start[i]
        if period > 0.0:
            way.dq[i] -= period * np.rint(way.dq[i] / period)
    status, steps, state[RESIDUAL] = solve_one(code, T, state[SIZE], way, work, X)
    state[STEPS] = steps
    shift_origin(X, -c0, -c1, -c2)
    if status == NEAR:
        copy_pose(X, last)
    return status


@kernel
def next_pose(code: int, T: Array, order: NDArray[np.int64], state: Array, q: Array) -> int:
    """The pose that continues the last one while the legs go straight to q (6,); its status.

    The answer is in the state, at ANSWER, RESIDUAL and STEPS. Only a NEAR one becomes the last pose. `T` is the leg
    table in elimination's order, seen from the platform's centre. Nothing is allocated.
    """
    X, last = pose_at(state, ANSWER), pose_at(state, LAST)
    return go_on(code, T, order, state, way_in(state), work_in(state), last, q.reshape((1, 6)), 0, X)


@kernel
def next_poses(
    code: int,
    T: Array,
    order: NDArray[np.int64],
    state: Array,
    q: Array,
    X: Array,
    residual: Array,
    steps: NDArray[np.int64],
    status: NDArray[np.int64],
) -> None:
    """`next_pose` of joint coordinates q (n, 6) in a row: poses X (n, 4, 4) with their evidence."""
    way, work, last, answer = way_in(state), work_in(state), pose_at(state, LAST), pose_at(state, ANSWER)
    for k in range(q.shape[0]):
        status[k] = go_on(code, T, order, state, way, work, last, q, k, answer)
        copy_pose(answer, X[k])
        residual[k], steps[k] = state[RESIDUAL], int(state[STEPS])
