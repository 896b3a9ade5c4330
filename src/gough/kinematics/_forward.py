"""Compiled forward kinematics: continuation on SE(3) along the linear joint-space path.

Unknown is the pose (R, t) of the platform's centre; `gough.kinematics._equations` has the leg equations. From a pose
that satisfies them, the path's first and second derivatives predict the next one (a step on the group of rigid
motions); Newton's method with Chebyshev's correction, of third order, corrects it. A path too curved for one such step
is followed in parts. The determinant must keep its sign: a change means a singularity, where assembly modes meet.

`forward_batch` solves a batch; `next_pose` and `next_poses` continue from the last pose of one machine, without
allocations.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, inline_norefcount, kernel
from gough._linear_algebra import factored, substituted
from gough.arrays import Array, Ints, Six
from gough.kinematics._equations import (
    JointPath,
    Model,
    Scratch,
    advance,
    aim,
    copy_pose,
    inline_path,
    inline_scratch,
    largest_miss,
    new_path,
    new_scratch,
    order_legs,
    orthonormalised,
    path_derivatives,
    place_feet,
    rotate,
    search,
    second_step,
    shift_origin,
    take_start,
    write_drives,
    write_equations,
)
from gough.kinematics._rates import arm
from gough.legs._leg_dispatch import driven_point, inverse
from gough.legs.leg import ROWS

NEAR, OTHER_MODE, NOT_CONVERGED = 0, 1, 2
"""Status of a solution; see `gough.kinematics.forward.Status`."""

LARGEST_BEND = 0.7
"""Largest ratio of the second-order to the first-order part of a prediction."""
LARGEST_STEP = 1.0
"""Longest prediction, measured by `length_of`."""
CONTRACTION = 0.5
"""Each correction is at most this part of the step before it (Deuflhard's monotonicity test)."""
MAX_HALVINGS = 9
"""Halvings of a part of the path on which the corrector fails."""
SHORTEST_PART = 0.5**MAX_HALVINGS
"""Shortest part, relative to the remaining path: if it fails too, a singularity lies in between."""
MAX_PARTS, MAX_CORRECTIONS = 100, 12
INTERMEDIATE = 1e-3
"""Largest last correction at the end of a part."""
FINAL = 1e-9
"""Largest last correction at the end of the path: convergence is quadratic, so the next one would be rounding."""
SAME_FOOT = 1e-6
"""Driven points further apart than this part of the machine's size belong to different branches; at a turning point,
where the branches meet, rounding moves them by its square root."""
ROUND_OFF = 2e-15
"""Leg errors below this part of the machine's size are rounding."""
ATTEMPTS, TURNED, SHIFTED = 40, 1.5, 0.3
"""Searches for a pose that does not continue the start: number, and range of starts about it [rad, machine sizes]."""
FOUND = 1e-6
"""From leg errors below this part of the machine's size Newton's method converges."""
ACCEPTED = 1e-12
"""Largest leg error of a solution, as part of the machine's size."""
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def length_of(V: Six, size: float) -> float:
    """Length of a step: translation of the centre over the machine's size, plus rotation [rad]."""
    return sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) / size + sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5])


@inline_norefcount
def correct(
    T: Array, size: float, work: Scratch, side: float, before: float, enough: float, X: Array
) -> tuple[bool, int]:
    """Correct X to satisfy the equations of legs with their feet held: Newton's method with Chebyshev's correction.

    Returns whether it converged to corrections below `enough`, each at most CONTRACTION times the one before (the first
    relative to `before`) and the determinant of the sign `side` (0: any); and the steps.
    """
    for step in range(MAX_CORRECTIONS):
        if write_equations(T, X, work.feet, work.E) <= ROUND_OFF * size * size:
            return True, step
        factors, det = factored(work.E)
        V = substituted(factors, work.E)
        length = length_of(V, size)
        if not det * side >= 0.0 or not length < np.inf:  # the other side of a singularity, or NaN
            return False, step + 1
        if length <= enough:
            advance(X, 1.0, V, STILL)
            return True, step + 1
        if length > CONTRACTION * before:
            return False, step + 1
        advance(X, 1.0, V, second_step(work.E, factors, V))
        before = length
    return False, MAX_CORRECTIONS


