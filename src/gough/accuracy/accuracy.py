"""Resolution and accuracy of the platform at a pose."""

from __future__ import annotations

from dataclasses import field
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_each_joint, of_shape
from gough.errors import InputError
from gough.kinematics.rates import solve_or_nan
from gough.limits.ties import listed
from gough.limits.velocity_envelope import inverse_jacobian_at
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.show import Show
from gough.present.units import round_number
from gough.quantity import ALONG_AXES, derived, quantity, result
from gough.results import NamedResults, Result
from gough.stacked import AnyMachine
from gough.statics.stiffness import screws

PARAMETERS = (
    *(f"base point {i} {axis}" for i in range(1, 7) for axis in "xyz"),
    *(f"platform point {i} {axis}" for i in range(1, 7) for axis in "xyz"),
    *(f"rod length {i}" for i in range(1, 7)),
)
"""Names of the 42 geometric parameters, the columns of `parameter_sensitivity`; all lengths [m]."""


LIKELY = 2e-5
"""Error of a part, relative to the machine's size, that good manufacture leaves."""


def likely_error(machine: AnyMachine) -> float:
    """Return the error of parts to count with where none is given [m]: a round number, at most `LIKELY` of the
    machine's size."""
    return round_number(LIKELY * machine.size)


def length_name(machine: Machine) -> str:
    """Return what people call the error of a leg's length: struts have no rods, but an offset of what they measure."""
    return "leg length offset" if machine.legs.rod() is None else "rod length"


def parameter_names(machine: Machine) -> tuple[str, ...]:
    """`PARAMETERS` as people read them."""
    return tuple(name.replace("rod length", length_name(machine)) for name in PARAMETERS)


@result
class ErrorBudget(Result):
    """Pose error (..., 6) [m, rad] of geometric tolerances: worst case, and RMS for independent parameters.

    `unknown` names the tolerances that are not specified and without which the error is unknown; it is then NaN.
    """

    worst_case: Array = quantity(
        ALONG_AXES, "twist", frame="base", label="worst case",
        doc="Sum of the parts of all parameters without sign: the error along and about each axis, worst signs.",
    )  # fmt: skip
    rms: Array = quantity(
        ALONG_AXES, "twist", frame="base", label="RMS",
        doc="Root of the sum of squares of the same parts: independent parameters.",
    )  # fmt: skip
    machine: AnyMachine
    unknown: tuple[str, ...] = field(default=(), kw_only=True)

    def sentence(self) -> str:
        """Return the largest errors, or the tolerances that are missing, in one sentence."""
        if self.unknown:
            return f"unknown without a tolerance of {listed(self.unknown)}, 0 for exact parts"
        return super().sentence()


@result
class Resolution(ErrorBudget):
    """Displacement of one platform point, and rotation, by the smallest joint steps; leading axes are the poses'.

    Attributes
    ----------
    machine : Machine

    """

    worst_translation: Array = quantity(
        "m", label="whole displacement, at worst", doc="Largest length of the displacement over all signs of the steps."
    )
    worst_rotation: Array = quantity(
        "rad", label="whole rotation, at worst", doc="Largest angle of the rotation over all signs of the steps."
    )

    def sentences(self) -> list[str]:
        """Describe the displacement and the rotation of a step over three axes at one pose, in the units of the
        machine's file."""
        show, said = Show(self.machine), []
        translation = ("translation", "m", (self.worst_translation, self.rms_distance))
        rotation = ("rotation", "rad", (self.worst_rotation, self.rms_angle))
        for motion, unit, both in (translation, rotation):
            worst, rms = (show.with_unit(value, unit, 4) for value in both)
            said.append(f"over three axes a step is a {motion} of {worst} at worst, {rms} RMS")
        return said

    @property
    @derived("m", label="whole displacement, RMS")
    def rms_distance(self) -> Array:
        """Length (...) of the three `rms` along x, y, z: root mean square of the whole displacement [m]."""
        return np.asarray(np.linalg.norm(self.rms[..., :3], axis=-1))

    @property
    @derived("rad", label="whole rotation, RMS")
    def rms_angle(self) -> Array:
        """Length (...) of the three `rms` about the axes: root mean square of the whole rotation [rad]."""
        return np.asarray(np.linalg.norm(self.rms[..., 3:], axis=-1))


