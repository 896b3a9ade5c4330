"""Compiled walk along a path of poses, from one change between allowed and refused to the next.

The step follows from the margins themselves. Inside the limits it is the shortest that any margin needs: within it a
margin either cannot reach zero or crosses it once. Outside it is one in which not all broken margins can come back, or
if they do, no other can break meanwhile. So a limit touched between two steps, and a narrow gap, are found too. Rates
are those of the last step; what appears as a leg comes into reach has none yet, and the step is the smallest. The end
of a leg's reach is not stepped over: near it the joint moves faster than any rate seen. The change itself is found by
Chandrupatla's method (1997) on the smallest relative margin.

A path that grazes a limit all along, such as the singular surface, would need the smallest steps to its end: after
`PATIENCE` steps they are at least `LEAST_LATER`, after ten times as many as long as any, and there are at most
`MOST_STEPS`. So every walk ends; one that runs out of steps says how far it came.
"""

from __future__ import annotations

from math import sin, sqrt

import numpy as np

from gough._arrays import copy
from gough._compile import inline, noinline
from gough.kinematics._motion import rotate
from gough.legs.leg import Array
from gough.limits._margins import SHORTEST, LimitArrays, all_margins

Three = tuple[float, float, float]

TWIST, EULER = 0, 1
"""Paths about the point of interest: a constant twist, or a turn by Rx Ry Rz of growing angles."""

LARGEST_STEP = 0.04
SMALLEST_STEP = 1e-6
"""Both in walking lengths (`gough.limits.table.walking_length`): a gap narrower than the smallest may be passed."""

PATIENCE, LEAST_LATER = 500, 0.1 * LARGEST_STEP
"""Minimum step after that many steps, in walking lengths, so that grazing paths terminate."""

MOST_STEPS = 20_000
"""Of one path: 600 walking lengths at the least."""


@inline
def swing(a: Three, w0: float, w1: float, w2: float) -> Three:
    """(exp(w) - I) a: how far a turn w moves the end of an arm a, to rounding of that move, however long the arm."""
    cx, cy, cz = w1 * a[2] - w2 * a[1], w2 * a[0] - w0 * a[2], w0 * a[1] - w1 * a[0]
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square == 0.0:
        return 0.0, 0.0, 0.0
    angle = sqrt(square)
    s, half = sin(angle) / angle, sin(0.5 * angle) / angle
    c = 2.0 * half * half
    return s * cx + c * (w1 * cz - w2 * cy), s * cy + c * (w2 * cx - w0 * cz), s * cz + c * (w0 * cy - w1 * cx)


@inline
def turned(X: Array, arm: Three, moved: Three, w0: float, w1: float, w2: float) -> Three:
    """X and what `arm` has become by `moved` turned by w; how far the arm's end has moved in all."""
    dx, dy, dz = swing((arm[0] + moved[0], arm[1] + moved[1], arm[2] + moved[2]), w0, w1, w2)
    rotate(X, w0, w1, w2)
    return moved[0] + dx, moved[1] + dy, moved[2] + dz


@noinline
def place(path: int, start: Array, point: Array, direction: Array, s: float, X: Array) -> None:
    """Pose at s along the path, into X; `point` is the point of interest in the platform frame."""
    for row in range(4):
        copy(start[row], X[row])
    moved = (0.0, 0.0, 0.0)
    if direction[3] != 0.0 or direction[4] != 0.0 or direction[5] != 0.0:
        arm = (
            start[0, 0] * point[0] + start[0, 1] * point[1] + start[0, 2] * point[2],
            start[1, 0] * point[0] + start[1, 1] * point[1] + start[1, 2] * point[2],
            start[2, 0] * point[0] + start[2, 1] * point[1] + start[2, 2] * point[2],
        )
        if path == TWIST:
            moved = turned(X, arm, moved, s * direction[3], s * direction[4], s * direction[5])
        else:
            moved = turned(X, arm, moved, 0.0, 0.0, s * direction[5])
            moved = turned(X, arm, moved, 0.0, s * direction[4], 0.0)
            moved = turned(X, arm, moved, s * direction[3], 0.0, 0.0)
    X[0, 3] = start[0, 3] + (s * direction[0] - moved[0])
    X[1, 3] = start[1, 3] + (s * direction[1] - moved[1])
    X[2, 3] = start[2, 3] + (s * direction[2] - moved[2])


