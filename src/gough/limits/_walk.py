"""Compiled stepping along a path of poses, from one sign change of the smallest margin to the next.

The step length follows from the margins. Inside the limits no margin can change sign twice within a step: each either
cannot reach zero or crosses it once. Outside, not all negative margins can become positive within a step, or if they
do, no other can become negative. So a limit touched between two steps, and a narrow gap, are found too. Rates are those
of the last step; a margin that appears as a leg comes into reach has none yet, and the step is the smallest. The end of
a leg's reach is not stepped over: near it the joint's rate is unbounded. The sign change is found by Chandrupatla's
method (1997) on the smallest relative margin.

The singular surface has no such curvature: near a flat configuration a straight path may cross it twice within any
distance. No step leads over two crossings: their places are known (`gough.limits.singular_roots`), or the step is short
enough to be proven regular (`gough.limits._regular_step`).

There is a minimum step after `PATIENCE` steps, and a fixed step after ten times as many, so that paths that graze a
limit terminate. After `MOST_STEPS` the distance reached is reported.
"""

from __future__ import annotations

from math import sin, sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, noinline, noinline_norefcount
from gough._linear_algebra import copy
from gough.arrays import Array
from gough.kinematics._motion import rotate
from gough.legs.leg import MIDDLE
from gough.legs.rus import RUS
from gough.legs.ups import UPS
from gough.limits._margins import (
    BASE_CONE,
    BOX,
    COLUMNS,
    HIGH,
    LONGEST,
    LOW,
    PAIR,
    SHORTEST,
    SINGULARITY,
    LimitArrays,
    Work,
    all_margins,
    new_work,
)
from gough.limits._regular_step import next_stop, regular_step

Three = tuple[float, float, float]

STRUT, CRANK = UPS.code, RUS.code
"""Kinds of legs whose margins need terms of their own: struts of variable length, and cranks, whose angle jumps."""

TWIST, EULER = 0, 1
"""Kinds of paths of the point of interest: a constant twist, or a rotation Rx Ry Rz with angles proportional to s."""

LARGEST_STEP = 0.04
SMALLEST_STEP = 1e-6
"""In walking lengths (`gough.limits.table.walking_length`); a gap narrower than the smallest step may be missed."""

PATIENCE, LEAST_LATER = 500, 0.1 * LARGEST_STEP
"""Minimum step after that many steps, in walking lengths, so that grazing paths terminate."""

MOST_STEPS = 20_000
"""Most steps of one path, at least 600 walking lengths."""

SLIP = 1.0 / 16.0
"""Part of a limit's tolerance by which a path along the limit may fall below its start: the rounding of margins."""


class Path(NamedTuple):
    """A path of poses, or several: its kind (TWIST or EULER), start pose (..., 4, 4), point of interest in the platform
    frame (3,), direction [v, w] of that point (..., 6), and stops (..., k), ascending, between which it is singular
    once at most: see `gough.limits.singular_roots.stops_between`, NaN where they are not known."""

    kind: int
    start: Array
    point: Array
    direction: Array
    stops: Array


class Scratch(NamedTuple):
    """Scratch: that of `all_margins`, a pose (4, 4), margins (COLUMNS,) at the last two steps and within one, and by
    how much each may be below zero along the path (`slacken`)."""

    work: Work
    X: Array
    now: Array
    before: Array
    m: Array
    slack: Array


@inline
def new_scratch() -> Scratch:
    """Arrays for one path."""
    return Scratch(
        new_work(1), np.empty((4, 4)), np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS), np.zeros(COLUMNS)
    )


@inline
def one_of(paths: Path, k: int) -> Path:
    """Path k of several."""
    return Path(paths.kind, paths.start[k], paths.point, paths.direction[k], paths.stops[k])


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
    kind, start, point, direction, _ = path
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


@noinline_norefcount
def lowest(m: Array, limits: LimitArrays) -> int:
    """Reported column with the smallest relative margin, -1 where all are NaN."""
    best, index = np.inf, -1
    for c in range(limits.places.shape[0]):
        value = m[limits.places[c]] * limits.per_scale[c]
        if value < best:
            best, index = value, c
    return index


@inline
def smallest(m: Array, limits: LimitArrays) -> float:
    """Smallest relative margin; -inf where all are NaN."""
    c = lowest(m, limits)
    return -np.inf if c < 0 else m[limits.places[c]] * limits.per_scale[c]


@noinline_norefcount
def least_margin(limits: LimitArrays, path: Path, s: float, scratch: Scratch, m: Array) -> float:
    """Margins at s along the path, with their slack, into m; the smallest relative one."""
    place(path, s, scratch.X)
    all_margins(limits, scratch.X, scratch.work, m)
    for c in range(limits.places.shape[0]):
        m[limits.places[c]] += scratch.slack[limits.places[c]]
    return smallest(m, limits)


