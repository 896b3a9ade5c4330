"""The fit: SciPy's least squares on weighted residuals, weights and noise renewed until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.noise import Level, estimated, whitened, whiteners
from gough.calibration.problem import LOOSE, Problem, Rows
from gough.calibration.reduced import Reduced, reduced

_PASSES = 30
_ROUGH = 0.1
"""Relative change of the squares at which the solver ends: weights are renewed then."""
_SHORT = 1e-15
"""Relative step, and cosine of residuals with their derivatives, at which it ends too: rounding."""
_NEAR = 0.5
"""Step, in standard deviations, that is not tested: rounding of the squares would hide what shorter ones gain."""
_STILL = 1e-6
"""Step, in standard deviations, after which nothing is looked at: a hundredth of it is left."""
_ROUNDED = 1e-10
"""Step, in spreads, that is rounding."""
_FEW = 3
"""Evaluations, the start among them, after which weights are renewed at first, and by so many more each time."""
_MOST = 60
"""Evaluations after which they are renewed at last."""
_CLOSE = 1e-4
"""Change of noise, as part of it, that weights need not follow."""
LEAST = 1e-7
"""Part of the noise that was assumed which noise found is at least: rounding."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Where a fit ended: unknowns x, counted in their spreads, the noise, residuals and derivatives there.

    `freedom` is how many degrees of freedom the readings' noise was to be found from where these were too few, infinite
    otherwise.
    """

    x: Array
    noise: dict[str, float]
    rows: list[Rows]
    r: Array
    J: Array
    passes: int
    freedom: float


class _Point(NamedTuple):
    """Unknowns x with their rows, and these weighted and reduced."""

    x: Array
    rows: list[Rows]
    r: Array
    J: Array
    reduced: Reduced

    @property
    def step(self) -> Array:
        """Gauss and Newton's step from here."""
        return -self.reduced.solved(self.reduced.c)

    @property
    def is_still(self) -> bool:
        """Whether that step is too short to be worth a look at its end."""
        return bool(np.linalg.norm(self.reduced.c) < _STILL or np.abs(self.step).max(initial=0.0) < _ROUNDED)


def fitted(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], x: Array | None = None) -> Fit:
    """Unknowns with the least squares of weighted residuals and of errors in their spreads.

    The noise of the `unknown` kinds starts from `noise` and follows from the residuals.
    """
    prior = np.concatenate([np.ones(problem.errors_count), np.full(problem.setup_count, LOOSE)])
    x = np.zeros(len(prior)) if x is None else x
    levels, level, factor, freedom = dict(noise), Level(LEAST), 1.0, np.inf
    rows = problem.rows(x)
    weights = _weights(problem, rows, levels)
    here = _point(x, rows, weights, prior)
    for passes in range(1, _PASSES + 1):
        here = _better(problem, here, weights, prior, min(_FEW * passes, _MOST))
        if unknown:
            scale = levels[unknown[0]] / noise[unknown[0]]
            found = estimated(here.rows, weights, here.r, here.J, here.reduced, prior, levels, unknown, scale)
            factor, freedom = level.renewed(found.factor), found.freedom
            levels = {kind: value * factor if kind in unknown else value for kind, value in levels.items()}
        weights = _weights(problem, here.rows, levels)
        here = _point(here.x, here.rows, weights, prior)
        if here.is_still and abs(np.log(factor)) < _CLOSE:
            break
    r, J = (here.r, here.J) if problem.weight is None else whitened(here.rows, whiteners(here.rows, levels))
    return Fit(here.x + here.step, levels, here.rows, r, J, passes, freedom)


def _weights(problem: Problem, rows: Sequence[Rows], noise: Mapping[str, float]) -> list[Array]:
    """What residuals are multiplied by, (k, m, m) of each block of rows."""
    weights = whiteners(rows, noise)
    if problem.weight is None:
        return weights
    return [W * problem.weight[each.at][:, None, None] for W, each in zip(weights, rows, strict=True)]


def _point(x: Array, rows: list[Rows], weights: Sequence[Array], prior: Array) -> _Point:
    r, J = whitened(rows, weights)
    return _Point(x, rows, r, J, reduced(r, J, prior, x))


def _better(problem: Problem, start: _Point, weights: Sequence[Array], prior: Array, most: int) -> _Point:
    """Unknowns nearer to the best ones with these weights."""
    if not len(prior):
        return start
    last = start

    def at(x: Array) -> _Point:
        nonlocal last
        if not np.array_equal(x, last.x):
            last = _point(x.copy(), problem.rows(x), weights, prior)
        return last

    if np.linalg.norm(start.reduced.c) < _NEAR:
        return at(start.x + start.step)
    return at(_solved(at, start.x, most))


def _solved(at: Callable[[Array], _Point], x: Array, most: int) -> Array:
    """Where SciPy's least squares end, roughly, or after `most` evaluations.

    They see the triangular factor instead of all rows: squares, gradient and steps are the same.
    """
    from scipy.optimize import least_squares

    below = np.zeros((1, len(x)))
    found = least_squares(
        lambda x: np.append(at(x).reduced.c, at(x).reduced.rest), x,
        lambda x: np.concatenate([at(x).reduced.R, below]),
        method="lm", xtol=_SHORT, ftol=_ROUGH, gtol=_SHORT, x_scale=1.0, max_nfev=most,
    )  # fmt: skip
    return np.asarray(found.x)
