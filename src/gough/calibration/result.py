"""Result of a calibration: the machine as built, its errors with their uncertainty, and what is undetermined."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.calibration.cross_validation import CrossValidation, cross_validate
from gough.calibration.diagnosis import CAUSES, DECISIVE, ROUNDING, Finding, findings, shift
from gough.calibration.fitted_machine import FittedMachine
from gough.calibration.identifiability import Information, information
from gough.calibration.legs import PARTS as MADE
from gough.calibration.problem import rms
from gough.calibration.rigid import PARTS, is_far, without_rigid_motions
from gough.displacements import rotation_vectors
from gough.machine import Machine
from gough.machine_parts import Encoders
from gough.present.answer import Field
from gough.present.show import Show, significant
from gough.present.units import without_one
from gough.quantity import derived, quantity, result
from gough.results import Result, Table

if TYPE_CHECKING:
    import xarray

PLAUSIBLE = {True: 5.0, False: 0.5}
"""Largest root mean square of the errors of a group of parts, in tolerances that are stated, or in spreads assumed."""
MOST_OFF = 0.1
"""Largest error of a device's scale."""
_BEYOND = 2.0
"""Ratio of the residuals to the noise stated above which they are not explained by it."""
HELD = 0.7
"""Ratio of an error's standard deviations after and before measuring above which it is not determined by itself."""


@result
class Parameter(Result):
    """An error of a leg: its estimate and standard deviation.

    Attributes
    ----------
    unit : str
        SI unit.

    """

    ROW: ClassVar[tuple[str, ...]] = ("name", "value", "deviation", "words")

    name: str = quantity("", label="parameter", doc='The parameter: "base point 1 x", "zero 3", "gain 2", ...')
    value: float = quantity(attrgetter("unit"), label="error", doc="Estimate, built minus drawn.")
    deviation: float = quantity(
        attrgetter("unit"), label="standard deviation", doc="Standard deviation of the estimate."
    )
    spread: float = quantity(attrgetter("unit"), doc="Standard deviation before measuring.")
    unit: str

    @property
    @derived("", is_listed=False)
    def is_found(self) -> bool:
        """Whether the data determine it by itself."""
        return self.deviation <= HELD * self.spread

    @property
    @derived("", label="", is_listed=False)
    def words(self) -> str:
        """That the data do not determine it by itself; empty where they do."""
        return "" if self.is_found else "not determined by itself"