@noinline
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


@noinline
def next_step(before: Array, now: Array, step: float, speed: float, limits: LimitArrays) -> float:
    """Length of the next step; `before` are the margins one `step` back, `speed` walking lengths per unit of s.

    At a distance d from the end of its reach, in rods, a joint moves sqrt(1 / 2 d) times as fast as the platform.
    """
    kept, kept_or_once, broken, broken_or_once = np.inf, np.inf, 0.0, 0.0
    gain = 1.0
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        value, rate = now[k] * limits.per_walk[c], (now[k] - before[k]) * limits.per_walk[c] / step
        if k < SHORTEST:
            if value > 0.0:
                gain = max(gain, 1.0 / sqrt(2.0 * max(value, SMALLEST_STEP)))
            else:
                kept = 0.0  # what the leg's other margins will be is not known
        if rate != rate and abs(value) < np.inf:
            return SMALLEST_STEP / speed
        if value != value or rate != rate or rate == 0.0:
            continue  # not a number, or a side of the box that this path runs along
        nearing = -rate if value >= 0.0 else rate
        # It cannot get to zero at twice its rate and half of what the joints' speed allows; or its rate cannot turn
        # round, for a curvature up to four times that of a limit that bends over one walking length.
        fast = 1.0 if k < SHORTEST else gain
        far = abs(value) / (2.0 * max(0.0, nearing) + 0.5 * speed * fast)
        once = far if k < SHORTEST else max(far, 0.125 * abs(rate) / (speed * speed * fast * fast * fast))
        if value >= 0.0:
            kept, kept_or_once = min(kept, far), min(kept_or_once, once)
        else:
            broken, broken_or_once = max(broken, far), max(broken_or_once, once)
    length = kept_or_once if broken == 0.0 else max(broken, min(kept, broken_or_once))
    return max(SMALLEST_STEP / speed, min(length, LARGEST_STEP / speed))


@inline
def least_step(taken: int, speed: float) -> float:
    """The shortest step allowed once so many are taken."""
    if taken < PATIENCE:
        return 0.0
    return (LEAST_LATER if taken < 10 * PATIENCE else LARGEST_STEP) / speed


@inline
def chandrupatla_fraction(a: float, b: float, c: float, fa: float, fb: float, fc: float) -> float:
    """Where between a and b to look next: inverse quadratic interpolation where it is safe, else the middle."""
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return 0.5


@noinline
def change(
    code: int,
    T: Array,
    limits: LimitArrays,
    path: int,
    start: Array,
    point: Array,
    direction: Array,
    a: float,
    b: float,
    fa: float,
    fb: float,
    work: tuple[Array, ...],
    X: Array,
    m: Array,
) -> tuple[float, int]:
    """Where the smallest relative margin changes sign between a and b: the last place inside, and what binds beyond."""
    inside, outside = (a, b) if fa >= 0.0 else (b, a)
    c, fc, t = a, fa, 0.5
    for _ in range(100):
        x = a + t * (b - a)
        place(path, start, point, direction, x, X)
        all_margins(code, T, X, limits, work, m)
        fx = smallest(m, limits)
        if fx >= 0.0:
            inside = x
        else:
            outside = x
        if (fx >= 0.0) == (fa >= 0.0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        gap = 4e-16 * max(abs(outside), abs(inside))
        if abs(outside - inside) <= gap:
            break
        t = chandrupatla_fraction(a, b, c, fa, fb, fc)
        edge = min(0.5, gap / max(abs(b - a), 1e-300))
        t = min(1.0 - edge, max(edge, t))
    place(path, start, point, direction, outside, X)
    all_margins(code, T, X, limits, work, m)
    return inside, lowest(m, limits)
