"""What a calibration found: the machine as built, its errors with their uncertainty, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.fit import Fit, fitted
from gough.calibration.identifiability import Information, information, sentences
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.outliers import Outlier, named, part_of
from gough.calibration.parameter import Parameter
from gough.calibration.problem import Problem, Rows
from gough.calibration.residuals import leg_residuals, rms, rms_of
from gough.calibration.sentences import length
from gough.calibration.setup import Setup
from gough.machine import Machine
from gough.results import Quantities, Result, Table

if TYPE_CHECKING:
    import xarray

    from gough.calibration.cross_validation import CrossValidation
    from gough.calibration.diagnosis import Finding


@dataclass(frozen=True, eq=False)
class Calibration(Result):
    """The machine as it was built, as far as the data say.

    Attributes
    ----------
    machine : Machine
        Calibrated.
    nominal : Machine
        As it was given.
    errors : (p,) array
        Off the drawing by so much, in the order of `names` [SI].
    covariance : (p, p) array
        Of the errors [SI].
    residuals : (n, 6) array
        By how much rods are longer than the calibrated machine says at the poses measured [m]; NaN where a row does not
        determine a pose by itself, or was left out.
    noise : mapping of str to float
        Standard deviations of the kinds of measurements [m or rad], given or estimated.
    undetermined : tuple of str
        Combinations of errors that the data leave open, in words; held where the drawing has them.
    outliers : tuple of Outlier
        Rows that were left out.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "errors": ("SI", "parameter"),
        "deviations": ("SI", "parameter"),
        "covariance": ("SI", "parameter", "other_parameter"),
        "residuals": ("m", "sample", "leg"),
        "before": ("m", "sample", "leg"),
        "rms": "m",
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("rms",)

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
    ) -> Calibration:
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
    def noise_assumed(self) -> str:
        """In one sentence, that rows are too few for an estimate of their noise; empty where it is known or found."""
        if np.isinf(self.fit.freedom):
            return ""
        size, few = length(self.noise_along_legs, self.nominal.units), f"{self.fit.freedom:.0f} degrees of freedom"
        return (
            f"too few rows to say how noisy the readings are ({few}): {size} along the legs is mostly assumed; "
            "measure more, or give noise"
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
    def deviations(self) -> Array:
        """Standard deviations (p,) of the errors [SI]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def dataset(self) -> xarray.Dataset:
        """The errors with their covariance, residuals and what is not determined, with units."""
        data = super().dataset
        data = data.assign_coords(parameter=list(self.names), other_parameter=list(self.names))
        data["unit"] = ("parameter", units_of(self.problem.legs))
        data["device"] = (("session", "row", "column"), self.setup.device, {"units": "1, m"})
        data["target"] = (("row", "column"), self.setup.target, {"units": "1, m"})
        return data.assign_attrs(undetermined="; ".join(self.undetermined), groups=",".join(self.problem.legs.groups))

    @property
    def parameters(self) -> Table[Parameter]:
        """A row for each error."""
        columns = (self.names, self.errors, self.deviations, self.problem.spread, units_of(self.problem.legs))
        return Table.of(
            (Parameter(n, float(v), float(d), float(s), u) for n, v, d, s, u in zip(*columns, strict=True)),
            self.nominal,
        )

    @property
    def rms(self) -> float:
        """Root mean square of the residuals of the legs [m]; of the measured lengths where no row has all of a pose."""
        return rms_of(self.fit.rows, self.residuals, self.nominal.characteristic_length)

    @property
    def rms_before(self) -> float:
        """That of the drawing, with frames and points fitted [m]."""
        return rms_of(self._rows_before, self.before, self.nominal.characteristic_length)

    @property
    def rms_by_leg(self) -> dict[str, Array]:
        """Root mean square of the residuals of each leg (6,) [m], "before" and "after"."""
        return {
            name: np.array([rms(column) for column in values.T])
            for name, values in (("before", self.before), ("after", self.residuals))
        }

    def by_group(self) -> Iterator[tuple[str, Array, Array, str]]:
        """Name of each group of errors, its errors, their standard deviations [SI], and the unit."""
        names, units = np.array(self.problem.legs.group_of * 6), units_of(self.problem.legs)
        for name in self.problem.legs.groups:
            chosen = names == name
            yield name, self.errors[chosen], self.deviations[chosen], units[int(np.argmax(chosen))]

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

    @cached_property
    def information(self) -> Information:
        """What the data say of the errors."""
        return information(self.fit.J, len(self.errors))

    @cached_property
    def cross_validation(self) -> CrossValidation:
        """Residuals of rows kept out of the fit, six parts by turns, and terms of the drive that would help."""
        from gough.calibration.cross_validation import cross_validate

        return cross_validate(self)

    @property
    def noise_along_legs(self) -> float:
        """Noise of the readings as lengths of the legs [m]."""
        rate = np.median(np.abs(np.concatenate([each.rate for each in self.fit.rows])))
        return float(self.noise["joints"] * rate)

    @cached_property
    def shift(self) -> Finding | None:
        """A jump of the residuals between two rows, where something moved; None where nothing did."""
        from gough.calibration.diagnosis import shift

        return shift(self)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the residuals still have in them: drift, hysteresis, a shift, a dependence on the place."""
        from gough.calibration.diagnosis import findings

        return findings(self)

    def __str__(self) -> str:
        before, after = (length(value, self.nominal.units, 4) for value in (self.rms_before, self.rms))
        open_ = f"; {len(self.undetermined)} kinds of combinations are not determined" if self.undetermined else ""
        moved = f"; {self.shift}" if self.shift else ""
        left = f"; {len(self.outliers)} rows left out" if self.outliers else ""
        left += f"; {self.noise_assumed}" if self.noise_assumed else ""
        return (
            f"Calibration of {self.nominal.name} from {int(self.kept.sum())} rows: residuals of "
            f"{before} RMS before, {after} after{left}{open_}{moved}"
        )

    def refitted(
        self, kept: NDArray[np.bool_], legs: LegErrors | None = None, spread: Array | None = None
    ) -> Calibration:
        """The fit of some of the rows, with the noise found here; `legs` and `spread` for other errors than these."""
        part = self.given.rows(kept)
        legs, spread = legs or self.problem.legs, self.problem.spread if spread is None else spread
        sag = None if self.problem.sag is None else self.problem.sag[kept]
        problem = Problem(legs, self.problem.setup, part, spread, self.problem.X[kept].copy(), sag)
        same = len(spread) == len(self.errors)
        fit = fitted(problem, self.noise, [], self.fit.x if same else None)
        everything = np.ones(len(part), dtype=bool)
        return Calibration.of(problem, fit, everything, self.rows_used[kept], self.noise_given)


def units_of(legs: LegErrors) -> list[str]:
    """SI units of all errors."""
    joint = legs.machine.legs.joint_unit
    by_group = {
        **dict.fromkeys(("base_points", "platform_points", "rod_lengths", "arms"), "m"),
        **dict.fromkeys(("guides", "axes"), "rad"),
        **dict.fromkeys(("joint_zeros", "once_per_turn"), joint),
        "gains": "1",
        "curvatures": f"1/{joint}",
    }
    return [by_group[name] for name in legs.group_of] * 6
