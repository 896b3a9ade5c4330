"""Direct and inverse dynamics of both stages, by virtual work over all their bodies: 26 solids for two hexapods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.dynamics._equations import STATE_NUMBERS, poses_batch
from gough.dynamics.arguments import wrench_at_origin
from gough.dynamics.model import model_of
from gough.kinematics.rates import inverse_jacobian, jacobian, times
from gough.poses import PoseLike, cross
from gough.stacked import StackedMachine
from gough.stages.equations import terms
from gough.stages.frames import both_poses, both_six, flat, twelve, upper_base, upper_map, upper_pose

WEIGHTLESS = 1e-13
"""Reciprocal condition of the scaled mass matrix at which some motion has no inertia."""


@checks_arguments
def inverse_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """The twelve actuator forces of a motion of both platforms, see `gough.inverse_dynamics`.

    The engine of `gough.multibody` agrees to 1e-9.
    """
    poses, twist, rate = both_poses(X), both_six("V", V), both_six("A", A)
    M, B = terms(machine, poses, twist, machine.free_fall(gravity))
    return forces_of(machine, poses, times(M, flat(rate)) + B - wrenches(poses, wrench, point))


@checks_arguments
def forward_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    force: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Accelerations (..., 2, 6) of both platforms, M A = J_qV^T f + F - B, see `gough.forward_dynamics`."""
    poses, twist, f = both_poses(X), both_six("V", V), twelve("force", force)
    M, B = terms(machine, poses, twist, machine.free_fall(gravity))
    driving = times(np.swapaxes(jacobian(machine, poses), -1, -2), f, "force")
    A = _solved(M, driving + wrenches(poses, wrench, point) - B)
    return A.reshape(*A.shape[:-1], 2, 6)


def state_rate_of(machine: StackedMachine) -> Callable[[Array, Array, Array, Array, Array], None]:
    """See `gough.dynamics.model.state_rate_of`: the states of both platforms, one after the other."""
    for stage in machine.stages:
        model_of(stage)  # says which one has no masses

    def rate(y: Array, f: Array, F: Array, g: Array, dy: Array) -> None:
        states, X = y.reshape(2, STATE_NUMBERS), np.empty((2, 4, 4))
        poses_batch(states, X)
        V, vector, scalar = states[:, 7:], states[:, 3:6], states[:, 6:7]
        rates, w = dy.reshape(2, STATE_NUMBERS), V[:, 3:]
        rates[:, :3] = V[:, :3]
        rates[:, 3:6] = 0.5 * (scalar * w + cross(w, vector))  # q' = (w, 0) q / 2
        rates[:, 6] = -0.5 * np.sum(w * vector, axis=1)
        rates[:, 7:] = forward_dynamics(machine, X, V, f, F, g)

    return rate


def wrenches(X: Array, wrench: ArrayLike | None, point: ArrayLike | None = None) -> Array:
    """Wrenches on both platforms about their origins, one after the other (..., 12): of one (6,), on the end platform.

    At `point` of the end platform where one is given.
    """
    if wrench is None:
        return np.concatenate([np.zeros(6), wrench_at_origin(X[..., 1, :, :], wrench, point)])
    F = of_shape("wrench", wrench, "(6,), on the end platform, or (..., 2, 6), on both")
    if F.shape == (6,):
        F = np.stack([np.zeros(6), F])
    end = wrench_at_origin(X[..., 1, :, :], F[..., 1, :], point)
    return np.concatenate(np.broadcast_arrays(F[..., 0, :], end), axis=-1)


def forces_of(machine: StackedMachine, X: Array, needed: Array) -> Array:
    """Actuator forces f (..., 12) with J_qV^T f = `needed`, wrenches on both platforms: from the end platform down."""
    X_UP, R_BU = upper_pose(machine, X), upper_base(machine, X)[..., :3, :3]
    in_upper = needed[..., 6:].reshape(*needed.shape[:-1], 2, 3) @ R_BU
    in_upper = in_upper.reshape(*in_upper.shape[:-2], 6)
    f_2 = _transposed(inverse_jacobian(machine.upper, X_UP), in_upper)
    passed_on = _transposed(jacobian(machine.upper, X_UP) @ upper_map(machine, X)[..., :6], f_2)
    f_1 = _transposed(inverse_jacobian(machine.lower, X[..., 0, :, :]), needed[..., :6] - passed_on)
    return np.concatenate(np.broadcast_arrays(f_1, f_2), axis=-1)


def _transposed(J: Array, values: Array) -> Array:
    """J^T times values."""
    return times(np.swapaxes(J, -1, -2), values, "wrench")


def _solved(M: Array, right: Array) -> Array:
    """M^-1 right for mass matrices (..., n, n), scaled to ones on the diagonal; NaN where one has no inverse."""
    scale = 1 / np.sqrt(np.einsum("...ii->...i", M))
    balanced = M * scale[..., :, None] * scale[..., None, :]
    is_known = np.isfinite(balanced).all(axis=(-1, -2))
    balanced[~is_known] = np.eye(M.shape[-1])
    is_known &= np.linalg.eigvalsh(balanced)[..., 0] > WEIGHTLESS
    balanced[~is_known] = np.eye(M.shape[-1])
    found = scale * np.linalg.solve(balanced, (scale * right)[..., None])[..., 0]
    return np.where(is_known[..., None], found, np.nan)
