"""The posture with the largest smallest relative margin.

The smallest margin is the minimum of many functions, one of them a smallest singular value, so it is nonsmooth and has
local maxima. A random search with shrinking steps improves several distinct postures at once. Linear programs in a
trust region then improve the best of them, with gradients of all margins at several points of the region (gradient
sampling, after Burke, Lewis and Overton 2005), so that kinks near the current point are taken into account.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.stages.search import Posture, Search, no_posture

STARTS, APART = 16, 0.1
"""Postures of the random search, and their smallest mutual distance, as a part of the size."""
CLIMBS, TRIES, SHRINK = 60, 48, 0.8
"""Rounds of the random search, trial steps per round, and factor of their length after a round without gain."""
REFINED, REFINED_APART = 4, 0.02
"""Postures refined by linear programs, and their smallest mutual distance."""
GRADIENT_SAMPLES = 6
"""Random points of a trust region at which gradients are taken, besides its centre."""
ROUNDS, FINEST = 100, 1e-7
"""Most linear programs, and smallest radius of the trust region, as a part of the size."""


def max_margin(search: Search) -> Posture:
    """The posture with the largest smallest margin, which may be negative; NaN for a NaN pose."""
    if not search.is_known:
        return no_posture()
    x, _ = search.candidates()
    climbed, _ = _climb(search, search.apart(x, STARTS, APART))
    ends = [_refine(search, start) for start in search.apart(climbed, REFINED, REFINED_APART)]
    return search.posture(max(ends, key=lambda end: end[1])[0])


def _climb(search: Search, x: Array) -> tuple[Array, Array]:
    """Points (n, 6) after the random search and their values, the best first."""
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


def _refine(search: Search, x: Array) -> tuple[Array, float]:
    """A local maximum near x, and its value."""
    value, trust = float(search.smallest(x[None])[0]), REFINED_APART * search.size
    for _ in range(ROUNDS):
        if trust < FINEST * search.size:
            break
        step, promised = _program(search, x, value, trust)
        tried = x + step
        reached = float(search.smallest(tried[None])[0])
        # A step that gains half of the predicted increase shows a good linear model: a larger region.
        if reached > value:
            trust *= 2.0 if reached - value > 0.5 * promised else 0.7
            x, value = tried, reached
        else:
            trust *= 0.3
    return x, value


def _program(search: Search, x: Array, value: float, trust: float) -> tuple[Array, float]:
    """Step (6,) within the trust region that maximises the minimum of all linearised margins, and its increase."""
    from scipy.optimize import linprog

    offsets = np.concatenate([np.zeros((1, 6)), trust * search.rng.uniform(-1, 1, (GRADIENT_SAMPLES, 6))])
    gradients = search.gradients(search.relative, x + offsets)
    at_x = search.relative(x + offsets) - np.einsum("nki,ni->nk", gradients, offsets)
    variation = trust * np.abs(gradients).sum(axis=2)
    counts = at_x - variation < (at_x + variation).min()  # the others exceed the minimum in the whole region
    # Variables (step / trust, gain t): maximise t with value + t <= at_x + gradient . step for all linear models.
    A = np.column_stack([-trust * gradients[counts], np.ones(counts.sum())])
    bounds = [(-1.0, 1.0)] * 6 + [(None, None)]
    found = linprog(-np.eye(7)[6], A, at_x[counts] - value, bounds=bounds)
    return (np.zeros(6), 0.0) if found.x is None else (trust * found.x[:6], float(found.x[6]))
