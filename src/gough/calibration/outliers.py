"""Outliers: rows found by a robust fit to disagree with the others, named with their residuals, and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.calibration.fit import Fit, fits_nothing, fitted, squares_nearby
from gough.calibration.noise import whitened, whiteners
from gough.calibration.problem import Problem, Rows, full, is_rotation
from gough.calibration.screening import misfit
from gough.kinematics.inverse import inverse_kinematics
from gough.present.show import Show, significant
from gough.quantity import quantity, result
from gough.results import Result

RARE = 1e-6
"""Probability that a good row is taken for an outlier, if noise is normal."""
_HEAVY = 2.0
"""Factor of the limit for noise of real data, whose tails are heavier than normal."""
_ROUNDS = 10
_ALONE = 0.1
"""Ratio of the second largest to the largest error of a row's readings up to which one reading explains the row."""
_ALIKE = 2.0
"""Ratio of the drawing's residuals up to which the first of two starts is fitted first."""
_CLEAR = 4.0
"""Decrease of the squares, in standard deviations, by which another start is better than one that is fitted."""
_DOWN = 3.0
"""Distance, in medians, at which Cauchy's weight is one half."""


@result
class Outlier(Result):
    """A row that was left out."""

    row: int = quantity("1", doc="Row that was left out, counted from 0.")
    off: float = quantity("m", doc="Largest residual, rotations as displacements at the characteristic length.")
    times: float = quantity("1", doc="Ratio of the row's residuals to the median row's.")
    leg: int = quantity(
        "1", is_listed=False, doc="Leg whose reading alone explains the row, counted from 0; -1 where none does."
    )
    words: str = quantity("", is_listed=False, doc="In one sentence.")

    def __str__(self) -> str:
        return self.words


def best_fit(
    starts: Sequence[tuple[Problem, Bools]], noise: Mapping[str, float], unknown: Sequence[str]
) -> tuple[Problem, Fit, Bools]:
    """Return the most likely of the robust fits from problems with plausible rows, and the rows kept (n,).

    Starts that are not on the same side of a point or a plane as the one fitted show so by their squares, at its noise.
    """
    off = [misfit(problem) for problem, _ in starts]
    first = next(k for k, each in enumerate(off) if not each > _ALIKE * min(off))
    problem, plausible = starts[first]
    fit, keep = robust_fit(problem, noise, unknown, plausible)
    for other, plausible in [*starts[:first], *starts[first + 1 :]]:
        now = squares_nearby(with_rows(problem, keep), fit.noise, fit.x)
        if squares_nearby(with_rows(other, keep), fit.noise, most=now) < now - _CLEAR:
            end = robust_fit(other, noise, unknown, plausible)
            if _unlikelihood(other, end[0]) < _unlikelihood(problem, fit):
                problem, fit, keep = other, *end
    return problem, fit, keep


def _unlikelihood(problem: Problem, fit: Fit) -> float:
    """Twice the negative logarithm of the density of residuals and errors, at the noise and the spreads estimated.

    Squares of a row count up to the limit of outliers, so that leaving it out is of no use.
    """
    rows = problem.rows(fit.x)
    weights = whiteners(rows, fit.noise)
    squares, count = _squares(rows, whitened(rows, weights)[0], len(problem.given))
    of_rows = [np.diagonal(W, axis1=1, axis2=2)[each.is_there] for each, W in zip(rows, weights, strict=True)]
    prior, errors = fit.prior, problem.errors_count
    off = prior.rows[:, :errors] @ (fit.x - problem.prior[1])[:errors]
    density = np.concatenate([*of_rows, prior.weight[:errors], prior.of_motions])
    return float(np.minimum(squares, _limit(count) ** 2 * count).sum() + off @ off - 2.0 * np.log(density).sum())


def _limit(count: Array) -> Array:
    """Distance of a row of `count` numbers (n,), over the median row's, beyond which it is an outlier."""
    from scipy.special import chdtri

    safe = np.maximum(count, 1.0)
    # The ratio of the chi-square quantiles, RARE to median, as distances.
    return np.asarray(_HEAVY * np.sqrt(chdtri(safe, RARE) / chdtri(safe, 0.5)))


def robust_fit(
    problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], plausible: Bools
) -> tuple[Fit, Bools]:
    """Return the fit without outliers, and the rows kept (n,); the first fit is of the `plausible` ones.

    Where these are at most half of the rows, the others are compared with the rows kept instead of with all.
    """
    keep, part = plausible, with_rows(problem, plausible)
    found = fitted(part, noise, unknown)
    is_clean = not _outlying(found.rows, found.r, len(part.given)).any()
    if fits_nothing(problem, found.rows) or (is_clean and keep.all()):  # `check_fit` reports a fit of nothing
        return found, keep
    if not is_clean:
        found = _reweighted(part, found)
    # All rows are tested against the last fit and the next fit omits the outliers, until these stay the same.
    for _ in range(_ROUNDS):
        rows = problem.rows(found.x)
        among = keep if 2 * plausible.sum() <= len(keep) else np.ones(len(keep), dtype=bool)
        r = whitened(rows, whiteners(rows, found.noise))[0]
        before, keep = keep, ~_outlying(rows, r, len(keep), among)
        if is_clean and (keep == before).all():
            break
        found, is_clean = fitted(with_rows(problem, keep), noise, unknown, found.x), True
    return found, keep