@result
class Calibration(FittedMachine):
    """The machine as it was built, as far as the data determine it.

    Attributes
    ----------
    machine : Machine
        Calibrated.
    nominal : Machine
        As drawn.
    noise : mapping of str to float
        Standard deviations of the kinds of measurements [m or rad], given or estimated.
    undetermined : tuple of str
        Combinations of errors that the data do not determine, in words; they stay as drawn.
    outliers : tuple of Outlier
        Rows left out.
    alternatives : tuple of str
        What explains the data as well or better, in sentences.

    """

    alternatives: tuple[str, ...] = ()

    @property
    def noise_assumed(self) -> str:
        """A sentence where rows are too few for an estimate of their noise; otherwise empty."""
        if np.isinf(self.fit.freedom):
            return ""  # given, or estimated from enough rows
        size, few = (
            Show(self.nominal).with_unit(self.noise_along_legs, "m", 3),
            f"{self.fit.freedom:.0f} degrees of freedom",
        )
        return (
            f"too few rows to say how noisy the readings are ({few}): {size} along the legs is mostly assumed; "
            "measure more, or give noise"
        )

    @property
    @derived(lambda of: of.units, "parameter")
    def deviations(self) -> Array:
        """Standard deviations (p,) of the errors [SI]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def dataset(self) -> xarray.Dataset:
        """The errors with their covariance, residuals and undetermined combinations, with units."""
        data = super().dataset
        data["geometry"] = (("leg", "number"), geometry(self.machine), {"units": "SI"})
        data["middle"] = (("leg",), self.problem.legs.middle, {"units": self.machine.legs.joint_unit})
        data["device"] = (("session", "row", "column"), self.setup.device, {"units": "1, m"})
        data["scale"] = ((), self.scale[0], {"units": "1"})
        data["target"] = (("row", "column"), self.setup.target, {"units": "1, m"})
        return data.assign_attrs(undetermined="; ".join(self.undetermined), groups=",".join(self.problem.legs.groups))

    @property
    def parameters(self) -> Table[Parameter]:
        """A row for each error."""
        columns = (self.names, self.errors, self.deviations, self.spread, self.units)
        return Table.of(
            (Parameter(n, float(v), float(d), float(s), u) for n, v, d, s, u in zip(*columns, strict=True)),
            self.nominal,
        )

    @property
    @derived("m", "leg", label="before, RMS")
    def rms_by_leg_before(self) -> Array:
        """Root mean square of the residuals of each leg of the drawing, the frames of the measurement fitted to it."""
        return self.rms_by_leg("before")

    @property
    @derived("m", "leg", label="after, RMS")
    def rms_by_leg_after(self) -> Array:
        """The same of each leg, calibrated."""
        return self.rms_by_leg("after")

    def rms_by_leg(self, when: Literal["before", "after"]) -> Array:
        """Compute the root mean square of the residuals of each leg (6,) [m]."""
        return np.array([rms(column) for column in (self.before if when == "before" else self.residuals).T])

    def by_group(self) -> tuple[list[str], list[Field]]:
        """Return the rows and columns of a table of the groups: largest error and standard deviation of each."""
        of_all, units = np.array(self.problem.legs.group_of * 6), np.array(self.units)
        groups = [of_all == name for name in self.problem.legs.groups]
        how: dict[str, Any] = {"unit": [without_one(units[each][0]) for each in groups], "digits": 3}
        errors, deviations = ([max(np.abs(v[each])) for each in groups] for v in (self.errors, self.deviations))
        columns = [Field("", errors, head="largest", **how), Field("", deviations, head="uncertain by at most", **how)]
        return [name.replace("_", " ") for name in self.problem.legs.groups], columns

    @property
    def scale(self) -> tuple[float, float]:
        """Ratio of measured to true lengths, and its standard deviation, 0 where it is known."""
        place = self.setup.places(self.given).get("scale")
        if place is None:
            return self.setup.scale, 0.0
        A = np.concatenate([self.fit.J, self.fit.prior.rows])
        row = np.linalg.pinv(A)[len(self.errors) + place.start]  # A^+ A^+T is the covariance of the unknowns
        return self.setup.scale, float(np.linalg.norm(row))

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Why the fit is not good, in sentences; empty where it is."""
        causes = [str(one) for one in self.findings if one.kind in CAUSES and one.chance < DECISIVE]
        return (*self.faults, *causes, *self.alternatives)

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """Why the fit itself is not good, in sentences: not converged, beyond the noise, or of implausible parts."""
        return tuple(filter(None, (self._unfinished, self._unexplained, *self._implausible, *self._far)))

    @property
    def _unfinished(self) -> str:
        return "" if self.fit.has_converged else "the fit has not converged: its numbers depend on where it began"

    @property
    def _far(self) -> list[str]:
        """Parts that lie elsewhere in known frames than the drawing's home, limits and loads suppose."""
        found, show = [], Show(self.nominal)
        for name, T in self.problem.places.items():
            if is_far(T, self.nominal.size):
                turn = show.with_unit(float(np.linalg.norm(rotation_vectors(T[:3, :3]))), "rad", 3)
                shift, part = show.with_unit(float(np.linalg.norm(T[:3, 3])), "m", 3), name.split("_")[0]
                found.append(
                    f"the {part} lies far from the drawing in the frame of the {PARTS[name]} that is known, turned by "
                    f"{turn} and moved by {shift}, while home, limits and loads stay as drawn: have the frame "
                    f"estimated, without --known {PARTS[name]}"
                )
        return found

    @property
    def _unexplained(self) -> str:
        """That residuals are beyond the noise stated or, without it, rows kept out no nearer than with the drawing."""
        show, cross = Show(self.nominal), self.cross_validation
        if set(self.noise_given) >= {"joints", *(kind for each in self.fit.rows for kind in each.kinds)}:
            freedom = len(self.fit.r) - float((self.fit.hat_factor**2).sum())
            times = float(np.sqrt(self.fit.r @ self.fit.r / freedom)) if freedom > 1.0 else 0.0
            return f"the residuals are {significant(times, 3)} times the noise" if times > _BEYOND else ""
        if cross.rms < max(self.rms_before, ROUNDING * self.nominal.size):
            return ""
        kept_out, before = (show.with_unit(value, "m", 3) for value in (cross.rms, self.rms_before))
        return f"held-out rows have an error of {kept_out} RMS, not less than with the nominal geometry, {before}"

    @property
    def _implausible(self) -> list[str]:
        """Groups of parts whose errors are many times a tolerance."""
        found, show, legs = [], Show(self.nominal), self.problem.legs
        if abs(self.setup.scale - 1.0) > MOST_OFF:
            found.append(
                f"the measuring device's scale of {significant(self.setup.scale, 4)} is beyond any plausible error"
            )
        own = without_rigid_motions(legs, self.problem.spread, self.apart).reshape(6, -1)
        for name, place in legs.places.items():
            x = own[:, place]
            if name in MADE and np.sqrt(np.mean(x**2)) > PLAUSIBLE[name in self.problem.stated]:
                errors = x * self.problem.spread.reshape(6, -1)[:, place]
                largest = show.with_unit(float(np.abs(errors).max()), "rad" if name in ("guides", "axes") else "m", 3)
                found.append(f"errors of {name.replace('_', ' ')} up to {largest} are beyond any plausible tolerance")
        return found

    @cached_property
    def information(self) -> Information:
        """Which combinations of the errors the data determine."""
        return information(self.fit.J, self.fit.prior.of_errors(len(self.errors)))

    @cached_property
    def cross_validation(self) -> CrossValidation:
        """Residuals of rows kept out of the fit, and terms of the drive that would reduce them."""
        return cross_validate(self)

    @cached_property
    def shift(self) -> Finding | None:
        """A jump of the residuals between two rows, where something moved; None where nothing did."""
        return shift(self)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Effects in the residuals: a shift, drift, hysteresis, a dependence on the place."""
        return findings(self, self.shift)

    @property
    @derived("", is_listed=False)
    def has_legs(self) -> bool:
        """Whether rows determine poses by themselves, so that residuals are those of the legs."""
        return bool(np.isfinite(self.residuals).any())

    @property
    def frames(self) -> tuple[str, ...]:
        """Of "device" and "target" those whose frames were estimated."""
        return tuple(name for name in self.setup.places(self.given) if name in ("device", "target"))

    def sentences(self) -> list[str]:
        """Describe rows and residuals, including held-out rows, then outliers, findings, and estimated frames."""
        cross, show = self.cross_validation, Show(self.nominal)
        doubts = [f"not a good fit: {'; '.join(self.doubts)}"] if self.doubts else []
        after, before, kept_out = (show.with_unit(v, "m", 3) for v in (self.rms, self.rms_before, cross.rms))
        ratio, deviation = self.scale
        found = [
            *doubts,
            f"{int(self.kept.sum())} rows, {len(self.errors)} errors looked for. Residuals "
            f"{'of the legs' if self.has_legs else 'of what was measured'}, RMS: {before} with the drawing, {after} "
            f"calibrated, {kept_out} of rows kept out of the fit",
            *(f"left out: {one}" for one in self.outliers),
        ]
        if cross.worth_having:
            found.append(f"rows kept out fit better with more errors (--more): {' and '.join(cross.worth_having)}")
        found += [str(each) for each in (*self.findings, self.noise_assumed) if str(each)]
        if deviation:
            digits = max(0, 1 - int(np.floor(np.log10(deviation))))
            found.append(
                f"the measuring device's scale was estimated: it measures {ratio:.{digits}f} +- {deviation:.2g} times "
                "the true lengths"
            )
        if self.frames:
            what = "frames of device and target were" if len(self.frames) > 1 else f"frame of the {self.frames[0]} was"
            where = self._advice
            found.append(f"the {what} looked for: poses of the calibrated machine are in its own frames; {where}")
        return found

    @property
    def _advice(self) -> str:
        """How to have poses in the frames of the measurements."""
        frames, size = {"device": self.setup.device, "target": self.setup.target[None]}, self.nominal.size
        if not any(is_far(T, size) for name in self.frames for T in frames[name]):
            return f"with {' and '.join(self.frames)} known (--known), poses are in the frames of the measurements"
        return "setup.device and setup.target (device, target in netCDF) transform to the frames of the measurements"

    def sentence(self) -> str:
        """Describe rows, residuals, outliers and findings in one sentence."""
        before, after = (Show(self.nominal).with_unit(value, "m", 4) for value in (self.rms_before, self.rms))
        open_ = f"; {len(self.undetermined)} kinds of combinations are not determined" if self.undetermined else ""
        moved = f"; {self.shift}" if self.shift else ""
        left = f"; {len(self.outliers)} rows left out" if self.outliers else ""
        left += f"; {self.noise_assumed}" if self.noise_assumed else ""
        left += f"; not a good fit: {'; '.join(self.doubts)}" if self.doubts else ""
        return (
            f"Calibration of {self.nominal.name} from {int(self.kept.sum())} rows: residuals of "
            f"{before} RMS before, {after} after{left}{open_}{moved}"
        )


def geometry(machine: Machine) -> Array:
    """Return numbers (6, k) of each leg and its encoder, by which a machine is known again [SI]."""
    curve = machine.encoders or Encoders()
    return np.column_stack([machine.table.T, curve.zero, curve.gain, curve.curvature, curve.sine, curve.cosine])
