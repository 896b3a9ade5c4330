"""Compiled margins: signed distances of one pose to every limit, in a fixed layout of all kinds of limits."""

from __future__ import annotations

from math import asin, atan2, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, inline_norefcount, kernel, noinline_norefcount
from gough._linear_algebra import eliminate, is_not_rigid
from gough.arrays import Array, Three
from gough.kinematics._rates import arm
from gough.legs._leg_dispatch import carried, driven_point, inverse, reach
from gough.limits._singular_values import Matrices, first_singular_value, new_matrices, smallest_singular_values
from gough.workers import PARALLEL_FROM, first_index


@inline
def clamp01(value: float) -> float:
    """Value kept between 0 and 1."""
    return min(1.0, max(0.0, value))


@inline
def segment_distance(rods: Array, i: int, j: int) -> float:
    """Distance between segments i and j [m]; columns of rods (6, 6) hold both ends (Ericson 2005, section 5.1.9)."""
    ux, uy, uz = rods[3, i] - rods[0, i], rods[4, i] - rods[1, i], rods[5, i] - rods[2, i]
    vx, vy, vz = rods[3, j] - rods[0, j], rods[4, j] - rods[1, j], rods[5, j] - rods[2, j]
    wx, wy, wz = rods[0, i] - rods[0, j], rods[1, i] - rods[1, j], rods[2, i] - rods[2, j]
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    # Closest points of the infinite lines, s clamped to its segment; s = 0 where the lines are parallel.
    gram = uu * vv - uv * uv
    s = clamp01((uv * vw - vv * uw) / gram) if gram > 1e-14 * uu * vv else 0.0
    t = (uv * s + vw) / vv
    # Where t leaves its segment, clamp it and find the closest s once more.
    if t < 0.0:
        t, s = 0.0, clamp01(-uw / uu)
    elif t > 1.0:
        t, s = 1.0, clamp01((uv - uw) / uu)
    dx, dy, dz = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return sqrt(dx * dx + dy * dy + dz * dz)


# Layout of all margins of a pose: seven groups of six legs, up to fifteen pairs of legs, the tool, the singularity.
REACH, SHORTEST, LONGEST, BASE_CONE, PLATFORM_CONE, BASE_PLATE, PLATFORM_PLATE = 0, 6, 12, 18, 24, 30, 36
PAIR, BOX, RADIUS, TILT, ROTATION, SINGULARITY = 42, 57, 63, 64, 65, 66
COLUMNS = 67

# Rows of the per-leg limits (PER_LEG, 6).
LOW, HIGH, BASE_AXIS, BASE_HALF, PLATFORM_AXIS, PLATFORM_HALF, LEG_RADIUS = 0, 1, 2, 5, 6, 9, 10
BASE_COSINE, PLATFORM_COSINE = 11, 12  # cosines of the half-angles
BASE_MIN, PLATFORM_MIN, BASE_SINE, PLATFORM_SINE = 13, 14, 15, 16  # smallest angles to the plates, and their sines
PER_LEG = 17

# Places of the other limits (GENERAL,).
BASE_NORMAL, PLATFORM_NORMAL, TOOL, TOOL_AXIS, TOOL_HOME, TOOL_AXIS_HOME, R_HOME = 0, 3, 6, 9, 12, 15, 18
BOX_SIDES, RADIUS_MAX, TILT_MAX, ROTATION_MAX, SINGULAR_MIN, LENGTH, CENTRE, SIDE = 27, 33, 34, 35, 36, 37, 38, 41
GENERAL = 42

SINGULAR_ROUND_OFF = 1e-14
"""A smallest singular value below this is zero: its sign would be that of rounding errors."""

DOUBT = 1e-9
"""Sign-only values this close to zero are no evidence, for rounding may give them another sign than the margin, which
is then computed itself; at least twice the tolerance of the limits [m, rad or 1]."""

JOINT = 6
"""Row of the joint coordinates in the scratch."""

TOGETHER = 32
"""Poses whose singular values are computed side by side."""

OUT_OF_REACH = 1e-300
"""Smallest amount by which a leg without a joint coordinate is out of its reach [m]."""


