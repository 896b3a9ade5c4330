"""`gough place`."""

from __future__ import annotations

from typing import Any

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field


@command("orientation", "output")
def place(
    request: Request,
    at: str | None = Option(None, metavar="X,Y,Z", help="Position of the tool's tip in the base frame."),
    axis: str | None = Option(
        None, metavar="I,J,K", help="Direction of the tool's z axis, about which it may turn freely; or"
    ),
    angles: str | None = Option(
        None, metavar="A,B,C", help="all of its orientation; needs --sequence or --convention; or"
    ),
    quaternion: str | None = Option(None, metavar="X,Y,Z,W", help="the same as a quaternion."),
    joints: str | None = Option(
        None, metavar="Q1,...", help="Hold the head there, in the file's units; else it is shared out."
    ),
    csv: str | None = Option(
        None,
        "--csv",
        metavar="FILE",
        help="A path of the tool, followed without jumps: columns x, y, z beside i, j, k or those of poses; - reads "
        "standard input.",
    ),
) -> Answer:
    """Platform and head that hold the tool far from limits.

    As far from every limit as it can be.

    For a pose of the tool, or its point and axis; or along a path of them.
    Writes the platform's pose, the legs, the head's joints and the smallest
    relative margin; the exit code is 1 where a limit is broken.
    """
    if csv is not None:
        if any(text is not None for text in (at, axis, angles, quaternion)):
            raise InputError("give one tool pose by options or a path with --csv, one of the two")
        track = _followed(request, csv, joints)
        broken = int((~track.is_allowed).sum())
        note = f"{broken} of {len(track.margin)} poses of the tool cannot be held on this path"
        return Answer(_fields(request, track), notes=[note] if broken else [], code=int(broken > 0))
    found = _placed(request, at, axis, angles, quaternion, joints)
    fields = [*_fields(request, found), Field("binding", found.binding)]
    notes = [] if found.is_allowed else [f"the tool cannot be held there: {found.sentence()}"]
    return Answer(fields, notes=notes, code=int(not found.is_allowed))


def _placed(
    request: Request, at: str | None, axis: str | None, angles: str | None, quaternion: str | None, joints: str | None
) -> gough.motion.heads.ToolPlacement:
    from dataclasses import replace

    from gough.cli.pose_input import read_poses
    from gough.motion.heads.placement import place_tool

    m = request.machine
    if at is None:
        raise InputError("--at: give the place of the tool's tip, X,Y,Z, and --axis or an orientation")
    held = _head_joints(request, joints)
    if axis is None:
        given = replace(request.options, at=at, angles=angles, quaternion=quaternion)
        return place_tool(m, read_poses(given, m), joints=held)
    if angles is not None or quaternion is not None:
        raise InputError("--axis leaves the turn about it free; give it or an orientation, one of the two")
    point = request.numbers("--at", at, (3,), "m")
    return place_tool(m, point=point, axis=request.numbers("--axis", axis, (3,)), joints=held)


def _followed(request: Request, csv: str, joints: str | None) -> gough.motion.heads.ToolTrack:
    """The path of a table; `joints` are where the head begins."""
    from gough.cli.pose_input import read_tool_path
    from gough.motion.heads.tool_path import follow_tool

    start, m = _head_joints(request, joints), request.machine
    path = read_tool_path(csv, request.orientation, m.units)
    given: dict[str, Any] = {"tips": path} if path.shape[1:] == (4, 4) else {"points": path[:, :3], "axes": path[:, 3:]}
    return request.watched("following the tool", follow_tool, m, **given, start=start)


def _head_joints(request: Request, text: str | None) -> Array | None:
    """Coordinates (n,) of the head in SI."""
    from gough.motion.heads.kinematics import head_of

    head = head_of(request.machine)
    return request.numbers("--joints", text, (len(head.moving),), head.units)


def _fields(request: Request, found: gough.motion.heads.ToolPlacement | gough.motion.heads.ToolTrack) -> list[Field]:
    from gough.motion.heads.kinematics import head_of

    m = request.machine
    head = head_of(m)
    return [
        *request.poses(found.matrix),
        Field("joints", gough.inverse_kinematics(m, found.matrix), m.legs.joint_unit, LEGS, "q{}"),
        Field("head", found.joints, head.units, [joint.name for joint in head.moving], "head_{}"),
        Field("margin", found.margin),
    ]
