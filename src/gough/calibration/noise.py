"""Weights of measurements: covariances of residuals from the noise of joints and of each kind, given or estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.problem import Rows
from gough.calibration.reduced import Reduced

_ROUNDING = 1e-14
_IN_VAIN = 1e-6
"""Less freedom than this for each number says nothing of a noise."""
_LEAST = 1e-3
"""Least factor of one step."""
FEW = 15.0
"""Degrees of freedom with less of which an estimated noise leaves 95 % intervals that hold less than 93 % of truths
(Student 1908)."""
_POSE = 6
"""Numbers of a row beyond these compare parts of the device with one another, and say nothing of the joints."""
_SECANT = float(np.log(2.0))
"""Logarithm of the factor that a secant may make of a smaller one."""


class Estimate(NamedTuple):
    """By how much noise is to be multiplied, and the degrees of freedom that say so where these are few."""

    factor: float
    freedom: float


def whiteners(rows: Sequence[Rows], noise: Mapping[str, float]) -> list[Array]:
    """Matrices (k, m, m) that make the residuals of each sample independent with variance one."""
    found = []
    for each in rows:
        S = np.zeros((*each.r.shape, each.r.shape[1]))
        diagonal = np.arange(each.r.shape[1])
        own = np.array([noise[kind] for kind in each.kinds]) ** 2
        S[:, diagonal, diagonal] = np.where(each.is_there, own, 1.0)
        for by in (each.by_joints, each.by_other_joints):
            if by is not None:
                S += noise["joints"] ** 2 * by @ np.swapaxes(by, 1, 2)
        S *= 1.0 + _ROUNDING * np.eye(len(diagonal))  # of what is far off, legs may swamp all else
        try:
            found.append(np.asarray(np.linalg.inv(np.linalg.cholesky(S))))
        except np.linalg.LinAlgError:
            found.append(np.sqrt(1.0 / S[:, diagonal, diagonal])[:, :, None] * np.eye(len(diagonal)))
    return found


def whitened(rows: Sequence[Rows], weights: Sequence[Array]) -> tuple[Array, Array]:
    """Residuals (N,) and derivatives (N, p) of all samples, weighted; numbers that were not measured left out."""
    r, J = [], []
    for each, W in zip(rows, weights, strict=True):
        by = W @ each.J
        there = slice(None) if each.is_there.all() else each.is_there.ravel()
        r.append((W @ each.r[..., None]).ravel()[there])
        J.append(by.reshape(each.r.size, by.shape[2])[there])
    if len(r) == 1:
        return r[0], J[0]
    return np.concatenate(r), np.concatenate(J)


def estimated(
    rows: Sequence[Rows], weights: Sequence[Array], r: Array, J: Array, here: Reduced, prior: Array,
    noise: Mapping[str, float], unknown: Sequence[str], scale: float,
) -> Estimate:  # fmt: skip
    """Factor of the noise of the `unknown` kinds, all alike, that the residuals show.

    A step of Foerstner's iteration for variance components (1979): the variance is multiplied by what its part of the
    weighted residuals has over what it should have, with the freedom that the fit takes subtracted. `prior` (p,) weighs
    the unknowns of the fit, from where they are; r, J and `here` are weighted and reduced already. What is missing of
    `FEW` degrees of freedom is taken from the readings' noise as it was assumed, `noise` over `scale`: a fit through as
    many numbers as unknowns says nothing of their noise. Where the device's own numbers agree better or worse than was
    assumed, the level is that of the joints.
    """
    inverse = here.solved(np.eye(len(prior)))
    is_all = set(unknown) >= {"joints", *(kind for each in rows for kind in each.kinds)}
    if is_all and all(len(each.kinds) <= _POSE for each in rows):
        taken = len(prior) - float(((prior[:, None] * inverse) ** 2).sum())
        has, due = float(r @ r), max(len(r) - taken, 0.0)
    else:
        judged = ["joints"] if is_all else unknown
        has, due = _component(rows, weights, r, J @ inverse, noise, judged)
    missing = max(FEW - due, 0.0) if "joints" in unknown else 0.0
    if due + missing <= _IN_VAIN * len(r):
        return Estimate(1.0, np.inf)
    factor = np.sqrt((has + missing / scale**2) / (due + missing))
    return Estimate(float(np.clip(factor, _LEAST, 1.0 / _LEAST)), due if missing else np.inf)


class Level:
    """Factors by which the noise is multiplied until its estimate agrees: Foerstner's, sped up by secants."""

    def __init__(self, least: float) -> None:
        self.least = float(np.log(least))
        self.now = 0.0
        self.before: tuple[float, float] | None = None

    def renewed(self, factor: float) -> float:
        """The factor to take where one step of the iteration gives `factor`; all of them stay above `least`."""
        step = grown = float(np.log(factor))
        if self.before is not None and self.now != self.before[0]:
            slope = (step - self.before[1]) / (self.now - self.before[0])
            if slope < 0.0:
                most = max(abs(step), _SECANT)
                grown = float(np.clip(-step / slope, -most, most))
        self.before = self.now, step
        change = max(self.now + grown, self.least) - self.now
        self.now += change
        return float(np.exp(change))


def _component(
    rows: Sequence[Rows], weights: Sequence[Array], r: Array, Q: Array, noise: Mapping[str, float],
    unknown: Sequence[str],
) -> tuple[float, float]:  # fmt: skip
    """What the residuals have and should have of the unknown kinds."""
    has, due, start = 0.0, 0.0, 0
    for each, W in zip(rows, weights, strict=True):
        count = int(each.is_there.sum())
        full_r, full_Q = np.zeros(each.r.shape), np.zeros((*each.r.shape, Q.shape[1]))
        full_r[each.is_there], full_Q[each.is_there] = r[start : start + count], Q[start : start + count]
        start += count
        for kind in unknown:
            for B in _loads(each, kind):
                WB = W @ B * noise[kind]
                back = np.swapaxes(WB, 1, 2)
                has += float(((back @ full_r[..., None]) ** 2).sum())
                due += float((WB**2).sum() - ((back @ full_Q) ** 2).sum())
    return has, due


def _loads(each: Rows, kind: str) -> list[Array]:
    """How independent noise of a kind enters the residuals, (k, m, count)."""
    if kind == "joints":
        return [by for by in (each.by_joints, each.by_other_joints) if by is not None]
    columns = np.array([name == kind for name in each.kinds])
    return [np.eye(len(columns))[:, columns] * each.is_there[..., None]] if columns.any() else []
