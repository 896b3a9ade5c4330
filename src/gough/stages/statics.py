"""Statics of two stages: forces, force balance, stiffness.

At the end platform's point Q, in axes of the base, with the upper stage's stiffness A and the lower one's B there, and
x_I the displacement of the intermediate platform at Q: compliances add, K = (A^-1 + B^-1)^-1 = A (A + B)^-1 B (the
parallel sum of Anderson and Duffin 1969, which exists at singular poses of a stage too). Under a load F = [f, m] at Q
and with weight, A is the stiffness of the upper stage under both in axes that turn with the intermediate platform. In
the base, load and gravity g keep their direction, and their arms from that platform's origin change: r of Q, and c / m
of the mass centre of the upper stage, c being its first moment. With the wrench W g of its weights on the end platform
at Q (W^T is the derivative of c), and the displacement x_P of the end platform

    dF = A (x_P - x_I) + G x_I                      G = [[0, -[f]x], [0, -[m]x]] - [0, W [g]x]
    B x_I = dF + E x_P - (E + H) x_I                E = [[0, 0], [-[f]x, 0]] - [0; [g]x W^T]
                                                    H = [[0, 0], [0, -[f]x [r]x - [g]x [c]x]]

and elimination of x_I gives K = A M^-1 (B + H - G) + G M^-1 (A + E), M = A + B + E + H - G.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.frames.euler_rates import euler_rates
from gough.kinematics.rates import jacobian, solve_or_nan
from gough.poses import PoseLike, common_shape, skew, times, twist_at, wrench_at
from gough.quantity import WRENCH, derived, drive_force, quantity, result
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.dynamics import forces_of, lower_weight, moment_of_upper, upper_weight, weight_of_upper, wrenches
from gough.stages.frames import both_poses, own_poses, transposed_times, upper_base
from gough.statics.capacity import known_forces
from gough.statics.capacity import leg_forces as leg_forces_of_stage
from gough.statics.stiffness import about_origin, arm_of
from gough.statics.stiffness import axial_forces as axial_forces_of
from gough.statics.stiffness import axial_forces as axial_forces_of_stage
from gough.statics.stiffness import deflection as deflection_of_stage
from gough.statics.stiffness import deflection as displacement_of
from gough.statics.stiffness import platform_stiffness as platform_stiffness_of_stage
from gough.statics.stiffness import stiffness as stiffness_of
from gough.statics.stiffness import stiffness as stiffness_of_stage
from gough.statics.weights import held_moments


@result
class ForceBalance(Result):
    """Actuator forces at rest, by their cause; (..., 12) each, the lower stage's first [N, or N m of cranks]."""

    of_wrench: Array = quantity(
        drive_force, "leg", is_headline=True,
        doc="Due to the wrenches applied: both stages carry the one on the end platform.",
    )  # fmt: skip
    of_upper_weight: Array = quantity(
        drive_force, "leg", doc="Due to the weight of the end platform and the upper legs."
    )
    of_lower_weight: Array = quantity(
        drive_force, "leg",
        doc="Due to the weight of the intermediate platform and the lower legs; zero in the upper stage.",
    )  # fmt: skip
    passed_on: Array = quantity(
        WRENCH, "wrench", frame="base",
        doc="Wrench [f, m] of the upper stage on the intermediate platform, about its origin.",
    )  # fmt: skip
    largest: Array | None = quantity(
        drive_force, "leg", doc="Limits of the actuator forces, where both files have them."
    )
    machine: StackedMachine

    @property
    @derived(drive_force, "leg")
    def forces(self) -> Array:
        """Total (..., 12); positive drives the joint coordinate up. NaN at a singular pose."""
        return self.of_wrench + self.of_upper_weight + self.of_lower_weight

    @property
    @derived("1", "leg")
    def used(self) -> Array | None:
        """Utilisation of each actuator's limit (..., 12); None where a file has none."""
        return None if self.largest is None else np.abs(self.forces) / self.largest


