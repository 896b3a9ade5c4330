"""Kernels of time-optimal timing: backward and forward reachability passes (TOPP-RA, Pham and Pham 2018).

In the squared speed x = s'^2 and the acceleration u = s'' along the path every limit on accelerations and forces is

    | m u + c x + g + d sqrt(x) + e tanh(k sqrt(x)) | <= limit                                         (a row)

with coefficients that change along the path; limits of speeds bound x alone. The backward pass finds the largest x at
each grid point from which the end can be reached (controllable sets), the forward pass the largest reachable x. In
TOPP-RA u is constant over an interval; here it is linear, and the rows hold at both ends of each interval,

    x_1 = x_0 + h (u_0 + u_1),      u_0 in [alpha_0(x_0), beta_0(x_0)],      u_1 in [alpha_1(x_1), beta_1(x_1)]

so that between the ends rows are exceeded by second order in h at most. Without friction alpha is convex and beta
concave in x, and the sets are intervals.
"""

from __future__ import annotations

from math import sqrt, tanh
from typing import NamedTuple

import numpy as np

from gough._compile import inline, kernel, noinline
from gough.arrays import Array, Bools

SEARCH_STEPS = 60
"""Iterations of a search for a root or an extremum: enough for doubles."""
LEAST_SPEED = 1e-24
"""Squared speed at which the search for the largest feasible one starts."""
INERT = 1e-300
"""Coefficient m below which a row does not bound u."""


class PathRows(NamedTuple):
    """Rows at one parameter, or at those of n intervals: m, c, g in `smooth` (..., r, 3); d, e, k in `friction`
    (..., r, 3), empty where there is none; `limit` (r,)."""

    smooth: Array
    friction: Array
    limit: Array


@noinline
def bounds(rows: PathRows, x: float) -> tuple[float, float]:
    """Smallest and largest u (alpha, beta) at squared speed x; alpha > beta where every u breaks a limit."""
    alpha, beta = -np.inf, np.inf
    smooth, friction, limit = rows.smooth, rows.friction, rows.limit
    v = sqrt(max(x, 0.0))
    for j in range(limit.shape[0]):
        m = smooth[j, 0]
        remainder = smooth[j, 1] * x + smooth[j, 2]
        if friction.shape[0] > 0:
            remainder += friction[j, 0] * v + friction[j, 1] * tanh(friction[j, 2] * v)
        if abs(m) < INERT:
            if abs(remainder) > limit[j]:
                return np.inf, -np.inf
            continue
        centre, half = -remainder / m, limit[j] / abs(m)
        alpha, beta = max(alpha, centre - half), min(beta, centre + half)
    return alpha, beta


@inline
def at(rows: PathRows, i: int, end: int) -> PathRows:
    """The rows at the begin (0), middle (1) or end (2) of interval i."""
    return PathRows(rows.smooth[i, end], rows.friction[i, end], rows.limit)


@noinline
def ahead(rows: PathRows, x: float, h: float, upper: bool) -> float:
    """Part of x_1 = x_0 + h (u_0 + u_1) from one end, with its largest or smallest u: x + h beta(x), x + h alpha(x)."""
    alpha, beta = bounds(rows, x)
    return x + h * (beta if upper else alpha)


@noinline
def last_below(rows: PathRows, h: float, upper: bool, low: float, high: float, goal: float) -> float:
    """Root in [low, high] of `ahead` = goal, from below; `ahead` is at most the goal at low and above it at high.

    Illinois variant of regula falsi (Dowell and Jarratt 1971).
    """
    f, g = ahead(rows, low, h, upper) - goal, ahead(rows, high, h, upper) - goal
    side = 0
    for k in range(2 * SEARCH_STEPS):
        # Two bisections in eight steps, and wherever values are infinite: kinks of the rows slow the secants down.
        middle = 0.5 * (low + high)
        if k % 8 < 6 and -1e300 < f < g < 1e300:
            middle = high - g * (high - low) / (g - f)
        if not low < middle < high:
            middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        value = ahead(rows, middle, h, upper) - goal
        # Illinois: an end that stays for two steps has its value halved.
        if value <= 0.0:
            low, f = middle, value
            g = 0.5 * g if side == -1 else g
            side = -1
        else:
            high, g = middle, value
            f = 0.5 * f if side == 1 else f
            side = 1
        if high - low <= 2e-16 * high or value == 0.0:
            break
    return low


@noinline
def turning(rows: PathRows, h: float, upper: bool, high: float) -> float:
    """Minimiser of `ahead` over [0, high], or maximiser where it is concave, by golden section search."""
    sign = -1.0 if h < 0 and not upper else 1.0
    low, ratio = 0.0, 0.6180339887498949
    a, b = high - ratio * high, ratio * high
    f, g = sign * ahead(rows, a, h, upper), sign * ahead(rows, b, h, upper)
    for _ in range(SEARCH_STEPS):
        if f < g:
            high, b, g = b, a, f
            a = high - ratio * (high - low)
            f = sign * ahead(rows, a, h, upper)
        else:
            low, a, f = a, b, g
            b = low + ratio * (high - low)
            g = sign * ahead(rows, b, h, upper)
    return 0.5 * (low + high)


