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

from functools import cache
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.read_only import read_only
from gough.regions import _placing

ROTVEC, CONE = "rotvec", "cone"


class Turn(NamedTuple):
    """Boxes of orientations: W (n, 3, 3) with w = W h at their centres, and bounds (n,) of the angular velocity and
    acceleration along straight lines from there to places of the box in unit time."""

    W: Array
    rate: Array
    bend: Array


@cache
def coded(chart: str) -> Ints:
    """Code (7,) of a chart for kernels, see `gough.regions._placing.RegionArrays`."""
    if chart in (ROTVEC, CONE):
        return read_only(np.array([_placing.ROTVEC if chart == ROTVEC else _placing.CONE, *[0] * 6]))
    order = [0, 1, 2] if chart.isupper() else [2, 1, 0]
    return read_only(np.array([_placing.EULER, *("xyz".index(chart.lower()[k]) for k in order), *order]))


def turned(chart: str, axes: Array, centre: Array, half: Array, most: Array | None = None) -> Turn:
    """Rotation over boxes of orientations with centres and half widths (n, 3) [rad]; `axes` (3, 3): a, n x a, n of a
    cone.

    `most` (n,) bounds the length of the lines that count: of the rotation vector, of a cone's tilt.
    """
    most = np.linalg.norm(half, axis=-1) if most is None else most
    axes, centre, half, most = (np.array(array, dtype=float) for array in (axes, centre, half, most))
    return Turn(*_placing.turn_boxes(coded(chart), read_only(axes), centre, half, most))


def coordinates(chart: str, axes: Array, R: Array, near: Array) -> Array:
    """Coordinates (n, k, 3) of rotations (n, 3, 3) from the reference: all k that give each, Euler angles within a half
    turn of `near`."""
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
    angles = Rotation.from_matrix(R).as_euler(chart, suppress_warnings=True)
    mirror = -1.0 if len(set(chart.lower())) == 2 else 1.0
    middle = -angles[:, 1] if mirror < 0 else np.pi - angles[:, 1]
    other = np.stack([angles[:, 0] + np.pi, middle, angles[:, 2] + np.pi], axis=-1)
    both = np.stack([angles, other], axis=1)
    return both - 2 * np.pi * np.round((both - near) / (2 * np.pi))
