"""What residuals still have in them, over time and over the workspace: a test of each, in words where it finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.arrays import Array
from gough.calibration.fitted_machine import FittedMachine
from gough.calibration.noise import whiteners
from gough.calibration.problem import LOOSE
from gough.calibration.sentences import METRES, length
from gough.calibration.threads import in_one_thread
from gough.limits.ties import legs_in_words
from gough.machine import DisplayUnits
from gough.results import Quantities, Result

RARE = 1e-3
"""Chance with which something is found where there is nothing."""
LEAST = 0.5
"""Of the scatter: less of a shift, a drift or a backlash is not worth a sentence."""
ROUNDING = 1e-9
"""Part of the machine's size that residuals of data without noise stay below."""
CLEAR = 2.5
"""Of the scatter: a smaller jump in the middle of a session may be what the model leaves out, at another place."""
_FEW = 4
"""Rows on either side of a jump."""
TWO_CAUSES = "shifted joint zeros and a moved measuring device cannot be told apart by this"


@dataclass(frozen=True, eq=False)
class Finding(Result):
    """What a test found.

    Attributes
    ----------
    kind : str
        "shift", "drift", "hysteresis" or "place".
    by_leg : (6,) array
        Its size [m]: of the jump, over all rows, between both directions, over the workspace.
    chance : float
        With which as much would be found where there is nothing.
    row : int
        First row after a jump, -1 of others.
    words : str
        In one sentence.

    """

    QUANTITIES: ClassVar[Quantities] = {"by_leg": ("m", "leg"), "chance": "1"}

    kind: str
    by_leg: Array
    chance: float
    row: int
    words: str

    def __str__(self) -> str:
        return self.words


@in_one_thread
def shift(found: FittedMachine) -> Finding | None:
    """The likeliest jump of the legs' lengths between two rows, if it is one; what the fit took of it is given back.

    A score test: for each row the gain in the sum of squares that six jumps from there on would bring.
    """
    from scipy.special import fdtrc

    gain, jump, freedom, squares = _gains(found)
    n = len(gain) - 1
    if n < 2 * _FEW or freedom < 1 or not squares > 0:
        return None
    k = _FEW + int(np.argmax(gain[_FEW : n - _FEW + 1]))
    left = max(squares - gain[k], 0.0) / freedom
    F = gain[k] / 6 / max(left, 1e-300)
    chance = n * float(fdtrc(6, freedom, F))
    scatter = float(np.sqrt(left)) * found.noise_along_legs
    largest = int(np.argmax(np.abs(jump[k])))
    if (
        chance > RARE
        or gain[n] > gain[k]
        or abs(jump[k][largest]) < max(CLEAR * scatter, ROUNDING * found.nominal.size)
    ):
        return None
    row, units = int(found.rows_used[np.flatnonzero(found.kept)[k]]), found.nominal.units
    words = (
        f"something moved before row {row + 1}: residuals jump there by up to "
        f"{length(jump[k][largest], units, sign=True)} (leg {largest + 1}), their scatter is "
        f"{length(scatter, units, 2)}; {TWO_CAUSES}"
    )
    return Finding("shift", jump[k], chance, row, words)


def _gains(found: FittedMachine) -> tuple[Array, Array, int, float]:
    """Gain of a jump at each row that was fitted and, last, of a drift (n + 1,); these jumps and drift (n + 1, 6) [m];
    degrees of freedom and sum of squares."""
    fit, n = found.fit, int(found.kept.sum())
    c, A, E = np.zeros((n, 6)), np.zeros((n, 6, 6)), np.zeros((n, fit.J.shape[1], 6))
    prior = np.append(np.ones(len(found.x)), np.full(fit.J.shape[1] - len(found.x), LOOSE))
    Q = np.linalg.qr(np.concatenate([fit.J, np.diag(prior)]))[0][: len(fit.r)]
    start = 0
    for each, W in zip(fit.rows, whiteners(fit.rows, fit.noise), strict=True):
        B = W @ each.by_legs
        for row, at in enumerate(each.at):
            there = each.is_there[row]
            part = slice(start, start + int(there.sum()))
            start = part.stop
            if each.by_other_joints is None:
                c[at] += B[row][there].T @ fit.r[part]
                A[at] += B[row][there].T @ B[row][there]
                E[at] += Q[part].T @ B[row][there]
    whole = [np.cumsum(each[::-1], axis=0)[::-1] for each in (c, A, E)]
    time = np.linspace(-0.5, 0.5, n)[:, None]
    line = [(c * time).sum(axis=0), (A * time[..., None] ** 2).sum(axis=0), (E * time[..., None]).sum(axis=0)]
    c, A, E = (np.concatenate([one, other[None]]) for one, other in zip(whole, line, strict=True))
    left = A - np.swapaxes(E, 1, 2) @ E
    size = np.trace(left, axis1=1, axis2=2)[:, None, None] / 6 + 1e-300
    jump = np.linalg.solve(left + 1e-9 * size * np.eye(6), c[..., None])[..., 0]
    return np.sum(c * jump, axis=1), jump, len(fit.r) - len(found.x) - 6, float(fit.r @ fit.r)


