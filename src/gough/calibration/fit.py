"""The fit: SciPy's least squares on weighted residuals, with weights, noise and spreads updated to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.noise import Level, estimated_noise, estimated_spreads, whitened, whiteners
from gough.calibration.prior import Prior
from gough.calibration.problem import Problem, Rows

_PASSES = 40
"""Maximum number of updates of the weights."""
_ROUGH = 1e-5
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
_MOST = 12
"""Maximum number of evaluations between updates."""
_KEPT = 5
"""Passes whose steps are combined."""
_DISTINCT = 1e-6
"""Ratio of singular values below which steps of passes are alike."""
_TRIED = 4
"""Passes after which a fit of nothing ends."""
_UNRELATED = 0.01
"""Median residual, in machine sizes, beyond which the data are not of this machine."""
_CLOSE = 1e-8
"""Relative change of noise and spreads at which weights have converged."""
_PRECISE = 1e-3
"""Smallest factor of the spreads: a fiftieth of a millimetre for lengths of a machine of one metre."""
_ENOUGH = 1e-2
"""Gauss-Newton step [standard deviations] and relative change of noise and spreads that are left where a fit ends."""
LEAST = 1e-7
"""Smallest estimate of the noise, as part of the assumed noise: rounding."""


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
    prior : Prior
        Weights of the unknowns: inverse standard deviations of the errors before measuring, in their spreads.
    has_converged : bool
        Whether weights, noise, spreads and unknowns no longer changed.
    freedom : float
        Degrees of freedom from which the readings' noise was estimated where these were too few, otherwise infinite.

    """

    x: Array
    noise: dict[str, float]
    rows: list[Rows]
    r: Array
    J: Array
    prior: Prior
    has_converged: bool
    freedom: float

    @cached_property
    def hat_factor(self) -> Array:
        """Q (N, p): the hat matrix Q Q^T takes whitened measurements to the fit's, with the prior as pseudo-data."""
        return np.asarray(np.linalg.qr(np.concatenate([self.J, self.prior.rows]))[0][: len(self.r)])


class _Point(NamedTuple):
    """Unknowns x with their rows, these whitened, and |J d + r|^2 + |P d + pull|^2 as |R d + c|^2 + constant."""

    x: Array
    rows: list[Rows]
    r: Array
    J: Array
    R: Array
    c: Array

    @property
    def step(self) -> Array:
        """Gauss-Newton step."""
        return -self.solved(self.c)

    @property
    def is_still(self) -> bool:
        """Whether that step is too short for an evaluation at its end."""
        # |c| is the step in standard deviations: R^T R is the inverse covariance of the unknowns.
        return bool(np.linalg.norm(self.c) < _STILL or np.abs(self.step).max(initial=0.0) < _ROUNDED)

    def solved(self, b: Array) -> Array:
        """R^-1 b of b (p, ...)."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.R, b, check_finite=False)) if len(b) else b


def fits_nothing(problem: Problem, rows: Sequence[Rows]) -> bool:
    """Whether most residuals are beyond those of any such machine, so that few rows cannot be the cause."""
    off = np.concatenate([np.abs(each.r)[each.is_there] for each in rows])
    return bool(np.median(off) > _UNRELATED * problem.legs.machine.size)


class _Memory:
    """Anderson's mixing (1965) of passes: they are slow where weights depend on unknowns that are hardly determined."""

    def __init__(self) -> None:
        self.ends: list[Array] = []
        self.steps: list[Array] = []

    def ahead(self, begin: Array, end: _Point) -> Array:
        """Where the next pass begins, with the steps of the last ones combined to the shortest."""
        step = end.x - begin
        if not len(step) or np.linalg.norm(end.R @ step) > _NEAR:
            self.ends, self.steps = [], []
            return end.x
        self.ends, self.steps = [*self.ends, end.x][-_KEPT:], [*self.steps, step][-_KEPT:]
        if len(self.steps) < 2:
            return end.x
        by_step, by_end = (np.diff(np.array(each), axis=0).T for each in (self.steps, self.ends))
        share = np.linalg.lstsq(end.R @ by_step, end.R @ step, rcond=_DISTINCT)[0]
        return np.asarray(end.x - by_end @ share)


