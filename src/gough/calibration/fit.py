"""The fit: SciPy's least squares on weighted residuals, with weights and noise updated until nothing changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.noise import NoiseLevel, estimated_noise, whitened, whiteners
from gough.calibration.problem import LOOSE, Problem, Rows

_PASSES = 30
"""Maximum number of updates of the weights."""
_ROUGH = 0.1
"""Relative decrease of the squares at which the solver ends: the weights are updated before it goes on."""
_SHORT = 1e-15
"""Relative step, and cosine between residuals and derivatives, at which it ends too: rounding."""
_NEAR = 0.5
"""Gauss-Newton step [standard deviations] below which one is taken without a test that the squares decrease: their
rounding would hide the gain of very short steps."""
_STILL = 1e-6
"""Gauss-Newton step [standard deviations] that is not evaluated: the next would be a hundredth of it."""
_ROUNDED = 1e-10
"""Gauss-Newton step [spreads] that is rounding."""
_FEW = 3
"""Evaluations before the first update of the weights, and by how many more they are in each pass."""
_MOST = 60
"""Maximum number of evaluations between updates."""
_CLOSE = 1e-4
"""Relative change of the noise at which weights have converged."""
LEAST = 1e-7
"""Smallest estimate of the noise, as part of the assumed noise: rounding."""
_SOUND = 1e-4
"""Smallest sine between a column and those before it at which the normal equations keep enough digits."""


class Reduced(NamedTuple):
    """R (p, p) and c (p,) with |J d + r|^2 + |prior (x + d)|^2 = |R d + c|^2 + rest^2 for all d."""

    R: Array
    c: Array
    rest: float

    def solved(self, b: Array) -> Array:
        """R^-1 b of b (p, ...)."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.R, b, check_finite=False)) if len(b) else b


@dataclass(frozen=True, eq=False)
class Fit:
    """Where a fit ended.

    Attributes
    ----------
    x : (p,) array
        Unknowns: errors in their spreads, then those of the setup.
    noise : mapping of str to float
        Standard deviation of each kind of measurement.
    rows : list of Rows
        Residuals and derivatives there; r (N,) and J (N, p) are whitened.
    prior : (p,) array
        Weights of the unknowns.
    passes : int
        Updates of the weights.
    freedom : float
        Degrees of freedom from which the readings' noise was estimated where these were too few, otherwise infinite.

    """

    x: Array
    noise: dict[str, float]
    rows: list[Rows]
    r: Array
    J: Array
    prior: Array
    passes: int
    freedom: float

    @cached_property
    def hat_factor(self) -> Array:
        """Q (N, p): the hat matrix Q Q^T takes whitened measurements to the fit's, with the prior as pseudo-data."""
        return np.asarray(np.linalg.qr(np.concatenate([self.J, np.diag(self.prior)]))[0][: len(self.r)])


class _Point(NamedTuple):
    """Unknowns x with their rows, and these whitened and reduced."""

    x: Array
    rows: list[Rows]
    r: Array
    J: Array
    reduced: Reduced

    @property
    def step(self) -> Array:
        """Gauss-Newton step."""
        return -self.reduced.solved(self.reduced.c)

    @property
    def is_still(self) -> bool:
        """Whether that step is too short for an evaluation at its end."""
        # |c| is the step in standard deviations: R^T R is the inverse covariance of the unknowns.
        return bool(np.linalg.norm(self.reduced.c) < _STILL or np.abs(self.step).max(initial=0.0) < _ROUNDED)