class LimitArrays(NamedTuple):
    """A machine's limits as kernels read them.

    The kind of its legs, their table `T`, limits per leg `L` (PER_LEG, 6), other limits `G` (GENERAL,) and `pairs`
    (n, 2) of legs; `wanted` (COLUMNS,), which groups to compute; `places` (k,), which columns to report; `per_scale`
    (k,), one over their scales; `per_walk` (k,), one over the walking length for lengths, one for angles; `tolerance`
    (k,), how far below zero rounding may take a margin (`gough.limits.table.ROUNDING`), and `doubt`, see `DOUBT`. With
    `sign_only` angles are compared by their sines and cosines, and the determinant replaces the singular value: the
    same zeros and signs at a fraction of the cost, for searches.
    """

    code: int
    T: Array
    L: Array
    G: Array
    pairs: NDArray[np.int64]
    wanted: NDArray[np.bool_]
    places: NDArray[np.int64]
    per_scale: Array
    per_walk: Array
    tolerance: Array
    doubt: float
    sign_only: bool


class Work(NamedTuple):
    """Scratch for `all_margins`: both ends of each leg's rod and its joint coordinate (7, 6), the unscaled Jacobian
    (6, 6), and the matrices whose singular values are computed side by side."""

    rods: Array
    M: Array
    matrices: Matrices


@inline
def base_axes(X: Array, x: float, y: float, z: float) -> Three:
    """A vector of the platform, (x, y, z) in its frame, in base axes: R times it."""
    return (
        X[0, 0] * x + X[0, 1] * y + X[0, 2] * z,
        X[1, 0] * x + X[1, 1] * y + X[1, 2] * z,
        X[2, 0] * x + X[2, 1] * y + X[2, 2] * z,
    )