@checks_arguments
def resolution(
    machine: AnyMachine, X: PoseLike, *, joint_step: ArrayLike | None = None, point: ArrayLike | None = None
) -> Resolution:
    """Compute the platform's smallest step for specified joint steps, to first order: J_Vq times the steps.

    At worst |J_Vq| dq, and the root of the sum of squares for independent steps (by definition, with dV = J_Vq dq).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    joint_step : float or (6,) array, optional
        Smallest steps of the joints [m or rad]; default: the machine's `actuators.resolution`.
    point : (3,) array, optional
        Platform point that is meant, in the platform frame [m]; default the point of interest.

    Returns
    -------
    Resolution
        NaN at a singular pose.

    Raises
    ------
    InputError
        Without joint steps.

    """
    step = steps_given(machine, joint_step)
    moves = inverse_jacobian_at(machine, X, point) * step
    # A length is convex in the steps, so that its maximum is at a corner of their box; opposite corners have the same.
    signs = np.array(list(product((-1.0, 1.0), repeat=moves.shape[-1] - 1)))
    corners = moves @ np.column_stack([signs, np.ones(len(signs))]).T
    return Resolution(
        worst_case=np.abs(moves).sum(axis=-1),
        rms=np.sqrt((moves**2).sum(axis=-1)),
        worst_translation=np.linalg.norm(corners[..., :3, :], axis=-2).max(axis=-1),
        worst_rotation=np.linalg.norm(corners[..., 3:, :], axis=-2).max(axis=-1),
        machine=machine,
    )


def steps_given(machine: AnyMachine, joint_step: ArrayLike | None) -> Array:
    """Return the smallest steps (6,) of the joints [m or rad]: those given, else the machine's; `InputError` without
    any."""
    if joint_step is not None:
        return of_each_joint("joint_step", joint_step, 6 * len(machine.stages), may_be_zero=True)
    known = [stage.actuators.resolution for stage in machine.stages if stage.actuators.resolution is not None]
    if len(known) < len(machine.stages):
        raise InputError(
            f"machine {machine.name!r} has no actuator resolution: specify actuators.resolution, or pass a step"
        )
    return np.concatenate([np.broadcast_to(np.asarray(each, dtype=float), (6,)) for each in known])


@checks_arguments
def parameter_sensitivity(machine: Machine, X: PoseLike, *, point: ArrayLike | None = None) -> Array:
    """Compute the first-order pose error per error of each of the 42 geometric parameters, at constant joint
    coordinates.

    Differentiating |t + R b - p| = L with the rod directions u: u . v + (rho x u) . w = dL + u . dp - u . R db
    (by definition the derivative; Merlet 2006, the error Jacobian).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    point : (3,) array, optional
        Platform point whose displacement is meant, in the platform frame [m]; default the point of interest.

    Returns
    -------
    (..., 6, 42) array
        Displacement [v, w] in the base frame per parameter [m/m, rad/m]; NaN at a singular pose. The columns are named
        by `gough.accuracy.PARAMETERS`: 0 to 17 the base points' x, y, z in the base frame, leg by leg, 18 to 35 the
        platform points' in the platform frame, 36 to 41 the rod lengths. For sliders and cranks the base point is the
        whole drive, moved; for struts the rod length is the zero of the measured length.

    """
    matrices = checked_matrices(X)
    u, _, _, s = screws(machine, matrices, machine.point_of_interest if point is None else point)
    # Right side of the equation, row by leg: u . dp, -u . R db with u in the platform's axes, dL.
    right = np.zeros((*u.shape[:-2], 6, 42))
    u_P = u @ matrices[..., :3, :3]
    for i in range(6):
        right[..., i, 3 * i : 3 * i + 3] = u[..., i, :]
        right[..., i, 18 + 3 * i : 21 + 3 * i] = -u_P[..., i, :]
        right[..., i, 36 + i] = 1.0
    return solve_or_nan(s, right)


