"""Cartesian stiffness of the platform on its legs.

With s_i = [u_i, rho_i x u_i] the wrench of a unit push of leg i (rho = R b), a leg of axial stiffness k_i gives
K = sum k_i s_i s_i^T (Gosselin 1990, for struts). The same rows serve sliders and cranks with their drives held:
k_i is then the stiffness along the rod.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, of_shape, six
from gough.errors import InputError
from gough.frames.euler_rates import euler_rates
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import LOST, solve_or_nan
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, skew, wrench_at
from gough.present.answer import Field
from gough.quantity import AXES, derived, quantity, result
from gough.results import Result
from gough.stacked import by_machine
from gough.statics.weights import (
    across_of,
    held_moments,
    platform_moments,
    rod_weight_stiffness,
    transverse_wrenches,
)

ROUND_OFF = 32 * float(np.finfo(float).eps)
"""Rounding error of the eigenvalues of a stiffness, as a part of its size: of 3 by 3 matrices, sums of six products."""


@result
class PrincipalStiffness(Result):
    """Principal stiffnesses that do not mix units and do not depend on the point K is written for."""

    translation: Array = quantity(
        "N/m", "principal", is_headline=True, frame="along the principal axes",
        doc="Eigenvalues of A, K = [[A, B], [B^T, D]]: force per displacement with rotation held, ascending.",
    )  # fmt: skip
    translation_axes: Array = quantity(
        "1", "axis", "principal", frame="base", doc="Directions of the principal translations, as columns."
    )
    rotation: Array = quantity(
        "N m/rad", "principal", is_headline=True, frame="along the principal axes",
        doc="Eigenvalues of D - B^T A^-1 B: moment per angle with the platform free to translate, ascending.",
    )  # fmt: skip
    rotation_axes: Array = quantity(
        "1", "axis", "principal", frame="base", doc="Axes of the principal rotations, as columns."
    )

    @property
    @derived("", is_listed=False)
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether no stiffness is negative (...): no displacement releases energy."""
        least = np.minimum(self.translation[..., 0], self.rotation[..., 0])
        return np.asarray(least >= 0.0)

    def rows(self) -> tuple[list[str], list[Field]]:
        """Tabulate one pose's stiffnesses: motions, and fields of the stiffnesses and their axes."""
        motions = [motion for motion in ("translation", "rotation") for _ in range(3)]
        units = [str(self.QUANTITIES[motion].unit) for motion in motions]
        axes = np.concatenate([self.translation_axes.T, self.rotation_axes.T])
        values = np.concatenate([self.translation, self.rotation])
        return motions, [
            Field("", values, units, head="stiffness", of=("translation.values", "rotation.values")),
            Field("", axes, "1", AXES[:3], head="axis {}", of=("translation.axes", "rotation.axes")),
        ]