@noinline_norefcount
def slacken(limits: LimitArrays, exact: LimitArrays, path: Path, scratch: Scratch) -> None:
    """Let the path go along, and away from, limits on which it starts: where rounding takes a margin of the start below
    zero, within the limit's tolerance, the margin may be as far below zero along the path, and a little farther.

    `limits` are those of the search, `exact` the same without `sign_only`. A leg beyond its reach has no joint
    coordinate, and its reach no slack.
    """
    scratch.slack[:] = 0.0
    least_margin(limits, path, 0.0, scratch, scratch.now)
    least_margin(exact, path, 0.0, scratch, scratch.m)
    for c in range(limits.places.shape[0]):
        k, tolerance = limits.places[c], limits.tolerance[c]
        least = min(scratch.now[k], scratch.m[k])
        if k >= SHORTEST and least < 0.0 and least >= -tolerance:
            scratch.slack[k] = min(tolerance, SLIP * tolerance - least)


@noinline
def inner(exact: LimitArrays, path: Path, s: float, towards: float, scratch: Scratch) -> float:
    """Nearest place to s in the direction of `towards` at which exact margins keep every limit: the search knew their
    signs only. A leg is within its reach by the tolerance there, so that it has a joint
    coordinate wherever rounding takes the pose."""
    step = 4e-16 * max(abs(s), abs(towards))
    for _ in range(60):
        least_margin(exact, path, s, scratch, scratch.m)
        is_kept = True
        for c in range(exact.places.shape[0]):
            k = exact.places[c]
            least = exact.tolerance[c] if k < SHORTEST else 0.0
            is_kept &= not scratch.m[k] * exact.per_scale[c] < least * exact.per_scale[c]
        if is_kept or s == towards:
            return s
        s = s + min(step, towards - s) if towards > s else s - min(step, s - towards)
        step *= 2.0
    return s


@inline
def to_half_turn(margin: float, k: int, limits: LimitArrays) -> float:
    """Angle between a crank that violates its limit in column k and half a turn from the middle of its range, where its
    coordinate jumps by a turn and may be allowed again at once [rad]."""
    if k < LONGEST:
        return max(0.0, np.pi + limits.L[LOW, k - SHORTEST] - limits.T[MIDDLE, k - SHORTEST] + margin)
    return max(0.0, np.pi - limits.L[HIGH, k - LONGEST] + limits.T[MIDDLE, k - LONGEST] + margin)


@noinline_norefcount
def regular_distance(
    limits: LimitArrays, path: Path, s: float, longest: float, speed: float, scratch: Scratch
) -> float:
    """A distance, at most `longest`, from s on along the path over which it is not singular."""
    if path.stops[0] == path.stops[0]:
        return min(longest, next_stop(path.stops, s) - s)
    d = path.direction
    # The rates of the angles of Rx Ry Rz: |omega|^2 <= |w|^2 + 2 |wx wz|, at most twice |w|^2.
    crossed = 2.0 * abs(d[3] * d[5]) if path.kind == EULER else 0.0
    turn = sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5] + crossed)
    move = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return longest * regular_step(
        limits, scratch.X, scratch.work, scratch.now, path.point, longest * move, longest * turn,
        SMALLEST_STEP / (speed * longest),
    )  # fmt: skip


