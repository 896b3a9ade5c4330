"""Inverse dynamics of one machine on a moving base, such as a ship, a vehicle or a structure."""

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
from gough.stages.equations import relative_terms
from gough.stages.frames import transposed_times


@checks_arguments
def moving_base_forces(
    machine: Machine,
    base: tuple[PoseLike, ArrayLike, ArrayLike],
    platform: tuple[PoseLike, ArrayLike, ArrayLike],
    gravity: bool | ArrayLike | None = None,
) -> Array:
    """Actuator forces of a motion on a moving base, by virtual work over all bodies, as of the upper of two stages.

    The twists and accelerations of the bodies are inertial ones (Tsai 2000, whose base is at rest).

    Parameters
    ----------
    machine : Machine
        With masses.
    base : tuple of (..., 4, 4), (..., 6), (..., 6)
        Pose, twist [v, w] and acceleration [a, alpha] of the base's frame in inertial axes; batches broadcast.
    platform : tuple of (..., 4, 4), (..., 6), (..., 6)
        The same of the platform's frame in the base, as for `gough.inverse_dynamics`.
    gravity : (3,) array, optional
        Acceleration of free fall in inertial axes [m/s2]; the machine's own vector where not given.

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; NaN where a leg cannot close or the pose is singular.

    Raises
    ------
    InputError
        The machine has no masses.
    ShapeError, PoseError
        Arrays of other shapes, or batches that do not broadcast; a matrix that is no pose.

    """
    X_OB, V_B, A_B = checked_matrices(base[0]), six("V of the base", base[1]), six("A of the base", base[2])
    X_BP, V, A = checked_matrices(platform[0]), six("V", platform[1]), six("A", platform[2])
    batches = (X_OB.shape[:-2], V_B.shape[:-1], A_B.shape[:-1], X_BP.shape[:-2], V.shape[:-1], A.shape[:-1])
    shape = common_shape("base and platform", *batches)
    X_OB, X_BP = (np.broadcast_to(X, (*shape, 4, 4)) for X in (X_OB, X_BP))
    V_B, A_B, V, A = (np.broadcast_to(values, (*shape, 6)) for values in (V_B, A_B, V, A))
    arm, v, w = (times(X_OB[..., :3, :3], part) for part in (X_BP[..., :3, 3], V[..., :3], V[..., 3:]))
    V_P = V_B + np.concatenate([cross(V_B[..., 3:], arm) + v, w], axis=-1)
    stack = StackedMachine(name=machine.name, stages=(machine, machine), X_IU=np.eye(4))
    X_both, V_both = np.stack([X_OB, X_OB @ X_BP], axis=-3), np.stack([V_B, V_P], axis=-2)
    # The base is the intermediate platform of a stack. The rows of V_UP do not depend on the lower stage, for which the
    # machine itself is a placeholder.
    M, Q = relative_terms(stack, X_both, V_both, machine.free_fall(gravity))
    needed = times(M[..., 6:, :], np.concatenate([A_B, A], axis=-1)) + Q[..., 6:]
    return transposed_times(inverse_jacobian(machine, X_BP), needed)
