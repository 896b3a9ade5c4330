"""Homotopy paths of one machine, all at once in NumPy: the method of `_tracker` and `_endgame` without compilation.

Compiled code takes a tenth of the time, but importing the compiler several times as long as all paths of one machine.
Arrays have a row for each path; a point of a path is its unknowns and their derivative, (2, n, 8).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gough._compile import INTERPRETER
from gough.arrays import Array, Bools, Complex, Ints
from gough.assembly import _endgame as endgame
from gough.assembly import _tracker as tracker
from gough.assembly._endgame import LOST, NO_POSE, REGULAR, SINGULAR
from gough.assembly._study import EQUATIONS, UNKNOWNS

LEGS = 6
EYE = np.eye(4)
CYCLES = (1, 2, 3), (2, 3, 1), (3, 1, 2)
"""Quaternion units of which the third is the product of the first two."""


def follow_together(
    legs: Complex, path: Complex, starts: Complex, aim: float, ends: Complex, fate: Ints, turns: Ints
) -> None:
    """Follow solutions `starts` (n, 8) of `legs` (6, 7) along the change `path` (6, 7) to their `ends` (n, 8).

    As `_endgame.follow_paths`, to rounding.
    """
    quadrics = _coefficients(legs, path)
    left, x = np.arange(len(starts)), starts  # paths without an end so far, and their points
    fate[:], turns[:] = LOST, 0
    s, h = 0.0, endgame.FIRST_STEP
    for distance in endgame.DISTANCES:
        s_next = 1.0 - distance
        (x, x_s), arrived = _track(quadrics, x, s, s_next, aim, h)
        left, x, x_s = left[arrived], x[arrived], x_s[arrived]
        # Newton's method at s = 1 from the tangent's extrapolation; x_s is per the parameter of the last part.
        found, is_regular = _regular(quadrics, x + distance / (s_next - s) * x_s)
        ends[left[is_regular]], fate[left[is_regular]], turns[left[is_regular]] = found[is_regular], REGULAR, 1
        left, x = left[~is_regular], x[~is_regular]
        s, h = s_next, 0.1
        # No regular end: Cauchy's integral, after which the path goes on from here.
        is_round = distance == endgame.ROUND
        near = is_round | (_motion_part(x) <= endgame.LEAVING)
        most_turns = endgame.MOST_TURNS if is_round else endgame.FEW_TURNS
        closed, mean = _go_round(quadrics, x[near], distance, most_turns, aim)
        tried = left[near][closed > 0]
        ends[tried], fate[tried], turns[tried] = _means(quadrics, mean[closed > 0], closed[closed > 0])
        goes_on = fate[left] == LOST
        left, x = left[goes_on], x[goes_on]
    closes = (fate == LOST) & (turns > 0)
    fate[closes] = _multiple(ends[closes])


def _multiple(x: Complex) -> Ints:
    """Fates of the means x (n, 8) of paths that close, but at no regular end."""
    return np.where(_motion_part(x) < endgame.FAR_AWAY, NO_POSE, SINGULAR)


def _means(quadrics: Complex, mean: Complex, turns: Ints) -> tuple[Complex, Ints, Ints]:
    """Ends, fates and turns of paths with a mean: no motions, regular ends after all, or unknown so far (LOST)."""
    found, is_regular = _regular(quadrics, mean)
    leaves = _motion_part(mean) < endgame.NO_MOTION
    is_regular &= ~leaves
    fate = np.where(leaves, NO_POSE, np.where(is_regular, REGULAR, LOST))
    return np.where(is_regular[:, None], found, mean), fate, np.where(is_regular, 1, turns)


def _coefficients(legs: Complex, path: Complex) -> Complex:
    """Matrices H of the quadrics x . H x / 2 over x = (e, g), by powers of s, one below the other: (3, 7 * 8, 8)."""
    (A, dA), (B, dB) = (
        [_product(of[:, first : first + 3], sign) for of in (legs, path)] for first, sign in ((0, 1.0), (3, -1.0))
    )  # a e = A e, e b = B e
    here = _matrices(legs[:, 6], A.mT @ B, B - A)
    here[:LEGS, 4:, 4:] = 4.0 * EYE
    here[LEGS, 4:, :4] = here[LEGS, :4, 4:] = EYE  # Study's condition
    linear = _matrices(path[:, 6], A.mT @ dB + dA.mT @ B, dB - dA)
    square = _matrices(np.zeros(LEGS, complex), dA.mT @ dB, np.zeros_like(A))
    return np.array([here, linear, square]).reshape(3, -1, UNKNOWNS)


def _matrices(c: Complex, form: Complex, turned: Complex) -> Complex:
    """Matrices (7, 8, 8) of c/2 e.e - e.(form e) + 2 g.(turned e) of each leg; zero for Study's condition."""
    H = np.zeros((EQUATIONS, UNKNOWNS, UNKNOWNS), complex)
    H[:LEGS, :4, :4] = c[:, None, None] * EYE - form - form.mT
    H[:LEGS, 4:, :4] = 2.0 * turned
    H[:LEGS, :4, 4:] = 2.0 * turned.mT
    return H


