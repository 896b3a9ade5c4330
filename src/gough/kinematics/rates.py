"""Jacobians, velocities and accelerations, between the platform and the joints.

Twists [v, w] and accelerations [a, alpha] are of the platform's origin, in the base frame. A batch of poses goes with a
batch of twists by broadcasting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.annotations import fitted
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import six
from gough.frames.euler_rates import euler_rates
from gough.kinematics._rates import curvature_batch, inverse_jacobian_batch, jacobian_batch
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices, checked_matrices, common_shape, not_a_pose, times
from gough.stacked import by_machine
from gough.workers import PARALLEL_FROM, first_index, run_batch


@by_machine
def jacobian(machine: Machine, X: PoseLike, *, sequence: str | None = None) -> Array:
    """Compute the analytic Jacobian J_qV: joint rates qd = J_qV [v, w].

    Row i is [u, R b x u] / (u . p'(q) + L'(q)) with the rod's direction u (Merlet 2006, section 5.2, for struts).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    sequence : str, optional
        With a sequence of axes or the name of a convention, columns 3-5 are per rate of its angles instead, see
        `gough.frames.euler_rates`: the derivative of the joint coordinates by position and angles.

    Returns
    -------
    (..., 6, 6) array
        Columns 0-2 per velocity of the platform's origin, 3-5 per angular velocity (per rate of angles); NaN rows where
        a leg cannot close, infinite where a slider or crank is at its turning point; NaN per rate in gimbal lock.

    Raises
    ------
    InputError
        `sequence` is neither three axes nor a convention.

    """
    if type(machine) is not Machine:
        machine = fitted("machine", machine, "Machine", jacobian)
    if sequence is not None and type(sequence) is not str:
        sequence = fitted("sequence", sequence, "str | None", jacobian)
    J = _square(machine, X, jacobian_batch)
    return J if sequence is None else per_rates_of_angles(J, euler_rates(X, sequence).E)


def per_rates_of_angles(J: Array, E: Array) -> Array:
    """Return Jacobians (..., n, 6) with columns per rate of angles, from those per angular velocity and E (..., 3,
    3)."""
    with np.errstate(invalid="ignore"):  # rows of a leg at its turning point are infinite
        return np.concatenate([J[..., :3], J[..., 3:] @ E], axis=-1)


@by_machine
def end_jacobian(machine: Machine, X: Array) -> Array:
    """Return joint rates (..., n, 6) per twist of the (end) platform at its poses (..., 4, 4): here `jacobian`."""
    return jacobian(machine, X)


@by_machine
def least_jacobian(machine: Machine, X: Array) -> Array:
    """Return S (..., 6, 6) with |S V| the least norm of joint rates that move the (end) platform with the twist V: here
    `jacobian`."""
    return jacobian(machine, X)


@by_machine
@checks_arguments
def inverse_jacobian(machine: Machine, X: PoseLike) -> Array:
    """Compute the inverse Jacobian J_Vq: twist [v, w] = J_Vq qd. Shape (..., 6, 6); NaN where J_qV is singular to
    rounding.

    J_Vq = J_qV^-1 (by definition; De Sapio 1998, "Inverse Jacobian", calls J_qV the inverse one).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.

    Returns
    -------
    (..., 6, 6) array
        Rows [v, w] of the platform's origin in base axes, per joint rate; NaN where a leg cannot close or J_qV is
        singular to rounding.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    return _square(machine, X, inverse_jacobian_batch)


@by_machine
@checks_arguments
def joint_rates(machine: Machine, X: PoseLike, V: ArrayLike) -> Array:
    """Compute the joint rates (..., 6) [m/s or rad/s] of the platform twists V (..., 6) at poses X.

    qd = J_qV V (Tsai 1999, chapter 5, for struts; Sinatra, Xi and Staicu 2009, eq. 13, for sliders).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    V : (..., 6) array
        Twists [v, w] of the platform's origin in base axes [m/s, rad/s].

    Returns
    -------
    (..., 6) array
        qd = J_qV V [m/s, or rad/s of cranks]; NaN where a leg cannot close.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    V = six("V", V)
    return times(jacobian(machine, X), V, "V")


@by_machine
@checks_arguments
def platform_twist(machine: Machine, X: PoseLike, qd: ArrayLike) -> Array:
    """Compute the platform twists [v, w] (..., 6) of the joint rates qd (..., 6) at poses X; NaN at a singular pose.

    V = J_qV^-1 qd (by definition: the inverse of `joint_rates`).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    qd : (..., 6) array
        Joint rates [m/s, or rad/s of cranks].

    Returns
    -------
    (..., 6) array
        [v, w] of the platform's origin in base axes [m/s, rad/s]; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    qd = six("qd", qd)
    return times(inverse_jacobian(machine, X), qd, "qd")


