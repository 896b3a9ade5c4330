"""Static actuator forces under applied wrenches and weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.kinematics.rates import inverse_jacobian
from gough.machine import Machine
from gough.poses import PoseLike
from gough.stacked import by_machine
from gough.statics.weights import weight_per_gravity


@by_machine
@checks_arguments
def leg_forces(
    machine: Machine, X: PoseLike, wrench: ArrayLike = (0, 0, 0, 0, 0, 0), *, gravity: bool | ArrayLike | None = False
) -> Array:
    """Actuator forces that balance an applied wrench, and with `gravity` the weights of platform and legs.

    Virtual work: f . qd + F . V + (power of the weights) = 0 for every V, so J_qV^T f = -F without weights
    (Tsai 1999).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    wrench : (..., 6) array
        [f, m] that acts on the platform, of the platform's origin, in the base frame [N, N m].
    gravity : bool or (..., 3) array
        Whether the weights of all bodies with known masses act too, of the platform and of the legs (see
        `gough.statics.weights`): True for the machine's gravity, or the acceleration itself [m/s2].

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; positive drives the joint coordinate up (an extending leg pushes).
        NaN at a singular pose.

    """
    F = of_shape("wrench", wrench, "(..., 6)")
    J_Vq = inverse_jacobian(machine, X)
    held = -(np.swapaxes(J_Vq, -1, -2) @ F[..., None])[..., 0]
    if gravity is not False:
        g = machine.free_fall(gravity)
        held = held + (weight_per_gravity(machine, X) @ g[..., None])[..., 0]
    return np.asarray(held)