@checks_arguments
def force_balance(
    machine: StackedMachine, X: PoseLike, wrench: ArrayLike | None = None, *, gravity: bool | ArrayLike | None = True
) -> ForceBalance:
    """Compute the actuator forces that hold both stages at rest against their weights and wrenches, by cause.

    Virtual work over all bodies: J_qV^T f = -F - (power of weight per V) for the twists V of both platforms
    (Tsai 1999 for one stage).

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base.
    wrench : (6,) or (..., 2, 6) array, optional
        [f, m] on the end platform, or on both, about their origins, in base axes [N, N m].
    gravity : bool or (..., 3) array
        Whether platforms and legs have weight: True for the lower stage's gravity, or the acceleration itself [m/s2].
        All parts of the legs count, as in `gough.leg_forces`.

    Returns
    -------
    ForceBalance
        Its forces (..., 12) [N, or N m of cranks] are NaN in a stage that is singular, and then in the one below.

    Raises
    ------
    InputError
        With gravity, where a stage has no masses.

    """
    poses = both_poses(X)
    applied = wrenches(poses, wrench)
    common_shape("poses and wrenches", poses.shape[:-3], applied.shape[:-1])
    above, below = _weights(machine, poses, gravity)
    of_wrench, upper, lower = (forces_of(machine, poses, part) for part in (-applied, above, below))
    # The upper legs' forces as a wrench on the intermediate platform, and the upper weight that its base carries.
    upper_only = (of_wrench + upper) * np.repeat([0.0, 1.0], 6)
    passed_on = transposed_times(jacobian(machine, poses), upper_only)[..., :6] - above[..., :6]
    return ForceBalance(of_wrench, upper, lower, passed_on, known_forces(machine), machine)