@inline
def angle_between(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Angle between two directions of any length [rad]; by atan2, as an arc cosine loses digits near 0 and pi."""
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return atan2(sqrt(cx * cx + cy * cy + cz * cz), ax * bx + ay * by + az * bz)


@inline
def cone_margin(a: Three, b: Three, half: float) -> float:
    """Half-angle less the angle between two unit vectors [rad]."""
    return half - angle_between(a[0], a[1], a[2], b[0], b[1], b[2])


@inline
def dot(a: Three, b: Three) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def rise_margin(sine: float, least: float) -> float:
    """Angle with this sine, less the smallest allowed angle [rad]; NaN of NaN."""
    # Rounding may take the scalar product of unit vectors beyond 1.
    if sine > 1.0:
        return 0.5 * np.pi - least
    if sine < -1.0:
        return -0.5 * np.pi - least
    return asin(sine) - least


@inline_norefcount
def margins_of_legs(limits: LimitArrays, X: Array, legs: range, work: Work, m: Array) -> None:
    """Margins of some legs by themselves, into m, and of their rods and joint coordinates into `work.rods` and the
    rows [u, (R b - R c) x u / l] of the unscaled Jacobian into `work.M`."""
    code, T, L, G, rods, rows = limits.code, limits.T, limits.L, limits.G, work.rods, work.M
    cx, cy, cz = base_axes(X, G[CENTRE], G[CENTRE + 1], G[CENTRE + 2])
    for i in legs:
        rx, ry, rz = arm(T, X, i)
        bx, by, bz = rx + X[0, 3], ry + X[1, 3], rz + X[2, 3]
        q = inverse(code, T, i, bx, by, bz)
        px, py, pz, length = driven_point(code, T, i, q)
        per_rod, per_length = 1.0 / length, 1.0 / G[LENGTH]
        ux, uy, uz = (bx - px) * per_rod, (by - py) * per_rod, (bz - pz) * per_rod
        rods[0, i], rods[1, i], rods[2, i], rods[3, i], rods[4, i], rods[5, i] = px, py, pz, bx, by, bz
        rods[JOINT, i] = q
        rx, ry, rz = (rx - cx) * per_length, (ry - cy) * per_length, (rz - cz) * per_length
        rows[i, 0], rows[i, 1], rows[i, 2] = ux, uy, uz
        rows[i, 3], rows[i, 4], rows[i, 5] = ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux
        if limits.wanted[REACH]:
            within = reach(code, T, i, bx, by, bz)
            # At the very end of the reach rounding decides whether there is a joint coordinate: without one it is out.
            m[REACH + i] = min(within, -OUT_OF_REACH) if q != q else within
        m[SHORTEST + i] = q - L[LOW, i]
        m[LONGEST + i] = L[HIGH, i] - q
    joint_margins(limits, X, legs, work, m)


@inline_norefcount
def joint_margins(limits: LimitArrays, X: Array, legs: range, work: Work, m: Array) -> None:
    """Margins of the joints at both ends of some legs, whose rods and joint coordinates are in `work`, into m."""
    L, G, wanted, by_sign, rows = limits.L, limits.G, limits.wanted, limits.sign_only, work.M
    for i in legs:
        u = rows[i, 0], rows[i, 1], rows[i, 2]
        if wanted[BASE_CONE]:
            q, axis = work.rods[JOINT, i], (L[BASE_AXIS, i], L[BASE_AXIS + 1, i], L[BASE_AXIS + 2, i])
            axis = carried(limits.code, limits.T, i, q, axis[0], axis[1], axis[2])
            m[BASE_CONE + i] = dot(axis, u) - L[BASE_COSINE, i] if by_sign else cone_margin(axis, u, L[BASE_HALF, i])
        if wanted[PLATFORM_CONE]:
            axis = base_axes(X, L[PLATFORM_AXIS, i], L[PLATFORM_AXIS + 1, i], L[PLATFORM_AXIS + 2, i])
            m[PLATFORM_CONE + i] = (
                dot(axis, u) - L[PLATFORM_COSINE, i] if by_sign else cone_margin(axis, u, L[PLATFORM_HALF, i])
            )
        if wanted[BASE_PLATE]:
            sine = dot(u, (G[BASE_NORMAL], G[BASE_NORMAL + 1], G[BASE_NORMAL + 2]))
            m[BASE_PLATE + i] = sine - L[BASE_SINE, i] if by_sign else rise_margin(sine, L[BASE_MIN, i])
        if wanted[PLATFORM_PLATE]:
            sine = dot(u, base_axes(X, G[PLATFORM_NORMAL], G[PLATFORM_NORMAL + 1], G[PLATFORM_NORMAL + 2]))
            m[PLATFORM_PLATE + i] = sine - L[PLATFORM_SINE, i] if by_sign else rise_margin(sine, L[PLATFORM_MIN, i])


@noinline_norefcount
def tool_margins(limits: LimitArrays, X: Array, m: Array) -> None:
    """Margins of the tool's position and orientation, into m."""
    G, wanted = limits.G, limits.wanted
    x, y, z = base_axes(X, G[TOOL], G[TOOL + 1], G[TOOL + 2])
    x, y, z = x + X[0, 3], y + X[1, 3], z + X[2, 3]
    m[BOX], m[BOX + 1] = x - G[BOX_SIDES], G[BOX_SIDES + 1] - x
    m[BOX + 2], m[BOX + 3] = y - G[BOX_SIDES + 2], G[BOX_SIDES + 3] - y
    m[BOX + 4], m[BOX + 5] = z - G[BOX_SIDES + 4], G[BOX_SIDES + 5] - z
    m[RADIUS] = G[RADIUS_MAX] - sqrt((x - G[TOOL_HOME]) ** 2 + (y - G[TOOL_HOME + 1]) ** 2)
    if wanted[TILT]:
        zx, zy, zz = base_axes(X, G[TOOL_AXIS], G[TOOL_AXIS + 1], G[TOOL_AXIS + 2])
        m[TILT] = G[TILT_MAX] - angle_between(
            zx, zy, zz, G[TOOL_AXIS_HOME], G[TOOL_AXIS_HOME + 1], G[TOOL_AXIS_HOME + 2]
        )
    if wanted[ROTATION]:
        # With D = R R_home^T, the turn from home, trace D + 1 = 4 w^2 and D10 - D01 = 4 w z of its quaternion: the
        # twist about z is twice the angle of (w, z).
        trace, wz = 0.0, 0.0
        for j in range(3):
            trace += X[0, j] * G[R_HOME + j] + X[1, j] * G[R_HOME + 3 + j] + X[2, j] * G[R_HOME + 6 + j]
            wz += X[1, j] * G[R_HOME + j] - X[0, j] * G[R_HOME + 3 + j]
        m[ROTATION] = G[ROTATION_MAX] - abs(2.0 * atan2(wz, 1.0 + trace))


@noinline_norefcount
def margins_but_singularity(limits: LimitArrays, X: Array, work: Work, m: Array) -> None:
    """Margins of one pose X (4, 4) into m (COLUMNS,), and its unscaled Jacobian into the scratch."""
    margins_of_legs(limits, X, range(6), work, m)
    for k in range(limits.pairs.shape[0]):
        i, j = limits.pairs[k, 0], limits.pairs[k, 1]
        m[PAIR + k] = segment_distance(work.rods, i, j) - limits.L[LEG_RADIUS, i] - limits.L[LEG_RADIUS, j]
    tool_margins(limits, X, m)


@noinline_norefcount
def side_of_singularity(limits: LimitArrays, M: Array) -> float:
    """Determinant of the unscaled Jacobian M (6, 6), which is overwritten, positive on home's side; 0 where rounding
    decides its sign, NaN where home is singular and has no side."""
    value = eliminate(M, 6, 0)
    if limits.G[SIDE] == 0.0:
        return np.nan
    # A machine that is singular everywhere has a pivot of rounding errors only, and its sign means nothing. (The
    # diagonal holds reciprocals of pivots.) The determinant itself is no test: where several singular values vanish
    # together it is their product, tiny with a good sign.
    for c in range(6):
        if abs(M[c, c]) > 1.0 / SINGULAR_ROUND_OFF:
            value = 0.0
    return limits.G[SIDE] * value


@inline_norefcount
def put(M: Array, matrices: Matrices, lane: int) -> None:
    """Copy a Jacobian M (6, 6) into lane `lane` of the matrices whose singular values are computed side by side."""
    for i in range(6):
        for j in range(6):
            matrices.A[i, j, lane] = M[i, j]


@inline_norefcount
def singular_margin(limits: LimitArrays, value: float) -> float:
    """Margin of the smallest singular value `value`, which carries the sign of the determinant."""
    if abs(value) < SINGULAR_ROUND_OFF:
        value = 0.0
    return (abs(value) if limits.G[SIDE] == 0.0 else limits.G[SIDE] * value) - limits.G[SINGULAR_MIN]


@noinline_norefcount
def all_margins(limits: LimitArrays, X: Array, work: Work, m: Array) -> None:
    """Every margin of one pose X (4, 4) that the machine has, into m (COLUMNS,); that of the singularity is infinite
    where it is not wanted."""
    margins_but_singularity(limits, X, work, m)
    if not limits.wanted[SINGULARITY]:
        m[SINGULARITY] = np.inf
        return
    if limits.sign_only:
        m[SINGULARITY] = side_of_singularity(limits, work.M)
        return
    put(work.M, work.matrices, 0)
    first_singular_value(work.matrices)
    m[SINGULARITY] = singular_margin(limits, work.matrices.smallest[0])


@inline
def new_work(poses: int) -> Work:
    """Scratch for `all_margins` of one pose, or of several together."""
    return Work(np.empty((7, 6)), np.empty((6, 6)), new_matrices(poses))


@kernel
def margins_batch(limits: LimitArrays, X: Array, values: Array) -> int:
    """Margins (n, k) of poses X (n, 4, 4), in blocks whose singular values are computed side by side; index of the
    first matrix that is not a rigid pose, or -1."""
    count, bad = X.shape[0], -1
    lanes = min(TOGETHER, count)
    work = new_work(lanes)
    m = np.empty(COLUMNS)
    singularity = -1
    for c in range(limits.places.shape[0]):
        if limits.places[c] == SINGULARITY:
            singularity = c
    for first in range(0, count, TOGETHER):
        here = min(lanes, count - first)
        for lane in range(here):
            if is_not_rigid(X, first + lane) and bad < 0:
                bad = first + lane
            margins_but_singularity(limits, X[first + lane], work, m)
            put(work.M, work.matrices, lane)
            for c in range(limits.places.shape[0]):
                values[first + lane, c] = m[limits.places[c]]
        if singularity >= 0:
            smallest_singular_values(work.matrices)
            for lane in range(here):
                values[first + lane, singularity] = singular_margin(limits, work.matrices.smallest[lane])
    return bad


def margins_at(limits: LimitArrays, X: Array, from_count: int = PARALLEL_FROM) -> tuple[Array, int]:
    """Margins (n, k) at poses X (n, 4, 4), and the index of the first matrix that is not a rigid pose, or -1.

    Batches of at least `from_count` poses are divided between the cores.
    """
    values = np.empty((len(X), len(limits.places)))
    if len(X) < from_count:
        return values, margins_batch(limits, X, values)
    return values, first_index(lambda s: margins_batch(limits, X[s], values[s]), len(X), from_count)


@inline_norefcount
def singular_value_bound(limits: LimitArrays, M: Array) -> float:
    """Lower bound of the smallest singular value of the Jacobian M (6, 6), which is overwritten; negative beyond home's
    side of a singularity.

    The determinant is the product of all six. The squares of the other five sum to no more than those of the elements,
    so their product is at most (squares / 5)^(5/2) (Yu and Gu 1997, Linear Algebra and its Applications 253).
    """
    squares = 0.0
    for i in range(6):
        for j in range(6):
            squares += M[i, j] * M[i, j]
    size = eliminate(M, 6, 0)
    per = 5.0 / squares
    return (abs(size) if limits.G[SIDE] == 0.0 else limits.G[SIDE] * size) * per * per * sqrt(per)


@inline_norefcount
def is_broken(limits: LimitArrays, X: Array, work: Work, m: Array) -> int:
    """1 where the pose X violates a limit, 0 where it keeps all, -1 where rounding decides; m (COLUMNS,) is infinite
    where the machine has no limit. `limits` are those with `sign_only`. Stops at the first violated limit."""
    # Cheap groups first: the tool, each leg by itself, pairs of legs, then the determinant.
    in_doubt = False
    tool_margins(limits, X, m)
    for c in range(BOX, SINGULARITY):
        if not m[c] > -limits.doubt:
            return 1
        in_doubt |= m[c] < limits.doubt
    for i in range(6):
        margins_of_legs(limits, X, range(i, i + 1), work, m)
        for c in range(i, PAIR, 6):
            if not m[c] > -limits.doubt:
                return 1
            in_doubt |= m[c] < limits.doubt
    for k in range(limits.pairs.shape[0]):
        i, j = limits.pairs[k, 0], limits.pairs[k, 1]
        gap = segment_distance(work.rods, i, j) - limits.L[LEG_RADIUS, i] - limits.L[LEG_RADIUS, j]
        if not gap > -limits.doubt:
            return 1
        in_doubt |= gap < limits.doubt
    if limits.G[SINGULAR_MIN] > 0.0:
        return -1 if in_doubt or not singular_value_bound(limits, work.M) > limits.G[SINGULAR_MIN] + limits.doubt else 0
    if limits.G[SIDE] != 0.0:
        side = limits.G[SIDE] * eliminate(work.M, 6, 0)
        if not side > -limits.doubt:
            return 1
        in_doubt |= side < limits.doubt
    return -1 if in_doubt else 0


@kernel
def allowed_batch(
    limits: LimitArrays, by_sign: LimitArrays, least: Array, X: Array, allowed: NDArray[np.bool_]
) -> None:
    """Whether the margins of poses X (n, 4, 4) are at least `least` (k,), of the size of the limits' tolerance, into
    allowed (n,): as `margins_batch` says in less time.

    `by_sign` are the limits with `sign_only`; where one is next to zero the margin itself decides.
    """
    work = new_work(1)
    m = np.full(COLUMNS, np.inf)
    for k in range(X.shape[0]):
        broken = is_broken(by_sign, X[k], work, m)
        allowed[k] = broken == 0
        if broken < 0:
            all_margins(limits, X[k], work, m)
            allowed[k] = True
            for c in range(limits.places.shape[0]):
                if not m[limits.places[c]] >= least[c]:
                    allowed[k] = False
