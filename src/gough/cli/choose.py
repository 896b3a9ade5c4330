"""`gough choose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer import Option

import gough
from gough.cli.calibration_options import parts, read_points
from gough.cli.command import Array, Request, command
from gough.cli.inverse import readings
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field, json_of

if TYPE_CHECKING:
    from gough.calibration.choose import ExpectedAccuracy

DRAWN = 4000
"""Joint coordinates drawn at random where no candidates are given."""
FAR, TURN = 0.15, 0.3
"""How far from home poses are drawn where joints have no limits: of the machine's size, and [rad]."""


@command("orientation", "csv", "as_matrix", "output")
def choose(
    request: Request,
    count: int = Option(18, min=1, help="Poses to choose."),
    measured: str = Option("poses", metavar="NAME", help="What will be measured: poses, positions or angles."),
    criterion: str = Option(
        "I", metavar="I|D", help="I: least error where the machine works; D: of all errors together."
    ),
    field: str | None = Option(
        None, metavar="X,X,Y,Y,Z,Z", help="Lowest and highest x, y, z of the platform that the device sees."
    ),
    points: str | None = Option(None, metavar="X,Y,Z;...", help="Targets on the platform, of --measured positions."),
    parameters: str | None = Option(None, metavar="GROUP,...", help="Errors to look for, as of gough calibrate."),
) -> Answer:
    """Which poses to measure for a calibration.

    Chosen from the drawing alone, within the machine's limits: out of a
    CSV file of candidates, or out of the whole workspace. In an order
    that keeps the joints' travel short, with the joint coordinates; and
    how well the machine will be known after measuring them.
    """
    m = request.machine
    candidates = request.X if request.options.csv is not None else _drawn(request)
    box = request.numbers("--field", field, (6,), "m")
    how: dict[str, Any] = {
        "measured": measured,
        "points": read_points(request, "--points", points),
        "parameters": None if parameters is None else parts(parameters),
    }
    with request.progress("choosing"):
        picks = gough.choose_poses(
            m, candidates, count, criterion=criterion, field=None if box is None else box.reshape(3, 2), **how
        )
        X = candidates[picks]
        good = gough.calibration.expected_accuracy(m, X, region=candidates, **how)
    numbered = [Field("number", picks + 1)] if request.options.csv is not None else []
    return Answer([*numbered, *_fields(request, X, good)], notes=[_note(request, good)])


def _fields(request: Request, X: Array, good: ExpectedAccuracy) -> list[Field]:
    """The poses with their joint coordinates, and how good they are."""
    m = request.machine
    q = gough.inverse_kinematics(m, X)
    return [
        *request.poses(X),
        Field("joints", q, m.legs.joint_unit, LEGS, "q{}"),
        *readings(m, q),
        *json_of(good, "rms_position:position rms_rotation:rotation determined combinations", "expected."),
    ]


def _note(request: Request, good: ExpectedAccuracy) -> str:
    show = request.show
    parts = [
        f"{show.with_unit(value, unit, 3)} in {what}"
        for value, unit, what in ((good.rms_position, "m", "position"), (good.rms_rotation, "rad", "rotation"))
        if value == value
    ]
    return (
        f"expected after measuring: {' and '.join(parts)}, RMS, if joints are read to 1e-4 of the machine's size; "
        f"{good.determined} of {good.combinations} combinations of errors are determined"
    )


def _drawn(request: Request) -> Array:
    """Poses of joint coordinates drawn between their limits, or about home where those have none; the allowed ones."""
    import numpy as np

    from gough.displacements import displaced

    m, rng = request.machine, np.random.default_rng(0)
    low, high = m.limits.joint_min, m.limits.joint_max
    if np.isfinite(low).all() and np.isfinite(high).all():
        q = rng.uniform(low, high, (DRAWN, 6))
        found = request.in_parts("looking for poses", lambda part: gough.forward_kinematics(m, part, throw=False), q, 1)
        X = found.matrix[found.is_near]
    else:
        d = rng.uniform(-1.0, 1.0, (DRAWN, 6)) * np.array([FAR * m.size] * 3 + [TURN] * 3)
        X = displaced(np.tile(m.X_home, (DRAWN, 1, 1)), d)
    X = X[gough.limits.is_allowed(m, X)]
    if not len(X):
        raise InputError("no pose drawn at random is allowed; give candidates with --csv")
    return np.asarray(X)
