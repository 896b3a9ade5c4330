"""Compiled paths of poses, and the determinant of strut machines along them.

A path is a constant twist of the point of interest, or angles that grow in proportion.

With the rows [d_i, r_i x d_i], d_i = p + r_i - a_i, about a point p of the platform, the determinant along a straight
translation is a polynomial of degree three in the position (Mayer St-Onge and Gosselin 2000). Along a rotation of the
arms r_i about an axis through p it is a trigonometric polynomial of degree three: of the six columns, in the complex
coordinates across the axis, two hold exp(i angle), two exp(-i angle), one both, and none is of higher degree. In cosine
and sine of half the angle it is a homogeneous polynomial of degree six, and so it is along the chord of an arc.

In Bernstein's form a polynomial has no more zeros in an interval than its coefficients change sign (Farouki 2012, "The
Bernstein polynomial basis: a centennial retrospective", section 6).
"""

from __future__ import annotations

from math import atan2, comb, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, inline_norefcount, noinline_norefcount
from gough._linear_algebra import copy, eliminate
from gough.arrays import Array, Three
from gough.kinematics._equations import rotate
from gough.kinematics._rates import arm
from gough.legs.leg import ANCHOR
from gough.legs.ups import UPS
from gough.limits._margins import LENGTH, LimitArrays

TWIST, EULER = 0, 1
"""Kinds of paths of the point of interest: a constant twist, or a rotation Rx Ry Rz with angles proportional to s."""


class Path(NamedTuple):
    """A path of poses, or several: its kind (TWIST or EULER), start pose (..., 4, 4), point of interest in the platform
    frame (3,), and direction [v, w] of that point (..., 6)."""

    kind: int
    start: Array
    point: Array
    direction: Array


@inline
def one_of(paths: Path, k: int) -> Path:
    """Path k of several."""
    return Path(paths.kind, paths.start[k], paths.point, paths.direction[k])


@inline
def swing(a: Three, w0: float, w1: float, w2: float) -> Three:
    """(exp(w) - I) a: displacement of the end of an arm a by a rotation w, to rounding of the displacement."""
    cx, cy, cz = w1 * a[2] - w2 * a[1], w2 * a[0] - w0 * a[2], w0 * a[1] - w1 * a[0]
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square == 0.0:
        return 0.0, 0.0, 0.0
    # Rodrigues: sin(t)/t w x a + (1 - cos t)/t^2 w x (w x a); 2 sin^2(t/2) for 1 - cos t keeps digits at small t.
    angle = sqrt(square)
    s, half = sin(angle) / angle, sin(0.5 * angle) / angle
    c = 2.0 * half * half
    return s * cx + c * (w1 * cz - w2 * cy), s * cy + c * (w2 * cx - w0 * cz), s * cz + c * (w0 * cy - w1 * cx)


@inline
def turned(X: Array, arm: Three, moved: Three, w0: float, w1: float, w2: float) -> Three:
    """X rotated by w, and `arm`, already displaced by `moved`, with it; the total displacement of the arm's end."""
    dx, dy, dz = swing((arm[0] + moved[0], arm[1] + moved[1], arm[2] + moved[2]), w0, w1, w2)
    rotate(X, w0, w1, w2)
    return moved[0] + dx, moved[1] + dy, moved[2] + dz


@noinline_norefcount
def place(path: Path, s: float, X: Array) -> None:
    """Pose at s along the path, into X."""
    kind, start, point, direction = path
    for row in range(4):
        copy(start[row], X[row])
    moved = (0.0, 0.0, 0.0)
    if direction[3] != 0.0 or direction[4] != 0.0 or direction[5] != 0.0:
        arm = (
            start[0, 0] * point[0] + start[0, 1] * point[1] + start[0, 2] * point[2],
            start[1, 0] * point[0] + start[1, 1] * point[1] + start[1, 2] * point[2],
            start[2, 0] * point[0] + start[2, 1] * point[1] + start[2, 2] * point[2],
        )
        if kind == TWIST:
            moved = turned(X, arm, moved, s * direction[3], s * direction[4], s * direction[5])
        else:
            # R = Rx Ry Rz in base axes: the last factor turns first.
            moved = turned(X, arm, moved, 0.0, 0.0, s * direction[5])
            moved = turned(X, arm, moved, 0.0, s * direction[4], 0.0)
            moved = turned(X, arm, moved, s * direction[3], 0.0, 0.0)
    # The point of interest moves by s v, so the origin moves by s v less the displacement of the arm's end.
    X[0, 3] = start[0, 3] + (s * direction[0] - moved[0])
    X[1, 3] = start[1, 3] + (s * direction[1] - moved[1])
    X[2, 3] = start[2, 3] + (s * direction[2] - moved[2])


STRUT = UPS.code
STRAIGHT, TURNING = 3, 6
"""Degrees along a translation and along a rotation."""
WIDEST = np.pi
"""Largest rotation that is expanded [rad]: the chord of half of it stays away from the centre."""


HALVINGS = 60
"""Most times that a step is halved: far more than from any path to the smallest step."""

# Rows of the scratch (3, 7): Bernstein's coefficients over a path, scratch for those over a part of it, and numbers.
WHOLE, PART, NUMBERS = 0, 1, 2
DEGREE, LENGTH_OF_PATH, ZEROS = 0, 1, 2
"""Numbers: the degree, 0 where the determinant is not a polynomial, the path's length, and the most zeros on it."""

Matrix = tuple[tuple[float, ...], ...]


