"""`gough choose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import Json, MachineName, Options, Output, Sequences, Table, count, text
from gough.present.answer import Answer, Field, json_of

if TYPE_CHECKING:
    pass


def choose(
    context: Context, machine: MachineName,
    number: Annotated[int, count("Poses to choose.", "--count", metavar="NUMBER")] = 18,
    parameters: Annotated[str | None, text("GROUP,...", "Errors to estimate, as of gough calibrate.")] = None,
    csv: Table = None, sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Optimal measurement poses for a calibration.

    Chosen from the drawing alone, within the machine's limits: out of a
    CSV file of candidates, or out of the whole workspace. In an order
    that keeps the joints' travel short, with the joint coordinates; and
    how well the machine will be known after measuring them.
    """
    request = request_of(context, machine, Options(csv=csv, sequence=sequence, as_json=as_json, output=output))
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
        *json_of(
            good,
            ("rms_position", "position"),
            ("rms_rotation", "rotation"),
            "determined",
            "combinations",
            under="expected.",
        ),
    ]
    note = f"expected after measuring, if joints are read to 1e-4 of the machine's size: {good.sentence()}"
    request.write(Answer(fields, notes=[note]))
