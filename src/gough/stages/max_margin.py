"""The posture whose smallest relative margin is largest.

That margin is the least of many functions, one of them a smallest singular value, so it has kinks and local maxima.
Good postures that differ climb first, all at once, by random steps that shrink; the best of them are then led on
by linear programs in a trust region, with the slopes of all margins at several points of it, so that no kink hides
(gradient sampling, after Burke, Lewis and Overton 2005).
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.stages.search import Posture, Search, no_posture

STARTS, APART = 16, 0.1
"""Postures that climb, and how far apart they begin, part of the size."""
CLIMBS, TRIES, SHRINK = 60, 48, 0.8
"""Rounds of climbing, steps tried in each, and what a round without gain makes of their length."""
LED_ON, LED_APART = 4, 0.02
"""Of them, and how far apart."""
SLOPES = 6
"""Points of a trust region at which slopes are taken."""
ROUNDS, FINEST = 100, 1e-7
"""Linear programs at most, and the radius at which they end, part of the size."""


def max_margin(search: Search) -> Posture:
    """The posture with the largest smallest margin, which may be negative; none for a pose that is NaN."""
    if not search.is_known:
        return no_posture()
    x, _ = search.candidates()
    climbed, _ = _climb(search, search.apart(x, STARTS, APART))
    ends = [_lead(search, start) for start in search.apart(climbed, LED_ON, LED_APART)]
    return search.posture(max(ends, key=lambda end: end[1])[0])


def _climb(search: Search, x: Array) -> tuple[Array, Array]:
    """Points (n, 6) after climbing, and their values, the best first."""
    value, spread, row = search.smallest(x), np.full(len(x), APART), np.arange(len(x))
    for _ in range(CLIMBS):
        steps = search.rng.normal(size=(len(x), TRIES, 6)) / np.sqrt(6)
        tried = x[:, None] + search.size * spread[:, None, None] * steps
        found = search.smallest(tried.reshape(-1, 6)).reshape(len(x), TRIES)
        best = found.argmax(axis=1)
        gains = found[row, best] > value
        x = np.where(gains[:, None], tried[row, best], x)
        value = np.where(gains, found[row, best], value)
        spread = np.where(gains, spread, SHRINK * spread)
    order = np.argsort(-value)
    return x[order], value[order]


def _lead(search: Search, x: Array) -> tuple[Array, float]:
    """A local maximum from x on, and its value."""
    value, trust = float(search.smallest(x[None])[0]), LED_APART * search.size
    for _ in range(ROUNDS):
        if trust < FINEST * search.size:
            break
        step, promised = _program(search, x, value, trust)
        tried = x + step
        reached = float(search.smallest(tried[None])[0])
        if reached > value:
            trust *= 2.0 if reached - value > 0.5 * promised else 0.7
            x, value = tried, reached
        else:
            trust *= 0.3
    return x, value


def _program(search: Search, x: Array, value: float, trust: float) -> tuple[Array, float]:
    """Step (6,) within the trust region that raises the least of all linearised margins most, and by how much."""
    from scipy.optimize import linprog

    about = np.concatenate([np.zeros((1, 6)), trust * search.rng.uniform(-1, 1, (SLOPES, 6))])
    slopes = search.slopes(search.relative, x + about)
    at_x = search.relative(x + about) - np.einsum("nki,ni->nk", slopes, about)
    reach = trust * np.abs(slopes).sum(axis=2)
    counts = at_x - reach < (at_x + reach).min()  # others stay above it throughout
    A = np.column_stack([-trust * slopes[counts], np.ones(counts.sum())])
    bounds = [(-1.0, 1.0)] * 6 + [(None, None)]
    found = linprog(-np.eye(7)[6], A, at_x[counts] - value, bounds=bounds)
    return (np.zeros(6), 0.0) if found.x is None else (trust * found.x[:6], float(found.x[6]))
