"""Rows that do not belong: found by a robust fit, named with how far they are off, and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.calibration.fit import Fit, fitted
from gough.calibration.noise import whitened, whiteners
from gough.calibration.problem import Problem, Rows
from gough.results import Quantities, Result

RARE = 1e-6
"""Chance with which a good row is taken for a bad one, if noise is normal."""
_HEAVY = 2.0
"""Noise of real data has heavier tails: distances count in so many times the scale of most rows."""
NOTHING = 0.01
"""Part of the machine's size that half of all residuals are beyond where the data are of another machine."""
_ROUNDS = 10
_DOWN = 3.0
"""Distance, in scales, from which the robust fit weighs rows down."""


@dataclass(frozen=True, eq=False)
class Outlier(Result):
    """A row that was left out: its number, counted from 0, and by how much it is off [m], in times the usual too."""

    QUANTITIES: ClassVar[Quantities] = {"off": "m", "times": "1"}

    row: int
    off: float
    times: float

    def __str__(self) -> str:
        return f"row {self.row + 1} is off by {1e3 * self.off:.3g} mm, {self.times:.3g} times what others are"


def distances(rows: Sequence[Rows], r: Array, n: int) -> tuple[Array, Array]:
    """Sum of squares of the weighted residuals of each sample (n,), and how many numbers each has."""
    found, count, start = np.zeros(n), np.zeros(n), 0
    for each in rows:
        own, squares = int(each.is_there.sum()), np.zeros(each.is_there.shape)
        squares[each.is_there] = r[start : start + own] ** 2
        np.add.at(found, each.at, squares.sum(axis=1))
        np.add.at(count, each.at, each.is_there.sum(axis=1))
        start += own
    return found, count


def scaled(rows: Sequence[Rows], r: Array, n: int) -> Array:
    """Distance of each sample (n,) in times that of most, for its count of numbers; NaN without any."""
    squares, count = distances(rows, r, n)
    there = count > 0
    each = np.full(n, np.nan)
    each[there] = np.sqrt(squares[there] / count[there])
    middle = np.nanmedian(each)
    return np.asarray(each / middle if middle > 0 else np.where(there, 1.0, np.nan))


def cutoff(count: Array) -> Array:
    """Distance from which a sample of so many numbers is bad."""
    from scipy.special import chdtri

    safe = np.maximum(count, 1.0)
    return np.asarray(_HEAVY * np.sqrt(chdtri(safe, RARE) / chdtri(safe, 0.5)))


def robust(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str], plausible: Bools) -> tuple[Fit, Bools]:
    """The fit without rows that do not belong, and the rows kept (n,); the first fit is of the `plausible` ones."""
    keep, part = plausible, _part(problem, plausible)
    found = fitted(part, noise, unknown)
    is_clean = not _far(found.rows, found.r, len(part.given)).any()
    if _fits_nothing(problem, found) or (is_clean and keep.all()):
        return found, keep
    if not is_clean:
        found = _reweighted(part, found)
    for _ in range(_ROUNDS):
        rows = problem.rows(found.x)
        before, keep = keep, ~_far(rows, whitened(rows, whiteners(rows, found.noise))[0], len(keep))
        if is_clean and (keep == before).all():
            break
        found, is_clean = fitted(_part(problem, keep), noise, unknown, found.x), True
    return found, keep


def _part(problem: Problem, keep: Bools) -> Problem:
    """The problem of some rows."""
    if keep.all():
        return problem
    sag = None if problem.sag is None else problem.sag[keep]
    return replace(problem, given=problem.given.rows(keep), X=problem.X[keep], sag=sag)


def _fits_nothing(problem: Problem, found: Fit) -> bool:
    """Whether most residuals are far beyond those of any machine: no few rows are to blame."""
    off = np.concatenate([np.abs(each.r)[each.is_there] for each in found.rows])
    return bool(np.median(off) > NOTHING * problem.legs.machine.size)


def _far(rows: Sequence[Rows], r: Array, n: int) -> Bools:
    squares, count = distances(rows, r, n)
    with np.errstate(invalid="ignore"):
        far = np.asarray((scaled(rows, r, n) > cutoff(count)) & (squares > count))
    for each in rows:
        if each.other is not None:
            far &= ~_excused(far, each.at, each.other)
    return far


def _excused(far: Bools, at: Ints, other: Ints) -> Bools:
    """Samples that are off only with regard to another one that is: what is measured with regard to them is right."""
    found = np.zeros(len(far), dtype=bool)
    right = np.zeros(len(far), dtype=bool)
    right[other[~far[at]]] = True
    found[at] = far[at] & far[other] & right[at]
    return found


def _reweighted(problem: Problem, found: Fit) -> Fit:
    """The fit with far rows weighed down (Cauchy's weights), which bad rows do not pull."""
    n = len(problem.given)
    for _ in range(_ROUNDS):
        far = scaled(found.rows, whitened(found.rows, whiteners(found.rows, found.noise))[0], n)
        weight = 1.0 / (1.0 + (np.nan_to_num(far) / _DOWN) ** 2)
        found = fitted(replace(problem, weight=np.sqrt(weight)), found.noise, [], found.x)
    return found


def named(problem: Problem, fit: Fit, keep: Bools) -> list[Outlier]:
    """The rows left out, farthest first."""
    bad = np.flatnonzero(~keep)
    if not len(bad):
        return []
    rows = problem.rows(fit.x)
    r, _ = whitened(rows, whiteners(rows, fit.noise))
    times = scaled(rows, r, len(keep))
    off = np.zeros(len(keep))
    for each in rows:
        lengths = np.array([kind in ("positions", "distances") for kind in each.kinds])
        size = np.where(lengths, 1.0, problem.legs.machine.characteristic_length)
        np.maximum.at(off, each.at, np.abs(each.r * size).max(axis=1, initial=0.0))
    return sorted((Outlier(int(k), float(off[k]), float(times[k])) for k in bad), key=lambda one: -one.times)
