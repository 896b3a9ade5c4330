"""Does it generalise? Residuals of rows that were kept out of the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gough.arrays import Array
from gough.calibration.fitted_machine import FittedMachine
from gough.calibration.legs import DRIVE, GROUPS
from gough.calibration.noise import whiteners
from gough.calibration.problem import LOOSE
from gough.calibration.residuals import leg_residuals, rms_of
from gough.calibration.spreads import spreads
from gough.calibration.threads import in_one_thread
from gough.results import Quantities, Result

FOLDS = 6
BETTER = 0.97
"""Of the residuals that rows kept out have: terms of the drive that leave more than this part are not worth having."""


@dataclass(frozen=True, eq=False)
class CrossValidation(Result):
    """Residuals of rows that were kept out of the fit, a part of them by turns.

    Attributes
    ----------
    residuals : (n, 6) array
        By how much rods are longer than the machine calibrated without the row says [m].
    rms : float
        Their root mean square [m]; of the measured lengths where no row has all of a pose.
    folds : int
        Parts.
    fitted_rms : float
        That of the fit to all rows [m].
    extra : mapping of str to float
        The same RMS with one more group of the drive's errors, for those that were not looked for [m].

    """

    QUANTITIES: ClassVar[Quantities] = {"rms": "m", "fitted_rms": "m", "residuals": ("m", "sample", "leg")}
    HEADLINES: ClassVar[tuple[str, ...]] = ("rms", "fitted_rms")

    residuals: Array
    rms: float
    folds: int
    fitted_rms: float
    extra: dict[str, float]

    @property
    def worth_having(self) -> tuple[str, ...]:
        """Groups of the drive's errors that make rows kept out fit better."""
        return tuple(name for name, value in self.extra.items() if value < BETTER * self.rms)


@in_one_thread
def cross_validate(found: FittedMachine, folds: int = FOLDS) -> CrossValidation:
    """Cross-validation of a calibration, and of it with each group of the drive's errors that it has not."""
    extra = {}
    for name in DRIVE:
        known = name != "once_per_turn" or bool(np.isfinite(found.problem.legs.period).all())
        if name not in found.problem.legs.groups and known:
            extra[name] = _kept_out(_with(found, name), folds)[1]
    residuals, size = _kept_out(found, folds)
    return CrossValidation(residuals, size, folds, found.rms, extra)


def _with(found: FittedMachine, name: str) -> FittedMachine:
    """The calibration with one more group of errors."""
    groups = tuple(each for each in GROUPS if each in found.problem.legs.groups or each == name)
    legs = replace(found.problem.legs, groups=groups)
    spread = spreads(legs, found.given.q, found.nominal.tolerances)
    return found.refitted(found.kept, legs, spread)


def _kept_out(found: FittedMachine, folds: int) -> tuple[Array, float]:
    """Residuals (n, 6) and their RMS [m], of each row by the fit to the parts that it is not in.

    Row k is in part k modulo `folds`.
    Near the fit everything is linear, and the rows of a part K left out have the residuals (I - H_KK)^-1 r_K, with H
    the hat matrix of all rows (Allen 1974): no fit is repeated.
    """
    fit = found.fit
    prior = np.append(np.ones(len(found.x)), np.full(fit.J.shape[1] - len(found.x), LOOSE))
    Q = np.linalg.qr(np.concatenate([fit.J, np.diag(prior)]))[0][: len(fit.r)]
    sample = np.concatenate([np.repeat(each.at, each.is_there.sum(axis=1)) for each in fit.rows])
    left_out = np.empty(len(fit.r))
    for k in range(folds):
        part = sample % folds == k
        left_out[part] = np.linalg.solve(np.eye(part.sum()) - Q[part] @ Q[part].T, fit.r[part])
    rows, start = [], 0
    for each, W in zip(fit.rows, whiteners(fit.rows, fit.noise), strict=True):
        r, count = np.zeros(each.r.shape), int(each.is_there.sum())
        r[each.is_there] = left_out[start : start + count]
        start += count
        rows.append(each._replace(r=np.asarray(np.linalg.solve(W, r[..., None]))[..., 0]))
    residuals = np.full((len(found.given), 6), np.nan)
    residuals[found.kept] = leg_residuals(rows, int(found.kept.sum()))
    return residuals, rms_of(rows, residuals, found.nominal.characteristic_length)
