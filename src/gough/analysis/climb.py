"""Maxima of quantities that compiled searches give for many points at once: direct search, many climbs side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Heights: TypeAlias = Callable[[Array, Ints], Array]
"""From points (n, d), and the climb (n,) that each belongs to, to heights (n,); -inf where there is none."""

ROUNDS = 90
"""Most rounds of one search."""
AROUND = 8
"""Points tried in each round of a climb in the plane, besides those farther along its last move."""
FURTHER = np.array([1.0, 2.0, 4.0])
GROWTH, SHRINKAGE = 2.0, 0.4


def climb(
    heights: Heights, starts: Array, step: Array, finest: float, star: Callable[[int], Array] | None = None
) -> tuple[Array, Array]:
    """Where climbs from `starts` (n, d) end, and how high (n,).

    Each round looks in all directions at the step's distance, which grows after a gain and shrinks after none, and on
    along the last gain, so that climbs follow ridges (pattern search, Hooke and Jeeves 1961). They end when their steps
    (n,) are finer than `finest` of the first. `star` gives the unit directions (m, d) of each round; for d = 1 or 2 it
    has a default.
    """
    look = partial(_star, starts.shape[1]) if star is None else star
    points, values = starts.copy(), heights(starts, np.arange(len(starts)))
    steps, least, largest = step.copy(), finest * step, step.copy()
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
        way = tried[rows, best] - points[active]
        length = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), np.finfo(float).tiny)
        moved[active] = np.where(gains[:, None], way / length, 0.5 * moved[active])
        points[active] = np.where(gains[:, None], tried[rows, best], points[active])
        values[active] = np.where(gains, found[rows, best], values[active])
        steps[active] = np.where(gains, np.minimum(GROWTH * steps[active], largest[active]), SHRINKAGE * steps[active])
    return points, values


def _star(dimension: int, k: int) -> Array:
    """Unit directions of round k (n, d), turned from round to round."""
    if dimension == 1:
        return np.array([[-1.0], [-0.5], [0.5], [1.0]])
    angle = 2 * np.pi * (np.arange(AROUND) / AROUND + k * 0.6180339887498949)
    return np.column_stack([np.cos(angle), np.sin(angle)])
