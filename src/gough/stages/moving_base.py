"""Inverse dynamics of one machine on a base that moves: a ship, a vehicle, a structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import six
from gough.kinematics.rates import inverse_jacobian, times
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, common_shape, cross
from gough.stacked import StackedMachine
from gough.stages.equations import upper_equations
from gough.stages.frames import flat


@checks_arguments
def moving_base_forces(
    machine: Machine,
    base: tuple[PoseLike, ArrayLike, ArrayLike],
    platform: tuple[PoseLike, ArrayLike, ArrayLike],
    gravity: bool | ArrayLike | None = None,
) -> Array:
    """Actuator forces of a motion on a moving base, by virtual work over all bodies, as of the upper one of two stages.

    Parameters
    ----------
    machine : Machine
        With masses.
    base : tuple of (..., 4, 4), (..., 6), (..., 6)
        Pose, twist [v, w] and acceleration [a, alpha] of the base's frame in axes that rest; batches broadcast.
    platform : tuple of (..., 4, 4), (..., 6), (..., 6)
        The same of the platform's frame in the base, as for `gough.inverse_dynamics`.
    gravity : (3,) array, optional
        Acceleration of free fall in the axes that rest [m/s2]; the machine's own vector where not given.

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; NaN where a leg cannot close or the pose is singular.

    Raises
    ------
    InputError
        The machine has no masses.
    ShapeError, PoseError
        Arrays of other shapes, or batches that do not go together; a matrix that is no pose.

    """
    X_OB, V_B, A_B = checked_matrices(base[0]), six("V of the base", base[1]), six("A of the base", base[2])
    X_BP, V, A = checked_matrices(platform[0]), six("V", platform[1]), six("A", platform[2])
    batches = (X_OB.shape[:-2], V_B.shape[:-1], A_B.shape[:-1], X_BP.shape[:-2], V.shape[:-1], A.shape[:-1])
    shape = common_shape("base and platform", *batches)
    X_OB, X_BP = (np.broadcast_to(X, (*shape, 4, 4)) for X in (X_OB, X_BP))
    V_B, A_B, V, A = (np.broadcast_to(values, (*shape, 6)) for values in (V_B, A_B, V, A))
    R = X_OB[..., :3, :3]
    arm, v, w, a, alpha = (
        times(R, part) for part in (X_BP[..., :3, 3], V[..., :3], V[..., 3:], A[..., :3], A[..., 3:])
    )
    w_B, alpha_B = V_B[..., 3:], A_B[..., 3:]
    V_P = np.concatenate([V_B[..., :3] + cross(w_B, arm) + v, w_B + w], axis=-1)
    carried = A_B[..., :3] + cross(alpha_B, arm) + cross(w_B, cross(w_B, arm)) + 2 * cross(w_B, v)
    A_P = np.concatenate([carried + a, alpha_B + cross(w_B, w) + alpha], axis=-1)
    stack = StackedMachine(name=machine.name, stages=(machine, machine), X_IU=np.eye(4))
    X_both = np.stack([X_OB, X_OB @ X_BP], axis=-3)
    V_both, A_both = (np.stack(pair, axis=-2) for pair in ((V_B, V_P), (A_B, A_P)))
    M, B = upper_equations(stack, X_both, V_both, machine.free_fall(gravity))
    needed = (times(M, flat(A_both)) + B)[..., 6:].reshape(*V_both.shape[:-2], 2, 3) @ R
    J_t = np.swapaxes(inverse_jacobian(machine, X_BP), -1, -2)
    return times(J_t, needed.reshape(*needed.shape[:-2], 6))
