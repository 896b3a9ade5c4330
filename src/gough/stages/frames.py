"""Transformations between motions of both platforms in the base and that of the upper stage in its own base.

Poses of both platforms are arrays (..., 2, 4, 4), the intermediate platform I first, the end platform P second, in the
base B of the lower stage; their twists and accelerations (..., 2, 6) are of their origins, in axes of B. The upper
stage's base U is fixed to I:

    X_UP = X_IU^-1 X_BI^-1 X_BP
    v_UP = R_UB (v_P - v_I - w_I x r)                              r from I's origin to P's
    w_UP = R_UB (w_P - w_I)
    a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP         w = R_UB w_I
    alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import ShapeError
from gough.kinematics.rates import times
from gough.poses import PoseLike, checked_matrices, common_shape, cross, inverse_matrices, skew
from gough.stacked import StackedMachine


def both_poses(X: PoseLike) -> Array:
    """Poses of both platforms (..., 2, 4, 4), checked."""
    matrices = checked_matrices(X)
    if matrices.shape[-3:] != (2, 4, 4):
        raise ShapeError(
            f"poses of both platforms: expected shape (..., 2, 4, 4), got {matrices.shape}; where only the end "
            "platform's are known, gough.stages.resolve_redundancy finds the intermediate one's"
        )
    return matrices


def both_six(name: str, values: ArrayLike) -> Array:
    """Twists, accelerations or wrenches of both platforms (..., 2, 6)."""
    return of_shape(name, values, "(..., 2, 6), the intermediate platform first")


def flat(values: Array) -> Array:
    """Vectors of both platforms (..., 2, 6), concatenated (..., 12)."""
    return values.reshape(*values.shape[:-2], 12)


def twelve(name: str, values: ArrayLike) -> Array:
    """Joint quantities of both stages (..., 12)."""
    return of_shape(name, values, "(..., 12), those of the lower stage first")


def upper_base(machine: StackedMachine, X: Array) -> Array:
    """X_BU (..., 4, 4): pose of the upper stage's base in the base of the lower one."""
    return np.asarray(X[..., 0, :, :] @ machine.X_IU)


@checks_arguments
def upper_pose(machine: StackedMachine, X: Array) -> Array:
    """X_UP: the end platform in the base of its own stage, X_IU^-1 X_BI^-1 X_BP (by definition).

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base, the intermediate one first.

    Returns
    -------
    (..., 4, 4) array
        X_IU^-1 X_BI^-1 X_BP; NaN where a pose is.

    """
    of_shape("poses", X, "(..., 2, 4, 4), the intermediate platform first")
    return np.asarray(inverse_matrices(upper_base(machine, X)) @ X[..., 1, :, :])


def own_poses(machine: StackedMachine, X: Array) -> tuple[Array, Array]:
    """Poses (..., 4, 4) of both platforms, each in the base of its own stage."""
    return np.ascontiguousarray(X[..., 0, :, :]), upper_pose(machine, X)


@checks_arguments
def stacked_poses(machine: StackedMachine, X_BI: Array, X_UP: Array) -> Array:
    """Poses of both platforms in the base, from those of each in its own: the inverse of `upper_pose`.

    X_BP = X_BI X_IU X_UP (by definition).

    Parameters
    ----------
    machine : StackedMachine
    X_BI, X_UP : (..., 4, 4) array
        The intermediate platform in the lower stage's base, the end platform in the upper one's; broadcast.

    Returns
    -------
    (..., 2, 4, 4) array
        X_BI and X_BI X_IU X_UP; NaN where a pose is.

    """
    X_BI, X_UP = of_shape("X_BI", X_BI, "(..., 4, 4)"), of_shape("X_UP", X_UP, "(..., 4, 4)")
    common_shape("X_BI and X_UP", X_BI.shape[:-2], X_UP.shape[:-2])
    X_BP = X_BI @ machine.X_IU @ X_UP
    return np.stack([np.broadcast_to(X_BI, X_BP.shape), X_BP], axis=-3)


def transposed_times(J: Array, values: Array, name: str = "values") -> Array:
    """J^T times vectors, broadcast, see `gough.kinematics.rates.times`."""
    return times(np.swapaxes(J, -1, -2), values, name)


def upper_map(machine: StackedMachine, X: Array) -> Array:
    """T (..., 6, 12) of V_UP = T [V_I, V_P]."""
    R_UB = np.swapaxes(upper_base(machine, X)[..., :3, :3], -1, -2)
    r = X[..., 1, :3, 3] - X[..., 0, :3, 3]
    T = np.zeros((*X.shape[:-3], 6, 12))
    T[..., :3, :3], T[..., 3:, 3:6] = -R_UB, -R_UB
    T[..., :3, 6:9], T[..., 3:, 9:] = R_UB, R_UB
    T[..., :3, 3:6] = R_UB @ skew(r)  # - w x r = [r]x w
    return T


@checks_arguments
def upper_twist(machine: StackedMachine, X: Array, V: Array) -> Array:
    """V_UP, the end platform's twist in the upper stage's base.

    v_UP = R_UB (v_P - v_I - w_I x r), w_UP = R_UB (w_P - w_I) with r from I to P (by definition: dX_UP / dt).

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base.
    V : (..., 2, 6) array
        Their twists [v, w] in base axes [m/s, rad/s].

    Returns
    -------
    (..., 6) array
        [v, w] relative to U in its axes [m/s, rad/s]; NaN where a pose or a twist is.

    """
    return times(upper_map(machine, X), flat(V))


@checks_arguments
def upper_acceleration(machine: StackedMachine, X: Array, V: Array, A: Array) -> Array:
    """A_UP, the rate of V_UP in axes of the upper stage's base.

    By definition dV_UP / dt, with the centrifugal and Coriolis terms of I's rotation:
    a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP, alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP
    with w = R_UB w_I.

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base.
    V, A : (..., 2, 6) array
        Their twists [m/s, rad/s] and accelerations [m/s2, rad/s2] in base axes.

    Returns
    -------
    (..., 6) array
        [a, alpha] relative to U in its axes [m/s2, rad/s2]; NaN where a pose, twist or acceleration is.

    """
    return times(upper_map(machine, X), flat(A)) + upper_bias(machine, X, V)


def upper_bias(machine: StackedMachine, X: Array, V: Array) -> Array:
    """A_UP (..., 6) at zero accelerations of both platforms: minus the centrifugal and Coriolis terms."""
    R_UB = np.swapaxes(upper_base(machine, X)[..., :3, :3], -1, -2)
    r = X[..., 1, :3, 3] - X[..., 0, :3, 3]
    w_I = V[..., 0, 3:]
    w = times(R_UB, w_I)
    # a = - R_UB w_I x (w_I x r) - 2 w x v_UP, alpha = - w x w_UP
    V_UP = upper_twist(machine, X, V)
    a = -times(R_UB, cross(w_I, cross(w_I, r))) - 2 * cross(w, V_UP[..., :3])
    return np.concatenate([a, -cross(w, V_UP[..., 3:])], axis=-1)
