"""Direct search for maxima: many climbs at once, on heights that compiled functions evaluate in batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Ints

Heights: TypeAlias = Callable[[Array, Ints], Array]
"""From points (n, d), and the climb (n,) that each belongs to, to heights (n,); -inf where there is none."""

ROUNDS = 90
"""Most rounds of one search."""
AROUND = 8
"""Points tried in each round of a climb in the plane, besides those farther along its last move."""
FURTHER = np.array([1.0, 2.0, 4.0])
GROWTH, SHRINKAGE = 2.0, 0.4
SPARE = 1e-12
"""Relative margin that quadratic programming keeps: its ends break limits by rounding, and on a curved edge no way back
to the start is allowed."""
Margins: TypeAlias = Callable[[Array], Array]
"""From points (n, d) to relative margins (n, k), no less than zero where the points are allowed."""


def climb(
    heights: Heights,
    starts: Array,
    step: Array,
    finest: float | Array,
    poll: Callable[[int], Array] | None = None,
    growth: float | Array = 1.0,
) -> tuple[Array, Array]:
    """Points (n, d) where climbs from `starts` (n, d) end, and their heights (n,).

    Pattern search (Hooke and Jeeves 1961): each round tries all directions at the step's distance, and points farther
    along the last gain, so that climbs follow ridges. The step grows after a gain, to `growth` times its first, and
    shrinks after none; a climb ends when its step (n,) is below `finest` times its first. `poll` gives the unit
    directions (m, d) of each round; for d = 1 or 2 it has a default.
    """
    look = partial(_poll_directions, starts.shape[1]) if poll is None else poll
    points, values = starts.copy(), heights(starts, np.arange(len(starts)))
    steps, least, largest = step.copy(), finest * step, growth * step
    moved = np.zeros_like(points)
    for k in range(ROUNDS):
        active = np.flatnonzero((steps > least) & np.isfinite(values))
        if not len(active):
            break
        directions = look(k)
        around = np.broadcast_to(directions, (len(active), *directions.shape))
        on = moved[active, None] * FURTHER[:, None]
        tried = points[active, None] + steps[active, None, None] * np.concatenate([around, on], axis=1)
        found = heights(tried.reshape(-1, points.shape[1]), np.repeat(active, tried.shape[1]))
        found = found.reshape(len(active), -1)
        best = found.argmax(axis=1)
        rows = np.arange(len(active))
        gains = found[rows, best] > values[active]
        gain = tried[rows, best] - points[active]
        length = np.maximum(np.linalg.norm(gain, axis=1, keepdims=True), np.finfo(float).tiny)
        moved[active] = np.where(gains[:, None], gain / length, 0.5 * moved[active])
        points[active] = np.where(gains[:, None], tried[rows, best], points[active])
        values[active] = np.where(gains, found[rows, best], values[active])
        steps[active] = np.where(gains, np.minimum(GROWTH * steps[active], largest[active]), SHRINKAGE * steps[active])
    return points, values


def _poll_directions(dimension: int, k: int) -> Array:
    """Unit directions of round k (n, d), turned from round to round."""
    if dimension == 1:
        return np.array([[-1.0], [-0.5], [0.5], [1.0]])
    angle = 2 * np.pi * (np.arange(AROUND) / AROUND + k * 0.6180339887498949)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def along_limits(margins: Margins, start: Array, e: Array, box: tuple[Array, Array], trust: float, h: float) -> Array:
    """Point (d,) farthest along e, within `trust` and a box, that quadratic programming with the margins as constraints
    finds from a start; `h` is the step of their differences. It may be beyond a limit by rounding, or more."""
    from scipy.optimize import minimize

    d = len(start)
    steps = h * np.concatenate([np.eye(d), -np.eye(d)])

    def slopes(z: Array) -> Array:
        both = margins(start + trust * z + steps)
        return np.asarray((both[:d] - both[d:]).T * (trust / (2 * h)))

    low, high = np.maximum((box[0] - start) / trust, -1.0), np.minimum((box[1] - start) / trust, 1.0)
    found = minimize(
        lambda z: -float(e @ z),
        np.zeros(d),
        jac=lambda z: -e,
        bounds=np.column_stack([np.minimum(low, 0.0), np.maximum(high, 0.0)]),
        constraints={"type": "ineq", "fun": lambda z: margins((start + trust * z)[None])[0] - SPARE, "jac": slopes},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 60},
    )
    return np.asarray(start + trust * found.x)


def drawn_back(margins: Margins, start: Array, end: Array, box: tuple[Array, Array], e: Array) -> Array | None:
    """The allowed point farthest along e among some on the segment from an end to an allowed start; None where none
    is."""
    back = np.append(np.linspace(1.0, 0.5, 9), 1.0 - np.logspace(-12, -2, 21))
    tried = start + (end - start) * back[:, None]
    inside = (margins(tried).min(axis=1) >= 0) & ((tried >= box[0]) & (tried <= box[1])).all(axis=1)
    return tried[int(np.argmax(np.where(inside, tried @ e, -np.inf)))] if inside.any() else None
