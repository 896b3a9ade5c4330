"""Residuals of the drawing, before anything is fitted: rows that are far off take no part in the first fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gough.arrays import Array, Bools
from gough.calibration.problem import FAR, Problem, is_rotation
from gough.calibration.setup import Block, Setup

_ROUNDS = 12
_WILD = 8.0
"""Distance beyond the median, in median absolute deviations, of rows that are left out of the first fit."""
_LEAST = 1e-3
"""Distance, in machine sizes, up to which a row is never left out."""
_FITS = 0.01
"""Median distance, in machine sizes, at which frames and points need no refinement."""
_STILL = 0.98
"""Ratio of the median after a step to the smallest before it above which refinement ends."""
_DOWN = 2.0
"""Distance, in medians, at which a row's residuals count half for frames and points."""


def residuals(problem: Problem) -> list[tuple[Block, Array]]:
    """Return blocks of the drawing's predictions with their residuals (k, m) as lengths [m].

    Rotations count as displacements at the characteristic length; samples without a pose have the residual `FAR`.
    """
    m, X = problem.legs.machine, problem.X
    lost = np.asarray(np.isnan(X).any(axis=(1, 2)))
    X = np.where(lost[:, None, None], m.X_home, X)  # any finite pose, as these rows count as far off
    found = []
    for each in problem.setup.blocks(X, problem.given, np.zeros(problem.setup_count)):
        size = np.where(is_rotation(each.kinds), m.characteristic_length, 1.0)
        gone = lost[each.at] if each.other is None else lost[each.at] | lost[each.other]
        r = np.where(gone[:, None], FAR * m.size, each.r * size)
        found.append((each._replace(by_setup=each.by_setup * size[:, None]), r))
    return found


def misfit(problem: Problem) -> float:
    """Return the median over samples of the drawing's largest residual [m]."""
    found = residuals(problem)
    seen = np.zeros(len(problem.given), dtype=bool)
    for each, _ in found:
        seen[each.at] |= each.is_there.any(axis=1)
    return float(np.median(distances(found, len(seen))[seen])) if seen.any() else np.inf


def screened(problem: Problem) -> tuple[Problem, Bools]:
    """Return the problem with frames and points refined from rows that fit the drawing as most do, and these rows
    (n,)."""
    found = residuals(problem)
    size, off = problem.legs.machine.size, distances(found, len(problem.given))
    near = _near(off, size)
    if near.all() and np.median(off) < _FITS * size:
        return problem, near
    # Iteratively reweighted Gauss-Newton steps, of which the best is kept: the median may rise again.
    best, tried = np.median(off), problem
    for _ in range(_ROUNDS):
        tried = replace(tried, setup=_refined(tried, found, off))
        found = residuals(tried)
        off = distances(found, len(off))
        before, now = best, np.median(off)
        if now < best:
            problem, best, near = tried, now, _near(off, size)
        if _STILL * before < now <= before:
            break
    return problem, near


def distances(found: Sequence[tuple[Block, Array]], n: int) -> Array:
    """Return the largest residual of each sample (n,) [m]."""
    off = np.zeros(n)
    for each, r in found:
        np.maximum.at(off, each.at, np.where(each.is_there, np.abs(r), 0.0).max(axis=1, initial=0.0))
    return off


def _near(off: Array, size: float) -> Bools:
    """Samples whose distance is not far beyond the median."""
    middle = np.median(off)
    return np.asarray(off <= max(middle + _WILD * np.median(np.abs(off - middle)), _LEAST * size))


def _refined(problem: Problem, found: Sequence[tuple[Block, Array]], off: Array) -> Setup:
    """Frames and points after a Gauss-Newton step, far rows weighed down."""
    weight = 1.0 / (1.0 + (off / (_DOWN * np.median(off) + 1e-300)) ** 2)
    scale = problem.setup_scale
    J = np.concatenate([(each.by_setup * weight[each.at][:, None, None])[each.is_there] for each, _ in found])
    r = np.concatenate([(r * weight[each.at][:, None])[each.is_there] for each, r in found])
    step = np.linalg.lstsq(J * scale, -r, rcond=1e-6)[0]  # of least norm where rows do not determine all
    return problem.setup.moved(step * scale, problem.given)
