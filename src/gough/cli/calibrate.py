"""`gough calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import MACHINE_FILE, option
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, json_of, of_result, sentence
from gough.quantity import LEGS

COMPARED = ("q", "poses", "positions", "angles")
"""Measurements of another session with which a calibration is compared."""
FRAMES = ("device", "target")
SCALE = "scale"


@dataclass(frozen=True)
class ErrorModel:
    """Options of the errors to estimate, of known frames and points, and of the noise."""

    parameters: str | None = option(metavar="GROUP,...", help="Errors to estimate; those of the leg kind if not given.")
    more: str | None = option(
        metavar="GROUP,...",
        help="Errors to estimate too: of drives gains, curvatures, once_per_turn; of the measuring device its scale.",
    )
    known: str | None = option(
        metavar="NAME,...", help="Frames that are the machine's own: device (the base's), target (the platform's)."
    )
    points: str | None = option(
        metavar="X,Y,Z;...", help="Points of targets, or of the ends of wires, on the platform; estimated if not given."
    )
    fixed: str | None = option(metavar="X,Y,Z;...", help="Points of wires on the base; estimated if not given.")
    noise: str | None = option(
        metavar="NAME=NUMBER,...", help="Standard deviations of joints, positions, rotations, angles, distances."
    )

    def arguments(self, request: Request, *, has_targets: bool) -> dict[str, Any]:
        """Arguments of `gough.calibrate`; `has_targets` where positions were measured."""
        import numpy as np

        from gough.calibration.groups import groups_of

        chosen = None if self.parameters is None else request.names(self.parameters)
        more = request.names(self.more)
        of_drives = [name for name in more if name != SCALE]
        if of_drives:
            chosen = [*groups_of(request.machine, chosen), *of_drives]
        frames = request.names(self.known)
        for name in frames:
            if name not in FRAMES:
                raise InputError(f"--known: {name!r} is no frame, expected {' or '.join(FRAMES)}")
        # --points are targets where positions were measured; with --fixed, or without positions, ends of wires.
        ends = request.points("--fixed", self.fixed)
        return {
            "parameters": chosen,
            "noise": self._noise(request),
            "scale": None if SCALE in more else 1.0,
            **dict.fromkeys(frames, np.eye(4)),
            "fixed_points": ends,
            "points" if has_targets and ends is None else "wire_points": request.points("--points", self.points),
        }

    def _noise(self, request: Request) -> dict[str, float]:
        """Numbers by name in SI; each has its unit."""
        from gough.calibration.measurements import noise_units

        found, units = {}, noise_units(request.machine)
        for part in request.names(self.noise):
            name, equals, value = (each.strip() for each in part.partition("="))
            if not equals or name not in units:
                raise InputError(f"--noise: {part!r}, expected NAME=NUMBER with a name of {', '.join(units)}")
            found[name] = float(request.numbers("--noise", value, (1,), units[name])[0])
        return found


@command("orientation", "figure", "output")
def calibrate(
    request: Request,
    *,
    file: str = Argument(metavar="FILE", help="CSV file of readings q1 to q6 and what was measured beside them."),
    save: Path | None = Option(
        None,
        metavar="FILE.toml",
        help="Write the calibrated machine file, and its covariance beside it.",
        callback=MACHINE_FILE,
    ),
    model: ErrorModel,
    zero: float = Option(0.0, metavar="NUMBER", help="Joint coordinate at which motors read zero turns."),
    check: str | None = Option(None, metavar="FILE", help="CSV file of another session, for validation."),
    sag: bool = Option(False, "--sag", help="Model the deflection of the legs under the machine's weight."),
    as_read: bool = Option(False, "--as-read", help="Go on with data that look misread or fit no such machine."),
    save_doubtful: bool = Option(False, "--save-doubtful", help="With --save: write a machine that is not a good fit."),
) -> Answer:
    """Kinematic calibration: geometric errors from measurements.

    Columns of the file say what was measured: poses (x, y, z with a, b,
    c or qx to qw), places of targets (x1, y1, z1, x2, ...), levels
    (level1, level2), wires (d1, d2, ...); cells may be empty. Reports
    residuals, outliers, the estimated errors with their standard
    deviations, and which errors the measurements do not identify; --save
    writes the calibrated machine file. The first line says where the fit
    is not good: not converged, residuals beyond the noise, rows kept out
    no better than with the drawing, errors beyond any tolerance; the exit
    code is 1, and nothing is saved without --save-doubtful.
    """
    from gough.cli.calibration_input import read_measurements

    m = request.machine
    start = request.amount(zero, m.legs.joint_unit)
    given = read_measurements(file, m, request.orientation, start)
    how = model.arguments(request, has_targets="positions" in given)
    with request.progress("calibrating"):
        found = gough.calibrate(m, **given, **how, sag=sag, as_read=as_read)
        found.doubts  # noqa: B018 - computed while progress is shown
    other = None
    if check is not None:
        again = read_measurements(check, m, request.orientation, start)
        other = gough.calibration.validate(found, **{name: again[name] for name in COMPARED if name in again})
    notes = []
    if save is not None and found.doubts and not save_doubtful:
        notes = [f"wrote nothing: the fit is not good; --save-doubtful writes {save} nonetheless"]
    elif save is not None:
        beside = gough.calibration.write(found, save, like=request.name, data=file, doubtful=save_doubtful)
        notes = [f"wrote {save} and {beside}"]
    request.draw(lambda: gough.plot.calibration(found.machine, result=found))
    return Answer(
        _fields(request, found, other), lambda: _words(request, found, other), notes=notes, code=int(bool(found.doubts))
    )


def _fields(
    request: Request, found: gough.calibration.Calibration, other: gough.calibration.Validation | None
) -> list[Field]:
    from gough.calibration.measurements import noise_units

    units = noise_units(request.machine)
    fields = [
        *json_keys(doubts=list(found.doubts)),
        *json_keys(rows=int(found.kept.sum()), left_out=[one.row + 1 for one in found.outliers]),
        *json_of(found, "rms_before", "rms"),
        *json_of(found.cross_validation, ("rms", "rms_of_rows_kept_out")),
        *json_of(found, ("rms_by_leg_before", "before"), ("rms_by_leg_after", "after")),
        *json_of(found.cross_validation, "worth_having"),
        *json_keys(findings=[str(one) for one in found.findings]),
        *json_of(found, "undetermined"),
        *json_keys(noise_assumed=found.noise_assumed or None),
        *json_keys(scale=found.scale[0], scale_deviation=found.scale[1]),
        *(Field(f"noise.{name}", size, units[name], is_csv=False) for name, size in found.noise.items()),
        *_errors(request, found),
    ]
    if other is not None:
        fields += json_of(other, "rms", under="check.")
        fields += json_keys("check.", shift=None if other.shift is None else str(other.shift))
    return fields


def _errors(request: Request, found: gough.calibration.Calibration) -> list[Field]:
    """The errors with their standard deviations and units: rows of CSV, keys of JSON."""
    units = [row.unit for row in found.parameters]
    sizes, names = request.sizes(units), [request.unit(unit) for unit in units]
    return [
        *csv_columns(parameter=[name.replace(" ", "_") for name in found.names]),
        *csv_columns(error=found.errors / sizes, deviation=found.deviations / sizes, unit=names),
        *json_of(found, ("names", "parameters")),
        *json_keys("", units, errors=found.errors, deviations=found.deviations),
    ]


def _words(request: Request, found: gough.calibration.Calibration, other: gough.calibration.Validation | None) -> Words:
    first, *more = map(sentence, found.sentences())
    yield first
    yield ""
    if found.has_legs:
        yield request.show.table("leg", LEGS, of_result(found, "rms_by_leg_before", "rms_by_leg_after", digits=3))
        yield ""
    yield request.show.table("errors of", *found.by_group())
    yield from more
    yield ""
    stays = "leave open, so these stay as drawn:"
    yield f"The measurements {stays if found.undetermined else 'determine all of them.'}"
    yield from (f"- {words}" for words in found.undetermined)
    if other is not None:
        yield sentence(other.sentence())
