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
from gough.calibration.sentences import length, reading
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.present.show import significant
from gough.results import Quantities, Result

RARE = 1e-6
"""Chance with which a good row is taken for a bad one, if noise is normal."""
_HEAVY = 2.0
"""Noise of real data has heavier tails: distances count in so many times the scale of most rows."""
NOTHING = 0.01
"""Part of the machine's size that half of all residuals are beyond where the data are of another machine."""
_ROUNDS = 10
_ALONE = 0.1
"""Part of the reading that is off most, up to which the others are right."""
_DOWN = 3.0
"""Distance, in scales, from which the robust fit weighs rows down."""


@dataclass(frozen=True, eq=False)
class Outlier(Result):
    """A row that was left out.

    Attributes
    ----------
    row : int
        Counted from 0.
    off : float
        Largest residual [m].
    times : float
        Residuals in times of what others have.
    words : str
        In one sentence: how far it is off, and the reading that explains it alone, if one does.

    """

    QUANTITIES: ClassVar[Quantities] = {"off": "m", "times": "1"}

    row: int
    off: float
    times: float
    words: str

    def __str__(self) -> str:
        return self.words


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
    keep, part = plausible, part_of(problem, plausible)
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
        found, is_clean = fitted(part_of(problem, keep), noise, unknown, found.x), True
    return found, keep


def part_of(problem: Problem, keep: Bools) -> Problem:
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


def named(problem: Problem, fit: Fit, keep: Bools, used: Ints) -> list[Outlier]:
    """The rows left out, farthest first; `used` (n,) are their numbers in the file."""
    bad = np.flatnonzero(~keep)
    if not len(bad):
        return []
    rows, machine = problem.rows(fit.x), problem.legs.machine
    r, _ = whitened(rows, whiteners(rows, fit.noise))
    times = scaled(rows, r, len(keep))
    off = np.zeros(len(keep))
    for each in rows:
        size = np.where(np.isin(each.kinds, ("positions", "distances")), 1.0, machine.characteristic_length)
        np.maximum.at(off, each.at, np.abs(each.r * size).max(axis=1, initial=0.0))
    found = []
    for k, reads in zip(bad, _readings_off(problem, fit, bad), strict=True):
        far, more = length(off[k], machine.units), significant(times[k], 3)
        words = f"row {used[k] + 1} is off by {far}, {more} times what others are{_of_one_leg(machine, reads)}"
        found.append(Outlier(int(used[k]), float(off[k]), float(times[k]), words))
    return sorted(found, key=lambda one: -one.times)


def _readings_off(problem: Problem, fit: Fit, bad: Ints) -> Array:
    """By how much readings differ (k, 6) from those that the measured poses of rows need; NaN without a pose."""
    X = problem.given.poses
    if X is None:
        return np.full((len(bad), 6), np.nan)
    setup, machine = problem.setup_at(fit.x), problem.legs.machine_with(problem.errors(fit.x))
    device = setup.device[problem.given.session[bad]]
    q = inverse_kinematics(machine, np.linalg.inv(device) @ X[bad] @ np.linalg.inv(setup.target))
    off = problem.given.q[bad] - (q if machine.encoders is None else machine.encoders.readings(q))
    return off if machine.legs.joint == "length" else np.asarray(np.angle(np.exp(1j * off)))


def _of_one_leg(machine: Machine, off: Array) -> str:
    """Words for the reading that explains a row alone, if one of (6,) does."""
    if not np.isfinite(off).all():
        return ""
    *_, second, first = np.argsort(np.abs(off))
    if abs(off[second]) > _ALONE * abs(off[first]):
        return ""
    return (
        f": q{first + 1} alone reads {reading(abs(off[first]), machine)} too {'much' if off[first] > 0 else 'little'}"
    )
