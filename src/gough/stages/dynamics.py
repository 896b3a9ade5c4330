"""Forward and inverse dynamics of two stages, by virtual work over all bodies: 26 solids for two hexapods."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.dynamics._equations import STATE_NUMBERS, set_pose, set_pose_rate
from gough.dynamics._two_stages import Motions, stack_batch, stack_inverse_batch
from gough.dynamics.arguments import Batch, wrench_at_origin
from gough.dynamics.equations import forward_dynamics as forward_dynamics_of_stage
from gough.dynamics.equations import inverse_dynamics as inverse_dynamics_of_stage
from gough.dynamics.model import state_rate_of as state_rate_of_of_stage
from gough.kinematics.rates import inverse_jacobian, jacobian
from gough.poses import PoseLike
from gough.stacked import StackedMachine
from gough.stages.equations import FOUND, motions_of, stack_of
from gough.stages.frames import (
    both_poses,
    both_six,
    flat,
    transposed_times,
    twelve,
    upper_base,
    upper_map,
    upper_pose,
)


@inverse_dynamics_of_stage.register(StackedMachine)
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
    poses, stack = both_poses(X), stack_of(machine)
    given = {"V": flat(both_six("V", V)), "A": flat(both_six("A", A)), "wrench": wrenches(poses, wrench, point)}
    batch = Batch(poses, machine.stage_shape, **given, gravity=machine.free_fall(gravity))
    return batch.run(partial(stack_inverse_batch, stack), (12,))[0]


@forward_dynamics_of_stage.register(StackedMachine)
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
    poses, stack = both_poses(X), stack_of(machine)
    given = {"V": flat(both_six("V", V)), "force": twelve("force", force), "wrench": wrenches(poses, wrench, point)}
    A = motions_of(stack, poses, machine.free_fall(gravity), False, **given).A
    return A.reshape(*A.shape[:-1], 2, 6)


@state_rate_of_of_stage.register(StackedMachine)
def state_rate_of(machine: StackedMachine) -> Callable[[Array, Array, Array, Array, Array], float | None]:
    """See `gough.dynamics.model.state_rate_of`; states of both platforms, concatenated."""
    stack, X, V = stack_of(machine), np.zeros((1, 2, 4, 4)), np.empty((2, 6))
    X[..., 3, 3] = 1.0
    found = Motions(*(np.empty((1, *shape)) for shape in FOUND))

    def rate(y: Array, f: Array, F: Array, g: Array, dy: Array) -> float:
        states, rates = y.reshape(2, STATE_NUMBERS), dy.reshape(2, STATE_NUMBERS)
        set_pose(states.T, np.moveaxis(X[0], 0, -1))
        set_pose_rate(states.T, rates.T)
        V[:] = states[:, 7:]
        stack_batch(stack, X, V.reshape(1, 12), f[None], F.reshape(1, 12), g[None], False, found)
        rates[:, 7:] = found.A.reshape(2, 6)
        return float(found.power[0])

    return rate


def wrenches(X: Array, wrench: ArrayLike | None, point: ArrayLike | None = None) -> Array:
    """Wrenches on both platforms about their origins, concatenated (..., 12); one wrench (6,) acts on the end platform.

    The wrench on the end platform is given about `point`, where there is one.
    """
    if wrench is None:
        return np.concatenate([np.zeros(6), wrench_at_origin(X[..., 1, :, :], wrench, point)])
    F = of_shape("wrench", wrench, "(6,), on the end platform, or (..., 2, 6), on both")
    if F.shape == (6,):
        F = np.stack([np.zeros(6), F])
    end = wrench_at_origin(X[..., 1, :, :], F[..., 1, :], point)
    return np.concatenate(np.broadcast_arrays(F[..., 0, :], end), axis=-1)


def forces_of(machine: StackedMachine, X: Array, needed: Array) -> Array:
    """Actuator forces f (..., 12) with J_qV^T f = `needed`, wrenches on both platforms (..., 12).

    J_qV is block triangular: the upper stage's forces follow from the wrench on the end platform alone, the lower
    stage's from the wrench on the intermediate platform less what the upper ones transmit to it.
    """
    # Wrench on the end platform in axes of the upper stage's base, force and moment as rows.
    X_UP, R_BU = upper_pose(machine, X), upper_base(machine, X)[..., :3, :3]
    in_upper = needed[..., 6:].reshape(*needed.shape[:-1], 2, 3) @ R_BU
    in_upper = in_upper.reshape(*in_upper.shape[:-2], 6)
    f_2 = transposed_times(inverse_jacobian(machine.upper, X_UP), in_upper, "wrench")
    passed_on = transposed_times(jacobian(machine.upper, X_UP) @ upper_map(machine, X)[..., :6], f_2, "wrench")
    f_1 = transposed_times(inverse_jacobian(machine.lower, X[..., 0, :, :]), needed[..., :6] - passed_on, "wrench")
    return np.concatenate(np.broadcast_arrays(f_1, f_2), axis=-1)
