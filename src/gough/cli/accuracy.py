"""Commands of accuracy and calibration: accuracy, calibrate, choose."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

import gough
from gough.cli.options import (
    At,
    Figure,
    Json,
    MachineName,
    Output,
    Sequences,
    Si,
    Table,
    count,
    flag,
    named,
    number,
    request_of,
    text,
)
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, AXES, LEGS, ratios

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request

COUNTED = 5
"""Number of parameters listed in the terminal, those that displace the platform most."""
WHOLE = ("worst_translation", "worst_rotation", ("rms_distance", "rms_translation"), ("rms_angle", "rms_rotation"))
UNKNOWN = "the machine's file has no resolution (actuators.resolution); --step gives the joints' smallest step"


def accuracy(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, csv: Table = None,
    step: Annotated[float | None, number("STEP", "Step of every joint; default: the machine's resolution.")] = None,
    tolerance: Annotated[
        float | None,
        number("LENGTH", "Error of each of the 42 geometric parameters; default: up to 20 µm per metre of size."),
    ] = None,
    parameters: Annotated[bool, flag("--parameters", "List the pose error of each of the 42 parameters.")] = False,
    points: Annotated[float | None, number("LENGTH", "Grouped tolerance: joint point coordinates.", low=0)] = None,
    lengths: Annotated[float | None, number("LENGTH", "Grouped tolerance: rod lengths or offsets.", low=0)] = None,
    encoder: Annotated[float | None, number("STEP", "Grouped tolerance: joint coordinates.", low=0)] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute resolution, and sensitivity to geometric errors.

    For the point of interest, at one pose specified by options, at several in
    a CSV file, or at home: worst case and root sum of squares for one step of
    every joint, and for errors of joint points and leg lengths.
    """
    request = request_of(context)
    request.at_most_one("parameters", "csv")
    request.at_most_one("points lengths encoder", "step tolerance parameters")
    groups = {"points": points, "lengths": lengths, "encoder": encoder}
    has_groups = any(error is not None for error in groups.values())
    request.write_at_poses(
        lambda: _by_group(request, groups) if has_groups else _answer(request, step, tolerance, parameters=parameters)
    )


def _answer(request: Request, step: float | None, tolerance: float | None, *, parameters: bool) -> Answer:
    """Resolution by steps of the joints, and pose errors by one tolerance of all geometric parameters."""
    from gough.accuracy.accuracy import likely_error
    from gough.present.show import plain

    m, X = request.machine, request.X
    if tolerance is None:
        tolerance = likely_error(m) / m.units.metres
    if not 0 < tolerance < inf or (step is not None and not 0 < step < inf):
        raise InputError("--step and --tolerance: expected lengths above zero")
    known, joint_step = m.actuators.resolution is not None, request.amount(step, m.legs.joint_unit)
    found = gough.accuracy.resolution(m, X, joint_step=joint_step) if known or step is not None else None
    error = gough.accuracy.pose_error(m, X, request.amount(tolerance, "m"))
    G, length = gough.accuracy.parameter_sensitivity(m, X), request.unit("m")
    per_error = ratios(ALONG_AXES, ("m",) * G.shape[-1])
    steps = [] if found is None else of_result(found, "worst_case", "rms", under="resolution.", of="step", digits=4)
    errors = [
        *of_result(error, "worst_case", under="error.", of=f"error of {plain(tolerance)} {length}", digits=4),
        *of_result(error, "rms", under="error.", of="error", digits=4),
    ]
    fields = [
        *request.axes(ALONG_AXES),
        *steps,
        *([] if found is None else of_result(found, *WHOLE, under="resolution.", is_csv=False)),
        *json_keys("", "m", tolerance=request.amount(tolerance, "m")),
        *errors,
        *json_keys(parameters=gough.accuracy.PARAMETERS),
        *json_keys("", per_error, "base", sensitivity=G),
    ]
    if parameters:
        names = csv_columns(parameter=[name.replace(" ", "_") for name in gough.accuracy.PARAMETERS])
        units = [row[0] for row in per_error]
        fields = [*names, Field("", G.T, units, AXES, "{}", is_json=False), *(replace(f, is_csv=False) for f in fields)]
    notes = [UNKNOWN] if request.is_for_people and found is None and not parameters else []
    words = None if parameters else lambda: _accuracy_words(request, [*steps, *errors], found, G)
    return Answer(fields, words, notes=notes)