@by_machine
@checks_arguments
def stiffness(
    machine: Machine,
    X: PoseLike,
    *,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
    sequence: str | None = None,
) -> Array:
    """Compute the Cartesian stiffness: the wrench that displaces the platform, per displacement.

    K = sum k_i s_i s_i^T with the rods' screws s = [u, rho x u] (Gosselin 1990, for struts). Under a load, the change
    of all forces in equilibrium counts (Griffis and Duffy 1993): of the rods, which turn; of the weights and of the
    applied force, whose arms turn. A dead weight W at the arm r adds (r . W) 1 - r W^T to the moments per rotation.

    Parameters
    ----------
    machine : Machine
        With `actuators.stiffness`, or `modulus` and `area` (k = E A / rod length); joint stiffnesses act in series. Two
        stages are in series too: their compliances at the point add.
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    point : (3,) array, optional
        Platform point that displacements and wrenches are about, in the platform frame [m]; default the origin.
    wrench : (..., 6) array, optional
        [f, m] that acts on the (end) platform at `point` and keeps its direction, in the base frame [N, N m].
    gravity : bool or (..., 3) array
        Whether the weights of platform and legs act too, see `gough.leg_forces`.
    sequence : str, optional
        With a sequence of axes or the name of a convention, K is that of position and angles instead, T^T K T with T of
        `gough.frames.euler_rates`: forces conjugate to them, per change of them (De Sapio 1998, appendix C).

    Returns
    -------
    (..., 6, 6) array
        In the base frame [N/m, N/rad; N m/m, N m/rad], rotations about fixed axes; NaN where a leg cannot close, and
        under a load where no forces balance it. Symmetric under forces: K is then the second derivative of the whole
        potential energy. A moment that keeps its direction has none, and adds -[m]x / 2. With `sequence` all this holds
        for the coordinates, since forces in equilibrium have no first derivative to add; NaN in gimbal lock.

    Raises
    ------
    InputError
        The machine has no leg stiffness; `sequence` is neither three axes nor a convention.

    """
    matrices = checked_matrices(X)
    *_, length, s = screws(machine, matrices, point)
    K = np.swapaxes(s, -1, -2) @ (leg_stiffness(machine, length)[..., None] * s)
    if wrench is not None or gravity is not False:
        F = np.zeros(6) if wrench is None else six("wrench", wrench)
        K = K + _geometric(machine, matrices, point, F, machine.free_fall(gravity))
    return np.asarray(K if sequence is None else euler_rates(matrices, sequence).stiffness(K))


