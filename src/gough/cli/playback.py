"""`gough playback`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.command import command
from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    import xarray

    from gough.cli.request import Request

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV file with columns time [s] and q1 to q6, the joint coordinates; - for standard input."
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        metavar="POSE",
        help="Roughly where the platform is at first, instead of home: X,Y,Z; X,Y,Z,A,B,C; or X,Y,Z and a quaternion.",
    ),
]
AsMatrix = Annotated[bool, typer.Option("--as-matrix", help="Write poses as matrices m00 to m33.")]


@command("orientation", "output")
def playback(request: Request, file: File, start: Start = None, as_matrix: AsMatrix = False) -> Answer:
    """The platform's motion under histories of the legs.

    Measured or commanded joint coordinates over time in, poses out, each
    continued from the last good one, with its status and proven errors.
    Samples that lead to another assembly mode are flagged; samples without
    a pose are nan and say so, and the exit code is 1.
    """
    from gough.cli.joint_input import read_joint_history
    from gough.motion.joint_space.playback import playback as play

    m = request.machine
    time, q = read_joint_history(file, m)
    first = request.pose("--start", start)
    data = request.watched("forward kinematics", play, m, time, q, start=first)
    request.note_joints(q)
    request.note_speeds(time, q)
    notes, missing = _notes(data)
    return Answer(_fields(request, data, as_matrix=as_matrix), data=lambda: data, notes=notes, code=int(missing > 0))


def _notes(data: xarray.Dataset) -> tuple[list[str], int]:
    """Which samples are not what they should be, and how many have no pose."""
    from gough.kinematics.forward import Status

    count, changes, notes = data.sizes["time"], int(data["mode_change"].sum()), []
    missing = int((data["status"] == Status.NOT_CONVERGED).sum())
    if changes:
        when = float(data["time"][data["mode_change"]][0])
        notes.append(f"{changes} of {count} samples lead to another assembly mode, the first at {when:.6g} s")
    if missing:
        notes.append(
            f"no pose found for {missing} of {count} samples: their joint values may fit no pose, or give --start"
        )
    return notes, missing


def _fields(request: Request, data: xarray.Dataset, *, as_matrix: bool) -> list[Field]:
    words = [word.replace("_", " ") for word in data["status"].attrs["flag_meanings"].split()]
    evidence = {"residual": "m", "iterations": "", "status": "", "certified": ""}
    evidence |= {"error_position": "m", "error_rotation": "rad"}
    values: dict[str, Any] = {name: data[name].to_numpy() for name in evidence}
    values["status"] = [words[k] for k in values["status"]]
    time = data["time"].to_numpy()
    return [
        Field("time", time, "s"),
        *request.poses(data["pose"].to_numpy(), as_matrix=as_matrix),
        *(Field(name, values[name], unit) for name, unit in evidence.items()),
    ]
