"""The fit: SciPy's least squares on weighted residuals, with weights, noise and spreads updated to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.noise import estimated_noise, estimated_spreads, whitened, whiteners
from gough.calibration.prior import Prior
from gough.calibration.problem import LOOSE, Problem, Rows

_PASSES = 40
"""Maximum number of points of linearisation."""
_SEARCHED = 5
"""Points of linearisation after which steps are taken however long they are: the solver's ends do not come nearer where
squares of rows that do not fit are much larger than the step's gain."""
_UPDATES = 12
"""Maximum number of updates of noise and spreads at one of them."""
_NEAR = 0.5
"""Gauss-Newton step [standard deviations] below which one is taken without a test that the squares decrease: their
rounding would hide the gain of very short steps."""
_ROUGH = 1e-5
"""Relative decrease of the squares at which the solver ends: Gauss-Newton steps follow."""
_SHORT = 1e-15
"""Relative step, and cosine between residuals and derivatives, at which it ends too: rounding."""
_STILL = 1e-8
"""Gauss-Newton step [standard deviations] that is not evaluated. Weights of frames that the data do not determine
follow from the derivatives there: each step is then a third of the last, and the rest of them half of one."""
_ROUNDED = 1e-10
"""Gauss-Newton step [spreads] that is rounding."""
_TRIED = 2
"""Points of linearisation after which a fit of nothing ends."""
_UNRELATED = 0.01
"""Median residual, in machine sizes, beyond which the data are not of this machine."""
_TRIALS, _FEW_TRIALS = 12, 3
"""Gauss-Newton steps by which starts of a fit are compared, and after which hopeless ones end."""
_HOPELESS = 4.0
"""Ratio of squares from which a start is hopeless."""
_CLOSE = 1e-9
"""Relative change of noise and spreads at which they have converged."""
_PRECISE = 1e-3
"""Smallest factor of the spreads: a fiftieth of a millimetre for lengths of a machine of one metre."""
_BEGIN = 0.1
"""Factor of the spreads at first: begun from the largest ones, errors that are hardly determined keep them large."""
_ENOUGH = 1e-2
"""Gauss-Newton step [standard deviations] and relative change of noise and spreads that are left where a fit ends."""
LEAST = 1e-7
"""Smallest estimate of the noise, as part of the assumed noise: rounding."""


@dataclass(frozen=True, eq=False)
class Fit:
    """End of a fit.

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
    """Whitened residuals and derivatives, and |J d + r|^2 + |P d + pull|^2 as |R d + c|^2 + constant."""

    r: Array
    J: Array
    R: Array
    c: Array

    @property
    def step(self) -> Array:
        """Gauss-Newton step."""
        return -self.solved(self.c)

    @property
    def length(self) -> float:
        """Length of that step in standard deviations: R^T R is the inverse covariance of the unknowns."""
        return float(np.linalg.norm(self.c))

    def solved(self, b: Array) -> Array:
        """R^-1 b of b (p, ...)."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.R, b, check_finite=False)) if len(b) else b


class _Weights:
    """Weights of residuals and unknowns, updated to the noise and the spreads that residuals and errors show."""

    def __init__(self, problem: Problem, noise: Mapping[str, float], unknown: Sequence[str]) -> None:
        self.problem, self.noise, self.unknown, self.assumed = problem, noise, unknown, problem.assumed
        self.prior, self.expected = problem.prior
        self.levels, self.freedom, self.of_rows = dict(noise), np.inf, list[Array]()
        # Logarithms of the factors of the noise and of the spreads, with their limits.
        most = [1.0 if each[0] < len(self.expected) else np.inf for each in self.assumed]
        self.limits = np.log([[LEAST, *(_PRECISE for _ in most)], [np.inf, *most]])
        self.scales = np.log([1.0, *(_BEGIN if np.isfinite(each) else 1.0 for each in most)])
        self.prior = self.prior.scaled(np.exp(self.scales[1:]), self.assumed)

    def weigh(self, rows: Sequence[Rows]) -> None:
        """Update the weights of residuals to the derivatives by the readings, and to the noise."""
        # Residuals of a drawing are no noise, which weights that follow from them would count.
        if self.problem.errors_count or not self.of_rows:
            self.of_rows = whiteners(rows, self.levels, self.problem.weight)

    def hold(self, rows: Sequence[Rows]) -> None:
        """Update the weights of frames and points: of what noise makes of their information, where data say no more."""
        faked = self.problem.faked(rows, self.of_rows, self.levels["joints"])
        self.prior = self.prior.held(np.full(len(faked), LOOSE))
        A, errors = np.concatenate([whitened(rows, self.of_rows)[1], self.prior.rows]), self.problem.errors_count
        variance = (np.linalg.inv(np.linalg.qr(A, mode="r"))[errors:] ** 2).sum(axis=1)
        # As large as that of the noise where there is nothing else, and falling fast where the data say more.
        weight = 4.0 * faked**2.5 / (faked + self.problem.by_triples(1.0 / variance)) ** 2
        self.prior = self.prior.held(np.maximum(weight, LOOSE))

    def at(self, x: Array, rows: Sequence[Rows]) -> _Point:
        """The linearised problem at x."""
        r, J = whitened(rows, self.of_rows)
        P = self.prior.rows
        Q, R = np.linalg.qr(np.concatenate([J, P]))
        pull = P @ (x - self.expected)
        return _Point(r, J, np.asarray(R), np.asarray(Q.T @ np.concatenate([r, pull])))

    def update(self, x: Array, rows: Sequence[Rows]) -> float:
        """Update noise and spreads to the end of the Gauss-Newton step from x; the largest change of a logarithm."""
        before = self.scales
        for _ in range(_UPDATES):
            here, factors = self.at(x, rows), np.ones(len(self.scales))
            step, inverse = here.step, here.solved(np.eye(len(x)))
            if self.unknown:
                factors[0], self.freedom = estimated_noise(
                    rows, self.of_rows, here.r + here.J @ step, here.J, inverse, self.prior, self.levels, self.unknown,
                    np.exp(self.scales[0]),
                )  # fmt: skip
            if self.assumed:
                factors[1:] = estimated_spreads(x + step - self.expected, inverse, self.prior, self.assumed)
            last, self.scales = self.scales, np.clip(self.scales + np.log(factors), *self.limits)
            size = np.exp(self.scales[0])
            self.levels = {kind: v * size if kind in self.unknown else v for kind, v in self.noise.items()}
            self.prior = self.prior.scaled(np.exp(self.scales - last)[1:], self.assumed)
            self.weigh(rows)
            if np.abs(self.scales - last).max() < _CLOSE:
                break
        return float(np.abs(self.scales - before).max())


