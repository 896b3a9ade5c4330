"""Real poses among multiple solutions: double roots, and points of self-motions, where a path ends anywhere."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Bools
from gough.assembly._polish import seek_batch
from gough.displacements import displaced
from gough.machine import Machine

FITS = 1e-11
"""Largest leg error of a singular pose, in machine sizes: the pose itself is then known to the square root of it."""
ROUNDING = 4 * float(np.finfo(float).eps)
"""Of a leg error, over the largest coordinate it comes from: it counts where frames lie far off the machine."""
SINGULAR = 1e-4
"""Conditioning below this is that of a singular pose known to the square root of rounding."""
NUDGE = 1e-2
"""A self-motion leads this far from a pose, in machine sizes and rad."""


def apart(machine: Machine, X: Array, Y: Array) -> Array:
    """How far poses (..., 4, 4) are apart (...): the platform's centre in machine sizes, or entries of the rotation."""
    off = X - Y
    shift = np.abs(off @ np.array([*machine.platform_centre, 1.0])).max(axis=-1)
    return np.asarray(np.maximum(shift / machine.size, np.abs(off[..., :3, :3]).max(axis=(-1, -2))))


def leg_gradients(machine: Machine, q: Array, X: Array) -> Array:
    """Gradients (k, 6, 6) of the legs' distances at poses X (k, 4, 4): rows (u, arm x u), with arms from the platform's
    centre in machine sizes."""
    arm = (machine.b_P - machine.platform_centre) @ np.swapaxes(X[:, :3, :3], 1, 2)
    d = machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3] - machine.legs.driven_points(q)
    u = d / np.linalg.norm(d, axis=2, keepdims=True)
    return np.concatenate([u, np.cross(arm, u) / machine.size], axis=2)


def fits(machine: Machine, q: Array, X: Array, residual: Array, within: float) -> Bools:
    """Whether leg errors (k,) at poses X (k, 4, 4) are below a part of the machine's size, or rounding."""
    far = np.abs(machine.legs.driven_points(q)).max() + np.abs(machine.b_P).max() + np.abs(X[:, :3, 3]).max(axis=1)
    return np.asarray(residual <= np.maximum(within * machine.size, ROUNDING * far))


def real_singular_poses(machine: Machine, q: Array, guesses: Array) -> tuple[Array, Array]:
    """Singular poses that fit joint coordinates q (6,), found by least squares from guesses (k, 4, 4); leg errors."""
    X, residual = np.ascontiguousarray(guesses), np.empty(len(guesses))
    seek_batch(machine.legs.code, machine.table, machine.size, q, X, residual)
    keep = fits(machine, q, X, residual, FITS)
    X, residual = X[keep], residual[keep]
    values = np.linalg.svd(leg_gradients(machine, q, X), compute_uv=False)
    is_singular = values[:, -1] <= SINGULAR * values[:, 0]
    return X[is_singular], residual[is_singular]


def moves_freely(machine: Machine, q: Array, X: Array) -> Bools:
    """Whether singular poses X (k, 4, 4) are points of a self-motion: pushed along the direction the legs do not hold,
    the platform settles on them again at a distance."""
    if not len(X):
        return np.empty(0, bool)
    free = np.linalg.svd(leg_gradients(machine, q, X))[2][:, -1]
    pushed = _pushed(machine, X, NUDGE * free)
    end, residual = pushed.copy(), np.empty(len(X))
    seek_batch(machine.legs.code, machine.table, machine.size, q, end, residual)
    return np.asarray(fits(machine, q, end, residual, FITS) & (apart(machine, X, end) > 0.1 * NUDGE))


def _pushed(machine: Machine, X: Array, V: Array) -> Array:
    """Poses moved by twists V (k, 6) of the platform's centre, translations in machine sizes."""
    return displaced(X, V * np.repeat([machine.size, 1.0], 3), machine.platform_centre)
