"""Compiled path tracker: solutions of the leg quadrics followed while the machine changes linearly.

The eight homogeneous unknowns are held in a chart, in which the largest of them is one. A cubic through two points and
their tangents (Hermite) predicts the next point, two Newton steps correct it; the matrix of the second one also gives
the tangent. The size of the first Newton step, the predictor's error, controls the step length.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, noinline
from gough._linear_algebra import eliminate, magnitude
from gough.arrays import Array
from gough.assembly._study import (
    EQUATIONS,
    J0,
    NUMBERS,
    RIGHT,
    STRIDE,
    TANGENT,
    UNKNOWNS,
    Complex,
    at,
    write_coefficients,
    write_gradients,
    write_rates,
)

SHORTEST_STEP, MOST_STEPS = 1e-13, 2000
"""Relative to the path; number of steps after which it is lost."""
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


class Point(NamedTuple):
    """A point of a path: unknowns (8,) and their derivative (8,)."""

    x: Complex
    x_s: Complex


class Work(NamedTuple):
    """The machine on its path (see `_study`), and scratch: a linear system (7, 9), three solutions."""

    w: Array
    M: Complex
    mean: Complex
    here: Complex
    begin: Complex


@inline
def new_point() -> Point:
    return Point(np.zeros(UNKNOWNS, np.complex128), np.zeros(UNKNOWNS, np.complex128))


@inline
def new_work() -> Work:
    return Work(
        np.zeros(NUMBERS),
        np.zeros((EQUATIONS, EQUATIONS + 2), np.complex128),
        np.zeros(UNKNOWNS, np.complex128),
        np.zeros(UNKNOWNS, np.complex128),
        np.zeros(UNKNOWNS, np.complex128),
    )


@noinline
def newton(work: Work, s: complex, x: Complex, chart: int, speed: complex, columns: int, x_s: Complex) -> float:
    """One Newton step on x in its chart; returns its size, infinite where the matrix is singular.

    With two columns also the tangent at s, into x_s, per a parameter of which `speed` is ds over d(parameter).
    """
    w, M = work.w, work.M
    write_gradients(w, x)
    if columns > 1:
        write_rates(w, s, x, speed)
    # Seven unknowns: that of the chart is constant, and the last one takes its column.
    for i in range(np.uint64(EQUATIONS)):
        for j in range(np.uint64(EQUATIONS)):
            M[i, j] = at(w, J0 + STRIDE * j, i)
        if chart < EQUATIONS:
            M[i, chart] = at(w, J0 + STRIDE * np.uint64(EQUATIONS), i)
        M[i, EQUATIONS] = at(w, RIGHT, i)
        if columns > 1:
            M[i, EQUATIONS + 1] = at(w, TANGENT, i)
    if not magnitude(eliminate(M, EQUATIONS, columns)) > 0.0:
        return np.inf
    step = 0.0
    for j in range(UNKNOWNS):
        if j == chart:
            continue
        row = chart if j == EQUATIONS else j
        x[j] += M[row, EQUATIONS]
        length = magnitude(M[row, EQUATIONS])
        step = length if length > step else step
        if columns > 1:
            x_s[j] = M[row, EQUATIONS + 1]
    if columns > 1:
        x_s[chart] = 0j
    return step


@inline
def rechart(x: Complex, x_s: Complex, chart: int) -> None:
    """Scale a point of a path and its derivative so that x[chart] is one along the path."""
    factor = 1.0 / x[chart]
    for j in range(UNKNOWNS):
        if j != chart:
            x_s[j] = factor * (x_s[j] - x[j] * factor * x_s[chart])  # quotient rule
            x[j] *= factor
    x[chart], x_s[chart] = 1.0 + 0j, 0j


@inline
def scale(x: Complex, chart: int) -> None:
    """Scale x so that x[chart] is one."""
    factor = 1.0 / x[chart]
    for j in range(UNKNOWNS):
        x[j] *= factor
    x[chart] = 1.0 + 0j


@inline
def copy_unknowns(x: Complex, y: Complex) -> None:
    """Copy the unknowns x to y."""
    for j in range(UNKNOWNS):
        y[j] = x[j]


@inline
def copy(a: Point, b: Point) -> None:
    """Copy the point a to b."""
    for j in range(UNKNOWNS):
        b.x[j], b.x_s[j] = a.x[j], a.x_s[j]


@inline
def largest_of(x: Complex) -> int:
    best = 0
    for j in range(1, UNKNOWNS):
        if magnitude(x[j]) > magnitude(x[best]):
            best = j
    return best


@inline
def predict(now: Point, before: Point, h_before: float, h: float, y: Complex) -> None:
    """Extrapolate by h from `now`, by the cubic through it and the point h_before behind (0: there is none), into y."""
    if h_before == 0.0:
        for j in range(UNKNOWNS):
            y[j] = now.x[j] + h * now.x_s[j]
        return
    u = h / h_before
    for j in range(UNKNOWNS):
        gap = now.x[j] - before.x[j]
        second = 2.0 * h_before * now.x_s[j] + h_before * before.x_s[j] - 3.0 * gap
        third = h_before * (now.x_s[j] + before.x_s[j]) - 2.0 * gap
        y[j] = now.x[j] + u * (h_before * now.x_s[j] + u * (second + u * third))


@noinline
def settle(x: Complex, work: Work, spare: Complex) -> float:
    """Converge x at the end of the path by Newton's method; returns the last step's size, infinite if it diverges."""
    chart = largest_of(x)
    scale(x, chart)
    write_coefficients(work.w, 1.0 + 0j)
    last = FIRST_AT_THE_END
    for _ in range(MOST_SHARPENING):
        step = newton(work, 1.0 + 0j, x, chart, 0j, 1, spare)
        if step <= SHARPEST:
            return step
        # No longer contracting: by rounding if the last step was small already, else there is no simple solution.
        if not step < CONTRACTION * last:
            return last if last < SHARP else np.inf
        last = step
    return last


@noinline
def track(
    s: complex,
    s_end: complex,
    aim: float,
    h: float,
    now: Point,
    before: Point,
    y: Point,
    work: Work,
) -> tuple[bool, int]:
    """Follow the solution now.x from s on a straight line to s_end; returns whether it arrived, and the steps.

    `aim` is the intended size of the first Newton step, which the step length is chosen for, `h` the first step
    relative to the line. now.x is the last point reached.
    """
    speed = s_end - s
    chart = largest_of(now.x)
    scale(now.x, chart)
    write_coefficients(work.w, s)
    newton(work, s, now.x, chart, speed, 2, now.x_s)
    done, h_before = 0.0, 0.0
    for step in range(MOST_STEPS):
        h = h if h < 1.0 - done else 1.0 - done
        if h < SHORTEST_STEP and h < 1.0 - done:
            return False, step
        predict(now, before, h_before, h, y.x)
        there = s + (done + h) * speed
        write_coefficients(work.w, there)
        first = newton(work, there, y.x, chart, speed, 1, y.x_s)
        if not first < TOO_FAR * aim:  # also NaN and singular matrices
            h *= 0.3
            continue
        second = newton(work, there, y.x, chart, speed, 2, y.x_s)
        if not (second <= CONTRACTION * first or second < TINY):
            h *= 0.5
            continue
        # Accepted. The second Newton step came with the tangent at the new point.
        copy(now, before)
        copy(y, now)
        done, h_before = done + h, h
        if done >= 1.0:
            return True, step
        # The cubic's error, and with it the first Newton step, grows with the fourth power of h.
        growth = 0.9 * sqrt(sqrt(aim / (first + 1e-16)))
        h *= growth if growth < LARGEST_GROWTH else LARGEST_GROWTH
        largest = largest_of(now.x)
        if magnitude(now.x[largest]) > NEW_CHART:
            # Both points that the next prediction uses go into the new chart.
            chart = largest
            rechart(now.x, now.x_s, chart)
            rechart(before.x, before.x_s, chart)
    return False, MOST_STEPS
