"""Poses from their coordinates, and bounds of the displacement over boxes, compiled (`gough.regions.charts`,
`.motions`).
"""

from __future__ import annotations

from math import hypot, inf, sin, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, kernel, noinline
from gough.arrays import Array, Ints

ROTVEC, CONE, EULER = 0, 1, 2
"""Kinds of charts. The number is one less than that of the rotations of which the chart is a product."""
SMALL = 1e-4
"""Angles below which (t - sin t) / t^3 is computed by its series [rad]."""
EPS = float(np.finfo(float).eps)
ROUND_OFF = 64 * EPS
"""Relative rounding error of a computed quantity, of the lengths and numbers in it: some sixty roundings."""
WIDENED = 1 + 1e-12
"""Factor of remainders and rates, sums of terms of one sign: thousands of their roundings."""
WIDER = 1 + 1e-9
"""Factor of half widths of boxes: covers the gaps that rounding leaves where boxes are halved."""
Vector = tuple[float, float, float]


class RegionArrays(NamedTuple):
    """A region for kernels; the other fields as of `gough.regions.shapes.PoseRegion`.

    `code` (7,): the kind of chart; for Euler angles the axes of the three factors in the order of multiplication, then
    which of the angles each has. `groups` (6,): the number of each coordinate's ellipsoid, -1 for an interval.
    """

    code: Ints
    groups: Ints
    axes: Array
    centre: Array
    half: Array
    about: Array
    directions: Array
    reference: Array


@inline
def spun(t: Vector, first: float, second: float, v: Vector) -> Vector:
    """The vector v + first t x v + second t x (t x v)."""
    x, y, z = t[1] * v[2] - t[2] * v[1], t[2] * v[0] - t[0] * v[2], t[0] * v[1] - t[1] * v[0]
    return (
        v[0] + first * x + second * (t[1] * z - t[2] * y),
        v[1] + first * y + second * (t[2] * x - t[0] * z),
        v[2] + first * z + second * (t[0] * y - t[1] * x),
    )


@noinline
def rotate(t: Vector, M: Array) -> None:
    """M (3, k) <- exp(t) M (Rodrigues)."""
    angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    first = sin(angle) / angle if angle > 0.0 else 1.0
    half = sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0
    for k in range(M.shape[1]):
        M[0, k], M[1, k], M[2, k] = spun(t, first, 0.5 * half * half, (M[0, k], M[1, k], M[2, k]))


@noinline
def rotate_mean(t: Vector, M: Array) -> None:
    """M (3, k) <- J(t) M, the mean of exp(s t), 0 <= s <= 1 (`gough.poses.left_jacobian`)."""
    angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    half = sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0
    second = (angle - sin(angle)) / angle**3 if angle > SMALL else 1.0 / 6.0 - angle * angle / 120.0
    for k in range(M.shape[1]):
        M[0, k], M[1, k], M[2, k] = spun(t, 0.5 * half * half, second, (M[0, k], M[1, k], M[2, k]))


@inline
def factor(code: Ints, axes: Array, z: Array, k: int) -> Vector:
    """Rotation vector of the k-th factor, in the order of multiplication, of an orientation z (3,)."""
    if code[0] == ROTVEC:
        return z[0], z[1], z[2]
    if code[0] == CONE:
        u, v, n = (z[0], z[1], 0.0) if k == 0 else (0.0, 0.0, z[2])
        return (
            u * axes[0, 0] + v * axes[1, 0] + n * axes[2, 0],
            u * axes[0, 1] + v * axes[1, 1] + n * axes[2, 1],
            u * axes[0, 2] + v * axes[1, 2] + n * axes[2, 2],
        )
    angle, axis = z[code[4 + k]], code[1 + k]
    return angle if axis == 0 else 0.0, angle if axis == 1 else 0.0, angle if axis == 2 else 0.0


@noinline
def place(region: RegionArrays, z: Array, X: Array) -> None:
    """The pose X (4, 4) of coordinates z (6,)."""
    for i in range(3):
        for j in range(3):
            X[i, j] = region.reference[i, j]
    for k in range(region.code[0], -1, -1):
        rotate(factor(region.code, region.axes, z[3:], k), X[:3, :3])
    for i in range(3):
        X[i, 3] = region.centre[i]
        for j in range(3):
            X[i, 3] += region.directions[i, j] * (z[j] - region.centre[j]) - X[i, j] * region.about[j]
        X[3, i] = 0.0
    X[3, 3] = 1.0


@kernel
def place_poses(region: RegionArrays, z: Array, X: Array) -> None:
    """Poses X (n, 4, 4) of coordinates z (n, 6)."""
    for i in range(len(z)):
        place(region, z[i], X[i])


@inline
def vector_rates(u: float, v: float, w: float, h: Array, count: int, most: float) -> tuple[float, float]:
    """Bounds of angular velocity and acceleration of a rotation vector (u, v, w) over a box, of which the first `count`
    half widths h count: |h| and |h|^2 min(1 / 2, |c| / 6), see `gough.regions.charts`."""
    size = sqrt(h[0] * h[0] + h[1] * h[1] + (h[2] * h[2] if count == 3 else 0.0))
    rate = min(size, most)
    return rate * WIDENED, rate * rate * min(0.5, sqrt(u * u + v * v + w * w) / 6.0) * WIDENED