@inline
def slowing(V: Six, A: Six, size: float) -> float:
    """Deceleration of the path at its start, -(A . V) / (V . V), or 0 where it accelerates.

    Near a singularity behind it the platform moves with the square root of the joint displacement, and slows down.
    """
    along = A[0] * V[0] + A[1] * V[1] + A[2] * V[2] + size * size * (A[3] * V[3] + A[4] * V[4] + A[5] * V[5])
    square = V[0] * V[0] + V[1] * V[1] + V[2] * V[2] + size * size * (V[3] * V[3] + V[4] * V[4] + V[5] * V[5])
    return max(-along / square, 0.0) if square > 0.0 else 0.0


@inline
def plus(A: Six, factor: float, V: Six) -> Six:
    """A + factor V."""
    return (
        A[0] + factor * V[0],
        A[1] + factor * V[1],
        A[2] + factor * V[2],
        A[3] + factor * V[3],
        A[4] + factor * V[4],
        A[5] + factor * V[5],
    )


@inline
def predictable_part(speed: float, bend: float) -> float:
    """Longest part of the joint path for one prediction with bounded length and bounded second-order part."""
    run = min(1.0, LARGEST_STEP / speed) if speed > 0.0 else 1.0
    return LARGEST_BEND * speed / bend if run * bend > LARGEST_BEND * speed else run


@inline_norefcount
def follow(code: int, T: Array, size: float, path: JointPath, work: Scratch, X: Array) -> tuple[bool, int]:
    """Follow the path from its start; whether its end was reached, and the steps. X becomes the last pose reached."""
    E, Y = path.E_start, work.Y
    copy_pose(path.start, X)
    done, side, steps = 0.0, 0.0, 0
    for _ in range(MAX_PARTS):
        V, A, det = path_derivatives(E, path.dq)
        steps += 1
        side = (1.0 if det > 0.0 else -1.0) if side == 0.0 else side
        if not det * side > 0.0:
            break
        # New parameter r with s = r + slow r^2 / 2 along the joint path: the deceleration leaves A, and longer steps
        # fit away from a singularity. `run` is r, `part` the corresponding s.
        slow = slowing(V, A, size)
        A = plus(A, slow, V)
        speed = length_of(V, size)
        run = predictable_part(speed, 0.5 * length_of(A, size))
        part = min(1.0 - done, run + 0.5 * slow * run * run)
        # Predict and correct; halve the part until the corrector converges on the same side of singularities.
        good = False
        for _ in range(MAX_HALVINGS + 1):
            if good or not part >= SHORTEST_PART * (1.0 - done):
                break
            is_last = part >= 1.0 - done
            for i in range(6):
                work.q[i] = path.q_end[i] if is_last else path.q_start[i] + (done + part) * path.dq[i]
            place_feet(code, T, work.q, work.feet)
            copy_pose(X, Y)
            run = 2.0 * part / (1.0 + sqrt(1.0 + 2.0 * slow * part))  # solves s(r) = part
            advance(Y, run, V, A)
            good, more = correct(T, size, work, side, run * speed, FINAL if is_last else INTERMEDIATE, Y)
            steps += more
            if not good:
                part *= 0.5
        if not good:
            break
        copy_pose(Y, X)
        done += part
        if done >= 1.0:
            return True, steps
        E = work.E  # E_start stays: the next q of a batch starts from it
        write_equations(T, X, work.feet, E)
        write_drives(code, T, work.q, E)
    return False, steps


@inline_norefcount
def is_on_branch(code: int, T: Array, size: float, q: Array, X: Array) -> bool:
    """Whether the joint coordinates q at X are those of the legs' own branch: no slider or crank has passed the turning
    point where its two branches meet."""
    for i in range(6):
        x, y, z = arm(T, X, i)
        px, py, pz, _ = driven_point(code, T, i, q[i])
        sx, sy, sz, _ = driven_point(code, T, i, inverse(code, T, i, x + X[0, 3], y + X[1, 3], z + X[2, 3]))
        if abs(sx - px) + abs(sy - py) + abs(sz - pz) > SAME_FOOT * size:
            return False
    return True


