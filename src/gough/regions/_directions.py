"""Matrices of the rods' directions over boxes of poses as Taylor models, compiled (`gough.regions._taylor`).

A has the rows [u, u x rho]: u is a rod's direction, rho its platform joint seen from the middle of the platform joints,
divided by their size. Vectors are in axes that turn with the platform and agree with the base's at the box's centre:
rho is constant there. The formulas of joint coordinates are those of `gough.regions.drive_models`.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, isfinite, sin, sqrt
from typing import NamedTuple

from gough._compile import inline, inline_norefcount, noinline_norefcount
from gough.arrays import Array
from gough.legs.leg import ANCHOR, ARM, ARM_NORMAL, AXIS, BRANCH, PLATFORM, ROD
from gough.regions._linear import linear_least
from gough.regions._placing import ROUND_OFF, WIDENED, RegionArrays, Vector
from gough.regions._regular import Platform
from gough.regions._struts import cross, dot, norm, platform_point, times
from gough.regions._taylor import (
    FIRST,
    NUMBERS,
    REMAINDER,
    ROUND,
    SECOND,
    add_along,
    add_multiple,
    add_product,
    add_product_of_position,
    change,
    clear,
    component,
    count_sums,
    multiply,
    nonlinear_variation,
    place_of,
    write_part,
    write_reciprocal,
    write_root,
)

PRODUCT, ALONG, ACROSS, RADICAND, ROOT, POLAR = 0, 1, 2, 3, 4, 5
"""Scratch scalars."""
STEADY = 1.2
"""Largest lengthening of struts whose own directions are modelled, instead of rods over lengths at the centre."""


class Place(NamedTuple):
    """A box: the pose X at its centre z, its half widths, W times those of the orientation (3, 3); bounds of |v| and
    of the angle of D in the rotation exp(v) D, v = W dz."""

    X: Array
    z: Array
    half: Array
    W: Array
    turn: float
    bend: float


class Scratch(NamedTuple):
    """Rows: vectors (3, NUMBERS) from an anchor to the region's point, from there to the platform joint, and from the
    anchor to this; squares (6, NUMBERS) of the latter's length; scalars (7, NUMBERS)."""

    point: Array
    arm: Array
    reach: Array
    squares: Array
    scalars: Array


@inline
def scratch_of(rows: Array) -> Scratch:
    """Scratch in rows (21, NUMBERS)."""
    return Scratch(rows[:3], rows[3:6], rows[6:9], rows[9:15], rows[15:21])


@inline
def row(T: Array, first: int, leg: int) -> Vector:
    """Three rows of a table of legs."""
    return T[first, leg], T[first + 1, leg], T[first + 2, leg]


@inline
def scaled(a: Vector, by: float) -> Vector:
    """The vector a, times a factor."""
    return by * a[0], by * a[1], by * a[2]


@inline
def column(W: Array, k: int) -> Vector:
    """Column k of a matrix (3, 3)."""
    return W[0, k], W[1, k], W[2, k]


@noinline_norefcount
def add_turned_arm(r: Vector, place: Place, out: Array) -> None:
    """Add exp(v) D r, v = W dz, to `out` (3, NUMBERS): to second order r + v x r + v (v . r) / 2 - |v|^2 r / 2."""
    for k in range(3):
        w = column(place.W, k)
        first, along = cross(w, r), dot(w, r)
        for i in range(3):
            out[i, FIRST + 3 + k] += component(first, i)
            out[i, place_of(3 + k, 3 + k)] += (component(w, i) * along - component(r, i) * dot(w, w)) / 2.0
        for j in range(k + 1, 3):
            u = column(place.W, j)
            other, both = dot(u, r), dot(u, w)
            for i in range(3):
                second = (component(w, i) * other + component(u, i) * along) / 2.0 - component(r, i) * both
                out[i, place_of(3 + k, 3 + j)] += second
    t, size = place.turn, norm(r)
    for i in range(3):
        out[i, 0] += component(r, i)
        out[i, REMAINDER] += ((t**3 / 6.0 + place.bend) * WIDENED + 4.0 * ROUND_OFF * (1.0 + t)) * size