def with_rows(problem: Problem, keep: Bools) -> Problem:
    """Return the problem of some of the samples."""
    if keep.all():
        return problem
    sag = None if problem.sag is None else problem.sag[keep]
    return replace(problem, given=problem.given.rows(keep), X=problem.X[keep], sag=sag)


def _squares(rows: Sequence[Rows], r: Array, n: int) -> tuple[Array, Array]:
    """Sum of squares of the weighted residuals r (N,) of each sample (n,), and how many numbers it has."""
    found, count = np.zeros(n), np.zeros(n)
    for each, own in full(rows, r):
        np.add.at(found, each.at, (own**2).sum(axis=1))
        np.add.at(count, each.at, each.is_there.sum(axis=1))
    return found, count


def _relative_distances(squares: Array, count: Array, among: Bools | None = None) -> Array:
    """Root mean square of each sample's residuals (n,) over the median sample's of those `among`; NaN without any."""
    there = count > 0
    each = np.full(len(count), np.nan)
    each[there] = np.sqrt(squares[there] / count[there])
    middle = np.nanmedian(each if among is None else each[among])
    return np.asarray(each / middle if middle > 0 else np.where(there, 1.0, np.nan))


def _outlying(rows: Sequence[Rows], r: Array, n: int, among: Bools | None = None) -> Bools:
    """Which samples are outliers (n,): beyond the median's multiple that chance explains, and beyond the noise."""
    squares, count = _squares(rows, r, n)
    with np.errstate(invalid="ignore"):
        far = np.asarray((_relative_distances(squares, count, among) > _limit(count)) & (squares > count))
    for each in rows:
        if each.other is not None:
            far &= ~_excused(far, each.at, each.other)
    return far


def _excused(far: Bools, at: Ints, other: Ints) -> Bools:
    """Samples that are far off only relative to an outlier: others measured relative to them are not far off."""
    found = np.zeros(len(far), dtype=bool)
    right = np.zeros(len(far), dtype=bool)
    right[other[~far[at]]] = True
    found[at] = far[at] & far[other] & right[at]
    return found


def _reweighted(problem: Problem, found: Fit) -> Fit:
    """The fit with Cauchy's weights, which outliers do not pull."""
    for _ in range(_ROUNDS):
        r = whitened(found.rows, whiteners(found.rows, found.noise))[0]
        far = _relative_distances(*_squares(found.rows, r, len(problem.given)))
        # Iteratively reweighted least squares; residuals are multiplied by the root of the weight.
        weight = 1.0 / (1.0 + (np.nan_to_num(far) / _DOWN) ** 2)
        found = fitted(replace(problem, weight=np.sqrt(weight)), found.noise, [], found.x)
    return found


def outliers_of(problem: Problem, fit: Fit, keep: Bools, used: Ints) -> list[Outlier]:
    """Return the rows left out, farthest first; `used` (n,) are their numbers in the file."""
    bad = np.flatnonzero(~keep)
    if not len(bad):
        return []
    rows, machine = problem.rows(fit.x), problem.legs.machine
    r, _ = whitened(rows, whiteners(rows, fit.noise))
    times, show = _relative_distances(*_squares(rows, r, len(keep))), Show(machine)
    off = np.zeros(len(keep))
    for each in rows:
        size = np.where(is_rotation(each.kinds), machine.characteristic_length, 1.0)
        np.maximum.at(off, each.at, np.abs(each.r * size).max(axis=1, initial=0.0))
    found = []
    for k, reads in zip(bad, _reading_errors(problem, fit, bad), strict=True):
        far, more, leg = show.with_unit(off[k], "m", 3), significant(times[k], 3), _one_leg(reads)
        words = f"row {used[k] + 1} is off by {far}, {more} times what others are"
        if leg >= 0:
            error = show.with_unit(abs(reads[leg]), machine.legs.joint_unit, 3)
            words += f": q{leg + 1} alone reads {error} too {'much' if reads[leg] > 0 else 'little'}"
        found.append(Outlier(int(used[k]), float(off[k]), float(times[k]), leg, words))
    return sorted(found, key=lambda one: -one.times)


def _reading_errors(problem: Problem, fit: Fit, bad: Ints) -> Array:
    """Readings (k, 6) of rows minus those that their measured poses need [m or rad]; NaN without a pose."""
    X = problem.given.poses
    if X is None:
        return np.full((len(bad), 6), np.nan)
    setup, machine = problem.setup_at(fit.x), problem.legs.machine_with(problem.errors(fit.x))
    device = setup.device[problem.given.session[bad]]  # X = C^-1 M D^-1
    q = inverse_kinematics(machine, np.linalg.inv(device) @ X[bad] @ np.linalg.inv(setup.target))
    off = problem.given.q[bad] - (q if machine.encoders is None else machine.encoders.readings(q))
    return off if machine.legs.joint == "length" else np.asarray(np.angle(np.exp(1j * off)))  # modulo a turn


def _one_leg(off: Array) -> int:
    """Leg whose reading explains a row alone, if one of the errors (6,) does; otherwise -1."""
    if not np.isfinite(off).all():
        return -1
    *_, second, first = np.argsort(np.abs(off))
    return int(first) if abs(off[second]) <= _ALONE * abs(off[first]) else -1
