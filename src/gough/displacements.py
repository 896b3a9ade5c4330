"""Rotations as matrices, rotation vectors, quaternions and Euler angles, and displacements of a body.

A displacement d (..., 6) shifts a point of the body by d[:3] [m] and turns the body about it by the rotation vector
d[3:] [rad], both in the axes of the frame in which the body's poses are given.

Euler angles and quaternions are in NumPy alone: SciPy takes a quarter of a second to import.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array

LOCKED = 1e-7
"""Middle angles this close to gimbal lock count as locked [rad]; components of quaternions this small count as zero."""


def matrices_of(angles: Array, sequence: str) -> Array:
    """Return the rotation matrices (..., 3, 3) from angles (..., n) [rad] about the n axes of `sequence`, SciPy's
    spelling."""
    R = np.broadcast_to(np.eye(3), (*angles.shape[:-1], 3, 3)).copy()
    for k, letter in enumerate(sequence):
        turn = _about_axis(angles[..., k], "xyz".index(letter.lower()))
        R = R @ turn if letter.isupper() else turn @ R  # moving axes on the right, fixed ones on the left
    return R


def axes_of(angles: Array, sequence: str) -> Array:
    """Return axes (..., 3, n), as columns, about which angles (..., n) [rad] turn the body while all may change.

    A moving axis is carried by the rotations before it, a fixed one by those after it.
    """
    letters, given = (sequence, angles) if sequence.isupper() else (sequence[::-1], angles[..., ::-1])
    R, columns = np.broadcast_to(np.eye(3), (*angles.shape[:-1], 3, 3)), []
    for k, letter in enumerate(letters):
        axis = "xyz".index(letter.lower())
        columns.append(R[..., axis])
        R = R @ _about_axis(given[..., k], axis)
    return np.stack(columns if sequence.isupper() else columns[::-1], axis=-1)


def _about_axis(angle: Array, axis: int) -> Array:
    """Rotations (..., 3, 3) by angles (...) [rad] about x (0), y (1) or z (2)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*angle.shape, 3, 3))
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = np.cos(angle)
    R[..., j, i] = np.sin(angle)
    R[..., i, j] = -R[..., j, i]
    return R