@noinline_norefcount
def turn_back(w: Array, place: Place) -> None:
    """Replace w (3, NUMBERS) by D^-1 exp(-v) w: to second order w - v x w + v x (v x w) / 2."""
    bent, moved, size = 0.0, 0.0, 0.0
    for i in range(3):
        D = change(w[i])
        bent, moved, size = bent + nonlinear_variation(w[i]) ** 2, moved + D**2, size + (abs(w[i, 0]) + D) ** 2
    bent, moved, size, t = sqrt(bent), sqrt(moved), sqrt(size), place.turn
    rest = (t * bent + t * t / 2.0 * moved + (t**3 / 6.0 + place.bend) * size) * WIDENED
    rest += 4.0 * ROUND_OFF * (1.0 + t) * size
    value = w[0, 0], w[1, 0], w[2, 0]
    for k in range(3):
        v = column(place.W, k)
        for j in range(6):
            slope = w[0, FIRST + j], w[1, FIRST + j], w[2, FIRST + j]
            second, at = cross(slope, v), place_of(min(3 + k, j), max(3 + k, j))
            for i in range(3):
                w[i, at] += component(second, i)
        twice = cross(v, value)
        for j in range(3):
            # v x (v x w) / 2 has the terms x_k x_j of both orders.
            u = column(place.W, j)
            second, at = scaled(cross(u, twice), 0.5), place_of(3 + min(k, j), 3 + max(k, j))
            for i in range(3):
                w[i, at] += component(second, i)
    for k in range(3):  # the gradient changes last: the loops above read it
        first = cross(value, column(place.W, k))
        for i in range(3):
            w[i, FIRST + 3 + k] += component(first, i)
    for i in range(3):
        w[i, REMAINDER] += rest


@inline
def platform_arm(platform: Platform, region: RegionArrays, leg: int, X: Array) -> Vector:
    """Vector from the region's point to a platform joint, at the box's centre."""
    b, c = row(platform.table, PLATFORM, leg), region.about
    return times(X, (b[0] - c[0], b[1] - c[1], b[2] - c[2]))


@inline_norefcount
def write_reach(platform: Platform, region: RegionArrays, leg: int, place: Place, scratch: Scratch) -> None:
    """Writes vectors from a leg's anchor to the region's point p, from there to its platform joint, their sum d, and
    the square of its length, p . p + 2 p . r + r . r: |r| is constant, so that the remainder is that of p . r alone."""
    T, point, arm, reach = platform.table, scratch.point, scratch.arm, scratch.reach
    o, a, r = platform_point(place.X, region.about), row(T, ANCHOR, leg), platform_arm(platform, region, leg, place.X)
    square = scratch.squares[leg]
    clear(square)
    for i in range(3):
        clear(point[i])
        clear(arm[i])
        point[i, 0] = component(o, i) - component(a, i)
        point[i, REMAINDER] = ROUND_OFF * (norm(o) + platform.size)
        for k in range(3):
            point[i, FIRST + k] = region.directions[i, k] * place.half[k]
    add_turned_arm(r, place, arm)
    for i in range(3):
        for k in range(NUMBERS):
            reach[i, k] = point[i, k] + arm[i, k]
        add_product_of_position(1.0, point[i], point[i], square)
        add_product_of_position(2.0, point[i], arm[i], square)
    square[0] += dot(r, r)
    count_sums(square, 8.0)


@noinline_norefcount
def write_allowed_root(region: RegionArrays, place: Place, f: Array, out: Array) -> None:
    """Write the root of f over the poses of box and region where f is not negative."""
    least, D = 0.0, change(f)
    if f[0] / 4.0 < D and isfinite(D):  # otherwise the root has the smaller remainder without its chord
        least = f[0] + linear_least(region, place.z, place.half, f[FIRST:SECOND])
        least = max(least - nonlinear_variation(f) - 2.0 * ROUND * (abs(f[0]) + D), 0.0)
    write_root(f, least, out)


