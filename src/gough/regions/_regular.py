"""Bounds of |C G - 1| and lower bounds of least singular values of struts over boxes of poses, compiled.

With R = exp(v) D the rotation from a box's centre (`gough.regions.leg_limits`), q from a strut's base joint to the
region's point, r from there to its platform joint, rho that joint's position from the middle of the platform joints,
divided by their size,

    g = R^T (q + x) + r = (q + r) + x - v x q + rest,    |rest| <= |q| (|v|^2 / 2 + |D|) + |x| (|v| + |D|)

with |D| the angle of D, is the strut in axes that turn with the platform. The matrix G with the rows [g, rho x g] is
that of the struts' directions with rows times their lengths; with C its inverse at the centre, |C G - 1| <= W as in
`gough.regions.least_singular`.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, kernel, noinline_norefcount
from gough._linear_algebra import eliminate
from gough.arrays import Array
from gough.legs.leg import PLATFORM
from gough.regions._placing import ROUND_OFF, WIDENED, RegionArrays, Vector
from gough.regions._struts import BoxMotion, cross, dot, norm, platform_point, strut, times

POWERS = 4
"""Power iterations with W for a vector v that shows its spectral radius."""
LEAST = 1e-3
"""Smallest component of v, as a part of its largest."""
CLEARLY = 0.999
"""Largest c of W v <= c v with which W counts as convergent."""
SOLVED = 1 + 1e-6
"""Factor for rounding in the inverse of 1 - W: its condition is below 1e3 times the ratio of components of v, 1e4."""


class Platform(NamedTuple):
    """Table of struts, middle of the platform joints (3,), their size, and the machine's."""

    table: Array
    centre: Array
    length: float
    size: float


class Box(NamedTuple):
    """Arrays of one box: q, rho (6, 3), G, C; bounds of |C G - 1| by each coordinate to first order (6, 6, 6), `first`,
    and by all else, `second`; bounds `off` of the nonlinear parts and the rounding of G's entries; W; scratch rows
    (6, 6) and E (6, 12)."""

    q: Array
    rho: Array
    G: Array
    C: Array
    first: Array
    second: Array
    off: Array
    W: Array
    rows: Array
    E: Array


@inline
def vector(rows: Array, k: int) -> Vector:
    """A row (3,)."""
    return rows[k, 0], rows[k, 1], rows[k, 2]


@inline
def write_row(rho: Vector, g: Vector, row: Array) -> None:
    """The row [g, rho x g] (6,)."""
    row[0], row[1], row[2] = g
    row[3], row[4], row[5] = cross(rho, g)


@noinline_norefcount
def add_product(C: Array, rows: Array, by: float, W: Array) -> None:
    """W <- W + |C rows| by (6, 6)."""
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(6):
                total += C[i, k] * rows[k, j]
            W[i, j] += abs(total) * by


@noinline_norefcount
def write_struts(platform: Platform, X: Array, about: Array, turn: float, box: Box) -> tuple[float, float]:
    """Writes q, rho and G at the box's centre; returns the distance of the region's point from the base's origin, and a
    bound of the struts' lengths under the rotation."""
    T, centre, size, o, longest = platform.table, platform.centre, platform.length, platform_point(X, about), 0.0
    for k in range(6):
        q, r = strut(T, X, about, o, k)
        x, y, z = T[PLATFORM, k] - centre[0], T[PLATFORM + 1, k] - centre[1], T[PLATFORM + 2, k] - centre[2]
        rho, g = times(X, (x / size, y / size, z / size)), (q[0] + r[0], q[1] + r[1], q[2] + r[2])
        box.q[k, 0], box.q[k, 1], box.q[k, 2] = q
        box.rho[k, 0], box.rho[k, 1], box.rho[k, 2] = rho
        write_row(rho, g, box.G[k])
        # |q + R r| <= |q + r| + turn |r|; the caller adds the displacement of the region's point.
        longest = max(longest, norm(g) + turn * norm(r))
    return norm(o), longest


@noinline_norefcount
def eliminated(A: Array, B: Array, E: Array) -> bool:
    """E[:, 6:] <- A^-1 B (6, 6); whether A has an inverse."""
    for i in range(6):
        for j in range(6):
            E[i, j], E[i, 6 + j] = A[i, j], B[i, j]
    return abs(eliminate(E, 6, 6)) > 0.0


@noinline_norefcount
def write_inverse(box: Box) -> bool:
    """Writes C, the error of C G = 1 into `second` and the rounding of G's entries into `off`; whether C exists."""
    for i in range(6):
        for j in range(6):
            box.W[i, j] = 1.0 if i == j else 0.0
    is_known = eliminated(box.G, box.W, box.E)
    for i in range(6):
        for j in range(6):
            box.C[i, j], box.off[i, j] = box.E[i, 6 + j], ROUND_OFF * abs(box.G[i, j])
    for i in range(6):
        for j in range(6):
            total = -1.0 if i == j else 0.0
            for k in range(6):
                total += box.C[i, k] * box.G[k, j]
            box.second[i, j] = abs(total)
    return is_known