def fitted(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], x: Array | None = None) -> Fit:
    """Unknowns with the least squares of weighted residuals and of errors in their spreads.

    The noise of the `unknown` kinds starts from `noise` and follows from the residuals.
    """
    prior = np.concatenate([np.ones(problem.errors_count), np.full(problem.setup_count, LOOSE)])
    x = np.zeros(len(prior)) if x is None else x
    levels, level, factor, freedom = dict(noise), NoiseLevel(LEAST), 1.0, np.inf
    rows = problem.rows(x)
    weights = whiteners(rows, levels, problem.weight)
    here = _point(x, rows, weights, prior)
    for passes in range(1, _PASSES + 1):
        # Weights and noise depend on the unknowns, so each is updated before the other has converged.
        here = _improved(problem, here, weights, prior, min(_FEW * passes, _MOST))
        if unknown:
            scale = levels[unknown[0]] / noise[unknown[0]]
            inverse = here.reduced.solved(np.eye(len(prior)))
            factor, freedom = estimated_noise(
                here.rows, weights, here.r, here.J, inverse, prior, levels, unknown, scale
            )
            factor = level.updated(factor)
            levels = {kind: value * factor if kind in unknown else value for kind, value in levels.items()}
        # Rows stay: residuals and derivatives do not depend on the weights.
        weights = whiteners(here.rows, levels, problem.weight)
        here = _point(here.x, here.rows, weights, prior)
        if here.is_still and abs(np.log(factor)) < _CLOSE:
            break
    # Robust weights are of the fit only: residuals and derivatives are returned in standard deviations.
    r, J = (here.r, here.J) if problem.weight is None else whitened(here.rows, whiteners(here.rows, levels))
    # Once converged the remaining step is too short for another evaluation, and is taken without one.
    return Fit(here.x + here.step, levels, here.rows, r, J, prior, passes, freedom)


def reduced(r: Array, J: Array, prior: Array, x: Array) -> Reduced:
    """The problem with residuals r (N,), derivatives J (N, p) and weights `prior` (p,) of the unknowns, at x.

    By the Cholesky factor of the normal equations, in a fraction of the time of QR, which is used where a column nearly
    depends on the others.
    """
    from scipy.linalg import solve_triangular

    squares = float(r @ r + (prior * x) @ (prior * x))
    # The normal equations keep half the digits of QR; `is_sound` says whether that is enough.
    G = J.T @ J
    G[np.diag_indices_from(G)] += prior**2
    try:
        R = np.linalg.cholesky(G).T
        # R_jj over the norm of column j is the sine between the column and the span of those before it.
        is_sound = bool((np.diag(R) > _SOUND * np.sqrt(np.diag(G))).all())
    except np.linalg.LinAlgError:
        is_sound = False
    if is_sound:
        c = solve_triangular(R, J.T @ r + prior**2 * x, trans=1, check_finite=False)
    else:
        Q, R = np.linalg.qr(np.concatenate([J, np.diag(prior)]))
        c = Q.T @ np.concatenate([r, prior * x])
    # rest^2 is what no step can reduce: all squares minus |c|^2.
    return Reduced(np.asarray(R, dtype=float), np.asarray(c), float(np.sqrt(max(squares - c @ c, 0.0))))


def _point(x: Array, rows: list[Rows], weights: Sequence[Array], prior: Array) -> _Point:
    r, J = whitened(rows, weights)
    return _Point(x, rows, r, J, reduced(r, J, prior, x))


def _improved(problem: Problem, start: _Point, weights: Sequence[Array], prior: Array, most: int) -> _Point:
    """Unknowns nearer to the minimum with these weights, after at most so many evaluations.

    SciPy's least squares are given the triangular factor instead of all rows: squares, gradient and steps are the same.
    """
    from scipy.optimize import least_squares

    if not len(prior):
        return start
    last = start

    def at(x: Array) -> _Point:
        nonlocal last
        if not np.array_equal(x, last.x):  # SciPy evaluates residuals and derivatives at the same place in turn
            last = _point(x.copy(), problem.rows(x), weights, prior)
        return last

    if np.linalg.norm(start.reduced.c) < _NEAR:
        return at(start.x + start.step)
    # `rest` completes the squares, to which the tolerance is relative. Its derivatives are zero: R^T c is the gradient.
    below = np.zeros((1, len(prior)))
    found = least_squares(
        lambda x: np.append(at(x).reduced.c, at(x).reduced.rest), start.x,
        lambda x: np.concatenate([at(x).reduced.R, below]),
        method="lm", xtol=_SHORT, ftol=_ROUGH, gtol=_SHORT, x_scale=1.0, max_nfev=most,
    )  # fmt: skip
    return at(np.asarray(found.x))
