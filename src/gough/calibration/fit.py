"""The fit: SciPy's least squares on weighted residuals, weights and outliers renewed until nothing changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.calibration.noise import estimated, whitened, whiteners
from gough.calibration.problem import LOOSE, Problem, Rows

_PASSES = 12
_TOL = 1e-11
"""Relative change of unknowns and squares at which the solver ends."""
LEAST = 1e-7
"""Part of the noise that was assumed which noise found is at least: rounding."""
_STILL = 1e-4
"""Change of unknowns, in spreads, that weights need not follow."""
_MOST = 60
"""Evaluations of one solution: good data need ten, and data that fit nothing end here."""
_CLOSE = 0.02
"""Change of noise, as part of it, that weights need not follow."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Where a fit ended: unknowns x, counted in their spreads, the noise, residuals and derivatives there."""

    x: Array
    noise: dict[str, float]
    rows: list[Rows]
    r: Array
    J: Array
    passes: int


def fitted(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], x: Array | None = None) -> Fit:
    """Unknowns with the least squares of weighted residuals and of errors in their spreads.

    The noise of the `unknown` kinds starts from `noise` and follows from the residuals.
    """
    start = np.zeros(problem.errors_count + problem.setup_count) if x is None else x
    prior = np.concatenate([np.ones(problem.errors_count), np.full(problem.setup_count, LOOSE)])
    levels, x, rows = dict(noise), start, problem.rows(start)
    for passes in range(_PASSES):  # noqa: B007 - how many it took
        x_before, before = x, levels
        x, rows = _solved(problem, x, rows, levels, prior)
        factor = estimated(rows, levels, unknown, prior) if unknown else 1.0
        levels = {k: max(v * factor, LEAST * noise[k]) if k in unknown else v for k, v in levels.items()}
        is_still = np.abs(x - x_before).max(initial=0.0) < _STILL
        if is_still and all(abs(np.log(levels[kind] / before[kind])) < _CLOSE for kind in unknown):
            break
    r, J = whitened(rows, whiteners(rows, levels))
    return Fit(x, levels, rows, r, J, passes + 1)


def _solved(
    problem: Problem, x: Array, rows: list[Rows], noise: Mapping[str, float], prior: Array
) -> tuple[Array, list[Rows]]:
    """The best unknowns with the weights at x, and the residuals there; `rows` are those at x."""
    from scipy.optimize import least_squares

    if not len(x):
        return x, rows
    weights = whiteners(rows, noise)
    if problem.weight is not None:
        weights = [W * problem.weight[each.at][:, None, None] for W, each in zip(weights, rows, strict=True)]
    last: tuple[bytes, list[Rows], Array, Array] = (b"", [], x, x)

    def at(x: Array, rows: list[Rows] | None = None) -> tuple[Array, Array]:
        nonlocal last
        key = x.tobytes()
        if key != last[0]:
            found = problem.rows(x) if rows is None else rows
            r, J = whitened(found, weights)
            last = key, found, np.concatenate([r, prior * x]), np.concatenate([J, np.diag(prior)])
        return last[2], last[3]

    at(x, rows)
    found = least_squares(
        lambda x: at(x)[0], x, lambda x: at(x)[1], method="lm", xtol=_TOL, ftol=_TOL, gtol=_TOL, x_scale=1.0
    )
    best = np.asarray(found.x)
    at(best)
    return best, last[1]