@inline_norefcount
def search_all_round(T: Array, size: float, start: Array, work: Scratch, X: Array) -> int:
    """Search any pose that fits the legs, from X, then from the start turned and shifted; returns the steps taken.

    Starts are spread evenly by the R3 sequence: multiples of the powers of 1 / g, g^4 = g + 1 (Roberts 2018). If no
    search succeeds X is the pose of the last one.
    """
    steps = 0
    for attempt in range(ATTEMPTS):
        if attempt > 0:
            copy_pose(start, X)
            a, b, c = 0.8191725 * attempt % 1.0, 0.6710436 * attempt % 1.0, 0.5497005 * attempt % 1.0
            X[0, 3] += SHIFTED * size * (2.0 * b - 1.0)
            X[1, 3] += SHIFTED * size * (2.0 * c - 1.0)
            X[2, 3] += SHIFTED * size * (2.0 * a - 1.0)
            rotate(X, TURNED * (2.0 * a - 1.0), TURNED * (2.0 * b - 1.0), TURNED * (2.0 * c - 1.0))
        steps += search(T, size, work.feet, work.E, work.Y, work.M, X)
        if largest_miss(T, X, work.feet, work.E) < FOUND * size:
            _, more = correct(T, size, work, 0.0, np.inf, FINAL, X)
            steps += more
            if largest_miss(T, X, work.feet, work.E) <= ACCEPTED * size:
                break
    return steps


@inline_norefcount
def solve_one(code: int, T: Array, size: float, path: JointPath, work: Scratch, X: Array) -> tuple[int, int, float]:
    """Pose X of the platform's centre at the path's end: status, steps, residual."""
    found, steps = follow(code, T, size, path, work, X)
    status = NEAR if found and is_on_branch(code, T, size, path.q_end, X) else OTHER_MODE
    if not found:
        # Any pose that fits, by search: of another mode, or the start's own where `follow` gave up.
        place_feet(code, T, path.q_end, work.feet)
        steps += search_all_round(T, size, path.start, work, X)
    orthonormalised(X)
    miss = largest_miss(T, X, work.feet, work.E)
    if not miss <= ACCEPTED * size:
        status = NOT_CONVERGED
    return status, steps, miss


@kernel
def forward_batch(
    model: Model,
    q: Array,
    starts: Array,
    X: Array,
    residuals: Array,
    steps: NDArray[np.int64],
    status: NDArray[np.int64],
) -> int:
    """Poses X (n, 4, 4) of joint coordinates q (n, 6), from starts (n or 1, 4, 4); the number not converged."""
    code, table, centre, size, period = model
    path, work = inline_path(), inline_scratch()
    order = np.empty(6, np.int64)
    T = np.empty((ROWS, 6))
    failed = 0
    c0, c1, c2 = centre[0], centre[1], centre[2]
    for k in range(q.shape[0]):
        if k == 0 or starts.shape[0] > 1:
            copy_pose(starts[k], path.start)
            shift_origin(path.start, c0, c1, c2)
            if k == 0:  # the pivot order of the first start serves the whole batch
                order_legs(code, table, centre, path, work, order, T)
            take_start(code, T, path, work)
        aim(path, q[k], order, period)
        status[k], steps[k], residuals[k] = solve_one(code, T, size, path, work, X[k])
        shift_origin(X[k], -c0, -c1, -c2)
        if status[k] == NOT_CONVERGED:
            failed += 1
            for i in range(4):
                for j in range(4):
                    X[k, i, j] = np.nan
    return failed


Arrays = tuple[tuple[Array, Ints, Array, Array, Array], tuple[Array, ...], tuple[Array, ...]]
"""Arrays of a `SolverState` as plain tuples: Numba's dispatcher takes 1 us longer for named ones, a third of a call."""

SIZE, PERIOD, CENTRE, RESIDUAL, STEPS = 0, 1, 2, 5, 6
"""Elements of `SolverState.numbers`: of the machine, then of the last solution."""


class SolverState(NamedTuple):
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
    work: Scratch

    def arrays(self) -> Arrays:
        """The state as an argument of kernels."""
        return (self.T, self.order, self.numbers, self.last, self.X), tuple(self.path), tuple(self.work)


def new_state() -> SolverState:
    """Memory for a machine's numbers, its last pose, the solution, and scratch."""
    return SolverState(
        np.empty((ROWS, 6)), np.empty(6, np.int64), np.zeros(7), np.eye(4), np.eye(4), new_path(), new_scratch()
    )


@inline
def named(arrays: Arrays) -> SolverState:
    """Inverse of `SolverState.arrays`."""
    (T, order, numbers, last, X), p, w = arrays
    return SolverState(
        T, order, numbers, last, X, JointPath(p[0], p[1], p[2], p[3], p[4]), Scratch(w[0], w[1], w[2], w[3], w[4])
    )


@inline_norefcount
def go_on(code: int, state: SolverState, q: Array) -> int:
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
def write_row(state: SolverState, k: int, X: Array, residual: Array, steps: Ints) -> None:
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
