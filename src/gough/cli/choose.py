"""`gough choose`."""

from __future__ import annotations

from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.present.answer import Answer, Field, json_of


@command("orientation", "csv", "as_matrix", "output")
def choose(
    request: Request,
    count: int = Option(18, min=1, help="Poses to choose."),
    measured: str = Option("poses", metavar="NAME", help="What will be measured: poses, positions or angles."),
    criterion: str = Option(
        "I",
        metavar="I|D",
        help="I-optimal: least pose error over the workspace; D-optimal: least of all errors together.",
    ),
    field: str | None = Option(
        None, metavar="X,X,Y,Y,Z,Z", help="Lowest and highest x, y, z of the platform that the device sees."
    ),
    points: str | None = Option(None, metavar="X,Y,Z;...", help="Targets on the platform, of --measured positions."),
    parameters: str | None = Option(None, metavar="GROUP,...", help="Errors to estimate, as of gough calibrate."),
) -> Answer:
    """Optimal measurement poses for a calibration.

    Chosen from the drawing alone, within the machine's limits: out of a
    CSV file of candidates, or out of the whole workspace. In an order
    that keeps the joints' travel short, with the joint coordinates; and
    how well the machine will be known after measuring them.
    """
    m = request.machine
    candidates = request.X if request.options.csv is not None else gough.calibration.random_poses(m)
    box = request.numbers("--field", field, (6,), "m")
    how: dict[str, Any] = {
        "measured": measured,
        "points": request.points("--points", points),
        "parameters": None if parameters is None else request.names(parameters),
    }
    with request.progress("choosing"):
        picks = gough.choose_poses(
            m, candidates, count, criterion=criterion, field=None if box is None else box.reshape(3, 2), **how
        )
        X = candidates[picks]
        good = gough.calibration.expected_accuracy(m, X, region=candidates, **how)
    fields = [
        *([Field("number", picks + 1)] if request.options.csv is not None else []),
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
    return Answer(fields, notes=[note])
