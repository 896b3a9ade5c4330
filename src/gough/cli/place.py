"""`gough place`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array, Orientation
    from gough.machine import Machine
    from gough.motion.heads.placement import ToolPlacement
    from gough.motion.heads.tool_path import ToolTrack

At = Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Where the tool's tip shall be, in the base frame.")]
Axis = Annotated[
    str | None, typer.Option(metavar="I,J,K", help="Direction of the tool's z axis, about which it may turn freely; or")
]
Angles = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="all of its orientation; needs --sequence or --convention; or"),
]
Quaternion = Annotated[str | None, typer.Option(metavar="X,Y,Z,W", help="the same as a quaternion.")]
Joints = Annotated[
    str | None, typer.Option(metavar="Q1,...", help="Hold the head there, in the file's units; else it is shared out.")
]
Csv = Annotated[
    str | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        help="A path of the tool, followed without jumps: columns x, y, z beside i, j, k or those of poses; - reads "
        "standard input.",
    ),
]


def place(
    machine: options.Machine,
    at: At = None,
    axis: Axis = None,
    angles: Angles = None,
    quaternion: Quaternion = None,
    joints: Joints = None,
    csv: Csv = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Platform and head that hold the tool far from limits.

    As far from every limit as it can be.

    For a pose of the tool, or its point and axis; or along a path of them.
    Writes the platform's pose, the legs, the head's joints and the smallest
    relative margin; the exit code is 1 where a limit is broken.
    """
    from gough.cli.machine import load_machine
    from gough.cli.output import note
    from gough.cli.pose_input import Orientation
    from gough.errors import InputError

    orientation = Orientation(sequence, convention)
    m = load_machine(machine, si=si)
    if csv is not None:
        if any(text is not None for text in (at, axis, angles, quaternion)):
            raise InputError("give one tool pose by options or a path with --csv, one of the two")
        track = _followed(m, csv, orientation, joints)
        _write(m, track, orientation, is_path=True, as_json=as_json, output=output)
        broken = int((~track.is_allowed).sum())
        if broken:
            note(f"{broken} of {len(track.margin)} poses of the tool cannot be held on this way")
            raise typer.Exit(1)
        return
    found = _placed(m, at, axis, angles, quaternion, joints, orientation)
    _write(m, found, orientation, is_path=False, as_json=as_json, output=output)
    if not found.is_allowed:
        note(f"the tool cannot be held there: {found.sentence()}")
        raise typer.Exit(1)


def _placed(
    machine: Machine,
    at: str | None,
    axis: str | None,
    angles: str | None,
    quaternion: str | None,
    joints: str | None,
    orientation: Orientation,
) -> ToolPlacement:
    from gough.cli.numbers import numbers
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.errors import InputError
    from gough.motion.heads.placement import place_tool

    if at is None:
        raise InputError("--at: give the place of the tool's tip, X,Y,Z, and --axis or an orientation")
    held = None if joints is None else _head_joints(machine, joints)
    if axis is None:
        given = PoseOptions(at, angles, quaternion, None, orientation.sequence, orientation.convention)
        return place_tool(machine, read_poses(given, machine), joints=held)
    if angles is not None or quaternion is not None:
        raise InputError("--axis leaves the turn about it free; give it or an orientation, one of the two")
    point = numbers("--at", at, (3,)) * machine.units.metres
    return place_tool(machine, point=point, axis=numbers("--axis", axis, (3,)), joints=held)


def _followed(machine: Machine, csv: str, orientation: Orientation, joints: str | None) -> ToolTrack:
    """The path of a table; `joints` are where the head begins."""
    from gough.cli.pose_input import read_tool_path
    from gough.cli.progress import watched
    from gough.motion.heads.tool_path import follow_tool

    start = None if joints is None else _head_joints(machine, joints)
    path = read_tool_path(csv, orientation, machine.units)
    given = {"tips": path} if path.shape[1:] == (4, 4) else {"points": path[:, :3], "axes": path[:, 3:]}
    return watched("following the tool", follow_tool, machine, **given, start=start)


def _head_joints(machine: Machine, text: str) -> Array:
    """Coordinates (n,) of the head in SI."""
    from gough.cli.numbers import numbers
    from gough.motion.heads.kinematics import head_of

    count = len(head_of(machine).moving)
    return numbers("--joints", text, (count,)) * _scales(machine)


def _scales(machine: Machine) -> Array:
    import numpy as np

    from gough.motion.heads.kinematics import head_of

    units = machine.units
    return np.array([units.radians if unit == "rad" else units.metres for unit in head_of(machine).units])


def _write(
    machine: Machine, found: ToolPlacement | ToolTrack, orientation: Orientation, *, is_path: bool, **where: Any
) -> None:
    import numpy as np

    from gough.cli.dataset import titled
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.cli.pose_output import pose_columns, pose_values
    from gough.kinematics.inverse import inverse_kinematics
    from gough.motion.heads.kinematics import head_of

    head, units = head_of(machine), machine.units
    poses = pose_values(found.matrix, orientation, units)
    q = inverse_kinematics(machine, found.matrix) / machine.joint_scale
    stand = found.joints / _scales(machine)
    columns: dict[str, Any] = pose_columns(poses, units)
    columns |= {titled(f"q{i + 1}", machine.joint_unit): q[..., i] for i in range(6)}
    for k, (joint, unit) in enumerate(zip(head.moving, head.units, strict=True)):
        columns[titled(f"head_{joint.name}", units.angle if unit == "rad" else units.length)] = stand[..., k]
    columns["margin"] = np.asarray(found.margin)
    document = {"machine": machine.name, "units": units_of(machine), **poses, "joints": q, "head": stand}
    document["margin"] = np.asarray(found.margin)
    if not is_path:
        columns["binding"] = document["binding"] = np.array(found.binding)  # type: ignore[union-attr]
    emit(columns, document, **where)
