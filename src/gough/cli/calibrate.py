"""`gough calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    Figure,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    flag,
    named,
    number,
    text,
)
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, json_of, of_result, sentence
from gough.quantity import LEGS

if TYPE_CHECKING:
    from gough.cli.request import Request

COMPARED = ("q", "poses", "positions", "angles")
"""Measurements of another session with which a calibration is compared."""
FRAMES = ("device", "target")
SCALE = "scale"


def calibrate(
    context: Context, machine: MachineName,
    file: Annotated[
        str, Argument(metavar="FILE", help="CSV file of readings q1 to q6 and what was measured beside them.")
    ],
    save: Annotated[
        Path | None,
        Option(metavar="FILE.toml", help="Write the calibrated machine file, and its covariance beside it.",
               callback=named(".toml")),
    ] = None,
    parameters: Annotated[
        str | None, text("GROUP,...", "Errors to estimate; those of the leg kind if not given.")
    ] = None,
    more: Annotated[
        str | None,
        text("GROUP,...", "Errors to estimate too: of drives gains, curvatures, once_per_turn; of the measuring device "
             "its scale."),
    ] = None,
    known: Annotated[
        str | None, text("NAME,...", "Frames that are the machine's own: device (the base's), target (the platform's).")
    ] = None,
    noise: Annotated[
        str | None, text("NAME=NUMBER,...", "Standard deviations of joints, positions, rotations, angles, distances.")
    ] = None,
    zero: Annotated[float, number("NUMBER", "Joint coordinate at which motors read zero turns.")] = 0.0,
    check: Annotated[str | None, text("FILE", "CSV file of another session, for validation.")] = None,
    as_read: Annotated[bool, flag("--as-read", "Go on with data that look misread or fit no such machine.")] = False,
    save_doubtful: Annotated[
        bool, flag("--save-doubtful", "With --save: write a machine that is not a good fit.")
    ] = False,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
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

    request = request_of(context, machine, Options(sequence=sequence, figure=figure, as_json=as_json, output=output))
    m = request.machine
    start = request.amount(zero, m.legs.joint_unit)
    given = read_measurements(file, m, request.orientation, start)
    how = _error_model(request, parameters, more, known, noise)
    with request.progress("calibrating"):
        found = gough.calibrate(m, **given, **how, as_read=as_read)
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
    words, code = lambda: _words(request, found, other), int(bool(found.doubts))
    request.write(Answer(_fields(request, found, other), words, notes=notes, code=code))


def _error_model(
    request: Request, parameters: str | None, more: str | None, known: str | None, noise: str | None
) -> dict[str, Any]:
    """Arguments of `gough.calibrate`: errors to estimate, known frames, and noise."""
    import numpy as np

    from gough.calibration.groups import groups_of

    chosen = None if parameters is None else request.names(parameters)
    others = request.names(more)
    of_drives = [name for name in others if name != SCALE]
    if of_drives:
        chosen = [*groups_of(request.machine, chosen), *of_drives]
    frames = request.names(known)
    for name in frames:
        if name not in FRAMES:
            raise InputError(f"--known: {name!r} is no frame, expected {' or '.join(FRAMES)}")
    return {
        "parameters": chosen,
        "noise": _noise(request, noise),
        "scale": None if SCALE in others else 1.0,
        **dict.fromkeys(frames, np.eye(4)),
    }


def _noise(request: Request, noise: str | None) -> dict[str, float]:
    """Numbers by name in SI; each has its unit."""
    from gough.calibration.measurements import noise_units

    found, units = {}, noise_units(request.machine)
    for part in request.names(noise):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals or name not in units:
            raise InputError(f"--noise: {part!r}, expected NAME=NUMBER with a name of {', '.join(units)}")
        found[name] = float(request.numbers("--noise", value, (1,), units[name])[0])
    return found


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
