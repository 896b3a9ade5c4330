"""Stiffness of two stages in series: both transmit the same wrench, and their displacements add.

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
from gough.kinematics.rates import solve_or_nan, times
from gough.poses import PoseLike, skew, twist_at, wrench_at
from gough.stacked import StackedMachine
from gough.stages.equations import moment_of_upper, weight_of_upper
from gough.stages.frames import both_poses, own_poses, transposed_times, upper_base
from gough.statics.stiffness import about_origin, arm_of
from gough.statics.stiffness import axial_forces as axial_forces_of
from gough.statics.stiffness import axial_forces as axial_forces_of_stage
from gough.statics.stiffness import deflection as deflection_of_stage
from gough.statics.stiffness import deflection as displacement_of
from gough.statics.stiffness import platform_stiffness as platform_stiffness_of_stage
from gough.statics.stiffness import stiffness as stiffness_of
from gough.statics.stiffness import stiffness as stiffness_of_stage
from gough.statics.weights import held_moments


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
    """Cartesian stiffness (..., 6, 6) of the end platform on both stages, see `gough.stiffness`."""
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
    """Wrenches on both platforms per displacements of both, about their origins (..., 12, 12), in axes of the base."""
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
    """Displacement (..., 6) of the end platform's point, see `gough.statics.deflection`."""
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
    """Forces along the twelve rods (..., 12) under a wrench on the end platform, see `gough.statics.axial_forces`.

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
