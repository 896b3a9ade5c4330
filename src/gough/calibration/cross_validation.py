"""Cross-validation: residuals of rows that were kept out of the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array, Bools
from gough.calibration.fit import Fit, fitted
from gough.calibration.fitted_machine import FittedMachine
from gough.calibration.legs import DRIVE, GROUPS
from gough.calibration.noise import whiteners
from gough.calibration.outliers import with_rows
from gough.calibration.problem import full, leg_residuals, rms_of
from gough.calibration.spreads import spreads
from gough.calibration.threads import in_one_thread
from gough.quantity import quantity, result
from gough.results import Result

FOLDS = 6
BETTER = 0.97
"""Ratio of the RMS of rows kept out, with a term of the drive and without, below which the term is worthwhile."""


@result
class CrossValidation(Result):
    """Residuals of rows that were kept out of the fit, one part of the rows after the other.

    Attributes
    ----------
    extra : mapping of str to float
        `rms` with one more group of the drive's errors, for each that was not estimated [m].

    """

    residuals: Array = quantity(
        "m", "sample", "leg",
        doc="Rod lengths at the measured poses minus the lengths of the machine calibrated without the row.",
    )  # fmt: skip
    rms: float = quantity(
        "m", is_headline=True, doc="Their root mean square; of the measured lengths where no row has all of a pose."
    )
    folds: int = quantity("1", is_listed=False, doc="Number of parts.")
    fitted_rms: float = quantity("m", is_headline=True, doc="RMS of the fit to all rows.")
    extra: dict[str, float]

    @property
    def worth_having(self) -> tuple[str, ...]:
        """Groups of the drive's errors that make rows kept out fit better."""
        return tuple(name for name, value in self.extra.items() if value < BETTER * self.rms)


@in_one_thread
def cross_validate(found: FittedMachine, folds: int = FOLDS) -> CrossValidation:
    """Return cross-validation of a calibration, and of the same with one more group of the drive's errors each."""
    problem, size, extra = with_rows(found.problem, found.kept), found.nominal.characteristic_length, {}
    for name in DRIVE:
        # Without a motor's period there is nothing to estimate once a turn.
        is_known = name != "once_per_turn" or bool(np.isfinite(problem.legs.period).all())
        if name not in problem.legs.groups and is_known:
            groups = tuple(each for each in GROUPS if each in problem.legs.groups or each == name)
            legs = replace(problem.legs, groups=groups)
            spread = spreads(legs, found.given.q, found.nominal.tolerances)
            fit = fitted(replace(problem, legs=legs, spread=spread, X=problem.X.copy()), found.noise, [])
            extra[name] = _kept_out(fit, found.kept, size, folds)[1]
    residuals, rms = _kept_out(found.fit, found.kept, size, folds)
    return CrossValidation(residuals, rms, folds, found.rms, extra)


def _kept_out(fit: Fit, kept: Bools, size: float, folds: int) -> tuple[Array, float]:
    """Residuals (n, 6) of each row by the fit to the parts that it is not in, and their RMS [m].

    Row k is in part k modulo `folds`. Linearised at the fit, the rows of a part K have the residuals
    (I - H_KK)^-1 r_K when they are left out, with H the hat matrix of all rows (Allen 1974): no fit is repeated.
    """
    Q = fit.hat_factor
    # The sample of each number measured: all numbers of a sample are left out together.
    sample = np.concatenate([np.repeat(each.at, each.is_there.sum(axis=1)) for each in fit.rows])
    left_out = np.empty(len(fit.r))
    for k in range(folds):
        part = sample % folds == k
        left_out[part] = np.linalg.solve(np.eye(part.sum()) - Q[part] @ Q[part].T, fit.r[part])
    rows = [
        each._replace(r=np.asarray(np.linalg.solve(W, r[..., None]))[..., 0])
        for (each, r), W in zip(full(fit.rows, left_out), whiteners(fit.rows, fit.noise), strict=True)
    ]
    residuals = np.full((len(kept), 6), np.nan)
    residuals[kept] = leg_residuals(rows, int(kept.sum()))
    return residuals, rms_of(rows, residuals, size)
