"""Limits of struts over boxes as quadratic functions, compiled; see `gough.regions.leg_limits` for the symbols."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, kernel, noinline_norefcount
from gough.arrays import Array, Ints
from gough.legs.leg import ANCHOR, PLATFORM
from gough.limits import _margins as layout
from gough.regions._placing import ROUND_OFF, WIDENED, RegionArrays, Vector, is_inside

Four = tuple[float, float, float, float]


class BoxMotion(NamedTuple):
    """Displacements over n boxes, see `gough.regions.motions.Motion`."""

    X: Array
    W: Array
    half: Array
    shift: Array
    turn: Array
    bend: Array


class Struts(NamedTuple):
    """Table of the legs, and the machine's size; legs, kinds in the layout, levels and axes (k, 3) of k limits, see
    `gough.regions.leg_limits.LegLimits`."""

    table: Array
    size: float
    legs: Ints
    kinds: Ints
    level: Array
    axis: Array


@inline
def times(X: Array, v: Vector) -> Vector:
    """R v of a pose X (4, 4)."""
    return (
        X[0, 0] * v[0] + X[0, 1] * v[1] + X[0, 2] * v[2],
        X[1, 0] * v[0] + X[1, 1] * v[1] + X[1, 2] * v[2],
        X[2, 0] * v[0] + X[2, 1] * v[1] + X[2, 2] * v[2],
    )


@inline
def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def norm(a: Vector) -> float:
    """Length."""
    return sqrt(dot(a, a))


@inline
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def platform_point(X: Array, about: Array) -> Vector:
    """Position in the base of a platform point (3,)."""
    x, y, z = times(X, (about[0], about[1], about[2]))
    return x + X[0, 3], y + X[1, 3], z + X[2, 3]


@inline
def strut(T: Array, X: Array, about: Array, o: Vector, leg: int) -> tuple[Vector, Vector]:
    """Vectors q from a base joint to the region's point, at o, and r from there to the platform joint."""
    q = o[0] - T[ANCHOR, leg], o[1] - T[ANCHOR + 1, leg], o[2] - T[ANCHOR + 2, leg]
    x, y, z = T[PLATFORM, leg] - about[0], T[PLATFORM + 1, leg] - about[1], T[PLATFORM + 2, leg] - about[2]
    return q, times(X, (x, y, z))


@noinline_norefcount
def write_product(q: Vector, r: Vector, shift: float, t: float, bend: float, g: Array, H: Array) -> float:
    """V = (q + x) . exp(v) D r less q . r, with |x| <= shift, |v| <= t and D a rotation by at most bend: writes its
    gradient g (6,) and Hessian H (6, 6) by x and v; returns a bound of the remainder."""
    moment, inner = cross(r, q), dot(q, r)
    for i in range(3):
        g[i], g[3 + i] = r[i], moment[i]
        for j in range(3):
            H[i, j], H[i, 3 + j], H[3 + i, j] = 0.0, 0.0, 0.0
            H[3 + i, 3 + j] = (r[i] * q[j] + q[i] * r[j]) / 2.0 - (inner if i == j else 0.0)
    H[3, 1], H[3, 2], H[4, 0], H[4, 2], H[5, 0], H[5, 1] = -r[2], r[1], r[2], -r[0], -r[1], r[0]  # x . (v x r)
    H[1, 3], H[2, 3], H[0, 4], H[2, 4], H[0, 5], H[1, 5] = -r[2], r[1], r[2], -r[0], -r[1], r[0]
    # Third and fourth order of (q + x) . exp(v) r, where v x (v x (v x r)) = -|v|^2 v x r; second order of x . exp(v)
    # r; and D, which turns r by at most bend.
    size, far = norm(r), norm(q) + shift
    across = norm(moment) + size * shift
    rest = t**3 / 6.0 * across + t**4 / 24.0 * far * size + shift * t * t * size / 2.0
    rest += bend * (across + size * t * far) + bend * bend / 2.0 * far * size
    return rest * WIDENED


@noinline_norefcount
def write_squared_length(q: Vector, r: Vector, over: Four, g: Array, H: Array) -> tuple[float, float]:
    """Squared length d . d of a strut d = q + x + R r: writes gradient and Hessian; returns value and remainder.

    `over` are bounds over the box: shift, turn, half of bend, and an extent for rounding.
    """
    shift, turn, bend, extent = over
    rest = write_product(q, r, shift, turn, bend, g, H)
    d = q[0] + r[0], q[1] + r[1], q[2] + r[2]
    for i in range(6):
        g[i] = 2.0 * (d[i] if i < 3 else g[i])
        for j in range(6):
            H[i, j] = 2.0 * H[i, j] + (2.0 if i == j and i < 3 else 0.0)
    far = norm(q) + norm(r) + shift
    return dot(d, d), 2.0 * rest + 2.0 * ROUND_OFF * far * (extent + far)


