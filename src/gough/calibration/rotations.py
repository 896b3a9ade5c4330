"""Rotation vectors and their derivatives, for frames that are looked for."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.displacements import rotation_vectors as any_rotation_vectors
from gough.displacements import rotations as rotations
from gough.poses import SMALL, skew

_WIDE = 0.5
"""Sine of an angle up to which a rotation's vector follows from its antisymmetric part without loss of digits."""


def rotation_vectors(R: Array) -> Array:
    """Rotation vectors (n, 3) [rad] of rotations (n, 3, 3), most of them small: a fifth of the time SciPy takes."""
    sines = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine = np.sqrt(np.einsum("ni,ni->n", sines, sines))
    is_wide = (sine > _WIDE) | (R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2] < 1.0)
    safe = np.where(is_wide | (sine < 1e-9), 1e-9, sine)
    found = np.asarray(sines * (np.arcsin(safe) / safe)[:, None])
    if is_wide.any():
        found[is_wide] = any_rotation_vectors(R[is_wide])
    return found


def inverse_left_jacobian(w: Array) -> Array:
    """Its inverse: log(exp(d) exp(w)) = w + J^-1 d to first order."""
    K, angle = skew(w), np.linalg.norm(w, axis=-1)[..., None, None]
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    second = np.where(is_small, 1.0 / 12.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(safe / 2.0)))
    return np.asarray(np.eye(3) - 0.5 * K + second * K @ K)
