"""Compiled endgame of homotopy paths: Newton's method for regular ends, Cauchy's integral for others.

Close to s = 1 a path to a singular end is a series in (1 - s)^(1/w). Followed along the circle |1 - s| = r it closes
after w turns, and the mean of its points there is its value at s = 1 (Morgan, Sommese and Wampler 1991).
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from gough._compile import kernel, noinline
from gough._linear_algebra import magnitude
from gough.assembly._study import UNKNOWNS, Complex, prepare
from gough.assembly._tracker import (
    Point,
    Work,
    copy_unknowns,
    largest_of,
    new_point,
    new_work,
    scale,
    settle,
    track,
)

REGULAR, SINGULAR, NO_POSE, LOST = 0, 1, 2, 3
"""End of a path: a simple solution, a multiple one, one outside the group of motions, unknown."""
FIRST_STEP = 0.02
"""Relative to the path."""
DISTANCES = (1e-3, 2e-4, 4e-5, 8e-6, 1e-6, 1e-7, 1e-9, 1e-11)
"""Values of 1 - s at which the end is tried, in this order: solutions that are close separate late."""
ROUND = 1e-7
"""Value of 1 - s at which every path without a regular end is followed along the circle."""
CORNERS, FEW_TURNS, MOST_TURNS = 12, 2, 8
"""Steps of a turn; largest numbers of turns, at other distances and at ROUND."""
CLOSED = 1e-6
"""Largest difference of a closed path's ends."""
LEAVING = 0.05
"""Dual quaternions with |e . e| below this part of |x|^2 may be leaving the group of motions; their ends are looked for
at every distance, so that they need not be followed further than necessary."""
NO_MOTION = 1e-10
"""Dual quaternions with |e . e| below this part of |x|^2 are no motions: their translation is 1e5 machine sizes."""
FAR_AWAY = 1e-5
"""The same for ends that are not regular, whose means over several branches are not zero to rounding."""


@noinline
def motion_part(x: Complex) -> float:
    """|e . e| / |x|^2: zero for dual quaternions that are no rigid motions."""
    square = 0j
    total = 0.0
    for j in range(4):
        square += x[j] * x[j]
    for j in range(UNKNOWNS):
        total += x[j].real * x[j].real + x[j].imag * x[j].imag
    return abs(square) / total


@noinline
def go_round(
    r: float, most_turns: int, aim: float, now: Point, before: Point, y: Point, work: Work, mean: Complex
) -> int:
    """Follow the path at now.x along |1 - s| = r until it closes; its mean into `mean`. Returns the turns, or 0."""
    chart = largest_of(now.x)
    scale(now.x, chart)
    start = work.begin
    copy_unknowns(now.x, start)
    for j in range(UNKNOWNS):
        mean[j] = 0j
    for turn in range(1, most_turns + 1):
        for corner in range(CORNERS):
            a, b = 2.0 * pi * corner / CORNERS, 2.0 * pi * (corner + 1) / CORNERS
            s, s_end = 1.0 - r * complex(cos(a), sin(a)), 1.0 - r * complex(cos(b), sin(b))
            arrived, _ = track(s, s_end, aim, 0.5, now, before, y, work)
            if not arrived:
                return 0
            scale(now.x, chart)  # the tracker may have changed the chart; means need one scale
            for j in range(UNKNOWNS):
                mean[j] += now.x[j]
        # Closed if the path is back at its first point of the circle.
        off = 0.0
        for j in range(UNKNOWNS):
            length = magnitude(now.x[j] - start[j])
            off = length if length > off else off
        if off < CLOSED:
            for j in range(UNKNOWNS):
                mean[j] /= turn * CORNERS
            return turn
    return 0


@noinline
def end_of(aim: float, now: Point, before: Point, y: Point, work: Work, end: Complex) -> tuple[int, int]:
    """Follow the path from its start now.x to its end, into `end`; returns its fate and the turns of the endgame."""
    s, h, turns = 0j, FIRST_STEP, 0
    mean, here = work.mean, work.here
    for distance in DISTANCES:
        s_next = complex(1.0 - distance, 0.0)
        arrived, _ = track(s, s_next, aim, h, now, before, y, work)
        if not arrived:
            break
        # Newton's method at s = 1 from the tangent's extrapolation; now.x_s is per the parameter of the last part.
        ahead = distance / (s_next.real - s.real)
        s, h = s_next, 0.1
        for j in range(UNKNOWNS):
            mean[j] = now.x[j] + ahead * now.x_s[j]
        if settle(mean, work, y.x_s) < np.inf and motion_part(mean) > NO_MOTION:
            copy_unknowns(mean, end)
            return REGULAR, 1
        if motion_part(now.x) > LEAVING and distance != ROUND:
            continue
        # No regular end: Cauchy's integral, after which the path goes on from here.
        copy_unknowns(now.x, here)
        most_turns = MOST_TURNS if distance == ROUND else FEW_TURNS
        more = go_round(distance, most_turns, aim, now, before, y, work, mean)
        copy_unknowns(here, now.x)
        if more > 0:
            # The mean is a multiple end, an end outside the motions, or close to a regular one after all.
            turns = more
            copy_unknowns(mean, end)
            if motion_part(mean) < NO_MOTION:
                return NO_POSE, turns
            if settle(mean, work, y.x_s) < np.inf and motion_part(mean) > NO_MOTION:
                copy_unknowns(mean, end)
                return REGULAR, 1
    if turns > 0 and motion_part(end) < FAR_AWAY:
        return NO_POSE, turns
    return (SINGULAR if turns > 0 else LOST), turns


@kernel
def follow_paths(
    legs: Complex,
    path: Complex,
    starts: Complex,
    aim: float,
    ends: Complex,
    fate: NDArray[np.int64],
    turns: NDArray[np.int64],
) -> None:
    """Follow solutions `starts` (n, 8) of `legs` (6, 7) along the change `path` (6, 7) to their `ends` (n, 8)."""
    now, before, y, work = new_point(), new_point(), new_point(), new_work()
    prepare(legs, path, work.w)
    for k in range(starts.shape[0]):
        copy_unknowns(starts[k], now.x)
        fate[k], turns[k] = end_of(aim, now, before, y, work, ends[k])