@by_machine
def platform_stiffness(
    machine: Machine,
    X: Array,
    *,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Return wrenches on all platforms per twists of all, about their origins: `stiffness`.

    The load is that of `stiffness`, its wrench about `point`.
    """
    K = stiffness(machine, X, point=point, wrench=wrench, gravity=gravity)
    return about_origin(K, arm_of(X, point))


def about_origin(K: Array, arm: Array) -> Array:
    """Return stiffness (..., n, n) about the origin of the platform of the last six rows, given that about a point of
    it.

    The arm (..., 3) leads from the origin to the point, in the base frame. The forces are in equilibrium.
    """
    shift = np.broadcast_to(np.eye(K.shape[-1]), K.shape).copy()
    shift[..., -6:-3, -3:] = -skew(arm)
    return np.asarray(np.swapaxes(shift, -1, -2) @ K @ shift)


def arm_of(X: Array, point: ArrayLike | None) -> Array:
    """Return arm (..., 3) of a point of the platform (platform frame, default the origin), in the base frame [m]."""
    return np.asarray(X[..., :3, :3] @ given_point(point, np.zeros(3)))


def rods(machine: Machine, X: Array, point: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return rods d = b - p (..., 6, 3) and platform joints seen from `point` (default: the origin), in the base frame
    [m]."""
    R = X[..., :3, :3]
    origin = given_point(point, np.zeros(3))
    rho = (machine.b_P - origin) @ np.swapaxes(R, -1, -2)
    b = machine.b_P @ np.swapaxes(R, -1, -2) + X[..., None, :3, 3]
    return b - machine.legs.driven_points(inverse_kinematics(machine, X)), rho


def screws(machine: Machine, X: Array, point: ArrayLike | None = None) -> tuple[Array, Array, Array, Array]:
    """Return rod directions u and arms rho (..., 6, 3), lengths (..., 6) [m], wrenches s = [u, rho x u] (..., 6, 6)."""
    d, rho = rods(machine, X, point)
    length = np.linalg.norm(d, axis=-1)
    u = d / length[..., None]
    return u, rho, length, np.concatenate([u, np.cross(rho, u)], axis=-1)


def leg_stiffness(machine: Machine, length: Array) -> Array:
    """Return axial stiffness of the legs (..., 6) with rods of the given length [N/m], joints in series."""
    a = machine.actuators
    if a.stiffness is not None:
        compliance = np.broadcast_to(1.0 / a.stiffness, length.shape)
    elif a.axial_rigidity is not None:
        compliance = length / a.axial_rigidity
    else:
        raise InputError(
            f"machine {machine.name!r} has no leg stiffness: specify actuators.stiffness, or actuators.modulus and area"
        )
    for joint in (a.base_joint_stiffness, a.platform_joint_stiffness):  # in series: compliances add
        if joint is not None:
            compliance = compliance + 1.0 / joint
    return np.asarray(1.0 / compliance)


def _geometric(machine: Machine, X: Array, point: ArrayLike | None, F: Array, g: Array) -> Array:
    """Stiffness (..., 6, 6) about `point` of the forces in equilibrium with the wrench F there and with gravity g."""
    u, rho, length, s = screws(machine, X, point)
    at_joint, weights = held_moments(machine, X)
    G, arm = (weights @ g[..., None])[..., 0], arm_of(X, point)
    push = -solve_or_nan(np.swapaxes(s, -1, -2), (F + wrench_at(G, arm))[..., None])
    carried = (at_joint @ g[..., None, :, None])[..., 0]
    # Forces h of a leg on the platform and their change -H per displacement of the platform joint.
    h = push * u + carried
    H = rod_weight_stiffness(machine, X, g) - (push / length[..., None])[..., None] * across_of(u)
    J = np.concatenate([np.broadcast_to(np.eye(3), (*rho.shape, 3)), -skew(rho)], axis=-1)
    K = (np.swapaxes(J, -1, -2) @ H @ J).sum(axis=-3)
    K[..., 3:, 3:] += _turning(h, rho).sum(axis=-3)
    if machine.platform is not None:
        centre = X[..., :3, :3] @ machine.platform.mass_centre - arm
        K[..., 3:, 3:] += _turning(machine.platform.mass * g, centre)
    return np.asarray(K)


def _turning(force: Array, arm: Array) -> Array:
    """Moments per rotation (..., 3, 3) of a force that keeps its direction while its arm turns: (r . f) 1 - r f^T."""
    return np.asarray(-skew(force) @ skew(arm))


@checks_arguments
def principal_stiffness(K: ArrayLike) -> PrincipalStiffness:
    """Compute the principal stiffnesses of a symmetric K (..., 6, 6) without mixing metres and radians.

    With K = [[A, B], [B^T, D]], the eigenvalues of A (rotation held) and of D - B^T A^-1 B (translation free) are
    each of one unit and the same for every reference point (Lipkin and Patterson 1992). The eigenvalues of K itself,
    which some texts print, are not: they change with the unit of length. NaN where K is, or where no leg resists some
    translation. For a loaded K, which is not symmetric, the symmetric part is used.

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
    K = np.where(known, (K + np.swapaxes(K, -1, -2)) / 2, np.eye(6))
    A, B, D = K[..., :3, :3], K[..., :3, 3:], K[..., 3:, 3:]
    rotational, rounding = _rotational(A, B, D)
    known = known & np.isfinite(rotational).all(axis=(-1, -2), keepdims=True)
    rotational = np.where(known, rotational, np.eye(3))
    (along, along_axes), (about, about_axes) = np.linalg.eigh(A), np.linalg.eigh(rotational)
    along = _beyond_rounding(along, ROUND_OFF * np.abs(along).max(axis=-1))
    # Four parts: values (k even) and axes (k odd) of both; NaN where K is not known.
    parts = (along, along_axes, _beyond_rounding(about, rounding), about_axes)
    return PrincipalStiffness(*(np.where(known if k % 2 else known[..., 0], p, np.nan) for k, p in enumerate(parts)))


def _rotational(A: Array, B: Array, D: Array) -> tuple[Array, Array]:
    """Moments per rotation (..., 3, 3) where forces vanish, and the rounding error (...) of their eigenvalues."""
    # Schur complement: the translation is -A^-1 B times the rotation.
    shift = solve_or_nan(A, B)
    found = D - np.swapaxes(B, -1, -2) @ shift
    # An error of A's rounding enters by the squared shift.
    size_D, size_A, size = (np.linalg.norm(M, axis=(-1, -2)) for M in (D, A, shift))
    return (found + np.swapaxes(found, -1, -2)) / 2, np.asarray(ROUND_OFF * (size_D + size_A * size**2))


def _beyond_rounding(values: Array, rounding: Array) -> Array:
    """Eigenvalues (..., 3), zero where they do not exceed their rounding error (...)."""
    return np.where(np.abs(values) <= rounding[..., None], 0.0, values)


def least_principal_stiffness(K: Array, motion: Literal["translation", "rotation"]) -> Array:
    """Return the first of `principal_stiffness` of one kind (...) [N/m or N m/rad], without axes: for searches."""
    known = np.asarray(np.isfinite(K).all(axis=(-1, -2)))
    K = np.where(known[..., None, None], K, np.eye(6))
    M = A = K[..., :3, :3]
    if motion == "rotation":
        M, rounding = _rotational(A, K[..., :3, 3:], K[..., 3:, 3:])
        known = known & np.isfinite(M).all(axis=(-1, -2))
        M = np.where(known[..., None, None], M, np.eye(3))
    values = np.asarray(np.linalg.eigvalsh(M), dtype=float)
    if motion == "translation":  # singular A counts as unknown, as in `solve_or_nan`
        rounding = np.asarray(ROUND_OFF * np.abs(values).max(axis=-1))
        known = known & (values[..., 0] > LOST * values[..., -1])
    return np.where(known, _beyond_rounding(values, rounding)[..., 0], np.nan)


def stiffness_along(K: Array, direction: ArrayLike) -> float:
    """Return the force along a direction (3,) over the displacement along it, the platform free to turn: 1 / (e^T K^-1
    e) [N/m].

    Of `stiffness` K (6, 6) at a point; negative where a load makes the pose unstable, NaN for a direction of zero.
    """
    e = np.asarray(direction, dtype=float)
    size = float(np.linalg.norm(e))
    if not size > 0:
        return np.nan
    push = np.concatenate([e / size, np.zeros(3)])
    yielding = float(solve_or_nan(K, push[:, None])[:, 0] @ push)
    return 1.0 / yielding if yielding else np.nan


@by_machine
@checks_arguments
def deflection(
    machine: Machine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Compute the displacement of a platform point under a small wrench, drives held: K^-1 F (Gosselin 1990).

    Under a load that the legs carry already, solve with the K of `gough.stiffness` under that load instead.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    wrench : (..., 6) array
        [f, m] on the platform, about `point`, in the base frame [N, N m].
    point : see `stiffness`

    Returns
    -------
    (..., 6) array
        [translation, rotation vector] in the base frame [m, rad]; NaN at a singular pose.

    Raises
    ------
    InputError
        The machine has no leg stiffness.
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    F = six("wrench", wrench)[..., None]
    _, _, length, s = screws(machine, checked_matrices(X), point)
    # By the forces of the legs: the condition of K is about the square of that of s, and would cost digits.
    push = solve_or_nan(np.swapaxes(s, -1, -2), F)
    return np.asarray(solve_or_nan(s, push / leg_stiffness(machine, length)[..., None])[..., 0])


@by_machine
@checks_arguments
def axial_forces(
    machine: Machine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Compute the forces along the rods (..., 6) [N], compression positive, that balance a wrench on the platform; NaN
    if singular.

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
        [N], compression positive; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    matrices = checked_matrices(X)
    F = six("wrench", wrench)
    *_, s = screws(machine, matrices, point)
    if gravity is not False:
        g = machine.free_fall(gravity)
        # Weights that the platform joints carry: the platform's, and the legs' across their rods, about the origin.
        own = ((platform_moments(machine, matrices) + transverse_wrenches(machine, matrices)) @ g[..., None])[..., 0]
        F = F + wrench_at(own, arm_of(matrices, point))
    return np.asarray(-solve_or_nan(np.swapaxes(s, -1, -2), F[..., None])[..., 0])