def interpolation(degree: int) -> tuple[tuple[float, ...], Matrix]:
    """Places in [0, 1], and the matrix from a polynomial's values there to Bernstein's coefficients."""
    places = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    basis = [comb(degree, k) * places**k * (1.0 - places) ** (degree - k) for k in range(degree + 1)]
    return tuple(places.tolist()), tuple(map(tuple, np.linalg.inv(np.transpose(basis)).tolist()))


STRAIGHT_PLACES, STRAIGHT_MATRIX = interpolation(STRAIGHT)
TURNING_PLACES, TURNING_MATRIX = interpolation(TURNING)


@inline
def new_form() -> Array:
    """Scratch (3, 7)."""
    return np.empty((3, TURNING + 1))


@inline
def degree_along(limits: LimitArrays, path: Path, form: Array) -> int:
    """Degree of the determinant along a path; 0 where it is not a polynomial, or not what is searched."""
    if limits.code != STRUT or not limits.sign_only:
        return 0
    v, turns = path.direction, 0
    for k in range(3, 6):
        turns += int(v[k] != 0.0)
    if turns == 0:
        return STRAIGHT
    # Angles Rx Ry Rz that grow together are a rotation about a fixed axis where one of them does.
    is_fixed = turns == 1 or path.kind == TWIST
    moves = v[0] != 0.0 or v[1] != 0.0 or v[2] != 0.0
    return TURNING if is_fixed and not moves and whole_turn(path, form) <= WIDEST else 0


@inline
def whole_turn(path: Path, form: Array) -> float:
    """Angle by which a path turns the platform [rad]."""
    v = path.direction
    return float(form[NUMBERS, LENGTH_OF_PATH] * sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]))


@inline
def determinant(limits: LimitArrays, X: Array, M: Array) -> float:
    """Determinant of the rows [d_i, r_i x d_i] of a strut machine at the pose X, over lengths; M (6, 6) is scratch."""
    T, per = limits.T, 1.0 / limits.G[LENGTH]
    for i in range(6):
        rx, ry, rz = arm(T, X, i)
        dx = (rx + X[0, 3] - T[ANCHOR, i]) * per
        dy = (ry + X[1, 3] - T[ANCHOR + 1, i]) * per
        dz = (rz + X[2, 3] - T[ANCHOR + 2, i]) * per
        rx, ry, rz = rx * per, ry * per, rz * per
        M[i, 0], M[i, 1], M[i, 2] = dx, dy, dz
        M[i, 3], M[i, 4], M[i, 5] = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
    return float(eliminate(M, 6, 0))


@inline
def along_chord(turn: float, whole: float) -> float:
    """Place on the chord of an arc of half `whole`, as a part of the chord, at half the angle `turn`."""
    rise = sin(0.5 * turn)
    return rise / (rise + sin(0.5 * (whole - turn)))


@inline
def at_chord(place: float, whole: float) -> tuple[float, float]:
    """Angle at a place on the chord, twice that of the arc, and the sixth power of the chord's distance from the
    centre there."""
    y, x = place * sin(0.5 * whole), 1.0 - place + place * cos(0.5 * whole)
    return 2.0 * atan2(y, x), (x * x + y * y) ** 3


@inline_norefcount
def sign_changes(form: Array, degree: int, begin: float, end: float) -> int:
    """Changes of sign among Bernstein's coefficients of the polynomial over [begin, end], parts of its interval."""
    b = form[PART]
    copy(form[WHOLE], b)
    # De Casteljau: the part up to the end, and of this the part from the beginning on.
    for row in range(degree):
        for i in range(degree, row, -1):
            b[i] = (1.0 - end) * b[i - 1] + end * b[i]
    ratio = begin / end
    for row in range(degree):
        for i in range(degree - row):
            b[i] = (1.0 - ratio) * b[i] + ratio * b[i + 1]
    return changes_of(b, degree)


@inline
def changes_of(b: Array, degree: int) -> int:
    """Changes of sign among coefficients."""
    count, last = 0, 0.0
    for i in range(degree + 1):
        count += int(b[i] * last < 0.0)
        last = b[i] if b[i] != 0.0 else last
    return count


@noinline_norefcount
def expand(limits: LimitArrays, path: Path, degree: int, X: Array, M: Array, form: Array) -> None:
    """The determinant along a path in Bernstein's form; a pose X (4, 4) and M (6, 6) are scratch."""
    length, whole = form[NUMBERS, LENGTH_OF_PATH], whole_turn(path, form)
    for k in range(degree + 1):
        if degree == TURNING:
            angle, weight = at_chord(TURNING_PLACES[k], whole)
            place(path, angle / whole * length, X)
            form[PART, k] = weight * determinant(limits, X, M)
        else:
            place(path, STRAIGHT_PLACES[k] * length, X)
            form[PART, k] = determinant(limits, X, M)
    for i in range(degree + 1):
        total = 0.0
        for k in range(degree + 1):
            total += (TURNING_MATRIX[i][k] if degree == TURNING else STRAIGHT_MATRIX[i][k]) * form[PART, k]
        form[WHOLE, i] = total
    form[NUMBERS, ZEROS] = changes_of(form[WHOLE], degree)


@inline_norefcount
def distance_with(path: Path, degree: int, s: float, longest: float, least: float, zeros: int, form: Array) -> float:
    """Distance from s along a path, at most `longest`, with few enough zeros of the determinant; else `least`."""
    length, whole = form[NUMBERS, LENGTH_OF_PATH], whole_turn(path, form)
    for _ in range(HALVINGS):
        if longest <= least:
            break
        begin, end = s / length, min(1.0, (s + longest) / length)
        if degree == TURNING:
            begin, end = along_chord(begin * whole, whole), along_chord(end * whole, whole)
        if sign_changes(form, degree, begin, end) <= zeros:
            return longest
        longest *= 0.5
    return least
