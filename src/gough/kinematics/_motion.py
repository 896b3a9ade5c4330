"""Compiled motions of a pose: steps on the group of rigid motions, and orthonormalisation."""

from __future__ import annotations

from math import sin, sqrt

from gough._compile import inline
from gough._linear_algebra import Six
from gough.arrays import Array


@inline
def copy_pose(X: Array, Y: Array) -> None:
    """Y <- X."""
    for i in range(4):
        for j in range(4):
            Y[i, j] = X[i, j]


@inline
def rotate(R: Array, w0: float, w1: float, w2: float) -> None:
    """R <- exp(w) R by Rodrigues' formula, with its series at small angles."""
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square < 1e-4:  # the series' next terms are below rounding
        s = 1.0 - square * (1.0 / 6 - square * (1.0 / 120 - square / 5040))
        c = 0.5 - square * (1.0 / 24 - square * (1.0 / 720 - square / 40320))
    else:
        angle = sqrt(square)
        s = sin(angle) / angle
        half = sin(0.5 * angle)
        c = 2.0 * half * half / square  # (1 - cos) / angle^2 without cancellation
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
        R[0, j] = x + s * cx + c * (w1 * cz - w2 * cy)
        R[1, j] = y + s * cy + c * (w2 * cx - w0 * cz)
        R[2, j] = z + s * cz + c * (w0 * cy - w1 * cx)


@inline
def advance(X: Array, s: float, V: Six, A: Six) -> None:
    """X after a time s with twist V and acceleration A: t + s v + s^2 a / 2, exp(s w + s^2 alpha / 2) R."""
    h = 0.5 * s * s
    X[0, 3] += s * V[0] + h * A[0]
    X[1, 3] += s * V[1] + h * A[1]
    X[2, 3] += s * V[2] + h * A[2]
    rotate(X, s * V[3] + h * A[3], s * V[4] + h * A[4], s * V[5] + h * A[5])


@inline
def shift_origin(X: Array, c0: float, c1: float, c2: float) -> None:
    """X with its origin moved to the body's point c."""
    for i in range(3):
        X[i, 3] += X[i, 0] * c0 + X[i, 1] * c1 + X[i, 2] * c2


@inline
def orthonormalised(R: Array) -> None:
    """Orthonormalise R, a rotation but for rounding, to second order: columns 0, 1, then their product."""
    # 1.5 - 0.5 x is the first-order expansion of 1 / sqrt(x) about 1.
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
