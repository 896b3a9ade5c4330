"""Cartesian stiffness of the platform on its legs.

With s_i = [u_i, rho_i x u_i] the wrench of a unit push of leg i (rho = R b), a leg of axial stiffness k_i gives
K = sum k_i s_i s_i^T (Gosselin 1990, eq. 9, for struts). The same rows serve sliders and cranks with their drives held:
k_i is then the stiffness along the rod.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, skew

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PrincipalStiffness:
    """Principal stiffnesses that do not mix units and do not depend on the point K is written for.

    Attributes
    ----------
    translation : (..., 3) array
        Force per displacement with rotation held, ascending [N/m].
    translation_axes : (..., 3, 3) array
        Their directions, as columns, in the base frame.
    rotation : (..., 3) array
        Moment per rotation with the platform free to translate, ascending [N m/rad].
    rotation_axes : (..., 3, 3) array

    """

    translation: Array
    translation_axes: Array
    rotation: Array
    rotation_axes: Array


def stiffness(
    machine: Machine, X: PoseLike, *, point: ArrayLike | None = None, leg_force: ArrayLike | None = None
) -> Array:
    """Cartesian stiffness: the wrench that displaces the platform, per displacement.

    Parameters
    ----------
    machine : Machine
        With `actuators.stiffness`, or `modulus` and `area` (k = E A / rod length); joint stiffnesses act in series.
    X : PoseLike, (..., 4, 4)
    point : (3,) array, optional
        Platform point that displacements and wrenches are about, in the platform frame [m]; default the origin.
    leg_force : (..., 6) array, optional
        Axial forces of the rods, pushing positive [N]: adds the geometric term of legs under load (Griffis and Duffy
        1993), with which K is no longer symmetric: rotations are counted about fixed base axes.

    Returns
    -------
    (..., 6, 6) array
        In the base frame [N/m, N/rad; N m/m, N m/rad]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        The machine has no leg stiffness.

    """
    matrices = checked_matrices(X)
    d, rho = rods(machine, matrices, point)
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    s = np.concatenate([u, np.cross(rho, u)], axis=-1)
    k = leg_stiffness(machine, length)
    K = np.swapaxes(s, -1, -2) @ (k[..., None] * s)
    if leg_force is not None:
        K = K + _geometric(u, rho, length, np.asarray(leg_force, dtype=float))
    return np.asarray(K)


def rods(machine: Machine, X: Array, point: ArrayLike | None = None) -> tuple[Array, Array]:
    """Rods d = b - p (..., 6, 3) and platform joints seen from `point` (default: the origin), in the base frame [m]."""
    R = X[..., :3, :3]
    origin = np.zeros(3) if point is None else np.asarray(point, dtype=float)
    rho = (machine.b_P - origin) @ np.swapaxes(R, -1, -2)
    b = machine.b_P @ np.swapaxes(R, -1, -2) + X[..., None, :3, 3]
    return b - machine.legs.driven_points(inverse_kinematics(machine, X)), rho


def leg_stiffness(machine: Machine, length: Array) -> Array:
    """Axial stiffness of the legs (..., 6) with rods of the given length [N/m], joints in series."""
    a = machine.actuators
    if a.stiffness is not None:
        compliance = np.broadcast_to(1.0 / a.stiffness, length.shape)
    elif a.axial_rigidity is not None:
        compliance = length / a.axial_rigidity
    else:
        raise InputError(
            f"machine {machine.name!r} has no leg stiffness: give actuators.stiffness, or actuators.modulus and area"
        )
    for joint in (a.base_joint_stiffness, a.platform_joint_stiffness):
        if joint is not None:
            compliance = compliance + 1.0 / joint
    return np.asarray(1.0 / compliance)


def _geometric(u: Array, rho: Array, length: Array, force: Array) -> Array:
    """-sum f ds/dx: a displacement [v, w] turns u by (1 - u u^T) (v + w x rho) / L and rho by w x rho."""
    across = (np.eye(3) - u[..., :, None] * u[..., None, :]) / length[..., None, None]
    r = skew(rho)
    K = np.zeros((*u.shape[:-1], 6, 6))
    K[..., :3, :3] = across
    K[..., :3, 3:] = -across @ r
    K[..., 3:, :3] = r @ across
    K[..., 3:, 3:] = skew(u) @ r - r @ across @ r
    return np.asarray(-(force[..., None, None] * K).sum(axis=-3))


def principal_stiffness(K: ArrayLike) -> PrincipalStiffness:
    """Principal stiffnesses of a symmetric K (..., 6, 6) without mixing metres and radians.

    With K = [[A, B], [B^T, D]], the eigenvalues of A (rotation held) and of D - B^T A^-1 B (translation free) are
    each of one unit and the same for every reference point (Lipkin and Patterson 1992). The eigenvalues of K itself,
    which some texts print, are not: they change with the unit of length.
    """
    K = np.asarray(K, dtype=float)
    A, B, D = K[..., :3, :3], K[..., :3, 3:], K[..., 3:, 3:]
    rotational = D - np.swapaxes(B, -1, -2) @ np.linalg.solve(A, B)
    translation, translation_axes = np.linalg.eigh(A)
    rotation, rotation_axes = np.linalg.eigh((rotational + np.swapaxes(rotational, -1, -2)) / 2)
    return PrincipalStiffness(translation, translation_axes, rotation, rotation_axes)


def displacement_under_load(
    machine: Machine, X: PoseLike, wrench: ArrayLike, *, point: ArrayLike | None = None
) -> Array:
    """Displacement [v, w] (..., 6) [m, rad] of a platform point under a wrench (..., 6) about it: K^-1 F."""
    K = stiffness(machine, X, point=point)
    return np.asarray(np.linalg.solve(K, np.asarray(wrench, dtype=float)[..., None])[..., 0])


def axial_forces(machine: Machine, X: PoseLike, wrench: ArrayLike) -> Array:
    """Forces of the rods (..., 6) that balance a wrench about the platform's origin, pushing positive [N]."""
    matrices = checked_matrices(X)
    d, rho = rods(machine, matrices)
    u = d / np.linalg.norm(d, axis=-1, keepdims=True)
    s = np.concatenate([u, np.cross(rho, u)], axis=-1)
    return np.asarray(-np.linalg.solve(np.swapaxes(s, -1, -2), np.asarray(wrench, dtype=float)[..., None])[..., 0])