@noinline_norefcount
def write_first(directions: Array, W: Array, half: Array, box: Box) -> None:
    """Writes `first`, from the linear part x - v x q of each strut; adds the rounding of its rows to `off`."""
    # By a position's coordinate all struts move along its axis; by an orientation's -v x q = q x v, v = W dz.
    for c in range(6):
        for k in range(6):
            if c < 3:
                write_row(vector(box.rho, k), (directions[0, c], directions[1, c], directions[2, c]), box.rows[k])
            else:
                w = W[0, c - 3], W[1, c - 3], W[2, c - 3]
                write_row(vector(box.rho, k), cross(vector(box.q, k), w), box.rows[k])
            for j in range(6):
                box.off[k, j] += ROUND_OFF * abs(box.rows[k, j]) * half[c]
                box.first[c, k, j] = 0.0
        add_product(box.C, box.rows, half[c], box.first[c])


@noinline_norefcount
def write_second(shift: float, t: float, bend: float, rounding: float, box: Box) -> None:
    """Adds the remainders to `second`: a part common to all struts, and one of each."""
    # The remainders of x and of the mean of q are the same vector for all struts: its components along three axes e,
    # instead of an error of each entry.
    mean = 0.0, 0.0, 0.0
    for k in range(6):
        mean = mean[0] + box.q[k, 0] / 6.0, mean[1] + box.q[k, 1] / 6.0, mean[2] + box.q[k, 2] / 6.0
    common = norm(mean) * (t * t / 2.0 + bend) + shift * (t + bend)
    for e in range(3):
        for k in range(6):
            axis = 1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0
            write_row(vector(box.rho, k), axis, box.rows[k])
        add_product(box.C, box.rows, common, box.second)
    for k in range(6):
        x, y, z = vector(box.q, k)
        # The remainder of q - mean bounds the error of each entry of g; times the part of rho across an axis, that of
        # the entry of rho x g along this axis.
        own = norm((x - mean[0], y - mean[1], z - mean[2])) * (t * t / 2.0 + bend) + rounding
        rho = vector(box.rho, k)
        for j in range(3):
            box.off[k, j] += own
            box.off[k, 3 + j] += own * (sqrt(max(dot(rho, rho) - rho[j] * rho[j], 0.0)) + ROUND_OFF)
    for i in range(6):
        for j in range(6):
            for k in range(6):
                box.second[i, j] += abs(box.C[i, k]) * box.off[k, j]


@noinline_norefcount
def write_bound(box: Box, half: Array, part: Array) -> float:
    """Writes W, and the parts (6,) of W v by the coordinates; returns a bound of the norm of G^-1, infinite where G may
    be singular: |G^-1| <= (1 - W)^-1 |C| where W v < v for some v > 0 (Collatz 1942)."""
    W, v = box.W, box.E[:2]  # E is free until the elimination
    for i in range(6):
        for j in range(6):
            W[i, j] = box.second[i, j]
            for c in range(6):
                W[i, j] += box.first[c, i, j]
            W[i, j] *= WIDENED
        v[0, i] = 1.0
    # Power iteration; the last pass tests W v <= CLEARLY v and leaves v.
    is_regular = True
    for step in range(POWERS + 1):
        top = max(v[0, 0], v[0, 1], v[0, 2], v[0, 3], v[0, 4], v[0, 5])
        for i in range(6):
            v[1, i] = 0.0
            for j in range(6):
                v[1, i] += W[i, j] * v[0, j]
            is_regular &= step < POWERS or v[1, i] <= CLEARLY * v[0, i]
        for i in range(6):
            v[0, i] = v[1, i] + LEAST * top if step < POWERS else v[0, i]
    # The nonlinear part grows with rotations: it is divided between their coordinates as the squares of half widths.
    turns = half[3] * half[3] + half[4] * half[4] + half[5] * half[5]
    for c in range(6):
        part[c] = 0.0
        for i in range(6):
            for j in range(6):
                part[c] += box.first[c, i, j] * v[0, j]
                part[c] += box.second[i, j] * v[0, j] * half[c] * half[c] / max(turns, 1e-300) if c >= 3 else 0.0
    for i in range(6):
        for j in range(6):
            W[i, j] = (1.0 if i == j else 0.0) - W[i, j]
            box.C[i, j] = abs(box.C[i, j])
    if not (is_regular and eliminated(W, box.C, box.E)):
        return inf
    total = 0.0  # the Frobenius norm is no less than the spectral norm
    for i in range(6):
        for j in range(6):
            total += box.E[i, 6 + j] ** 2
    return sqrt(total) * SOLVED


@kernel
def regular_boxes(platform: Platform, region: RegionArrays, motion: BoxMotion) -> tuple[Array, Array, Array]:
    """Lower bounds (n,) of the least singular value over n boxes, zero where it may vanish; parts of W by the
    coordinates (n, 6); bounds of the nonlinear part of |C G - 1| (n, 6, 6)."""
    n = len(motion.shift)
    least, part, second = np.zeros(n), np.zeros((n, 6)), np.empty((n, 6, 6))
    thin, square, first, E = np.empty((2, 6, 3)), np.empty((5, 6, 6)), np.empty((6, 6, 6)), np.empty((6, 12))
    for i in range(n):
        box = Box(thin[0], thin[1], square[0], square[1], first, second[i], square[2], square[3], square[4], E)
        shift, turn, half = motion.shift[i], motion.turn[i], motion.half[i]
        away, longest = write_struts(platform, motion.X[i], region.about, turn, box)
        if write_inverse(box):
            write_first(region.directions, motion.W[i], half, box)
            write_second(shift, turn, motion.bend[i] / 2.0, ROUND_OFF * (away + platform.size + shift), box)
            # G is A with rows times the struts' lengths: |A^-1| <= |G^-1| times the longest.
            inverse = write_bound(box, half, part[i])
            least[i] = 1.0 / (inverse * ((longest + shift) * WIDENED))
    return least, part, second
