"""Cartesian stiffness of the platform on its legs.

With s_i = [u_i, rho_i x u_i] the wrench of a unit push of leg i (rho = R b), a leg of axial stiffness k_i gives
K = sum k_i s_i s_i^T (Gosselin 1990, for struts). The same rows serve sliders and cranks with their drives held:
k_i is then the stiffness along the rod.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape, six
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.linear_solve import LOST, solve_or_nan
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, skew, wrench_at
from gough.present.answer import AXES, Field
from gough.results import Quantities, Result
from gough.stacked import takes_stacks
from gough.statics.weights import platform_moments, transverse_wrenches


@dataclass(frozen=True, eq=False)
class PrincipalStiffness(Result):
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

    QUANTITIES: ClassVar[Quantities] = {
        "translation": ("N/m", "principal"),
        "rotation": ("N m/rad", "principal"),
        "translation_axes": ("1", "axis", "principal"),
        "rotation_axes": ("1", "axis", "principal"),
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("translation", "rotation")

    translation: Array
    translation_axes: Array
    rotation: Array
    rotation_axes: Array

    def rows(self) -> tuple[list[str], list[Field]]:
        """Rows of a table of one pose's stiffnesses: motions, and fields of the stiffnesses and their axes."""
        motions = [motion for motion in ("translation", "rotation") for _ in range(3)]
        units = [self.quantities[motion][0] for motion in motions]
        axes = np.concatenate([self.translation_axes.T, self.rotation_axes.T])
        values = np.concatenate([self.translation, self.rotation])
        return motions, [Field("", values, units, head="stiffness"), Field("", axes, "1", AXES[:3], head="axis {}")]