def fits_nothing(problem: Problem, rows: Sequence[Rows]) -> bool:
    """Test whether the median residual exceeds what any machine of this kind explains."""
    off = np.concatenate([np.abs(each.r)[each.is_there] for each in rows])
    return bool(np.median(off) > _UNRELATED * problem.legs.machine.size)


def fitted(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], x: Array | None = None) -> Fit:
    """Return unknowns with the least squares of weighted residuals and of errors in their spreads.

    The noise of the `unknown` kinds starts from `noise` and follows from the residuals; spreads of errors without a
    stated tolerance follow from the errors of their group, up to the spread assumed. Noise and spreads are updated by
    the linearised problem, whose Gauss-Newton step leads to the next one.
    """
    weights = _Weights(problem, noise, unknown)
    x = weights.expected if x is None else x
    for passes in range(1, _PASSES + 1):
        rows = problem.rows(x)
        weights.weigh(rows)
        weights.hold(rows)
        if weights.at(x, rows).length >= _NEAR and passes <= _SEARCHED:
            x = _improved(problem, x, weights)
            rows = problem.rows(x)
            weights.weigh(rows)
        change = weights.update(x, rows)
        here = weights.at(x, rows)
        is_still = here.length < _STILL or np.abs(here.step).max(initial=0.0) < _ROUNDED
        if (is_still and change < _CLOSE) or (passes >= _TRIED and fits_nothing(problem, rows)):
            break
        if (here.length < _NEAR or passes >= _SEARCHED) and passes < _PASSES:
            x = x + here.step
    # Robust weights are of the fit only: residuals and derivatives are returned in standard deviations.
    r, J = (here.r, here.J) if problem.weight is None else whitened(rows, whiteners(rows, weights.levels))
    # Once converged the remaining step is too short for another evaluation, and is taken without one.
    has_converged = bool(here.length < _ENOUGH and change < _ENOUGH)
    if has_converged:
        x, r = x + here.step, r + J @ here.step
    return Fit(x, weights.levels, rows, r, J, weights.prior, has_converged, weights.freedom)


def squares_nearby(
    problem: Problem, noise: Mapping[str, float], x: Array | None = None, *, most: float = np.inf
) -> float:
    """Return the least squares of weighted residuals and of errors in their spreads, by Gauss-Newton steps from
    unknowns x.

    Where squares are far above `most` after a few steps, these are returned.
    """
    problem = replace(problem, X=problem.X.copy())
    weights, errors, squares = _Weights(problem, noise, []), problem.errors_count, np.inf
    x = weights.expected if x is None else x
    for k in range(_TRIALS):
        rows = problem.rows(x)
        weights.weigh(rows)
        weights.hold(rows)
        here = weights.at(x, rows)
        off = (weights.prior.rows @ (x - weights.expected))[:errors]
        squares = float(here.r @ here.r + off @ off)
        if here.length < _NEAR or (k >= _FEW_TRIALS and squares > _HOPELESS * most):
            break
        x = x + here.step
    return squares


def _improved(problem: Problem, x: Array, weights: _Weights) -> Array:
    """Unknowns at the minimum with these weights, from x."""
    from scipy.optimize import least_squares

    if not len(x):
        return x
    W, P = weights.of_rows, weights.prior.rows
    last: tuple[Array, list[Rows]] | None = None

    def at(x: Array) -> tuple[Array, Array]:
        nonlocal last
        if last is None or not np.array_equal(x, last[0]):  # SciPy asks for residuals and derivatives in turn
            last = x.copy(), problem.rows(x)
        return whitened(last[1], W)

    found = least_squares(
        lambda x: np.concatenate([at(x)[0], P @ (x - weights.expected)]), x, lambda x: np.concatenate([at(x)[1], P]),
        method="lm", xtol=_SHORT, ftol=_ROUGH, gtol=_SHORT, x_scale=1.0, max_nfev=_PASSES,
    )  # fmt: skip
    return np.asarray(found.x)
