"""`gough playback`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context

from gough.cli.command import request_of
from gough.cli.options import Json, MachineName, Options, Output, Sequences
from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    import xarray


def playback(
    context: Context, machine: MachineName,
    file: Annotated[
        str, Argument(metavar="FILE", help="CSV file with columns time [s] and q1 to q6, the joint coordinates; - for "
                      "standard input.")
    ],
    sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Forward kinematics of recorded joint coordinates.

    Measured or commanded joint coordinates over time in, poses out, each
    continued from the last good one, with its status and proven errors.
    Samples that lead to another assembly mode are flagged; samples without
    a pose are nan and say so, and the exit code is 1.
    """
    from gough.cli.joint_input import read_joint_history
    from gough.motion.joint_space.joint_motion import playback as play
    from gough.present.fields import variables

    request = request_of(context, machine, Options(sequence=sequence, as_json=as_json, output=output))
    m = request.machine
    time, q = read_joint_history(file, m)
    data = request.watched("forward kinematics", play, m, time, q)
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
    request.write(Answer(fields, data=lambda: data, notes=notes, code=int(missing > 0)))


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
        notes.append(f"no pose found for {missing} of {count} samples: their joint values may fit no pose")
    return notes, missing
