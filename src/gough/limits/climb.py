"""Local searches: pattern search for maxima of many starts at once, quadratic programming along limits, bisection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Bools, Ints

Heights: TypeAlias = Callable[[Array, Ints], Array]
"""Objective to maximise: from points (n, d), and the number (n,) of the start each belongs to, to heights (n,); -inf
where it does not exist."""

ROUNDS = 90
"""Most rounds of one pattern search."""
AROUND = 8
"""Points tried in each round in the plane, besides those farther along the last move."""
FURTHER = np.array([1.0, 2.0, 4.0])
"""Steps at which points along the last move are tried."""
GROWTH, SHRINKAGE = 2.0, 0.4
"""Factors of the step after a gain and after none."""
SPARE = 1e-12
"""Relative margin that `along_limits` keeps: else its ends violate limits by rounding, and on a curved edge no point of
the segment back to the start need be allowed."""
Margins: TypeAlias = Callable[[Array], Array]
"""From points (n, d) to relative margins (n, k), not negative where the points are allowed."""
Model: TypeAlias = Callable[[Array], tuple[Array, Array]]
"""From points (n, d) to an objective (n,) of size one and relative margins (n, k), NaN where a leg cannot close."""
Expansion: TypeAlias = tuple[float, Array, Array, Array]
"""An objective, its gradient (d,), relative margins (k,) and their gradients (k, d), at one point."""
UNDEFINED = 1e60
"""In place of an objective that does not exist at a pose: larger than any, and its differences' squares are finite."""


def climb(
    heights: Heights,
    starts: Array,
    step: Array,
    finest: float | Array,
    poll: Callable[[int], Array] | None = None,
    growth: float | Array = 1.0,
) -> tuple[Array, Array]:
    """Return local maxima (n, d) near `starts` (n, d), and their heights (n,).

    Pattern search (Hooke and Jeeves 1961): each round tries all directions at the step's distance, and points farther
    along the last gain, so that searches follow ridges. The step grows after a gain, to at most `growth` times the
    first, and shrinks after none; a search ends when its step (n,) is below `finest` times the first. `poll` gives the
    unit directions (m, d) of each round; for d = 1 or 2 it has a default.
    """
    poll = partial(_poll_directions, starts.shape[1]) if poll is None else poll
    points, values = starts.copy(), heights(starts, np.arange(len(starts)))
    steps, least, largest = step.copy(), finest * step, growth * step
    moved = np.zeros_like(points)
    for k in range(ROUNDS):
        active = np.flatnonzero((steps > least) & np.isfinite(values))
        if not len(active):
            break
        directions = poll(k)
        around = np.broadcast_to(directions, (len(active), *directions.shape))
        on = moved[active, None] * FURTHER[:, None]
        tried = points[active, None] + steps[active, None, None] * np.concatenate([around, on], axis=1)
        found = heights(tried.reshape(-1, points.shape[1]), np.repeat(active, tried.shape[1]))
        found = found.reshape(len(active), -1)
        # Move to the best point tried where it is higher, otherwise shorten the step.
        best = found.argmax(axis=1)
        rows = np.arange(len(active))
        gains = found[rows, best] > values[active]
        gain = tried[rows, best] - points[active]
        length = np.maximum(np.linalg.norm(gain, axis=1, keepdims=True), np.finfo(float).tiny)
        # After a round without gain the last direction is tried at half the length, rather than forgotten.
        moved[active] = np.where(gains[:, None], gain / length, 0.5 * moved[active])
        points[active] = np.where(gains[:, None], tried[rows, best], points[active])
        values[active] = np.where(gains, found[rows, best], values[active])
        steps[active] = np.where(gains, np.minimum(GROWTH * steps[active], largest[active]), SHRINKAGE * steps[active])
    return points, values