def _by_group(request: Request, groups: dict[str, float | None]) -> Answer:
    """Pose error of joint positions, lengths and encoders, each and together."""
    from gough.accuracy.accuracy import length_name
    from gough.limits.ties import listed

    units = {"points": "m", "lengths": "m", "encoder": request.machine.legs.joint_unit}
    given = {name: request.amount(value, units[name]) for name, value in groups.items()}
    found = gough.accuracy.error_by_group(request.machine, request.X, **given)
    fields = [*request.axes(ALONG_AXES), *json_keys(tolerances=groups)]
    heads = {"lengths": f"{length_name(request.machine)}s"}
    budgets = {
        name: of_result(budget, "worst_case", "rms", under=f"{name.replace(' ', '_')}.", of=heads.get(name, name))
        for name, budget in found.items()
    }
    fields += chain(*budgets.values())
    missing = found["together"].unknown
    notes = [f"without {listed(f'--{name}' for name in missing)} the error together is unknown; 0 for exact parts"]

    def words() -> Words:
        shown = [each for name, budget in budgets.items() if not found[name].unknown for each in budget]
        errors = Field("", [each.value for each in shown], ALONG_AXES, AXES, head="{}", digits=4)
        yield request.show.table("error of", [each.head for each in shown], [errors])

    return Answer(fields, words, notes=notes if missing and request.is_for_people else [])


def _accuracy_words(request: Request, axes: list[Field], found: gough.accuracy.Resolution | None, G: Array) -> Words:
    from gough.accuracy.accuracy import parameter_names

    yield request.show.table("axis", AXES, axes)
    yield from [] if found is None else map(sentence, found.sentences())
    moved, length = (G[:3] ** 2).sum(axis=0) ** 0.5, request.unit("m")
    most = (-moved).argsort()[:COUNTED]
    names = [parameter_names(request.machine)[k] for k in most]
    yield ""
    moves = Field("", moved[most], head=f"moved [{length}/{length}]")
    yield request.show.table("parameters that move it most", names, [moves])


COMPARED = ("q", "poses", "positions", "angles")
"""Measurements of another session with which a calibration is compared."""
FRAMES = ("device", "target")
SCALE = "scale"


