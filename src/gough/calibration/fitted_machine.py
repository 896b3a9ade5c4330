"""A machine fitted to measurements: its errors, the residuals they leave, and the fit of some of the rows again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.fit import Fit, fitted
from gough.calibration.identifiability import information, sentences
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.outliers import Outlier, named, part_of
from gough.calibration.problem import Problem, Rows
from gough.calibration.residuals import leg_residuals, rms_of
from gough.calibration.setup import Setup
from gough.machine import Machine
from gough.results import Result


@dataclass(frozen=True, eq=False)
class FittedMachine(Result):
    """What tests of a fit work on; `Calibration` says what its attributes are."""

    machine: Machine
    nominal: Machine
    errors: Array
    covariance: Array
    residuals: Array
    noise: dict[str, float]
    undetermined: tuple[str, ...]
    outliers: tuple[Outlier, ...]
    problem: Problem
    fit: Fit
    rows_used: NDArray[np.int64]
    kept: NDArray[np.bool_]
    noise_given: tuple[str, ...]

    @classmethod
    def of(
        cls, problem: Problem, fit: Fit, keep: NDArray[np.bool_], used: NDArray[np.int64], noise_given: Sequence[str]
    ) -> Self:
        """The result of a fit to the rows `keep` of those `used`."""
        legs = problem.legs
        found = information(fit.J, problem.errors_count)
        errors = problem.errors(fit.x)
        covariance = found.covariance * problem.spread * problem.spread[:, None]
        unknown = frozenset(name for name, _ in problem.setup.unknowns(problem.given))
        open_words = sentences(found, legs, problem.spread, unknown, problem.given.q)
        bad = named(problem, fit, keep, used)
        residuals = leg_residuals(fit.rows if keep.all() else problem.rows(fit.x), len(problem.given))
        residuals[~keep] = np.nan
        return cls(
            machine=legs.machine_with(errors),
            nominal=legs.machine,
            errors=errors.ravel(),
            covariance=covariance,
            residuals=residuals,
            noise=fit.noise,
            undetermined=tuple(open_words),
            outliers=tuple(bad),
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
    def x(self) -> Array:
        """The errors counted in their spreads (p,)."""
        return self.fit.x[: len(self.errors)]

    @property
    def given(self) -> Measurements:
        """The measurements that were used."""
        return self.problem.given

    @property
    def setup(self) -> Setup:
        """Frames and points of the measurement as found."""
        return self.problem.setup_at(self.fit.x)

    @property
    def rms(self) -> float:
        """Root mean square of the residuals of the legs [m]; of the measured lengths where no row has all of a pose."""
        return rms_of(self.fit.rows, self.residuals, self.nominal.characteristic_length)

    @property
    def rms_before(self) -> float:
        """That of the drawing, with frames and points fitted [m]."""
        return rms_of(self._rows_before, self.before, self.nominal.characteristic_length)

    @cached_property
    def before(self) -> Array:
        """Residuals (n, 6) of the drawing's legs, with frames and points fitted to it by the rows kept [m]."""
        found = np.full(self.residuals.shape, np.nan)
        found[self.kept] = leg_residuals(self._rows_before, int(self.kept.sum()))
        return found

    @cached_property
    def _rows_before(self) -> list[Rows]:
        """Rows that were kept, of the drawing with frames and points fitted to it."""
        drawn = replace(self.problem.legs, groups=())
        part = part_of(self.problem, self.kept)
        plain = replace(part, legs=drawn, spread=np.zeros(0), X=part.X.copy())
        return fitted(plain, self.fit.noise, []).rows

    @property
    def noise_along_legs(self) -> float:
        """Noise of the readings as lengths of the legs [m]."""
        rate = np.median(np.abs(np.concatenate([each.rate for each in self.fit.rows])))
        return float(self.noise["joints"] * rate)

    def refitted(self, kept: NDArray[np.bool_], legs: LegErrors | None = None, spread: Array | None = None) -> Self:
        """The fit of some of the rows, with the noise found here; `legs` and `spread` for other errors than these."""
        part = self.given.rows(kept)
        legs, spread = legs or self.problem.legs, self.problem.spread if spread is None else spread
        sag = None if self.problem.sag is None else self.problem.sag[kept]
        problem = Problem(legs, self.problem.setup, part, spread, self.problem.X[kept].copy(), sag)
        same = len(spread) == len(self.errors)
        fit = fitted(problem, self.noise, [], self.fit.x if same else None)
        everything = np.ones(len(part), dtype=bool)
        return type(self).of(problem, fit, everything, self.rows_used[kept], self.noise_given)
