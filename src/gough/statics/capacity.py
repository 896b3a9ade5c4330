"""Static actuator forces, and wrench capacity: the largest wrenches that the actuators hold at a pose."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, of_each_joint, of_shape
from gough.errors import InputError, ShapeError
from gough.kinematics.rates import inverse_jacobian
from gough.limits.ties import DRIVE_ROUNDING, tied_legs
from gough.limits.velocity_envelope import inverse_jacobian_at, polytope_vertices
from gough.machine import Machine
from gough.poses import PoseLike, wrench_at
from gough.present.units import force_unit, percent
from gough.quantity import quantity, result
from gough.results import Result
from gough.stacked import AnyMachine, by_machine, joint_limits
from gough.statics.weights import weight_per_gravity


@by_machine
@checks_arguments
def leg_forces(
    machine: Machine, X: PoseLike, wrench: ArrayLike = (0, 0, 0, 0, 0, 0), *, gravity: bool | ArrayLike | None = False
) -> Array:
    """Compute the actuator forces that balance an applied wrench, and with `gravity` the weights of platform and legs.

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


@result
class WrenchCapacity(Result):
    """Largest wrench along directions."""

    factor: Array = quantity(
        "1",
        doc="How many times the given wrench can be held; inf where it takes no actuator force, 0 where the weight "
        "alone is too much.",
    )  # fmt: skip
    leg: NDArray[np.intp] = quantity(
        "1", doc="The leg that reaches its force first, counted from 1; 0 where none does."
    )
    each: Array = quantity(
        "1", "leg_each",
        doc="The same factor leg by leg: those that equal `factor` reach their forces together (`legs`).",
    )  # fmt: skip

    @property
    def legs(self) -> tuple[int, ...]:
        """All legs that reach their forces first, of one wrench at one pose, counted from 1; empty where none does."""
        if self.factor.ndim:
            raise InputError(f"expected a single wrench at a single pose, got shape {self.factor.shape}")
        return tied_legs(self.each)


@checks_arguments
def wrench_capacity(
    machine: AnyMachine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    gravity: bool | ArrayLike | None = False,
    actuator_force: ArrayLike | None = None,
) -> WrenchCapacity:
    """Compute the largest multiple of a wrench that the actuators can hold.

    Forces are linear in it, f = f_weight + factor f_wrench: a leg limits it to (f_max -+ f_weight) / |f_wrench|
    (by definition).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    wrench : (..., 6) array
        [f, m] on the platform, of its origin, in the base frame [N, N m].
    gravity : bool or (..., 3) array
        Whether the machine's own weights are held too, of platform and legs, see `gough.leg_forces`.
    actuator_force : float or (6,) array, optional
        Largest forces, in both directions [N or N m]; default: the machine's value.

    Returns
    -------
    WrenchCapacity
        Factors (...), infinite for a wrench of zero, 0 where the weights alone are too much, NaN where a leg cannot
        close and at a singular pose.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are passed.

    """
    most = actuator_forces(machine, actuator_force)
    per_wrench = leg_forces(machine, X, wrench)
    held = leg_forces(machine, X, np.zeros(6), gravity=gravity)
    # The wrench adds to the weights' force or relieves it: that limit counts towards which the wrench drives the force.
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.maximum(most - np.sign(per_wrench) * held, 0.0)
        each = np.where(per_wrench == 0, np.inf, left / np.abs(per_wrench))
    # Where the weights alone exceed a leg's force nothing can be held: 0 for those legs, no limit by the others.
    is_over = np.abs(held) > most * (1.0 + DRIVE_ROUNDING)
    each = np.where(np.any(is_over, axis=-1, keepdims=True), np.where(is_over, 0.0, np.inf), each)
    factor = each.min(axis=-1)
    leg = np.where(np.isfinite(factor), 1 + np.argmin(each, axis=-1), 0)
    return WrenchCapacity(np.asarray(factor), np.asarray(leg), np.asarray(each))


def known_forces(machine: AnyMachine) -> Array | None:
    """Return the largest forces (6,) of the actuators [N or N m]; None where a stage has none in its file."""
    known = [stage.limits.actuator_force for stage in machine.stages if stage.limits.actuator_force is not None]
    return np.concatenate(known) if len(known) == len(machine.stages) else None


def excess_force(machine: AnyMachine, force: Array) -> str:
    """Return sentence about the most overloaded actuator under forces (..., 6) [N or N m]; empty where none is
    overloaded, as far as their largest forces are known."""
    most = joint_limits(machine, "actuator_force")
    used = np.nan_to_num(np.abs(force).reshape(-1, len(most)) / most).max(axis=0)  # unknown limits and poses count as 0
    i = int(np.argmax(used))
    if not used[i] > 1.0 + DRIVE_ROUNDING:
        return ""
    limit = f"{most[i]:.6g} {force_unit(machine.stages[i // 6])}"
    return f"the actuators cannot hold this: leg {i + 1} needs {percent(used[i], 3)} of its {limit}"


