"""Normalised frames, in which a machine's lengths are of size one and planar plates lie in z = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.assembly.families import FLAT, GENERAL, Family, Membership, membership

IN_PLANE = 1e-13
"""Distances of points from their plane below this part of their spread are rounding."""


@dataclass(frozen=True, eq=False)
class Normalised:
    """Legs in normalised frames: origins at the mean joint points, lengths divided by `size`.

    Attributes
    ----------
    legs : (6, 7) complex array
        Rows (a, b, c) with c = |a|^2 + |b|^2 - l^2, in the leg order of the special family.
    family : Family
        FLAT where all a and all b lie in z = 0, else GENERAL.
    special : Family, optional
        Family with fewer solutions to which the machine belongs.
    size : float
        [m].
    X_BA, X_PC : (4, 4) array
        The frames of a and b in the base and in the platform, lengths in metres.

    """

    legs: NDArray[np.complex128]
    family: Family
    special: Family | None
    size: float
    X_BA: Array
    X_PC: Array

    def pose(self, x: NDArray[np.complex128]) -> Array:
        """Poses (n, 4, 4) of the platform in the base from real dual quaternions (n, 8) between the frames."""
        e, g = x.real[:, :4], x.real[:, 4:]
        square = (e * e).sum(axis=1)
        X_AC = np.zeros((len(x), 4, 4))
        X_AC[:, 3, 3] = 1.0
        # R = ((e0^2 - v . v) 1 + 2 v v^T + 2 e0 [v]x) / |e|^2
        v, e0 = e[:, 1:], e[:, :1]
        outer = 2.0 * v[:, :, None] * v[:, None, :]
        cross = np.cross(np.eye(3), v[:, None, :])  # row j is e_j x v, which makes it [v]x
        X_AC[:, :3, :3] = (
            outer + ((e0[:, 0] ** 2 - (v * v).sum(axis=1))[:, None, None]) * np.eye(3) + 2.0 * e0[:, :, None] * cross
        ) / square[:, None, None]
        # t = 2 g e* / |e|^2, its vector part.
        t = 2.0 * (e0 * g[:, 1:] - g[:, :1] * v - np.cross(g[:, 1:], v)) / square[:, None]
        X_AC[:, :3, 3] = self.size * t
        return np.asarray(self.X_BA @ X_AC @ _inverse(self.X_PC))


def normalised(a: Array, b: Array, length: Array) -> Normalised:
    """Normalised legs between base points a and platform points b (6, 3), with their lengths (6,) [m]."""
    X_BA, a_flat = _plane(a)
    X_PC, b_flat = _plane(b)
    is_flat = a_flat and b_flat
    if not is_flat:
        X_BA[:3, :3] = X_PC[:3, :3] = np.eye(3)
    found = membership((a - X_BA[:3, 3]) @ X_BA[:3, :3], (b - X_PC[:3, 3]) @ X_PC[:3, :3], is_flat)
    if found is not None:
        a, b, length = a[found.order], b[found.order], length[found.order]
        _align(found, X_BA, X_PC)
    a = (a - X_BA[:3, 3]) @ X_BA[:3, :3]
    b = (b - X_PC[:3, 3]) @ X_PC[:3, :3]
    if is_flat:  # exactly, for mirror symmetry
        a[:, 2] = b[:, 2] = 0.0
    size = float(np.sqrt(((a * a).sum() + (b * b).sum()) / 12.0))
    a, b, length = a / size, b / size, length / size
    c = (a * a).sum(axis=1) + (b * b).sum(axis=1) - length * length
    legs = np.column_stack([a, b, c]).astype(complex)
    special = None if found is None else found.family
    return Normalised(legs, FLAT if is_flat else GENERAL, special, size, X_BA, X_PC)


def _align(found: Membership, X_BA: Array, X_PC: Array) -> None:
    """Turn the frames, in place, so that the legs are those of a member of their family."""
    if found.is_upside_down:  # half a turn about x
        X_PC[:3, 1:3] *= -1.0
    for X, turn in ((X_BA, found.base_turn), (X_PC, found.platform_turn)):
        x, y = X[:3, 0].copy(), X[:3, 1].copy()
        X[:3, 0], X[:3, 1] = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x


def _plane(points: Array) -> tuple[Array, bool]:
    """Frame (4, 4) at the mean of points (6, 3) with z normal to their best plane; whether they lie in it."""
    X = np.eye(4)
    X[:3, 3] = points.mean(axis=0)
    _, spread, rows = np.linalg.svd(points - X[:3, 3])
    if np.linalg.det(rows) < 0:  # axes must be right-handed
        rows[2] *= -1.0
    X[:3, :3] = rows.T
    return X, bool(spread[2] <= IN_PLANE * spread[0])


def _inverse(X: Array) -> Array:
    Y = np.eye(4)
    Y[:3, :3] = X[:3, :3].T
    Y[:3, 3] = -X[:3, :3].T @ X[:3, 3]
    return Y