@inline_norefcount
def subtract_slide(platform: Platform, region: RegionArrays, leg: int, place: Place, scratch: Scratch) -> None:
    """Subtract q a from `point`, the travel along a slider's guide: q = a . d + s sqrt(l^2 - |d|^2 + (a . d)^2)."""
    T, s = platform.table, scratch.scalars
    a, rod = row(T, AXIS, leg), T[ROD, leg]
    write_part(a, scratch.reach, s[ALONG])
    multiply(s[ALONG], s[ALONG], s[RADICAND])
    add_multiple(-1.0, scratch.squares[leg], s[RADICAND])
    s[RADICAND, 0] += rod * rod
    count_sums(s[RADICAND], 3.0)
    write_allowed_root(region, place, s[RADICAND], s[PRODUCT])
    add_multiple(T[BRANCH, leg], s[PRODUCT], s[ALONG])
    count_sums(s[ALONG], 2.0)
    add_along(scaled(a, -1.0), s[ALONG], scratch.point)


@inline_norefcount
def subtract_crank(platform: Platform, region: RegionArrays, leg: int, place: Place, scratch: Scratch) -> None:
    """Subtract the arm of a crank from `point`.

    With e and f the parts of d along and across the arm at the box's centre, g = (|d|^2 + r^2 - l^2) / 2 and w =
    sqrt(e^2 + f^2 - g^2), the angle from there has the cosine (e g - s f w) / (e^2 + f^2) and the sine (f g + s e w) /
    (e^2 + f^2).
    """
    T, s = platform.table, scratch.scalars
    arm, normal, rod = row(T, ARM, leg), row(T, ARM_NORMAL, leg), T[ROD, leg]
    g, root, polar, e, f = scratch.squares[leg], s[ROOT], s[POLAR], s[ALONG], s[ACROSS]
    g[0] += dot(arm, arm) - rod * rod
    for k in range(NUMBERS):
        g[k] *= 0.5
    count_sums(g, 2.0)
    d = scratch.reach[0, 0], scratch.reach[1, 0], scratch.reach[2, 0]
    x, y = dot(d, arm), dot(d, normal)
    off = max(min(g[0] / max(hypot(x, y), 1e-300), 1.0), -1.0)  # where it is open, the angle nearest to closing
    q = atan2(y, x) + T[BRANCH, leg] * acos(off)
    c, z = cos(q), sin(q)
    along = c * arm[0] + z * normal[0], c * arm[1] + z * normal[1], c * arm[2] + z * normal[2]
    across = c * normal[0] - z * arm[0], c * normal[1] - z * arm[1], c * normal[2] - z * arm[2]
    write_part(along, scratch.reach, e)
    write_part(across, scratch.reach, f)
    multiply(e, e, polar)
    add_product(1.0, f, f, polar)
    count_sums(polar, 2.0)
    for k in range(NUMBERS):
        s[RADICAND, k] = polar[k]
    add_product(-1.0, g, g, s[RADICAND])
    count_sums(s[RADICAND], 2.0)
    write_allowed_root(region, place, s[RADICAND], root)
    write_reciprocal(polar, s[RADICAND])  # the radicand is not needed any more
    for k in range(2):  # the cosine times the arm, the sine times the arm a quarter turn on
        multiply(e if k == 0 else f, g, s[PRODUCT])
        add_product(-T[BRANCH, leg] if k == 0 else T[BRANCH, leg], f if k == 0 else e, root, s[PRODUCT])
        count_sums(s[PRODUCT], 2.0)
        multiply(s[PRODUCT], s[RADICAND], polar)
        add_along(scaled(along if k == 0 else across, -1.0), polar, scratch.point)


