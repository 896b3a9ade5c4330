"""Compiled travel: the first place along a path where a margin of the machine becomes negative.

The walk's step follows from the margins themselves: none of them can reach zero within it at twice its present rate
plus half of what the joints' own speed allows, so that a limit which is touched between two steps is found too. Within
the step where a margin turns negative the crossing is found by Chandrupatla's method (1997), to rounding.
"""

from __future__ import annotations

import numpy as np

from gough._compile import called, inlined, kernel
from gough.analysis._margins import COLUMNS, LimitArrays, all_margins, work_arrays
from gough.kinematics._forward import rotate
from gough.legs.leg import Array, Ints

TWIST, EULER = 0, 1
"""Paths about the point of interest: a constant twist, or a turn by Rx Ry Rz of growing angles."""

LARGEST_STEP = 0.02
"""Of the machine's size, or radians."""
SMALLEST_STEP = 1e-7
"""Grazing contacts shallower than what a joint moves within this step [of the machine's size] may be passed."""


@called
def place(path: int, start: Array, point: Array, direction: Array, s: float, X: Array) -> None:
    """Pose at s along the path, into X; `point` is the point of interest in the platform frame."""
    X[:] = start
    x = start[0, 0] * point[0] + start[0, 1] * point[1] + start[0, 2] * point[2] + start[0, 3] + s * direction[0]
    y = start[1, 0] * point[0] + start[1, 1] * point[1] + start[1, 2] * point[2] + start[1, 3] + s * direction[1]
    z = start[2, 0] * point[0] + start[2, 1] * point[1] + start[2, 2] * point[2] + start[2, 3] + s * direction[2]
    if path == TWIST:
        rotate(X, s * direction[3], s * direction[4], s * direction[5])
    else:
        rotate(X, 0.0, 0.0, s * direction[5])
        rotate(X, 0.0, s * direction[4], 0.0)
        rotate(X, s * direction[3], 0.0, 0.0)
    X[0, 3] = x - (X[0, 0] * point[0] + X[0, 1] * point[1] + X[0, 2] * point[2])
    X[1, 3] = y - (X[1, 0] * point[0] + X[1, 1] * point[1] + X[1, 2] * point[2])
    X[2, 3] = z - (X[2, 0] * point[0] + X[2, 1] * point[1] + X[2, 2] * point[2])


@called
def lowest(m: Array, limits: LimitArrays) -> int:
    """Reported column with the smallest relative margin, -1 where all are NaN."""
    best, index = np.inf, -1
    for c in range(limits.places.shape[0]):
        value = m[limits.places[c]] / limits.scales[c]
        if value < best:
            best, index = value, c
    return index


@called
def safe_step(now: Array, ahead: Array, probe: float, speed: float, limits: LimitArrays) -> float:
    """Length of a step in which no margin should reach zero; `ahead` are the margins after a small step `probe`."""
    step = np.inf
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        if now[k] == now[k] and ahead[k] == ahead[k]:
            rate = max(0.0, (now[k] - ahead[k]) / probe)
            step = min(step, now[k] / (2.0 * rate + 0.5 * limits.scales[c] * speed))
    return step


@kernel
def travel_batch(
    code: int,
    T: Array,
    limits: LimitArrays,
    path: int,
    start: Array,
    point: Array,
    direction: Array,
    farthest: Array,
    speed: Array,
    distance: Array,
    binding: Ints,
) -> None:
    """Distances (n,) along directions (n, 6) from starts (n, 4, 4) and binding columns, -1 for none.

    The walk ends at `farthest` (n,); `speed` (n,) bounds how fast a joint can go along each direction, in
    machine sizes.
    """
    work = work_arrays()
    X = np.empty((4, 4))
    now, ahead, beyond = np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS)
    for k in range(direction.shape[0]):
        s = 0.0
        place(path, start[k], point, direction[k], 0.0, X)
        all_margins(code, T, X, limits, work, now)
        distance[k], binding[k] = np.inf, -1
        worst = lowest(now, limits)
        if worst < 0 or now[limits.places[worst]] < 0.0:
            distance[k], binding[k] = (np.nan if worst < 0 else 0.0), worst
            continue
        while s < farthest[k]:
            probe = 1e-7 / speed[k]
            place(path, start[k], point, direction[k], s + probe, X)
            all_margins(code, T, X, limits, work, ahead)
            step = safe_step(now, ahead, probe, speed[k], limits)
            step = max(SMALLEST_STEP / speed[k], min(step, LARGEST_STEP / speed[k]))
            place(path, start[k], point, direction[k], s + step, X)
            all_margins(code, T, X, limits, work, beyond)
            worst = lowest(beyond, limits)
            if worst < 0 or beyond[limits.places[worst]] < 0.0:
                found, column = crossing(
                    code,
                    T,
                    limits,
                    path,
                    start[k],
                    point,
                    direction[k],
                    s,
                    s + step,
                    worst,
                    work,
                    X,
                    ahead,
                    now,
                    beyond,
                )
                distance[k], binding[k] = found, column
                break
            s += step
            now[:] = beyond


@called
def crossing(
    code: int,
    T: Array,
    limits: LimitArrays,
    path: int,
    start: Array,
    point: Array,
    direction: Array,
    inside: float,
    outside: float,
    column: int,
    work: tuple[Array, ...],
    X: Array,
    m: Array,
    now: Array,
    beyond: Array,
) -> tuple[float, int]:
    """The first crossing between `inside` (all margins kept, in `now`) and `outside` (in `beyond`), and its column.

    The worst column's crossing is found; if another column is negative just before it, that one is taken up instead.
    """
    low = inside
    for _ in range(COLUMNS):
        k = limits.places[column]
        low = bracketed_root(
            code, T, limits, path, start, point, direction, inside, outside, now[k], beyond[k], k, work, X, m
        )
        place(path, start, point, direction, low, X)
        all_margins(code, T, X, limits, work, m)
        other = lowest(m, limits)
        if other < 0 or other == column or m[limits.places[other]] >= 0.0:
            break
        column, outside = other, low
        beyond[:] = m
    return low, column


@called
def bracketed_root(
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
    k: int,
    work: tuple[Array, ...],
    X: Array,
    m: Array,
) -> float:
    """The last place to rounding where margin k is kept, between a (fa >= 0) and b (fb < 0)."""
    inside, outside = a, b
    c, fc, t = a, fa, 0.5
    for _ in range(100):
        if abs(b - a) <= 4e-16 * (abs(outside) + abs(inside)) or fb == 0.0:
            break
        x = a + t * (b - a)
        place(path, start, point, direction, x, X)
        all_margins(code, T, X, limits, work, m)
        fx = m[k]
        if fx >= 0.0:
            inside = x
        else:
            outside = x
        if (fx >= 0.0) == (fa >= 0.0):
            c, fc = a, fa
        else:
            c, b = b, a
            fc, fb = fb, fa
        a, fa = x, fx
        if outside - inside <= 4e-16 * outside:
            break
        t = chandrupatla_fraction(a, b, c, fa, fb, fc)
        edge = 2e-16 * abs(x) / max(abs(b - a), 1e-300)
        t = min(1.0 - min(edge, 0.5), max(min(edge, 0.5), t))
    return inside


@inlined
def chandrupatla_fraction(a: float, b: float, c: float, fa: float, fb: float, fc: float) -> float:
    """Where between a and b to look next: inverse quadratic interpolation where it is safe, else the middle."""
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return 0.5
