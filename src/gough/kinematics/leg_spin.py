"""Turns about struts: what a platform does to a strut between two universal joints besides swinging it."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.machine import Machine


def leg_spins(machine: Machine, X: Array) -> Array:
    """Turn about each leg of its platform end against its base end (n, 6) [rad] at poses X (n, 4, 4), from home.

    Each end swings with the leg's direction without spin about it, as universal joints with small angles do; the rest
    of the platform's turn is about the leg.
    """
    X_home = machine.X_home
    u_home = _directions(machine, X_home[None])[0]
    u = _directions(machine, X)
    below, R = _swings(np.broadcast_to(u_home, u.shape), u), (X[:, :3, :3] @ X_home[:3, :3].T)[:, None]
    # The platform end: swung in the platform's axes as they are at home, then turned with the platform.
    above = R @ _swings(
        np.broadcast_to(u_home, u.shape), np.einsum("nlji,nlj->nli", np.broadcast_to(R, below.shape), u)
    )
    D = above @ np.swapaxes(below, -1, -2)  # a rotation about u
    skew = np.stack([D[..., 2, 1] - D[..., 1, 2], D[..., 0, 2] - D[..., 2, 0], D[..., 1, 0] - D[..., 0, 1]], axis=-1)
    return np.asarray(np.arctan2(np.sum(skew * u, axis=-1) / 2, (np.trace(D, axis1=-2, axis2=-1) - 1) / 2))


def _directions(machine: Machine, X: Array) -> Array:
    """Unit vectors (n, 6, 3) along struts."""
    d = machine.b_P @ np.swapaxes(X[:, :3, :3], -1, -2) + X[:, None, :3, 3] - machine.legs.rest()
    return np.asarray(d / np.linalg.norm(d, axis=-1, keepdims=True))


def _swings(a: Array, b: Array) -> Array:
    """Rotations (..., 3, 3) of least angle from unit vectors a to b (Rodrigues 1840)."""
    v, c = np.cross(a, b), np.sum(a * b, axis=-1)[..., None, None]
    K = np.zeros((*v.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    K = K - np.swapaxes(K, -1, -2)
    return np.asarray(np.eye(3) + K + K @ K / (1 + c))
