"""`gough calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import writable
from gough.present.answer import LEGS, Answer, Field, Table, Words, csv_columns, json_keys, json_of, sentence

if TYPE_CHECKING:
    from gough.calibration.result import Calibration
    from gough.calibration.validation import Validation


SAVE = Option(
    None,
    metavar="FILE.toml",
    help="Write the calibrated machine file, and its covariance beside it.",
    callback=writable,
)
GROUPS = Option(None, metavar="GROUP,...", help="Errors to look for; what the leg kind needs if not given.")
MORE = Option(
    None, "--more", metavar="GROUP,...", help="Errors of drives to look for too: gains, curvatures, once_per_turn."
)
KNOWN = Option(
    None, metavar="NAME,...", help="Frames that are the machine's own: device (the base's), target (the platform's)."
)
POINTS = Option(
    None, metavar="X,Y,Z;...", help="Where targets, or ends of wires, are on the platform; looked for otherwise."
)
FIXED = Option(None, metavar="X,Y,Z;...", help="Where wires end on the base; looked for otherwise.")
NOISE = Option(
    None, metavar="NAME=NUMBER,...", help="Standard deviations of joints, positions, rotations, angles, distances."
)
ZERO = Option(0.0, metavar="NUMBER", help="Joint coordinate at which motors read zero turns.")
CHECK = Option(None, metavar="FILE", help="CSV file of another session, to compare with.")


@command("orientation", "figure", "output")
def calibrate(
    request: Request,
    file: str = Argument(metavar="FILE", help="CSV file of readings q1 to q6 and what was measured beside them."),
    save: Path | None = SAVE,
    parameters: str | None = GROUPS,
    more: str | None = MORE,
    known: str | None = KNOWN,
    points: str | None = POINTS,
    fixed: str | None = FIXED,
    noise: str | None = NOISE,
    zero: float = ZERO,
    check: str | None = CHECK,
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
    how = _options(request, parameters, more, known, points, fixed, noise, has_targets="positions" in given)
    with request.progress("calibrating"):
        found = gough.calibrate(m, **given, **how, sag=sag)
        found.cross_validation  # noqa: B018 - worked out while progress is shown
    other = None if check is None else _compared(request, found, check, start)
    notes = _saved(request, found, file, save)
    request.draw(lambda: gough.plot.calibration(found.machine, result=found))
    return Answer(_fields(request, found, other), lambda: _words(request, found, other), notes=notes)


def _options(
    request: Request, parameters: str | None, more: str | None, known: str | None, points: str | None,
    fixed: str | None, noise: str | None, *, has_targets: bool,
) -> dict[str, Any]:  # fmt: skip
    """Arguments of `gough.calibrate` that the options give."""
    import numpy as np

    from gough.calibration.legs import groups_of
    from gough.cli.calibration_input import read_amounts, read_points
    from gough.errors import InputError

    m = request.machine
    chosen = None if parameters is None else [part.strip() for part in parameters.split(",") if part.strip()]
    if more is not None:
        chosen = [*groups_of(m, chosen), *(part.strip() for part in more.split(",") if part.strip())]
    frames = [part.strip() for part in (known or "").split(",") if part.strip()]
    for name in frames:
        if name not in ("device", "target"):
            raise InputError(f"--known: {name!r} is no frame, expected device or target")
    length, angle = m.units.metres, m.units.radians
    sizes = {
        "joints": m.displayed_joint_size,
        "positions": length,
        "rotations": angle,
        "angles": angle,
        "distances": length,
    }
    places = read_points("--points", points, m.units)
    ends = read_points("--fixed", fixed, m.units)
    of_targets = has_targets and ends is None
    return {
        "parameters": chosen,
        "noise": read_amounts("--noise", noise, sizes),
        **dict.fromkeys(frames, np.eye(4)),
        "fixed_points": ends,
        "points" if of_targets else "wire_points": places,
    }


def _compared(request: Request, found: Calibration, file: str, zero: float) -> Validation:
    """The calibration against another session."""
    from gough.cli.calibration_input import read_measurements

    given = read_measurements(file, request.machine, request.orientation, zero)
    kept = {name: given[name] for name in ("q", "poses", "positions", "angles") if name in given}
    return gough.calibration.validate(found, **kept)


def _saved(request: Request, found: Calibration, file: str, save: Path | None) -> list[str]:
    """Write the machine file and the covariance, where they are requested."""
    if save is None:
        return []
    from gough.calibration.write import write

    beside = write(found, save, like=request.name, data=file)
    return [f"wrote {save} and {beside}"]


def _fields(request: Request, found: Calibration, other: Validation | None) -> list[Field]:
    by_leg, cross, m = found.rms_by_leg, found.cross_validation, request.machine
    lengths = {name: found.noise[name] for name in ("positions", "distances")}
    angles = {name: found.noise[name] for name in ("rotations", "angles")}
    fields = [
        *json_keys(rows=int(found.kept.sum()), left_out=[one.row + 1 for one in found.outliers]),
        *json_of(found, "rms_before rms"),
        *json_of(cross, "rms:rms_of_rows_kept_out"),
        Field("before", by_leg["before"], "m", LEGS, is_csv=False),
        Field("after", by_leg["after"], "m", LEGS, is_csv=False),
        *json_keys(worth_having=list(cross.worth_having), findings=[str(one) for one in found.findings]),
        *json_keys(undetermined=list(found.undetermined), noise_assumed=found.noise_assumed or None),
        *json_keys("noise.", m.legs.joint_unit, joints=found.noise["joints"]),
        *json_keys("noise.", "m", **lengths),
        *json_keys("noise.", "rad", **angles),
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
    show, cross, by_leg = request.show, found.cross_validation, found.rms_by_leg
    has_legs = any(value == value for value in by_leg["after"])
    after, before, kept_out = (show.with_unit(v, "m", 3) for v in (found.rms, found.rms_before, cross.rms))
    yield (
        f"{int(found.kept.sum())} rows, {len(found.errors)} errors looked for. Residuals "
        f"{'of the legs' if has_legs else 'of what was measured'}, RMS: {before} "
        f"with the drawing, {after} calibrated, {kept_out} of rows kept out of the fit."
    )
    for one in found.outliers:
        yield sentence(f"left out: {one}")
    yield ""
    if has_legs:
        columns = [Field("", by_leg[name], "m", head=f"{name}, RMS", digits=3) for name in ("before", "after")]
        yield show.table("leg", LEGS, columns)
        yield ""
    yield _groups(request, found)
    if cross.worth_having:
        yield f"Rows kept out fit better with {' and '.join(cross.worth_having)}: give --more."
    for each in found.findings:
        yield sentence(str(each))
    if found.noise_assumed:
        yield sentence(found.noise_assumed)
    yield ""
    stays = "leave open, so these stay as drawn:"
    yield f"The measurements {stays if found.undetermined else 'determine all of them.'}"
    yield from (f"- {words}" for words in found.undetermined)
    unknown = [name for name, _ in found.problem.setup.unknowns(found.given) if name in ("device", "target")]
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
    from gough.present.show import significant

    rows = []
    for name, errors, deviations, unit in found.by_group():
        size, shown = (1.0, unit) if "/" in unit or unit == "1" else (request.sizes([unit])[0], request.unit(unit))
        rows.append(
            (name.replace("_", " "), significant(abs(errors).max() / size, 3), significant(deviations.max() / size, 3),
             shown.removeprefix("1") if shown == "1" else shown)
        )  # fmt: skip
    return Table(("errors of", "largest", "uncertain by at most", "unit"), rows)