@in_one_thread
def findings(found: FittedMachine, jump: Finding | None) -> tuple[Finding, ...]:
    """All that is found in the residuals of a calibration, with the jump that `shift` found."""
    e, q = found.residuals, found.given.q
    X = found.problem.X
    units = found.nominal.units
    tests = (jump, None if jump else drift(e, units), hysteresis(e, q, units), place(e, X, units))
    least = ROUNDING * found.nominal.size
    return tuple(one for one in tests if one is not None and np.nanmax(np.abs(one.by_leg)) > least)


def drift(residuals: Array, units: DisplayUnits = METRES) -> Finding | None:
    """Residuals (n, 6) that rise or fall from row to row."""
    n = len(residuals)
    time = np.linspace(-0.5, 0.5, n)[:, None]
    found = _regressed(residuals, np.broadcast_to(time[:, None], (n, 6, 1)))
    return _said("drift", found, units, "residuals drift by {} from the first row to the last")


def hysteresis(residuals: Array, q: Array, units: DisplayUnits = METRES) -> Finding | None:
    """Residuals (n, 6) that depend on where each joint came from: backlash and friction."""
    sign = np.sign(np.diff(q, axis=0, prepend=q[:1]))
    sign[0] = 0.0
    found = _regressed(residuals, sign[..., None] / 2.0)
    return _said(
        "hysteresis", found, units, "residuals differ by {} between readings reached from below and from above"
    )


def place(residuals: Array, X: Array, units: DisplayUnits = METRES) -> Finding | None:
    """Residuals (n, 6) that depend on the place in the workspace, to the second order: something is not modelled."""
    known = np.asarray(np.isfinite(X).all(axis=(1, 2)))
    p = np.where(known[:, None], X[:, :3, 3], np.nan)
    scale = np.nanstd(p, axis=0)
    z = (p - np.nanmean(p, axis=0)) / np.where(scale > 0, scale, 1.0)
    terms = np.stack([z[:, i] * z[:, j] for i in range(3) for j in range(i, 3)], axis=1)
    terms = np.concatenate([z, terms - np.nanmean(terms, axis=0)], axis=1)
    found = _regressed(residuals, np.broadcast_to(terms[:, None], (len(X), 6, terms.shape[1])))
    return _said("place", found, units, "residuals depend on the place in the workspace, {} peak to peak")


def _regressed(e: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Effect (6,) of terms (n, 6, k) on residuals [m], its chance, and the scatter (6,) that is left."""
    from scipy.special import fdtrc

    effect, chance, scatter = np.zeros(6), np.ones(6), np.full(6, np.nan)
    for i in range(6):
        known = np.isfinite(e[:, i]) & np.isfinite(terms[:, i]).all(axis=1)
        n, k = int(known.sum()), terms.shape[2]
        A, y = np.concatenate([np.ones((n, 1)), terms[known, i]], axis=1), e[known, i]
        if n - k - 1 < 2 or np.linalg.matrix_rank(A) <= k:
            continue
        b = np.linalg.lstsq(A, y, rcond=None)[0]
        fitted = A[:, 1:] @ b[1:]
        left = ((y - A @ b) ** 2).sum() / (n - k - 1)
        whole = ((y - y.mean()) ** 2).sum()
        scatter[i] = np.sqrt(left)
        effect[i] = b[1] if k == 1 else np.ptp(fitted)
        if left > 0:
            chance[i] = fdtrc(k, n - k - 1, max(whole - left * (n - k - 1), 0.0) / k / left)
    return effect, chance, scatter


def _said(kind: str, found: tuple[Array, Array, Array], units: DisplayUnits, words: str) -> Finding | None:
    effect, chance, scatter = found
    sure = (chance * 6 < RARE) & (np.abs(effect) > LEAST * scatter)
    if not sure.any():
        return None
    largest = int(np.argmax(np.where(sure, np.abs(effect), 0.0)))
    legs = legs_in_words(int(i) + 1 for i in np.flatnonzero(sure))
    size = length(effect[largest], units, sign=True)
    text = f"{words.format(size)} (leg {largest + 1}; found for {legs})"
    return Finding(kind, effect, float(6 * chance[sure].min()), -1, text)
