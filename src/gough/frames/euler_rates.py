"""Rates of Euler angles: angular velocity, its derivatives, and the forces conjugate to the angles.

With the axes n_k about which the angles turn, in base axes and in the order in which they carry one another (moving
axes from the first, fixed ones from the last)::

    w     = sum n_k qd_k                         = E qd
    alpha = sum n_k qdd_k + sum_(l<k) n_l x n_k qd_l qd_k

since n_k turns with the angles before it. Forces do the same work on both, so a moment m has the components E^T m
along the angles.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape, six
from gough.displacements import LOCKED, axes_of
from gough.errors import InputError
from gough.frames.conventions import CONVENTIONS, convention
from gough.poses import (
    ORTHONORMAL_WITHIN,
    PoseLike,
    check_sequence,
    checked_matrices,
    common_shape,
    cross,
    euler_angles,
    rotation_matrix,
    times,
)
from gough.quantity import derived, quantity, result
from gough.results import Result

SAME_LOCK = LOCKED * (1.0 + 1e-6)
"""`LOCKED` with the rounding of angles: what `euler_angles` counts as locked is locked here too [rad]."""


@result
class EulerRates(Result):
    """Linear maps between rates of Euler angles and angular velocities at poses (...)."""

    angles: Array = quantity(
        "rad", "angle", doc="The angles, in the order of the sequence, or as the convention's maker gives them."
    )
    E: Array = quantity(
        "1", "axis", "angle", frame="base",
        doc="w = E qd: column k is the axis about which angle k turns, in base axes. NaN in gimbal lock, where the "
        "pose does not determine the angles, unless angles are passed.",
    )  # fmt: skip
    derivative: Array = quantity(
        "1", "axis", "angle", "by_angle", frame="base", doc="Derivative of E [..., :, k] by angle l in [..., :, k, l]."
    )
    lock: Array = quantity("rad", is_headline=True, doc="Distance of the middle angle from gimbal lock.")
    sequence: str = quantity("", doc="Sequence of axes, or name of the convention.")

    @property
    @derived("")
    def is_locked(self) -> Bools:
        """Whether the pose is in gimbal lock (...): two of the axes line up to 1e-7 rad."""
        return np.asarray(self.lock <= SAME_LOCK)

    @property
    @derived("1", is_listed=False)
    def amplification(self) -> Array:
        """Largest norm of the angles' rates over that of the angular velocity (...); 1 halfway, infinite in lock.

        The least singular value of E is sqrt(1 - cos(lock)), by the angle between the first and the third axis.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(self.is_locked, np.inf, 1.0 / (np.sqrt(2.0) * np.sin(self.lock / 2.0))))

    @cached_property
    @derived("1", "angle", "axis", frame="base")
    def E_inv(self) -> Array:
        """Qd = E_inv w (..., 3, 3): the basis dual to the columns of E; NaN in gimbal lock."""
        E = np.where(self.is_locked[..., None, None], np.nan, self.E)
        rows = np.stack([cross(E[..., (k + 1) % 3], E[..., (k + 2) % 3]) for k in range(3)], axis=-2)
        return np.asarray(rows / (rows[..., 0, :] * E[..., 0]).sum(axis=-1)[..., None, None])

    @property
    @derived("1", "component", "rate", frame="base", is_listed=False)
    def T(self) -> Array:
        """[v, w] = T [v, qd] (..., 6, 6): E for rates of angles next to the velocity of a point."""
        return _beside_translation(self.E)

    @property
    @derived("1", "rate", "component", frame="base", is_listed=False)
    def T_inv(self) -> Array:
        """[v, qd] = T_inv [v, w] (..., 6, 6); NaN in gimbal lock."""
        return _beside_translation(self.E_inv)

    @checks_arguments
    def rates(self, w: ArrayLike) -> Array:
        """Compute the rates of the angles (..., 3) [rad/s] of angular velocities w (..., 3), in base axes; NaN in
        gimbal lock."""
        return times(self.E_inv, of_shape("w", w, "(..., 3)"))

    @checks_arguments
    def accelerations(self, rates: ArrayLike, alpha: ArrayLike) -> Array:
        """Compute the second derivatives of the angles (..., 3) [rad/s2] at rates (..., 3) [rad/s] and angular
        accelerations alpha (..., 3) [rad/s2]; NaN in gimbal lock."""
        return times(self.E_inv, of_shape("alpha", alpha, "(..., 3)") - self.bias(rates))

    @checks_arguments
    def bias(self, rates: ArrayLike) -> Array:
        """Compute the angular acceleration (..., 3) [rad/s2] at constant rates (..., 3) [rad/s] of the angles: Ed
        qd."""
        qd = of_shape("rates", rates, "(..., 3)")
        return np.asarray(np.einsum("...akl,...k,...l->...a", self.derivative, qd, qd))

    @checks_arguments
    def twist(self, rates: ArrayLike) -> Array:
        """Compute twists [v, w] (..., 6) [m/s, rad/s] from rates of position and angles (..., 6), by T."""
        return times(self.T, six("rates", rates))

    @checks_arguments
    def generalized_force(self, wrench: ArrayLike) -> Array:
        """Compute the forces conjugate to position and angles, [f, E^T m] (..., 6) [N, N m], from wrenches [f, m] in
        base axes."""
        return times(np.swapaxes(self.T, -1, -2), six("wrench", wrench))

    @checks_arguments
    def wrench(self, generalized_force: ArrayLike) -> Array:
        """Compute wrenches [f, m] (..., 6) in base axes [N, N m] from forces conjugate to position and angles; NaN in
        lock."""
        return times(np.swapaxes(self.T_inv, -1, -2), six("generalized_force", generalized_force))

    @checks_arguments
    def stiffness(self, K: ArrayLike) -> Array:
        """Compute the stiffness of position and angles, T^T K T (..., 6, 6), from the stiffness K of translations and
        rotations."""
        return np.asarray(np.swapaxes(self.T, -1, -2) @ of_shape("K", K, "(..., 6, 6)") @ self.T)

    @checks_arguments
    def moment_stiffness(self, moment: ArrayLike) -> Array:
        """Compute the change of a moment's components along the angles, per angle (..., 3, 3) [N m/rad].

        d(E^T m)_k / dq_l for a moment m (..., 3) in base axes [N m] that keeps its direction. Added to the angles'
        block of `gough.stiffness(..., sequence=...)` under the load m, it makes of this the stiffness under
        generalized forces that are constant instead: the second derivative of the energy of the legs.
        """
        return np.asarray(np.einsum("...a,...akl->...kl", of_shape("moment", moment, "(..., 3)"), self.derivative))

    def sentence(self) -> str:
        """Describe the distance from gimbal lock and the amplification of rates there, in one sentence."""
        lock = np.atleast_1d(self.lock).ravel()
        if not np.isfinite(lock).any():
            return f"angles {self.sequence}: no pose is known"
        k = int(np.nanargmin(lock))
        which = f"pose {list(map(int, np.unravel_index(k, self.lock.shape)))} " if self.lock.ndim else ""
        if np.atleast_1d(self.is_locked).ravel()[k]:
            where = f"{which}is in gimbal lock" if which else "in gimbal lock"
            return f"angles {self.sequence}: {where}: the pose does not determine the rates of its angles"
        most = float(np.atleast_1d(self.amplification).ravel()[k])
        return (
            f"angles {self.sequence}: {which}{np.rad2deg(lock[k]):.4g} deg from gimbal lock; their rates are up to "
            f"{most:.4g} times the angular velocity"
        )


