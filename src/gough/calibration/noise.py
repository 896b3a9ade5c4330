"""Weights of measurements: covariances of residuals from the noise of readings and measurements, given or estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gough.arrays import Array, Ints
from gough.calibration.prior import Prior
from gough.calibration.problem import Rows, full

_ROUNDING = 1e-14
_IN_VAIN = 1e-6
"""Degrees of freedom for each number measured below which noise cannot be estimated."""
_LEAST = 1e-3
"""Smallest factor of one step."""
FEW = 15.0
"""Degrees of freedom below which an estimated noise gives 95 % intervals that hold less than 93 % of truths
(Student 1908)."""
_POOLED = 6.0
"""Errors by which the spread of a group is drawn to that of all groups."""
_POSE = 6
"""Numbers of a pose: further numbers of a row compare parts of the device, and say nothing of the joints."""


def whiteners(rows: Sequence[Rows], noise: Mapping[str, float], weight: Array | None = None) -> list[Array]:
    """Return matrices (k, m, m) that make the residuals of each sample independent with variance one, times its weight
    (n,).

    Inverse Cholesky factors of the covariance S = N + G s^2 G^T, with N that of the device, G the derivatives by the
    readings and s their noise.
    """
    found = []
    for each in rows:
        diagonal = np.arange(each.r.shape[1])
        S = np.zeros((*each.r.shape, len(diagonal)))
        own = np.array([noise[kind] for kind in each.kinds]) ** 2
        S[:, diagonal, diagonal] = np.where(each.is_there, own, 1.0)  # 1 where nothing was measured: r and J are 0
        for by in _by_readings(each):
            S += noise["joints"] ** 2 * by @ np.swapaxes(by, 1, 2)
        S *= 1.0 + _ROUNDING * np.eye(len(diagonal))  # positive definite even where G s^2 G^T is far above N
        try:
            W = np.asarray(np.linalg.inv(np.linalg.cholesky(S)))
        except np.linalg.LinAlgError:
            W = np.sqrt(1.0 / S[:, diagonal, diagonal])[:, :, None] * np.eye(len(diagonal))
        found.append(W if weight is None else W * weight[each.at][:, None, None])
    return found


def whitened(rows: Sequence[Rows], weights: Sequence[Array]) -> tuple[Array, Array]:
    """Return the weighted residuals (N,) and derivatives (N, p) of all that was measured."""
    r, J = [], []
    for each, W in zip(rows, weights, strict=True):
        by = W @ each.J
        there = slice(None) if each.is_there.all() else each.is_there.ravel()
        r.append((W @ each.r[..., None]).ravel()[there])
        J.append(by.reshape(each.r.size, by.shape[2])[there])
    if len(r) == 1:
        return r[0], J[0]  # no copy of the largest array
    return np.concatenate(r), np.concatenate(J)


def estimated_noise(
    rows: Sequence[Rows], weights: Sequence[Array], r: Array, J: Array, inverse: Array, prior: Prior,
    noise: Mapping[str, float], unknown: Sequence[str], scale: float,
) -> tuple[float, float]:  # fmt: skip
    """Return the common factor of the noise of the `unknown` kinds that the residuals show, and its degrees of freedom
    if too few.

    One step of Foerstner's iteration for variance components (1979): the variance is multiplied by the sum of squares
    of its part of the weighted residuals over the expected one, with the fit's degrees of freedom subtracted.

    `inverse` (p, p) is the inverse of the triangular factor R; r (N,) and J (N, p) are weighted. What is missing of
    `FEW` degrees of freedom is taken from the readings' assumed noise, `noise` over `scale`: a fit through as many
    numbers as unknowns says nothing of their noise. Where several targets make the device's own numbers redundant, the
    level is that of the joints alone.
    """
    is_all = set(unknown) >= {"joints", *(kind for each in rows for kind in each.kinds)}
    if is_all and all(len(each.kinds) <= _POSE for each in rows):
        # Unknowns that the prior determines take no freedom: trace of P (R^T R)^-1 with its information P.
        taken = len(inverse) - float(((prior.rows @ inverse) ** 2).sum())
        squares, expected = float(r @ r), max(len(r) - taken, 0.0)
    else:
        squares, expected = _component(rows, weights, r, J @ inverse, noise, ["joints"] if is_all else unknown)
    # With few degrees of freedom the assumed noise counts as so many more measurements of the noise.
    missing = max(FEW - expected, 0.0) if "joints" in unknown else 0.0
    if expected + missing <= _IN_VAIN * len(r):
        return 1.0, np.inf
    factor = np.sqrt((squares + missing / scale**2) / (expected + missing))
    return float(np.clip(factor, _LEAST, 1.0 / _LEAST)), expected if missing else np.inf


def estimated_spreads(x: Array, inverse: Array, prior: Prior, groups: Sequence[Ints]) -> list[float]:
    """Return the factor of the spread of each group of errors that the fit shows; a group has its numbers among the
    prior's rows.

    One step of the same iteration, with the errors as measurements of zero: their squares over how many of them the
    data determine (MacKay 1992). `_POOLED` more have the spread that all groups together show: few errors of one group
    say little of its own. Motions of a part as one body say nothing of the other groups.
    """
    every = np.concatenate([prior.without_motions(x), prior.motions @ x])
    count = np.concatenate([1.0 - (prior.motions**2).sum(axis=0), np.ones(len(prior.motions))])
    by_row, weight = ((prior.rows @ inverse) ** 2).sum(axis=1), np.concatenate([prior.weight, prior.of_motions])
    squares = np.array([float((every[group] ** 2).sum()) for group in groups])
    determined = np.array([float((count[group] - by_row[group]).sum()) for group in groups])
    single = np.array([group[0] < len(x) for group in groups])
    if determined[single].sum() <= _IN_VAIN * len(x):
        return [1.0] * len(groups)
    common = squares[single].sum() / determined[single].sum()
    spread = np.sqrt((squares + _POOLED * common) / (determined + _POOLED))
    now = np.array([1.0 / weight[group[0]] for group in groups])
    return [float(value) for value in np.clip(spread / now, _LEAST, 1.0 / _LEAST)]


def _component(
    rows: Sequence[Rows], weights: Sequence[Array], r: Array, Q: Array, noise: Mapping[str, float],
    unknown: Sequence[str],
) -> tuple[float, float]:  # fmt: skip
    """Sum of squares of the weighted residuals in the directions of the unknown kinds, and its expected value.

    With B the loads of a kind of noise s: |s B^T W^T r|^2, and trace of s^2 B^T W^T (I - Q Q^T) W B.
    """
    squares, expected = 0.0, 0.0
    for (each, own_r), (_, own_Q), W in zip(full(rows, r), full(rows, Q), weights, strict=True):
        for kind in unknown:
            for B in _derivatives(each, kind):
                WB = W @ B * noise[kind]
                back = np.swapaxes(WB, 1, 2)
                squares += float(((back @ own_r[..., None]) ** 2).sum())
                expected += float((WB**2).sum() - ((back @ own_Q) ** 2).sum())
    return squares, expected


def _derivatives(each: Rows, kind: str) -> list[Array]:
    """Derivatives (k, m, count) of the residuals by independent noise of a kind."""
    if kind == "joints":
        return _by_readings(each)
    columns = np.array([name == kind for name in each.kinds])
    return [np.eye(len(columns))[:, columns] * each.is_there[..., None]] if columns.any() else []


def _by_readings(each: Rows) -> list[Array]:
    """Derivatives (k, m, 6) of the residuals by the readings of the samples, and of those that they are relative to."""
    own = each.by_legs * each.rate[:, None]
    return [own] if each.by_other_joints is None else [own, each.by_other_joints]
