"""`gough calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Option

import gough
from gough.cli.calibration_options import FRAMES, ErrorModel
from gough.cli.command import Request, command
from gough.cli.options import writable
from gough.present.answer import LEGS, Answer, Field, Table, Words, csv_columns, json_keys, json_of, of_result, sentence

if TYPE_CHECKING:
    from gough.calibration.result import Calibration
    from gough.calibration.validation import Validation


@command("orientation", "figure", "output")
def calibrate(
    request: Request,
    *,
    file: str = Argument(metavar="FILE", help="CSV file of readings q1 to q6 and what was measured beside them."),
    save: Path | None = Option(
        None,
        metavar="FILE.toml",
        help="Write the calibrated machine file, and its covariance beside it.",
        callback=writable,
    ),
    model: ErrorModel,
    zero: float = Option(0.0, metavar="NUMBER", help="Joint coordinate at which motors read zero turns."),
    check: str | None = Option(None, metavar="FILE", help="CSV file of another session, to compare with."),
    sag: bool = Option(False, "--sag", help="Count what the legs give under the machine's weight."),
) -> Answer:
    """The machine as it was built, from measurements.

    Columns of the file say what was measured: poses (x, y, z with a, b,
    c or qx to qw), places of targets (x1, y1, z1, x2, ...), levels
    (level1, level2), wires (d1, d2, ...); cells may be empty. Says what
    fits how well, which rows do not belong, what moved, and what the
    measurements leave open; --save writes the calibrated machine file.
    """
    from gough.cli.calibration_input import read_measurements

    m = request.machine
    start = request.amount(zero, m.legs.joint_unit)
    given = read_measurements(file, m, request.orientation, start)
    how = model.arguments(request, has_targets="positions" in given)
    with request.progress("calibrating"):
        found = gough.calibrate(m, **given, **how, sag=sag)
        found.cross_validation  # noqa: B018 - worked out while progress is shown
    other = None if check is None else _compared(request, found, check, start)
    notes = []
    if save is not None:
        notes = [f"wrote {save} and {gough.calibration.write(found, save, like=request.name, data=file)}"]
    request.draw(lambda: gough.plot.calibration(found.machine, result=found))
    return Answer(_fields(request, found, other), lambda: _words(request, found, other), notes=notes)


def _compared(request: Request, found: Calibration, file: str, zero: float) -> Validation:
    """The calibration against another session."""
    from gough.cli.calibration_input import read_measurements

    given = read_measurements(file, request.machine, request.orientation, zero)
    kept = {name: given[name] for name in ("q", "poses", "positions", "angles") if name in given}
    return gough.calibration.validate(found, **kept)


def _fields(request: Request, found: Calibration, other: Validation | None) -> list[Field]:
    from gough.calibration.measurements import NOISE

    cross, units = found.cross_validation, {**NOISE, "joints": request.machine.legs.joint_unit}
    fields = [
        *json_keys(rows=int(found.kept.sum()), left_out=[one.row + 1 for one in found.outliers]),
        *json_of(found, "rms_before rms"),
        *json_of(cross, "rms:rms_of_rows_kept_out"),
        *json_of(found, "rms_by_leg.before:before rms_by_leg.after:after"),
        *json_keys(worth_having=list(cross.worth_having), findings=[str(one) for one in found.findings]),
        *json_keys(undetermined=list(found.undetermined), noise_assumed=found.noise_assumed or None),
        *(Field(f"noise.{name}", size, units[name], is_csv=False) for name, size in found.noise.items()),
        *_errors(request, found),
    ]
    if other is not None:
        fields += json_of(other, "rms", "check.")
        fields += json_keys("check.", shift=None if other.shift is None else str(other.shift))
    return fields


def _errors(request: Request, found: Calibration) -> list[Field]:
    """The errors with their standard deviations, each in its unit: a row of CSV for each, and keys of JSON."""
    units = [row.unit for row in found.parameters]
    sizes, names = request.sizes(units), [request.unit(unit) for unit in units]
    return [
        *csv_columns(parameter=[name.replace(" ", "_") for name in found.names]),
        *csv_columns(error=found.errors / sizes, deviation=found.deviations / sizes, unit=names),
        *json_keys(parameters=list(found.names)),
        *json_keys("", units, errors=found.errors, deviations=found.deviations),
    ]


def _words(request: Request, found: Calibration, other: Validation | None) -> Words:
    show, cross = request.show, found.cross_validation
    by_leg = of_result(found, "rms_by_leg.before rms_by_leg.after", digits=3)
    has_legs = any(value == value for value in by_leg[1].value)
    after, before, kept_out = (show.with_unit(v, "m", 3) for v in (found.rms, found.rms_before, cross.rms))
    yield (
        f"{int(found.kept.sum())} rows, {len(found.errors)} errors looked for. Residuals "
        f"{'of the legs' if has_legs else 'of what was measured'}, RMS: {before} "
        f"with the drawing, {after} calibrated, {kept_out} of rows kept out of the fit."
    )
    yield from (sentence(f"left out: {one}") for one in found.outliers)
    yield ""
    if has_legs:
        yield show.table("leg", LEGS, by_leg)
        yield ""
    yield _groups(request, found)
    if cross.worth_having:
        yield f"Rows kept out fit better with {' and '.join(cross.worth_having)}: give --more."
    yield from (sentence(str(each)) for each in (*found.findings, found.noise_assumed) if str(each))
    yield ""
    stays = "leave open, so these stay as drawn:"
    yield f"The measurements {stays if found.undetermined else 'determine all of them.'}"
    yield from (f"- {words}" for words in found.undetermined)
    unknown = [name for name, _ in found.problem.setup.unknowns(found.given) if name in FRAMES]
    if unknown:
        what = "frames of device and target were" if len(unknown) > 1 else f"frame of the {unknown[0]} was"
        yield (
            f"The {what} looked for: poses of the calibrated machine are in its own "
            f"frames. With --known {','.join(unknown)} they are in those of the measurements."
        )
    if other is not None:
        yield f"The other session: {show.with_unit(other.rms, 'm', 3)} RMS."
        if other.shift is not None:
            yield sentence(str(other.shift))


def _groups(request: Request, found: Calibration) -> Table:
    """By group: largest error, and how well errors are known."""
    names, errors, deviations, units = zip(*found.by_group(), strict=True)
    columns = [
        Field("", errors, units, head="largest", digits=3),
        Field("", deviations, units, head="uncertain by at most", digits=3),
    ]
    return request.show.table("errors of", [name.replace("_", " ") for name in names], columns)
