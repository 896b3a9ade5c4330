"""Weights of measurements: covariances of residuals from the noise of joints and of each kind, given or estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gough.arrays import Array
from gough.calibration.problem import Rows

_ROUNDING = 1e-14
_LEAST = 1e-3
"""Least factor of one step."""
_IN_VAIN = 1e-6
"""Less freedom than this for each number says nothing of a noise."""


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
        r.append((W @ each.r[..., None])[..., 0][each.is_there])
        J.append((W @ each.J)[each.is_there])
    return np.concatenate(r), np.concatenate(J)


def estimated(rows: Sequence[Rows], noise: Mapping[str, float], unknown: Sequence[str], prior: Array) -> float:
    """Factor of the noise of the `unknown` kinds, all alike, that the residuals show.

    A step of Foerstner's iteration for variance components (1979): the variance is multiplied by what its part of the
    weighted residuals has over what it should have, with the freedom that the fit takes subtracted. `prior` (p,) weighs
    the unknowns of the fit, from where they are.
    """
    weights = whiteners(rows, noise)
    r, J = whitened(rows, weights)
    Q = np.linalg.qr(np.concatenate([J, np.diag(prior)]))[0][: len(r)]
    if set(unknown) >= {"joints", *(kind for each in rows for kind in each.kinds)}:
        has, due = float(r @ r), float(max(len(r) - (Q**2).sum(), 1.0))
    else:
        has, due = _component(rows, weights, r, Q, noise, unknown)
    if due <= _IN_VAIN * len(r):
        return 1.0
    return float(np.clip(np.sqrt(has / due), _LEAST, 1.0 / _LEAST))


def _component(
    rows: Sequence[Rows],
    weights: Sequence[Array],
    r: Array,
    Q: Array,
    noise: Mapping[str, float],
    unknown: Sequence[str],
) -> tuple[float, float]:
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
