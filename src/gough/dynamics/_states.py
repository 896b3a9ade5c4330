"""Compiled states of a simulation: y = (position, unit quaternion x y z w, twist [v, w]), 13 numbers.

The quaternion's rate is half the product of (w, 0) with it, w in base axes; its length is taken out wherever a rotation
is made of it, so that rounding and truncation do not deform the platform.
"""

from __future__ import annotations

import math

import numpy as np

from gough._compile import inline_norefcount, kernel
from gough.dynamics._equations import accelerate, blank
from gough.dynamics._motion import Model
from gough.legs.leg import Array

STATE_NUMBERS = 13


@inline_norefcount
def take_pose(y: Array, X: Array) -> None:
    """Pose X (4, 4) of the state y (its last row is left as it is)."""
    i, j, k, r = y[3], y[4], y[5], y[6]
    s = 2.0 / (i * i + j * j + k * k + r * r)
    X[0, 0], X[0, 1], X[0, 2] = 1.0 - s * (j * j + k * k), s * (i * j - k * r), s * (i * k + j * r)
    X[1, 0], X[1, 1], X[1, 2] = s * (i * j + k * r), 1.0 - s * (i * i + k * k), s * (j * k - i * r)
    X[2, 0], X[2, 1], X[2, 2] = s * (i * k - j * r), s * (j * k + i * r), 1.0 - s * (i * i + j * j)
    X[0, 3], X[1, 3], X[2, 3] = y[0], y[1], y[2]


@kernel
def poses_batch(y: Array, X: Array) -> None:
    """Poses X (n, 4, 4) of states y (n, 13 or more)."""
    for k in range(y.shape[0]):
        X[k] = np.eye(4)
        take_pose(y[k], X[k])


def states_of(stage_shape: tuple[int, ...], y: Array) -> tuple[Array, Array]:
    """Poses (..., *stage_shape, 4, 4) and twists (..., *stage_shape, 6) of states y (..., 13 a stage or more)."""
    count = math.prod(stage_shape) * STATE_NUMBERS
    states = np.ascontiguousarray(y[..., :count]).reshape(-1, STATE_NUMBERS)
    X, shape = np.empty((len(states), 4, 4)), (*y.shape[:-1], *stage_shape)
    poses_batch(states, X)
    return X.reshape(*shape, 4, 4), states[:, 7:].reshape(*shape, 6)


@kernel
def state_rate(model: Model, y: Array, f: Array, F: Array, g: Array, dy: Array) -> None:
    """Rate dy of the state y under actuator forces f, the wrench F and gravity g, (6,), (6,) and (3,)."""
    work, X = blank(), np.zeros((4, 4))
    take_pose(y, X)
    i, j, k, r = y[3], y[4], y[5], y[6]
    a, b, c = y[10], y[11], y[12]
    dy[0], dy[1], dy[2] = y[7], y[8], y[9]
    dy[3], dy[4] = 0.5 * (a * r + b * k - c * j), 0.5 * (b * r + c * i - a * k)
    dy[5], dy[6] = 0.5 * (c * r + a * j - b * i), -0.5 * (a * i + b * j + c * k)
    accelerate(model, X, y[7:13], f, F, (g[0], g[1], g[2]), work, dy[7:13])
