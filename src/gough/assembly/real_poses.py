"""Real poses with given joint coordinates: refinement, double roots, and poses of self-motions.

Regular poses are refined by Newton's method on SE(3), others by least squares. A machine has few poses: helpers of
kernels run here as plain Python, which raises where machine code continues with inf and NaN.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from gough._linear_algebra import eliminate
from gough.arrays import Array, Bools
from gough.displacements import displaced
from gough.kinematics._equations import (
    EQUATION_ROWS,
    D,
    copy_pose,
    largest_miss,
    orthonormalised,
    place_feet,
    rotate,
    search,
    write_equations,
)
from gough.machine import Machine
from gough.singularity.conditioning import dexterity_of, scaled_singular_values

FITS = 1e-11
"""Largest leg error of a singular pose, in machine sizes: the error of the pose is of the order of its square root."""
ROUNDING = 4 * float(np.finfo(float).eps)
"""Rounding error of a leg error, relative to the largest coordinate: it matters if frames are far from the machine."""
SINGULAR = 1e-4
"""Largest conditioning of a singular pose, which is known to the square root of rounding."""
NUDGE = 1e-2
"""Displacement by which self-motions are probed, in machine sizes and rad."""


def apart(machine: Machine, X: Array, Y: Array) -> Array:
    """Return distances (...) of poses (..., 4, 4): the larger of the centre's shift in machine sizes and differences in
    R."""
    off = X - Y
    shift = np.abs(off @ np.array([*machine.platform_centre, 1.0])).max(axis=-1)
    return np.asarray(np.maximum(shift / machine.size, np.abs(off[..., :3, :3]).max(axis=(-1, -2))))


def leg_gradients(machine: Machine, q: Array, X: Array) -> Array:
    """Return gradients (k, 6, 6) of the leg lengths at poses X (k, 4, 4): rows (u, arm x u), with arms from the
    platform's centre in machine sizes."""
    arm = (machine.b_P - machine.platform_centre) @ np.swapaxes(X[:, :3, :3], 1, 2)
    d = machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3] - machine.legs.driven_points(q)
    u = d / np.linalg.norm(d, axis=2, keepdims=True)
    return np.concatenate([u, np.cross(arm, u) / machine.size], axis=2)


def mode_dexterity(machine: Machine, q: Array, X: Array) -> Array:
    """Return dexterity (k,) of poses X (k, 4, 4) at joint coordinates q (6,) or (k, 6), on whichever branch the legs
    are.

    See `gough.singularity.conditioning`; 0 also where a joint is at a turning point, which makes its rate infinite.
    """
    G, legs = leg_gradients(machine, q, X), machine.legs
    v, w = np.split(legs.carrier_twist(), 2, axis=1)
    moves = v + np.cross(w, legs.driven_points(q) - legs.carriers(q)[..., :3, 3])
    rate = (G[..., :3] * moves).sum(axis=-1) + (legs.rod() is None)
    with np.errstate(divide="ignore", invalid="ignore"):
        J = G * np.repeat([1.0, machine.size], 3) / rate[..., None]
    return np.nan_to_num(dexterity_of(scaled_singular_values(J, machine.characteristic_length)), nan=0.0)


def fits(machine: Machine, q: Array, X: Array, residual: Array, within: float) -> Bools:
    """Test whether leg errors (k,) at poses X (k, 4, 4) are below the part `within` of the machine's size, or
    rounding."""
    far = np.abs(machine.legs.driven_points(q)).max() + np.abs(machine.b_P).max() + np.abs(X[:, :3, 3]).max(axis=1)
    return np.asarray(residual <= np.maximum(within * machine.size, ROUNDING * far))


