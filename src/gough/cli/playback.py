"""`gough playback`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    import xarray

    from gough.machine import Machine

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


def playback(
    machine: options.Machine,
    file: File,
    start: Start = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    as_matrix: AsMatrix = False,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """The platform's motion under histories of the legs.

    Measured or commanded joint coordinates over time in, poses out, each
    continued from the last good one, with its status and proven errors.
    Samples that lead to another assembly mode are flagged; samples without
    a pose are nan and say so, and the exit code is 1.
    """
    from gough.cli.beside import note_joints, note_speeds
    from gough.cli.machine import load_machine
    from gough.cli.motion_input import read_legs
    from gough.cli.output import is_netcdf
    from gough.cli.pose_input import Orientation, parse_pose
    from gough.cli.progress import watched
    from gough.files import write_whole
    from gough.motion.joint_space.playback import playback as play

    orientation = Orientation(sequence, convention)
    m = load_machine(machine, si=si)
    time, q = read_legs(file, m)
    first = None if start is None else parse_pose("--start", start, orientation, m.units)
    data = watched("forward kinematics", play, m, time, q, start=first)
    if output is not None and is_netcdf(output, as_json=as_json):
        write_whole(output, bytes(data.to_netcdf(engine="scipy")))
    else:
        _write(data, m, orientation, as_matrix=as_matrix, as_json=as_json, output=output)
    note_joints(m, q)
    note_speeds(m, time, q)
    _tell(data)


def _tell(data: xarray.Dataset) -> None:
    """Which samples are not what they should be; leaves with exit code 1 where some have no pose."""
    from gough.cli.output import note
    from gough.kinematics.forward import Status

    count, changes = data.sizes["time"], int(data["mode_change"].sum())
    missing = int((data["status"] == Status.NOT_CONVERGED).sum())
    if changes:
        when = float(data["time"][data["mode_change"]][0])
        note(f"{changes} of {count} samples lead to another assembly mode, the first at {when:.6g} s")
    if missing:
        note(f"no pose found for {missing} of {count} samples: their joint values may fit no pose, or give --start")
        raise typer.Exit(1)


def _write(data: xarray.Dataset, machine: Machine, orientation: Any, *, as_matrix: bool, **where: Any) -> None:
    import numpy as np

    from gough.cli.dataset import titled
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.cli.pose_output import pose_columns, pose_values

    units = machine.units
    words = np.array(data["status"].attrs["flag_meanings"].replace("_", "-").split())
    poses = pose_values(data["pose"].to_numpy(), orientation, units, as_matrix=as_matrix)
    evidence = {
        "residual": (data["residual"].to_numpy() / units.metres, units.length),
        "iterations": (data["iterations"].to_numpy(), ""),
        "status": (np.char.replace(words[data["status"].to_numpy()], "-", " "), ""),
        "certified": (data["certified"].to_numpy(), ""),
        "error_position": (data["error_position"].to_numpy() / units.metres, units.length),
        "error_rotation": (data["error_rotation"].to_numpy() / units.radians, units.angle),
    }
    time = data["time"].to_numpy()
    columns = {"time_s": time, **pose_columns(poses, units)}
    columns |= {titled(name, unit): values for name, (values, unit) in evidence.items()}
    plain = {name: values for name, (values, _) in evidence.items()}
    document = {"machine": machine.name, "units": units_of(machine), "time": time, **poses, **plain}
    emit(columns, document, **where)