@noinline
def turn_box(code: Ints, axes: Array, z: Array, h: Array, most: float, W: Array) -> tuple[float, float]:
    """Write W (3, 3) of a box; return bounds of the angular velocity and acceleration over it, see
    `gough.regions.charts.turned`."""
    for i in range(3):
        for k in range(3):
            W[i, k] = 1.0 if i == k else 0.0
    if code[0] == ROTVEC:
        rotate_mean((z[0], z[1], z[2]), W)
        return vector_rates(z[0], z[1], z[2], h, 3, most)
    if code[0] == CONE:
        tilt = factor(code, axes, z, 0)
        for i in range(3):
            for k in range(3):
                W[i, k] = axes[k, i]
        rotate_mean(tilt, W[:, :2])
        rotate(tilt, W[:, 2:])
        rate, bend = vector_rates(z[0], z[1], 0.0, h, 2, most)
        # w = w_tilt + w_torsion: their scalar product is at most |tilt| / 2 of the product of the amounts.
        overlap = min(1.0, hypot(abs(z[0]) + h[0], abs(z[1]) + h[1]) / 2.0)
        both = sqrt(rate * rate + h[2] * h[2] + 2.0 * overlap * rate * h[2])
        return both * WIDENED, (bend + rate * h[2]) * WIDENED
    first, second, third = code[4], code[5], code[6]
    # Columns of W are the axes of the factors, each turned with the factors before it. The second is across the others;
    # `overlap` bounds the scalar product of the first and the third over the box.
    for k in range(3):
        for i in range(3):
            W[i, code[4 + k]] = 1.0 if i == code[1 + k] else 0.0
    rotate(factor(code, axes, z, 1), W[:, third : third + 1])
    overlap = min(1.0, abs(W[code[1], third]) + h[second])
    rotate(factor(code, axes, z, 0), W[:, third : third + 1])
    rotate(factor(code, axes, z, 0), W[:, second : second + 1])
    a, b, c = h[first], h[second], h[third]
    return sqrt(a * a + b * b + c * c + 2.0 * a * c * overlap) * WIDENED, (a * b + a * c + b * c) * WIDENED


@kernel
def turn_boxes(code: Ints, axes: Array, z: Array, h: Array, most: Array) -> tuple[Array, Array, Array]:
    """W (n, 3, 3), and bounds (n,) of the angular velocity and acceleration, of n boxes of orientations."""
    n = len(z)
    W, rate, bend = np.empty((n, 3, 3)), np.empty(n), np.empty(n)
    for i in range(n):
        rate[i], bend[i] = turn_box(code, axes, z[i], h[i], most[i], W[i])
    return W, rate, bend


@inline
def farthest(region: RegionArrays, z: Array, h: Array, first: int) -> float:
    """Largest distance of places of box and region from the box's centre z: of positions (first = 0), or of
    orientations (first = 3), where it counts the first coordinate and those that share its ellipsoid."""
    total = 0.0
    for k in range(first, first + 3):
        group, off, size, extent, is_first = region.groups[k], 0.0, 0.0, 0.0, True
        if group < 0:
            most = min(h[k], abs(z[k] - region.centre[k]) + region.half[k] * WIDER)
            total += most * most
        else:
            for j in range(6):
                if region.groups[j] == group:
                    is_first &= j >= k
                    off += (z[j] - region.centre[j]) ** 2
                    size += h[j] * h[j]
                    extent = max(extent, region.half[j])
            if is_first:
                most = min(sqrt(size), sqrt(off) + extent * WIDER)  # of the box, or of the ball about the ellipsoid
                total += most * most
        if first == 3:
            break
    return sqrt(total)


@noinline
def is_inside(region: RegionArrays, z: Array) -> bool:
    """Whether coordinates (6,) are in the region."""
    for k in range(6):
        norm, r = 0.0, region.half[k]
        if not abs(z[k] - region.centre[k]) <= (inf if r > 0.0 and region.groups[k] >= 0 else r):
            return False
        for j in range(6):
            if region.groups[k] >= 0 and region.groups[j] == region.groups[k] and region.half[j] > 0.0:
                norm += ((z[j] - region.centre[j]) / region.half[j]) ** 2
        if not norm <= 1.0:
            return False
    return True


@kernel
def move_boxes(region: RegionArrays, z: Array, h: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Poses X (n, 4, 4) and W (n, 3, 3) at boxes' centres; bounds (n,) of the displacement of the region's point, of
    the platform's rotation, and of its angular acceleration."""
    n = len(z)
    X, W, shift, turn, bend = np.empty((n, 4, 4)), np.empty((n, 3, 3)), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        place(region, z[i], X[i])
        shift[i] = farthest(region, z[i], h[i], 0)
        most = farthest(region, z[i], h[i], 3)
        turn[i], bend[i] = turn_box(region.code, region.axes, z[i, 3:], h[i, 3:], most, W[i])
    return X, W, shift, turn, bend
