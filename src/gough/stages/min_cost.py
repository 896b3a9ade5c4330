"""The allowed posture with the lowest cost, such as a norm of forces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array
from gough.limits.climb import last_inside
from gough.stages.max_margin import max_margin
from gough.stages.search import Posture, Search, no_posture

Cost = Callable[[Array], Array]
"""Cost (n,), above zero, of postures (n, 2, 4, 4)."""

STARTS, APART = 4, 0.1
"""Initial allowed postures, those of lowest cost with this mutual distance, as a part of the size."""
ROUNDS, FINEST = 40, 1e-8
"""Most steps from one start; smallest trust radius, as a part of the size, and smallest gain, as a part of the cost."""


def min_cost(search: Search, cost: Cost) -> Posture:
    """The allowed posture with the lowest cost, by sequential quadratic programming from several starts.

    NaN where none is allowed, with the largest smallest margin that was found.
    """
    if not search.is_known:
        return no_posture()
    x, margin = search.candidates()
    allowed = x[margin >= 0]
    if not len(allowed):
        # No sample is allowed: the posture of largest margin is, or none is known.
        best = max_margin(search)
        if not best.margin >= 0:
            return no_posture(best.margin)
        allowed = search.coordinates(best.X[0])[None]

    def value(points: Array) -> Array:
        return np.nan_to_num(cost(search.postures(points)), nan=np.inf)

    starts = search.apart(allowed[np.argsort(value(allowed))], STARTS, APART)
    ends = [_lowered(search, start, value) for start in starts]
    end, lowest = min(ends, key=lambda found: found[1])
    return search.posture(end, lowest)


def _lowered(search: Search, x: Array, value: Cost) -> tuple[Array, float]:
    """A local minimum near the allowed x: steps in a trust region that shrinks when they no longer gain."""
    trust, best = 0.1 * search.size, float(value(x[None])[0])
    for _ in range(ROUNDS):
        if trust < FINEST * search.size:
            break
        tried = _step(search, x, trust, value)
        reached = float(value(tried[None])[0])
        # Without a gain above FINEST x counts as a minimum at this scale: the region shrinks.
        trust *= 1.0 if best - reached > FINEST * best else 0.1
        if reached < best:
            x, best = tried, reached
    return x, best


def _step(search: Search, x: Array, trust: float, value: Cost) -> Array:
    from scipy.optimize import minimize

    # Steps are in units of the trust radius and costs in units of the current one, so that tolerances are relative.
    unit = float(value(x[None])[0])
    found = minimize(
        lambda z: float(value((x + trust * z)[None])[0]) / unit,
        np.zeros(6),
        jac=lambda z: trust * search.gradients(value, (x + trust * z)[None])[0, 0] / unit,
        bounds=[(-1.0, 1.0)] * 6,
        constraints={
            "type": "ineq",
            "fun": lambda z: search.relative((x + trust * z)[None])[0],
            "jac": lambda z: trust * search.gradients(search.relative, (x + trust * z)[None])[0],
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 40},
    )
    # SLSQP may end slightly beyond a limit: back along the step to the last allowed point.
    return last_inside(lambda point: bool(search.smallest(point[None])[0] >= 0), x, x + trust * np.asarray(found.x))
