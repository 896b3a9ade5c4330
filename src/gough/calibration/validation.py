"""Validation by another session, and joint zeros again from a few poses after something moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.calibration.diagnosis import LEAST, RARE, TWO_CAUSES, Finding, signed_length
from gough.calibration.measurements import measurements
from gough.calibration.problem import Problem, leg_residuals, rms
from gough.calibration.result import Calibration
from gough.calibration.setup import PARTS
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike
from gough.present.show import Show, significant
from gough.present.units import with_unit
from gough.quantity import derived, quantity, result
from gough.results import Result


@result
class Validation(Result):
    """A calibration against measurements of another session.

    Attributes
    ----------
    shift : Finding or None
        Common offset of the residuals: something moved between the sessions.
    machine : Machine
        Calibrated.

    """

    residuals: Array = quantity(
        "m", "sample", "leg", doc="Rod lengths at the measured poses minus the lengths of the calibrated machine."
    )
    fitted_rms: float = quantity("m", doc="RMS of the data it was calibrated with.")
    shift: Finding | None
    machine: Machine

    def sentence(self) -> str:
        """Describe the residuals, and whether something moved."""
        words = f"{with_unit(self.machine, self.rms, 'm', 3)} RMS in another session"
        return words if self.shift is None else f"{words}; {self.shift}"

    @property
    @derived("m")
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
    """Compute the residuals of other measurements with the same device and targets, and test whether something moved in
    between.

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
        Residuals of the legs (n, 6) [m], and whether something moved between the sessions.

    Raises
    ------
    InputError
        Where no row has enough of a pose.

    """
    given = measurements(q, poses=poses, positions=positions, angles=angles)
    given = given.rows(given.is_measured)
    if given.targets not in (0, calibration.given.targets):
        raise InputError(
            f"positions of {given.targets} targets, and the calibration knows the places of {calibration.given.targets}"
        )
    p, start = calibration.problem, np.tile(calibration.nominal.X_home, (len(given), 1, 1))
    # Nothing is estimated: the setup of the calibration is known here.
    problem = Problem(p.legs, replace(calibration.setup, known=frozenset(PARTS)), given, p.spread, start)
    e = leg_residuals(problem.rows(calibration.x), len(given))
    if not np.isfinite(e).all(axis=1).any():
        raise InputError("nothing to compare: no row has a complete pose")
    return Validation(e, calibration.rms, _shift(e, calibration.rms, Show(calibration.nominal)), calibration.machine)


def _shift(e: Array, fitted_rms: float, show: Show) -> Finding | None:
    """Common offset of the residuals (n, 6) of another session, by a t test of each leg; None without any."""
    from scipy.special import stdtr

    e = e[np.isfinite(e).all(axis=1)]
    n = len(e)
    if n < 2:
        return None
    mean, scatter = e.mean(axis=0), e.std(axis=0, ddof=1)
    # Two-sided, and any of six legs: Bonferroni's factor 12.
    chance = 12.0 * stdtr(n - 1, -np.abs(mean) / np.maximum(scatter, 1e-300) * np.sqrt(n))
    sure = (chance < RARE) & (np.abs(mean) > LEAST * max(fitted_rms, 1e-300))
    if not sure.any():
        return None
    worst = int(np.argmax(np.abs(mean)))
    low, high = significant(show.in_units(scatter.min(), "m"), 2), show.with_unit(scatter.max(), "m", 2)
    words = (
        f"something moved between the sessions: mean residuals of the legs are up to "
        f"{signed_length(show, mean[worst])} (leg {worst + 1}), scatter about them {low} to {high}; {TWO_CAUSES}"
    )
    return Finding("shift", mean, float(chance.min()), 0, words)


@checks_arguments
def rehome(calibration: Calibration, q: ArrayLike, poses: PoseLike, **how: Any) -> Calibration:
    """Re-estimate the joint zeros of a calibrated machine and the device's frame, with all other errors unchanged.

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
        noise={"joints": max(calibration.noise["joints"], 1e-12), **how.pop("noise", {})},
        **{"scale": calibration.setup.scale, **how},
    )  # fmt: skip