def actuator_forces(machine: AnyMachine, given: ArrayLike | None = None) -> Array:
    """Return the largest forces (6,) of the actuators [N or N m]: those given, else the machine's.

    Raises `InputError` without any.
    """
    largest = known_forces(machine) if given is None else given
    if largest is None:
        raise InputError(
            f"machine {machine.name!r} has no actuator force limits: specify limits.actuator_force, or pass a force"
        )
    return of_each_joint("actuator_force", largest, 6 * len(machine.stages))


@checks_arguments
def guaranteed_wrench(
    machine: AnyMachine,
    X: PoseLike,
    motion: Literal["force", "moment"] = "force",
    *,
    gravity: bool | ArrayLike | None = False,
    point: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
) -> Array:
    """Compute the force [N] available in every direction at a platform point (default: of interest), or the moment [N
    m] about every axis (...).

    The actuators hold |C F + h| <= f_max with C = -J_Vq^T and h their forces under the machine's own weights, which
    `gravity` adds as in `gough.leg_forces`: the largest sphere inside this polytope touches the nearest plane, at
    (f_max - |h|) / |row| (by definition). 0 where the weights alone are too much.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    motion : {"force", "moment"}
        Forces without a moment, or pure moments.
    gravity : bool or (..., 3) array
        Whether the machine's own weights are held too, see `gough.leg_forces`.
    point : (3,) array, optional
        Platform point at which it acts, in the platform frame [m]; default the point of interest.
    actuator_force : float or (6,) array, optional
        Largest forces, in both directions [N or N m]; default: the machine's value.

    Returns
    -------
    (...) array
        [N or N m]; NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are passed.

    """
    # The sign of C does not matter here: amounts alone are used.
    C = np.swapaxes(inverse_jacobian_at(machine, X, point), -1, -2)
    rows = np.linalg.norm(C[..., :3] if motion == "force" else C[..., 3:], axis=-1)
    held = np.abs(leg_forces(machine, X, np.zeros(6), gravity=gravity))
    room = np.maximum(actuator_forces(machine, actuator_force) - held, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray((room / rows).min(axis=-1))


@checks_arguments
def wrench_envelope(
    machine: AnyMachine,
    X: PoseLike,
    motion: Literal["force", "moment"] = "force",
    *,
    gravity: bool | ArrayLike | None = False,
    point: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
) -> Array:
    """Compute the vertices (n, 3) of the polytope of forces [N] at a platform point, or of moments [N m], that the
    actuators hold.

    At one pose, for forces without a moment or pure moments; `gravity` and `point` as in `guaranteed_wrench`, by
    definition all F with |C F + h| <= f_max.
    `InputError` at a singular pose, and where the weights alone are too much.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (4, 4)
        One pose of the platform in the base.
    motion : {"force", "moment"}
        Forces without a moment, or pure moments.
    gravity : bool or (..., 3) array
        Whether the machine's own weights are held too, see `gough.leg_forces`.
    point : (3,) array, optional
        Platform point at which it acts, in the platform frame [m]; default the point of interest.
    actuator_force : float or (6,) array, optional
        Largest forces, in both directions [N or N m]; default: the machine's value.

    Returns
    -------
    (n, 3) array
        Vertices [N or N m], in base axes.

    Raises
    ------
    InputError
        A singular pose, weights that alone are too much, or a machine without actuator forces.

    """
    C = inverse_jacobian_at(machine, X, point).swapaxes(-1, -2)
    if C.ndim != 2:
        raise ShapeError.expected("pose", "(4, 4), one pose", (*C.shape[:-2], 4, 4))
    most = actuator_forces(machine, actuator_force)
    # In parts of the actuators' forces: |held - rows F| <= 1, a polytope that holds the origin.
    rows = (C[:, :3] if motion == "force" else C[:, 3:]) / most[:, None]
    if not np.isfinite(rows).all():
        raise InputError(f"at a singular pose the actuators hold no {motion} in some direction")
    held = leg_forces(machine, X, np.zeros(6), gravity=gravity) / most
    if not (np.abs(held) < 1.0).all():
        i = int(np.argmax(np.abs(held)))
        raise InputError(
            f"the machine's own weights take {percent(abs(held[i]), 4)} of the force of leg {i + 1}: no force is left"
        )
    return polytope_vertices(rows, -held)  # of |rows F - held| <= 1; C is J_Vq^T here, and forces are held - C F


def at_origin(machine: AnyMachine, X: Array, wrench: ArrayLike, point: ArrayLike | None = None) -> Array:
    """Return wrenches (..., 6) about a platform point (default: of interest), as those about the platform's origin."""
    p = given_point(point, machine.point_of_interest)
    return wrench_at(np.asarray(wrench, dtype=float), -(X[..., :3, :3] @ p))
