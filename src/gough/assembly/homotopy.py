"""Homotopy from the solutions of one machine to the solutions of another: all paths advance together, in NumPy.

A solution is followed while the machine changes linearly. The leg equations over complex dual quaternions x = (e, g)
(Study 1903; Husty 1996) are seven quadrics in eight homogeneous unknowns, held in a chart in which the largest of them
is one. A cubic through two points and their tangents (Hermite) predicts the next point, two Newton steps correct it;
the matrix of the second one also gives the tangent. The size of the first Newton step, the error of the predictor,
controls the step length.

Newton's method finds regular ends, Cauchy's integral the others: close to s = 1 a path to a singular end is a series in
(1 - s)^(1/w). Followed along the circle |1 - s| = r it closes after w turns, and the mean of its points there is its
value at s = 1 (Morgan, Sommese and Wampler 1991).

Arrays have a row for each path; a point of a path is its unknowns and their derivative, (2, n, 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.arrays import Array, Bools, Complex, Ints

LEGS, EQUATIONS, UNKNOWNS = 6, 7, 8
EYE = np.eye(4)
CYCLES = (1, 2, 3), (2, 3, 1), (3, 1, 2)
"""Quaternion units of which the third is the product of the first two."""

AIM = 6e-3
"""Intended size of the tracker's first Newton step, relative to the unknowns, which controls its step length."""
REGULAR, SINGULAR, NO_POSE, LOST = 0, 1, 2, 3
"""End of a path: a simple solution, a multiple one, one outside the group of motions, unknown."""
FIRST_STEP, SHORTEST_STEP, MOST_STEPS = 0.02, 1e-13, 2000
"""Step lengths relative to the path, and the number of steps after which a path is lost."""
TOO_FAR = 30.0
"""A first Newton step this many times the intended one rejects the prediction."""
LARGEST_GROWTH = 2.5
"""Largest ratio of a step length to the one before."""
NEW_CHART = 3.0
"""The chart is changed when an unknown is this large."""
CONTRACTION = 0.1
"""The second Newton step is at most this part of the first, unless both are tiny."""
TINY = 1e-9
FIRST_AT_THE_END, SHARP, SHARPEST, MOST_SHARPENING = 0.1, 1e-9, 1e-14, 7
"""At the end: scale of the first Newton step, largest last step of a converged solution, step to stop at, steps."""
DISTANCES = (1e-3, 2e-4, 4e-5, 8e-6, 1e-6, 1e-7, 1e-9, 1e-11)
"""Values of 1 - s at which the end is tried, in this order: solutions that are close separate late."""
ROUND = 1e-7
"""Value of 1 - s at which every path without a regular end is followed along the circle."""
CORNERS, FEW_TURNS, MOST_TURNS = 12, 2, 8
"""Steps of a turn; largest numbers of turns, at other distances and at ROUND."""
CLOSED = 1e-6
"""Largest difference of the ends of a closed path."""
LEAVING = 0.05
"""Dual quaternions with |e . e| below this part of |x|^2 may be leaving the group of motions; their ends are looked for
at every distance, so that they need not be followed further than necessary."""
NO_MOTION = 1e-10
"""Dual quaternions with |e . e| below this part of |x|^2 are not motions: their translation is 1e5 machine sizes."""
FAR_AWAY = 1e-5
"""The same for ends that are not regular, whose means over several branches are not zero to rounding."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Ends of homotopy paths.

    Attributes
    ----------
    ends : (n, 8) array
        Dual quaternions, up to a complex factor.
    fate : (n,) array
        REGULAR, SINGULAR (a multiple solution), NO_POSE (it left the rigid motions) or LOST, NaN.
    turns : (n,) array
        Turns after which the path closes around its end: number of branches that meet there.

    """

    ends: Complex
    fate: Ints
    turns: Ints


@np.errstate(all="ignore")  # singular systems have infinite steps
def follow_paths(legs: Complex, target: Complex, starts: Complex, aim: float = AIM) -> Paths:
    """Follow solutions `starts` (n, 8) of the machine `legs` (6, 7) while it changes linearly into `target` (6, 7).

    A row of a machine is (a, b, c): base point, platform point, c = |a|^2 + |b|^2 - l^2, all of size one. `aim` is the
    intended size of the first Newton step, relative to the unknowns.
    """
    quadrics = _coefficients(legs, target - legs)
    count = len(starts)
    ends, fate, turns = np.full((count, UNKNOWNS), np.nan + 0j), np.full(count, LOST), np.zeros(count, np.int64)
    left, x = np.arange(count), starts  # paths without an end so far, and their points
    s, h = 0.0, FIRST_STEP
    for distance in DISTANCES:
        s_next = 1.0 - distance
        (x, x_s), arrived = _track(quadrics, x, s, s_next, aim, h)
        left, x, x_s = left[arrived], x[arrived], x_s[arrived]
        # Newton's method at s = 1 from the tangent's extrapolation; x_s is per the parameter of the last part.
        found, is_regular = _regular(quadrics, x + distance / (s_next - s) * x_s)
        ends[left[is_regular]], fate[left[is_regular]], turns[left[is_regular]] = found[is_regular], REGULAR, 1
        left, x = left[~is_regular], x[~is_regular]
        s, h = s_next, 0.1
        # No regular end: Cauchy's integral, after which the path goes on from here.
        is_round = distance == ROUND
        near = is_round | (motion_part(x) <= LEAVING)
        most_turns = MOST_TURNS if is_round else FEW_TURNS
        closed, mean = _go_round(quadrics, x[near], distance, most_turns, aim)
        tried = left[near][closed > 0]
        ends[tried], fate[tried], turns[tried] = _means(quadrics, mean[closed > 0], closed[closed > 0])
        goes_on = fate[left] == LOST
        left, x = left[goes_on], x[goes_on]
    closes = (fate == LOST) & (turns > 0)
    fate[closes] = _multiple(ends[closes])
    return Paths(ends, fate, turns)


