"""Compiled forward kinematics: Newton's method on the group of rigid motions, led along the legs' own path.

Unknown is the pose (R, t); the equations are (|d|^2 - L^2) / 2 = 0 with d = t + R b - p, one for each leg, whose rows
along a twist [v, w] are [d, R b x d]: no square root, and quadratic in t. A step is applied on the group,
t <- t + v, R <- exp(w) R, so the convergence is quadratic however large the rotation.
"""

from __future__ import annotations

from math import sin, sqrt

import numpy as np

from gough._compile import inlined, kernel
from gough.kinematics._linear import eliminate
from gough.legs._chosen import driven_point, inverse
from gough.legs.leg import PLATFORM, Array, Ints

NEAR, OTHER_MODE, NOT_CONVERGED = 0, 1, 2
"""What `forward_batch` says of an answer; see `gough.kinematics.forward.Status`."""

MAX_STEPS = 30
"""Newton steps towards one set of joint values."""
CONTRACTION = 0.5
"""Each step must be at most this part of the one before (Deuflhard's monotonicity test) to count as led by `near`."""
LARGEST_TURN = 0.6
"""A first step that turns the platform further than this [rad] is not trusted to stay in the assembly mode."""
SHORTEST_PART = 1.0 / 256
"""The legs' way from `near` is halved down to this part before it is given up."""
ROUND_OFF = 4e-15
"""Steps below this part of the machine's size are rounding."""


@inlined
def rotate(R: Array, w0: float, w1: float, w2: float) -> None:
    """R <- exp(w) R by Rodrigues' formula, with its series at small angles."""
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square < 1e-4:
        s = 1.0 - square * (1.0 / 6 - square * (1.0 / 120 - square / 5040))
        c = 0.5 - square * (1.0 / 24 - square * (1.0 / 720 - square / 40320))
    else:
        angle = sqrt(square)
        s = sin(angle) / angle
        half = sin(0.5 * angle)
        c = 2.0 * half * half / square
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
        R[0, j] = x + s * cx + c * (w1 * cz - w2 * cy)
        R[1, j] = y + s * cy + c * (w2 * cx - w0 * cz)
        R[2, j] = z + s * cz + c * (w0 * cy - w1 * cx)


@inlined
def orthonormalised(R: Array) -> None:
    """R with its rounding departures from a rotation removed to second order: columns 0, 1, then their product."""
    n = 1.5 - 0.5 * (R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0] + R[2, 0] * R[2, 0])
    R[0, 0] *= n
    R[1, 0] *= n
    R[2, 0] *= n
    along = R[0, 0] * R[0, 1] + R[1, 0] * R[1, 1] + R[2, 0] * R[2, 1]
    R[0, 1] -= along * R[0, 0]
    R[1, 1] -= along * R[1, 0]
    R[2, 1] -= along * R[2, 0]
    n = 1.5 - 0.5 * (R[0, 1] * R[0, 1] + R[1, 1] * R[1, 1] + R[2, 1] * R[2, 1])
    R[0, 1] *= n
    R[1, 1] *= n
    R[2, 1] *= n
    R[0, 2] = R[1, 0] * R[2, 1] - R[2, 0] * R[1, 1]
    R[1, 2] = R[2, 0] * R[0, 1] - R[0, 0] * R[2, 1]
    R[2, 2] = R[0, 0] * R[1, 1] - R[1, 0] * R[0, 1]


@inlined
def equations(T: Array, R: Array, feet: Array, M: Array) -> None:
    """Rows [d, R b x d] and right sides -(|d|^2 - L^2) / 2 of the six legs, into M (6, 7); feet (4, 6) holds p, L."""
    for i in range(6):
        b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
        x = R[0, 0] * b0 + R[0, 1] * b1 + R[0, 2] * b2
        y = R[1, 0] * b0 + R[1, 1] * b1 + R[1, 2] * b2
        z = R[2, 0] * b0 + R[2, 1] * b1 + R[2, 2] * b2
        dx, dy, dz = x + R[0, 3] - feet[0, i], y + R[1, 3] - feet[1, i], z + R[2, 3] - feet[2, i]
        M[i, 0], M[i, 1], M[i, 2] = dx, dy, dz
        M[i, 3], M[i, 4], M[i, 5] = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
        length = sqrt(dx * dx + dy * dy + dz * dz)
        M[i, 6] = 0.5 * (feet[3, i] - length) * (feet[3, i] + length)


@inlined
def place_feet(code: int, T: Array, q: Array, start: Array, part: float, feet: Array) -> None:
    """Driven points and rod lengths at `part` of the way from `start` to q."""
    for i in range(6):
        value = q[i] if part == 1.0 else start[i] + part * (q[i] - start[i])
        feet[0, i], feet[1, i], feet[2, i], feet[3, i] = driven_point(code, T, i, value)