@checks_arguments
def pose_error(machine: Machine, X: PoseLike, tolerance: ArrayLike, *, point: ArrayLike | None = None) -> ErrorBudget:
    """Compute the pose error of tolerances on the 42 parameters of `parameter_sensitivity`.

    With its columns s_k: sum |s_k| tol_k, and the root of the sum of squares (by definition, to first order).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    tolerance : float or (42,) array
        Of all parameters, or of each in the order of `gough.accuracy.PARAMETERS` [m].
    point : (3,) array, optional
        Platform point, in the platform frame [m]; default the point of interest.

    Returns
    -------
    ErrorBudget
        [m, rad]; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    per_parameter = of_shape("tolerance", tolerance, "() or (42,)")
    return _budget(machine, parameter_sensitivity(machine, X, point=point) * per_parameter)


@checks_arguments
def error_by_group(
    machine: Machine,
    X: PoseLike,
    *,
    points: float | None = None,
    lengths: float | None = None,
    encoder: float | None = None,
    point: ArrayLike | None = None,
) -> NamedResults[ErrorBudget]:
    """Compute the pose error of tolerances by group: joint positions, lengths, encoders, and all together.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    points : float, optional
        Tolerance of each coordinate of the joint points of base and platform [m].
    lengths : float, optional
        Of the rod lengths, of struts of the offsets of their lengths [m].
    encoder : float, optional
        Of every joint coordinate as it is measured [m or rad].
    point : (3,) array, optional
        Platform point, in the platform frame [m]; default the point of interest.

    Returns
    -------
    NamedResults of ErrorBudget
        "joint positions", "lengths", "encoders" and "together" [m, rad]: worst cases add up, independent errors add
        up in squares. NaN where a leg cannot close, at a singular pose, and where a tolerance is not specified:
        `unknown` names it. Exact parts have a tolerance of 0.

    Raises
    ------
    InputError
        A tolerance that is below zero or not finite.

    """
    tolerances = {"points": points, "lengths": lengths, "encoder": encoder}
    for name, value in tolerances.items():
        if value is not None and not 0.0 <= value < np.inf:
            raise InputError(f"{name}: {value:g}, expected a tolerance of 0 or more")
    t = {name: np.nan if value is None else value for name, value in tolerances.items()}
    is_length = np.array([name.startswith("rod") for name in PARAMETERS])  # the other columns are joint positions
    moves = parameter_sensitivity(machine, X, point=point)
    parts = {
        "joint positions": ("points", moves[..., ~is_length] * t["points"]),
        "lengths": ("lengths", moves[..., is_length] * t["lengths"]),
        "encoders": ("encoder", inverse_jacobian_at(machine, X, point) * t["encoder"]),
    }
    unknown = tuple(name for name, value in tolerances.items() if value is None)
    found = {
        group: _budget(machine, errors, (name,) if name in unknown else ()) for group, (name, errors) in parts.items()
    }
    together = np.concatenate([errors for _, errors in parts.values()], axis=-1)
    return NamedResults({**found, "together": _budget(machine, together, unknown)})


def _budget(machine: AnyMachine, moves: Array, unknown: tuple[str, ...] = ()) -> ErrorBudget:
    """Sums of the displacements (..., 6, n) [m, rad] by n independent errors."""
    return ErrorBudget(np.abs(moves).sum(axis=-1), np.sqrt((moves**2).sum(axis=-1)), machine, unknown=unknown)