def _product(v: Complex, sign: float) -> Complex:
    """Matrices (n, 4, 4) of the product with quaternions v (n, 3) from the left (sign 1) or right (sign -1)."""
    M = np.zeros((len(v), 4, 4), complex)
    M[:, 0, 1:], M[:, 1:, 0] = -v, v
    for i, j, k in CYCLES:
        M[:, k, j], M[:, j, k] = sign * v[:, i - 1], -sign * v[:, i - 1]
    return M


def _quadrics_at(quadrics: Complex, s: Complex, speed: complex) -> tuple[Complex, Complex]:
    """Matrices (n, 7 * 8, 8) of the quadrics at each s, and their derivatives by the path's parameter, ds being `speed`
    times its change."""
    constant, linear, square = quadrics
    s = s[:, None, None]
    changed = s * square
    return constant + s * (linear + changed), speed * (linear + 2.0 * changed)


def _newton(H: Complex, x: Complex, chart: Ints, H_s: Complex | None = None) -> tuple[Complex, Complex, Array]:
    """One Newton step on x (n, 8) in its charts: where it leads, the tangent there, and its size.

    The size is infinite where the matrix is singular. Without `H_s` there is no tangent.
    """
    count, column = len(x), x[:, :, None]
    # Below the gradients a row that holds the unknown of the chart.
    J, right = np.zeros((count, UNKNOWNS, UNKNOWNS), complex), np.zeros((count, UNKNOWNS, 2), complex)
    J[:, :EQUATIONS] = (H @ column).reshape(-1, EQUATIONS, UNKNOWNS)
    J[np.arange(count), EQUATIONS, chart] = 1.0
    right[:, :EQUATIONS, 0] = -0.5 * (J[:, :EQUATIONS] @ column)[..., 0]
    if H_s is not None:
        right[:, :EQUATIONS, 1] = -0.5 * ((H_s @ column).reshape(-1, EQUATIONS, UNKNOWNS) @ column)[..., 0]
    solved = _solved(J, right)
    step, tangent = solved[:, :, 0], solved[:, :, 1]
    return x + step, tangent, np.abs(step).max(axis=1, initial=0.0)