@noinline
def largest(rows: PathRows, h: float, upper: bool, high: float, goal: float) -> float:
    """Largest x in [0, high] with `ahead` at most the goal; NaN if there is none."""
    if ahead(rows, high, h, upper) <= goal:
        return high
    low = 0.0
    if not ahead(rows, low, h, upper) <= goal:
        low = turning(rows, h, upper, high)
        if not ahead(rows, low, h, upper) <= goal:
            return np.nan
    return last_below(rows, h, upper, low, high, goal)


@kernel
def feasible_batch(rows: PathRows, cap: Array) -> None:
    """Lower `cap` (n, k) to the largest x for which some u keeps all rows (n, k, r, 3); NaN where rest breaks one."""
    for i in range(cap.shape[0]):
        for end in range(cap.shape[1]):
            here = at(rows, i, end)
            alpha, beta = bounds(here, cap[i, end])
            if alpha <= beta:
                continue
            alpha, beta = bounds(here, 0.0)
            if not alpha <= beta:
                cap[i, end] = np.nan
                continue
            # From x = 0 upwards to the first infeasible speed, by factors of four, then bisection.
            low, high = 0.0, min(LEAST_SPEED, cap[i, end])
            for _ in range(20 * SEARCH_STEPS):
                alpha, beta = bounds(here, high)
                if not alpha <= beta:
                    break
                low, high = high, min(4.0 * high, cap[i, end])
            for _ in range(SEARCH_STEPS):
                middle = 0.5 * (low + high)
                alpha, beta = bounds(here, middle)
                if alpha <= beta:
                    low = middle
                else:
                    high = middle
            cap[i, end] = low


@kernel
def controllable(rows: PathRows, h: Array, cap: Array, x: Array, is_new: Bools) -> int:
    """Largest squared speeds x (n + 1,) from which the end can be reached; x[n] is given.

    `rows` are those at the begin, middle and end of each interval, `cap` (n + 1,) bounds x. Of the other intervals than
    those that are new (n,), x is that of the last call, and is kept where it is the same at the end of the interval;
    where it changes, intervals become new for `reachable`. Returns the index of an interval from which the end cannot
    be reached, or -1.
    """
    is_same = True
    for i in range(h.shape[0] - 1, -1, -1):
        if is_same and not is_new[i]:
            continue
        most, last = x[i + 1], x[i]
        # x_0 + h u_0 = x_1 - h u_1 is at most the maximum of y - h alpha_1(y) for y up to `most`: at `most`, or at the
        # maximum inside where the function falls towards `most`.
        goal = ahead(at(rows, i, 2), most, -h[i], False)
        if most > 0.0 and ahead(at(rows, i, 2), most * (1 - 1e-7), -h[i], False) > goal:
            top = turning(at(rows, i, 2), -h[i], False, most)
            goal = max(goal, ahead(at(rows, i, 2), top, -h[i], False))
        x[i] = largest(at(rows, i, 0), h[i], False, cap[i], goal)
        if not x[i] >= 0.0:
            return i
        # Where limits force deceleration, the end must be reached with x_1 >= 0: otherwise the motion stops before it.
        least = ahead(at(rows, i, 2), 0.0, -h[i], True)
        if ahead(at(rows, i, 0), x[i], h[i], True) < least:
            low, high = 0.0, x[i]
            for _ in range(SEARCH_STEPS):
                middle = 0.5 * (low + high)
                if ahead(at(rows, i, 0), middle, h[i], True) < least:
                    high = middle
                else:
                    low = middle
            x[i] = low
        is_same = x[i] == last
        if i > 0 and not is_same:
            is_new[i - 1] = True
    return -1


@kernel
def reachable(rows: PathRows, h: Array, most: Array, x: Array, u: Array, is_new: Bools) -> int:
    """Largest squared speeds x (n + 1,) from x[0] = most[0] on, at most `most`, and u (n, 2) at the ends of intervals.

    Those of the last call are kept as in `controllable`; all others are new afterwards. Returns the index of an
    interval that cannot be passed, or -1.
    """
    is_same, x[0] = x[0] == most[0], most[0]
    for i in range(h.shape[0]):
        if is_same and not is_new[i]:
            continue
        is_new[i] = True
        first, last = at(rows, i, 0), at(rows, i, 2)
        a0, b0 = bounds(first, x[i])
        y = largest(last, -h[i], True, most[i + 1], x[i] + h[i] * b0)
        if not y >= 0.0:
            return i
        least = x[i] + h[i] * a0
        if ahead(last, y, -h[i], False) < least:
            # Even the smallest u_0 is too large for y, as near turning points of a leg: the largest y that fits it.
            top = turning(last, -h[i], False, y)
            low, high = min(top, y), y
            for _ in range(SEARCH_STEPS):
                middle = 0.5 * (low + high)
                if ahead(last, middle, -h[i], False) < least:
                    high = middle
                else:
                    low = middle
            y = low
        is_same = x[i + 1] == y
        x[i + 1] = y
        # u_0 + u_1 is fixed by both speeds: split evenly as far as the bounds of each allow.
        a1, b1 = bounds(last, y)
        total = (y - x[i]) / h[i]
        u0 = min(max(0.5 * total, a0), b0)
        u1 = min(max(total - u0, a1), b1)
        u[i, 0], u[i, 1] = total - u1, u1
    return -1