@noinline_norefcount
def write_squared_part(
    q: Vector, r: Vector, a: Vector, is_carried: bool, is_in: bool, over: Four, g: Array, H: Array
) -> tuple[float, float]:
    """(a . d)^2 with a fixed to the base, or carried by the platform: writes gradient and Hessian; returns value and
    remainder, infinite where a . d is not known to be positive at a place: a square does not tell the sign."""
    shift, turn, bend, extent = over
    still, turned, far = (q, a, shift) if is_carried else (a, r, 0.0)
    rest = write_product(still, turned, far, turn, bend, g, H) + ROUND_OFF * extent
    value = dot(a, (q[0] + r[0], q[1] + r[1], q[2] + r[2]))
    # a . d is value + first order + second order + rest; its square keeps the products up to second order.
    first = shift + turn * sqrt(g[3] * g[3] + g[4] * g[4] + g[5] * g[5])
    second = norm(turned) * turn * (norm(still) * turn / 2.0 + far)
    most = abs(value) + first + second
    for i in range(3):
        g[i] = a[i]
        for j in range(3):
            H[i, 3 + j] *= 1.0 if is_carried else 0.0
            H[3 + i, j] *= 1.0 if is_carried else 0.0
    for i in range(6):
        for j in range(6):
            H[i, j] = 2.0 * value * H[i, j] + 2.0 * g[i] * g[j]
    for i in range(6):
        g[i] *= 2.0 * value
    left = (2.0 * first * second + second * second + (2.0 * most + rest) * rest) * WIDENED
    # Where the limit's function is positive a . d does not vanish. Over the convex part of the box in the region it
    # then has one sign, which one place decides: the centre, if it is in the region; otherwise all places of the box
    # must.
    is_positive = value > first + second + rest or (is_in and value > rest)
    return value * value, left if is_positive else inf


@noinline_norefcount
def write_in_coordinates(directions: Array, W: Array, g: Array, H: Array, J: Array, HJ: Array) -> None:
    """Convert gradient and Hessian in place, from displacement and rotation vector to the coordinates: J^T g and
    J^T H J."""
    for i in range(6):
        for j in range(6):
            J[i, j] = 0.0
    for i in range(3):
        for j in range(3):
            J[i, j], J[3 + i, 3 + j] = directions[i, j], W[i, j]
    for i in range(6):
        for j in range(6):
            HJ[i, j] = 0.0
            for k in range(6):
                HJ[i, j] += H[i, k] * J[k, j]
    for j in range(6):
        HJ[j, 6] = g[j]
    for j in range(6):
        g[j] = 0.0
        for k in range(6):
            g[j] += HJ[k, 6] * J[k, j]
        for i in range(6):
            H[i, j] = 0.0
            for k in range(6):
                H[i, j] += J[k, i] * HJ[k, j]


@kernel
def write_functions(
    struts: Struts, region: RegionArrays, z: Array, motion: BoxMotion, slope: Array, curve: Array, out: Array
) -> None:
    """Writes gradients (n, 6) and Hessians (n, 6, 6) of functions that are not negative where each limit is kept, over
    a box each; `out` (4, n) gets values, remainders, and lower and upper bounds of the lengths."""
    g, H, J, HJ = np.empty(6), np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 7))
    for n in range(len(z)):
        X, kind, level = motion.X[n], struts.kinds[n], struts.level[n]
        o = platform_point(X, region.about)
        q, r = strut(struts.table, X, region.about, o, struts.legs[n])
        shift, turn = motion.shift[n], motion.turn[n]
        over = shift, turn, motion.bend[n] / 2.0, norm(o) + struts.size + shift
        value, rest = write_squared_length(q, r, over, slope[n], curve[n])
        is_stroke = kind == layout.SHORTEST or kind == layout.LONGEST
        # Factor of d . d in the function: 1 and -1 of the ends of strokes, -c^2 of angles, beside (n . d)^2.
        sign = -level * level if not is_stroke else -1.0 if kind == layout.LONGEST else 1.0
        value, rest = sign * value, abs(sign) * rest
        if is_stroke:
            value, rest = value - sign * level * level, rest + ROUND_OFF * level * level
        else:
            is_carried = kind == layout.PLATFORM_CONE or kind == layout.PLATFORM_PLATE
            a = struts.axis[n, 0], struts.axis[n, 1], struts.axis[n, 2]
            a = times(X, a) if is_carried else a
            is_in = is_inside(region, z[n])
            more, left = write_squared_part(q, r, a, is_carried, is_in, over, g, H)
            value, rest = value + more, rest + left
        for i in range(6):
            slope[n, i] = sign * slope[n, i] + (0.0 if is_stroke else g[i])
            for j in range(6):
                curve[n, i, j] = sign * curve[n, i, j] + (0.0 if is_stroke else H[i, j])
        write_in_coordinates(region.directions, motion.W[n], slope[n], curve[n], J, HJ)
        length, away = norm((q[0] + r[0], q[1] + r[1], q[2] + r[2])), shift + turn * norm(r)
        out[0, n], out[1, n] = value, rest * WIDENED
        out[2, n], out[3, n] = length / WIDENED - away * WIDENED, (length + away) * WIDENED