def fitted(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], x: Array | None = None) -> Fit:
    """Unknowns with the least squares of weighted residuals and of errors in their spreads.

    The noise of the `unknown` kinds starts from `noise` and follows from the residuals; spreads of errors without a
    stated tolerance follow from the errors of their group, up to the spread assumed. Unknowns without a prior are held,
    by a weight that makes the rank full, where each pass begins.
    """
    prior, middle = problem.prior
    assumed = problem.assumed
    x = np.zeros(len(middle)) if x is None else x
    levels, level, freedom, change = dict(noise), Level(LEAST), np.inf, np.inf
    spreads = [Level(_PRECISE, most=1.0 if each[0] < len(x) else np.inf) for each in assumed]
    rows, memory = problem.rows(x), _Memory()
    weights = whiteners(rows, levels, problem.weight)
    here = _point(x, rows, weights, prior, middle)
    for passes in range(1, _PASSES + 1):
        # Weights and noise depend on the unknowns, so each is updated before the other has converged.
        begin, here = here, _improved(problem, here, weights, prior, middle, min(_FEW * passes, _MOST))
        inverse, factors = here.solved(np.eye(len(x))), [1.0]
        if unknown:
            scale = levels[unknown[0]] / noise[unknown[0]]
            factor, freedom = estimated_noise(
                here.rows, weights, here.r, here.J, inverse, prior, levels, unknown, scale
            )
            factors.append(level.updated(factor))
            levels = {kind: value * factors[-1] if kind in unknown else value for kind, value in levels.items()}
        shown = estimated_spreads(here.x, inverse, prior, assumed) if assumed else []
        grown = [spread.updated(factor) for spread, factor in zip(spreads, shown, strict=True)]
        prior, factors = prior.scaled(grown, assumed), [*factors, *grown]
        x = memory.ahead(begin.x, here)
        rows = here.rows if x is here.x else problem.rows(x)
        if problem.errors_count:  # residuals of a drawing are no noise, which weights that follow from them would count
            weights = whiteners(rows, levels, problem.weight)
        here = _point(x, rows, weights, prior, middle)
        change = float(np.abs(np.log(factors)).max())
        if (here.is_still and change < _CLOSE) or (passes >= _TRIED and fits_nothing(problem, here.rows)):
            break
    # Robust weights are of the fit only: residuals and derivatives are returned in standard deviations.
    r, J = (here.r, here.J) if problem.weight is None else whitened(here.rows, whiteners(here.rows, levels))
    # Once converged the remaining step is too short for another evaluation, and is taken without one.
    has_converged = bool((here.is_still or np.linalg.norm(here.c) < _ENOUGH) and change < _ENOUGH)
    end = here.x + here.step if has_converged else here.x
    return Fit(end, levels, here.rows, r, J, prior, has_converged, freedom)


def _point(x: Array, rows: list[Rows], weights: Sequence[Array], prior: Prior, middle: Array) -> _Point:
    r, J = whitened(rows, weights)
    pull = prior.rows @ np.nan_to_num(x - middle)
    Q, R = np.linalg.qr(np.concatenate([J, prior.rows]))
    return _Point(x, rows, r, J, np.asarray(R), np.asarray(Q.T @ np.concatenate([r, pull])))


def _improved(
    problem: Problem, start: _Point, weights: Sequence[Array], prior: Prior, middle: Array, most: int
) -> _Point:
    """Unknowns nearer to the minimum with these weights, after at most so many evaluations."""
    from scipy.optimize import least_squares

    if not len(middle):
        return start
    if np.linalg.norm(start.c) < _NEAR:
        x = start.x + start.step
        return _point(x, problem.rows(x), weights, prior, middle)
    held, P = np.where(np.isfinite(middle), middle, start.x), prior.rows
    last = start.x, start.rows

    def at(x: Array) -> list[Rows]:
        nonlocal last
        if not np.array_equal(x, last[0]):  # SciPy evaluates residuals and derivatives at the same place in turn
            last = x.copy(), problem.rows(x)
        return last[1]

    found = least_squares(
        lambda x: np.concatenate([whitened(at(x), weights)[0], P @ (x - held)]), start.x,
        lambda x: np.concatenate([whitened(at(x), weights)[1], P]),
        method="lm", xtol=_SHORT, ftol=_ROUGH, gtol=_SHORT, x_scale=1.0, max_nfev=most,
    )  # fmt: skip
    x = np.asarray(found.x)
    return _point(x, at(x), weights, prior, middle)