def calibrate(
    context: Context, machine: MachineName,
    file: Annotated[str, Argument(metavar="FILE", help="CSV file of readings q1 to q6 and of measurements.")],
    save: Annotated[
        Path | None,
        Option(metavar="FILE.toml", help="Write the machine file and its covariance.", callback=named(".toml")),
    ] = None,
    parameters: Annotated[str | None, text("GROUP,...", "Errors to estimate; default: all of the leg kind.")] = None,
    more: Annotated[
        str | None, text("GROUP,...", "Estimate also gains, curvatures, once_per_turn; scale (of the device).")
    ] = None,
    known: Annotated[
        str | None, text("NAME,...", "Known frames: device (is the base), target (is the platform).")
    ] = None,
    noise: Annotated[
        str | None, text("NAME=NUMBER,...", "Standard deviations of joints, positions, rotations, angles, distances.")
    ] = None,
    zero: Annotated[float, number("NUMBER", "Joint coordinate at which motors read zero turns.")] = 0.0,
    check: Annotated[str | None, text("FILE", "CSV file of another session, for validation.")] = None,
    as_read: Annotated[bool, flag("--as-read", "Accept data that look misread or do not fit the machine.")] = False,
    save_doubtful: Annotated[bool, flag("--save-doubtful", "With --save: write a poor fit too.")] = False,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Calibrate the geometry of the legs from measurements.

    The columns of the file select the kind of measurement: poses (x, y, z
    with a, b, c or qx to qw), positions of targets (x1, y1, z1, x2, ...),
    levels (level1, level2), wires (d1, d2, ...); cells may be empty. Prints
    residuals, outliers, the estimated errors with their standard deviations,
    and errors that the measurements do not identify; --save writes the
    calibrated machine file. A poor fit is reported in the first line: not
    converged, residuals above the noise, held-out rows no better than with
    the nominal geometry, errors beyond any tolerance. The exit code is then
    1, and nothing is saved without --save-doubtful.
    """
    from gough.cli.joint_input import read_measurements

    request = request_of(context)
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
    words, code = lambda: _calibrate_words(request, found, other), int(bool(found.doubts))
    request.write(Answer(_fields(request, found, other), words, notes=notes, code=code))


def _error_model(
    request: Request, parameters: str | None, more: str | None, known: str | None, noise: str | None
) -> dict[str, Any]:
    """Arguments of `gough.calibrate`: errors to estimate, known frames, and noise."""
    import numpy as np

    from gough.calibration.legs import groups_of

    chosen = None if parameters is None else request.names(parameters)
    others = request.names(more)
    of_drives = [name for name in others if name != SCALE]
    if of_drives:
        chosen = [*groups_of(request.machine, chosen), *of_drives]
    frames = request.names(known)
    for name in frames:
        if name not in FRAMES:
            raise InputError(f"--known: {name!r} is not a frame, expected {' or '.join(FRAMES)}")
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
        *json_keys(doubts=list(found.doubts), findings=[str(one) for one in found.findings]),
        *json_keys(rows=int(found.kept.sum()), left_out=[one.row + 1 for one in found.outliers]),
        *json_of(found, "rms_before", "rms", ("rms_by_leg_before", "before"), ("rms_by_leg_after", "after")),
        *json_of(found.cross_validation, ("rms", "rms_of_rows_kept_out"), "worth_having"),
        *json_of(found, "undetermined"),
        *json_keys(noise_assumed=found.noise_assumed or None, scale=found.scale[0], scale_deviation=found.scale[1]),
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


def _calibrate_words(
    request: Request, found: gough.calibration.Calibration, other: gough.calibration.Validation | None
) -> Words:
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


EXPECTED = (("rms_position", "position"), ("rms_rotation", "rotation"), "determined", "combinations")
"""Attributes of an expected accuracy for JSON, and keys where these differ."""


def choose(
    context: Context, machine: MachineName,
    number: Annotated[int, count("Number of poses to choose.", "--count", metavar="NUMBER")] = 18,
    parameters: Annotated[str | None, text("GROUP,...", "Errors to estimate, as in gough calibrate.")] = None,
    csv: Table = None, sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Choose optimal measurement poses for a calibration.

    Uses the nominal geometry and the machine's limits; candidates are the
    rows of a CSV file, or the whole workspace. Prints the poses with their
    joint coordinates in an order with short joint travel, and the expected
    accuracy after the calibration.
    """
    request = request_of(context)
    m = request.machine
    candidates = request.X if csv is not None else gough.calibration.random_poses(m)
    errors = None if parameters is None else request.names(parameters)
    with request.progress("choosing"):
        picks = gough.choose_poses(m, candidates, number, parameters=errors)
        X = candidates[picks]
        good = gough.calibration.expected_accuracy(m, X, region=candidates, parameters=errors)
    fields = [
        *([Field("number", picks + 1)] if csv is not None else []),
        *request.poses(X),
        *request.joints(gough.inverse_kinematics(m, X)),
        *json_of(good, *EXPECTED, under="expected."),
    ]
    note = f"expected after measuring, if joints are read to 1e-4 of the machine's size: {good.sentence()}"
    request.write(Answer(fields, notes=[note]))
