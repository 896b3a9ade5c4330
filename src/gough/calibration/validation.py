"""Does it generalise? Cross-validation, other sessions, and what a few poses mend after something moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.calibration.diagnosis import LEAST, RARE, TWO_CAUSES, Finding
from gough.calibration.legs import DRIVE, GROUPS
from gough.calibration.measurements import measurements
from gough.calibration.problem import Problem
from gough.calibration.result import Calibration, leg_residuals, rms
from gough.calibration.spreads import spreads
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.poses import PoseLike
from gough.results import Quantities, Result

Array = NDArray[np.float64]

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
    folds: int
    fitted_rms: float
    extra: dict[str, float]

    @property
    def rms(self) -> float:
        """Root mean square of the residuals [m]."""
        return rms(self.residuals)

    @property
    def worth_having(self) -> tuple[str, ...]:
        """Groups of the drive's errors that make rows kept out fit better."""
        return tuple(name for name, value in self.extra.items() if value < BETTER * self.rms)


def cross_validate(found: Calibration, folds: int = FOLDS) -> CrossValidation:
    """Cross-validation of a calibration, and of it with each group of the drive's errors that it has not."""
    extra = {}
    for name in DRIVE:
        known = name != "once_per_turn" or bool(np.isfinite(found.problem.legs.period).all())
        if name not in found.problem.legs.groups and known:
            extra[name] = rms(_kept_out(_with(found, name), folds))
    return CrossValidation(_kept_out(found, folds), folds, found.rms, extra)


def _with(found: Calibration, name: str) -> Calibration:
    """The calibration with one more group of errors."""
    groups = tuple(each for each in GROUPS if each in found.problem.legs.groups or each == name)
    legs = replace(found.problem.legs, groups=groups)
    spread = spreads(legs, found.given.q, found.nominal.tolerances)
    return found.refitted(found.kept, legs, spread)


def _kept_out(found: Calibration, folds: int) -> Array:
    """Residuals (n, 6) [m] of each row by the fit to the parts that it is not in; row k is in part k modulo `folds`."""
    residuals = np.full((len(found.given), 6), np.nan)
    part = np.arange(len(found.given)) % folds
    kept = found.kept if len(found.kept) == len(found.given) else np.ones(len(found.given), dtype=bool)
    for k in range(folds):
        rest = kept & (part != k)
        out = np.flatnonzero(kept & (part == k))
        if not len(out) or not rest.any():
            continue
        problem = _of_rows(found, rest)
        from gough.calibration.fit import fitted

        x = fitted(problem, found.noise, [], found.fit.x).x
        held = _of_rows(found, out)
        residuals[out] = leg_residuals(held.rows(x), len(out))
    return residuals


def _of_rows(found: Calibration, rows: Any) -> Problem:
    p = found.problem
    return replace(p, given=p.given.rows(rows), X=p.X[rows].copy(), sag=None if p.sag is None else p.sag[rows])


@dataclass(frozen=True, eq=False)
class Validation(Result):
    """A calibration against measurements that it has not seen.

    Attributes
    ----------
    residuals : (n, 6) array
        By how much rods are longer than the calibrated machine says [m].
    fitted_rms : float
        That of the data it was calibrated with [m].
    shift : Finding or None
        Whether all residuals are off together: something moved between the sessions.

    """

    QUANTITIES: ClassVar[Quantities] = {"rms": "m", "fitted_rms": "m", "residuals": ("m", "sample", "leg")}
    HEADLINES: ClassVar[tuple[str, ...]] = ("rms", "fitted_rms")

    residuals: Array
    fitted_rms: float
    shift: Finding | None

    @property
    def rms(self) -> float:
        """Root mean square of the residuals [m]."""
        return rms(self.residuals)


@checks_arguments
def validate(
    calibration: Calibration,
    q: ArrayLike,
    poses: PoseLike | None = None,
    positions: ArrayLike | None = None,
    *,
    angles: ArrayLike | None = None,
) -> Validation:
    """Residuals of other measurements with the same device and targets, and whether something moved in between.

    Parameters
    ----------
    calibration : Calibration
    q : (n, 6) array
        Readings of the joints [m or rad].
    poses : PoseLike, (n, 4, 4), optional
        Of the target in the device's frame.
    positions : (n, k, 3) array, optional
        Of targets [m].
    angles : (n, 2) array, optional
        Of levels [rad].

    Returns
    -------
    Validation

    Raises
    ------
    InputError
        Where no row has enough of a pose.

    """
    given = measurements(q, poses=poses, positions=positions, angles=angles)
    given = given.rows(given.is_measured)
    p = calibration.problem
    setup = calibration.setup
    problem = Problem(p.legs, replace(setup, known=frozenset(_ALL)), given, p.spread, _tiled(calibration, len(given)))
    e = leg_residuals(problem.rows(calibration.x), len(given))
    if not np.isfinite(e).all(axis=1).any():
        raise InputError("nothing to compare: no row measures a whole pose")
    return Validation(e, calibration.rms, moved(e, calibration.rms))


_ALL = ("device", "target", "points", "wire_points", "fixed_points")


def _tiled(found: Calibration, n: int) -> Array:
    return np.tile(found.nominal.X_home, (n, 1, 1))


def moved(e: Array, fitted_rms: float) -> Finding | None:
    """Whether residuals (n, 6) of another session are off together, and how far."""
    from scipy.special import stdtr

    e = e[np.isfinite(e).all(axis=1)]
    n = len(e)
    if n < 2:
        return None
    mean, scatter = e.mean(axis=0), e.std(axis=0, ddof=1)
    chance = 12.0 * stdtr(n - 1, -np.abs(mean) / np.maximum(scatter, 1e-300) * np.sqrt(n))
    sure = (chance < RARE) & (np.abs(mean) > LEAST * max(fitted_rms, 1e-300))
    if not sure.any():
        return None
    worst = int(np.argmax(np.abs(mean)))
    words = (
        f"something moved between the sessions: mean residuals of the legs are up to {1e3 * mean[worst]:+.3g} mm (leg "
        f"{worst + 1}), scatter about them {1e3 * scatter.min():.2g} to {1e3 * scatter.max():.2g} mm; {TWO_CAUSES}"
    )
    return Finding("shift", mean, float(chance.min()), 0, words)


def rehome(calibration: Calibration, q: ArrayLike, poses: PoseLike, **how: Any) -> Calibration:
    """The calibrated machine with joint zeros and the device's frame found anew, all other errors as they are.

    Parameters
    ----------
    calibration : Calibration
    q : (n, 6) array
        Readings of the joints at a few poses [m or rad]: `gough.calibration.choose_poses` picks them.
    poses : PoseLike, (n, 4, 4)
        Of the target in the device's frame.
    **how
        Further arguments of `calibrate`.

    Returns
    -------
    Calibration
        Of `calibration.machine`.

    Raises
    ------
    InputError
        As `gough.calibrate`.

    """
    from gough.calibration.calibrate import calibrate

    zeros: Sequence[str] = ("joint_zeros",)
    return calibrate(
        calibration.machine, q, poses, parameters=zeros, target=calibration.setup.target,
        noise={"joints": max(calibration.noise["joints"], 1e-12), **how.pop("noise", {})}, **how,
    )  # fmt: skip
