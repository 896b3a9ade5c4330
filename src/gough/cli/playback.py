"""`gough playback`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import Argument, Option

from gough.cli.command import Request, command
from gough.cli.options import POSE
from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    import xarray


@command("as_matrix", "orientation", "output")
def playback(
    request: Request,
    file: str = Argument(
        metavar="FILE", help="CSV file with columns time [s] and q1 to q6, the joint coordinates; - for standard input."
    ),
    start: str | None = Option(
        None, metavar="POSE", help=f"Roughly where the platform is at first, instead of home: {POSE}."
    ),
) -> Answer:
    """Forward kinematics of recorded joint coordinates.

    Measured or commanded joint coordinates over time in, poses out, each
    continued from the last good one, with its status and proven errors.
    Samples that lead to another assembly mode are flagged; samples without
    a pose are nan and say so, and the exit code is 1.
    """
    from gough.cli.joint_input import read_joint_history
    from gough.motion.joint_space.joint_motion import playback as play
    from gough.present.fields import variables

    m = request.machine
    time, q = read_joint_history(file, m)
    data = request.watched("forward kinematics", play, m, time, q, start=request.pose("--start", start))
    request.note_joints(q)
    request.note_speeds(time, q)
    notes, missing = _notes(data)
    words = [word.replace("_", " ") for word in data["status"].attrs["flag_meanings"].split()]
    fields = [
        Field("time", time, "s"),
        *request.joints(q),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, {"residual": "", "iterations": ""}),
        Field("status", [words[k] for k in data["status"].to_numpy()]),
        *variables(data, {"certified": "", "error_position": "", "error_rotation": ""}),
    ]
    return Answer(fields, data=lambda: data, notes=notes, code=int(missing > 0))


def _notes(data: xarray.Dataset) -> tuple[list[str], int]:
    """Notes on samples of another assembly mode and without a pose, and the number of the latter."""
    from gough.kinematics.forward import Status
    from gough.present.show import plain

    count, changes, notes = data.sizes["time"], int(data["mode_change"].sum()), []
    missing = int((data["status"] == Status.NOT_CONVERGED).sum())
    if changes:
        when = float(data["time"][data["mode_change"]][0])
        notes.append(f"{changes} of {count} samples lead to another assembly mode, the first at {plain(when)} s")
    if missing:
        notes.append(
            f"no pose found for {missing} of {count} samples: their joint values may fit no pose, or give --start"
        )
    return notes, missing