@by_machine
@checks_arguments
def joint_accelerations(machine: Machine, X: PoseLike, V: ArrayLike, A: ArrayLike) -> Array:
    """Compute the joint accelerations (..., 6) [m/s2 or rad/s2] of the platform acceleration A = [a, alpha] at pose X
    and twist V.

    qdd = J_qV A + (the second-order term of the leg equation, see `gough.kinematics._rates`), its second derivative in
    time (Sinatra, Xi and Staicu 2009, eq. 16, for sliders).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    V : (..., 6) array
        Twists [v, w] of the platform's origin in base axes [m/s, rad/s].
    A : (..., 6) array
        Accelerations [a, alpha], the time derivatives of v and w [m/s2, rad/s2].

    Returns
    -------
    (..., 6) array
        [m/s2, or rad/s2 of cranks]; NaN where a leg cannot close.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    V, A = six("V", V), six("A", A)
    J, bias = _second_order(machine, X, V)
    return times(J, A, "A") + bias


@by_machine
@checks_arguments
def platform_acceleration(machine: Machine, X: PoseLike, V: ArrayLike, qdd: ArrayLike) -> Array:
    """Compute the platform acceleration [a, alpha] (..., 6) of joint accelerations qdd at pose X and twist V; NaN if
    singular.

    A = J_qV^-1 (qdd - qdd of A = 0) (by definition: the inverse of `joint_accelerations`).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    V : (..., 6) array
        Twists [v, w] of the platform's origin in base axes [m/s, rad/s].
    qdd : (..., 6) array
        Joint accelerations [m/s2, or rad/s2 of cranks].

    Returns
    -------
    (..., 6) array
        [a, alpha], the time derivatives of v and w [m/s2, rad/s2]; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    V, qdd = six("V", V), six("qdd", qdd)
    _, bias = _second_order(machine, X, V)
    common_shape("poses with twists and qdd", bias.shape[:-1], qdd.shape[:-1])
    return times(inverse_jacobian(machine, X), qdd - bias, "qdd")


def _square(machine: Machine, X: PoseLike, kernel: Callable[..., int]) -> Array:
    matrices = as_matrices(X)
    flat, code, table = matrices.reshape(-1, 4, 4), machine.legs.code, machine.table
    J = np.empty((len(flat), 6, 6))
    if len(flat) < PARALLEL_FROM:
        bad = kernel(code, table, flat, J)
    else:
        bad = first_index(lambda s: kernel(code, table, flat[s], J[s]), len(flat))
    if bad >= 0:
        raise not_a_pose(matrices, bad)
    return J.reshape(*matrices.shape[:-2], 6, 6)


def _second_order(machine: Machine, X: PoseLike, V: Array) -> tuple[Array, Array]:
    """J_qV (..., 6, 6), and the joint accelerations (..., 6) at twist V without acceleration of the platform."""
    matrices = checked_matrices(X)
    leading = common_shape("poses and V", matrices.shape[:-2], V.shape[:-1])
    # Copies, because broadcast views are neither contiguous nor writeable: other types to Numba.
    flat = np.broadcast_to(matrices, (*leading, 4, 4)).copy().reshape(-1, 4, 4)
    twists = np.broadcast_to(V, (*leading, 6)).copy().reshape(-1, 6)
    J, bias = np.empty((len(flat), 6, 6)), np.empty((len(flat), 6))
    code, table = machine.legs.code, machine.table
    run_batch(lambda s: curvature_batch(code, table, flat[s], twists[s], J[s], bias[s]), len(flat))
    return J.reshape(*leading, 6, 6), bias.reshape(*leading, 6)


LOST = 1e-14
"""Singular values below this part of the largest, columns scaled to one, are rounding."""


def solve_or_nan(A: Array, b: Array) -> Array:
    """Return the solution x of A x = b with A (..., n, n) and b (..., n, k); NaN where A is singular or not finite."""
    size = np.abs(A).max(axis=-2, keepdims=True)
    regular = np.isfinite(A).all(axis=(-1, -2), keepdims=True) & (size > 0).all(axis=-1, keepdims=True)
    size = np.where(regular, size, 1.0)  # columns differ in unit; scaled, the singular values do not depend on it
    scaled = np.where(regular, A / size, np.eye(A.shape[-1]))
    values = np.linalg.svd(scaled, compute_uv=False)
    regular &= (values[..., -1] > LOST * values[..., 0])[..., None, None]
    x = np.linalg.solve(np.where(regular, scaled, np.eye(A.shape[-1])), b) / np.swapaxes(size, -1, -2)
    return np.where(regular, x, np.nan)