def quaternions_of(R: Array) -> Array:
    """Return the unit quaternions (..., 4) x, y, z, w of rotation matrices (..., 3, 3), NaN of NaN; the first component
    of w, x, y, z beyond `LOCKED` is positive, so that rounding does not decide the sign of half turns.

    All components follow from the largest one, which is computed without cancellation (Shepperd 1978).
    """
    d = np.diagonal(R, axis1=-2, axis2=-1)
    trace = d.sum(axis=-1)
    q = np.empty((*R.shape[:-2], 4, 4))  # row k is 4 q_k (x, y, z, w), from sums and differences of elements of R
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        q[..., k, k] = 1.0 + 2.0 * d[..., k] - trace
        q[..., k, i] = q[..., i, k] = R[..., i, k] + R[..., k, i]
        q[..., k, 3] = q[..., 3, k] = R[..., j, i] - R[..., i, j]
    q[..., 3, 3] = 1.0 + trace
    largest = np.argmax(np.diagonal(q, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(q, largest[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    order = found[..., [3, 0, 1, 2]]  # w, x, y, z
    first = np.take_along_axis(order, np.argmax(np.abs(order) > LOCKED, axis=-1)[..., None], axis=-1)
    return np.asarray(np.where(first < 0, -found, found))


def angles_of(R: Array, sequence: str) -> Array:
    """Return Euler angles (..., 3) [rad] of rotation matrices (..., 3, 3) about the three axes of `sequence`, NaN of
    NaN; the third is 0 in gimbal lock, within `LOCKED` of it.

    Half the sum and half the difference of the outer angles follow from the quaternion (Bernardes and Viollet 2022).
    """
    quaternion, axes = quaternions_of(R), ["xyz".index(letter.lower()) for letter in sequence]
    is_moving = sequence.isupper()
    i, j, k = axes[::-1] if is_moving else axes  # moving axes in reverse order are fixed axes
    is_proper = i == k  # the first axis again, as in z x z
    k = 3 - i - j if is_proper else k
    sign = (i - j) * (j - k) * (k - i) // 2  # of the permutation (i, j, k)
    x, y, z, w = quaternion[..., i], quaternion[..., j], sign * quaternion[..., k], quaternion[..., 3]
    # Three different axes (Tait-Bryan) are brought to the proper form by a quarter turn about the middle axis.
    a, b, c, d = (w, x, y, z) if is_proper else (w - y, x + z, y + w, z - x)
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    is_low, is_high = middle <= LOCKED, np.abs(middle - np.pi) <= LOCKED
    is_locked = is_low | is_high  # only the sum (middle angle 0) or the difference (pi) is defined
    together = np.where(is_low, 2.0 * half_sum, (2.0 if is_moving else -2.0) * half_difference)
    inner = np.where(is_locked, 0.0 if is_moving else together, half_sum - half_difference)
    outer = np.where(is_locked, together if is_moving else 0.0, half_sum + half_difference)
    if not is_proper:
        outer, middle = sign * outer, middle - 0.5 * np.pi
    first, third = (outer, inner) if is_moving else (inner, outer)
    angles = np.stack([first, middle, third], axis=-1)  # each to [-pi, pi]
    return np.asarray(angles - 2.0 * np.pi * np.rint(angles / (2.0 * np.pi)))


ORIGIN = np.zeros(3)


def rotations(vectors: ArrayLike) -> Array:
    """Return the rotation matrices (..., 3, 3) of rotation vectors (..., 3) [rad]."""
    from scipy.spatial.transform import Rotation

    w = np.asarray(vectors, dtype=float)
    return np.asarray(Rotation.from_rotvec(w.reshape(-1, 3)).as_matrix().reshape(*w.shape, 3))


def rotation_vectors(R: Array) -> Array:
    """Return the rotation vectors (..., 3) [rad], no longer than pi, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R.reshape(-1, 3, 3)).as_rotvec().reshape(R.shape[:-1]))


def rotation_angles(R: Array) -> Array:
    """Return angles (...) [rad], 0 to pi, of rotation matrices (..., 3, 3); NaN for NaN."""
    # tan = 2 sin / 2 cos, from the skew part and the trace: accurate for small angles, unlike arccos.
    twice_sine = np.stack([R[..., i, j] - R[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
    return np.asarray(np.arctan2(np.linalg.norm(twice_sine, axis=-1), np.trace(R, axis1=-2, axis2=-1) - 1.0))


def displaced(X: Array, d: Array, point: Array = ORIGIN) -> Array:
    """Return poses (..., 4, 4) after displacements d (..., 6) about a point (3,) of the body."""
    R = rotations(d[..., 3:]) @ X[..., :3, :3]
    moved = np.zeros((*R.shape[:-2], 4, 4))
    moved[..., :3, :3], moved[..., 3, 3] = R, 1.0
    # The point goes from R_X point + p_X to d[:3] further; the origin follows with the new rotation.
    moved[..., :3, 3] = X[..., :3, :3] @ point + X[..., :3, 3] + d[..., :3] - R @ point
    return moved


def displacement(start: Array, end: Array, point: Array = ORIGIN) -> Array:
    """Return displacements (..., 6) about a point (3,) of the body from poses `start` to poses `end` (..., 4, 4)."""
    turn = rotation_vectors(end[..., :3, :3] @ np.swapaxes(start[..., :3, :3], -1, -2))
    shift = (end[..., :3, :3] - start[..., :3, :3]) @ point + end[..., :3, 3] - start[..., :3, 3]
    return np.concatenate([shift, turn], axis=-1)