def _solved(J: Complex, right: Complex) -> Complex:
    """Solutions of linear systems, infinite where the matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(J, right), np.complex128)
    except np.linalg.LinAlgError:
        singular = np.linalg.det(J) == 0.0
        solved = np.full(right.shape, np.inf + 0j)
        solved[~singular] = np.linalg.solve(J[~singular], right[~singular])
        return solved


def _largest(x: Complex) -> Ints:
    """The chart of each x (n, 8): its largest unknown."""
    return np.abs(x).argmax(axis=1)


def _scaled(x: Complex, chart: Ints) -> Complex:
    """Unknowns x (n, 8) so that the one of each chart is one."""
    return x / x[np.arange(len(x)), chart, None]


def _recharted(point: Complex, chart: Ints) -> Complex:
    """Points (2, n, 8) so that the unknown of each chart is one along the path."""
    rows = np.arange(len(chart))
    x, x_s = point / point[0, rows, chart, None]
    return np.array([x, x_s - x * x_s[rows, chart, None]])  # quotient rule


def _predicted(now: Complex, before: Complex, h_before: Array, h: Array) -> Complex:
    """Extrapolation by h from `now`, by the cubic through it and the point h_before behind (0: there is none)."""
    u = np.where(h_before > 0.0, h / h_before, 0.0)[:, None]
    h_before, h = h_before[:, None], h[:, None]
    gap = now[0] - before[0]
    second = h_before * (2.0 * now[1] + before[1]) - 3.0 * gap
    third = h_before * (now[1] + before[1]) - 2.0 * gap
    return now[0] + h * now[1] + u * u * (second + u * third)


def _track(
    quadrics: Complex, x: Complex, s: complex, s_end: complex, aim: float, first_step: float
) -> tuple[Complex, Bools]:
    """Follow solutions x (n, 8) from s on a straight line to s_end; the last points, and which paths arrived."""
    count, speed = len(x), s_end - s
    chart = _largest(x)
    H, H_s = _quadrics_at(quadrics, np.full(count, s, complex), speed)
    now = np.array(_newton(H, _scaled(x, chart), chart, H_s)[:2])
    before = now.copy()
    h, h_before, done = np.full(count, first_step), np.zeros(count), np.zeros(count)
    k = np.arange(count)
    for _ in range(tracker.MOST_STEPS):
        k = k[(done[k] < 1.0) & ((h[k] >= tracker.SHORTEST_STEP) | (h[k] >= 1.0 - done[k]))]
        if not len(k):
            break
        INTERPRETER.check_time()
        h[k] = np.minimum(h[k], 1.0 - done[k])
        H, H_s = _quadrics_at(quadrics, s + (done[k] + h[k]) * speed, speed)
        y, _, first = _newton(H, _predicted(now[:, k], before[:, k], h_before[k], h[k]), chart[k])
        y, y_s, second = _newton(H, y, chart[k], H_s)
        is_near = first < tracker.TOO_FAR * aim  # also not NaN
        good = is_near & ((second <= tracker.CONTRACTION * first) | (second < tracker.TINY))
        a = k[good]
        before[:, a], now[0, a], now[1, a] = now[:, a], y[good], y_s[good]
        done[a], h_before[a] = done[a] + h[a], h[a]
        # The cubic's error, and with it the first Newton step, grows with the fourth power of h.
        growth = np.minimum(0.9 * np.sqrt(np.sqrt(aim / (first + 1e-16))), tracker.LARGEST_GROWTH)
        h[k] *= np.where(good, growth, np.where(is_near, 0.5, 0.3))
        a = a[np.abs(now[0, a]).max(axis=1, initial=0.0) > tracker.NEW_CHART]
        if len(a):  # both points that the next prediction uses go into the new chart
            chart[a] = _largest(now[0, a])
            now[:, a], before[:, a] = _recharted(now[:, a], chart[a]), _recharted(before[:, a], chart[a])
    return now, done >= 1.0


def _regular(quadrics: Complex, x: Complex) -> tuple[Complex, Bools]:
    """Solutions at s = 1 to which Newton's method converges from x (n, 8), and which of them are regular motions."""
    chart = _largest(x)
    x, last = _scaled(x, chart), np.full(len(x), tracker.FIRST_AT_THE_END)
    H, size, k = quadrics.sum(axis=0), np.full(len(x), np.inf), np.arange(len(x))
    for _ in range(tracker.MOST_SHARPENING):
        x[k], _, step = _newton(H, x[k], chart[k])
        # No longer contracting: by rounding if the last step was small already, else there is no simple solution.
        contracts, is_sharp = step < tracker.CONTRACTION * last[k], step <= tracker.SHARPEST
        size[k] = np.where(contracts | is_sharp, step, np.where(last[k] < tracker.SHARP, last[k], np.inf))
        last[k] = step
        k = k[contracts & ~is_sharp]
    return x, (size < np.inf) & (_motion_part(x) > endgame.NO_MOTION)


def _go_round(quadrics: Complex, x: Complex, r: float, most_turns: int, aim: float) -> tuple[Ints, Complex]:
    """Follow paths at x (n, 8) along |1 - s| = r until they close: the turns, 0 for those that do not; their means."""
    chart, corners = _largest(x), 1.0 - r * np.exp(2j * np.pi * np.arange(endgame.CORNERS + 1) / endgame.CORNERS)
    begin = x = _scaled(x, chart)
    turns, total, k = np.zeros(len(x), np.int64), np.zeros_like(x), np.arange(len(x))
    for turn in range(1, most_turns + 1):
        for s, s_end in pairwise(corners):
            (y, _), arrived = _track(quadrics, x[k], s, s_end, aim, 0.5)
            k, y = k[arrived], y[arrived]
            x = x.copy()
            x[k] = _scaled(y, chart[k])  # the tracker may have changed the chart; means need one scale
            total[k] += x[k]
        closed = np.abs(x[k] - begin[k]).max(axis=1, initial=0.0) < endgame.CLOSED
        turns[k[closed]] = turn
        k = k[~closed]
    return turns, total / (np.maximum(turns, 1) * endgame.CORNERS)[:, None]


def _motion_part(x: Complex) -> Array:
    """|e . e| / |x|^2: zero for dual quaternions that are no rigid motions."""
    return np.abs((x[:, :4] ** 2).sum(axis=1)) / (np.abs(x) ** 2).sum(axis=1)