@leg_forces_of_stage.register(StackedMachine)
@checks_arguments
def leg_forces(
    machine: StackedMachine,
    X: PoseLike,
    wrench: ArrayLike = (0, 0, 0, 0, 0, 0),
    *,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Return actuator forces (..., 12), see `gough.leg_forces`; with gravity the masses of both stages must be
    known."""
    return force_balance(machine, X, wrench, gravity=gravity).forces


def held_forces(machine: StackedMachine, X: Array, applied: Array, gravity: bool | ArrayLike | None) -> Array:
    """Return the forces (..., 12) of `force_balance` alone, for wrenches (..., 12) on both platforms."""
    above, below = _weights(machine, X, gravity)
    return forces_of(machine, X, above + below - applied)


def _weights(machine: StackedMachine, X: Array, gravity: bool | ArrayLike | None) -> tuple[Array, Array]:
    """Wrenches on both platforms (..., 12) that hold the upper and the lower stage's weight."""
    if gravity is False:
        return np.zeros(12), np.zeros(12)
    g = machine.free_fall(gravity)
    return upper_weight(machine, X, g), lower_weight(machine, X, g)


@stiffness_of_stage.register(StackedMachine)
@checks_arguments
def stiffness(
    machine: StackedMachine,
    X: PoseLike,
    *,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
    sequence: str | None = None,
) -> Array:
    """Return Cartesian stiffness (..., 6, 6) of the end platform on both stages, see `gough.stiffness`."""
    poses = both_poses(X)
    A, B, E, G, _ = _blocks(machine, poses, point, wrench, gravity)  # B is B + H - G of the derivation
    K = np.asarray(A @ solve_or_nan(A + B + E, B) + G @ solve_or_nan(A + B + E, A + E))
    return K if sequence is None else euler_rates(poses[..., 1, :, :], sequence).stiffness(K)


@platform_stiffness_of_stage.register(StackedMachine)
def platform_stiffness(
    machine: StackedMachine,
    X: Array,
    *,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Return wrenches on both platforms per displacements of both, about their origins (..., 12, 12), in axes of the
    base."""
    A, B, E, G, r = _blocks(machine, X, point, wrench, gravity)
    # The two equations above for [x_I, x_P]; then I's displacement is referred to its own origin instead of Q.
    K = np.concatenate([np.concatenate([A + B + E, -A - E], axis=-1), np.concatenate([G - A, A], axis=-1)], axis=-2)
    from_origin = np.broadcast_to(np.eye(12), K.shape).copy()
    from_origin[..., :3, 3:6] = -skew(r)
    return about_origin(np.swapaxes(from_origin, -1, -2) @ K @ from_origin, arm_of(X[..., 1, :, :], point))


def _blocks(
    machine: StackedMachine,
    poses: Array,
    point: ArrayLike | None,
    wrench: ArrayLike | None,
    gravity: bool | ArrayLike | None,
) -> tuple[Array, Array, Array, Array, Array]:
    """A, B + H - G, E, G (..., 6, 6) of the module's equations and r (..., 3), in axes of the base."""
    X_BI, X_UP = own_poses(machine, poses)
    T, r = _rotation_of_upper(machine, poses), _arm(poses, point)
    at_Q = np.broadcast_to(np.eye(6), T.shape).copy()  # displacement of I's origin per that of its point at Q
    at_Q[..., :3, 3:] = skew(r)
    G, E, H = (np.zeros(T.shape) for _ in range(3))
    above: dict[str, Any] = {}
    below: dict[str, Any] = {}
    if wrench is not None or gravity is not False:
        F = np.zeros(6) if wrench is None else of_shape("wrench", wrench, "(..., 6), on the end platform")
        F, g = np.broadcast_to(F, (*T.shape[:-2], 6)), machine.free_fall(gravity)
        f, m, carried = skew(F[..., :3]), skew(F[..., 3:]), wrench_at(F, -r)
        G[..., :3, 3:], G[..., 3:, 3:], E[..., 3:, :3], H[..., 3:, 3:] = -f, -m, -f, -f @ skew(r)
        if gravity is not False:
            W = T @ held_moments(machine.upper, X_UP)[1] @ np.swapaxes(T[..., :3, :3], -1, -2)
            W[..., 3:, :] -= skew(arm_of(poses[..., 1, :, :], point)) @ W[..., :3, :]  # about Q
            G[..., 3:] -= W @ skew(g)
            E[..., 3:, :] -= skew(g) @ np.swapaxes(W, -1, -2)
            H[..., 3:, 3:] -= skew(g) @ skew(moment_of_upper(machine, poses)[1])
            carried = carried + weight_of_upper(machine, poses, g)
        above = {"wrench": transposed_times(T, F), "gravity": transposed_times(T[..., :3, :3], g)}
        below = {"wrench": carried, "gravity": g}
    A = T @ stiffness_of(machine.upper, X_UP, point=point, **above) @ np.swapaxes(T, -1, -2)
    B = np.swapaxes(at_Q, -1, -2) @ stiffness_of(machine.lower, X_BI, **below) @ at_Q
    return A, B + H - G, E, G, r


@deflection_of_stage.register(StackedMachine)
@checks_arguments
def deflection(
    machine: StackedMachine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Return displacement (..., 6) of the end platform's point, see `gough.statics.deflection`."""
    poses, F = both_poses(X), of_shape("wrench", wrench, "(..., 6), on the end platform")
    (X_BI, X_UP), r, T = own_poses(machine, poses), _arm(poses, point), _rotation_of_upper(machine, poses)
    above = displacement_of(machine.upper, X_UP, transposed_times(T, F), point=point)
    below = displacement_of(machine.lower, X_BI, wrench_at(F, -r))
    return np.asarray(times(T, above) + twist_at(below, r))


@axial_forces_of_stage.register(StackedMachine)
@checks_arguments
def axial_forces(
    machine: StackedMachine,
    X: PoseLike,
    wrench: ArrayLike,
    *,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Return forces along the twelve rods (..., 12) under a wrench on the end platform, see
    `gough.statics.axial_forces`.

    With gravity the lower stage carries all bodies of the upper one, whose masses must be known.
    """
    poses, F = both_poses(X), of_shape("wrench", wrench, "(..., 6), on the end platform")
    (X_BI, X_UP), T = own_poses(machine, poses), _rotation_of_upper(machine, poses)
    carried, g, g_U = wrench_at(F, -_arm(poses, point)), gravity, gravity
    if gravity is not False:
        g = machine.free_fall(gravity)
        carried = carried + weight_of_upper(machine, poses, g)
        g_U = transposed_times(T[..., :3, :3], g)
    upper = axial_forces_of(machine.upper, X_UP, transposed_times(T, F), point=point, gravity=g_U)
    lower = axial_forces_of(machine.lower, X_BI, carried, gravity=g)
    return np.concatenate(np.broadcast_arrays(lower, upper), axis=-1)


def _arm(X: Array, point: ArrayLike | None) -> Array:
    """From the intermediate platform's origin to a point of the end platform (..., 3), in the base frame [m]."""
    at = np.zeros(3) if point is None else np.asarray(point, dtype=float)
    return np.asarray(X[..., 1, :3, :3] @ at + X[..., 1, :3, 3] - X[..., 0, :3, 3])


def _rotation_of_upper(machine: StackedMachine, X: Array) -> Array:
    """T (..., 6, 6), which rotates twists and wrenches from axes of the upper stage's base to those of the base."""
    R_BU = upper_base(machine, X)[..., :3, :3]
    T = np.zeros((*R_BU.shape[:-2], 6, 6))
    T[..., :3, :3] = T[..., 3:, 3:] = R_BU
    return T
