"""Compiled: the places along a path at which a machine comes to, or leaves, the limit of its singularity.

They are searched for where all other limits are kept, from one end of an allowed interval to the other. Nothing is
stepped over: parts of the path without a zero of the determinant are proven, about each place that is looked at, and
about each zero that is found. With the rows [u, (R b - R c) x u / l] of the legs in J, J(s + x) = J(s) + x J' + E(x),
|E_i| <= x^2 / 2 max |J_i''|, and the columns g_i of J^-1 at s, no pose is singular as long as

    |J^-1 J'| x + (sum_i |g_i| max |J_i''|) x^2 / 2 = F x + Q x^2 / 2 < 1

(Neumaier 1990, Interval Methods for Systems of Equations, section 4.1; Frobenius norms). At a singular pose the same is
done with K = J + a b^T, regular with the null vectors a, b of J. The determinant of K^-1 J is then that of a regular
block times the complement x b^T K^-1 J' b + e, |e| <= Q x^2 / 2 + (F x + Q x^2 / 2)^2 / (1 - F x - Q x^2 / 2), so that
it has no other zero as far as the linear term is larger. A bound of the smallest singular value above zero is kept, or
violated, as far as |J'| x + (sum_i max |J_i''|) x^2 / 2 is less than its margin (Weyl 1912).

With v the speed and A the acceleration of a platform joint b, |u''| <= (A + 3 v^2 / d) / d for a strut of length d. For
a rod d = L u whose foot moves along the tangent t of a straight line or of a circle of curvature k with the speed q',

    d' = P b',  d'' = P (b'' - q'^2 p'') - t |d'|^2 / (d . t),  P = 1 - t u^T / (u . t)

so that |d''| and |q''| are at most S = (A + k q'^2 + |d'|^2 / L) / |u . t|. Over a distance h |d'| and q' grow by at
most h S, and |u . t| falls by h (|d'| / L + k q') at most: an S that bounds its own right side is a bound.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, noinline, noinline_norefcount
from gough._linear_algebra import eliminate
from gough.arrays import Array, Three
from gough.kinematics._rates import arm
from gough.legs._leg_dispatch import drive, drive_rate, driven_point, inverse
from gough.limits._margins import CENTRE, LENGTH, SIDE, SINGULARITY, LimitArrays, base_axes, dot, singular_margin
from gough.limits._paths import EULER, Path, place
from gough.limits._singular_values import Matrices, first_singular_value
from gough.limits._walk import (
    LARGEST_STEP,
    MOST_STEPS,
    SMALLEST_STEP,
    Scratch,
    Search,
    change,
    least_margin,
    least_step,
)

MOST_TRIES = 64
"""Most shorter distances that are tried."""
SHORTENED, JUST_BELOW = 0.7, 0.999
"""Least factor from one to the next, and part of a bound that is used."""
ROOM, ROUNDS = 1.1, 8
"""Factor by which the bound of a leg's second derivative is tried above the last one, and how often."""


class Jet(NamedTuple):
    """Scratch: the rows J, their derivatives and the unit matrix (6, 18), which elimination solves; numbers of the legs
    (8, 6); null vectors (2, 6)."""

    J: Array
    legs: Array
    null: Array


# Rows of the numbers of legs: |d'| (of a strut v), A, the joint's arm over the characteristic length, the leg's length,
# |u . t| (zero for a strut), k and |q'| of the module, and |g|.
FIRST, ACCELERATION, ARM, LONG, ACROSS, BEND, RATE, COLUMN = range(8)


@inline
def new_jet() -> Jet:
    """Arrays for one pose."""
    return Jet(np.empty((6, 18)), np.empty((8, 6)), np.empty((2, 6)))