def _multiple(x: Complex) -> Ints:
    """Fates of the means x (n, 8) of paths that close, but at no regular end."""
    return np.where(motion_part(x) < FAR_AWAY, NO_POSE, SINGULAR)


def _means(quadrics: Complex, mean: Complex, turns: Ints) -> tuple[Complex, Ints, Ints]:
    """Ends, fates and turns of paths with a mean: no motions, regular ends after all, or unknown so far (LOST)."""
    found, is_regular = _regular(quadrics, mean)
    leaves = motion_part(mean) < NO_MOTION
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
    for _ in range(MOST_STEPS):
        k = k[(done[k] < 1.0) & ((h[k] >= SHORTEST_STEP) | (h[k] >= 1.0 - done[k]))]
        if not len(k):
            break
        h[k] = np.minimum(h[k], 1.0 - done[k])
        H, H_s = _quadrics_at(quadrics, s + (done[k] + h[k]) * speed, speed)
        y, _, first = _newton(H, _predicted(now[:, k], before[:, k], h_before[k], h[k]), chart[k])
        y, y_s, second = _newton(H, y, chart[k], H_s)
        is_near = first < TOO_FAR * aim  # also not NaN
        good = is_near & ((second <= CONTRACTION * first) | (second < TINY))
        a = k[good]
        before[:, a], now[0, a], now[1, a] = now[:, a], y[good], y_s[good]
        done[a], h_before[a] = done[a] + h[a], h[a]
        # The cubic's error, and with it the first Newton step, grows with the fourth power of h.
        growth = np.minimum(0.9 * np.sqrt(np.sqrt(aim / (first + 1e-16))), LARGEST_GROWTH)
        h[k] *= np.where(good, growth, np.where(is_near, 0.5, 0.3))
        a = a[np.abs(now[0, a]).max(axis=1, initial=0.0) > NEW_CHART]
        if len(a):  # both points that the next prediction uses go into the new chart
            chart[a] = _largest(now[0, a])
            now[:, a], before[:, a] = _recharted(now[:, a], chart[a]), _recharted(before[:, a], chart[a])
    return now, done >= 1.0


def _regular(quadrics: Complex, x: Complex) -> tuple[Complex, Bools]:
    """Solutions at s = 1 to which Newton's method converges from x (n, 8), and which of them are regular motions."""
    chart = _largest(x)
    x, last = _scaled(x, chart), np.full(len(x), FIRST_AT_THE_END)
    H, size, k = quadrics.sum(axis=0), np.full(len(x), np.inf), np.arange(len(x))
    for _ in range(MOST_SHARPENING):
        x[k], _, step = _newton(H, x[k], chart[k])
        # No longer contracting: by rounding if the last step was small already, else there is no simple solution.
        contracts, is_sharp = step < CONTRACTION * last[k], step <= SHARPEST
        size[k] = np.where(contracts | is_sharp, step, np.where(last[k] < SHARP, last[k], np.inf))
        last[k] = step
        k = k[contracts & ~is_sharp]
    return x, (size < np.inf) & (motion_part(x) > NO_MOTION)


def _go_round(quadrics: Complex, x: Complex, r: float, most_turns: int, aim: float) -> tuple[Ints, Complex]:
    """Follow paths at x (n, 8) along |1 - s| = r until they close: the turns, 0 for those that do not; their means."""
    chart, corners = _largest(x), 1.0 - r * np.exp(2j * np.pi * np.arange(CORNERS + 1) / CORNERS)
    begin = x = _scaled(x, chart)
    turns, total, k = np.zeros(len(x), np.int64), np.zeros_like(x), np.arange(len(x))
    for turn in range(1, most_turns + 1):
        for s, s_end in pairwise(corners):
            (y, _), arrived = _track(quadrics, x[k], s, s_end, aim, 0.5)
            k, y = k[arrived], y[arrived]
            x = x.copy()
            x[k] = _scaled(y, chart[k])  # the tracker may have changed the chart; means need one scale
            total[k] += x[k]
        closed = np.abs(x[k] - begin[k]).max(axis=1, initial=0.0) < CLOSED
        turns[k[closed]] = turn
        k = k[~closed]
    return turns, total / (np.maximum(turns, 1) * CORNERS)[:, None]


def motion_part(x: Complex) -> Array:
    """Return |e . e| / |x|^2: zero for dual quaternions that are not rigid motions."""
    return np.abs((x[:, :4] ** 2).sum(axis=1)) / (np.abs(x) ** 2).sum(axis=1)
