"""`gough accuracy`."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import At, Json, MachineName, Options, Output, Sequences, Si, Table, flag, number
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, of_result, sentence
from gough.quantity import ALONG_AXES, AXES

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request

COUNTED = 5
"""Number of parameters listed in the terminal, those that displace the platform most."""
WHOLE = ("worst_translation", "worst_rotation", ("rms_distance", "rms_translation"), ("rms_angle", "rms_rotation"))
UNKNOWN = "the machine's file has no resolution (actuators.resolution); --step gives the joints' smallest step"


def accuracy(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, csv: Table = None,
    step: Annotated[
        float | None, number("STEP", "Smallest step of every joint, instead of the machine's resolution.")
    ] = None,
    tolerance: Annotated[
        float | None,
        number("LENGTH", "Error of each of the 42 geometric parameters, in the file's unit of length; if not given a "
               "round number of micrometres, at most 20 for each metre of the machine's size."),
    ] = None,
    parameters: Annotated[bool, flag("--parameters", "Pose error of each of the 42 parameters, one in a row.")] = False,
    points: Annotated[
        float | None, number("LENGTH", "By group instead: error of each coordinate of the joint points.", low=0.0)
    ] = None,
    lengths: Annotated[
        float | None,
        number("LENGTH", "By group: error of the rod lengths, of struts of the leg length offsets.", low=0.0),
    ] = None,
    encoder: Annotated[
        float | None, number("STEP", "By group: error of every joint coordinate, in the joint's unit.", low=0.0)
    ] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Resolution, and sensitivity to geometric errors.

    At one pose given by options, at many in a CSV file, or at home, for
    the point of interest: worst case, and root of the sum of squares, of
    one step of every joint, and of errors of the joint points and of the legs' lengths.
    """
    given = Options(at=at, sequence=sequence, csv=csv, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    request.at_most_one("parameters", "csv")
    request.at_most_one("points lengths encoder", "step tolerance parameters")
    groups = {"points": points, "lengths": lengths, "encoder": encoder}
    if any(error is not None for error in groups.values()):
        request.write_at_poses(_by_group(request, groups))
    else:
        request.write_at_poses(_answer(request, step, tolerance, parameters=parameters))


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
    sizes, length = request.sizes(ALONG_AXES), request.unit("m")
    # A row for each axis: SI units of the axis per metre of error become the file's units.
    G = gough.accuracy.parameter_sensitivity(m, X) * (sizes[0] / sizes[:, None])
    per = [f"{request.unit(unit)}/{length}" for unit in ALONG_AXES]
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
        *json_keys("", "", "base", sensitivity=G),
    ]
    if parameters:
        names = csv_columns(parameter=[name.replace(" ", "_") for name in gough.accuracy.PARAMETERS])
        fields = [*names, Field("", G.T, per, AXES, "{}", is_json=False), *(replace(f, is_csv=False) for f in fields)]
    notes = [UNKNOWN] if request.is_for_people and found is None and not parameters else []
    words = None if parameters else lambda: _words(request, [*steps, *errors], found, G)
    return Answer(fields, words, {"sensitivity": [[unit] * G.shape[-1] for unit in per]}, notes=notes)


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


def _words(request: Request, axes: list[Field], found: gough.accuracy.Resolution | None, G: Array) -> Words:
    from gough.accuracy.accuracy import parameter_names

    yield request.show.table("axis", AXES, axes)
    yield from [] if found is None else map(sentence, found.sentences())
    moved, length = (G[:3] ** 2).sum(axis=0) ** 0.5, request.unit("m")
    most = (-moved).argsort()[:COUNTED]
    names = [parameter_names(request.machine)[k] for k in most]
    yield ""
    moves = Field("", moved[most], head=f"moved [{length}/{length}]")
    yield request.show.table("parameters that move it most", names, [moves])
