"""Motion compensation: the platform kept still in space while its base moves with a ship, a vehicle or a structure.

With the base's frame at X_OB(t) in inertial axes O, the platform is at rest if X_OB(t) X_BP(t) is constant:

    X_BP(t) = X_OB(t)^-1 X_OB0 X_home

The workspace allows a part of that motion (`fit_motion`); the remaining motion of the platform is in O.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displaced, displacement
from gough.dynamics.drive_peaks import motion_extremes
from gough.dynamics.extremes import Extremes, extremes
from gough.dynamics.histories import history
from gough.dynamics.motions import Motion, States
from gough.errors import InputError, nearest
from gough.machine import Machine
from gough.motion.recorded.fitting import FINER, FITTED_RATE, FittedMotion, even_times, fitted
from gough.motion.recorded.recorded_motion import RecordedMotion
from gough.poses import PoseLike, checked_matrices, inverse_matrices
from gough.quantity import ALONG_AXES, AXES, derived, quantity, result, transform
from gough.results import Result
from gough.stages.dynamics import moving_base_forces

if TYPE_CHECKING:
    import xarray

Movement: TypeAlias = Literal["uncompensated", "remaining"]


@result
class CompensatedMotion(Result):
    """Compensation of a base's motion as far as the machine's workspace allows.

    Attributes
    ----------
    machine : Machine
    wanted : RecordedMotion
        Displacements of the platform for full compensation, as `fit_motion` takes them.
    fitted : FittedMotion
        The platform's motion in the base, with its gain and margins.
    base : RecordedMotion
        Poses of the machine's base in inertial axes.

    """

    machine: Machine
    mount: Array = transform(
        frame="inertial", doc="Pose of its base at the reference, in inertial axes, relative to the recorded point."
    )
    wanted: RecordedMotion
    fitted: FittedMotion
    base: RecordedMotion
    time: Array = quantity("s", "time", doc="Times, four times finer than the samples of the fitted motion.")
    uncompensated: Array = quantity(
        ALONG_AXES, "time", "twist", is_headline=True, frame="inertial",
        doc="Displacement of the point of interest and rotation vector of the platform, held at home.",
    )  # fmt: skip
    remaining: Array = quantity(
        ALONG_AXES, "time", "twist", is_headline=True, frame="inertial", doc="The same with compensation."
    )
    steady: NDArray[np.bool_] = quantity("", "time", doc="Times outside the transitions from and to rest.")

    @property
    @derived(ALONG_AXES, "twist", frame="inertial", label="held, peak")
    def peak_uncompensated(self) -> Array:
        """Largest size of the movement held at home while the motion is steady, between the times too."""
        return self.peak("uncompensated")

    @property
    @derived(ALONG_AXES, "twist", frame="inertial", label="held, RMS")
    def rms_uncompensated(self) -> Array:
        """Root mean square of the movement held at home while the motion is steady."""
        return self.rms("uncompensated")

    @property
    @derived(ALONG_AXES, "twist", frame="inertial", label="compensated, peak")
    def peak_remaining(self) -> Array:
        """Largest size of the remaining movement while the motion is steady, between the times too."""
        return self.peak("remaining")

    @property
    @derived(ALONG_AXES, "twist", frame="inertial", label="compensated, RMS")
    def rms_remaining(self) -> Array:
        """Root mean square of the remaining movement while the motion is steady."""
        return self.rms("remaining")

    def peak(self, movement: Movement) -> Array:
        """Compute the largest amplitude (6,) of a movement while the motion is steady, between the times too [m,
        rad]."""
        return self._extremes[movement].peak

    def rms(self, movement: Movement) -> Array:
        """Compute the root mean square (6,) of a movement while the motion is steady [m, rad]."""
        return self._extremes[movement].rms

    @cached_property
    def _extremes(self) -> dict[str, Extremes]:
        steady = self.time[self.steady]
        inner = np.union1d(self.base.knots, self.fitted.motion.knots)
        inner = inner[(inner > steady[0]) & (inner < steady[-1])]
        size = {name: [(self.machine.size, 0)] for name in ("uncompensated", "remaining")}
        return extremes(self._movements, np.array([steady[0], *inner, steady[-1]]), noise=size)

    def _movements(self, time: Array) -> dict[str, Array]:
        """Displacements (n, 6) in inertial axes with the platform held at home, and with compensation."""
        X_OB, home, c = self.base(time)[0], self.machine.X_home, self.machine.point_of_interest
        poses = {"uncompensated": X_OB @ home, "remaining": X_OB @ self.fitted.motion(time)[0]}
        return {name: displacement(self.mount @ home, X, c) for name, X in poses.items()}

    def forces(self, times: ArrayLike | None = None) -> xarray.Dataset:
        """Compute forces as in `FittedMotion.forces`, on the moving base, without energies; and both movements."""
        t = self.time if times is None else np.asarray(times, dtype=float)
        data = self.fitted.forces(t)
        if "force" in data:
            # Gravity in inertial axes: the machine's own is in axes of the base, here of its reference pose.
            gravity = self.mount[:3, :3] @ self.machine.gravity
            force = partial(_forces_on_base, self.machine, self.base, gravity)
            states, span = self.fitted.motion(t), (float(t.min()), float(t.max()))
            found = motion_extremes(self.machine, self.fitted.motion, force, span=span, knots=self.base.knots)
            on_base = history(self.machine, t, states, force(t, states), found)
            data = on_base.drop_vars(["kinetic", "potential", "energy"]).assign(gain=data["gain"])
        for name in ("uncompensated", "remaining"):
            at = [np.interp(t, self.time, column) for column in getattr(self, name).T]
            data[name] = (("time", "component"), np.transpose(at), {"units": "m, rad"})
        return data


def _forces_on_base(machine: Machine, base: RecordedMotion, gravity: Array, time: Array, states: States) -> Array:
    """Actuator forces (n, 6) at times (n,) on a base that moves, with gravity (3,) in inertial axes."""
    return moving_base_forces(machine, base(time), states, gravity)


@checks_arguments
def compensate(
    machine: Machine,
    motion: Motion,
    *,
    mount: PoseLike | None = None,
    axes: Collection[str] = AXES,
    reserve: float = 0.05,
    gain: Literal["single", "varying"] = "single",
    fade: float = 2.0,
    rate: float = FITTED_RATE,
    progress: Progress = None,
) -> CompensatedMotion:
    """Keep the platform still in space while the base moves, as far as the machine's workspace allows.

    The platform's motion in the base for full compensation is scaled by `fit_motion`: by the margins of all limits
    together, and by the legs' speeds.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Displacements of the vehicle or structure, the unit pose being its reference (`RecordedMotion.relative`).
    mount : PoseLike, optional
        Pose of the machine's base at the reference, in the axes of the motion and relative to its point; the unit pose
        if not given. Its distance from that point matters: a rotation of the vehicle moves the base.
    axes : collection of str
        Compensated axes of the movement in space: "x", "y", "z", "rx", "ry", "rz"; along and about the others the
        platform moves as if held at home.
    reserve, gain, fade, rate, progress
        See `fit_motion`.

    Returns
    -------
    CompensatedMotion
        The platform on the moving base, the gain that the limits allow, and the remaining motion [m, rad].

    Raises
    ------
    InputError
        An unknown axis, or home itself keeps less than the reserve.

    """
    X_OB0 = of_shape("mount", np.eye(4) if mount is None else checked_matrices(mount), "(4, 4): one pose")
    t = even_times(*motion.span, FINER * rate)
    base = RecordedMotion(t, motion(t)[0] @ X_OB0)
    X_OB, at_rest, c = base(t)[0], X_OB0 @ machine.X_home, machine.point_of_interest
    uncompensated = displacement(at_rest, X_OB @ machine.X_home, c)
    # Movement in O that stays: zero along and about the compensated axes. From it the platform's displacement in B.
    kept = np.where(_chosen(axes), 0.0, uncompensated)
    X_OP = displaced(at_rest, kept, c)
    D = displaced(np.eye(4), displacement(machine.X_home, inverse_matrices(X_OB) @ X_OP, c))
    wanted = RecordedMotion(t, D)
    gravity = X_OB0[:3, :3] @ machine.gravity
    force = None if machine.platform is None else partial(_forces_on_base, machine, base, gravity)
    how: dict[str, Any] = {"reserve": reserve, "gain": gain, "fade": fade, "rate": rate, "progress": progress}
    found = fitted(machine, wanted, force, **how)
    remaining = displacement(at_rest, X_OB @ found.motion(t)[0], c)
    # While the gain fades in and out the remaining movement says nothing about the compensation.
    steady = (t >= t[0] + fade) & (t <= t[-1] - fade)
    if not steady.any():
        raise InputError(f"fade: {fade:g} s of fade-in and fade-out exceed the record of {t[-1] - t[0]:.4g} s")
    return CompensatedMotion(machine, X_OB0, wanted, found, base, t, uncompensated, remaining, steady)


def _chosen(axes: Collection[str]) -> NDArray[np.bool_]:
    unknown = [axis for axis in axes if axis not in AXES]
    if unknown or not axes:
        what = f"no axis {unknown[0]!r}" if unknown else "none given"
        hint = nearest(unknown[0], AXES) if unknown else ""
        raise InputError(f"axes: {what}, expected some of {', '.join(AXES)}.{hint}")
    return np.array([axis in axes for axis in AXES])