def real_singular_poses(machine: Machine, q: Array, guesses: Array) -> tuple[Array, Array]:
    """Return singular poses at joint coordinates q (6,), by least squares from guesses (k, 4, 4), and their leg
    errors."""
    X, residual = np.ascontiguousarray(guesses), np.empty(len(guesses))
    seek(machine.legs.code, machine.table, machine.size, q, X, residual)
    # Guesses may lead to regular poses too, which are found elsewhere.
    keep = fits(machine, q, X, residual, FITS)
    X, residual = X[keep], residual[keep]
    values = np.linalg.svd(leg_gradients(machine, q, X), compute_uv=False)
    is_singular = values[:, -1] <= SINGULAR * values[:, 0]
    return X[is_singular], residual[is_singular]


def moves_freely(machine: Machine, q: Array, X: Array) -> Bools:
    """Test whether singular poses X (k, 4, 4) belong to a self-motion: after a displacement along a null vector of the
    gradients, least squares leads to other poses that fit."""
    found = np.zeros(len(X), dtype=bool)
    if not len(X):
        return found
    # Where several twists change no leg length to first order, most of their sums begin no motion: translations and
    # rotations are probed by themselves too.
    G = leg_gradients(machine, q, X)
    largest = np.linalg.svd(G, compute_uv=False)[:, 0]
    for part in (slice(0, 6), slice(0, 3), slice(3, 6)):
        _, values, vectors = np.linalg.svd(G[:, :, part])
        for k in range(values.shape[1]):
            probed = np.flatnonzero(~found & (values[:, k] <= SINGULAR * largest))
            twist, residual = np.zeros((len(probed), 6)), np.empty(len(probed))
            twist[:, part] = NUDGE * vectors[probed, k] * np.repeat([machine.size, 1.0], 3)[part]
            end = displaced(X[probed], twist, machine.platform_centre)
            seek(machine.legs.code, machine.table, machine.size, q, end, residual)
            found[probed] = fits(machine, q, end, residual, FITS) & (apart(machine, X[probed], end) > 0.1 * NUDGE)
    return found


MOST_STEPS = 12


@np.errstate(all="ignore")
def polish(code: int, T: Array, q: Array, X: Array, residual: Array) -> None:
    """Refine poses X (n, 4, 4) at joint coordinates q (6,) while Newton steps decrease the largest leg error.

    That error [m] goes into `residual` (n,).
    """
    feet, E, Y = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((4, 4))
    place_feet(code, T, q, feet)
    for k, pose in enumerate(X):
        orthonormalised(pose)
        residual[k] = largest_miss(T, pose, feet, E)
        with suppress(ArithmeticError, ValueError):
            for _ in range(MOST_STEPS):
                _newton_step(T, pose, feet, E, Y)
                miss = largest_miss(T, Y, feet, E)
                if not miss < residual[k]:  # rounding, or divergence: the pose before stays
                    break
                residual[k] = miss
                copy_pose(Y, pose)


def _newton_step(T: Array, X: Array, feet: Array, E: Array, Y: Array) -> None:
    """Set Y to the pose after a step from X; NaN where the equations are singular."""
    write_equations(T, X, feet, E)
    M = np.ascontiguousarray(E[D : D + 7].T)  # the gradient and the right side
    if eliminate(M, 6, 1) == 0.0:
        M[:] = np.nan
    # A step on SE(3): the translation adds, the rotation multiplies from the left.
    copy_pose(X, Y)
    Y[:3, 3] += M[:3, 6]
    rotate(Y, M[3, 6], M[4, 6], M[5, 6])
    orthonormalised(Y)


@np.errstate(all="ignore")
def seek(code: int, T: Array, size: float, q: Array, X: Array, residual: Array) -> None:
    """Move poses X (n, 4, 4) to local least-squares fits of joint coordinates q (6,), singular or not.

    The largest leg error there [m] goes into `residual` (n,).
    """
    feet, E, M, Y = np.empty((4, 6)), np.empty((EQUATION_ROWS, 6)), np.empty((6, 7)), np.empty((4, 4))
    place_feet(code, T, q, feet)
    residual[:] = np.nan
    for k, pose in enumerate(X):
        with suppress(ArithmeticError, ValueError):
            search(T, size, feet, E, Y, M, pose)
            orthonormalised(pose)
            residual[k] = largest_miss(T, pose, feet, E)
