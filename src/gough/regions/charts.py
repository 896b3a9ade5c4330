"""Charts: coordinates of orientations.

An orientation is R(z) R_ref with three coordinates z [rad], in base axes:

    rotvec   R = exp(z)                                 a rotation vector
    cone     R = exp(u a + v (n x a)) exp(r n)          tilt and torsion, n the platform's z axis at the reference
    XYZ ...  R = R_1(z_1) R_2(z_2) R_3(z_3)             Euler angles, lower case in the reverse order
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

ROTVEC, CONE = "rotvec", "cone"


def rotations(chart: str, axes: Array, z: Array) -> Array:
    """Return rotations (n, 3, 3) from the reference, of coordinates z (n, 3); `axes` (3, 3): a, n x a, n of a cone."""
    from scipy.spatial.transform import Rotation

    z = np.array(z, dtype=float)  # SciPy refuses arrays that are read-only
    if chart == ROTVEC:
        return np.asarray(Rotation.from_rotvec(z).as_matrix())
    if chart == CONE:
        tilt, roll = Rotation.from_rotvec(z[:, :2] @ axes[:2]), Rotation.from_rotvec(z[:, 2:] * axes[2])
        return np.asarray((tilt * roll).as_matrix())
    return np.asarray(Rotation.from_euler(chart, z).as_matrix())


def coordinates(chart: str, axes: Array, R: Array, centre: Array, half: Array, within: float) -> Array:
    """Return coordinates (n, k, 3) of rotations (n, 3, 3) from the reference: all k that give each, Euler angles within
    a half turn of a box's `centre` (3,).

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
    """Return Euler angles (n, 3) of rotations (n, 3, 3), in the chart's order; +1 or -1 (n,) where their axes are
    nearer to leaving only the sum, or only the difference, of the first and the third known; and how far they are from
    that: the sine (n,) of the angle between the two axes (Bernardes and Viollet 2022)."""
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