@inlined
def newton(T: Array, feet: Array, size: float, lead: bool, side: float, X: Array, M: Array) -> tuple[bool, int, float]:
    """Newton's method from X (4, 4), in place. Whether it converged, steps, and the sign of the determinant.

    With `lead` the steps must contract and the determinant keep its sign `side` (0: any), as they do when the answer
    continues the start; without, a step is shortened until it lowers the residual.
    """
    before = np.inf
    sign = side
    for step in range(MAX_STEPS):
        equations(T, X, feet, M)
        det = eliminate(M, 1)
        if det == 0.0 or not np.isfinite(det):
            return False, step + 1, sign
        now = 1.0 if det > 0.0 else -1.0
        if sign == 0.0 or not lead:
            sign = now
        elif now != sign:
            return False, step + 1, sign
        turn = sqrt(M[3, 6] ** 2 + M[4, 6] ** 2 + M[5, 6] ** 2)
        moved = sqrt(M[0, 6] ** 2 + M[1, 6] ** 2 + M[2, 6] ** 2) / size + turn
        if lead and (moved > CONTRACTION * before or turn > LARGEST_TURN) and moved > 1e-10:
            return False, step + 1, sign
        shrink = 1.0
        if not lead and turn > LARGEST_TURN:
            shrink = LARGEST_TURN / turn
        X[0, 3] += shrink * M[0, 6]
        X[1, 3] += shrink * M[1, 6]
        X[2, 3] += shrink * M[2, 6]
        rotate(X, shrink * M[3, 6], shrink * M[4, 6], shrink * M[5, 6])
        # The next step would be about moved^3 / before^2: quadratic convergence, its constant read off the last two.
        if moved <= ROUND_OFF or (step > 0 and moved * (moved / before) ** 2 <= 0.1 * ROUND_OFF):
            return shrink == 1.0, step + 1, sign
        if step > 3 and moved < 1e-11 and moved >= 0.5 * before:
            return True, step + 1, sign  # as far as rounding lets it, near a singularity
        before = moved
    return False, MAX_STEPS, sign


@inlined
def residual(T: Array, feet: Array, X: Array) -> float:
    """Largest | |t + R b - p| - L | of the six legs [m]."""
    worst = 0.0
    for i in range(6):
        b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
        dx = X[0, 0] * b0 + X[0, 1] * b1 + X[0, 2] * b2 + X[0, 3] - feet[0, i]
        dy = X[1, 0] * b0 + X[1, 1] * b1 + X[1, 2] * b2 + X[1, 3] - feet[1, i]
        dz = X[2, 0] * b0 + X[2, 1] * b1 + X[2, 2] * b2 + X[2, 3] - feet[2, i]
        off = abs(sqrt(dx * dx + dy * dy + dz * dz) - feet[3, i])
        if not off <= worst:
            worst = off
    return worst


@kernel
def forward_batch(
    code: int, T: Array, size: float, q: Array, start: Array, X: Array, residuals: Array, steps: Ints, status: Ints
) -> int:
    """Poses X (n, 4, 4) of joint coordinates q (n, 6), from starts (n or 1, 4, 4); how many did not converge."""
    failed = 0
    M = np.empty((6, 7))
    feet = np.empty((4, 6))
    q_start = np.empty(6)
    trial = np.empty((4, 4))
    for k in range(q.shape[0]):
        begin = start[k] if start.shape[0] > 1 else start[0]
        X[k] = begin
        status[k], steps[k] = follow(code, T, size, q[k], begin, X[k], feet, q_start, trial, M)
        orthonormalised(X[k])
        place_feet(code, T, q[k], q[k], 1.0, feet)
        residuals[k] = residual(T, feet, X[k])
        if status[k] == NOT_CONVERGED or not residuals[k] <= 1e-12 * size:
            status[k] = NOT_CONVERGED
            X[k] = np.nan
            failed += 1
    return failed


@inlined
def follow(
    code: int,
    T: Array,
    size: float,
    q: Array,
    begin: Array,
    X: Array,
    feet: Array,
    q_start: Array,
    trial: Array,
    M: Array,
) -> tuple[int, int]:
    """Status and Newton steps: first straight to q, then along the legs' straight way from the start, in parts."""
    place_feet(code, T, q, q, 1.0, feet)
    good, steps, side = newton(T, feet, size, True, 0.0, X, M)
    if good:
        return NEAR, steps
    for i in range(6):
        b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
        x = begin[0, 0] * b0 + begin[0, 1] * b1 + begin[0, 2] * b2 + begin[0, 3]
        y = begin[1, 0] * b0 + begin[1, 1] * b1 + begin[1, 2] * b2 + begin[1, 3]
        z = begin[2, 0] * b0 + begin[2, 1] * b1 + begin[2, 2] * b2 + begin[2, 3]
        q_start[i] = inverse(code, T, i, x, y, z)
    X[:] = begin
    done, part = 0.0, 0.5
    while done < 1.0 and part >= SHORTEST_PART:
        trial[:] = X
        place_feet(code, T, q, q_start, min(done + part, 1.0), feet)
        good, more, _ = newton(T, feet, size, True, side, trial, M)
        steps += more
        if good:
            X[:] = trial
            done = min(done + part, 1.0)
            part = min(2.0 * part, 1.0)
        else:
            part *= 0.5
    if done == 1.0:
        return NEAR, steps
    place_feet(code, T, q, q, 1.0, feet)
    good, more, _ = newton(T, feet, size, False, 0.0, X, M)
    return (OTHER_MODE if good else NOT_CONVERGED), steps + more