@inline
def angular_velocity(path: Path, s: float) -> tuple[Three, float, float]:
    """Angular velocity at s, and upper bounds of it and of the angular acceleration along the whole path."""
    d = path.direction
    x, y, z = d[3], d[4], d[5]
    if path.kind != EULER:
        return (x, y, z), sqrt(x * x + y * y + z * z), 0.0
    ux, uz, cx, sx = z * sin(s * y), z * cos(s * y), cos(s * x), sin(s * x)
    omega = x + ux, y * cx - uz * sx, y * sx + uz * cx
    most = sqrt(x * x + y * y + z * z + 2.0 * abs(x * z))
    return omega, most, abs(x) * sqrt(y * y + z * z) + abs(y * z)


@inline
def times(a: Three, b: Three) -> Three:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@noinline_norefcount
def put_jet(limits: LimitArrays, path: Path, s: float, X: Array, jet: Jet) -> tuple[float, float]:
    """The rows, their derivatives and the unit matrix at s along the path, into the scratch; bounds of the angular
    velocity, and of the acceleration per arm, along the path."""
    code, T, J, legs, per_length = limits.code, limits.T, jet.J, jet.legs, 1.0 / limits.G[LENGTH]
    place(path, s, X)
    omega, turn, alpha = angular_velocity(path, s)
    twist = alpha + turn * turn
    c = base_axes(X, limits.G[CENTRE], limits.G[CENTRE + 1], limits.G[CENTRE + 2])
    p = base_axes(X, path.point[0], path.point[1], path.point[2])
    for i in range(6):
        r = arm(T, X, i)
        b = r[0] + X[0, 3], r[1] + X[1, 3], r[2] + X[2, 3]
        q = inverse(code, T, i, b[0], b[1], b[2])
        fx, fy, fz, length = driven_point(code, T, i, q)
        per = 1.0 / length
        u = (b[0] - fx) * per, (b[1] - fy) * per, (b[2] - fz) * per
        away = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        w = times(omega, away)
        e = path.direction[0] + w[0], path.direction[1] + w[1], path.direction[2] + w[2]
        bent = times(omega, w)
        legs[ACCELERATION, i] = twist * sqrt(dot(away, away)) if alpha > 0.0 else sqrt(dot(bent, bent))
        r = (r[0] - c[0]) * per_length, (r[1] - c[1]) * per_length, (r[2] - c[2]) * per_length
        legs[FIRST, i], legs[ARM, i], legs[LONG, i], legs[ACROSS, i] = sqrt(dot(e, e)), sqrt(dot(r, r)), length, 0.0
        g = drive(code, T, i, q)
        t, rate = u, dot(u, e)
        if dot(t, (g[0], g[1], g[2])) != 0.0:
            t = g[0], g[1], g[2]
            h = drive_rate(code, T, i, q)
            square = dot(t, t)
            across = dot(u, t)
            rate = dot(u, e) / across
            legs[ACROSS, i], legs[RATE, i] = abs(across) / sqrt(square), abs(rate) * sqrt(square)
            legs[BEND, i] = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) / square
        e = (e[0] - rate * t[0]) * per, (e[1] - rate * t[1]) * per, (e[2] - rate * t[2]) * per
        legs[FIRST, i] = length * sqrt(dot(e, e)) if legs[ACROSS, i] > 0.0 else legs[FIRST, i]
        m, n, o = times(r, u), times(times(omega, r), u), times(r, e)
        for k in range(3):
            J[i, k], J[i, 3 + k], J[i, 6 + k], J[i, 9 + k] = u[k], m[k], e[k], n[k] + o[k]
            J[i, 12 + k], J[i, 15 + k] = 0.0, 0.0
        J[i, 12 + i] = 1.0
    return turn, twist


@inline
def bent_by(legs: Array, i: int, x: float, S: float) -> float:
    """The right side of S in the module, for a rod."""
    first, rate = legs[FIRST, i] + x * S, legs[RATE, i] + x * S
    across = legs[ACROSS, i] - x * (first / legs[LONG, i] + legs[BEND, i] * rate)
    if not across > 0.0:
        return inf
    return (legs[ACCELERATION, i] + legs[BEND, i] * rate * rate + first * first / legs[LONG, i]) / across


