"""Charts: coordinates of orientations, and bounds of the rotation over boxes of them.

An orientation is R(z) R_ref with three coordinates z [rad], in base axes:

    rotvec   R = exp(z)                                 a rotation vector
    cone     R = exp(u a + v (n x a)) exp(r n)          tilt and torsion, n the platform's z axis at the reference
    XYZ ...  R = R_1(z_1) R_2(z_2) R_3(z_3)             Euler angles, lower case in the reverse order

Along a straight line of coordinates from a centre, z(s) = c + s h, the angular velocity is w = W(z) h. With the mean
of rotations J(z) = int_0^1 exp(t z) dt of a rotation vector, |J| <= 1,

    |w| <= |h|        |w'| <= |h| min(|h| / 2, |c x h| / 6)

the second because w' = int t (J(t z) h) x (exp(t z) h) dt, whose two factors differ by a rotation of t |z| / 2 in the
mean; this acts on the part of h across z, of length |z x h| / |z| = |c x h| / |z|. For products of rotations the
angular velocities add, and w' has their vector products too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.euler import axes_of, matrices_of
from gough.poses import left_jacobian, skew

ROTVEC, CONE = "rotvec", "cone"
ROUND_OFF = 64 * float(np.finfo(float).eps)
"""Relative rounding error of a computed quantity, of the lengths and numbers in it: some sixty roundings."""
WIDENED = 1 + 1e-12
"""Factor of remainders and rates, sums of terms of one sign: thousands of their roundings."""
WIDER = 1 + 1e-9
"""Factor of half widths of boxes: covers the gaps that rounding leaves where boxes are halved."""


class Turn(NamedTuple):
    """Boxes of orientations: W (n, 3, 3) with w = W h at their centres, and bounds (n,) of the angular velocity and
    acceleration along straight lines from there to places of the box in unit time."""

    W: Array
    rate: Array
    bend: Array


def exponential(t: Array) -> Array:
    """Rotations (n, 3, 3) by rotation vectors (n, 3) [rad] (Rodrigues)."""
    K, angle = skew(t), np.linalg.norm(t, axis=-1)[..., None, None] / np.pi
    return np.asarray(np.eye(3) + np.sinc(angle) * K + 0.5 * np.sinc(angle / 2) ** 2 * (K @ K))


def rotations(chart: str, axes: Array, z: Array) -> Array:
    """Rotations (n, 3, 3) from the reference to coordinates z (n, 3); `axes` (3, 3): a, n x a, n of a cone."""
    if chart == ROTVEC:
        return exponential(z)
    if chart == CONE:
        return exponential(z[:, :2] @ axes[:2]) @ exponential(z[:, 2:] * axes[2])
    return matrices_of(z, chart)


def turned(chart: str, axes: Array, centre: Array, half: Array, most: Array | None = None) -> Turn:
    """Rotation over boxes of orientations with centres and half widths (n, 3) [rad]; `axes` as for `rotations`.

    `most` (n,) bounds the length of the lines that count: of the rotation vector, of a cone's tilt.
    """
    most = np.linalg.norm(half, axis=-1) if most is None else most
    if chart == ROTVEC:
        return Turn(left_jacobian(centre), *_vector_rates(centre, half, most))
    if chart == CONE:
        tilt = centre[:, :2] @ axes[:2]
        W = np.concatenate([left_jacobian(tilt) @ axes[:2].T, exponential(tilt) @ axes[2:].T], axis=-1)
        rate, bend = _vector_rates(centre[:, :2], half[:, :2], most)
        spin = half[:, 2]
        # w = w_tilt + w_torsion: their scalar product is at most |tilt| / 2 of the product of the amounts.
        overlap = np.minimum(1.0, np.linalg.norm(np.abs(centre[:, :2]) + half[:, :2], axis=-1) / 2)
        both = np.sqrt(rate**2 + spin**2 + 2 * overlap * rate * spin)
        return Turn(W, both * WIDENED, (bend + rate * spin) * WIDENED)
    # Columns of W are the axes of the factors, each turned with the factors before it. The second is across the others;
    # `overlap` bounds the scalar product of the first and the third over the box.
    W = axes_of(centre, chart)
    a, b, c = half.T
    overlap = np.minimum(1.0, np.abs((W[..., 0] * W[..., 2]).sum(-1)) + b)
    rate, bend = np.sqrt(a**2 + b**2 + c**2 + 2 * a * c * overlap), a * b + a * c + b * c
    return Turn(W, rate * WIDENED, bend * WIDENED)


def _vector_rates(centre: Array, half: Array, most: Array) -> tuple[Array, Array]:
    """Bounds (n,) of angular velocity and acceleration of rotation vectors over boxes: |h| and
    |h|^2 min(1 / 2, |c| / 6)."""
    rate = np.minimum(np.linalg.norm(half, axis=-1), most)
    return rate * WIDENED, rate**2 * np.minimum(0.5, np.linalg.norm(centre, axis=-1) / 6) * WIDENED


def coordinates(chart: str, axes: Array, R: Array, centre: Array, half: Array, within: float) -> Array:
    """Coordinates (n, k, 3) of rotations (n, 3, 3) from the reference: all k that give each, Euler angles within a
    half turn of a box's `centre` (3,).

    Near the middle angles at which the axes of the first and the third coincide, only a sum or difference of these is
    known: they are moved towards the box with half widths (3,), by as much as turns the platform by `within` [rad].
    """
    from scipy.spatial.transform import Rotation

    if chart == ROTVEC:
        return Rotation.from_matrix(R).as_rotvec()[:, None]
    if chart == CONE:
        n = axes[2]
        axis = R @ n
        sine = np.cross(n, axis)
        angle = np.arctan2(np.linalg.norm(sine, axis=-1), axis @ n)  # accurate near 0 and pi, as the arc cosine is not
        length = np.linalg.norm(sine, axis=-1)
        tilt = sine * np.where(length > 0, angle / np.where(length > 0, length, 1.0), 0.0)[:, None]
        untilted = Rotation.from_rotvec(-tilt).as_matrix() @ R
        roll = Rotation.from_matrix(untilted).as_rotvec() @ n
        return np.concatenate([tilt @ axes[:2].T, roll[:, None]], axis=-1)[:, None]
    # Two triples of Euler angles give each rotation: the middle angle mirrored, the others half a turn on.
    angles, sense, sine = euler_angles(chart, R)
    middle = -angles[:, 1] if len(set(chart.lower())) == 2 else np.pi - angles[:, 1]
    other = np.stack([angles[:, 0] + np.pi, middle, angles[:, 2] + np.pi], axis=-1)
    both = np.stack([angles, other], axis=1) - centre
    both -= 2 * np.pi * np.round(both / (2 * np.pi))
    first, sense = both[..., 0].copy(), sense[:, None]
    total = first + sense * both[..., 2]
    total -= 2 * np.pi * np.round(total / (2 * np.pi))
    # The first angle that leaves both as far inside of the box as can be, or as little outside.
    wanted = np.sign(total) * np.clip((np.abs(total) + half[0] - half[2]) / 2, 0.0, np.abs(total))
    free = within / np.maximum(sine, within / (2 * np.pi))[:, None]
    both[..., 0] = first + np.clip(wanted - first, -free, free)
    both[..., 2] += sense * (first - both[..., 0])
    both -= 2 * np.pi * np.round(both / (2 * np.pi))
    return centre + both


def euler_angles(chart: str, R: Array) -> tuple[Array, Array, Array]:
    """Euler angles (n, 3) of rotations (n, 3, 3), in the chart's order; +1 or -1 (n,) where their axes are nearer to
    leaving only the sum, or only the difference, of the first and the third known; and how far they are from that: the
    sine (n,) of the angle between the two axes (Bernardes and Viollet 2022)."""
    from scipy.spatial.transform import Rotation

    order = ["xyz".index(letter) for letter in chart.lower()]
    i, j, k = order if chart.islower() else order[::-1]  # of fixed axes
    is_proper = i == k
    k = 3 - i - j
    parity = (i - j) * (j - k) * (k - i) / 2
    q = Rotation.from_matrix(R).as_quat()
    a, b, c, d = q[:, 3], q[:, i], q[:, j], q[:, k] * parity
    if not is_proper:
        a, b, c, d = a - c, b + d, c + a, d - b
    both, one = np.hypot(a, b), np.hypot(c, d)
    mean, difference = np.arctan2(b, a), np.arctan2(d, c)
    sign = 1.0 if is_proper else parity
    middle = 2 * np.arctan2(one, both) - (0.0 if is_proper else np.pi / 2)
    angles = np.stack([mean - difference, middle, sign * (mean + difference)], axis=-1)
    angles = angles if chart.islower() else angles[:, ::-1]
    return angles, np.where(both >= one, sign, -sign), 2 * both * one / (both**2 + one**2)
