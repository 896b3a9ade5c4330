"""A machine fitted to measurements: its errors and the residuals, of the drawing too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.fit import Fit, fitted
from gough.calibration.identifiability import information, sentences
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.outliers import Outlier, outliers_of, with_rows
from gough.calibration.problem import Problem, Rows, leg_residuals, rms_of
from gough.calibration.setup import Setup
from gough.machine import Machine
from gough.quantity import derived, quantity, result
from gough.results import Result


@result
class FittedMachine(Result):
    """Data for the tests of a fit; `Calibration` documents the attributes."""

    machine: Machine
    nominal: Machine
    errors: Array = quantity(
        lambda of: of.units, "parameter", doc="Errors, built minus drawn, in the order of `names`."
    )
    covariance: Array = quantity(
        lambda of: [[f"{one} {other}" for other in of.units] for one in of.units], "parameter", "other_parameter",
        doc="Covariance of the errors.",
    )  # fmt: skip
    residuals: Array = quantity(
        "m", "sample", "leg",
        doc="Rod lengths at the measured poses minus the lengths of the calibrated machine; NaN where a row does not "
        "determine a pose by itself, or was left out.",
    )  # fmt: skip
    noise: dict[str, float]
    undetermined: tuple[str, ...]
    outliers: tuple[Outlier, ...]
    problem: Problem
    fit: Fit
    rows_used: NDArray[np.int64] = quantity(
        "1", "used_sample", is_listed=False, doc="Numbers of the rows that were used, counted from 0."
    )
    kept: NDArray[np.bool_] = quantity(
        "", "used_sample", is_listed=False, doc="Whether each of them was kept in the fit."
    )
    noise_given: tuple[str, ...]

    @classmethod
    def of(
        cls, problem: Problem, fit: Fit, keep: NDArray[np.bool_], used: NDArray[np.int64], noise_given: Sequence[str]
    ) -> Self:
        """Return the result of a fit to the rows `keep` of those `used`."""
        legs, errors = problem.legs, problem.errors(fit.x)
        prior, spread = fit.prior.of_errors(errors.size), problem.spread
        found, before = information(fit.J, prior), np.linalg.inv(prior)
        unknown = frozenset(problem.setup.places(problem.given))
        # Rows of the fit are numbered among the samples kept, residuals among all.
        residuals = leg_residuals(fit.rows if keep.all() else problem.rows(fit.x), len(problem.given))
        residuals[~keep] = np.nan
        return cls(
            machine=legs.machine_with(errors),
            nominal=legs.machine,
            errors=errors.ravel(),
            covariance=before @ found.covariance @ before * spread * spread[:, None],
            residuals=residuals,
            noise=fit.noise,
            undetermined=tuple(sentences(found, legs, spread, prior, unknown, problem.given.q)),
            outliers=tuple(outliers_of(problem, fit, keep, used)),
            problem=problem,
            fit=fit,
            rows_used=used,
            kept=keep,
            noise_given=tuple(noise_given),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the errors."""
        return self.problem.legs.names

    @property
    def units(self) -> tuple[str, ...]:
        """SI units of the errors."""
        return units_of(self.problem.legs)

    def labels(self, dim: str) -> tuple[str, ...]:
        """See `Result.labels`: parameters have their names."""
        return self.names if dim in ("parameter", "other_parameter") else super().labels(dim)

    @property
    @derived("1", "parameter", is_listed=False)
    def x(self) -> Array:
        """The errors over their spreads before the fit (p,)."""
        return self.fit.x[: len(self.errors)]

    @property
    @derived("1", "parameter", is_listed=False)
    def apart(self) -> Array:
        """The same of the parts, apart from where base and platform lie in frames that are known (p,)."""
        return self.x - self.problem.expected.ravel() / self.problem.spread

    @property
    @derived(lambda of: of.units, "parameter", is_listed=False)
    def spread(self) -> Array:
        """Standard deviations of the errors before measuring, stated or as the fit shows (p,) [SI]."""
        before = np.linalg.inv(self.fit.prior.of_errors(len(self.errors)))
        return np.asarray(self.problem.spread * np.linalg.norm(before, axis=0))

    @property
    def given(self) -> Measurements:
        """The measurements that were used."""
        return self.problem.given

    @property
    def setup(self) -> Setup:
        """Frames and points of the measurement, given or estimated."""
        return self.problem.setup_at(self.fit.x)

    @property
    @derived("m")
    def rms(self) -> float:
        """Root mean square of the residuals of the legs [m]; of the measured lengths where no row has all of a pose."""
        return rms_of(self.fit.rows, self.residuals, self.nominal.characteristic_length)

    @property
    @derived("m")
    def rms_before(self) -> float:
        """The same of the drawing, with frames and points fitted [m]."""
        return rms_of(self._rows_before, self.before, self.nominal.characteristic_length)

    @cached_property
    @derived("m", "sample", "leg")
    def before(self) -> Array:
        """Residuals (n, 6) of the drawing's legs, with frames and points fitted to it by the rows kept [m]."""
        found = np.full(self.residuals.shape, np.nan)
        found[self.kept] = leg_residuals(self._rows_before, int(self.kept.sum()))
        return found

    @cached_property
    def _rows_before(self) -> list[Rows]:
        """Rows of the samples kept, of the drawing with frames and points fitted to it."""
        part = with_rows(self.problem, self.kept)
        drawn = replace(part, legs=part.drawn, spread=np.zeros(0), X=part.X.copy(), places={})
        size = self.nominal.characteristic_length
        # Where frames are hardly determined, those of the calibrated machine may fit the drawing better.
        ends = [fitted(drawn, self.fit.noise, [], x).rows for x in (None, self.fit.x[len(self.errors) :])]
        return min(ends, key=lambda rows: rms_of(rows, leg_residuals(rows, len(part.given)), size))

    @property
    @derived("m", is_listed=False)
    def noise_along_legs(self) -> float:
        """Noise of the readings as lengths of the legs [m]."""
        # Derivatives of the leg equations by the readings: about -1 for struts, dependent on the pose otherwise.
        rate = np.median(np.abs(np.concatenate([each.rate for each in self.fit.rows])))
        return float(self.noise["joints"] * rate)


def units_of(legs: LegErrors) -> tuple[str, ...]:
    """Return SI units of all errors, leg by leg."""
    joint = legs.machine.legs.joint_unit
    by_group = {
        **dict.fromkeys(("base_points", "platform_points", "rod_lengths", "arms"), "m"),
        **dict.fromkeys(("guides", "axes"), "rad"),
        **dict.fromkeys(("joint_zeros", "once_per_turn"), joint),
        "gains": "1",
        "curvatures": f"1/{joint}",
    }
    return tuple(by_group[name] for name in legs.group_of) * 6