@noinline_norefcount
def second_order(legs: Array, turn: float, twist: float, x: float) -> float:
    """Q of the module for places up to x away; infinite where a leg may come to the end of its reach."""
    total = 0.0
    for i in range(6):
        length, first, second = legs[LONG, i], legs[FIRST, i], 0.0
        if legs[ACROSS, i] > 0.0:
            bound = bent_by(legs, i, x, 0.0)
            for _ in range(ROUNDS):
                second = ROOM * bound
                bound = bent_by(legs, i, x, second)
                if bound <= second:
                    break
            first += x * second
        else:
            first += x * legs[ACCELERATION, i]
            length -= x * first
            second = legs[ACCELERATION, i] + 3.0 * first * first / length if length > 0.0 else inf
            bound = second
        if not bound <= second < inf:
            return inf
        first, second = first / length, second / length
        moment = legs[ARM, i] * (twist + 2.0 * turn * first + second)
        total += legs[COLUMN, i] * sqrt(second * second + moment * moment)
    return total


@inline_norefcount
def solved(jet: Jet) -> tuple[float, float]:
    """Determinant of J, and F of the module; the norms of the columns of J^-1 into the scratch."""
    J, total = jet.J, 0.0
    value = eliminate(J, 6, 12)
    for j in range(6):
        column = 0.0
        for i in range(6):
            total += J[i, 6 + j] * J[i, 6 + j]
            column += J[i, 12 + j] * J[i, 12 + j]
        jet.legs[COLUMN, j] = sqrt(column)
    return value, sqrt(total)


@inline_norefcount
def valued(limits: LimitArrays, matrices: Matrices, jet: Jet) -> tuple[float, float]:
    """Margin of the smallest singular value, and |J'|."""
    J, total = jet.J, 0.0
    for j in range(6):
        for i in range(6):
            total += J[i, 6 + j] * J[i, 6 + j]
            matrices.A[i, j, 0] = J[i, j]
        jet.legs[COLUMN, j] = 1.0
    first_singular_value(matrices)
    return singular_margin(limits, matrices.smallest[0]), sqrt(total)


@noinline_norefcount
def regular_radius(
    limits: LimitArrays, path: Path, s: float, longest: float, X: Array, matrices: Matrices, jet: Jet
) -> tuple[float, float]:
    """A value with the sign of the singularity's margin at s, and a distance, at most `longest`, along the path from s
    in either sense up to which it keeps this sign."""
    turn, twist = put_jet(limits, path, s, X, jet)
    if limits.sign_only:
        value, F = solved(jet)
        value, room = limits.G[SIDE] * value, JUST_BELOW
    else:
        value, F = valued(limits, matrices, jet)
        room = JUST_BELOW * abs(value)
    x = longest
    for _ in range(MOST_TRIES):
        if not abs(value) > 0.0:
            break
        Q = second_order(jet.legs, turn, twist, x)
        if F * x + 0.5 * Q * x * x < room:
            return value, x
        x = max(SHORTENED * x, min(JUST_BELOW * x, 2.0 * room / (F + sqrt(F * F + 2.0 * Q * room))))
    return value, 0.0