@noinline_norefcount
def next_step(
    limits: LimitArrays, path: Path, s: float, step: float, speed: float, taken: int, scratch: Scratch
) -> float:
    """Length of the step from s on, after `taken` steps, the last one `step` long; `speed` in walking lengths per unit
    of s. The margins there are in `scratch.now`, one step back in `scratch.before`.

    At a distance d from the end of its reach, in rods, a joint moves sqrt(1 / 2 d) times as fast as the platform.
    """
    now, before = scratch.now, scratch.before
    kept, kept_or_once, broken, broken_or_once = np.inf, np.inf, 0.0, 0.0
    gain, nearest, cap, per_step = 1.0, np.inf, LARGEST_STEP / speed, 1.0 / step
    side = np.nan
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        value, rate = now[k] * limits.per_walk[c], (now[k] - before[k]) * limits.per_walk[c] * per_step
        if k == SINGULARITY:
            side = value
            continue
        if k < SHORTEST:
            if value > 0.0:
                nearest = min(nearest, max(value, SMALLEST_STEP))
            else:
                kept = 0.0  # the leg's other margins are unknown until it closes
        elif nearest < np.inf:  # all margins of the reach have been read: they come first
            gain, nearest = max(1.0, 1.0 / sqrt(2.0 * nearest)), np.inf
        if rate != rate and abs(value) < np.inf:
            return SMALLEST_STEP / speed
        if value != value or rate != rate or rate == 0.0:
            continue  # unknown, or constant along this path, as that of a side of the box parallel to it
        nearing = -rate if value >= 0.0 else abs(rate) if PAIR <= k < BOX else rate  # crossing rods separate again
        # `far`: no zero within it at twice the last rate plus half the joints' largest speed. `once`: the rate cannot
        # change sign within it, for a curvature up to four times that of a limit that bends over one walking length;
        # |rate| / 8 and not / 4, as the rate is the mean over the last step.
        fast = 1.0 if k < SHORTEST else gain
        fastest = 2.0 * max(0.0, nearing) + 0.5 * speed * fast
        if value >= cap * fastest:
            continue  # no zero within the longest step
        far = abs(value) / fastest
        # A distance or an angle turns back where it is zero, one scale of the limit beyond the margin's zero.
        turn = abs(value) + limits.per_walk[c] / limits.per_scale[c]
        once = min(
            0.125 * abs(rate) / (speed * speed * fast * fast * fast), turn / (2.0 * abs(rate) + 0.5 * speed * fast)
        )
        once = far if k < SHORTEST else max(far, once)
        if value >= 0.0:
            kept, kept_or_once = min(kept, far), min(kept_or_once, once)
        else:
            if limits.code == CRANK and SHORTEST <= k < BASE_CONE:
                half_turn = to_half_turn(now[k], k, limits) / (2.0 * abs(rate) + 0.5 * speed * fast)
                far, once = min(far, half_turn), min(once, half_turn)
            broken, broken_or_once = max(broken, far), max(broken_or_once, once)
    length = kept_or_once if broken == 0.0 else max(broken, min(kept, broken_or_once))
    length = max(SMALLEST_STEP / speed, min(length, cap))
    if side >= 0.0:
        if length > broken:
            length = max(broken, regular_distance(limits, path, s, length, speed, scratch))
    elif side < 0.0 and broken < cap:
        regular = regular_distance(limits, path, s, cap, speed, scratch)
        length = max(broken, regular, min(kept, max(broken_or_once, regular)))
    length = max(SMALLEST_STEP / speed, min(length, cap), least_step(taken, speed))
    return min(length, next_stop(path.stops, s) - s)


@noinline_norefcount
def sure_step(now: Array, speed: float, limits: LimitArrays) -> float:
    """A step over which a leg provably stays out of its reach, or a strut beyond its stroke: these margins change no
    faster than the platform joint moves, `speed` walking lengths per unit of s. 0 where there is none."""
    last = BASE_CONE if limits.code == STRUT else SHORTEST
    least = 0.0
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        if k < last and now[k] * limits.per_scale[c] < 0.0:
            least = min(least, now[k] * limits.per_walk[c])
    return -least / speed


@inline
def least_step(taken: int, speed: float) -> float:
    """The minimum step after so many steps."""
    if taken < PATIENCE:
        return 0.0
    return (LEAST_LATER if taken < 10 * PATIENCE else LARGEST_STEP) / speed


@inline
def chandrupatla_fraction(a: float, b: float, c: float, fa: float, fb: float, fc: float) -> float:
    """Next fraction between a and b: inverse quadratic interpolation where it is safe, else the middle."""
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return 0.5


@noinline
def change(
    limits: LimitArrays, path: Path, a: float, b: float, fa: float, fb: float, scratch: Scratch
) -> tuple[float, int]:
    """Where the smallest relative margin changes sign between a and b: the last s inside, and the column that binds
    just beyond (Chandrupatla 1997)."""
    m = scratch.m
    inside, outside = (a, b) if fa >= 0.0 else (b, a)
    c, fc, t = a, fa, 0.5
    for _ in range(100):
        x = a + t * (b - a)
        fx = least_margin(limits, path, x, scratch, m)
        if fx >= 0.0:
            inside = x
        else:
            outside = x
        if (fx >= 0.0) == (fa >= 0.0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        gap = 4e-16 * max(abs(outside), abs(inside))  # two units in the last place
        if abs(outside - inside) <= gap:
            break
        t = chandrupatla_fraction(a, b, c, fa, fb, fc)
        # The next place stays at least `gap` away from both ends, so that the bracket always shrinks.
        edge = min(0.5, gap / max(abs(b - a), 1e-300))
        t = min(1.0 - edge, max(edge, t))
    least_margin(limits, path, outside, scratch, m)
    return inside, lowest(m, limits)