@checks_arguments
def euler_rates(X: PoseLike, sequence: str, *, angles: ArrayLike | None = None) -> EulerRates:
    """Compute the linear maps between rates of Euler angles and angular velocities.

    w = E qd, with the axes about which the angles turn as columns (Diebel 2006).

    Parameters
    ----------
    X : PoseLike, (..., 4, 4)
        Poses; NaN where a pose is NaN.
    sequence : str
        Three axes in SciPy's spelling, upper case moving, lower case fixed; or the name of a convention of
        `gough.frames.CONVENTIONS`, whose angles are in its maker's order.
    angles : (..., 3) array, optional
        The angles of X [rad], where these are other ones than `gough.euler_angles` and `gough.to_convention` return:
        with the middle angle beyond its range (of three different axes 90 deg), or in gimbal lock.

    Returns
    -------
    EulerRates
        E and its inverse, NaN in gimbal lock, the derivatives of E, and the distance from gimbal lock.

    Raises
    ------
    InputError
        Neither three axes of one case nor a convention; angles of another rotation than that of X.

    """
    axes, order = _axes_and_order(sequence)
    R = checked_matrices(X)[..., :3, :3]
    if angles is None:
        found = euler_angles(X, axes)
    else:
        found = of_shape("angles", angles, "(..., 3)")[..., order]
        common_shape("poses and angles", R.shape[:-2], found.shape[:-1])
        with np.errstate(invalid="ignore"):
            off = np.abs(rotation_matrix(found, axes) - R).max(axis=(-1, -2))
        if (off > ORTHONORMAL_WITHIN).any():
            raise InputError(
                f"angles: their rotation by {sequence!r} differs from that of the pose by {np.nanmax(off):.3g}, "
                f"allowed {ORTHONORMAL_WITHIN:g}; leave them out, or pass the angles [rad] from which the pose was made"
            )
        found = np.broadcast_to(found, (*off.shape, 3))
    is_proper = axes[0].lower() == axes[2].lower()
    # The first and the third axis line up where the middle angle is 0 or 180 deg, of three different axes 90 or -90.
    from_lock = found[..., 1] + (0.0 if is_proper else 0.5 * np.pi)
    lock = np.abs(from_lock - np.pi * np.rint(from_lock / np.pi))
    E = axes_of(found, axes)
    if angles is None:
        E[lock <= SAME_LOCK] = np.nan
    return EulerRates(*_in_order(found, E, _derivative(E, axes), order), lock, sequence)