@noinline_norefcount
def radius_of_zero(limits: LimitArrays, path: Path, s: float, longest: float, X: Array, jet: Jet) -> float:
    """A distance, at most `longest`, from a zero s of the determinant along the path in either sense up to which it has
    no other zero; 0 where none is proven."""
    put_jet(limits, path, s, X, jet)
    value, _ = solved(jet)
    if not abs(value) > 0.0:
        return 0.0
    J, a, b = jet.J, jet.null[0], jet.null[1]
    # The inverse is b a^T over a singular value that is almost zero: b is its largest column, a its largest row.
    column, row, norm = 0, 0, 0.0
    for j in range(6):
        column = j if jet.legs[COLUMN, j] > jet.legs[COLUMN, column] else column
    for j in range(6):
        b[j] = J[j, 12 + column] / jet.legs[COLUMN, column]
        row = j if abs(b[j]) > abs(b[row]) else row
    for j in range(6):
        norm += J[row, 12 + j] * J[row, 12 + j]
    for j in range(6):
        a[j] = J[row, 12 + j] / sqrt(norm)
    turn, twist = put_jet(limits, path, s, X, jet)
    for i in range(6):
        for j in range(6):
            J[i, j] += a[i] * b[j]
    value, F = solved(jet)
    slope, x = 0.0, longest
    for i in range(6):
        for j in range(6):
            slope += b[i] * J[i, 6 + j] * b[j]
    for _ in range(MOST_TRIES):
        Q = second_order(jet.legs, turn, twist, x)
        e = F + 0.5 * Q * x
        if e * x < 1.0 and 0.5 * Q * x + e * e * x / (1.0 - e * x) < JUST_BELOW * abs(slope):
            return x
        x *= SHORTENED
    return 0.0


DEEPEST = 64
"""Most parts of a path that wait for a proof: each is at most half of the one before."""


class Proofs(NamedTuple):
    """Scratch: the Jacobian's derivatives, and parts of the path to be proven."""

    jet: Jet
    undecided: Array


@inline
def new_proofs() -> Proofs:
    """Arrays for one path."""
    return Proofs(new_jet(), np.empty((DEEPEST, 2)))


@inline
def counts(limits: LimitArrays) -> bool:
    """Whether the singularity is searched for."""
    is_counted = False
    for c in range(limits.places.shape[0]):
        is_counted |= limits.places[c] == SINGULARITY and limits.per_scale[c] > 0.0
    return is_counted


@noinline
def next_change(
    search: Search, path: Path, s: float, end: float, is_inside: bool, speed: float, scratch: Scratch, proofs: Proofs
) -> tuple[float, float, int]:
    """The first place between s and `end` at which the singularity's margin changes its sign, on the allowed side of
    it, a place beyond up to which it does not change again, and the column of the singularity; `end`, `end` and -1
    where there is none. `is_inside`: whether the margin is kept from s on."""
    alone, m, undecided = search.alone, scratch.m, proofs.undecided
    at, beyond, column = end, end, -1
    middle, left = end, 0
    for taken in range(MOST_STEPS):
        if not s < end:
            break
        least, radius = max(SMALLEST_STEP / speed, least_step(taken, speed)), 0.0
        if taken == 0:
            value = least_margin(alone, path, end, scratch, m)
        else:
            middle = 0.5 * (s + end)
            value, radius = regular_radius(
                search.limits, path, middle, 0.5 * (end - s), scratch.X, scratch.work.matrices, proofs.jet
            )
            radius = LARGEST_STEP / speed if value != value else max(radius, 0.5 * least)
        if value != value or (value < 0.0) != is_inside:
            if taken > 0:
                # What is left on the right is looked at after what is left on the left.
                if middle + radius < end and left < undecided.shape[0]:
                    undecided[left, 0], undecided[left, 1] = middle + radius, end
                    left += 1
                end = middle - radius
            for _ in range(left):
                if s < end:
                    break
                left -= 1
                s, end = undecided[left, 0], undecided[left, 1]
            continue
        first = least_margin(alone, path, s, scratch, m)
        if (first >= 0.0) == is_inside:
            at, column = change(alone, path, s, middle, first, least_margin(alone, path, middle, scratch, m), scratch)
        else:  # rounding decides: the change is where the search begins
            at, column = s, column_of(search.limits)
        if search.limits.sign_only:
            radius = radius_of_zero(search.limits, path, at, middle - s, scratch.X, proofs.jet)
        beyond, end, left = at + max(radius, SMALLEST_STEP / speed), at - radius, 0
    return at, beyond, column


@inline
def column_of(limits: LimitArrays) -> int:
    """Reported column of the singularity."""
    column = -1
    for c in range(limits.places.shape[0]):
        column = c if limits.places[c] == SINGULARITY else column
    return column