@takes_stacks("gough.stages.stiffness")
@checks_arguments
def stiffness(
    machine: Machine, X: PoseLike, *, point: ArrayLike | None = None, leg_force: ArrayLike | None = None
) -> Array:
    """Cartesian stiffness: the wrench that displaces the platform, per displacement.

    K = sum k_i s_i s_i^T with the rods' screws s = [u, rho x u] (Gosselin 1990, for struts).

    Parameters
    ----------
    machine : Machine
        With `actuators.stiffness`, or `modulus` and `area` (k = E A / rod length); joint stiffnesses act in series. Two
        stages are in series too: their compliances at the point add.
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base. Of two stages (..., 2, 4, 4).
    point : (3,) array, optional
        Platform point that displacements and wrenches are about, in the platform frame [m]; default the origin.
    leg_force : (..., 6) array, optional
        Axial forces of the rods, pushing positive [N], (..., 12) of two stages: adds the geometric term of legs under
        load (Griffis and Duffy 1993), with which K is no longer symmetric: rotations are counted about fixed base axes.

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
    u, rho, length, s = screws(machine, matrices, point)
    k = leg_stiffness(machine, length)
    K = np.swapaxes(s, -1, -2) @ (k[..., None] * s)
    if leg_force is not None:
        K = K + _geometric(u, rho, length, np.asarray(leg_force, dtype=float))
    return np.asarray(K)


@takes_stacks("gough.stages.stiffness")
def platform_stiffness(machine: Machine, X: Array, leg_force: ArrayLike | None = None) -> Array:
    """Wrenches on all platforms per twists of all, about their origins: `stiffness`, of two stages (..., 12, 12)."""
    return stiffness(machine, X, leg_force=leg_force)


def rods(machine: Machine, X: Array, point: ArrayLike | None = None) -> tuple[Array, Array]:
    """Rods d = b - p (..., 6, 3) and platform joints seen from `point` (default: the origin), in the base frame [m]."""
    R = X[..., :3, :3]
    origin = np.zeros(3) if point is None else np.asarray(point, dtype=float)
    rho = (machine.b_P - origin) @ np.swapaxes(R, -1, -2)
    b = machine.b_P @ np.swapaxes(R, -1, -2) + X[..., None, :3, 3]
    return b - machine.legs.driven_points(inverse_kinematics(machine, X)), rho


def screws(machine: Machine, X: Array, point: ArrayLike | None = None) -> tuple[Array, Array, Array, Array]:
    """Rod directions u and arms rho (..., 6, 3), lengths (..., 6) [m], wrenches s = [u, rho x u] (..., 6, 6)."""
    d, rho = rods(machine, X, point)
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    return u, rho, length, np.concatenate([u, np.cross(rho, u)], axis=-1)


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
    for joint in (a.base_joint_stiffness, a.platform_joint_stiffness):  # in series: compliances add
        if joint is not None:
            compliance = compliance + 1.0 / joint
    return np.asarray(1.0 / compliance)


def _geometric(u: Array, rho: Array, length: Array, force: Array) -> Array:
    """-sum f ds/dx: a displacement [v, w] turns u by (1 - u u^T) (v + w x rho) / L and rho by w x rho."""
    # w x rho = -[rho]_x w: r is the matrix of rho x. Blocks are forces and moments per translation and rotation.
    across = (np.eye(3) - u[..., :, None] * u[..., None, :]) / length[..., None, None]
    r = skew(rho)
    K = np.zeros((*u.shape[:-1], 6, 6))
    K[..., :3, :3] = across
    K[..., :3, 3:] = -across @ r
    K[..., 3:, :3] = r @ across
    K[..., 3:, 3:] = skew(u) @ r - r @ across @ r
    return np.asarray(-(force[..., None, None] * K).sum(axis=-3))


@checks_arguments
def principal_stiffness(K: ArrayLike) -> PrincipalStiffness:
    """Principal stiffnesses of a symmetric K (..., 6, 6) without mixing metres and radians.

    With K = [[A, B], [B^T, D]], the eigenvalues of A (rotation held) and of D - B^T A^-1 B (translation free) are
    each of one unit and the same for every reference point (Lipkin and Patterson 1992). The eigenvalues of K itself,
    which some texts print, are not: they change with the unit of length. NaN where K is, or where no leg resists some
    translation. Of a loaded K, which is not symmetric, the symmetric part counts.

    Parameters
    ----------
    K : (..., 6, 6) array
        Stiffness at a point, as `gough.stiffness` gives it [N/m, N/rad, N m/rad].

    Returns
    -------
    PrincipalStiffness
        [N/m] and [N m/rad] with their axes, rising; NaN where K is, or where no leg resists some translation.

    Raises
    ------
    ShapeError
        Another shape than (..., 6, 6).

    """
    K = of_shape("stiffness", K, "(..., 6, 6)")
    known = np.asarray(np.isfinite(K).all(axis=(-1, -2), keepdims=True))
    K = np.where(known, K, np.eye(6))
    A, B, D = K[..., :3, :3], K[..., :3, 3:], K[..., 3:, 3:]
    # Schur complement: moments per rotation where forces vanish, the translation being -A^-1 B times the rotation.
    rotational = D - np.swapaxes(B, -1, -2) @ solve_or_nan(A, B)
    known = known & np.isfinite(rotational).all(axis=(-1, -2), keepdims=True)
    rotational = np.where(known, (rotational + np.swapaxes(rotational, -1, -2)) / 2, np.eye(3))
    # Four parts: values (k even) and axes (k odd) of both; NaN where K is not known.
    parts = (*np.linalg.eigh((A + np.swapaxes(A, -1, -2)) / 2), *np.linalg.eigh(rotational))
    return PrincipalStiffness(*(np.where(known if k % 2 else known[..., 0], p, np.nan) for k, p in enumerate(parts)))


def least_principal_stiffness(K: Array, motion: Literal["translation", "rotation"]) -> Array:
    """The first of `principal_stiffness` of one kind (...) [N/m or N m/rad], without axes: for searches."""
    known = np.asarray(np.isfinite(K).all(axis=(-1, -2)))
    K = np.where(known[..., None, None], K, np.eye(6))
    M = A = K[..., :3, :3]
    if motion == "rotation":
        B = K[..., :3, 3:]
        M = K[..., 3:, 3:] - np.swapaxes(B, -1, -2) @ solve_or_nan(A, B)
        known = known & np.isfinite(M).all(axis=(-1, -2))
        M = np.where(known[..., None, None], M, np.eye(3))
    values = np.linalg.eigvalsh((M + np.swapaxes(M, -1, -2)) / 2)
    if motion == "translation":  # singular A counts as unknown, as in `solve_or_nan`
        known = known & (values[..., 0] > LOST * values[..., -1])
    return np.where(known, values[..., 0], np.nan)


def stiffness_along(
    machine: Machine,
    X: PoseLike,
    direction: ArrayLike,
    *,
    point: ArrayLike | None = None,
    leg_force: ArrayLike | None = None,
) -> float:
    """Force along a direction (3,) over the displacement along it, the platform free to turn: 1 / (e^T C e) [N/m]."""
    e = np.concatenate([np.asarray(direction, dtype=float), np.zeros(3)])
    size = float(np.linalg.norm(e))
    push = e / size if size > 0 else e  # a direction of zero gives NaN below
    given = float(deflection(machine, X, push, point=point, leg_force=leg_force) @ push)
    return 1.0 / given if given > 0 else np.nan


@takes_stacks("gough.stages.stiffness")
@checks_arguments
def deflection(
    machine: Machine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
    leg_force: ArrayLike | None = None,
) -> Array:
    """Displacement of a platform point under a wrench, drives held: K^-1 F (Gosselin 1990).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    wrench : (..., 6) array
        [f, m] on the platform, about `point`, in the base frame [N, N m].
    point, leg_force : see `stiffness`

    Returns
    -------
    (..., 6) array
        [translation, rotation vector] in the base frame [m, rad]; NaN at a singular pose.

    Raises
    ------
    InputError
        The machine has no leg stiffness.
    ShapeError, PoseError
        An array of another shape; a matrix that is no pose.

    """
    F = six("wrench", wrench)[..., None]
    if leg_force is not None:
        return np.asarray(solve_or_nan(stiffness(machine, X, point=point, leg_force=leg_force), F)[..., 0])
    _, _, length, s = screws(machine, checked_matrices(X), point)
    # By the forces of the legs: the condition of K is about the square of that of s, and would cost digits.
    push = solve_or_nan(np.swapaxes(s, -1, -2), F)
    return np.asarray(solve_or_nan(s, push / leg_stiffness(machine, length)[..., None])[..., 0])


@takes_stacks("gough.stages.stiffness")
@checks_arguments
def axial_forces(
    machine: Machine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Forces along the rods (..., 6) [N], pushing positive, that balance a wrench on the platform; NaN if singular.

    The wrench [f, m] (..., 6) [N, N m] is about a platform point (platform frame [m], default the origin), in the base
    frame. With `gravity`, as in `gough.leg_forces`, platform and legs weigh too; the force is then the one along the
    rod at its platform joint, which a rod that weighs also loads across. De Sapio (1998) counts the same forces in
    tension, with the other sign.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    wrench : (..., 6) array
        Applied to the platform, [f, m] in base axes [N, N m].
    point : (3,) array, optional
        About which the wrench is, in the platform frame [m]; default the platform's origin.
    gravity : bool or (..., 3) array
        Whether platform and legs weigh, see `gough.leg_forces`.

    Returns
    -------
    (..., 6) array
        [N], pushing positive; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is no pose.

    """
    matrices = checked_matrices(X)
    F = six("wrench", wrench)
    *_, s = screws(machine, matrices, point)
    if gravity is not False:
        g = machine.free_fall(gravity)
        # Weights that the platform joints carry: the platform's, and the legs' across their rods, about the origin.
        own = ((platform_moments(machine, matrices) + transverse_wrenches(machine, matrices)) @ g[..., None])[..., 0]
        arm = 0.0 if point is None else (matrices[..., :3, :3] @ np.asarray(point, dtype=float))
        F = F + wrench_at(own, np.broadcast_to(arm, (*own.shape[:-1], 3)))
    return np.asarray(-solve_or_nan(np.swapaxes(s, -1, -2), F[..., None])[..., 0])
