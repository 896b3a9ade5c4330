"""Static forces: what the actuators hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.errors import InputError, ShapeError
from gough.kinematics.rates import inverse_jacobian
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices

Array = NDArray[np.float64]


def leg_forces(
    machine: Machine, X: PoseLike, wrench: ArrayLike = (0, 0, 0, 0, 0, 0), *, gravity: bool | ArrayLike = False
) -> Array:
    """Actuator forces that balance an applied wrench, and the platform's weight where asked for.

    Virtual work: f . qd + F . V = 0 for every V, so J_qV^T f = -F.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
    wrench : (..., 6) array
        [f, m] that acts on the platform, of the platform's origin, in the base frame [N, N m].
    gravity : bool or (..., 3) array
        Whether the platform's weight acts too: True for the machine's gravity, or the acceleration itself [m/s2].
        The legs themselves weigh nothing here.

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; positive drives the joint coordinate up (an extending leg pushes).
        NaN at a singular pose.

    """
    F = np.asarray(wrench, dtype=float)
    if F.shape[-1:] != (6,):
        raise ShapeError.expected("wrench", "(..., 6)", F.shape)
    if gravity is not False:
        F = F + platform_weight(machine, X, machine.gravity if gravity is True else np.asarray(gravity, dtype=float))
    J_Vq = inverse_jacobian(machine, X)
    return np.asarray(-(np.swapaxes(J_Vq, -1, -2) @ F[..., None])[..., 0])


def platform_weight(machine: Machine, X: PoseLike, gravity: Array) -> Array:
    """Wrench (..., 6) of the platform's weight, of the platform's origin, in the base frame."""
    if machine.platform is None:
        raise InputError(
            f"machine {machine.name!r} has no platform mass (platform.mass), so gravity has nothing to pull"
        )
    arm, weight = np.broadcast_arrays(
        as_matrices(X)[..., :3, :3] @ machine.platform.mass_centre, machine.platform.mass * gravity
    )
    return np.concatenate([weight, np.cross(arm, weight)], axis=-1)
