"""Direct and inverse dynamics of both stages, by virtual work over all their bodies: 26 solids for two hexapods."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.arguments import six
from gough.kinematics.rates import inverse_jacobian
from gough.kinematics.rates import jacobian as stage_jacobian
from gough.poses import PoseLike
from gough.stacked import StackedMachine
from gough.stages.equations import gravity_of, terms
from gough.stages.frames import both_poses, both_six, twelve, upper_base, upper_map, upper_pose
from gough.stages.rates import joint_jacobian

Array = NDArray[np.float64]

WEIGHTLESS = 1e-13
"""Reciprocal condition of the scaled mass matrix at which some motion has no inertia."""


@checks_arguments
def inverse_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    *,
    on_intermediate: ArrayLike | None = None,
) -> Array:
    """The twelve actuator forces of a motion of both platforms.

    Parameters
    ----------
    machine : StackedMachine
        With masses of both platforms. Friction and rotors count where the files give them.
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base.
    V, A : (..., 2, 6) array
        Twists [v, w] of their origins in base axes and the rates of these [m/s, rad/s; m/s2, rad/s2].
    wrench : (..., 6) array, optional
        [f, m] on the end platform about its origin, in base axes [N, N m].
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base [m/s2]; that of the lower stage's file where not given.
    on_intermediate : (..., 6) array, optional
        [f, m] on the intermediate platform about its origin, in base axes.

    Returns
    -------
    (..., 12) array
        Forces [N], or torques of cranks [N m]; positive drives the joint coordinate up. NaN where a leg cannot close or
        a stage is singular. Accuracy: that of rounding; the engine of `gough.multibody` agrees to 1e-9.

    Raises
    ------
    InputError
        A stage has no masses.

    """
    poses, twist, rate = both_poses(X), both_six("V", V), both_six("A", A)
    M, B = terms(machine, poses, twist, gravity_of(machine, gravity))
    needed = (M @ rate.reshape(*rate.shape[:-2], 12, 1))[..., 0] + B - wrenches(wrench, on_intermediate)
    return forces_of(machine, poses, needed)


@checks_arguments
def forward_dynamics(
    machine: StackedMachine,
    X: PoseLike,
    V: ArrayLike,
    force: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    *,
    on_intermediate: ArrayLike | None = None,
) -> Array:
    """Accelerations (..., 2, 6) of both platforms under twelve actuator forces: M A = J_qV^T f + F - B.

    The parameters are those of `inverse_dynamics`, and `force` (..., 12) [N, or N m of cranks]. NaN where a leg cannot
    close, and where some motion has no inertia.
    """
    poses, twist, f = both_poses(X), both_six("V", V), twelve("force", force)
    M, B = terms(machine, poses, twist, gravity_of(machine, gravity))
    driving = (np.swapaxes(joint_jacobian(machine, poses), -1, -2) @ f[..., None])[..., 0]
    A = _solved(M, driving + wrenches(wrench, on_intermediate) - B)
    return A.reshape(*A.shape[:-1], 2, 6)


def wrenches(wrench: ArrayLike | None, on_intermediate: ArrayLike | None) -> Array:
    """Wrenches on both platforms, one after the other (..., 12)."""
    end = np.zeros(6) if wrench is None else six("wrench", wrench)
    between = np.zeros(6) if on_intermediate is None else six("on_intermediate", on_intermediate)
    return np.concatenate(np.broadcast_arrays(between, end), axis=-1)


def forces_of(machine: StackedMachine, X: Array, needed: Array) -> Array:
    """Actuator forces f (..., 12) with J_qV^T f = `needed`, wrenches on both platforms: from the end platform down."""
    X_UP, R_BU = upper_pose(machine, X), upper_base(machine, X)[..., :3, :3]
    in_upper = needed[..., 6:].reshape(*needed.shape[:-1], 2, 3) @ R_BU
    in_upper = in_upper.reshape(*in_upper.shape[:-2], 6)
    f_2 = _transposed(inverse_jacobian(machine.upper, X_UP), in_upper)
    passed_on = _transposed(stage_jacobian(machine.upper, X_UP) @ upper_map(machine, X)[..., :6], f_2)
    f_1 = _transposed(inverse_jacobian(machine.lower, X[..., 0, :, :]), needed[..., :6] - passed_on)
    return np.concatenate(np.broadcast_arrays(f_1, f_2), axis=-1)


def _transposed(J: Array, values: Array) -> Array:
    """J^T times values."""
    return np.asarray((np.swapaxes(J, -1, -2) @ values[..., None])[..., 0])


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