def _poll_directions(dimension: int, k: int) -> Array:
    """Directions of round k (n, d): whole and half steps on a line; in the plane unit vectors, rotated from round to
    round by the golden ratio of a turn."""
    if dimension == 1:
        return np.array([[-1.0], [-0.5], [0.5], [1.0]])
    angle = 2 * np.pi * (np.arange(AROUND) / AROUND + k * 0.6180339887498949)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def quadratic_step(
    model: Model, start: Array, trust: float, h: float, bounds: Array | None = None, ftol: float = 1e-13, most: int = 60
) -> Array:
    """Compute the point (d,) near an allowed start with the smallest objective, by quadratic programming.

    Sequential quadratic programming (Kraft 1988) within `trust` of the start along each coordinate and between bounds
    (d, 2), with the margins as constraints. The point may violate them by rounding, or more.
    """
    from scipy.optimize import minimize

    d, known = len(start), dict[bytes, Expansion]()
    steps = h * np.concatenate([np.zeros((1, d)), np.eye(d), -np.eye(d)])

    def at(z: Array) -> Expansion:
        # SciPy asks for values and gradients in separate calls at the same point: the last expansion is kept.
        key = z.tobytes()
        if key not in known:
            known.clear()
            known[key] = _expansion(*model(start + trust * z + steps), trust / h)
        return known[key]

    # The start may be out of bounds by rounding, but z = 0 must be within them.
    low, high = (-np.ones(d), np.ones(d)) if bounds is None else np.clip((bounds.T - start) / trust, -1.0, 1.0)
    found = minimize(
        lambda z: at(z)[:2],
        np.zeros(d),
        jac=True,
        bounds=np.column_stack([np.minimum(low, 0.0), np.maximum(high, 0.0)]),
        constraints={"type": "ineq", "fun": lambda z: at(z)[2] - SPARE, "jac": lambda z: at(z)[3]},
        method="SLSQP",
        options={"ftol": ftol, "maxiter": most},
    )
    return np.asarray(start + trust * found.x)


def _expansion(objective: Array, margins: Array, scale: float) -> Expansion:
    """The values at a point and gradients times a scale over the step, from values (1 + 2 d,) and (1 + 2 d, k) there, a
    step ahead along each coordinate and a step behind: one-sided differences where a leg cannot close on one side, and
    unknown margins as far below zero as they may be."""
    values = np.column_stack([np.nan_to_num(objective, nan=UNDEFINED, posinf=UNDEFINED), margins])
    here, (ahead, behind) = values[0], values[1:].reshape(2, -1, values.shape[1])
    sides = np.maximum(2.0 - np.isnan(ahead) - np.isnan(behind), 1.0)
    rise = np.where(np.isnan(ahead), here, ahead) - np.where(np.isnan(behind), here, behind)
    slopes = np.nan_to_num(rise / sides * scale).T
    # Copies: SciPy overwrites gradients.
    return float(here[0]), slopes[0].copy(), np.nan_to_num(here[1:], nan=-1.0), slopes[1:].copy()


def along_limits(margins: Margins, start: Array, e: Array, box: tuple[Array, Array], trust: float, h: float) -> Array:
    """Compute the point (d,) farthest along e within `trust` of a start and a box, with the margins as constraints; `h`
    is the step of their differences."""

    def model(points: Array) -> tuple[Array, Array]:
        return (start - points) @ e / trust, margins(points)

    return quadratic_step(model, start, trust, h, np.column_stack(box))


def drawn_back(margins: Margins, start: Array, end: Array, box: tuple[Array, Array], e: Array) -> Array | None:
    """Return the allowed point farthest along e, of some on the segment from `end` back to an allowed start; None where
    none is allowed."""
    # Most of them lie close to the end: it may be beyond a limit by rounding only.
    back = np.append(np.linspace(1.0, 0.5, 9), 1.0 - np.logspace(-12, -2, 21))
    tried = start + (end - start) * back[:, None]
    inside = (margins(tried).min(axis=1) >= 0) & ((tried >= box[0]) & (tried <= box[1])).all(axis=1)
    return tried[int(np.argmax(np.where(inside, tried @ e, -np.inf)))] if inside.any() else None


def bisected(is_inside: Callable[[Array], Bools], low: Array, high: Array, halvings: int) -> tuple[Array, Array]:
    """Return brackets of where a predicate changes, from `low`, where it holds, to `high` (...), halved so many
    times."""
    for _ in range(halvings):
        middle = (low + high) / 2
        inside = is_inside(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low, high


def last_inside(is_inside: Callable[[Array], Bools | bool], inside: Array, x: Array) -> Array:
    """Return the last allowed point from an allowed one towards x, to rounding: x itself if allowed. A search for zero
    margins may end just beyond a limit."""
    if is_inside(x):
        return x
    step = x - inside
    part, _ = bisected(lambda s: np.asarray(is_inside(inside + s * step)), np.zeros(()), np.ones(()), 60)
    return np.asarray(inside + part * step)