@checks_arguments
def angular_velocity(X: PoseLike, rates: ArrayLike, sequence: str, *, angles: ArrayLike | None = None) -> Array:
    """Compute the angular velocity of a body from the rates of its Euler angles.

    w = E qd, see `euler_rates` (Diebel 2006).

    Parameters
    ----------
    X : PoseLike, (..., 4, 4)
        Poses of the body.
    rates : (..., 3) array
        Time derivatives of the angles [rad/s].
    sequence : str
        Three axes in SciPy's spelling, or the name of a convention.
    angles : (..., 3) array, optional
        As for `euler_rates`.

    Returns
    -------
    (..., 3) array
        In base axes [rad/s]; NaN in gimbal lock, where the pose does not determine its angles, unless passed.

    Raises
    ------
    InputError
        As `euler_rates`.

    """
    return times(euler_rates(X, sequence, angles=angles).E, of_shape("rates", rates, "(..., 3)"))


@checks_arguments
def angular_acceleration(
    X: PoseLike, rates: ArrayLike, accelerations: ArrayLike, sequence: str, *, angles: ArrayLike | None = None
) -> Array:
    """Compute the angular acceleration of a body from the first and second derivatives of its Euler angles.

    alpha = E qdd + Ed qd, the time derivative of w = E qd (by definition).

    Parameters
    ----------
    X : PoseLike, (..., 4, 4)
        Poses of the body.
    rates : (..., 3) array
        Time derivatives of the angles [rad/s].
    accelerations : (..., 3) array
        Second time derivatives of the angles [rad/s2].
    sequence : str
        Three axes in SciPy's spelling, or the name of a convention.
    angles : (..., 3) array, optional
        As for `euler_rates`.

    Returns
    -------
    (..., 3) array
        In base axes [rad/s2]; NaN in gimbal lock, unless `angles` are passed.

    Raises
    ------
    InputError
        As `euler_rates`.

    """
    maps = euler_rates(X, sequence, angles=angles)
    return np.asarray(times(maps.E, of_shape("accelerations", accelerations, "(..., 3)")) + maps.bias(rates))


def _axes_and_order(sequence: str) -> tuple[str, tuple[int, ...]]:
    """Sequence of axes, and for each of them the place of its angle."""
    if sequence.lower() in CONVENTIONS:
        preset = convention(sequence)
        return preset.sequence, preset.order
    try:
        check_sequence(sequence, "three")
    except InputError as error:
        raise InputError(f"{error}; or one of the conventions {', '.join(CONVENTIONS)}") from None
    return sequence, (0, 1, 2)


def _derivative(E: Array, sequence: str) -> Array:
    """Derivatives of the columns of E (..., 3, 3) by the angles (..., 3, 3, 3): an axis turns about those before it."""
    found = np.zeros((*E.shape, 3))
    carried = range(3) if sequence.isupper() else range(2, -1, -1)
    for place, k in enumerate(carried):
        for before in carried[:place]:
            found[..., k, before] = cross(E[..., before], E[..., k])
    return found


def _in_order(angles: Array, E: Array, derivative: Array, order: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Angles, E and its derivative in the maker's order of the angles, from those in the order of the sequence."""
    place = np.argsort(order)
    return angles[..., place], E[..., place], derivative[..., place, :][..., place]


def _beside_translation(E: Array) -> Array:
    T = np.zeros((*E.shape[:-2], 6, 6))
    T[..., range(3), range(3)] = 1.0
    T[..., 3:, 3:] = E
    return T
