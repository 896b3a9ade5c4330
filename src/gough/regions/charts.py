"""Coordinates of orientations: how boxes of them turn the platform, and how fast at the most.

An orientation is R(z) R_ref with three coordinates z [rad], in base axes:

    rotvec   R = exp(z)                                 a rotation vector
    cone     R = exp(u a + v (n x a)) exp(r n)          tilt and torsion, n the platform's z axis at the reference
    XYZ ...  R = R_1(z_1) R_2(z_2) R_3(z_3)             Euler angles, lower case in the reverse order

Along a straight line of coordinates, z(s) = z + s h, the angular velocity is w = W(z) h. With the mean of rotations
J(z) = int_0^1 exp(t z) dt of a rotation vector, |J| <= 1,

    |w| <= |h|        |w'| <= |h|^2 min(1/2, |z| / 6)

the second because w' = int t (J(t z) h) x (exp(t z) h) dt, where the two factors differ by a rotation of t |z| / 2 in
the mean. For products of rotations the angular velocities add, and w' gets their vector products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from gough.arrays import Array
from gough.poses import left_jacobian

ROTVEC, CONE = "rotvec", "cone"
WIDENED = 1 + 1e-12
"""Of remainders and rates: some hundred roundings, of which each is 1e-16 of a sum of terms of one sign."""

FLAT = np.array([1.0, 1.0, 0.0])
"""Of a cone's coordinates those of the tilt."""


class Turn(NamedTuple):
    """Of boxes of orientations: rotations R (n, 3, 3) at their centres, W (n, 3, 3) with w = W h there, and bounds over
    the box of the angular velocity and acceleration of straight lines that cross half of it in unit time (n,)."""

    R: Array
    W: Array
    rate: Array
    bend: Array


def rotations_at(chart: str, axes: Array, centre: Array) -> Array:
    """R (n, 3, 3) of coordinates (n, 3) [rad]: that of `turned`, without rates."""
    centre = np.array(centre)  # SciPy takes no read-only arrays
    if chart == ROTVEC:
        return np.asarray(Rotation.from_rotvec(centre).as_matrix())
    if chart == CONE:
        return np.asarray(_tilt_and_torsion(axes, centre)[1])
    first, second, third = _factors(chart, centre)[1]
    return np.asarray(first @ second @ third)


def turned(chart: str, axes: Array, centre: Array, half: Array, most: Array | None = None) -> Turn:
    """Boxes of orientations with centres and halves (n, 3) [rad]; `axes` (3, 3) has a, n x a, n of a cone.

    `most` (n,): lines along which the rotation vector, of a cone the tilt, moves by no more.
    """
    centre = np.array(centre)  # SciPy takes no read-only arrays
    most = np.linalg.norm(half, axis=-1) if most is None else most
    if chart == ROTVEC:
        return Turn(Rotation.from_rotvec(centre).as_matrix(), left_jacobian(centre), *_vector_rates(centre, half, most))
    if chart == CONE:
        return _cone(axes, centre, half, most)
    return _euler(chart, centre, half)


def _vector_rates(centre: Array, half: Array, most: Array) -> tuple[Array, Array]:
    rate = np.minimum(np.linalg.norm(half, axis=-1), most)
    farthest = np.linalg.norm(np.abs(centre) + half, axis=-1)
    return rate * WIDENED, rate**2 * np.minimum(0.5, farthest / 6) * WIDENED


def _cone(axes: Array, centre: Array, half: Array, most: Array) -> Turn:
    """Tilt and torsion, w = J(t) t' + exp(t) n r', whose scalar product is at most |t| / 2 of that of the amounts."""
    C, flat = axes.T, FLAT
    tilts, spin = _tilt_and_torsion(axes, centre)
    J = left_jacobian((centre * flat) @ axes)
    W = np.concatenate([J @ C[:, :2], tilts @ C[:, 2:]], axis=-1)
    rate, bend = _vector_rates(centre * flat, half * flat, most)
    roll = half[:, 2]
    overlap = np.minimum(1.0, np.linalg.norm(np.abs(centre[:, :2]) + half[:, :2], axis=-1) / 2)
    both = np.sqrt(rate**2 + roll**2 + 2 * overlap * rate * roll)
    return Turn(spin, W, both * WIDENED, (bend + rate * roll) * WIDENED)


def _tilt_and_torsion(axes: Array, centre: Array) -> tuple[Array, Array]:
    """Tilts (n, 3, 3), and the whole rotations, of cone coordinates (n, 3)."""
    tilts = Rotation.from_rotvec((centre * FLAT) @ axes).as_matrix()
    return tilts, tilts @ Rotation.from_rotvec(centre[:, 2:] * axes[2]).as_matrix()


def _factors(sequence: str, angles: Array) -> tuple[Array, list[Array]]:
    """Axes (3, 3), rows in the order in which rotations are multiplied, and the rotations (n, 3, 3) about them."""
    order = _order(sequence)
    e = np.array([np.eye(3)["xyz".index(axis)] for axis in sequence.lower()[order]])
    return e, [Rotation.from_rotvec(angles[:, order][:, k : k + 1] * e[k]).as_matrix() for k in range(3)]


def _order(sequence: str) -> slice:
    return slice(None) if sequence.isupper() else slice(None, None, -1)


def _euler(sequence: str, centre: Array, half: Array) -> Turn:
    order = _order(sequence)
    e, (first, second, third) = _factors(sequence, centre)
    h = half[:, order]
    W = np.stack([np.broadcast_to(e[0], (len(h), 3)), first @ e[1], first @ second @ e[2]], axis=-1)
    overlap = np.minimum(1.0, np.abs((second @ e[2]) @ e[0]) + h[:, 1])  # of the first and third axes
    rate = np.sqrt((h**2).sum(axis=-1) + 2 * h[:, 0] * h[:, 2] * overlap)
    bend = h[:, 0] * h[:, 1] + h[:, 0] * h[:, 2] + h[:, 1] * h[:, 2]
    return Turn(first @ second @ third, W[..., order], rate * WIDENED, bend * WIDENED)


def coordinates(chart: str, axes: Array, R: Array, near: Array) -> Array:
    """Coordinates (n, k, 3) of rotations (n, 3, 3) from the reference, k that give each; angles nearest to `near`."""
    if chart == ROTVEC:
        return Rotation.from_matrix(R).as_rotvec()[:, None]
    if chart == CONE:
        n = axes[2]
        axis = R @ n
        sine = np.cross(n, axis)
        angle = np.arctan2(np.linalg.norm(sine, axis=-1), axis @ n)
        length = np.linalg.norm(sine, axis=-1)
        tilt = sine * np.where(length > 0, angle / np.where(length > 0, length, 1.0), 0.0)[:, None]
        rest = Rotation.from_rotvec(-tilt).as_matrix() @ R
        roll = Rotation.from_matrix(rest).as_rotvec() @ n
        return np.concatenate([tilt @ axes[:2].T, roll[:, None]], axis=-1)[:, None]
    angles = Rotation.from_matrix(R).as_euler(chart, suppress_warnings=True)
    mirror = -1.0 if len(set(chart.lower())) == 2 else 1.0
    middle = -angles[:, 1] if mirror < 0 else np.pi - angles[:, 1]
    other = np.stack([angles[:, 0] + np.pi, middle, angles[:, 2] + np.pi], axis=-1)
    both = np.stack([angles, other], axis=1)
    return both - 2 * np.pi * np.round((both - near) / (2 * np.pi))
