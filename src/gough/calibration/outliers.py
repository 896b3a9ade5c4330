"""Rows that do not belong: found by a robust fit, named with how far they are off, and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gough.arrays import Array, Bools
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
        own = each.is_there.sum(axis=1)
        parts = np.split(r[start : start + own.sum()] ** 2, np.cumsum(own)[:-1])
        np.add.at(found, each.at, [part.sum() for part in parts])
        np.add.at(count, each.at, own)
        start += own.sum()
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


def robust(problem: Problem, noise: Mapping[str, float], unknown: Sequence[str]) -> tuple[Fit, Bools]:
    """The fit without rows that do not belong, and the rows kept (n,)."""
    n = len(problem.given)
    found = fitted(problem, noise, unknown)
    keep = ~(_far(found.rows, found.r, n))
    if keep.all() or _fits_nothing(problem, found):
        return found, np.ones(n, dtype=bool)
    found = _reweighted(problem, found)
    for turn in range(_ROUNDS):
        r = whitened(found.rows, whiteners(found.rows, found.noise))[0]
        far = _far(found.rows, r, n)
        if turn > 0 and (far == ~keep).all():
            break
        keep = ~far
        part = replace(problem, given=problem.given.rows(keep), X=problem.X[keep], sag=_kept(problem.sag, keep))
        fit = fitted(part, noise, unknown, found.x)
        found = replace(fit, rows=problem.rows(fit.x))
    part = replace(problem, given=problem.given.rows(keep), X=problem.X[keep], sag=_kept(problem.sag, keep))
    return fitted(part, found.noise, unknown, found.x), keep


def _fits_nothing(problem: Problem, found: Fit) -> bool:
    """Whether most residuals are far beyond those of any machine: no few rows are to blame."""
    off = np.concatenate([np.abs(each.r)[each.is_there] for each in found.rows])
    return bool(np.median(off) > NOTHING * problem.legs.machine.size)


def _kept(sag: Array | None, keep: Bools) -> Array | None:
    return None if sag is None else sag[keep]


def _far(rows: Sequence[Rows], r: Array, n: int) -> Bools:
    squares, count = distances(rows, r, n)
    with np.errstate(invalid="ignore"):
        return np.asarray((scaled(rows, r, n) > cutoff(count)) & (squares > count))


def _reweighted(problem: Problem, found: Fit) -> Fit:
    """The fit with far rows weighed down (Cauchy's weights), which bad rows do not pull."""
    n = len(problem.given)
    for _ in range(_ROUNDS):
        far = scaled(found.rows, whitened(found.rows, whiteners(found.rows, found.noise))[0], n)
        weight = 1.0 / (1.0 + (np.nan_to_num(far) / _DOWN) ** 2)
        found = fitted(replace(problem, weight=np.sqrt(weight)), found.noise, [], found.x)
        found = replace(found, rows=problem.rows(found.x))
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
