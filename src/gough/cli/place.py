"""`gough place`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import Json, MachineName, Options, Output, Sequences, text
from gough.errors import InputError
from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request


def place(
    context: Context, machine: MachineName,
    at: Annotated[
        str | None, text("POSE", "Position X,Y,Z of the tool's tip in the base frame, with --axis; or a pose of the "
                         "tool, A,B,C or a quaternion behind its position.")
    ] = None,
    axis: Annotated[
        str | None, text("I,J,K", "Direction of the tool's z axis, about which it may turn freely.")
    ] = None,
    joints: Annotated[
        str | None, text("Q1,...", "Hold the head there, in the file's units; else it is shared out.")
    ] = None,
    csv: Annotated[
        str | None,
        text("FILE", "A path of the tool, followed without jumps: columns x, y, z beside i, j, k or those of poses; - "
             "reads standard input.", "--csv"),
    ] = None,
    sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Platform and head joints for a tool pose, by largest margin.

    Maximises the smallest relative margin to any limit.

    For a pose of the tool, or its point and axis; or along a path of them.
    Writes the platform's pose, the legs, the head's joints and the smallest
    relative margin; the exit code is 1 where a limit is broken.
    """
    from gough.cli.pose_input import read_tool_path
    from gough.motion.heads.kinematics import head_of

    request = request_of(context, machine, Options(at=at, sequence=sequence, as_json=as_json, output=output))
    m, head = request.machine, head_of(request.machine)
    held = request.numbers("--joints", joints, (len(head.moving),), head.units)
    found: gough.motion.heads.ToolPlacement | gough.motion.heads.ToolTrack
    if csv is None:
        found = _placed(request, at, axis, held)
        why, binding = f"the tool cannot be held there: {found.sentence()}", [Field("binding", found.binding)]
        is_held = found.is_allowed
    elif at is not None or axis is not None:
        raise InputError("give one tool pose by options or a path with --csv, one of the two")
    else:
        path = read_tool_path(csv, request.orientation, m.units)
        found = request.watched("following the tool", gough.motion.heads.follow_tool, m, **path, start=held)
        why, binding, is_held = found.sentence(), [], bool(found.is_allowed.all())
    fields = [
        *request.poses(found.matrix),
        *request.joints(gough.inverse_kinematics(m, found.matrix)),
        *request.head(found.joints),
        Field("margin", found.margin),
        *binding,
    ]
    request.write(Answer(fields, notes=[] if is_held else [why], code=int(not is_held)))


def _placed(request: Request, at: str | None, axis: str | None, held: Array | None) -> gough.motion.heads.ToolPlacement:
    """Platform and head for one pose of the tool; `held` are given coordinates of the head."""
    m, place_tool = request.machine, gough.motion.heads.place_tool
    if at is None:
        raise InputError("--at: give the place of the tool's tip, X,Y,Z, and --axis or an orientation")
    if axis is None:
        return place_tool(m, request.X, joints=held)
    point, direction = request.numbers("--at", at, (3,), "m"), request.numbers("--axis", axis, (3,))
    return place_tool(m, point=point, axis=direction, joints=held)