@inline_norefcount
def write_rod(
    platform: Platform, region: RegionArrays, leg: int, place: Place, scratch: Scratch, is_crank: bool | None
) -> None:
    """Writes a rod into `point`, in axes that turn with the platform: the platform's arm r is constant there."""
    write_reach(platform, region, leg, place, scratch)
    if is_crank is not None:  # code for struts is compiled without this
        if is_crank:
            subtract_crank(platform, region, leg, place, scratch)
        else:
            subtract_slide(platform, region, leg, place, scratch)
    turn_back(scratch.point, place)
    r = platform_arm(platform, region, leg, place.X)
    for i in range(3):
        scratch.point[i, 0] += component(r, i)
        scratch.point[i, REMAINDER] += ROUND_OFF * norm(r)
        count_sums(scratch.point[i], 4.0)


@noinline_norefcount
def bound_of(u: Array) -> float:
    """Bound of the length of a vector u (3, NUMBERS)."""
    size = 0.0
    for i in range(3):
        size += (abs(u[i, 0]) + change(u[i])) ** 2
    return sqrt(size) * WIDENED


@noinline_norefcount
def write_moments(u: Array, rho: Vector) -> None:
    """Write u x rho beside u, rows (6, NUMBERS). The sign of the moments does not change singular values."""
    error = (2.0 * ROUND + 2.0 * ROUND_OFF) * norm(rho) * bound_of(u)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        clear(u[3 + i])
        add_multiple(component(rho, k), u[j], u[3 + i])
        add_multiple(-component(rho, j), u[k], u[3 + i])
        u[3 + i, REMAINDER] += error


@noinline_norefcount
def write_unit_struts(squares: Array, A: Array, scalars: Array) -> None:
    """Directions in place of struts divided by their lengths at the centre, in rows A (6, 6, NUMBERS), from the squares
    of their lengths (6, NUMBERS)."""
    for leg in range(6):
        length, per = scalars[ROOT], scalars[PRODUCT]
        write_root(squares[leg], 0.0, length)
        write_reciprocal(length, per)
        at_centre = sqrt(squares[leg, 0])
        for i in range(3):
            multiply(A[leg, i], per, scalars[ALONG])
            clear(A[leg, i])
            add_multiple(at_centre, scalars[ALONG], A[leg, i])
            count_sums(A[leg, i], 2.0)


@noinline_norefcount
def write_directions(
    platform: Platform,
    region: RegionArrays,
    place: Place,
    is_sharp: bool,
    scratch: Scratch,
    A: Array,
    is_crank: bool | None,
) -> float:
    """Writes A (6, 6, NUMBERS); returns a bound of the ratio of its singular values to those of the rods' directions.
    `is_crank` is None for struts.

    Struts are divided by their lengths at the centre, which has smaller remainders than directions; if `is_sharp` by
    their own lengths, where these change little: rows that lengthen from the centre weaken a bound above zero.
    """
    T, c, size, longest = platform.table, platform.centre, platform.length, 1.0
    for leg in range(6):
        write_rod(platform, region, leg, place, scratch, is_crank)
        length = sqrt(max(scratch.squares[leg, 0], 1e-300)) if is_crank is None else T[ROD, leg]
        for i in range(3):
            clear(A[leg, i])
            add_multiple(1.0 / length, scratch.point[i], A[leg, i])
            count_sums(A[leg, i], 2.0)
        longest = max(longest, bound_of(A[leg])) if is_crank is None else 1.0
    if is_crank is None and is_sharp and longest < STEADY:
        write_unit_struts(scratch.squares, A, scratch.scalars)
        longest = 1.0
    for leg in range(6):
        b = row(T, PLATFORM, leg)
        rho = times(place.X, (b[0] - c[0], b[1] - c[1], b[2] - c[2]))
        write_moments(A[leg], scaled(rho, 1.0 / size))
    return longest
