"""`gough place`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import Answer, Field


@dataclass(frozen=True)
class ToolPose:
    """Options of one pose of the tool."""

    at: str | None = option(metavar="X,Y,Z", help="Position of the tool's tip in the base frame.")
    axis: str | None = option(
        metavar="I,J,K", help="Direction of the tool's z axis, about which it may turn freely; or"
    )
    angles: str | None = option(metavar="A,B,C", help="all of its orientation; needs --sequence or --convention; or")
    quaternion: str | None = option(metavar="X,Y,Z,W", help="the same as a quaternion.")

    def placed(self, request: Request, held: Array | None) -> gough.motion.heads.ToolPlacement:
        """Platform and head for it; `held` are given coordinates of the head."""
        from gough.cli.pose_input import read_poses

        m, place_tool = request.machine, gough.motion.heads.place_tool
        if self.at is None:
            raise InputError("--at: give the place of the tool's tip, X,Y,Z, and --axis or an orientation")
        if self.axis is None:
            given = replace(request.options, at=self.at, angles=self.angles, quaternion=self.quaternion)
            return place_tool(m, read_poses(given, m), joints=held)
        if self.angles is not None or self.quaternion is not None:
            raise InputError("--axis leaves the turn about it free; give it or an orientation, one of the two")
        point, axis = request.numbers("--at", self.at, (3,), "m"), request.numbers("--axis", self.axis, (3,))
        return place_tool(m, point=point, axis=axis, joints=held)


@command("orientation", "output")
def place(
    request: Request,
    *,
    pose: ToolPose,
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
    """Platform and head joints for a tool pose, by largest margin.

    Maximises the smallest relative margin to any limit.

    For a pose of the tool, or its point and axis; or along a path of them.
    Writes the platform's pose, the legs, the head's joints and the smallest
    relative margin; the exit code is 1 where a limit is broken.
    """
    from gough.cli.pose_input import read_tool_path
    from gough.motion.heads.kinematics import head_of

    m, head = request.machine, head_of(request.machine)
    held = request.numbers("--joints", joints, (len(head.moving),), head.units)
    found: gough.motion.heads.ToolPlacement | gough.motion.heads.ToolTrack
    if csv is None:
        found = pose.placed(request, held)
        why, binding = f"the tool cannot be held there: {found.sentence()}", [Field("binding", found.binding)]
        is_held = found.is_allowed
    elif pose != ToolPose():
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
    return Answer(fields, notes=[] if is_held else [why], code=int(not is_held))
